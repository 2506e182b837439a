/* The table of formats, and the rows they all print. */
#include "front/batch/batch.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct batch_format batch_formats[] = {
	{
		.name = "text",
		.help = "the screen's tables as plain text",
		.available = true,
		.refresh = text_refresh,
	},
	{
		.name = "csv",
		.help = "one table (--table) as CSV, RFC 4180",
		.available = true,
		.begin = csv_begin,
		.refresh = csv_refresh,
	},
	{
		.name = "json",
		.help = "JSON Lines, schema cyctop/1: one object per refresh",
		.available = HAVE_JANSSON,
		.why = HAVE_JANSSON ? NULL
				    : "this cyctop was built without the jansson library: install libjansson-dev and "
				      "build it again",
		.refresh = HAVE_JANSSON ? json_refresh : NULL,
	},
};
const size_t batch_formats_n = ARRAY_LEN(batch_formats);

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

bool batch_wants(const struct view_input *in, const struct batch_config *config, enum pane pane)
{
	static const enum batch_table tables[PANE_COUNT] = {
		[PANE_SYMBOLS] = TABLE_SYMBOLS,
		[PANE_TASKS] = TABLE_TASKS,
		[PANE_CPUS] = TABLE_CPUS,
	};
	return !in->report && (config->table == TABLE_ALL || config->table == tables[pane]);
}

void batch_rows_init(struct batch_rows *r, enum pane pane, const struct view_input *in,
		     const struct batch_config *config)
{
	*r = (struct batch_rows){.pane = pane, .metrics = mem_calloc(metrics_n, sizeof(const struct column *))};
	row_fields(pane, in, &r->fields);
	if (pane == PANE_REPORT)
		report_columns(in, &r->columns);
	else
		view_columns(pane, in, &r->columns);
	for (size_t c = 0; c < r->columns.n; c++)
		for (size_t m = 0; m < metrics_n; m++)
			if (r->columns.v[c].metric == &metrics[m])
				r->metrics[m] = &r->columns.v[c];
	/* a table that does not have the column keeps its own order, unreversed */
	bool sortable = !config->sort || view_column_find(&r->columns, config->sort);
	struct sheet_query query = {
		.pane = pane,
		.sort = config->sort,
		.reverse = config->reverse && sortable,
	};
	if (pane == PANE_REPORT)
		r->sheet = sheet_of_table(in, &in->report->table, view_column_find(&r->columns, query.sort),
					  query.reverse);
	else
		r->sheet = sheet_create(in, &query);
	r->n = config->top && config->top < r->sheet->n ? config->top : r->sheet->n;
}

void batch_rows_deinit(struct batch_rows *r)
{
	sheet_destroy(r->sheet);
	free(r->metrics);
}

struct ratio batch_metric(const struct batch_rows *r, size_t metric, const struct view_input *in, const struct row *row)
{
	const struct column *col = r->metrics[metric];
	if (!col)
		return (struct ratio){.valid = false};
	struct cell cell = col->value(in, col, row);
	bool valid = cell.kind == CELL_RATIO && cell.r.valid && isfinite(cell.r.value) && isfinite(cell.r.error);
	return valid ? cell.r : (struct ratio){.valid = false};
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
	return role_asked(in, metric->num) && role_asked(in, metric->den);
}

struct value row_samples(const struct view_input *in, const struct row *row, size_t event)
{
	if (in->snap->events[event].state != COUNT_OK)
		return (struct value){.kind = VALUE_NULL};
	return value_int(row->sums[event].samples);
}

struct value row_weight(const struct view_input *in, const struct row *row, size_t event)
{
	if (in->snap->events[event].state != COUNT_OK)
		return (struct value){.kind = VALUE_NULL};
	return value_number(row->sums[event].weight);
}

struct value cpu_count(const struct view_input *in, const struct row *row, size_t event)
{
	if (row->cpu >= in->snap->cpus_n)
		return (struct value){.kind = VALUE_NULL};
	const struct cpu_total *cpu = &in->snap->cpus[row->cpu];
	if (cpu->states[event] != COUNT_OK)
		return (struct value){.kind = VALUE_NULL};
	return value_number(cpu->counts[event]);
}
