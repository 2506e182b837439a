#include "view/internal.h"

#include "base/fmt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void seconds(char *buf, size_t cap, double ns)
{
	double s = ns / 1e9;
	char digits[32];
	if (s >= 60) {
		fmt_duration(buf, cap, (uint64_t)ns);
		return;
	}
	bool whole = s >= 10 || fabs(s - round(s)) < 0.05;
	fmt_fixed(digits, sizeof(digits), s, whole ? 0 : 1);
	snprintf(buf, cap, "%s s", digits);
}

void window_text(const struct view_state *st, const struct view_input *in, char *buf, size_t cap)
{
	char time[40];
	double asked = (double)st->query.sliding_ns;
	double real = in->snap ? window_ns(in->snap) : 0;
	switch (st->query.window) {
	case WINDOW_SLIDING:
		/* Intervals do not end on the dot: say what was asked for where it
		 * is near enough, so that the number does not flicker. */
		if (real <= 0 || fabs(real - asked) < 0.15 * asked)
			real = asked;
		seconds(time, sizeof(time), real);
		snprintf(buf, cap, "last %s", time);
		break;
	case WINDOW_INTERVAL:
		snprintf(buf, cap, "last interval");
		break;
	case WINDOW_TOTAL:
		snprintf(buf, cap, "since start");
		break;
	}
}

/* Who is measured, where that is not everybody, in `width` cells at most. */
static void add_target(const struct view_input *in, struct line *l, int width)
{
	char buf[sizeof(in->info->target) + 4];
	const char *s = in->info->target, *end = s;
	if (!*s)
		return;
	for (int used = 0; *end;) {
		const char *next = end;
		used += text_char_width(text_next(&next));
		if (used >= width && *next)
			break;
		end = next;
	}
	snprintf(buf, sizeof(buf), "%.*s%s", (int)(end - s), s, *end ? "…" : "");
	line_item(l, "", STYLE_WARN, buf, 0);
	if (in->over)
		line_item(l, "", STYLE_WARN, "ended", 0);
}

void draw_title(const struct view_state *st, const struct view_input *in, struct grid *g, int row)
{
	char buf[64];
	static const char frozen[] = "FROZEN";
	int end = g->cols;
	if (st->frozen) {
		end -= (int)sizeof(frozen) + 1;
		put_right(g, row, 0, g->cols, STYLE_WARN, frozen);
	}
	struct line l = line_start(g, row, end, 2);
	line_item(&l, "", STYLE_STRONG, "cyctop", 0);
	if (in->info->kind == SOURCE_SYNTHETIC)
		line_item(&l, "", STYLE_WARN, "made-up data", 0);
	else if (in->info->kind == SOURCE_FILE)
		line_item(&l, "", STYLE_WARN, "from a file", 0);
	if (in->info->host[0])
		line_item(&l, "", STYLE_STRONG, in->info->host, 0);
	add_target(in, &l, g->cols / 3);
	window_text(st, in, buf, sizeof(buf));
	line_item(&l, "", STYLE_NORMAL, buf, 0);
	if (in->info->kind == SOURCE_FILE) {
		play_text(st, in, buf, sizeof(buf));
		line_item(&l, "at", st->play.paused ? STYLE_WARN : STYLE_NORMAL, buf, 0);
	}
	seconds(buf, sizeof(buf), (double)st->delay_ns);
	line_item(&l, "every", STYLE_NORMAL, buf, 0);
	if (in->info->kind != SOURCE_FILE) {
		fmt_duration(buf, sizeof(buf), in->uptime_ns);
		line_item(&l, "up", STYLE_NORMAL, buf, 0);
	}
	if (in->info->kernel[0])
		line_item(&l, "", STYLE_DIM, in->info->kernel, 0);
}

static void event_value(const struct view_input *in, size_t e, char *buf, size_t cap, enum style *style)
{
	const struct event_total *t = &in->snap->events[e];
	char rate[32];
	*style = STYLE_STRONG;
	if (t->state != COUNT_OK) {
		*style = STYLE_WARN;
		snprintf(buf, cap, "%s", t->state == COUNT_NEVER ? "never counted" : "-");
		return;
	}
	if ((in->roles ? in->roles[e] : in->info->events[e].spec.role) == ROLE_CLOCK) {
		fmt_fixed(rate, sizeof(rate), event_rate(in, t->count) / 1e9, 2);
		snprintf(buf, cap, "%s CPUs", rate);
		return;
	}
	fmt_si(rate, sizeof(rate), event_rate(in, t->count));
	if (t->running < 0.995)
		snprintf(buf, cap, "%s/s (%.0f%%)", rate, t->running * 100);
	else
		snprintf(buf, cap, "%s/s", rate);
}

/* A name for where the whole one does not fit. */
static const char *short_name(enum event_role role, const char *name)
{
	static const char *const names[ROLE_COUNT] = {
		[ROLE_INSTRUCTIONS] = "instr",	       [ROLE_CACHE_REFERENCES] = "refs",
		[ROLE_CACHE_MISSES] = "misses",	       [ROLE_BRANCH_MISSES] = "br-misses",
		[ROLE_DTLB_LOAD_MISSES] = "dTLB-ld",   [ROLE_DTLB_STORE_MISSES] = "dTLB-st",
		[ROLE_ITLB_LOAD_MISSES] = "iTLB-miss",
	};
	return names[role] ? names[role] : name;
}

/* false: they do not all fit. */
static bool put_events(const struct view_input *in, struct grid *g, int row, bool brief)
{
	struct line l = line_start(g, row, g->cols, 2);
	for (size_t e = 0; e < in->snap->events_n && e < in->info->events_n; e++) {
		const struct source_event *ev = &in->info->events[e];
		char value[48];
		enum style style;
		if (!ev->available)
			continue;
		event_value(in, e, value, sizeof(value), &style);
		enum event_role role = in->roles ? in->roles[e] : ev->spec.role;
		if (!line_item(&l, brief ? short_name(role, ev->spec.name) : ev->spec.name, style, value, 7))
			return false;
	}
	return true;
}

void draw_events(const struct view_input *in, struct grid *g, int row)
{
	if (!in->snap || put_events(in, g, row, false))
		return;
	fill(g, row, 0, g->cols, STYLE_NORMAL);
	put_events(in, g, row, true);
}

static void add_busy(const struct view_input *in, struct line *l)
{
	char buf[64], digits[32];
	unsigned online = 0;
	for (unsigned c = 0; in->snap->cpus && c < in->snap->cpus_n; c++)
		online += in->snap->cpus[c].online;
	double ns = window_ns(in->snap);
	if (!in->snap->busy_known || ns <= 0 || !online)
		return;
	fmt_fixed(digits, sizeof(digits), in->snap->busy_ns / ns, 1);
	snprintf(buf, sizeof(buf), "%s of %u", digits, online);
	line_item(l, "CPUs busy", STYLE_STRONG, buf, 0);
}

void draw_summary(const struct view_input *in, struct grid *g, int row)
{
	struct line l = line_start(g, row, g->cols, 3);
	char buf[48];
	if (!in->snap) {
		line_item(&l, "collecting the first samples", STYLE_DIM, "", 0);
		return;
	}
	size_t cycles = event_of_role(in, ROLE_CYCLES);
	const struct metric *ipc = ipc_metric(in);
	for (size_t m = 0; m < metrics_n; m++) {
		struct column col = {.metric = &metrics[m]};
		if (!metric_available(in, &metrics[m]))
			continue;
		struct ratio r = total_metric(in->snap, &metrics[m], in->roles);
		struct cell c = {.kind = r.valid ? CELL_RATIO : CELL_ABSENT, .r = r};
		cell_format(&col, &c, 0, buf, sizeof(buf));
		if (!line_item(&l, metrics[m].title, r.valid ? STYLE_STRONG : STYLE_DIM, buf, 4))
			return;
		/* Next to the ratio that says what the cycles were good for. */
		if (&metrics[m] != ipc || !ghz_known(in) || cycles >= in->snap->events_n || !in->snap->busy_known)
			continue;
		bool ok = in->snap->events[cycles].state == COUNT_OK && in->snap->busy_ns > 1e6;
		strcpy(buf, "-");
		if (ok)
			fmt_fixed(buf, sizeof(buf), snapshot_count(in->snap, cycles) / in->snap->busy_ns, 2);
		line_item(&l, "GHz while busy", ok ? STYLE_STRONG : STYLE_DIM, buf, 4);
	}
	add_busy(in, &l);
}

/* Chooses what fits: the first, what is wrong, then in order.  Shown in order. */
static void choose(const struct trust_item *items, size_t n, int width, bool *chosen)
{
	int left = width;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			bool wrong = i == 0 || items[i].style != STYLE_NORMAL;
			int need = text_width(items[i].text) + (left < width ? 3 : 0);
			if (wrong != (pass == 0))
				continue;
			if (need > left) {
				if (pass == 1)
					return;
				continue;
			}
			chosen[i] = true;
			left -= need;
		}
	}
}

void draw_trust(const struct view_input *in, struct grid *g, int row, bool frozen)
{
	struct trust_item items[TRUST_ITEMS_MAX];
	bool chosen[TRUST_ITEMS_MAX] = {false};
	size_t n = trust_items(in, items);
	int x = 0;
	if (frozen) {
		x = grid_put(g, row, 0, g->cols, STYLE_WARN, "FROZEN");
		x += grid_put(g, row, x, g->cols - x, STYLE_DIM, " │ ");
	}
	choose(items, n, g->cols - x, chosen);
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		if (!chosen[i])
			continue;
		if (any)
			x += grid_put(g, row, x, g->cols - x, STYLE_DIM, " │ ");
		x += grid_put(g, row, x, g->cols - x, items[i].style, items[i].text);
		any = true;
	}
	if (!any && n)
		put_clipped(g, row, x, g->cols - x, items[0].style, items[0].text);
}
