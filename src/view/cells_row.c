/* Computes the cells of columns that all tables can have: keys, shares, and numbers of a row. */
#include "view/columns.h"

struct cell absent_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col, (void)row;
	return cell_absent();
}

struct cell key_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	const struct key_value *name = compared_name(in, row, col->dim);
	if (name)
		return value_cell(name);
	struct key_value v = dimension_value(in->names, col->dim, row_part(row, dimensions[col->dim].part));
	if (row->idle && col->own && v.kind == KEY_UNKNOWN && !in->for_files)
		return text_cell("(idle)");
	return value_cell(&v);
}

static struct cell percent_cell(bool valid, double value, double error)
{
	return valid ? (struct cell){.kind = CELL_PERCENT, .v = value, .error = error} : cell_absent();
}

struct cell row_share_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return percent_cell(row->share_valid, row->share, row->share_error);
}

struct cell error_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	struct cell of = col->error_of(in, col, row);
	if (of.kind == CELL_RATIO)
		return of.r.valid ? (struct cell){.kind = CELL_RATE, .v = of.r.error} : cell_absent();
	return of.kind == CELL_PERCENT ? percent_cell(true, of.error, 0) : of;
}

struct cell total_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	const struct row *t = row->total;
	return t ? percent_cell(t->share_valid, t->share, t->share_error) : cell_absent();
}

struct cell latency_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return percent_cell(row->latency_share.valid, row->latency_share.value, row->latency_share.error);
}

struct cell cost_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return (struct cell){.kind = CELL_RATIO, .r = costs_mean(&row->costs)};
}

struct cell idle_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return bool_cell(row->idle);
}

struct cell metric_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	struct ratio r = row_metric(in->snap, row, col->metric);
	return (struct cell){
		.kind = r.valid ? CELL_RATIO : CELL_ABSENT, .r = r, .change = compared_metric(in, row, col->metric)};
}

struct cell total_metric_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	struct ratio r = row->total ? row_metric(in->snap, row->total, col->metric) : (struct ratio){0};
	return (struct cell){.kind = r.valid ? CELL_RATIO : CELL_ABSENT, .r = r};
}

struct cell samples_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	uint64_t n = 0;
	for (size_t e = 0; row->sums && e < in->snap->events_n; e++)
		n = u64_add_sat(n, row->sums[e].samples);
	return u64_cell(n);
}

struct cell weight_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	if (col->event >= in->snap->events_n || in->snap->events[col->event].state != COUNT_OK)
		return cell_absent();
	return (struct cell){.kind = CELL_RATE,
			     .v = row->sums[col->event].weight,
			     .error = row_weight_error(in->snap, row, col->event)};
}

struct cell sampled_rate_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	struct cell cell = weight_cell(in, col, row);
	cell.v = event_rate(in, col->event, cell.v);
	cell.error = event_rate(in, col->event, cell.error);
	return cell;
}
