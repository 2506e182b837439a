/* Writes runs of two commands as CSV: one line per metric, then one line per function. */
#include "front/batch/csv.h"

static const char *const heads[] = {
	"kind",	 "dso",	   "name",  "unit", "a",    "a_low", "a_high",	 "b",
	"b_low", "b_high", "ratio", "low",  "high", "real",  "smallest", "state",
};

const char *runs_unit_name(enum runs_unit unit)
{
	return unit == RUNS_SECONDS ? "s" : unit == RUNS_BYTES ? "bytes" : "events";
}

static void put_ratio(struct csv *csv, const struct compare_change *c)
{
	const struct value null = value_text(NULL);
	bool known = c->state != CHANGE_NONE;
	csv_put_value(csv, known ? value_number(c->change) : null);
	csv_put_value(csv, known ? value_number(c->low) : null);
	csv_put_value(csv, known ? value_number(c->high) : null);
	csv_put_value(csv, value_bool(c->real));
	csv_put_value(csv, c->tested ? value_number(c->smallest) : null);
	csv_put_text(csv, diff_state_id(c));
	csv_end_line(csv);
}

static void put_metric(struct csv *csv, const struct runs_metric *m)
{
	const struct value null = value_text(NULL);
	csv_put_text(csv, "metric");
	csv_put_text(csv, NULL);
	csv_put_text(csv, m->name);
	csv_put_text(csv, runs_unit_name(m->unit));
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		const struct runs_middle *v = &m->side[side];
		csv_put_value(csv, v->known ? value_number(v->value) : null);
		csv_put_value(csv, v->has_interval ? value_number(v->low) : null);
		csv_put_value(csv, v->has_interval ? value_number(v->high) : null);
	}
	put_ratio(csv, &m->ratio);
}

static void put_function(struct csv *csv, const struct runs_output *o, const struct diff_row *row)
{
	csv_put_text(csv, "function");
	for (size_t i = 0; i < o->functions->dims_n; i++)
		csv_put_value(csv, diff_name(&row->names[i]));
	csv_put_text(csv, runs_unit_name(o->unit));
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		csv_put_value(csv, value_number(row->value.value[side]));
		csv_put_text(csv, NULL);
		csv_put_text(csv, NULL);
	}
	put_ratio(csv, &row->value.change);
}

void runs_csv(FILE *out, const struct runs_output *o)
{
	struct csv csv = {.out = out, .first = true};
	size_t n = !o->functions ? 0 : o->top && o->top < o->functions->n ? o->top : o->functions->n;
	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		csv_put_text(&csv, heads[i]);
	csv_end_line(&csv);
	for (size_t i = 0; i < o->metrics_n; i++)
		put_metric(&csv, &o->metrics[i]);
	for (size_t i = 0; i < n; i++)
		put_function(&csv, o, o->rows[i]);
	strbuf_deinit(&csv.text);
}
