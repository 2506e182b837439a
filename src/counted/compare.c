/* Compares two tables of counted calls.  Counts have no sampling error, so every difference is shown. */
#include "base/alloc.h"

#include <cyctop/counted.h>
#include <cyctop/view.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Indices of a function's sums on one side.  From SUM_EVENTS on each event has two sums: of the function itself, and of
 * its outermost calls. */
enum { SUM_LINES, SUM_CALLS, SUM_LEFT, SUM_OUTERMOST, SUM_SELF, SUM_TOTAL, SUM_ALL, SUM_EVENTS };
enum { SUMS = SUM_EVENTS + 2 * CALLS_TABLE_EVENTS };
_Static_assert(DIFF_SIDES *SUMS <= SUMS_MAX && SUMS <= EVENTS_MAX, "a row has the sums of both sides");

/* Indices of a function's printed numbers.  From N_EVENTS on each event has two numbers: for the function itself, and
 * per call. */
enum { N_SELF, N_TOTAL, N_CALLS, N_LEFT, N_CALL, N_EVENTS };
_Static_assert(N_EVENTS + 2 * CALLS_TABLE_EVENTS == CALLS_NUMBERS_MAX, "each number has a place");

static void find_events(struct calls_compared *c)
{
	const struct calls_table *before = &c->sides[DIFF_BEFORE], *after = &c->sides[DIFF_AFTER];
	for (size_t b = 0; b < before->events_n; b++)
		for (size_t a = 0; a < after->events_n; a++)
			if (strcmp(before->events[b], after->events[a]) == 0 && c->events_n < CALLS_TABLE_EVENTS) {
				c->event[c->events_n][DIFF_BEFORE] = b;
				c->event[c->events_n++][DIFF_AFTER] = a;
			}
}

static void list_numbers(struct calls_compared *c)
{
	static const struct calls_number times[] = {
		[N_SELF] = {"self_ns", "SELF ms", 1e6, 3}, [N_TOTAL] = {"total_ns", "", 1, 0},
		[N_CALLS] = {"calls", "CALLS", 1, 0},	   [N_LEFT] = {"left", "", 1, 0},
		[N_CALL] = {"call_ns", "ns/CALL", 1, 1},
	};
	memcpy(c->numbers, times, sizeof(times));
	c->numbers_n = N_EVENTS;
	for (size_t e = 0; e < c->events_n; e++) {
		const char *name = c->sides[DIFF_BEFORE].events[c->event[e][DIFF_BEFORE]];
		struct calls_number *self = &c->numbers[c->numbers_n++], *call = &c->numbers[c->numbers_n++];
		*self = *call = (struct calls_number){.unit = 1, .decimals = 1};
		snprintf(self->id, sizeof(self->id), "%.100s.self", name);
		snprintf(call->id, sizeof(call->id), "%.100s.call", name);
		snprintf(call->title, sizeof(call->title), "%.24s/CALL", name);
	}
}

/* ---- making rows with the sums of both sides -------------------------------------------------------- */

static void add_line(struct calls_compared *c, struct diff_table *t, enum diff_side side, const struct calls_line *l)
{
	const struct key_value names[] = {{.kind = KEY_TEXT, .text = l->dso}, {.kind = KEY_TEXT, .text = l->symbol}};
	double sums[SUMS] = {
		[SUM_LINES] = 1,
		[SUM_CALLS] = (double)l->calls,
		[SUM_LEFT] = (double)l->left,
		[SUM_OUTERMOST] = (double)l->outermost,
		[SUM_SELF] = l->self_ns,
		[SUM_TOTAL] = l->total_ns,
		[SUM_ALL] = l->call_ns * (double)l->calls,
	};
	for (size_t e = 0; e < c->events_n; e++) {
		sums[SUM_EVENTS + 2 * e] = l->self[c->event[e][side]];
		sums[SUM_EVENTS + 2 * e + 1] = l->total[c->event[e][side]];
	}
	uint32_t row = diff_table_row(t, names);
	for (size_t i = 0; i < SUMS; i++)
		diff_table_add(t, row, side * SUMS + i, 0, &sums[i]);
}

/* Makes a table of both sides' functions; functions whose names differ only by build or path are one row. */
static void make_rows(struct calls_compared *c)
{
	static const enum dimension_id dims[] = {DIM_DSO, DIM_SYMBOL};
	static const struct pmu_sibling siblings[SUMS];
	static const double second = 1;
	struct row_sums sums = {.n = DIFF_SIDES * SUMS};
	for (size_t i = 0; i < sums.n; i++)
		sums.event[i] = (uint8_t)(i % SUMS);
	const struct diff_shape shape = {
		.dims = dims,
		.dims_n = ARRAY_LEN(dims),
		.events_n = SUMS,
		.intervals_n = 1,
		.seconds = &second,
		.siblings = siblings,
		.sums = &sums,
	};
	const struct diff_grouping by = {.dims = c->dims, .dims_n = c->dims_n};
	struct diff_table *exact = diff_table_empty(&shape);
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		for (size_t i = 0; i < c->sides[side].n; i++)
			add_line(c, exact, side, &c->sides[side].lines[i]);
	c->rows = diff_table_group(exact, &by);
	diff_table_destroy(exact);
}

/* ---- computing the numbers of a row ----------------------------------------------------------------- */

static double ratio(double of, double n)
{
	return n > 0 ? of / n : NAN;
}

static bool add_side(const struct calls_compared *c, uint32_t row, enum diff_side side, double *ret)
{
	double sums[SUMS] = {0};
	for (size_t i = 0; i < SUMS; i++)
		diff_table_sum(c->rows, row, side * SUMS + i, &sums[i]);
	ret[N_SELF] = sums[SUM_SELF];
	ret[N_TOTAL] = sums[SUM_TOTAL];
	ret[N_CALLS] = sums[SUM_CALLS];
	ret[N_LEFT] = sums[SUM_LEFT];
	ret[N_CALL] = ratio(sums[SUM_ALL], sums[SUM_CALLS]);
	for (size_t e = 0; e < c->events_n; e++) {
		ret[N_EVENTS + 2 * e] = sums[SUM_EVENTS + 2 * e];
		ret[N_EVENTS + 2 * e + 1] = ratio(sums[SUM_EVENTS + 2 * e + 1], sums[SUM_OUTERMOST]);
	}
	return sums[SUM_LINES] > 0;
}

static int by_difference(const void *pa, const void *pb)
{
	const struct calls_change *a = pa, *b = pb;
	double x = fabs(a->v[DIFF_AFTER][N_SELF] - a->v[DIFF_BEFORE][N_SELF]);
	double y = fabs(b->v[DIFF_AFTER][N_SELF] - b->v[DIFF_BEFORE][N_SELF]);
	return x > y ? -1 : x < y ? 1 : strcmp(a->symbol, b->symbol);
}

static void find_changes(struct calls_compared *c)
{
	size_t n = diff_table_rows(c->rows);
	c->values = mem_calloc(n * DIFF_SIDES * c->numbers_n + 1, sizeof(*c->values));
	for (uint32_t row = 0; row < n; row++) {
		struct key_value names[DIM_COUNT];
		struct calls_change change = {.dso = NULL, .symbol = ""};
		diff_table_names(c->rows, row, names);
		for (size_t i = 0; i < c->dims_n; i++)
			*(c->dims[i] == DIM_DSO ? &change.dso : &change.symbol) = names[i].text;
		if (c->filter && !text_matches(change.symbol, c->filter) &&
		    !(change.dso && text_matches(change.dso, c->filter)))
			continue;
		for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
			change.v[side] = c->values + (DIFF_SIDES * row + side) * c->numbers_n;
			change.known[side] = add_side(c, row, side, change.v[side]);
		}
		vec_push(&c->changes) = change;
	}
	if (c->changes.n)
		qsort(c->changes.data, c->changes.n, sizeof(*c->changes.data), by_difference);
}

void calls_compare(struct calls_compared *c)
{
	find_events(c);
	list_numbers(c);
	make_rows(c);
	find_changes(c);
}

void calls_compared_deinit(struct calls_compared *c)
{
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		calls_table_deinit(&c->sides[side]);
	if (c->rows)
		diff_table_destroy(c->rows);
	vec_free(&c->changes);
	free(c->values);
}
