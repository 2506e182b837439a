/* Writes a table as CSV, with a header line.  Fields are quoted according to RFC 4180, but lines end in LF. */
#include "front/batch/csv.h"

#include <inttypes.h>
#include <string.h>

static void put_cell(struct csv *csv, const char *s, enum clean how)
{
	if (!csv->first)
		fputc(',', csv->out);
	csv->first = false;
	if (!s)
		return;
	csv->text.n = 0;
	clean_add(&csv->text, s, how);
	if (!strpbrk(csv->text.data, ",\"\r\n")) {
		fputs(csv->text.data, csv->out);
		return;
	}
	fputc('"', csv->out);
	for (const char *p = csv->text.data; *p; p++) {
		if (*p == '"')
			fputc('"', csv->out);
		fputc(*p, csv->out);
	}
	fputc('"', csv->out);
}

void csv_put_text(struct csv *csv, const char *s)
{
	put_cell(csv, s, CLEAN_CELL);
}

void csv_put_value(struct csv *csv, struct value v)
{
	char buf[40];
	switch (v.kind) {
	case VALUE_NULL:
		csv_put_text(csv, NULL);
		return;
	case VALUE_BOOL:
		csv_put_text(csv, v.i ? "true" : "false");
		return;
	case VALUE_TEXT:
		csv_put_text(csv, v.s);
		return;
	case VALUE_ADDRESS:
		csv_put_text(csv, address_text(v, buf));
		return;
	case VALUE_INT:
		snprintf(buf, sizeof(buf), "%" PRId64, v.i);
		break;
	case VALUE_REAL: {
		snprintf(buf, sizeof(buf), "%.15g", v.d);
		char *comma = strchr(buf, ','); /* a library may have set LC_NUMERIC to a locale with decimal commas */
		if (comma)
			*comma = '.';
		break;
	}
	}
	put_cell(csv, buf, CLEAN_LINE); /* CLEAN_CELL would change negative numbers */
}

void csv_end_line(struct csv *csv)
{
	fputc('\n', csv->out);
	csv->first = true;
}

static void put_event_names(struct csv *csv, const struct event_spec *spec, const char *const *parts, size_t n)
{
	char name[128];
	for (size_t p = 0; p < n; p++) {
		bool unit = p == 3 && *spec->unit;
		snprintf(name, sizeof(name), "%s.%s%s%s", spec->name, parts[p], unit ? "_" : "",
			 unit ? spec->unit : "");
		csv_put_text(csv, name);
	}
}

static void put_metric_names(struct csv *csv, const char *id)
{
	char name[128];
	snprintf(name, sizeof(name), "%s_error", id);
	csv_put_text(csv, id);
	csv_put_text(csv, name);
}

void csv_begin(FILE *out, const struct view_input *in, const struct batch_config *config)
{
	(void)config;
	struct csv csv = {.out = out, .first = true};
	const struct pivot *pivot = &in->snap->pivots[0];
	static const char *const parts[] = {"samples", "weight", "error", "count"};
	static const char *const total_parts[] = {"total_samples", "total_weight", "total_error"};
	struct columns fields;
	view_file_columns(in, &pivot->query, &fields);
	csv_put_text(&csv, "start_ns");
	csv_put_text(&csv, "end_ns");
	csv_put_text(&csv, "time");
	for (size_t i = 0; i < fields.n; i++)
		csv_put_text(&csv, fields.v[i].id);
	for (size_t e = 0; e < in->snap->events_n; e++)
		put_event_names(&csv, &in->info->events[e].spec, parts, batch_has_counts(pivot) ? 4 : 3);
	for (size_t e = 0; pivot->query.callees && e < in->snap->events_n; e++)
		put_event_names(&csv, &in->info->events[e].spec, total_parts, ARRAY_LEN(total_parts));
	for (size_t m = 0; m < metrics_of(in)->n; m++) {
		const struct metric *metric = &metrics_of(in)->v[m];
		if (!batch_metric_asked(in, metric))
			continue;
		put_metric_names(&csv, metric->id);
		if (pivot->query.callees)
			put_metric_names(&csv, metric->total_id);
	}
	csv_end_line(&csv);
	strbuf_deinit(&csv.text);
}

static void put_event(struct csv *csv, const struct view_input *in, const struct row *row, size_t e)
{
	csv_put_value(csv, row_samples(in, row, e));
	csv_put_value(csv, row_weight(in, row, e));
	csv_put_value(csv, row_error(in, row, e));
}

static void put_ratio(struct csv *csv, struct ratio r)
{
	csv_put_value(csv, r.valid ? value_number(r.value) : value_text(NULL));
	csv_put_value(csv, r.valid ? value_number(r.error) : value_text(NULL));
}

static void put_row(struct csv *csv, const struct batch_rows *rows, const struct view_input *in, const struct row *row)
{
	char utc[UTC_CHARS];
	csv_put_value(csv, value_int(in->snap->start_ns));
	csv_put_value(csv, value_int(in->snap->end_ns));
	csv_put_value(csv, value_utc(in, utc));
	for (size_t i = 0; i < rows->fields.n; i++)
		csv_put_value(csv, batch_field(rows, i, row));
	for (size_t e = 0; e < in->snap->events_n; e++) {
		put_event(csv, in, row, e);
		if (batch_has_counts(rows->pivot))
			csv_put_value(csv, row_count(rows, row, e));
	}
	const struct row *total = row_total(rows, row);
	for (size_t e = 0; total && e < in->snap->events_n; e++)
		put_event(csv, in, total, e);
	for (size_t m = 0; m < metrics_of(in)->n; m++) {
		if (!batch_metric_asked(in, &metrics_of(in)->v[m]))
			continue;
		put_ratio(csv, batch_metric(rows, m, row));
		if (total)
			put_ratio(csv, batch_total_metric(rows, m, row));
	}
	csv_end_line(csv);
}

void csv_refresh(FILE *out, const struct view_input *in, const struct batch_config *config)
{
	struct csv csv = {.out = out, .first = true};
	struct batch_rows rows;
	batch_rows_init(&rows, &in->snap->pivots[0], in, config);
	for (size_t i = 0; i < rows.n; i++)
		put_row(&csv, &rows, in, rows.sheet->rows[i]);
	batch_rows_deinit(&rows);
	strbuf_deinit(&csv.text);
}
