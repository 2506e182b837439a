/* CSV as of RFC 4180: one table, a header line, CRLF. */
#include "front/batch/batch.h"

#include <inttypes.h>
#include <string.h>

struct csv {
	FILE *out;
	struct strbuf text; /* kept between fields for its memory */
	bool first;	    /* of its line */
};

static void put_text(struct csv *csv, const char *s)
{
	if (!csv->first)
		fputc(',', csv->out);
	csv->first = false;
	if (!s)
		return;
	csv->text.n = 0;
	clean_add(&csv->text, s, CLEAN_UTF8);
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

static void put_value(struct csv *csv, struct value v)
{
	char buf[40];
	switch (v.kind) {
	case VALUE_NULL:
		put_text(csv, NULL);
		return;
	case VALUE_BOOL:
		put_text(csv, v.i ? "true" : "false");
		return;
	case VALUE_TEXT:
		put_text(csv, v.s);
		return;
	case VALUE_INT:
		snprintf(buf, sizeof(buf), "%" PRId64, v.i);
		break;
	case VALUE_REAL: {
		snprintf(buf, sizeof(buf), "%.15g", v.d);
		char *comma = strchr(buf, ','); /* somebody else's LC_NUMERIC */
		if (comma)
			*comma = '.';
		break;
	}
	}
	put_text(csv, buf);
}

static void end_line(struct csv *csv)
{
	fputs("\r\n", csv->out);
	csv->first = true;
}

static enum pane csv_pane(const struct view_input *in, const struct batch_config *config)
{
	static const enum pane panes[] = {
		[TABLE_ALL] = PANE_SYMBOLS, /* CSV holds one table */
		[TABLE_SYMBOLS] = PANE_SYMBOLS,
		[TABLE_TASKS] = PANE_TASKS,
		[TABLE_CPUS] = PANE_CPUS,
	};
	return in->report ? PANE_REPORT : panes[config->table];
}

void csv_begin(FILE *out, const struct view_input *in, const struct batch_config *config)
{
	struct csv csv = {.out = out, .first = true};
	enum pane pane = csv_pane(in, config);
	struct fields fields;
	row_fields(pane, in, &fields);
	char name[96];
	put_text(&csv, "start_ns");
	put_text(&csv, "end_ns");
	for (size_t i = 0; i < fields.n; i++)
		put_text(&csv, fields.v[i].name);
	for (size_t e = 0; e < in->snap->events_n; e++) {
		static const char *const parts[] = {"samples", "weight", "count"};
		for (size_t p = 0; p < (pane == PANE_CPUS ? 3 : 2); p++) {
			snprintf(name, sizeof(name), "%s.%s", in->info->events[e].spec.name, parts[p]);
			put_text(&csv, name);
		}
	}
	for (size_t m = 0; m < metrics_n; m++) {
		if (!batch_metric_asked(in, &metrics[m]))
			continue;
		snprintf(name, sizeof(name), "%s_error", metrics[m].id);
		put_text(&csv, metrics[m].id);
		put_text(&csv, name);
	}
	end_line(&csv);
	strbuf_deinit(&csv.text);
}

static void put_row(struct csv *csv, const struct batch_rows *rows, const struct view_input *in, const struct row *row)
{
	put_value(csv, value_int(in->snap->start_ns));
	put_value(csv, value_int(in->snap->end_ns));
	for (size_t i = 0; i < rows->fields.n; i++)
		put_value(csv, rows->fields.v[i].get(in, row));
	for (size_t e = 0; e < in->snap->events_n; e++) {
		put_value(csv, row_samples(in, row, e));
		put_value(csv, row_weight(in, row, e));
		if (rows->pane == PANE_CPUS)
			put_value(csv, cpu_count(in, row, e));
	}
	for (size_t m = 0; m < metrics_n; m++) {
		if (!batch_metric_asked(in, &metrics[m]))
			continue;
		struct ratio r = batch_metric(rows, m, in, row);
		put_value(csv, r.valid ? value_number(r.value) : value_text(NULL));
		put_value(csv, r.valid ? value_number(r.error) : value_text(NULL));
	}
	end_line(csv);
}

void csv_refresh(FILE *out, const struct view_input *in, const struct batch_config *config)
{
	struct csv csv = {.out = out, .first = true};
	struct batch_rows rows;
	batch_rows_init(&rows, csv_pane(in, config), in, config);
	for (size_t i = 0; i < rows.n; i++)
		put_row(&csv, &rows, in, rows.sheet->rows[i]);
	batch_rows_deinit(&rows);
	strbuf_deinit(&csv.text);
}
