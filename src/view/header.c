#include "base/unicode.h"
#include "view/screen.h"

#include "base/fmt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Adds `s`, which names the target or the filters, cut to `width` cells. */
static void add_target(const char *s, struct line *l, int width)
{
	char buf[256];
	const char *end = s;
	for (int used = 0; *end && end - s < (ptrdiff_t)sizeof(buf) - 8;) {
		const char *next = end;
		used += unicode_width(text_next(&next));
		if (used >= width && *next)
			break;
		end = next;
	}
	snprintf(buf, sizeof(buf), "%.*s%s", (int)(end - s), s, *end ? "…" : "");
	line_item(l, "", STYLE_WARN, buf, 0);
}

/* Writes how often the first event is sampled: "809 Hz", "1 in 100k"; false: it is not known. */
static bool rate_text(const struct source_info *info, char *buf, size_t cap)
{
	char n[32];
	if (info->scope == SCOPE_PROC || (!info->rate_hz && !info->period))
		return false;
	fmt_si(n, sizeof(n), (double)info->period);
	if (info->rate_hz)
		snprintf(buf, cap, "%" PRIu64 " Hz", info->rate_hz);
	else
		snprintf(buf, cap, "1 in %s", n);
	return true;
}

/* Returns a word that says that the screen does not show the present; NULL: it does, or shows a whole recording. */
static const char *state_not_now(const struct view_state *st, const struct view_input *in)
{
	if (st->query.stretch.to_ns)
		return play_whole(st, in) ? "PART" : "PAST";
	return st->frozen ? "FROZEN" : NULL;
}

static void draw_title(const struct view_state *st, const struct view_input *in, struct grid *g, int row)
{
	char buf[80];
	const char *not_now = state_not_now(st, in);
	int end = g->cols;
	if (not_now) {
		end -= (int)strlen(not_now) + 2;
		put_right(g, row, 0, g->cols, STYLE_WARN, not_now);
	}
	struct line l = line_start(g, row, end, 2);
	line_item(&l, "", STYLE_STRONG, "cyctop", 0);
	if (in->info->label)
		line_item(&l, "", STYLE_WARN, in->info->label, 0);
	if (in->info->host[0])
		line_item(&l, "", STYLE_STRONG, in->info->host, 0);
	if (*in->info->target)
		add_target(in->info->target, &l, g->cols / 3);
	if (*in->info->target && in->over)
		line_item(&l, "", STYLE_WARN, "ended", 0);
	if (in->only && *in->only)
		add_target(in->only, &l, g->cols / 3);
	window_text(st, in, buf, sizeof(buf));
	line_item(&l, "", st->query.stretch.to_ns ? STYLE_WARN : STYLE_NORMAL, buf, 0);
	if (in->info->playable) {
		play_text(st, in, buf, sizeof(buf));
		line_item(&l, play_whole(st, in) ? "length" : "at", st->play.paused ? STYLE_WARN : STYLE_NORMAL, buf,
			  0);
	}
	seconds_text(buf, sizeof(buf), (double)st->delay_ns);
	if (!play_whole(st, in))
		line_item(&l, "every", STYLE_NORMAL, buf, 0);
	if (rate_text(in->info, buf, sizeof(buf)))
		line_item(&l, "sampling", STYLE_NORMAL, buf, 0);
	if (!in->info->playable) {
		fmt_duration(buf, sizeof(buf), in->uptime_ns);
		line_item(&l, "running", STYLE_NORMAL, buf, 0);
	}
	if (in->info->kernel[0])
		line_item(&l, "", STYLE_DIM, in->info->kernel, 0);
}

static void event_value(const struct view_input *in, size_t e, char *buf, size_t cap, enum style *style)
{
	const struct event_total *t = &in->snap->events[e];
	char rate[56];
	*style = STYLE_STRONG;
	if (t->state != COUNT_OK) {
		*style = STYLE_WARN;
		if (t->state == COUNT_NEVER)
			view_rate_text(in, e, buf, cap);
		else
			snprintf(buf, cap, "-");
		return;
	}
	if (role_of(in, e) == ROLE_CLOCK) {
		fmt_fixed(rate, sizeof(rate), event_rate(in, e, t->count) / 1e9, 2);
		snprintf(buf, cap, "%s CPUs used", rate);
		return;
	}
	view_rate_text(in, e, rate, sizeof(rate));
	if (t->running < 0.995)
		snprintf(buf, cap, "%s (%.0f%%)", rate, t->running * 100);
	else
		snprintf(buf, cap, "%s", rate);
}

/* Returns a short name of an event, for a line into which the full names do not fit. */
static const char *short_name(enum event_role role, const char *name)
{
	const char *brief = role_info(role)->brief;
	return brief ? brief : name;
}

/* Draws the totals of events; false: not all fit. */
static bool put_events(const struct view_input *in, struct grid *g, int row, bool brief)
{
	struct line l = line_start(g, row, g->cols, 2);
	for (size_t e = 0; e < in->snap->events_n && e < in->info->events_n; e++) {
		const struct source_event *ev = &in->info->events[e];
		char value[80];
		enum style style;
		if (!event_has_total(in, e))
			continue;
		event_value(in, e, value, sizeof(value), &style);
		enum event_role role = role_of(in, e);
		if (!line_item(&l, brief ? short_name(role, ev->spec.name) : ev->spec.name, style, value, 7))
			return false;
	}
	return true;
}

static void draw_events(const struct view_input *in, struct grid *g, int row)
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

static void draw_summary(const struct view_input *in, struct grid *g, int row)
{
	struct line l = line_start(g, row, g->cols, 3);
	char buf[48];
	if (!in->snap) {
		line_item(&l, "collecting the first samples", STYLE_DIM, "", 0);
		return;
	}
	size_t cycles = event_of_role(in, ROLE_CYCLES);
	const struct metric *ipc = ipc_metric(in);
	const struct metric_set *set = metrics_of(in);
	for (const struct metric *m = set->v; m < set->v + set->n; m++) {
		struct column col = {.metric = m};
		if (!metric_available(in, m))
			continue;
		struct ratio r = total_metric(in->snap, m);
		struct cell c = {.kind = r.valid ? CELL_RATIO : CELL_ABSENT, .r = r};
		cell_format(&col, &c, 0, buf, sizeof(buf));
		if (!line_item(&l, m->title, r.valid ? STYLE_STRONG : STYLE_DIM, buf, 4))
			return;
		/* The clock frequency is shown behind the IPC. */
		if (m != ipc || !ghz_known(in) || cycles >= in->snap->events_n || !in->snap->busy_known)
			continue;
		struct cell ghz = {.kind = CELL_RATIO, .r = snapshot_ghz(in->snap, cycles)};
		ghz.r.valid &= in->snap->events[cycles].state == COUNT_OK && in->snap->busy_ns > 1e6;
		cell_format(&(struct column){.title = ""}, &ghz, 0, buf, sizeof(buf));
		line_item(&l, "GHz while busy", ghz.r.valid ? STYLE_STRONG : STYLE_DIM, buf, 4);
	}
	add_busy(in, &l);
}

/* Chooses the items that fit: STYLE_BAD first, then warnings, then others in their order, and last those in STYLE_DIM,
 * which say that all is well.  Returns how many do not fit. */
static size_t choose(const struct trust_item *items, size_t n, int width, bool *chosen)
{
	int left = width;
	size_t out = n;
	for (int pass = 0; pass < 4; pass++) {
		for (size_t i = 0; i < n; i++) {
			int rank = items[i].style == STYLE_BAD		    ? 0
				   : items[i].style == STYLE_WARN || i == 0 ? 1
				   : items[i].style == STYLE_DIM	    ? 3
									    : 2;
			int need = text_width(items[i].text) + (left < width ? 3 : 0);
			if (rank != pass || need > left)
				continue;
			chosen[i] = true;
			left -= need;
			out--;
		}
	}
	return out;
}

static void draw_trust(const struct view_input *in, struct grid *g, int row, const char *not_now)
{
	enum { MORE = 5 }; /* cells of " …+12" */
	struct trust_item items[TRUST_ITEMS_MAX];
	bool chosen[TRUST_ITEMS_MAX] = {false};
	size_t n = trust_items(in, items);
	int x = 0;
	if (not_now) {
		x = grid_put(g, row, 0, g->cols, STYLE_WARN, not_now);
		x += grid_put(g, row, x, g->cols - x, STYLE_DIM, " │ ");
	}
	size_t out = choose(items, n, g->cols - x, chosen);
	if (out) {
		memset(chosen, 0, sizeof(chosen));
		out = choose(items, n, g->cols - x - MORE, chosen);
	}
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
	else if (out) {
		char more[48];
		snprintf(more, sizeof(more), " …+%zu", out);
		grid_put(g, row, x, g->cols - x, STYLE_DIM, more);
	}
}

void draw_header(struct frame *f)
{
	const struct layout *l = &f->layout;
	if (l->title >= 0)
		draw_title(f->st, f->in, f->g, l->title);
	if (l->events >= 0)
		draw_events(f->in, f->g, l->events);
	if (l->summary >= 0)
		draw_summary(f->in, f->g, l->summary);
	if (l->past >= 0)
		draw_past(f, l->past, l->past_rows);
	if (l->strip >= 0)
		draw_strip(f->in, f->g, l->strip, l->strip_rows, f->st->ascii);
	if (l->trust >= 0)
		draw_trust(f->in, f->g, l->trust, l->title < 0 ? state_not_now(f->st, f->in) : NULL);
}
