/* Writes the screen's tables as lines of text, for humans and grep. */
#include "front/batch/batch.h"

#include "base/alloc.h"
#include "base/fmt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct text_table {
	const struct view_input *in;
	const struct batch_rows *rows;
	unsigned flags; /* enum cell_flag */
	size_t *widths; /* [rows->columns.n]: width of each column in code points */
	/* All cells, row by row, each with a NUL: a report may have 10^5 rows, and formatting them a second time, after
	 * the widths are known, would be slow. */
	struct strbuf cells;
	bool *shown; /* [rows->columns.n] */
};

/* Adds the text of a cell and returns it, valid until the next call.  A name is never
 * shortened; other cells are formatted as on the screen. */
static const char *add_cell(struct text_table *t, const struct column *col, const struct row *row)
{
	char buf[128], mark[CELL_MARK_CHARS];
	struct cell cell = col->value(t->in, col, row);
	const char *s = cell.s;
	if (cell.kind != CELL_ABSENT)
		t->shown[col - t->rows->columns.v] = true;
	if (cell.kind != CELL_TEXT || !s) {
		cell_format(col, &cell, t->flags, buf, sizeof(buf));
		s = buf;
	}
	size_t at = t->cells.n;
	clean_add(&t->cells, s, CLEAN_LINE);
	strbuf_add(&t->cells, cell_mark(&cell, CELL_MARK_CHARS, mark));
	strbuf_add_bytes(&t->cells, "", 1);
	return t->cells.data + at;
}

static void widen(size_t *width, const char *s)
{
	size_t n = clean_length(s);
	if (n > *width && n <= WIDEST)
		*width = n;
}

static void add_padding(struct strbuf *line, size_t n)
{
	static const char blanks[] = "                                                                ";
	while (n) {
		size_t now = n < sizeof(blanks) - 1 ? n : sizeof(blanks) - 1;
		strbuf_add_bytes(line, blanks, now);
		n -= now;
	}
}

/* Adds a cell to the line: two spaces between columns, none at the end of a line. */
static void add_to_line(struct strbuf *line, const struct text_table *t, size_t c, const char *s)
{
	const struct column *col = &t->rows->columns.v[c];
	size_t n = clean_length(s);
	size_t pad = t->widths[c] > n ? t->widths[c] - n : 0;
	bool first = true, last = true;
	if (!t->shown[c])
		return;
	for (size_t i = 0; i < t->rows->columns.n; i++) {
		first &= !(t->shown[i] && i < c);
		last &= !(t->shown[i] && i > c);
	}
	if (!first)
		strbuf_add(line, "  ");
	if (col->right)
		add_padding(line, pad);
	strbuf_add(line, s);
	if (!col->right && !last)
		add_padding(line, pad);
}

static void put_line(FILE *out, struct strbuf *line)
{
	strbuf_add(line, "\n");
	fwrite(line->data, 1, line->n, out);
	line->n = 0;
}

/* Chooses the columns.  A report leaves out columns in which no row has a value, but never all key columns.  Other
 * tables have the same columns at every refresh. */
static void choose_columns(struct text_table *t)
{
	const struct columns *cols = &t->rows->columns;
	bool report = t->rows->pivot->query.by_name && t->rows->n, keys = false;
	for (size_t c = 0; c < cols->n; c++)
		keys |= t->shown[c] && cols->v[c].dim;
	for (size_t c = 0; c < cols->n; c++)
		if (!report || (cols->v[c].dim && !keys))
			t->shown[c] = true;
}

/* Writes a table; `number`: the how-manieth of those with the same first dimension, from 1 on. */
static void put_table(FILE *out, const struct pivot *pivot, unsigned number, const struct view_input *in,
		      const struct batch_config *config)
{
	char again[16] = "";
	if (number > 1)
		snprintf(again, sizeof(again), " %u", number);
	struct batch_rows rows;
	struct view_input with_text = *in;
	batch_rows_init(&rows, pivot, in, config);
	with_text.text = &rows.text;
	const struct columns *cols = &rows.columns;
	struct text_table t = {
		.in = &with_text,
		.rows = &rows,
		.flags = CELL_ASCII | (config->show_error ? CELL_WITH_ERROR : 0),
		.widths = mem_calloc(cols->n ? cols->n : 1, sizeof(*t.widths)),
		.shown = mem_calloc(cols->n ? cols->n : 1, sizeof(*t.shown)),
	};
	for (size_t c = 0; c < cols->n; c++)
		widen(&t.widths[c], cols->v[c].title);
	for (size_t c = 0; c < cols->n; c++)
		view_name_rows(in, &cols->v[c], rows.sheet->rows, rows.n);
	for (size_t i = 0; i < rows.n; i++)
		for (size_t c = 0; c < cols->n; c++)
			widen(&t.widths[c], add_cell(&t, &cols->v[c], rows.sheet->rows[i]));
	choose_columns(&t);
	fprintf(out, "\n%s%s (%zu of %zu)\n", pivot->query.by_name ? "Report" : dimensions[pivot->query.dims[0]].name,
		again, rows.n, rows.sheet->n);
	struct strbuf line = {0};
	for (size_t c = 0; c < cols->n; c++)
		add_to_line(&line, &t, c, cols->v[c].title);
	put_line(out, &line);
	const char *cell = t.cells.data;
	for (size_t i = 0; i < rows.n; i++) {
		for (size_t c = 0; c < cols->n; c++, cell += strlen(cell) + 1)
			add_to_line(&line, &t, c, cell);
		put_line(out, &line);
	}
	strbuf_deinit(&line);
	free(t.widths);
	free(t.shown);
	strbuf_deinit(&t.cells);
	batch_rows_deinit(&rows);
}

static void put_clean(FILE *out, const char *s)
{
	struct strbuf b = {0};
	clean_add(&b, s, CLEAN_LINE);
	fputs(b.data, out);
	strbuf_deinit(&b);
}

static void put_item(FILE *out, const char *before, const char *text, const char *after)
{
	if (!text || !*text)
		return;
	fputs(before, out);
	put_clean(out, text);
	fputs(after, out);
}

static void put_header(FILE *out, const struct view_input *in, const struct batch_config *config)
{
	char uptime[32], window[32], utc[UTC_CHARS];
	uint64_t window_ns = in->snap->end_ns - in->snap->start_ns;
	fmt_duration(uptime, sizeof(uptime), in->uptime_ns);
	fmt_fixed(window, sizeof(window), (double)window_ns / 1e9, 1);
	fputs("cyctop", out);
	put_item(out, " on ", in->info->host, "");
	put_item(out, ", ", in->info->kernel, "");
	put_item(out, ", ", in->info->target, "");
	put_item(out, ", only ", in->only, "");
	put_item(out, ", only rows with \"", config->filter, "\"");
	put_item(out, ", ", value_utc(in, utc).s, "");
	fprintf(out, ", running %s, last %s s\n", uptime, window);
}

/* Writes the rate of each event, or its count and rate, and the metrics of all samples.  Leaves out clock events, whose
 * rate only says that time passed. */
static void put_events(FILE *out, const struct view_input *in, const struct batch_config *config)
{
	const struct snapshot *snap = in->snap;
	const char *gap = "";
	for (size_t e = 0; e < snap->events_n; e++) {
		char rate[56], count[40], unit[24];
		if (snap->events[e].state == COUNT_ABSENT || in->roles[e] == ROLE_CLOCK)
			continue;
		view_rate_text(in, e, rate, sizeof(rate));
		fputs(gap, out);
		put_clean(out, in->info->events[e].spec.name);
		bool counts = config->counts && snap->events[e].state == COUNT_OK && !*in->info->events[e].spec.unit;
		if (counts) {
			double factor = event_rate_unit(&in->info->events[e].spec, unit, sizeof(unit));
			double n = snap->events[e].count * factor;
			fmt_grouped(count, sizeof(count), factor == 1 ? n : round(n)); /* off-cpu: whole ms */
			fprintf(out, " %s%.*s (%s)", count, (int)strcspn(unit, "/"), unit, rate);
		} else {
			fprintf(out, " %s", rate);
		}
		gap = "  ";
	}
	for (size_t m = 0; m < metrics_of(in)->n; m++) {
		struct ratio r = total_metric(snap, &metrics_of(in)->v[m]);
		if (!r.valid)
			continue;
		char buf[32];
		bool percent = metrics_of(in)->v[m].format == METRIC_PERCENT;
		fmt_fixed(buf, sizeof(buf), percent ? r.value * 100 : r.value, metrics_of(in)->v[m].decimals);
		fprintf(out, "%s%s %s", gap, metrics_of(in)->v[m].title, buf);
		gap = "  ";
	}
	if (*gap)
		fputc('\n', out);
}

void text_refresh(FILE *out, const struct view_input *in, const struct batch_config *config)
{
	char trust[512];
	put_header(out, in, config);
	put_events(out, in, config);
	trust_line(in, trust, sizeof(trust));
	put_clean(out, trust);
	fputc('\n', out);
	const struct pivot *pivots = in->snap->pivots;
	for (size_t i = 0; i < config->tables; i++) {
		unsigned number = 1;
		if (snapshot_pivot(in->snap, &pivots[i].query) != &pivots[i])
			continue; /* skips pivots with the same query, of panes that differ only in order */
		for (size_t before = 0; before < i; before++)
			number += pivots[before].query.dims[0] == pivots[i].query.dims[0];
		put_table(out, &pivots[i], number, in, config);
	}
	fputc('\n', out);
}
