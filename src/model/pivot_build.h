/* State of a pivot (table of facts summed by some dimensions) while facts are added to its rows. */
#ifndef MODEL_PIVOT_BUILD_H
#define MODEL_PIVOT_BUILD_H

#include "base/alloc.h"
#include "base/index.h"
#include "model/classes.h"
#include "model/parts.h"
#include "model/pivot.h"

/* Key of a row: the class (classes.h) of each of a fact's ids, and the kind of idle task's time. */
struct row_key {
	uint32_t class[PART_COUNT];
	uint32_t idle; /* IDLE_NOT, IDLE_TIME or IDLE_INTERRUPTS */
};
/* The idle task's facts can have two rows: one of idle time, and one of interrupts on idle CPUs. */
enum { IDLE_NOT, IDLE_TIME, IDLE_INTERRUPTS, IDLE_KINDS };
#define ROW_OUTSIDE (UINT32_MAX - 1) /* a filter excludes the fact */

/* Traits of a fact, as bits, which decide whether a pivot hides it, and whether it is idle time. */
enum trait {
	TRAIT_SAMPLED = 1 << 0, /* the fact has samples, not just CPU time */
	TRAIT_SELF = 1 << 1,
	TRAIT_KERNEL_TASK = 1 << 2,
	TRAIT_IDLE_TASK = 1 << 3,
	TRAIT_KERNEL_CODE = 1 << 4,
	TRAIT_INTERRUPT = 1 << 5, /* the fact's code is not idle time even in the idle task */
	TRAITS = 1 << 6
};
struct verdict {
	bool left_out, idle;
	uint8_t kind; /* IDLE_NOT, IDLE_TIME or IDLE_INTERRUPTS */
};

/* A pair of a row and a class of the dimension query.top; the heaviest class of a row becomes row.top. */
struct pair {
	size_t row;
	uint32_t class;
	double weight; /* of the primary event */
};

struct pivot_build {
	const struct pivot_world *world;
	const struct pivot_query *query;
	const struct whole *whole; /* world->whole, or world->branches if rows count only taken branches */
	struct classes own[PART_COUNT];
	struct classes *parts[PART_COUNT]; /* each is in `own`, or in world->common */
	enum fact_part active[PART_COUNT]; /* the parts that have dimensions or filters */
	size_t active_n;
	enum fact_part rule; /* part of the first dimension: decides what is hidden and what is idle time */
	bool own_idle;	     /* in rows by task or by code, idle time has a row of its own */
	bool idle_is_busy;   /* treat the idle task like any other */
	bool interrupts_row; /* interrupts on idle CPUs have a row of their own */
	bool of_tasks;	     /* dimensions and filters depend on tasks alone: no task is split between rows */
	bool of_threads;     /* rows tell apart threads of a process */
	bool of_cpus;	     /* rows tell CPUs apart */
	struct verdict verdicts[TRAITS];
	VEC(struct row_key) keys;
	VEC(struct row) rows;
	struct row *trees;	    /* see struct pivot */
	VEC(struct row) totals;	    /* [row], with query.callees: the row's numbers with those of all its callees */
	VEC(struct sum) total_sums; /* [row * snap->sums.n + sum], with query.callees: the sums of `totals` */
	VEC(uint64_t) counted;	    /* [row], with query.callees: the value of `facts` when the row's total last grew */
	uint64_t facts;		    /* number of facts that were added to totals */
	/* [row], with query.tree: the row with the largest share among the row and all rows below it */
	uint32_t *hottest;
	VEC(double) estimated; /* [row]: the estimated part of the row's CPU time, in ns */
	/* [row * snap->sums.n + sum]; row.sums is set only when this array no longer grows */
	VEC(struct sum) sums;
	VEC(double) series;  /* [(row * snap->sums.n + sum) * snap->intervals_n + interval] */
	size_t series_rows;  /* number of rows with a series of their own; the next series sums all other rows */
	struct index by_key; /* row_key -> row */
	/* [IDLE_KINDS * (1 + class) + idle]: 1 + row of a class, 0: none; used instead of by_key if only one part is
	 * active. */
	VEC(uint32_t) row_of;
	/* [part_slots()]: 1 + row of an id, or 1 + ROW_OUTSIDE; 0: not looked up yet.  Used before row_of, without
	 * finding the class, but only for facts with IDLE_NOT, as most are. */
	uint32_t *row_of_slot;
	struct classes *top; /* classes of the dimension query.top; NULL: rows have no top */
	VEC(struct pair) pairs;
	struct index by_pair;
};

/* pivot_rows.c: finds the row that a fact belongs to. */

/* Returns the index of the row with this key; adds the row if there is none. */
uint32_t pivot_row_of_key(struct pivot_build *b, const struct row_key *key);
/* Returns the index of the row of a fact, or ROW_OUTSIDE if a filter excludes the fact.  `kind`: IDLE_NOT, ... */
uint32_t pivot_look_up_row(struct pivot_build *b, const struct fact_key *key, bool idle, uint32_t kind);

static inline uint32_t pivot_row_of_fact(struct pivot_build *b, const struct fact_key *key, bool idle, uint32_t kind)
{
	if (!b->row_of_slot || kind != IDLE_NOT || idle)
		return pivot_look_up_row(b, key, idle, kind);
	uint32_t *row = &b->row_of_slot[part_slot(b->world->names, b->rule, key_id(key, b->rule))];
	if (!*row)
		*row = 1 + pivot_look_up_row(b, key, idle, kind);
	return *row - 1;
}

/* pivot.c: adds the numbers of `part`, except sums[], to those of `to`. */
void pivot_add_row(struct row *to, const struct row *part);

/* pivot_tree.c, with query.tree: sets the parents of rows, adds missing parents, and makes b->trees: rows that sum a
 * row and all rows below it.  Shares are still sums of weights. */
void pivot_make_tree(struct pivot_build *b);

/* pivot_finish.c: the last step, after all facts were added. */

/* Adds the row of interrupts, computes shares and CPU times, and sorts the rows if the query is by name. */
void pivot_finish_rows(struct pivot_build *b, struct pivot *ret);

#endif
