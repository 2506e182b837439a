/* Room counted: runs a program with the library that counts its calls (room calls); names, sorts and compares the
 * functions that it called. */
#ifndef CYCTOP_COUNTED_H
#define CYCTOP_COUNTED_H

#include <cyctop/calls.h>
#include <cyctop/diff.h>
#include <cyctop/event.h>

/* A function, and sums over its calls; each call was counted, none estimated from samples. */
struct calls_line {
	size_t id; /* unique among the lines */
	const char *dso, *symbol;
	uint64_t calls, left; /* left: calls that ended without a return (longjmp) */
	uint64_t outermost;   /* calls without recursion, over which `total` is summed */
	double self_ns, total_ns;
	double call_ns;		    /* mean time of a call, with callees; 0: none returned */
	const double *self, *total; /* [events_n] */
	/* Histogram: number of calls by time, with callees; see calls_time_bucket().  The unit of time is
	 * calls_output.bucket_ns. */
	uint64_t buckets[CALLS_BUCKETS];
	const uint64_t *event_buckets; /* [events_n][CALLS_BUCKETS]: see calls_event_bucket(); NULL: not known */
};
/* The calls of one function by another. */
struct calls_pair {
	const struct calls_line *caller, *callee; /* caller NULL: code that is not counted */
	uint64_t calls;
	double ns; /* time of the calls, with callees, less the cost of counting */
};

/* ---- a table of all functions ------------------------------------------------------------------ */

enum { CALLS_TABLE_EVENTS = 8 };
struct calls_table {
	struct calls_line *lines; /* [n], of functions with calls; the id of each is its index */
	size_t n;
	double *sums;		  /* memory of the lines' `self` and `total` */
	uint64_t *event_buckets;  /* memory of the lines' event_buckets */
	struct calls_pair *pairs; /* [pairs_n] */
	size_t pairs_n;
	const char *events[CALLS_TABLE_EVENTS];
	size_t events_n;
	double self_ns, bucket_ns; /* see calls_output */
	struct diff_notes notes;
	struct intern *names; /* texts of lines and events */
};
void calls_table_deinit(struct calls_table *t);

/* ---- choosing and sorting the lines to print: arrange.c ----------------------------------------------- */

enum calls_order { CALLS_BY_SELF, CALLS_BY_TOTAL, CALLS_BY_CALLS, CALLS_BY_CALL };
struct calls_choice {
	enum calls_order order;
	const char *function; /* name or pattern; NULL: all */
	size_t top;	      /* maximum number of lines; 0: no limit */
	double min_percent;   /* see calls_output */
};
struct calls_output {
	const struct calls_line *const *lines;
	const struct calls_pair *pairs;
	size_t pairs_n;
	const struct diff_notes *notes; /* what could not be counted; NULL: no notes */
	size_t n, more;			/* more: number of lines left out by calls_choice.top */
	bool chosen;			/* the user named the functions that have lines */
	const char *const *events;
	size_t events_n;
	double self_ns;	    /* self time of all functions, including those that are left out */
	double seconds;	    /* time for which calls were counted; 0: unknown */
	double bucket_ns;   /* unit of time in histograms, in ns */
	double min_percent; /* graph and tree leave out functions with less than this percentage of all time */
};
/* Chooses and sorts lines of a table; the caller frees ret->lines.  -ENOENT: no function has the name. */
CYC_MUST_CHECK int calls_arrange(const struct calls_choice *choice, const struct calls_table *t,
				 struct calls_output *ret, struct error *err);

/* ---- naming the counted functions: names.c ------------------------------------------------------------ */

struct calls_names;
CYC_MUST_CHECK int calls_names_create(struct calls_names **ret, struct error *err);
void calls_names_destroy(struct calls_names *names);
/* Makes a table of `counts`, which must include all calls of the table before.  Functions whose names are not known
 * after `settle_ms` get them in a later table. */
void calls_table_create(struct calls_names *names, const struct calls_counts *counts, int settle_ms,
			struct calls_table *ret);

/* ---- running a program with the library that counts its calls: run.c ----------------------------------- */

struct calls_run {
	uint8_t *tables;		/* memory that the program shares: see struct calls_head */
	uint64_t began_ticks, began_ns; /* when the program's process was made: selfcount_ticks(), CLOCK_MONOTONIC */
	struct calls_names *names;
	const struct event_spec *events; /* [events_n], borrowed */
	size_t events_n;
};
/* Makes the tables, and sets LD_PRELOAD, so that the next process that is made counts its calls; calls_run_made()
 * resets LD_PRELOAD.  The caller must call calls_run_close(), also after an error. */
CYC_MUST_CHECK int calls_run_open(const struct event_spec *events, size_t events_n, struct calls_run *ret,
				  struct error *err);
/* Resets LD_PRELOAD; must be called after the program's process was made. */
void calls_run_made(struct calls_run *run);
/* Makes a table of the calls that have ended until now.  If no call has, the table is empty, and a note says why;
 * `program`: the program's name in the note.  `settle_ms`: see calls_table_create(). */
CYC_MUST_CHECK int calls_run_read(struct calls_run *run, const char *program, int settle_ms, struct calls_table *ret,
				  struct error *err);
void calls_run_close(struct calls_run *run);
/* uncounted.c: returns why no call of a program was counted, as the end of a sentence that begins with the program's
 * name.  `loaded`: the program, or a program that it executed, has loaded the library that counts calls. */
const char *calls_why_uncounted(const char *program, bool loaded);

/* ---- comparing two tables: compare.c ------------------------------------------------------------------- */

enum { CALLS_NUMBERS_MAX = 5 + 2 * CALLS_TABLE_EVENTS };
/* A number that functions of both sides have, such as calls or the mean time of a call. */
struct calls_number {
	char id[112], title[40]; /* title "": text output leaves it out */
	double unit;		 /* text output divides values by it */
	int decimals;		 /* decimals in text output */
};
struct calls_change {
	const char *dso, *symbol; /* dso NULL: sum over the functions of this name in all files */
	bool known[DIFF_SIDES];
	double *v[DIFF_SIDES]; /* [numbers_n]; NAN: not known */
};
struct calls_diff_output {
	const char *files[DIFF_SIDES];
	const struct calls_table *sides[DIFF_SIDES];
	const struct calls_number *numbers;
	size_t numbers_n;
	const struct calls_change *rows; /* [n] */
	size_t n, more;			 /* more: number of rows left out by the limit on their number */
};

struct calls_compared {
	/* Filled in by the caller: the tables, and how they are compared. */
	struct calls_table sides[DIFF_SIDES];
	const enum dimension_id *dims; /* [dims_n]: DIM_DSO and DIM_SYMBOL, or one of them */
	size_t dims_n;
	const char *filter; /* text that names of rows must contain; NULL: all rows */
	/* Filled in by calls_compare(). */
	size_t event[CALLS_TABLE_EVENTS][DIFF_SIDES], events_n; /* events that both sides have: index on each side */
	struct calls_number numbers[CALLS_NUMBERS_MAX];
	size_t numbers_n;
	struct diff_table *rows; /* sums of both sides; functions whose names mean the same share a row */
	struct calls_changes {
		struct calls_change *data;
		size_t n, cap;
	} changes;	/* the largest difference first */
	double *values; /* memory of calls_change.v */
};
void calls_compare(struct calls_compared *c);
/* Frees the tables as well. */
void calls_compared_deinit(struct calls_compared *c);

#endif
