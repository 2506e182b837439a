/* Writes a comparison as lines of human-readable text. */
#include "front/batch/cells.h"

#include "base/fmt.h"

#include <inttypes.h>

static void format_percent(char buf[static NUMBER], double v, int decimals)
{
	char digits[NUMBER - 1];
	fmt_fixed(digits, sizeof(digits), 100 * v, decimals);
	snprintf(buf, NUMBER, "%s%%", digits);
}

/* Returns true if values are nanoseconds per second of a clock, which are printed as percentages of one CPU. */
static bool is_of_cpu(const struct diff_output *o)
{
	return o->diff->unit == DIFF_UNIT_RATE &&
	       o->about[DIFF_BEFORE].events[o->event[DIFF_BEFORE]].role == ROLE_CLOCK;
}

static void format_unit(char buf[static NUMBER], enum diff_unit unit, bool of_cpu, const struct diff_value *v,
			enum diff_side side)
{
	if (!v->known[side]) {
		snprintf(buf, NUMBER, "-");
	} else if (of_cpu) {
		format_percent(buf, v->value[side] / 1e9, 2);
	} else if (unit == DIFF_UNIT_RATE) {
		fmt_si(buf, NUMBER, v->value[side]);
	} else if (unit == DIFF_UNIT_INSTRUCTIONS || unit == DIFF_UNIT_EVENT) {
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

static void add_change(struct cells *t, const struct compare_change *c)
{
	char buf[NUMBER];
	switch (c->state) {
	case CHANGE_NONE:
		cells_add(t, "-");
		return;
	case CHANGE_NEW:
		cells_add(t, "new");
		return;
	case CHANGE_VANISHED:
		cells_add(t, "gone");
		return;
	default:
		format_factor(buf, c->change);
		cells_add(t, c->real ? buf : "");
	}
}

/* ---- writing the table of rows --------------------------------------------------------------------- */

enum { LEADING = 5, OF_METRIC = 3 };

static const char *const side_names[DIFF_SIDES] = {"BEFORE", "AFTER"};

static void add_heads(struct cells *t, const struct diff *d, bool fates)
{
	size_t c = LEADING;
	cells_add(t, "");
	cells_add(t, "BEFORE");
	cells_add(t, "AFTER");
	cells_add(t, "CHANGE");
	cells_add(t, "95% INTERVAL");
	t->left[0] = t->left[LEADING - 1] = true;
	for (size_t m = 0; m < d->set->n; m++) {
		if (!d->has_metric[m])
			continue;
		cells_add(t, d->set->v[m].title);
		cells_add(t, "AFTER");
		cells_add(t, "CHANGE");
		c += OF_METRIC;
	}
	for (size_t i = 0; i < d->dims_n; i++) {
		cells_add(t, dimensions[d->dims[i]].title);
		t->left[c++] = true;
	}
	if (fates) {
		cells_add(t, FATE_TITLE);
		t->left[c] = true;
	}
}

static void add_row(struct cells *t, const struct diff_output *o, const struct diff_row *row, bool fates)
{
	const struct diff *d = o->diff;
	char buf[NUMBER];
	bool real = row->value.change.real;
	for (size_t m = 0; m < d->set->n; m++)
		real |= d->has_metric[m] && row->metrics[m].change.real;
	cells_add(t, real ? "*" : "");
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		format_unit(buf, d->unit, is_of_cpu(o), &row->value, side);
		cells_add(t, buf);
	}
	add_change(t, &row->value.change);
	cells_add_interval(t, &row->value.change);
	for (size_t m = 0; m < d->set->n; m++) {
		if (!d->has_metric[m])
			continue;
		for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
			format_metric(buf, &d->set->v[m], &row->metrics[m], side);
			cells_add(t, buf);
		}
		const struct compare_change *c = &row->metrics[m].change;
		buf[0] = '\0';
		if (c->real)
			format_factor(buf, c->change);
		cells_add(t, buf);
	}
	for (size_t i = 0; i < d->dims_n; i++) {
		const struct key_value *v = &row->names[i];
		snprintf(buf, sizeof(buf), "%" PRIu64, v->number);
		cells_add(t, v->kind == KEY_TEXT ? v->text : v->kind == KEY_NUMBER ? buf : "-");
	}
	if (fates)
		cells_add_fate(t, row, side_names);
}

/* ---- writing the heading --------------------------------------------------------------------------- */

static void put_unit(FILE *out, const struct diff_output *o)
{
	char moved[NUMBER];
	const struct diff *d = o->diff;
	const char *event = o->about[DIFF_BEFORE].events[o->event[DIFF_BEFORE]].name, *per = o->per;
	const struct compare_reference *r = &d->reference;
	put_line(out, event);
	switch (d->unit) {
	case DIFF_UNIT_REFERENCE:
		format_factor(moved, r->change);
		if (r->bundles)
			fprintf(out,
				", measured by the %zu rows that changed alike (%.0f%% of it before, %.0f%% after; by "
				"the second they moved by %s; AFTER is on the scale of BEFORE, no share)",
				d->reference_rows, 100 * r->share[DIFF_BEFORE], 100 * r->share[DIFF_AFTER], moved);
		else if (r->alike)
			fprintf(out,
				": share of all, since the few rows that changed alike, %.0f%% of it, are too little "
				"to "
				"measure the others by",
				100 * r->share[DIFF_AFTER]);
		else
			fputs(": share of all, since too few rows changed alike to measure the others by", out);
		break;
	case DIFF_UNIT_SHARE:
		fputs(": share of all", out);
		break;
	case DIFF_UNIT_RATE:
		fputs(is_of_cpu(o) ? " per second (100% is one CPU)" : " per second", out);
		break;
	default:
		fputs(" per ", out);
		put_line(out, per ? per : "instruction");
		fputs(" of all", out);
	}
	fputs(", without idle time\n", out);
}

static void put_side(FILE *out, const char *side, const struct diff_about *a, size_t event)
{
	char utc[UTC_CHARS] = "";
	fprintf(out, "%s ", side);
	put_line(out, a->file);
	if (a->more_files)
		fprintf(out, " and %zu more", a->more_files);
	fprintf(out, " (%.1f s, %" PRIu64 " samples", diff_about_seconds(a), a->events[event].samples);
	if (*a->only) {
		fputs(" of ", out);
		put_line(out, a->only);
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
	fprintf(out, "%zu of %zu rows changed", d->summary.real, d->n);
	for (size_t m = 0; m < d->set->n; m++)
		if (d->has_metric[m])
			fprintf(out, ", %s of %zu", d->set->v[m].title, d->metrics[m].real);
	fprintf(out, " (*; at most %g%% of them by chance; a change under %g%% does not count)\n", 100 * o->fdr,
		100 * o->min_change);
}

void diff_text(FILE *out, const struct diff_output *o)
{
	const struct diff *d = o->diff;
	struct cells t;
	bool fates = rows_have_fates(o->rows, o->rows_n);
	size_t columns = LEADING + d->dims_n + fates;
	put_notes(out, o->notes);
	put_unit(out, o);
	put_side(out, "before:", &o->about[DIFF_BEFORE], o->event[DIFF_BEFORE]);
	put_side(out, "after: ", &o->about[DIFF_AFTER], o->event[DIFF_AFTER]);
	put_verdict(out, o);
	fputc('\n', out);
	for (size_t m = 0; m < d->set->n; m++)
		columns += d->has_metric[m] ? OF_METRIC : 0;
	cells_init(&t, columns);
	add_heads(&t, d, fates);
	for (size_t r = 0; r < o->rows_n; r++)
		add_row(&t, o, o->rows[r], fates);
	cells_write(&t, out);
	if (o->more)
		fprintf(out, "and %zu rows more (-n 0 prints all)\n", o->more);
}
