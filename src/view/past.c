/* The past: draws the strip with totals over time, and handles the keys that choose the stretch, the time range of the
 * past that the panes show. */
#include "view/screen.h"

#include "base/fmt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

enum {
	LABEL = 14,	 /* cells before a chart */
	CHARTS_MAX = 4,	 /* on two lines */
	TWO_COLS = 100,	 /* the least cells of a line with two charts */
	LEAST_COLS = 30, /* the least cells of a line with one */
	SPAN = 16,	 /* the most that the strip spans, in lengths of the stretch, unless that is too short */
};

/* The lengths that columns and stretches can have. */
static const uint64_t lengths_ns[] = {
	SECOND / 10,   SECOND / 5,    SECOND / 2,    SECOND,	     2 * SECOND,     5 * SECOND,     10 * SECOND,
	20 * SECOND,   30 * SECOND,   60 * SECOND,   120 * SECOND,   300 * SECOND,   600 * SECOND,   1200 * SECOND,
	1800 * SECOND, 3600 * SECOND, 7200 * SECOND, 14400 * SECOND, 28800 * SECOND, 86400 * SECOND,
};

static uint64_t length_from(uint64_t ns)
{
	size_t i = 0;
	while (i + 1 < ARRAY_LEN(lengths_ns) && lengths_ns[i] < ns)
		i++;
	return lengths_ns[i];
}

static uint64_t length_below(uint64_t ns)
{
	size_t i = ARRAY_LEN(lengths_ns) - 1;
	while (i > 0 && lengths_ns[i] >= ns)
		i--;
	return lengths_ns[i];
}

/* Returns the length of the stretch; if there is none, of the window, or a tenth of the whole recording. */
static uint64_t stretch_ns(const struct view_state *st, const struct view_input *in)
{
	const struct stretch *s = &st->query.stretch, *kept = &in->past.extent;
	if (s->to_ns)
		return s->to_ns - s->from_ns;
	if (play_whole(st, in))
		return length_below((kept->to_ns - kept->from_ns) / 10 + 1);
	return st->query.window == WINDOW_SLIDING ? st->query.sliding_ns : 5 * SECOND;
}

/* ---- drawing the charts of the strip --------------------------------------------------------------- */

struct chart {
	enum { CHART_BUSY, CHART_RATE, CHART_METRIC } kind;
	const char *name;
	const struct metric *metric;
	size_t at; /* of the metric in the set */
};

static const struct metric *miss_metric(const struct view_input *in)
{
	for (size_t m = 0; m < metrics_of(in)->n; m++)
		if (strcmp(metrics_of(in)->v[m].id, "cache-miss-ratio") == 0 &&
		    metric_available(in, &metrics_of(in)->v[m]))
			return &metrics_of(in)->v[m];
	return NULL;
}

/* Returns the event whose rate is drawn: cycles, or else the first event. */
static size_t rate_event(const struct view_input *in)
{
	size_t cycles = event_of_role(in, ROLE_CYCLES);
	return cycles < EVENTS_MAX ? cycles : in->snap ? in->snap->primary : 0;
}

static size_t charts(const struct view_input *in, struct chart ret[CHARTS_MAX])
{
	size_t n = 0;
	const struct metric *ipc = ipc_metric(in), *miss = miss_metric(in);
	if (!in->info->playable ||
	    event_of_role(in, ROLE_CLOCK) < EVENTS_MAX) /* a recording tells the busy time only with a clock */
		ret[n++] = (struct chart){.kind = CHART_BUSY, .name = "CPU"};
	if (ipc)
		ret[n++] = (struct chart){.kind = CHART_METRIC,
					  .name = ipc->title,
					  .metric = ipc,
					  .at = (size_t)(ipc - metrics_of(in)->v)};
	if (event_of_role(in, ROLE_CYCLES) < EVENTS_MAX)
		ret[n++] = (struct chart){.kind = CHART_RATE, .name = "cycles"};
	else if (!n)
		ret[n++] = (struct chart){.kind = CHART_RATE, .name = in->info->events[rate_event(in)].spec.name};
	if (miss)
		ret[n++] = (struct chart){.kind = CHART_METRIC,
					  .name = miss->title,
					  .metric = miss,
					  .at = (size_t)(miss - metrics_of(in)->v)};
	return n;
}

/* Returns the number of charts on a line. */
static int per_line(size_t charts_n, int cols)
{
	return charts_n > 2 && cols >= TWO_COLS ? 2 : 1;
}

static int chart_width(size_t charts_n, int cols)
{
	return per_line(charts_n, cols) == 2 ? (cols - 2) / 2 - LABEL : cols - LABEL;
}

int past_rows(const struct view_input *in, int rows, int cols)
{
	struct chart all[CHARTS_MAX];
	if (!in->past.extent.to_ns || rows < 24 || cols < LEAST_COLS)
		return 0;
	return charts(in, all) > 1 && rows >= 30 ? 2 : 1; /* a low screen is for the panes */
}

void view_past_plan(struct view_state *st, const struct view_input *in, int rows, int cols, struct view_past *ret)
{
	struct chart all[CHARTS_MAX];
	struct layout l;
	ret->n = 0;
	layout_for(st, in, rows, cols, &l);
	if (l.past < 0)
		return;
	int width = chart_width(charts(in, all), cols);
	uint64_t n = (uint64_t)width, least = length_from(in->delay_ns);
	ret->n = (size_t)width;
	ret->event = rate_event(in);
	if (play_whole(st, in)) {
		ret->from_ns = ret->extent.from_ns;
		ret->column_ns = (ret->extent.to_ns - ret->extent.from_ns) / n + 1;
		return;
	}
	uint64_t column_ns = length_below(stretch_ns(st, in) * SPAN / n + 1);
	while (column_ns > least && n * column_ns > in->past.extent.to_ns) /* nothing lies before time 0 */
		column_ns = length_below(column_ns);
	column_ns = column_ns > least ? column_ns : least;
	/* Whole columns, so that what is drawn does not change as time goes on. */
	uint64_t end = (in->past.extent.to_ns + column_ns - 1) / column_ns;
	if (st->query.stretch.to_ns && st->query.stretch.from_ns / column_ns + n < end + n / 4)
		end = st->query.stretch.from_ns / column_ns + n - n / 4;
	uint64_t newest = (in->past.extent.to_ns + column_ns - 1) / column_ns;
	end = end > newest ? newest : end;
	ret->column_ns = column_ns;
	ret->from_ns = end > n ? (end - n) * column_ns : 0;
}

static bool chart_value(const struct chart *c, const struct timeline_column *col, double *ret)
{
	struct ratio r = {0};
	if (c->kind == CHART_METRIC)
		r = col->metrics[c->at];
	*ret = c->kind == CHART_BUSY ? col->busy : c->kind == CHART_RATE ? col->rate : r.value;
	return c->kind == CHART_BUSY ? col->busy_known : c->kind == CHART_RATE ? col->rate_known : r.valid;
}

/* Returns the value at the top of a chart: the least of 1, 2, 5 times a power of ten that is not below the largest
 * value. */
static double scale_of(const struct chart *c, const struct view_past *past)
{
	double most = 0, v;
	if (c->kind == CHART_BUSY)
		return 1;
	for (size_t i = 0; i < past->n; i++)
		if (chart_value(c, &past->columns[i], &v) && v > most)
			most = v;
	if (!(most > 0) || !isfinite(most))
		return 1;
	double unit = pow(10, floor(log10(most)));
	return most <= unit ? unit : most <= 2 * unit ? 2 * unit : most <= 5 * unit ? 5 * unit : 10 * unit;
}

static void chart_label(const struct chart *c, double scale, char *buf, size_t cap)
{
	char number[32];
	if (c->kind == CHART_RATE) {
		fmt_si(number, sizeof(number), scale); /* "50.0G" */
		char *point = strchr(number, '.');
		if (point && strspn(point + 1, "0") > 0 && scale >= 1)
			memmove(point, point + 1 + strspn(point + 1, "0"),
				strlen(point + 1 + strspn(point + 1, "0")) + 1);
		snprintf(buf, cap, "%s 0-%s", c->name, number);
		return;
	}
	bool percent = c->kind == CHART_BUSY || c->metric->format == METRIC_PERCENT;
	double v = percent ? scale * 100 : scale;
	fmt_fixed(number, sizeof(number), v, v >= 1 ? 0 : v >= 0.1 ? 1 : 2);
	size_t name = strlen(c->name); /* "MISS%": the sign stands behind the number */
	if (percent && name && c->name[name - 1] == '%')
		name--;
	snprintf(buf, cap, "%.*s 0-%s%s", (int)name, c->name, number, percent ? "%" : "");
}

/* The columns of the time that the panes show; both -1: they show the present. */
struct marked {
	long first, last;
	bool begins, ends; /* the stretch begins, ends within the strip */
};

static struct marked marked_columns(const struct view_state *st, const struct view_input *in)
{
	const struct view_past *past = &in->past;
	if (!st->query.stretch.to_ns || !in->snap || in->snap->end_ns <= in->snap->start_ns)
		return (struct marked){.first = -1, .last = -1};
	int64_t first = (int64_t)(in->snap->start_ns - past->from_ns),
		last = (int64_t)(in->snap->end_ns - past->from_ns);
	int64_t column = (int64_t)past->column_ns;
	/* Intervals do not end exactly on time: less than half a column does not mark it. */
	long from = (long)((first + column / 2) / column), to = (long)((last + column / 2) / column) - 1;
	if (first < 0)
		from = 0;
	return (struct marked){from, to < from ? from : to, first > -column, to <= (long)past->n};
}

static void draw_chart(struct frame *f, const struct chart *c, int row, int x, int width, const struct marked *m)
{
	const struct view_past *past = &f->in->past;
	double scale = scale_of(c, past), v;
	char label[48];
	chart_label(c, scale, label, sizeof(label));
	put_clipped(f->g, row, x, LABEL - 1, STYLE_DIM, label);
	x += LABEL;
	for (size_t i = 0; i < past->n && (int)i < width; i++) {
		const struct timeline_column *col = &past->columns[i];
		bool shown = m->first < 0 || ((long)i >= m->first && (long)i <= m->last);
		enum style style = shown ? STYLE_BAR : STYLE_DIM;
		if (!col->measured)
			continue;
		if (chart_value(c, col, &v))
			grid_put(f->g, row, x + (int)i, 1, style,
				 strip_level(1 + (int)(v / scale * 7.999), true, f->st->ascii));
		else
			grid_put(f->g, row, x + (int)i, 1, STYLE_DIM, f->st->ascii ? "?" : "·");
	}
	if (m->first < 0)
		return;
	/* Brackets mark the stretch, for screens without colour, in the columns beside the stretch.  "[" may be left of
	 * the chart; "]" is always within the chart, because the screen may end there. */
	if (m->begins && m->first <= width)
		grid_put(f->g, row, x + (int)m->first - 1, 1, STYLE_KEY, "[");
	if (m->ends)
		grid_put(f->g, row, x + (int)(m->last + 1 < width ? m->last + 1 : width - 1), 1, STYLE_KEY, "]");
}

void draw_past(struct frame *f, int row, int rows)
{
	struct chart all[CHARTS_MAX];
	size_t n = charts(f->in, all);
	if (!f->in->past.n || !f->in->past.columns)
		return;
	struct marked m = marked_columns(f->st, f->in);
	int width = chart_width(n, f->g->cols), columns = per_line(n, f->g->cols);
	for (size_t i = 0; i < n; i++) {
		int line = (int)i % 2, side = (int)i / 2;
		if (line < rows && side < columns)
			draw_chart(f, &all[i], row + line, side * (LABEL + width + 2), width, &m);
	}
}

/* ---- writing times in the heading ------------------------------------------------------------------------ */

/* Writes a time, "12:01:05"; in a recording, or if the time of day is not known, the time since the begin. */
static void clock_text(const struct view_input *in, uint64_t ns, bool tenths, char *buf, size_t cap)
{
	if (in->info->playable || !in->utc_ns) {
		uint64_t at_ns = ns + (in->info->playable ? in->play_at_ns : in->uptime_ns);
		position_text(buf, cap, u64_sub_sat(at_ns, in->past.extent.to_ns), tenths);
		return;
	}
	uint64_t local_ns = in->utc_ns - (in->snap->end_ns - ns) + (uint64_t)(in->local_s * (int64_t)SECOND);
	local_ns += tenths ? SECOND / 20 : SECOND / 2;
	uint64_t day_s = local_ns / SECOND % 86400;
	int n = snprintf(buf, cap, "%02u:%02u:%02u", (unsigned)(day_s / 3600), (unsigned)(day_s / 60 % 60),
			 (unsigned)(day_s % 60));
	if (tenths && n > 0 && (size_t)n < cap)
		snprintf(buf + n, cap - (size_t)n, ".%u", (unsigned)(local_ns % SECOND / (SECOND / 10)));
}

void view_stretch_text(const struct view_input *in, uint64_t from_ns, uint64_t to_ns, char *buf, size_t cap)
{
	char from[32], to[32];
	bool tenths = to_ns - from_ns < 3 * SECOND;
	clock_text(in, from_ns, tenths, from, sizeof(from));
	clock_text(in, to_ns, tenths, to, sizeof(to));
	snprintf(buf, cap, "%s to %s", from, to);
}

void past_text(const struct view_input *in, char *buf, size_t cap)
{
	char times[64], length[32];
	if (!in->snap || in->snap->end_ns <= in->snap->start_ns) {
		snprintf(buf, cap, "the past");
		return;
	}
	view_stretch_text(in, in->snap->start_ns, in->snap->end_ns, times, sizeof(times));
	seconds_text(length, sizeof(length), (double)(in->snap->end_ns - in->snap->start_ns));
	snprintf(buf, cap, "%s (%s)", times, length);
}

/* ---- handling the keys -------------------------------------------------------------------------------------- */

static unsigned say_stretch(const struct press *p)
{
	char length[32], ago[32];
	const struct stretch *s = &p->st->query.stretch;
	seconds_text(length, sizeof(length), (double)(s->to_ns - s->from_ns));
	if (play_whole(p->st, p->in)) {
		state_say(p->st, "%s of the recording: [ ] move, { } widen and narrow it, 0 shows all, Space plays.",
			  length);
		return REACT_QUERY | REACT_REDRAW;
	}
	uint64_t now_ns = p->in->past.extent.to_ns;
	fmt_duration(ago, sizeof(ago), now_ns > s->to_ns ? now_ns - s->to_ns : 0);
	state_say(p->st, "%s, up to %s ago: [ ] move it, { } widen and narrow it, 0 returns to now.", length, ago);
	return REACT_QUERY | REACT_REDRAW;
}

/* Shows a stretch of length `ns` that ends at `to_ns`, moved into the time that is kept. */
static unsigned go(const struct press *p, uint64_t ns, uint64_t to_ns)
{
	struct stretch kept = p->in->past.extent, *s = &p->st->query.stretch;
	uint64_t whole = kept.to_ns - kept.from_ns;
	ns = ns < whole ? ns : whole;
	to_ns = to_ns < kept.to_ns ? to_ns : kept.to_ns;
	bool first = to_ns - kept.from_ns < ns || to_ns < kept.from_ns;
	if (first)
		to_ns = kept.from_ns + ns;
	*s = (struct stretch){to_ns - ns, to_ns};
	return say_stretch(p);
}

static bool has_past(const struct press *p)
{
	if (p->in->past.extent.to_ns > p->in->past.extent.from_ns)
		return true;
	state_say(p->st, "Nothing was measured yet.");
	return false;
}

unsigned act_now(const struct press *p)
{
	bool whole = play_whole(p->st, p->in);
	if (!p->st->query.stretch.to_ns && !whole && p->in->info->playable)
		return act_whole(p);
	if (!p->st->query.stretch.to_ns) {
		state_say(p->st, whole ? "This is all of the recording.  ] shows its first part, [ its last one."
				       : "This is now.  [ shows what was before.");
		return REACT_REDRAW;
	}
	p->st->query.stretch = (struct stretch){0};
	state_say(p->st, whole ? "All of the recording." : "Back to now.");
	return REACT_QUERY | REACT_REDRAW;
}

/* Returns true if these keys move the position of playback, as in a recording that is played, unless a stretch is
 * shown. */
static bool plays(const struct press *p)
{
	return p->in->info->playable && !play_whole(p->st, p->in) && !p->st->query.stretch.to_ns;
}

unsigned act_earlier(const struct press *p)
{
	const struct stretch *s = &p->st->query.stretch, *kept = &p->in->past.extent;
	if (plays(p))
		return act_seek_back(p);
	if (!has_past(p))
		return REACT_REDRAW;
	bool whole = play_whole(p->st, p->in);
	uint64_t ns = stretch_ns(p->st, p->in), to_ns = s->to_ns ? s->to_ns : kept->to_ns;
	if (s->to_ns && s->from_ns <= kept->from_ns) {
		state_say(p->st, whole ? "This is the beginning of the recording."
				       : "This is the oldest that is kept; --history MB keeps more.");
		return REACT_REDRAW;
	}
	if (whole && !s->to_ns) /* the last part of a recording; in a live session, the time that was shown before */
		return go(p, ns, to_ns);
	return go(p, ns, to_ns > ns ? to_ns - ns : 0);
}

unsigned act_later(const struct press *p)
{
	const struct stretch *s = &p->st->query.stretch;
	if (plays(p))
		return act_seek_on(p);
	uint64_t ns = stretch_ns(p->st, p->in);
	if (!s->to_ns && play_whole(p->st, p->in))
		return go(p, ns, p->in->past.extent.from_ns + ns);
	if (!s->to_ns || s->to_ns >= p->in->past.extent.to_ns)
		return act_now(p);
	return go(p, ns, s->to_ns + ns);
}

unsigned past_go(const struct press *p, uint64_t at_ns)
{
	uint64_t ns = stretch_ns(p->st, p->in);
	return go(p, ns, u64_add_sat(u64_add_sat(p->in->past.extent.from_ns, at_ns), ns));
}

/* Parses the beginning of a stretch, for a live measurement.  "12:01" and "12:01:05" are times of day, the last that
 * have passed, or times since the start if the time of day is not known; "-90" and "-1:30" are seconds, and minutes
 * and seconds, before now. */
static bool live_time(const struct view_input *in, const char *text, uint64_t *ret)
{
	const uint64_t day_ns = 86400 * SECOND;
	const char *colon = strchr(text, ':');
	bool ago = *text == '-', minutes = colon && !strchr(colon + 1, ':');
	uint64_t ns;
	if (!play_time_parse(text + ago, 0, &ns))
		return false;
	if (ago) {
		*ret = u64_sub_sat(in->past.extent.to_ns, ns);
		return true;
	}
	ns = minutes && in->utc_ns ? ns * 60 : ns;
	if (!in->utc_ns) {
		*ret = u64_add_sat(u64_sub_sat(in->past.extent.to_ns, in->uptime_ns), ns);
		return true;
	}
	if (!colon || ns >= day_ns)
		return false;
	uint64_t now_ns = (in->utc_ns + (uint64_t)(in->local_s * (int64_t)SECOND)) % day_ns;
	now_ns += in->past.extent.to_ns - in->snap->end_ns;
	*ret = u64_sub_sat(in->past.extent.to_ns, (now_ns + day_ns - ns) % day_ns);
	return true;
}

unsigned past_typed(const struct press *p)
{
	const struct stretch *kept = &p->in->past.extent;
	uint64_t at_ns, ns = stretch_ns(p->st, p->in);
	if (!p->in->snap || !has_past(p))
		return REACT_REDRAW;
	if (!live_time(p->in, p->st->input, &at_ns)) {
		state_say(p->st, "A time is 12:01 or 12:01:05, or as long ago as -90 (seconds) or -1:30; not \"%s\".",
			  p->st->input);
		return REACT_REDRAW;
	}
	unsigned react = go(p, ns, u64_add_sat(at_ns, ns));
	if (at_ns + ns < kept->from_ns)
		state_say(p->st, "So far back nothing is kept; this is the oldest (--history MB keeps more).");
	return react;
}

unsigned past_click(const struct press *p, int row)
{
	struct chart all[CHARTS_MAX];
	const struct view_past *past = &p->in->past;
	size_t n = charts(p->in, all);
	int width = chart_width(n, p->g->cols), columns = per_line(n, p->g->cols);
	int x = p->ev->col, side = columns == 2 && x >= LABEL + width + 2;
	x -= LABEL + side * (LABEL + width + 2);
	if (row < 0 || x < 0 || x >= width || (size_t)x >= past->n)
		return REACT_REDRAW;
	uint64_t ns = stretch_ns(p->st, p->in),
		 at_ns = past->from_ns + (uint64_t)x * past->column_ns + past->column_ns / 2;
	if (plays(p))
		return play_go(p, u64_sub_sat(at_ns, past->extent.from_ns));
	return go(p, ns, u64_add_sat(at_ns, ns / 2));
}

/* Makes the live window longer or shorter. */
static unsigned resize_window(const struct press *p, bool wider)
{
	struct query *q = &p->st->query;
	char length[32];
	uint64_t next = q->sliding_ns;
	if (q->window == WINDOW_SLIDING)
		next = wider ? length_from(next + 1) : length_below(next);
	if (next > 3600 * SECOND || next < SECOND || next < p->in->delay_ns) {
		state_say(p->st, wider ? "No longer window: i shows all since the start, [ the past."
				       : "No shorter window: i shows the last interval, d changes its length.");
		return REACT_REDRAW;
	}
	q->window = WINDOW_SLIDING;
	q->sliding_ns = next;
	seconds_text(length, sizeof(length), (double)next);
	state_say(p->st, "Window: the last %s: { } longer and shorter, i the last interval and all, [ the past.",
		  length);
	return REACT_QUERY | REACT_REDRAW;
}

/* Changes the length of the stretch around its middle; a stretch that ends at the present keeps its end. */
static unsigned resize(const struct press *p, uint64_t ns)
{
	const struct stretch *s = &p->st->query.stretch, *kept = &p->in->past.extent;
	if (!s->to_ns || s->to_ns >= kept->to_ns)
		return go(p, ns, kept->to_ns);
	uint64_t was = stretch_ns(p->st, p->in);
	return go(p, ns, ns > was ? s->to_ns + (ns - was) / 2 : s->to_ns - (was - ns) / 2);
}

unsigned act_widen(const struct press *p)
{
	const struct stretch *kept = &p->in->past.extent;
	if (!has_past(p))
		return REACT_REDRAW;
	bool whole = play_whole(p->st, p->in);
	if (whole && !p->st->query.stretch.to_ns)
		return act_now(p);
	if (!p->in->info->playable && !p->st->query.stretch.to_ns)
		return resize_window(p, true);
	if (stretch_ns(p->st, p->in) >= kept->to_ns - kept->from_ns && p->st->query.stretch.to_ns) {
		state_say(p->st,
			  whole ? "This is all of the recording." : "This is all that is kept; 0 returns to now.");
		return REACT_REDRAW;
	}
	return resize(p, length_from(stretch_ns(p->st, p->in) + 1));
}

unsigned act_narrow(const struct press *p)
{
	const struct snapshot *snap = p->in->snap;
	uint64_t ns = stretch_ns(p->st, p->in), next = length_below(ns);
	if (!has_past(p))
		return REACT_REDRAW;
	if (!p->in->info->playable && !p->st->query.stretch.to_ns)
		return resize_window(p, false);
	/* The interval that is kept of that time is longer than the stretch, or as long. */
	bool least = p->st->query.stretch.to_ns && snap && (double)(snap->end_ns - snap->start_ns) > 1.5 * (double)ns;
	if (least || next >= ns) {
		state_say(p->st, "No shorter time is told apart here: the older a time, the longer its intervals.");
		return REACT_REDRAW;
	}
	return resize(p, next);
}
