/* Writes CSV: one table, a header line; quoted according to RFC 4180, but lines end in LF. */
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
		char *comma = strchr(buf, ','); /* a library may have set LC_NUMERIC */
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

void csv_begin(FILE *out, const struct view_input *in, const struct batch_config *config)
{
	(void)config;
	struct csv csv = {.out = out, .first = true};
	const struct pivot *pivot = &in->snap->pivots[0];
	struct columns fields;
	view_file_columns(in, &pivot->query, &fields);
	char name[128];
	csv_put_text(&csv, "start_ns");
	csv_put_text(&csv, "end_ns");
	csv_put_text(&csv, "time");
	for (size_t i = 0; i < fields.n; i++)
		csv_put_text(&csv, fields.v[i].id);
	for (size_t e = 0; e < in->snap->events_n; e++) {
		static const char *const parts[] = {"samples", "weight", "error", "count"};
		for (size_t p = 0; p < (batch_is_by_cpu(pivot) ? 4 : 3); p++) {
			const struct event_spec *spec = &in->info->events[e].spec;
			bool unit = p == 3 && *spec->unit;
			snprintf(name, sizeof(name), "%s.%s%s%s", spec->name, parts[p], unit ? "_" : "",
				 unit ? spec->unit : "");
			csv_put_text(&csv, name);
		}
	}
	for (size_t m = 0; m < metrics_of(in)->n; m++) {
		if (!batch_metric_asked(in, &metrics_of(in)->v[m]))
			continue;
		snprintf(name, sizeof(name), "%s_error", metrics_of(in)->v[m].id);
		csv_put_text(&csv, metrics_of(in)->v[m].id);
		csv_put_text(&csv, name);
	}
	csv_end_line(&csv);
	strbuf_deinit(&csv.text);
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
		csv_put_value(csv, row_samples(in, row, e));
		csv_put_value(csv, row_weight(in, row, e));
		csv_put_value(csv, row_error(in, row, e));
		if (batch_is_by_cpu(rows->pivot))
			csv_put_value(csv, cpu_count(in, row, e));
	}
	for (size_t m = 0; m < metrics_of(in)->n; m++) {
		if (!batch_metric_asked(in, &metrics_of(in)->v[m]))
			continue;
		struct ratio r = batch_metric(rows, m, row);
		csv_put_value(csv, r.valid ? value_number(r.value) : value_text(NULL));
		csv_put_value(csv, r.valid ? value_number(r.error) : value_text(NULL));
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
