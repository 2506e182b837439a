/* The rows of one side, by what their names mean. */
#ifndef DIFF_TABLE_H
#define DIFF_TABLE_H

#include "base/alloc.h"
#include "base/index.h"
#include "base/strbuf.h"

#include <cyctop/diff.h>

struct table_row {
	size_t key_at, key_n; /* its names in diff_table.keys: see key_add() */
	uint32_t alias;	      /* the first; index + 1; 0: it has none */
};

/* A further name of a row, which its key does not have. */
struct table_alias {
	uint32_t row, next; /* next: index + 1; 0: it is the last */
	size_t at;	    /* in diff_table.alias_text */
};

/* A piece of a series: the intervals of points [at, at + n) have weights, and so have those of further pieces. */
struct table_run {
	size_t at;
	uint32_t n, next; /* next: index + 1; 0: it is the last */
};

struct diff_table {
	enum dimension_id dims[DIM_COUNT];
	size_t dims_n;
	size_t events_n, intervals_n;
	double *seconds; /* [intervals_n] */
	VEC(struct table_row) rows;
	VEC(char) keys;
	struct index by_key, by_alias;
	VEC(struct table_alias) aliases;
	VEC(char) alias_text;
	VEC(uint64_t) samples; /* [row * sums.n + sum] */
	VEC(double) weights;   /* the same */
	VEC(uint32_t) series;  /* the same: index + 1 of its first run; 0: nothing but zeros */
	VEC(struct table_run) runs;
	VEC(uint32_t) points;	    /* intervals */
	VEC(double) points_weights; /* in them */
	size_t others;		    /* rows that share one, because there were too many */
	VEC(size_t) parts_at;	    /* of diff_table_join(): the first interval of each table; else empty */
	struct pmu_sibling siblings[EVENTS_MAX];
	struct row_sums sums;
};

/* The row with the same key; INDEX_NONE: there is none. */
uint32_t table_find(const struct diff_table *t, const char *key, size_t n);

/* A sum of some of a row's sums. */
struct table_sum {
	uint64_t samples;
	double weight;
	double *series; /* [intervals_n], the caller's: the sums are added to it */
};
/* Adds one of a row's sums. */
void table_add_sum(const struct diff_table *t, size_t row, size_t i, struct table_sum *to);
/* Adds a set of them, as bits; those of an event and its siblings. */
void table_add_sums(const struct diff_table *t, size_t row, uint64_t set, struct table_sum *to);
void table_add_event(const struct diff_table *t, size_t row, size_t event, struct table_sum *to);

/* A table of this shape without rows. */
struct diff_table *table_create(const struct diff_shape *shape);
/* The row with that key, which is made if there is none. */
uint32_t table_row_at(struct diff_table *t, const char *key, size_t n);
/* Appends the value of a dimension to a key: as it is, or what it means. */
void key_add(struct strbuf *b, const struct key_value *v);
void key_add_meaning(struct strbuf *b, enum dimension_id dim, const struct key_value *v);
/* Adds samples and weights to a sum of a row: of all intervals; of a sum in another table, whose first interval is
 * interval `first` here. */
void table_add_series(struct diff_table *t, uint32_t row, size_t sum, uint64_t samples, const double *series);
void table_add_sum_of(struct diff_table *t, uint32_t row, size_t sum, const struct diff_table *from, size_t from_row,
		      size_t from_sum, uint32_t first);

/* Notes the names that a row was made of, [dims_n], as far as they are not what its key says. */
void table_add_names(struct diff_table *t, uint32_t row, const struct key_value *names);
/* Appends what was noted, a NUL behind each name. */
void table_list_names(const struct diff_table *t, uint32_t row, struct strbuf *ret);

/* Takes the names of a key apart; their texts are within the key. */
void key_names(const char *key, size_t n, size_t dims_n, struct key_value *ret);

#endif
