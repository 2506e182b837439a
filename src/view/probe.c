/* The panel of the key x: each call of the selected function, measured by probes. */
#include "view/columns.h"
#include "view/screen.h"

#include <cyctop/abi.h>

#include <stdio.h>
#include <string.h>

/* Writes the function in the syntax of `cyctop probe`.  Returns false if the symbol is no function, or has no name. */
static bool name_function(const struct view_input *in, uint32_t sym, char *buf, size_t cap)
{
	const struct sym_info *s = sym < in->cat->syms_n ? &in->cat->syms[sym] : NULL;
	const struct dso_info *dso = s && s->dso < in->cat->dsos_n ? &in->cat->dsos[s->dso] : NULL;
	if (!dso || s->state != SYM_NAMED || (!s->kernel && dso->path[0] != '/'))
		return false;
	int n = s->kernel ? snprintf(buf, cap, "kernel:%s", s->name) : snprintf(buf, cap, "%s:%s", dso->path, s->name);
	return n > 0 && (size_t)n < cap;
}

/* Chooses the events to count in each call: the first two on the screen, usually cycles and instructions.  The CPU may
 * not have counters for more, and a call is too short for multiplexing. */
static void name_events(const struct view_input *in, char *buf, size_t cap)
{
	enum { MOST = 2 };
	const struct source_info *info = in->info;
	buf[0] = '\0';
	for (size_t e = 0, n = 0; e < info->events_n && n < MOST; e++) {
		const struct event_spec *spec = &info->events[e].spec;
		size_t at = strlen(buf);
		bool of_calls = info->events[e].available && spec->role != ROLE_CLOCK && !spec->off_cpu &&
				spec->type != ABI_TYPE_TRACEPOINT && !strpbrk(spec->name, ",/{}");
		if (!of_calls || strlen(spec->name) + 2 > cap - at)
			continue;
		snprintf(buf + at, cap - at, "%s%s", n++ ? "," : "", spec->name);
	}
}

/* Chooses what to probe: the function of the selected row, in the process that runs it most.  Returns false if the row
 * has no function with a name. */
static bool choose(const struct press *p)
{
	struct view_probe_wish *wish = &p->st->probe;
	struct selection sel;
	selection_get(p->st, p->in, &sel);
	if (!sel.row || !name_function(p->in, sel.sym, wish->function, sizeof(wish->function)))
		return false;
	uint32_t task = row_task(p->in, sel.row);
	uint32_t leader = task < p->in->cat->tasks_n ? p->in->cat->tasks[task].leader : CATALOG_NONE;
	bool known = leader < p->in->cat->tasks_n && !p->in->cat->tasks[leader].exit_ns;
	name_events(p->in, wish->events, sizeof(wish->events));
	wish->pid = known && p->in->cat->tasks[leader].pid > 0 ? (uint32_t)p->in->cat->tasks[leader].pid : 0;
	return true;
}

unsigned act_probe(const struct press *p)
{
	struct view_probe_wish *wish = &p->st->probe;
	struct view *v = view_find(p->st, &probe_view);
	if (v && wish->stage == PROBE_EXPLAINED)
		wish->stage = PROBE_CONFIRMED;
	else if (v && p->in->probe.refused && wish->stage == PROBE_CONFIRMED)
		wish->stage = PROBE_FORCED;
	else if (v)
		return view_toggle(p, &probe_view);
	else if (!p->in->probe.possible)
		state_say(p->st, "Calls of functions can only be measured live, and with the privilege for it (root).");
	else if (!choose(p))
		state_say(p->st, "Select a function with a name: x measures each of its calls.");
	else {
		wish->stage = PROBE_EXPLAINED;
		return view_toggle(p, &probe_view);
	}
	return REACT_REDRAW;
}

bool view_wants_probe(struct view_state *st)
{
	return view_find(st, &probe_view) && st->probe.stage != PROBE_EXPLAINED;
}

/* Adds what `cyctop probe` has printed: first the table, then the cost of the probes. */
static void add_printed(const char *text, struct strbuf *b)
{
	const char *table = text ? strstr(text, "SELF%") : NULL;
	strbuf_add(b, table ? table : "");
	if (text && *text)
		strbuf_add_bytes(b, text, table ? (size_t)(table - text) : strlen(text));
	else
		strbuf_add(b, "What a probe costs is measured...\n");
}

static void probe_text(struct view_state *st, const struct view_input *in, struct strbuf *b)
{
	const struct view_probe_wish *wish = &st->probe;
	char whose[40] = "all processes";
	if (wish->pid)
		snprintf(whose, sizeof(whose), "process %u", wish->pid);
	strbuf_addf(b, "%s, called by %s.\n", wish->function, whose);
	if (wish->stage == PROBE_EXPLAINED)
		strbuf_add(b,
			   "x again measures each of its calls: the kernel stops whoever calls it where it begins and "
			   "returns, for microseconds, until this panel is closed. What that costs here is measured "
			   "first, and calls are counted: nothing is probed that would take more than 5 % of a CPU. "
			   "With any other key nothing happens.\n");
	else
		add_printed(in->probe.text, b);
	if (wish->stage == PROBE_CONFIRMED && in->probe.refused)
		strbuf_add(b, "x probes it all the same.\n");
}

const struct view_ops probe_view = {
	.place = PLACE_PANEL,
	.open = {.names = "x"},
	.title = "Each call of a function",
	.text = probe_text,
};
