/* Draws the timeline above the panes: charts of totals over time. */
#include "view/screen.h"

#include "base/fmt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	LABEL = 14,	 /* width in cells of the label before a chart */
	CHARTS_MAX = 4,	 /* maximum number of charts, on two lines */
	TWO_COLS = 100,	 /* smallest width of a line with two charts */
	LEAST_COLS = 30, /* smallest width of a line with one chart */
};

struct chart {
	enum { CHART_BUSY, CHART_RATE, CHART_METRIC } kind;
	const char *name;
	const struct metric *metric;
	size_t at; /* CHART_METRIC: index in the session's metrics */
};

size_t past_event(const struct view_input *in)
{
	size_t cycles = event_of_role(in, ROLE_CYCLES);
	return cycles < EVENTS_MAX ? cycles : in->snap ? in->snap->primary : 0;
}

static size_t charts(const struct view_input *in, struct chart ret[CHARTS_MAX])
{
	size_t n = 0;
	const struct metric *ipc = ipc_metric(in), *miss = metric_shown(in, "cache-miss-ratio");
	if (!in->info->playable ||
	    event_of_role(in, ROLE_CLOCK) < EVENTS_MAX) /* in a recording, only a clock event tells the busy time */
		ret[n++] = (struct chart){.kind = CHART_BUSY, .name = "CPU"};
	if (ipc)
		ret[n++] = (struct chart){.kind = CHART_METRIC,
					  .name = ipc->title,
					  .metric = ipc,
					  .at = (size_t)(ipc - metrics_of(in)->v)};
	if (event_of_role(in, ROLE_CYCLES) < EVENTS_MAX)
		ret[n++] = (struct chart){.kind = CHART_RATE, .name = "cycles"};
	else if (!n)
		ret[n++] = (struct chart){.kind = CHART_RATE, .name = in->info->events[past_event(in)].spec.name};
	if (miss)
		ret[n++] = (struct chart){.kind = CHART_METRIC,
					  .name = miss->title,
					  .metric = miss,
					  .at = (size_t)(miss - metrics_of(in)->v)};
	return n;
}

/* Returns how many charts fit on a line. */
static int per_line(size_t charts_n, int cols)
{
	return charts_n > 2 && cols >= TWO_COLS ? 2 : 1;
}

static int chart_width(size_t charts_n, int cols)
{
	return per_line(charts_n, cols) == 2 ? (cols - 2) / 2 - LABEL : cols - LABEL;
}

int past_width(const struct view_input *in, int cols)
{
	struct chart all[CHARTS_MAX];
	return chart_width(charts(in, all), cols);
}

int past_column(const struct view_input *in, int cols, int x)
{
	struct chart all[CHARTS_MAX];
	size_t n = charts(in, all);
	int width = chart_width(n, cols), second = LABEL + width + 2;
	x -= per_line(n, cols) == 2 && x >= second ? second + LABEL : LABEL;
	return x >= 0 && x < width && (size_t)x < in->past.n ? x : -1;
}

int past_rows(const struct view_input *in, int rows, int cols)
{
	struct chart all[CHARTS_MAX];
	if (!in->past.extent.to_ns || rows < 24 || cols < LEAST_COLS)
		return 0;
	return charts(in, all) > 1 && rows >= 30 ? 2 : 1; /* on a low screen the panes need the rows */
}

static bool chart_value(const struct chart *c, const struct timeline_column *col, double *ret)
{
	struct ratio r = {0};
	if (c->kind == CHART_METRIC)
		r = col->metrics[c->at];
	*ret = c->kind == CHART_BUSY ? col->busy : c->kind == CHART_RATE ? col->rate : r.value;
	return c->kind == CHART_BUSY ? col->busy_known : c->kind == CHART_RATE ? col->rate_known : r.valid;
}

/* Returns the value at the top of a chart: the largest value, rounded up to 1, 2 or 5 times a power of ten. */
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
		fmt_si(number, sizeof(number), scale); /* such as "50.0G" */
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
	size_t name = strlen(c->name); /* for "MISS%" the label is "MISS 0-20%" */
	if (percent && name && c->name[name - 1] == '%')
		name--;
	snprintf(buf, cap, "%.*s 0-%s%s", (int)name, c->name, number, percent ? "%" : "");
}

/* The columns first to last are in the time range that the panes show; both are -1 if the panes show the present. */
struct marked {
	long first, last;
	bool begins, ends; /* whether the beginning, the end of the range is within the timeline */
};

static struct marked marked_columns(const struct view_state *st, const struct view_input *in)
{
	const struct view_past *past = &in->past;
	if (!st->query.stretch.to_ns || !in->snap || in->snap->end_ns <= in->snap->start_ns)
		return (struct marked){.first = -1, .last = -1};
	int64_t first = (int64_t)(in->snap->start_ns - past->from_ns),
		last = (int64_t)(in->snap->end_ns - past->from_ns);
	int64_t column = (int64_t)past->column_ns;
	/* Intervals end a bit early or late, so a column of which less than half is in the range does not count. */
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
	/* Brackets mark the range for screens without colour, in the columns beside it.  "[" may be left of the
	 * chart; "]" is always within the chart, because the screen may end there. */
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
