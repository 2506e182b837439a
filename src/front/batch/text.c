/* The screen's tables as lines of text: for people, and for grep. */
#include "front/batch/batch.h"

#include "base/alloc.h"
#include "base/fmt.h"

#include <stdlib.h>
#include <string.h>

static const char *const pane_names[] = {
	[PANE_SYMBOLS] = "Symbols",
	[PANE_TASKS] = "Tasks",
	[PANE_CPUS] = "CPUs",
	[PANE_REPORT] = "Report",
};

struct text_table {
	const struct view_input *in;
	const struct batch_rows *rows;
	unsigned flags; /* enum cell_flag */
	size_t *widths; /* [rows->columns.n] code points */
	/* All cells, row by row, each with its NUL: a report may have 10^5 rows, which are
	 * formatted but once. */
	struct strbuf cells;
};

/* Adds the cell's text, which is valid until the next.  Names are taken whole; what is
 * shorter goes through the view's formatter. */
static const char *add_cell(struct text_table *t, const struct column *col, const struct row *row)
{
	char buf[128];
	struct cell cell = col->value(t->in, col, row);
	const char *s = cell.s;
	if (cell.kind != CELL_TEXT || !s) {
		cell_format(col, &cell, t->flags, buf, sizeof(buf));
		s = buf;
	}
	size_t at = t->cells.n;
	clean_add(&t->cells, s, CLEAN_LINE);
	if (cell.deleted)
		strbuf_add(&t->cells, " (deleted)");
	strbuf_add_bytes(&t->cells, "", 1);
	return t->cells.data + at;
}

static void widen(size_t *width, const char *s)
{
	size_t n = clean_length(s);
	if (n > *width)
		*width = n;
}

static void put_padding(FILE *out, size_t n)
{
	static const char blanks[] = "                                                                ";
	while (n) {
		size_t now = n < sizeof(blanks) - 1 ? n : sizeof(blanks) - 1;
		fwrite(blanks, 1, now, out);
		n -= now;
	}
}

/* Two spaces between columns and none at the end of a line. */
static void put_cell(FILE *out, const struct text_table *t, size_t c, const char *s)
{
	const struct column *col = &t->rows->columns.v[c];
	size_t n = clean_length(s);
	size_t pad = t->widths[c] > n ? t->widths[c] - n : 0;
	bool last = c + 1 == t->rows->columns.n;
	if (c)
		fputs("  ", out);
	if (col->right)
		put_padding(out, pad);
	fputs(s, out);
	if (!col->right && !last)
		put_padding(out, pad);
}

static void put_table(FILE *out, enum pane pane, const struct view_input *in, const struct batch_config *config)
{
	struct batch_rows rows;
	batch_rows_init(&rows, pane, in, config);
	const struct columns *cols = &rows.columns;
	struct text_table t = {
		.in = in,
		.rows = &rows,
		.flags = CELL_ASCII | (config->show_error ? CELL_WITH_ERROR : 0),
		.widths = mem_calloc(cols->n ? cols->n : 1, sizeof(*t.widths)),
	};
	for (size_t c = 0; c < cols->n; c++)
		widen(&t.widths[c], cols->v[c].title);
	for (size_t i = 0; i < rows.n; i++)
		for (size_t c = 0; c < cols->n; c++)
			widen(&t.widths[c], add_cell(&t, &cols->v[c], rows.sheet->rows[i]));
	fprintf(out, "\n%s (%zu of %zu)\n", pane_names[pane], rows.n, rows.sheet->n);
	for (size_t c = 0; c < cols->n; c++)
		put_cell(out, &t, c, cols->v[c].title);
	fputc('\n', out);
	const char *cell = t.cells.data;
	for (size_t i = 0; i < rows.n; i++) {
		for (size_t c = 0; c < cols->n; c++, cell += strlen(cell) + 1)
			put_cell(out, &t, c, cell);
		fputc('\n', out);
	}
	free(t.widths);
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

static void put_header(FILE *out, const struct view_input *in)
{
	char uptime[32], window[32];
	uint64_t window_ns = in->snap->end_ns - in->snap->start_ns;
	fmt_duration(uptime, sizeof(uptime), in->uptime_ns);
	fmt_fixed(window, sizeof(window), (double)window_ns / 1e9, 1);
	fputs("cyctop on ", out);
	put_clean(out, in->info->host);
	fputs(", ", out);
	put_clean(out, in->info->kernel);
	if (in->info->target[0]) {
		fputs(", ", out);
		put_clean(out, in->info->target);
	}
	fprintf(out, ", up %s, last %s s\n", uptime, window);
}

/* What was counted of each event per second, and the ratios of the whole.  A clock
 * that ticks says nothing. */
static void put_events(FILE *out, const struct view_input *in)
{
	const struct snapshot *snap = in->snap;
	double seconds = (double)(snap->end_ns - snap->start_ns) / 1e9;
	const char *gap = "";
	for (size_t e = 0; e < snap->events_n; e++) {
		char rate[16] = "-";
		if (snap->events[e].state == COUNT_ABSENT || in->roles[e] == ROLE_CLOCK)
			continue;
		if (snap->events[e].state == COUNT_OK && seconds > 0)
			fmt_si(rate, sizeof(rate), snap->events[e].count / seconds);
		fputs(gap, out);
		put_clean(out, in->info->events[e].spec.name);
		fprintf(out, " %s/s", rate);
		gap = "  ";
	}
	for (size_t m = 0; m < metrics_n; m++) {
		struct ratio r = total_metric(snap, &metrics[m], in->roles);
		if (!r.valid)
			continue;
		char buf[32];
		bool percent = metrics[m].format == METRIC_PERCENT;
		fmt_fixed(buf, sizeof(buf), percent ? r.value * 100 : r.value, metrics[m].decimals);
		fprintf(out, "%s%s %s", gap, metrics[m].title, buf);
		gap = "  ";
	}
	if (*gap)
		fputc('\n', out);
}

void text_refresh(FILE *out, const struct view_input *in, const struct batch_config *config)
{
	char trust[512];
	put_header(out, in);
	put_events(out, in);
	trust_line(in, trust, sizeof(trust));
	put_clean(out, trust);
	fputc('\n', out);
	for (enum pane pane = 0; pane < PANE_COUNT; pane++)
		if (batch_wants(in, config, pane))
			put_table(out, pane, in, config);
	if (in->report)
		put_table(out, PANE_REPORT, in, config);
	fputc('\n', out);
}
