/* Chooses which counted functions are printed, and sorts them. */
#include "base/alloc.h"

#include <cyctop/counted.h>

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static double measure_of(const struct calls_line *l, enum calls_order order)
{
	switch (order) {
	case CALLS_BY_TOTAL:
		return l->total_ns;
	case CALLS_BY_CALLS:
		return (double)l->calls;
	case CALLS_BY_CALL:
		return l->call_ns;
	default:
		return l->self_ns;
	}
}

static int compare_lines(const void *pa, const void *pb, void *ctx)
{
	const struct calls_line *a = *(const struct calls_line *const *)pa, *b = *(const struct calls_line *const *)pb;
	const enum calls_order *by = ctx;
	double x = measure_of(a, *by), y = measure_of(b, *by);
	return x > y ? -1 : x < y ? 1 : strcmp(a->symbol, b->symbol);
}

static bool is_called(const char *symbol, const char *name)
{
	size_t n = strlen(name);
	return strncmp(symbol, name, n) == 0 && (!symbol[n] || symbol[n] == '('); /* C++: parameters follow the name */
}

static bool is_like(const char *symbol, const char *pattern)
{
	return fnmatch(pattern, symbol, 0) == 0;
}

static size_t choose(const struct calls_table *t, const char *name,
		     bool (*matches)(const char *symbol, const char *name), const struct calls_line **ret)
{
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++)
		if (!name || matches(t->lines[i].symbol, name))
			ret[n++] = &t->lines[i];
	return n;
}

int calls_arrange(const struct calls_choice *choice, const struct calls_table *t, struct calls_output *ret,
		  struct error *err)
{
	enum calls_order order = choice->order;
	const struct calls_line **lines = mem_calloc(t->n + 1, sizeof(*lines));
	size_t n = choose(t, choice->function, is_called, lines);
	if (!n)
		n = choose(t, choice->function, is_like, lines);
	if (!n && choice->function) {
		free(lines);
		return error_set(err, ENOENT, "no call of a function '%.200s' was counted", choice->function);
	}
	qsort_r(lines, n, sizeof(lines[0]), compare_lines, &order);
	size_t top = choice->top && choice->top < n ? choice->top : n;
	*ret = (struct calls_output){.lines = lines,
				     .n = top,
				     .more = n - top,
				     .chosen = choice->function,
				     .events = t->events,
				     .events_n = t->events_n,
				     .self_ns = t->self_ns,
				     .pairs = t->pairs,
				     .pairs_n = t->pairs_n,
				     .notes = &t->notes,
				     .bucket_ns = t->bucket_ns,
				     .min_percent = choice->min_percent};
	return 0;
}
