/* Writes a comparison as CSV: one line per row. */
#include "front/batch/csv.h"

/* Columns of each number.  For a metric, their names are METRIC.COLUMN ("ipc.before"). */
static const char *const fields[] = {
	"before", "after", "change", "change_error", "relative", "low", "high", "smallest", "real", "state",
};

static void put_names(struct csv *csv, const char *of)
{
	char name[64];
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		snprintf(name, sizeof(name), "%s%s%s", of, *of ? "." : "", fields[i]);
		csv_put_text(csv, name);
	}
}

static void put_number(struct csv *csv, const struct diff_value *v)
{
	const struct compare_change *c = &v->change;
	const struct value null = value_text(NULL);
	double by, error;
	bool known = diff_difference(v, &by, &error);
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		csv_put_value(csv, v->known[side] ? value_number(v->value[side]) : null);
	csv_put_value(csv, known ? value_number(by) : null);
	csv_put_value(csv, known && error >= 0 ? value_number(error) : null);
	csv_put_value(csv, diff_relative(c, c->change));
	csv_put_value(csv, diff_relative(c, c->low));
	csv_put_value(csv, diff_relative(c, c->high));
	csv_put_value(csv, c->tested ? diff_relative(c, c->smallest) : null);
	csv_put_value(csv, value_bool(c->real));
	csv_put_text(csv, diff_state_id(c));
}

static void put_head(struct csv *csv, const struct diff *d)
{
	for (size_t i = 0; i < d->dims_n; i++)
		csv_put_text(csv, dimensions[d->dims[i]].id);
	csv_put_text(csv, "samples_before");
	csv_put_text(csv, "samples_after");
	csv_put_text(csv, "reference");
	put_names(csv, "");
	for (size_t m = 0; m < d->set->n; m++)
		if (d->has_metric[m])
			put_names(csv, d->set->v[m].id);
	csv_end_line(csv);
}

void diff_csv(FILE *out, const struct diff_output *o)
{
	struct csv csv = {.out = out, .first = true};
	const struct diff *d = o->diff;
	put_head(&csv, d);
	for (size_t r = 0; r < o->rows_n; r++) {
		const struct diff_row *row = o->rows[r];
		for (size_t i = 0; i < d->dims_n; i++)
			csv_put_value(&csv, diff_name(&row->names[i]));
		for (enum diff_side side = 0; side < DIFF_SIDES; side++)
			csv_put_value(&csv, value_int(row->samples[side]));
		csv_put_value(&csv, value_bool(row->carries));
		put_number(&csv, &row->value);
		for (size_t m = 0; m < d->set->n; m++)
			if (d->has_metric[m])
				put_number(&csv, &row->metrics[m]);
		csv_end_line(&csv);
	}
	strbuf_deinit(&csv.text);
}
