/* Computes the rows and values of tables, for all output formats. */
#include "front/batch/batch.h"

#include "base/alloc.h"
#include "base/fmt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char json_missing[] =
	"this cyctop was built without the jansson library: install libjansson-dev and build it again";

struct value value_bool(bool b)
{
	return (struct value){.kind = VALUE_BOOL, .i = b};
}

struct value value_int(uint64_t i)
{
	return (struct value){.kind = VALUE_INT, .i = i > INT64_MAX ? INT64_MAX : (int64_t)i};
}

struct value value_number(double d)
{
	if (!isfinite(d))
		return (struct value){.kind = VALUE_NULL};
	if (fabs(d) < 0x1p53 && d == trunc(d))
		return (struct value){.kind = VALUE_INT, .i = (int64_t)d};
	return (struct value){.kind = VALUE_REAL, .d = d};
}

struct value value_text(const char *s)
{
	return (struct value){.kind = s ? VALUE_TEXT : VALUE_NULL, .s = s};
}

struct value value_utc(const struct view_input *in, char buf[static UTC_CHARS])
{
	if (!in->utc_ns)
		return value_text(NULL);
	fmt_utc(buf, UTC_CHARS, in->utc_ns);
	return value_text(buf);
}

const char *address_text(struct value v, char buf[static ADDRESS_CHARS])
{
	snprintf(buf, ADDRESS_CHARS, "0x%" PRIx64, (uint64_t)v.i);
	return buf;
}

static struct value value_of_cell(const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_U64:
		return value_int(cell->u);
	case CELL_BOOL:
		return value_bool(cell->u);
	case CELL_ADDRESS:
		return (struct value){.kind = VALUE_ADDRESS, .i = (int64_t)cell->u};
	case CELL_PERCENT:
	case CELL_RATE:
		return value_number(cell->v);
	case CELL_TEXT:
	case CELL_MARK:
		return value_text(cell->s);
	case CELL_RATIO:
		return cell->r.valid ? value_number(cell->r.value) : value_text(NULL);
	case CELL_CHANGE: /* no output has such cells, only the screen */
	case CELL_ABSENT:
		break;
	}
	return value_text(NULL);
}

void batch_rows_init(struct batch_rows *r, const struct pivot *pivot, const struct view_input *in,
		     const struct batch_config *config)
{
	*r = (struct batch_rows){
		.pivot = pivot,
		.in = *in,
		.metrics = mem_calloc(metrics_of(in)->n, sizeof(const struct column *)),
		.total_metrics = mem_calloc(metrics_of(in)->n, sizeof(const struct column *)),
	};
	view_columns(in, &pivot->query, &r->columns);
	r->in.for_files = true;
	r->in.text = &r->text;
	view_file_columns(&r->in, &pivot->query, &r->fields);
	for (size_t c = 0; c < r->columns.n; c++)
		for (size_t m = 0; m < metrics_of(in)->n; m++)
			if (r->columns.v[c].metric == &metrics_of(in)->v[m])
				(r->columns.v[c].total ? r->total_metrics : r->metrics)[m] = &r->columns.v[c];
	/* without the column of -s, the table has its default order, which is not reversed */
	bool sortable = !config->sort || view_column_find(&r->columns, config->sort);
	struct sheet_query query = {
		.pivot = pivot,
		.sort = config->sort,
		.reverse = config->reverse && sortable,
		.filter = config->filter,
	};
	r->sheet = sheet_create(in, &query);
	r->n = config->top && config->top < r->sheet->n ? config->top : r->sheet->n;
}

void batch_rows_deinit(struct batch_rows *r)
{
	sheet_destroy(r->sheet);
	strbuf_deinit(&r->text);
	free(r->metrics);
	free(r->total_metrics);
}

struct value batch_field(const struct batch_rows *r, size_t field, const struct row *row)
{
	const struct column *col = &r->fields.v[field];
	struct cell cell = col->value(&r->in, col, row);
	return value_of_cell(&cell);
}

static struct ratio metric_of(const struct batch_rows *r, const struct column *col, const struct row *row)
{
	if (!col)
		return (struct ratio){.valid = false};
	struct cell cell = col->value(&r->in, col, row);
	bool valid = cell.kind == CELL_RATIO && cell.r.valid && isfinite(cell.r.value) && isfinite(cell.r.error);
	return valid ? cell.r : (struct ratio){.valid = false};
}

struct ratio batch_metric(const struct batch_rows *r, size_t metric, const struct row *row)
{
	return metric_of(r, r->metrics[metric], row);
}

struct ratio batch_total_metric(const struct batch_rows *r, size_t metric, const struct row *row)
{
	return metric_of(r, r->total_metrics[metric], row);
}

bool batch_has_counts(const struct pivot *pivot)
{
	const struct pivot_query *q = &pivot->query;
	return !q->by_name && q->dims_n == 1 &&
	       (q->dims[0] == DIM_CPU || q->dims[0] == DIM_SOCKET || q->dims[0] == DIM_NODE);
}

static bool role_asked(const struct view_input *in, enum event_role role)
{
	for (size_t e = 0; e < in->snap->events_n; e++)
		if (in->roles[e] == role)
			return true;
	return false;
}

bool batch_metric_asked(const struct view_input *in, const struct metric *metric)
{
	for (size_t i = 0; i < metric->operands_n; i++)
		if (!role_asked(in, metric->operands[i]))
			return false;
	return true;
}

/* Returns the state of an event in rows.  An event that is counted but not sampled has no numbers in rows. */
static enum count_state row_state(const struct view_input *in, size_t event)
{
	return in->info->events[event].spec.counted ? COUNT_ABSENT : in->snap->events[event].state;
}

const struct row *row_total(const struct batch_rows *rows, const struct row *row)
{
	return rows->pivot->query.callees ? row->total : NULL;
}

bool rows_have_samples(const struct view_input *in, size_t event)
{
	enum count_state state = row_state(in, event);
	return state == COUNT_OK || state == COUNT_UNKNOWN;
}

struct value row_samples(const struct view_input *in, const struct row *row, size_t event)
{
	if (!rows_have_samples(in, event))
		return (struct value){.kind = VALUE_NULL};
	return value_int(row->sums[event].samples);
}

struct value row_error(const struct view_input *in, const struct row *row, size_t event)
{
	if (row_state(in, event) != COUNT_OK)
		return (struct value){.kind = VALUE_NULL};
	return value_number(row_weight_error(in->snap, row, event));
}

struct value row_weight(const struct view_input *in, const struct row *row, size_t event)
{
	if (row_state(in, event) != COUNT_OK)
		return (struct value){.kind = VALUE_NULL};
	return value_number(row->sums[event].weight);
}

struct value row_count(const struct batch_rows *rows, const struct row *row, size_t event)
{
	double count, error;
	bool known =
		!row->idle && snapshot_count_there(rows->in.snap, rows->in.names, rows->pivot->query.dims[0], row->cpu,
						   event, rows->in.info->events[event].spec.shared, &count, &error);
	return known ? value_number(count) : (struct value){.kind = VALUE_NULL};
}
