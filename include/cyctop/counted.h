/* Room counted: calls of functions as they were counted, with the names of the functions: made of a program that runs
 * with the library that counts them (room calls), sorted, and compared. */
#ifndef CYCTOP_COUNTED_H
#define CYCTOP_COUNTED_H

#include <cyctop/calls.h>
#include <cyctop/diff.h>
#include <cyctop/event.h>

/* A function, each call of which was counted. */
struct calls_line {
	size_t id; /* differs from those of all other lines */
	const char *dso, *symbol;
	uint64_t calls, left; /* left: calls that ended without a return */
	uint64_t outermost;   /* calls while no other call of it was going on, of which `total` is */
	double self_ns, total_ns;
	double call_ns;		    /* mean time of a call, with what it calls; 0: none returned */
	const double *self, *total; /* [events_n] */
	/* Calls by their time, with what they call: calls_time_bucket(), in calls_output.bucket_ns. */
	uint64_t buckets[CALLS_BUCKETS];
	const uint64_t *event_buckets; /* [events_n][CALLS_BUCKETS]: calls_event_bucket(); NULL: not known */
};
/* The calls of one function by another. */
struct calls_pair {
	const struct calls_line *caller, *callee; /* caller NULL: code that is not counted */
	uint64_t calls;
	double ns; /* time with what the callee calls, less what counting cost */
};

/* ---- all functions ----------------------------------------------------------------------------- */

enum { CALLS_TABLE_EVENTS = 8 };
struct calls_table {
	struct calls_line *lines; /* [n], of functions with calls; the id of each is its index */
	size_t n;
	double *sums;		  /* counts of events, to which the lines refer */
	uint64_t *event_buckets;  /* likewise */
	struct calls_pair *pairs; /* [pairs_n] */
	size_t pairs_n;
	const char *events[CALLS_TABLE_EVENTS];
	size_t events_n;
	double self_ns, bucket_ns; /* see calls_output */
	struct diff_notes notes;
	struct intern *names; /* texts of lines and events */
};
void calls_table_deinit(struct calls_table *t);

/* ---- what is printed of them: arrange.c --------------------------------------------------------------- */

enum calls_order { CALLS_BY_SELF, CALLS_BY_TOTAL, CALLS_BY_CALLS, CALLS_BY_CALL };
struct calls_choice {
	enum calls_order order;
	const char *function; /* name or pattern; NULL: all */
	size_t top;	      /* lines, at most; 0: all */
	double min_percent;   /* see calls_output */
};
struct calls_output {
	const struct calls_line *const *lines;
	const struct calls_pair *pairs;
	size_t pairs_n;
	const struct diff_notes *notes; /* what was not counted; NULL: nothing to note */
	size_t n, more;			/* more: lines left out by the limit on their number */
	bool chosen;			/* the lines are those of functions that the user named */
	const char *const *events;
	size_t events_n;
	double self_ns;	    /* time of all functions, also those left out */
	double seconds;	    /* in which these calls were; 0: not told */
	double bucket_ns;   /* the unit of histograms */
	double min_percent; /* graph and tree leave out functions with a smaller part of all time */
};
/* Chooses and sorts lines of a table; the caller frees ret->lines.  -ENOENT: no function has the name. */
CYC_MUST_CHECK int calls_arrange(const struct calls_choice *choice, const struct calls_table *t,
				 struct calls_output *ret, struct error *err);

/* ---- what counted functions are called: names.c ------------------------------------------------------- */

struct calls_names;
CYC_MUST_CHECK int calls_names_create(struct calls_names **ret, struct error *err);
void calls_names_destroy(struct calls_names *names);
/* Makes a table of counts, which have only grown since the table before.  Functions whose names are not known after
 * `settle_ms` get them in a later table. */
void calls_table_create(struct calls_names *names, const struct calls_counts *counts, int settle_ms,
			struct calls_table *ret);

/* ---- a program with the library that counts its calls: run.c ------------------------------------------- */

struct calls_run {
	uint8_t *tables;		/* which the program shares */
	uint64_t began_ticks, began_ns; /* when the process of the program was made */
	struct calls_names *names;
	const struct event_spec *events; /* [events_n], borrowed */
	size_t events_n;
};
/* Makes the tables, and sets the environment, so that the process that is made next counts its calls; calls_run_made()
 * resets it.  To be closed in any case. */
CYC_MUST_CHECK int calls_run_open(const struct event_spec *events, size_t events_n, struct calls_run *ret,
				  struct error *err);
/* Must be called when the process of the program was made. */
void calls_run_made(struct calls_run *run);
/* Makes a table of the calls that have ended until now.  Without any it is empty, and a note says why, with the name
 * `program`. */
CYC_MUST_CHECK int calls_run_read(struct calls_run *run, const char *program, int settle_ms, struct calls_table *ret,
				  struct error *err);
void calls_run_close(struct calls_run *run);
/* uncounted.c: says why no call of a program was counted, as what follows its name.  `loaded`: it, or what it executed,
 * did load the library that counts calls. */
const char *calls_why_uncounted(const char *program, bool loaded);

/* ---- two tables, compared: compare.c ------------------------------------------------------------------- */

enum { CALLS_NUMBERS_MAX = 5 + 2 * CALLS_TABLE_EVENTS };
/* A number that functions have on both sides. */
struct calls_number {
	char id[112], title[40]; /* title "": the number is not in text */
	double unit;		 /* of text */
	int decimals;		 /* of text */
};
struct calls_change {
	const char *dso, *symbol; /* dso NULL: functions of one name in all files */
	bool known[DIFF_SIDES];
	double *v[DIFF_SIDES]; /* [numbers_n]; NAN: not known */
};
struct calls_diff_output {
	const char *files[DIFF_SIDES];
	const struct calls_table *sides[DIFF_SIDES];
	const struct calls_number *numbers;
	size_t numbers_n;
	const struct calls_change *rows; /* [n] */
	size_t n, more;			 /* more: left out by the limit on their number */
};

struct calls_compared {
	/* Filled in by the caller: the tables, and how they are compared. */
	struct calls_table sides[DIFF_SIDES];
	const enum dimension_id *dims; /* [dims_n]: DIM_DSO and DIM_SYMBOL, or one of them */
	size_t dims_n;
	const char *filter; /* rows with that in their names; NULL: all */
	/* Filled in by calls_compare(). */
	size_t event[CALLS_TABLE_EVENTS][DIFF_SIDES], events_n; /* of both sides, their index on each */
	struct calls_number numbers[CALLS_NUMBERS_MAX];
	size_t numbers_n;
	struct diff_table *rows; /* with the sums of both sides, rows of one meaning being one */
	struct calls_changes {
		struct calls_change *data;
		size_t n, cap;
	} changes;	/* the largest difference first */
	double *values; /* to which these refer */
};
void calls_compare(struct calls_compared *c);
/* Frees the tables as well. */
void calls_compared_deinit(struct calls_compared *c);

#endif
