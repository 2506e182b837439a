#include "view/internal.h"

#include "base/fmt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A number in at most six cells: fewer decimals as it grows, then a unit. */
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

static void ratio_format(const struct column *col, struct ratio r, unsigned flags, char *buf, size_t cap)
{
	const struct metric *m = col->metric;
	double scale = m && m->format == METRIC_PERCENT ? 100 : 1;
	int decimals = m ? m->decimals : 2;
	char value[32], error[32];

	number(value, sizeof(value), r.value * scale, decimals);
	const char *mark = ratio_supported(r) ? "" : "~";
	/* What was counted, not sampled, has no error of this kind. */
	if (!(flags & CELL_WITH_ERROR) || !(r.error > 0)) {
		snprintf(buf, cap, "%s%s", mark, value);
		return;
	}
	number(error, sizeof(error), r.error * scale, decimals);
	snprintf(buf, cap, "%s%s%s%s", mark, value, flags & CELL_ASCII ? "+-" : "±", error);
}

void cell_format(const struct column *col, const struct cell *cell, unsigned flags, char *buf, size_t cap)
{
	if (cap == 0)
		return;
	snprintf(buf, cap, "-");
	switch (cell->kind) {
	case CELL_U64:
		/* Numbers that identify stay whole; amounts may take a unit. */
		if (col->ascending || cell->u < 1000000)
			snprintf(buf, cap, "%" PRIu64, cell->u);
		else
			fmt_si(buf, cap, (double)cell->u);
		break;
	case CELL_PERCENT:
		if (isfinite(cell->v) && cell->v >= 0)
			number(buf, cap, cell->v * 100, 1);
		break;
	case CELL_RATE:
		if (isfinite(cell->v))
			fmt_si(buf, cap, cell->v);
		break;
	case CELL_RATIO:
		if (cell->r.valid && isfinite(cell->r.value))
			ratio_format(col, cell->r, flags, buf, cap);
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
