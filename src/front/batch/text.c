/* Writes the screen's tables as lines of text, for humans and grep. */
#include "front/batch/cells.h"

#include "base/alloc.h"
#include "base/fmt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct text_table {
	const struct view_input *in;
	const struct batch_rows *rows;
	unsigned flags; /* enum cell_flag */
	struct cells cells;
	bool *shown; /* [rows->columns.n]: the column is written */
};

/* Adds a cell of a row.  A name is never shortened; other cells are formatted as on the screen. */
static void add_cell(struct text_table *t, size_t c, const struct row *row)
{
	char buf[128], mark[CELL_MARK_CHARS];
	const struct column *col = &t->rows->columns.v[c];
	struct cell cell = col->value(t->in, col, row);
	const char *s = cell.s;
	t->shown[c] |= cell.kind != CELL_ABSENT;
	if (cell.kind != CELL_TEXT || !s) {
		cell_format(col, &cell, t->flags, buf, sizeof(buf));
		s = buf;
	}
	cells_add_marked(&t->cells, s, cell_mark(&cell, CELL_MARK_CHARS, mark));
}

/* Chooses the columns.  A report leaves out columns in which no row has a value, but never all columns of keys.  Other
 * tables have the same columns in every refresh. */
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

/* Writes a table.  `number`: its number among the tables with the same first dimension, from 1 on. */
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
		.shown = mem_calloc(cols->n + 1, sizeof(*t.shown)),
	};
	cells_init(&t.cells, cols->n);
	t.cells.shown = t.shown;
	for (size_t c = 0; c < cols->n; c++) {
		t.cells.left[c] = !cols->v[c].right;
		cells_add(&t.cells, cols->v[c].title);
		view_name_rows(in, &cols->v[c], rows.sheet->rows, rows.n);
	}
	for (size_t i = 0; i < rows.n; i++)
		for (size_t c = 0; c < cols->n; c++)
			add_cell(&t, c, rows.sheet->rows[i]);
	choose_columns(&t);
	fprintf(out, "\n%s%s (%zu of %zu)\n", pivot->query.by_name ? "Report" : dimensions[pivot->query.dims[0]].name,
		again, rows.n, rows.sheet->n);
	cells_write(&t.cells, out);
	free(t.shown);
	batch_rows_deinit(&rows);
}

static void put_item(FILE *out, const char *before, const char *text, const char *after)
{
	if (!text || !*text)
		return;
	fputs(before, out);
	put_line(out, text);
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

/* Writes the rate of each event, or its count and rate, then the metrics of all samples.  Leaves out clock events,
 * whose rate is merely that of time. */
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
		put_line(out, in->info->events[e].spec.name);
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
	put_line(out, trust);
	fputc('\n', out);
	const struct pivot *pivots = in->snap->pivots;
	for (size_t i = 0; i < config->tables; i++) {
		unsigned number = 1;
		if (snapshot_pivot(in->snap, &pivots[i].query) != &pivots[i])
			continue; /* an earlier pivot has the same query: only the order of their panes differs */
		for (size_t before = 0; before < i; before++)
			number += pivots[before].query.dims[0] == pivots[i].query.dims[0];
		put_table(out, &pivots[i], number, in, config);
	}
	fputc('\n', out);
}
