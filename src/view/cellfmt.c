#include "view/internal.h"

#include "base/fmt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Formats a number in at most six cells: fewer decimals as it grows, then a unit. */
static void number(char *buf, size_t cap, double v, int decimals)
{
	if (!(v < 1e4)) {
		fmt_si(buf, cap, v);
		return;
	}
	if (v >= 999.5)
		decimals = 0;
	else if (v >= 99.95 && decimals > 1)
		decimals = 1;
	fmt_fixed(buf, cap, v, decimals);
}

bool cell_supported(const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_RATIO:
		return ratio_supported(cell->r);
	case CELL_PERCENT:
	case CELL_RATE:
		return ratio_supported((struct ratio){.value = cell->v, .error = cell->error, .valid = true});
	default:
		return true;
	}
}

/* Writes a number and its error (NULL: not shown).  "~" in front marks a number that is based on too few samples. */
static void put_estimate(bool supported, const char *value, const char *error, unsigned flags, char *buf, size_t cap)
{
	const char *mark = supported ? "" : "~";
	if (error)
		snprintf(buf, cap, "%s%s%s%s", mark, value, flags & CELL_ASCII ? "+-" : "±", error);
	else
		snprintf(buf, cap, "%s%s", mark, value);
}

/* Returns true if the error is to be shown.  It is 0 for values that were counted, not sampled. */
static bool wants_error(double error, unsigned flags)
{
	return flags & CELL_WITH_ERROR && error > 0 && isfinite(error);
}

/* Formats a percentage; "≈12.3": estimated, while other rows have exact values; "~12.3": from too few samples. */
static void percent_format(const struct cell *cell, unsigned flags, char *buf, size_t cap)
{
	char value[32], error[32];
	if (cell->estimate) {
		number(value, sizeof(value), cell->v * 100, 1);
		const char *mark = !cell_supported(cell) ? "~" : flags & CELL_ASCII ? "*" : "≈";
		snprintf(buf, cap, "%s%s", mark, value);
		return;
	}
	number(value, sizeof(value), cell->v * 100, 1);
	number(error, sizeof(error), cell->error * 100, 1);
	put_estimate(cell_supported(cell), value, wants_error(cell->error, flags) ? error : NULL, flags, buf, cap);
}

static void rate_format(const struct cell *cell, unsigned flags, char *buf, size_t cap)
{
	char value[32], error[32];
	fmt_si(value, sizeof(value), cell->v);
	fmt_si(error, sizeof(error), cell->error);
	put_estimate(cell_supported(cell), value, wants_error(cell->error, flags) ? error : NULL, flags, buf, cap);
}

static void ratio_format(const struct column *col, struct ratio r, unsigned flags, char *buf, size_t cap)
{
	const struct metric *m = col->metric;
	double scale = m && m->format == METRIC_PERCENT ? 100 : 1;
	int decimals = m ? m->decimals : 2;
	char value[32], error[32];

	number(value, sizeof(value), r.value * scale, decimals);
	number(error, sizeof(error), r.error * scale, decimals);
	put_estimate(ratio_supported(r), value, wants_error(r.error, flags) ? error : NULL, flags, buf, cap);
}

/* ---- formatting changes -------------------------------------------------------------------- */

void factor_text(double factor, char *buf, size_t cap)
{
	char digits[32];
	double percent = 100 * (factor - 1);
	if (!isfinite(percent)) {
		snprintf(buf, cap, "any");
		return;
	}
	fmt_fixed(digits, sizeof(digits), fabs(percent), fabs(percent) < 99.95 ? 1 : 0);
	snprintf(buf, cap, "%s%s%%", percent < 0 ? "-" : "+", digits);
}

/* Returns the mark of a significant change; "" for other changes and NULL.  `flags`: enum cell_flag. */
static const char *change_mark(const struct compare_change *c, unsigned flags)
{
	if (!c || !c->real)
		return "";
	return flags & CELL_ASCII ? "*" : c->change > 1 ? "▲" : "▼";
}

/* A row without a significant change shows the smallest change that would have been found, as long as that is below
 * this factor; if it is not, the row has too few samples, and shows "few". */
enum { SMALLEST_SHOWN = 2 };

/* Formats a change: "+20.3%▲", "new" or "gone".  A change that is not significant becomes "<16%" (the smallest change
 * that would have been found) or "few" (too few samples); one that was not tested becomes "-". */
static void change_format(const struct compare_change *c, unsigned flags, char *buf, size_t cap)
{
	char number[40] = "-", digits[32];
	if (c->state == CHANGE_NEW || c->state == CHANGE_VANISHED)
		snprintf(number, sizeof(number), c->state == CHANGE_NEW ? "new" : "gone");
	else if (c->real)
		factor_text(c->change, number, sizeof(number));
	else if (c->state == CHANGE_FEW_SAMPLES || (c->tested && !(c->smallest < SMALLEST_SHOWN)))
		snprintf(number, sizeof(number), "few");
	else if (c->tested) {
		fmt_fixed(digits, sizeof(digits), ceil(100 * (c->smallest - 1)), 0);
		snprintf(number, sizeof(number), "<%s%%", digits);
	}
	snprintf(buf, cap, "%s%s", number, change_mark(c, flags));
}

enum style change_style(const struct compare_change *c)
{
	return !c->real ? STYLE_DIM : c->change > 1 ? STYLE_WARN : STYLE_GOOD;
}

/* ---- formatting cells ---------------------------------------------------------------------- */

static void add_mark(const struct compare_change *change, unsigned flags, char *buf, size_t cap)
{
	size_t n = strlen(buf);
	snprintf(buf + n, cap - n, "%s", change_mark(change, flags));
}

const char *cell_mark(const struct cell *cell, int width, char buf[static CELL_MARK_CHARS])
{
	static const char deleted[] = " (deleted)";
	enum { END_DIGITS = 4 };
	if (cell->deleted)
		return width < (int)strlen(deleted) ? " (del)" : deleted;
	if (!cell->addr)
		return "";
	unsigned end = cell->addr & ((1u << 4 * END_DIGITS) - 1);
	int n = snprintf(buf, CELL_MARK_CHARS, " @%#" PRIx64, cell->addr);
	if (n > width) /* the last digits are enough to tell functions apart */
		snprintf(buf, CELL_MARK_CHARS, " @…%0*x", END_DIGITS, end);
	return buf;
}

void cell_format(const struct column *col, const struct cell *cell, unsigned flags, char *buf, size_t cap)
{
	if (cap == 0)
		return;
	snprintf(buf, cap, "-");
	switch (cell->kind) {
	case CELL_U64:
		/* Numbers that identify a row (pids are sorted upwards) are written in full; amounts may get a unit. */
		if (cell->u < 1000000)
			fmt_fixed(buf, cap, (double)cell->u, 0);
		else if (col->ascending)
			snprintf(buf, cap, "%" PRIu64, cell->u);
		else
			fmt_si(buf, cap, (double)cell->u);
		break;
	case CELL_BOOL:
		snprintf(buf, cap, "%s", cell->u ? "yes" : "no");
		break;
	case CELL_ADDRESS:
		snprintf(buf, cap, "0x%" PRIx64, cell->u);
		break;
	case CELL_PERCENT:
		if (isfinite(cell->v) && cell->v >= 0)
			percent_format(cell, flags, buf, cap);
		break;
	case CELL_RATE:
		if (isfinite(cell->v))
			rate_format(cell, flags, buf, cap);
		break;
	case CELL_RATIO:
		if (cell->r.valid && isfinite(cell->r.value))
			ratio_format(col, cell->r, flags, buf, cap);
		add_mark(cell->change, flags, buf, cap);
		break;
	case CELL_CHANGE:
		change_format(cell->change, flags, buf, cap);
		break;
	case CELL_TEXT:
	case CELL_MARK:
		if (cell->s)
			snprintf(buf, cap, "%s", cell->s);
		break;
	case CELL_ABSENT:
		break;
	}
}
