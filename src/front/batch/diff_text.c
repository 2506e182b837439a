/* A comparison as lines of text, for people. */
#include "front/batch/batch.h"

#include "base/alloc.h"
#include "base/fmt.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells, row by row, each with a NUL; numbers stand at the right of their column. */
struct text {
	size_t columns;
	bool *left; /* [columns] */
	struct strbuf cells;
};

static void add_cell(struct text *t, const char *s)
{
	clean_add(&t->cells, s, CLEAN_LINE);
	strbuf_add_bytes(&t->cells, "", 1);
}

static void add_blanks(struct strbuf *line, size_t n)
{
	while (n--)
		strbuf_add_bytes(line, " ", 1);
}

static void write_cells(FILE *out, const struct text *t)
{
	size_t *widths = mem_calloc(t->columns, sizeof(*widths)), c = 0;
	const char *end = t->cells.data + t->cells.n;
	for (const char *s = t->cells.data; s < end; s += strlen(s) + 1, c = (c + 1) % t->columns)
		widths[c] = clean_length(s) > widths[c] ? clean_length(s) : widths[c];
	struct strbuf line = {0};
	for (const char *s = t->cells.data; s < end; s += strlen(s) + 1) {
		size_t pad = widths[c] - clean_length(s);
		if (c)
			strbuf_add(&line, "  ");
		add_blanks(&line, t->left[c] ? 0 : pad);
		strbuf_add(&line, s);
		add_blanks(&line, t->left[c] ? pad : 0);
		if (++c < t->columns)
			continue;
		c = 0;
		while (line.n && line.data[line.n - 1] == ' ')
			line.n--;
		strbuf_add_bytes(&line, "\n", 1);
		fwrite(line.data, 1, line.n, out);
		line.n = 0;
	}
	strbuf_deinit(&line);
	free(widths);
}

/* ---- numbers ------------------------------------------------------------------------------------- */

enum { NUMBER = 32 };

static void format_percent(char buf[static NUMBER], double v, int decimals)
{
	char digits[NUMBER - 1];
	fmt_fixed(digits, sizeof(digits), 100 * v, decimals);
	snprintf(buf, NUMBER, "%s%%", digits);
}

static void format_unit(char buf[static NUMBER], enum diff_unit unit, const struct diff_value *v, enum diff_side side)
{
	if (!v->known[side]) {
		snprintf(buf, NUMBER, "-");
	} else if (unit == DIFF_UNIT_RATE) {
		fmt_si(buf, NUMBER, v->value[side]);
	} else if (unit == DIFF_UNIT_INSTRUCTIONS) {
		fmt_fixed(buf, NUMBER, v->value[side], 4);
	} else {
		format_percent(buf, v->value[side], 2);
	}
}

static void format_metric(char buf[static NUMBER], const struct metric *m, const struct diff_value *v,
			  enum diff_side side)
{
	bool percent = m->format == METRIC_PERCENT;
	if (!v->known[side]) {
		snprintf(buf, NUMBER, "-");
		return;
	}
	if (percent)
		format_percent(buf, v->value[side], m->decimals);
	else
		fmt_fixed(buf, NUMBER, v->value[side], m->decimals);
}

/* A factor as "+12.3%". */
static void format_factor(char buf[static NUMBER], double factor)
{
	char digits[NUMBER - 2];
	double percent = 100 * (factor - 1);
	fmt_fixed(digits, sizeof(digits), fabs(percent), fabs(percent) < 1000 ? 1 : 0);
	snprintf(buf, NUMBER, "%c%s%%", percent < 0 ? '-' : '+', digits);
}

static void add_change(struct text *t, const struct compare_change *c)
{
	char buf[NUMBER];
	switch (c->state) {
	case CHANGE_NONE:
		add_cell(t, "-");
		return;
	case CHANGE_NEW:
		add_cell(t, "new");
		return;
	case CHANGE_VANISHED:
		add_cell(t, "gone");
		return;
	default:
		format_factor(buf, c->change);
		add_cell(t, c->real ? buf : "");
	}
}

/* What is known of a change: its interval, or how small a one could have been found. */
static void add_interval(struct text *t, const struct compare_change *c)
{
	char low[NUMBER], high[NUMBER], text[96] = "";
	format_factor(low, c->low);
	if (isfinite(c->high))
		format_factor(high, c->high);
	if (c->real && isfinite(c->high))
		snprintf(text, sizeof(text), "%s to %s", low, high);
	else if (c->real)
		snprintf(text, sizeof(text), "at least %s", low);
	else if (c->state == CHANGE_NONE)
		snprintf(text, sizeof(text), "-");
	else if (!c->tested)
		snprintf(text, sizeof(text), "too few %s to tell",
			 c->state == CHANGE_FEW_INTERVALS ? "intervals" : "samples");
	else if (isfinite(c->smallest)) {
		format_factor(high, c->smallest);
		snprintf(text, sizeof(text), "no change found (< %s)", high + 1);
	} else
		snprintf(text, sizeof(text), "no change found");
	add_cell(t, text);
}

/* ---- the table ------------------------------------------------------------------------------------- */

enum { LEADING = 5, OF_METRIC = 3 };

static void add_heads(struct text *t, const struct diff *d)
{
	size_t c = LEADING;
	add_cell(t, "");
	add_cell(t, "BEFORE");
	add_cell(t, "AFTER");
	add_cell(t, "CHANGE");
	add_cell(t, "95% INTERVAL");
	t->left[0] = t->left[LEADING - 1] = true;
	for (size_t m = 0; m < metrics_n; m++) {
		if (!d->has_metric[m])
			continue;
		add_cell(t, metrics[m].title);
		add_cell(t, "AFTER");
		add_cell(t, "CHANGE");
		c += OF_METRIC;
	}
	for (size_t i = 0; i < d->dims_n; i++) {
		add_cell(t, dimensions[d->dims[i]].title);
		t->left[c++] = true;
	}
}

static void add_row(struct text *t, const struct diff *d, const struct diff_row *row)
{
	char buf[NUMBER];
	bool real = row->value.change.real;
	for (size_t m = 0; m < metrics_n; m++)
		real |= d->has_metric[m] && row->metrics[m].change.real;
	add_cell(t, real ? "*" : "");
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		format_unit(buf, d->unit, &row->value, side);
		add_cell(t, buf);
	}
	add_change(t, &row->value.change);
	add_interval(t, &row->value.change);
	for (size_t m = 0; m < metrics_n; m++) {
		if (!d->has_metric[m])
			continue;
		for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
			format_metric(buf, &metrics[m], &row->metrics[m], side);
			add_cell(t, buf);
		}
		const struct compare_change *c = &row->metrics[m].change;
		buf[0] = '\0';
		if (c->real)
			format_factor(buf, c->change);
		add_cell(t, buf);
	}
	for (size_t i = 0; i < d->dims_n; i++) {
		const struct key_value *v = &row->names[i];
		snprintf(buf, sizeof(buf), "%" PRIu64, v->number);
		add_cell(t, v->kind == KEY_TEXT ? v->text : v->kind == KEY_NUMBER ? buf : "-");
	}
}

/* ---- the heading ----------------------------------------------------------------------------------- */

static void put_clean(FILE *out, const char *s)
{
	struct strbuf b = {0};
	clean_add(&b, s, CLEAN_LINE);
	fputs(b.n ? b.data : "", out);
	strbuf_deinit(&b);
}

static void put_unit(FILE *out, const struct diff *d, const char *event)
{
	char moved[NUMBER];
	const struct compare_reference *r = &d->reference;
	put_clean(out, event);
	switch (d->unit) {
	case DIFF_UNIT_REFERENCE:
		format_factor(moved, r->change);
		if (r->rows)
			fprintf(out,
				", measured by the %zu rows that moved alike (%.0f%% of it before, %.0f%% after; they "
				"moved by %s)",
				r->rows, 100 * r->share[DIFF_BEFORE], 100 * r->share[DIFF_AFTER], moved);
		else
			fputs(": share of all, since too few rows moved alike to measure the others by", out);
		break;
	case DIFF_UNIT_SHARE:
		fputs(": share of all", out);
		break;
	case DIFF_UNIT_RATE:
		fputs(" per second", out);
		break;
	default:
		fputs(" per instruction of all", out);
	}
	fputs(", without idle time\n", out);
}

static void put_side(FILE *out, const char *side, const struct diff_about *a, size_t event)
{
	char utc[UTC_CHARS] = "";
	fprintf(out, "%s ", side);
	put_clean(out, a->file);
	if (a->more_files)
		fprintf(out, " and %zu more", a->more_files);
	fprintf(out, " (%.1f s, %" PRIu64 " samples", diff_about_seconds(a), a->events[event].samples);
	if (*a->only) {
		fputs(" of ", out);
		put_clean(out, a->only);
	}
	if (a->utc_ns) {
		fmt_utc(utc, sizeof(utc), a->utc_ns);
		fprintf(out, ", until %s", utc);
	}
	fputs(")\n", out);
}

static void put_verdict(FILE *out, const struct diff_output *o)
{
	const struct diff *d = o->diff;
	fprintf(out, "%zu of %zu rows moved", d->summary.real, d->n);
	for (size_t m = 0; m < metrics_n; m++)
		if (d->has_metric[m])
			fprintf(out, ", %s of %zu", metrics[m].title, d->metrics[m].real);
	fprintf(out, " (*; at most %g%% of them by chance; a change under %g%% does not count)\n", 100 * o->fdr,
		100 * o->min_change);
}

void diff_text(FILE *out, const struct diff_output *o)
{
	const struct diff *d = o->diff;
	struct text t = {.columns = LEADING + d->dims_n};
	for (size_t i = 0; i < o->notes->n; i++) {
		fputs("Note: ", out);
		put_clean(out, o->notes->text[i]);
		fputs(".\n", out);
	}
	put_unit(out, d, o->about[DIFF_BEFORE].events[o->event[DIFF_BEFORE]].name);
	put_side(out, "before:", &o->about[DIFF_BEFORE], o->event[DIFF_BEFORE]);
	put_side(out, "after: ", &o->about[DIFF_AFTER], o->event[DIFF_AFTER]);
	put_verdict(out, o);
	fputc('\n', out);
	for (size_t m = 0; m < metrics_n; m++)
		t.columns += d->has_metric[m] ? OF_METRIC : 0;
	t.left = mem_calloc(t.columns, sizeof(*t.left));
	add_heads(&t, d);
	for (size_t r = 0; r < o->rows_n; r++)
		add_row(&t, d, o->rows[r]);
	write_cells(out, &t);
	if (o->more)
		fprintf(out, "and %zu rows more (-n 0 prints all)\n", o->more);
	free(t.left);
	strbuf_deinit(&t.cells);
}
