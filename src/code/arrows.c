/* Draws the jumps of a function as arrows.  Each arrow has a lane (a column of characters); short jumps get the lanes
 * nearest to the instructions.  The two ends of an arrow are beside two instructions:
 *
 * 	,-- the upper end; its "<" or ">" is at the instruction that is jumped to
 * 	|
 * 	`-> the lower end */
#include "base/alloc.h"

#include <cyctop/code.h>

#include <string.h>

enum {
	LANES = ARROWS_MAX - 2, /* columns for lines; right of them are a dash and the arrow head */
	SPAN_MAX = 2048,	/* maximum length of a jump, in rows: longer jumps are not drawn, to bound the work */
};

struct jump {
	size_t from, to; /* indices of instructions */
};

static size_t top(const struct jump *j)
{
	return j->from < j->to ? j->from : j->to;
}

static size_t bottom(const struct jump *j)
{
	return j->from < j->to ? j->to : j->from;
}

static int by_length(const void *va, const void *vb)
{
	const struct jump *a = va, *b = vb;
	size_t x = bottom(a) - top(a), y = bottom(b) - top(b);
	if (x != y)
		return x < y ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static void put(char *row, size_t lane, char end, bool target)
{
	row[lane] = end;
	for (size_t i = lane + 1; i <= LANES; i++)
		row[i] = row[i] == ' ' || row[i] == '-' ? '-' : row[i] == '|' ? '+' : row[i];
	if (target || row[LANES + 1] == ' ')
		row[LANES + 1] = target ? '>' : '-';
}

/* Draws a jump in the nearest lane that is free between the jump's ends; does nothing if no lane is free. */
static void draw(const struct jump *j, uint8_t *busy, struct code_arrows *ret)
{
	size_t first = top(j), last = bottom(j);
	uint8_t taken = 0;
	for (size_t i = first; i <= last; i++)
		taken |= busy[i];
	if (taken == UINT8_MAX)
		return;
	unsigned nearest = (unsigned)__builtin_ctz(~(unsigned)taken);
	size_t lane = LANES - 1 - nearest;
	for (size_t i = first; i <= last; i++) {
		busy[i] |= (uint8_t)(1u << nearest);
		char *cell = &ret->rows[i][lane];
		*cell = *cell == '-' ? '+' : '|';
	}
	put(ret->rows[first], lane, ',', first == j->to);
	put(ret->rows[last], lane, '`', last == j->to);
	size_t width = ARROWS_MAX - lane;
	ret->width = width > ret->width ? width : ret->width;
}

/* Moves all arrows to the left edge. */
static void trim(struct code_arrows *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		memmove(a->rows[i], a->rows[i] + ARROWS_MAX - a->width, a->width + 1);
}

void code_arrows_draw(const struct instructions *in, struct code_arrows *ret)
{
	_Static_assert(LANES == 8, "a bit of `busy` for each lane");
	VEC(struct jump) jumps = {0};
	uint8_t *busy = mem_calloc(in->n + 1, 1);
	*ret = (struct code_arrows){.rows = mem_calloc(in->n + 1, sizeof(*ret->rows))};
	for (size_t i = 0; i < in->n; i++) {
		size_t to = in->v[i].kind == INSTRUCTION_JUMP && in->v[i].target ? instructions_at(in, in->v[i].target)
										 : in->n;
		memset(ret->rows[i], ' ', ARROWS_MAX);
		if (to < in->n && to != i && (to > i ? to - i : i - to) <= SPAN_MAX)
			vec_push(&jumps) = (struct jump){i, to};
	}
	if (jumps.n)
		qsort(jumps.data, jumps.n, sizeof(*jumps.data), by_length);
	for (size_t i = 0; i < jumps.n; i++)
		draw(&jumps.data[i], busy, ret);
	trim(ret, in->n);
	free(busy);
	vec_free(&jumps);
}
