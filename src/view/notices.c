/* The panel of the key !: the whole trust line, the notices of this session, and the events that could not be
 * opened. */
#include "base/fmt.h"
#include "view/screen.h"

#include <stdio.h>
#include <string.h>

/* Adds the metrics that cannot be computed, that cover only some CPUs, or whose events were multiplexed, and why. */
static void add_metrics(const struct view_input *in, struct strbuf *b)
{
	const char *before = "No ";
	for (size_t m = 0; m < metrics_of(in)->n; m++) {
		if (!metric_events_available(in, &metrics_of(in)->v[m]) || metric_available(in, &metrics_of(in)->v[m]))
			continue;
		strbuf_addf(b, "%s%s", before, metrics_of(in)->v[m].title);
		before = ", ";
	}
	if (*before == ',')
		strbuf_add(b, ": their events count different modes (:u, :k).  Name both alike, as -e "
			      "cycles:u,instructions:u.\n");
	for (size_t m = 0; in->snap && m < metrics_of(in)->n; m++)
		if (metric_is_in_part(in, &metrics_of(in)->v[m]))
			strbuf_addf(b, "%s is that of %u of %u CPUs: the others did not count both of its events.\n",
				    metrics_of(in)->v[m].title, in->snap->sums.parts[m].cpus,
				    in->snap->sums.parts[m].cpus_of);
	for (size_t m = 0; m < metrics_of(in)->n; m++)
		if (metric_takes_turns(in, &metrics_of(in)->v[m]))
			strbuf_addf(b, "%s*: its two events were counted at different times, in turns with others.\n",
				    metrics_of(in)->v[m].title);
}

/* Adds why some events have no numbers for tasks and functions. */
static void add_counted(const struct view_input *in, struct strbuf *b)
{
	for (size_t e = 0; e < in->info->events_n && e < EVENTS_MAX; e++) {
		const struct event_spec *spec = &in->info->events[e].spec;
		if (in->info->events[e].available && spec->counted)
			strbuf_addf(b,
				    "%s is only counted, for %s: its PMU takes no samples, and so tasks and "
				    "functions have no numbers of it.\n",
				    spec->name, spec->shared ? "several CPUs together" : "each CPU");
	}
}

/* Adds the events that are not counted in some modes (user, kernel, hypervisor), and these modes. */
static void add_modes(const struct view_input *in, struct strbuf *b)
{
	char text[80];
	for (size_t e = 0; e < in->info->events_n && e < EVENTS_MAX; e++) {
		event_modes_text(event_modes(&in->info->events[e].spec), text, sizeof(text));
		if (in->info->events[e].available && text[0])
			strbuf_addf(b, "%s counts %s.\n", in->info->events[e].spec.name, text);
	}
}

/* Adds, for each event, what share of its count the samples account for. */
static void add_events(const struct view_input *in, struct strbuf *b)
{
	char p[32];
	for (size_t e = 0; in->snap && e < in->snap->events_n && e < in->info->events_n; e++) {
		const struct event_total *t = &in->snap->events[e];
		if (!t->explained.valid && !(t->throttled > 0))
			continue;
		strbuf_addf(b, "%s:", in->info->events[e].spec.name);
		if (t->explained.valid)
			strbuf_addf(b, " sampled %s", trust_percent(p, sizeof(p), t->explained.value));
		if (t->throttled > 0)
			strbuf_addf(b, "%s throttled for %s of the time", t->explained.valid ? "," : "",
				    trust_percent(p, sizeof(p), t->throttled));
		strbuf_add(b, ".\n");
	}
}

/* Adds the cycles and instructions that cyctop itself takes per second. */
static void add_own(const struct view_own *own, struct strbuf *b)
{
	char cycles[16], instructions[16], ipc[16];
	if (!own->valid || !(own->cycles > 0))
		return;
	fmt_si(cycles, sizeof(cycles), own->cycles);
	fmt_si(instructions, sizeof(instructions), own->instructions);
	fmt_fixed(ipc, sizeof(ipc), own->instructions / own->cycles, 2);
	strbuf_addf(b, "cyctop itself (threads: %zu): %s cycles and %s instructions a second (IPC %s)%s, %s.\n",
		    own->threads, cycles, instructions, ipc, own->user_only ? ", without the kernel's" : "",
		    own->in_user_space ? "the screen's read without a system call" : "read by a system call");
}

size_t view_missing_events(const struct source_info *info, size_t e, char *names, size_t cap)
{
	const struct source_event *ev = info->events;
	size_t events_n = info->events_n, n = 0;
	for (; e < events_n; e++) {
		size_t same = 0; /* index of the first event with the same reason */
		while (same < e && (ev[same].available || strcmp(ev[same].why, ev[e].why) != 0))
			same++;
		if (!ev[e].available && !ev[e].closed && same == e)
			break;
	}
	names[0] = '\0';
	for (size_t i = e; i < events_n && n < cap; i++)
		if (!ev[i].available && !ev[i].closed && strcmp(ev[i].why, ev[e].why) == 0)
			n += (size_t)snprintf(names + n, cap - n, "%s%s", n ? ", " : "", ev[i].spec.name);
	return e;
}

bool limit_said(const struct view_input *in, enum limit limit, char *buf, size_t cap)
{
	struct limit_counts limits = in->cat->limits;
	limit_counts_add(&limits, in->command_limits);
	return limit_text(&limits, limit, buf, cap);
}

bool view_lost_text(const struct view_input *in, char *buf, size_t cap)
{
	char p[32];
	if (!in->snap || !in->snap->trust.lost || in->snap->trust.lost_share <= 0.005)
		return false;
	snprintf(buf, cap, "%s of the samples were lost%s", trust_percent(p, sizeof(p), in->snap->trust.lost_share),
		 in->info->playable ? " when it was recorded"
				    : ", because they came faster than they were read: sample less often (-F, -c), or "
				      "with larger rings (--ring)");
	return true;
}

bool view_uncounted_text(const struct view_input *in, char *buf, size_t cap)
{
	char names[64] = "";
	size_t n = 0;
	for (size_t e = 0; in->snap && e < in->snap->events_n && n < sizeof(names); e++)
		if (in->snap->events[e].state == COUNT_NEVER && !in->info->events[e].spec.off_cpu) /* may be paused */
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "",
					      in->info->events[e].spec.name);
	if (n)
		snprintf(buf, cap, "%s never had a counter, since other events held them all the time%s", names,
			 in->info->playable ? "" : ": cyctop doctor says who counts, and -e cpu-clock needs none");
	return n > 0;
}

static void notices_text(struct view_state *st, const struct view_input *in, struct strbuf *b)
{
	char trust[512], reason[200];
	(void)st;
	trust_line(in, trust, sizeof(trust));
	strbuf_addf(b, "%s\n", trust);
	size_t begin = b->n;
	if (in->info->notice[0])
		strbuf_addf(b, "%s\n", in->info->notice);
	const char *namespace = view_namespace_note(in);
	if (namespace)
		strbuf_addf(b, "It was %s.\n", namespace);
	char text[160];
	for (size_t e = 0; (e = view_missing_events(in->info, e, text, sizeof(text))) < in->info->events_n; e++)
		strbuf_addf(b, "Not counted: %s. %s\n", text, in->info->events[e].why);
	if (view_uncounted_text(in, reason, sizeof(reason)))
		strbuf_addf(b, "%s.\n", reason);
	if (view_lost_text(in, reason, sizeof(reason)))
		strbuf_addf(b, "%s.\n", reason);
	for (size_t i = 0; in->comparison && in->comparison->notes && i < in->comparison->notes->n; i++)
		strbuf_addf(b, "Comparison: %s.\n", in->comparison->notes->text[i]);
	add_metrics(in, b);
	add_counted(in, b);
	add_modes(in, b);
	for (unsigned i = 0; i < LIMITS_N; i++)
		if (limit_said(in, (enum limit)i, text, sizeof(text)))
			strbuf_addf(b, "Limit reached: %s.\n", text);
	if (b->n == begin)
		strbuf_add(b, "There are no notices: everything that was asked for is measured.\n");
	add_events(in, b);
	add_own(&in->own, b);
}

const struct view_ops notices_view = {
	.place = PLACE_PANEL,
	.open = {.keys = {'!'},
		 .names = "!",
		 .help = "notices: the whole trust line, what this session lacks, and why",
		 .opens = &notices_view},
	.title = "Notices",
	.text = notices_text,
};
