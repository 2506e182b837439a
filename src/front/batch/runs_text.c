/* Writes runs of two commands as lines of human-readable text. */
#include "front/batch/cells.h"

#include "base/fmt.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void format_value(char buf[static NUMBER], enum runs_unit unit, double v)
{
	static const struct {
		double least, times;
		int decimals;
		const char *name;
	} seconds[] = {{1, 1, 3, "s"}, {1e-3, 1e3, 2, "ms"}, {0, 1e6, 1, "us"}};
	char digits[NUMBER - 4];
	size_t i = 0;
	while (fabs(v) < seconds[i].least)
		i++;
	if (unit == RUNS_SECONDS) {
		fmt_fixed(digits, sizeof(digits), v * seconds[i].times, seconds[i].decimals);
		snprintf(buf, NUMBER, "%s %s", digits, seconds[i].name);
		return;
	}
	fmt_si(digits, sizeof(digits), fabs(v));
	size_t n = strlen(digits), prefix = n && digits[n - 1] > '9'; /* the M of "2.75M" joins the unit: MB */
	if (unit == RUNS_BYTES)
		snprintf(buf, NUMBER, "%s%.*s %sB", v < 0 ? "-" : "", (int)(n - prefix), digits, digits + n - prefix);
	else
		snprintf(buf, NUMBER, "%s%s", v < 0 ? "-" : "", digits);
}

static void put_command(FILE *out, char name, char *const *argv)
{
	fprintf(out, "%c:", name);
	for (; *argv; argv++) {
		fputc(' ', out);
		put_line(out, *argv);
	}
	fputc('\n', out);
}

/* ---- writing the table of metrics -------------------------------------------------------------------- */

static void add_middle(struct cells *t, const struct runs_metric *m, enum diff_side side)
{
	const struct runs_middle *middle = &m->side[side];
	char value[NUMBER] = "-", high[NUMBER], text[2 * NUMBER + 8] = "";
	if (middle->known)
		format_value(value, m->unit, middle->value);
	cells_add(t, value);
	if (middle->has_interval) {
		format_value(value, m->unit, middle->low);
		format_value(high, m->unit, middle->high);
		snprintf(text, sizeof(text), "%s to %s", value, high);
	}
	cells_add(t, text);
}

static void add_ratio(struct cells *t, const struct compare_change *c)
{
	char value[NUMBER], low[NUMBER], high[NUMBER], found[NUMBER], text[4 * NUMBER] = "";
	bool known = c->state != CHANGE_NONE && isfinite(c->change);
	fmt_fixed(value, sizeof(value), c->change, 3);
	cells_add(t, known ? value : "-");
	if (known && c->tested) {
		fmt_fixed(low, sizeof(low), c->low, 3);
		fmt_fixed(high, sizeof(high), c->high, 3);
		snprintf(text, sizeof(text), "%s to %s", low, high);
	}
	cells_add(t, text);
	text[0] = '\0';
	if (c->tested && isfinite(c->smallest)) {
		format_factor(found, c->smallest);
		snprintf(text, sizeof(text), "no difference found (< %s)", found + 1);
	} else if (c->tested) {
		snprintf(text, sizeof(text), "no difference found");
	}
	cells_add(t, c->real ? "" : text);
}

static void put_metrics(FILE *out, const struct runs_output *o)
{
	static const char *const heads[] = {"<",   "<METRIC",	    "A", "<95% INTERVAL", "B", "<95% INTERVAL",
					    "B/A", "<95% INTERVAL", "<"};
	struct cells t;
	cells_init_heads(&t, heads, ARRAY_LEN(heads));
	for (size_t i = 0; i < o->metrics_n; i++) {
		const struct runs_metric *m = &o->metrics[i];
		cells_add(&t, m->ratio.real ? "*" : "");
		cells_add(&t, m->name);
		add_middle(&t, m, DIFF_BEFORE);
		add_middle(&t, m, DIFF_AFTER);
		add_ratio(&t, &m->ratio);
	}
	cells_write(&t, out);
	fprintf(out,
		"%zu of %zu numbers differ (*; at most %g%% of them by chance; a difference under %g%% does not "
		"count)\n",
		o->summary.real, o->metrics_n, 100 * o->fdr, 100 * o->min_change);
}

/* ---- writing the table of sampled functions ----------------------------------------------------------- */

static void add_sums(struct cells *t, enum runs_unit unit, const double v[DIFF_SIDES])
{
	char buf[NUMBER];
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		format_value(buf, unit, v[side]);
		cells_add(t, buf);
	}
	format_value(buf, unit, v[DIFF_AFTER] - v[DIFF_BEFORE]);
	cells_add(t, buf);
}

/* Adds a row with the sum of all rows, or of the rows that are not printed.  Its change is not tested. */
static void add_sum_row(struct cells *t, const struct runs_output *o, const double v[DIFF_SIDES], const char *name,
			bool fates)
{
	cells_add(t, "");
	add_sums(t, o->unit, v);
	cells_add(t, "");
	for (size_t i = 0; i < o->functions->dims_n; i++)
		cells_add(t, i + 1 < o->functions->dims_n ? "" : name);
	if (fates)
		cells_add(t, "");
}

static void add_row(struct cells *t, const struct runs_output *o, const struct diff_row *row, bool fates)
{
	cells_add(t, row->value.change.real ? "*" : "");
	add_sums(t, o->unit, row->value.value);
	cells_add_interval(t, &row->value.change);
	for (size_t i = 0; i < o->functions->dims_n; i++) {
		const struct key_value *v = &row->names[i];
		cells_add(t, v->kind == KEY_TEXT ? v->text : "-");
	}
	if (fates)
		cells_add_fate(t, row, (const char *const[]){"A", "B"});
}

static void put_functions(FILE *out, const struct runs_output *o)
{
	enum { LEADING = 5 };
	static const char *const leading[LEADING] = {"<", "A", "B", "B-A", "<95% INTERVAL"};
	const char *heads[LEADING + DIM_COUNT + 1];
	char titles[DIM_COUNT][32];
	const struct diff *d = o->functions;
	size_t n = o->top && o->top < d->n ? o->top : d->n;
	bool fates = rows_have_fates(o->rows, n);
	double rest[DIFF_SIDES] = {0}, all[DIFF_SIDES] = {0};
	struct cells t;
	for (size_t i = 0; i < LEADING; i++)
		heads[i] = leading[i];
	for (size_t i = 0; i < d->dims_n; i++) {
		snprintf(titles[i], sizeof(titles[i]), "<%s", dimensions[d->dims[i]].title);
		heads[LEADING + i] = titles[i];
	}
	heads[LEADING + d->dims_n] = "<" FATE_TITLE;
	cells_init_heads(&t, heads, LEADING + d->dims_n + fates);
	for (size_t i = 0; i < d->n; i++)
		for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
			all[side] += o->rows[i]->value.value[side];
			rest[side] += i < n ? 0 : o->rows[i]->value.value[side];
		}
	for (size_t i = 0; i < n; i++)
		add_row(&t, o, o->rows[i], fates);
	if (n < d->n)
		add_sum_row(&t, o, rest, "[others] (-n 0 prints all)", fates);
	add_sum_row(&t, o, all, "[all]", fates);
	fprintf(out, "\n%s of a run, on average: the rows add up to [all]; %zu of %zu differ (*)\n", o->event,
		d->summary.real, d->n);
	cells_write(&t, out);
}

void runs_text(FILE *out, const struct runs_output *o)
{
	put_notes(out, o->notes);
	put_command(out, 'A', o->commands[DIFF_BEFORE]);
	put_command(out, 'B', o->commands[DIFF_AFTER]);
	fprintf(out, "%zu of %zu pairs of runs, in random order (--seed %" PRIu64 ")\n\n", o->pairs, o->asked, o->seed);
	put_metrics(out, o);
	if (o->functions)
		put_functions(out, o);
}
