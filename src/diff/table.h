/* The table of one side: its rows by their normalised names (meaning.h), with weights by interval. */
#ifndef DIFF_TABLE_H
#define DIFF_TABLE_H

#include "base/alloc.h"
#include "base/index.h"
#include "base/strbuf.h"

#include <cyctop/diff.h>

struct table_row {
	size_t key_at, key_n; /* position and length of the row's key in diff_table.keys */
	uint32_t alias;	      /* 1 + index of the row's first alias; 0: it has none */
};

/* A name of a row before normalisation, if it differs from the name in the key. */
struct table_alias {
	uint32_t row, next; /* next: 1 + index of the row's next alias; 0: this is the last */
	size_t at;	    /* position in diff_table.alias_text */
};

/* A run of a sparse series: the points [at, at + n) have weights; intervals that are in no run have the weight 0. */
struct table_run {
	size_t at;
	uint32_t n, next; /* next: 1 + index of the series' next run; 0: this is the last */
};

struct diff_table {
	enum dimension_id dims[DIM_COUNT];
	size_t dims_n;
	size_t events_n, intervals_n;
	double *seconds; /* [intervals_n]: length of each interval */
	VEC(struct table_row) rows;
	VEC(char) keys;
	struct index by_key, by_alias;
	VEC(struct table_alias) aliases;
	VEC(char) alias_text;
	VEC(uint64_t) samples; /* [row * sums.n + sum] */
	VEC(double) weights;   /* [row * sums.n + sum] */
	VEC(uint32_t) series;  /* [row * sums.n + sum]: 1 + index of the series' first run; 0: all weights are 0 */
	VEC(struct table_run) runs;
	VEC(uint32_t) points;	    /* indices of intervals that have a weight */
	VEC(double) points_weights; /* [point]: weight in the interval points[point] */
	size_t others;		    /* number of rows that were summed in the row "[others]" */
	VEC(size_t) parts_at;	    /* after diff_join(): the first interval of each file; otherwise empty */
	struct pmu_sibling siblings[EVENTS_MAX];
	struct row_sums sums;
};

/* Returns the row with this key, of `n` bytes; INDEX_NONE: there is none. */
uint32_t table_find(const struct diff_table *t, const char *key, size_t n);

/* A sum of an event's samples, over some rows. */
struct table_sum {
	uint64_t samples;
	double weight;
	double *series; /* [intervals_n], owned by the caller: weights are added to it */
};
/* Add to *to: sum `i` of a row; all sums in `set`, as bits; the sums of an event and its siblings (same event of other
 * PMUs). */
void table_add_sum(const struct diff_table *t, size_t row, size_t i, struct table_sum *to);
void table_add_sums(const struct diff_table *t, size_t row, uint64_t set, struct table_sum *to);
void table_add_event(const struct diff_table *t, size_t row, size_t event, struct table_sum *to);

/* Returns a table of this shape without rows. */
struct diff_table *table_create(const struct diff_shape *shape);
/* Returns the row with this key, of `n` bytes; adds the row if there is none. */
uint32_t table_row_at(struct diff_table *t, const char *key, size_t n);
/* Append the value of a dimension to a key: unchanged; or normalised (meaning.h). */
void key_add(struct strbuf *b, const struct key_value *v);
void key_add_meaning(struct strbuf *b, enum dimension_id dim, const struct key_value *v);
/* Add to sum `sum` of a row: samples, and weights by interval; or a sum of table `from`, whose first interval is
 * interval `first` of `t`. */
void table_add_series(struct diff_table *t, uint32_t row, size_t sum, uint64_t samples, const double *series);
void table_add_sum_of(struct diff_table *t, uint32_t row, size_t sum, const struct diff_table *from, size_t from_row,
		      size_t from_sum, uint32_t first);

/* Adds to a row's aliases those of names[dims_n] that differ from the name in the row's key. */
void table_add_names(struct diff_table *t, uint32_t row, const struct key_value *names);
/* Appends the aliases of a row, a NUL after each. */
void table_list_names(const struct diff_table *t, uint32_t row, struct strbuf *ret);

/* Splits a key into names, ret[dims_n], whose texts point into the key. */
void key_names(const char *key, size_t n, size_t dims_n, struct key_value *ret);

#endif
