/* Room comparison: what a session measured, what files have and what runs of commands were -> comparisons. */
#ifndef CYCTOP_COMPARISON_H
#define CYCTOP_COMPARISON_H

#include <cyctop/diff.h>
#include <cyctop/session.h>
#include <sys/resource.h>

/* ---- what is compared: filters.c -------------------------------------------------------------------- */

/* Whom to show, as filters of all tables: processes, threads or a user; CPUs; commands. */
enum { COMPARISON_FILTERS_MAX = 3 };

struct filters {
	struct filter v[COMPARISON_FILTERS_MAX];
	size_t n;
	char text[256]; /* all of them in words: "process 17, command 'sh'"; "": none */
};
/* Refers to both.  `target` NULL: it was chosen when it was measured.  `comm` is a pattern of commands; NULL: all. */
void filters_init(const struct target *target, const char *comm, struct filters *ret);

/* ---- turns of two states, A and B, one after the other: toggle.c ------------------------------------ */

/* Which turn is being measured, and since when. */
struct toggle {
	bool on;
	size_t side;	  /* of the turn that is being measured: 0 is A, 1 is B */
	uint64_t from_ns; /* intervals that began before are not of it */
};

/* Begins a turn of that state.  The interval in which that is belongs to no turn. */
void toggle_begin(struct toggle *t, const struct session *s, size_t side);
/* Ends it.  false: it had no whole interval, and does not count.  *limit_ret: why an earlier pair was dropped; NULL:
 * none was. */
bool toggle_finish(struct toggle *t, struct session *s, const char **limit_ret);
/* Ends the turn, and begins one of the other state; the first one is of A.  Writes to `text` what is measured now, and
 * what to do. */
void toggle_next(struct toggle *t, struct session *s, char *text, size_t cap);
/* Says which turn is measured, and how many pairs there are. */
void toggle_say(const struct toggle *t, struct session *s, const char *limit, char *text, size_t cap);
/* Forgets all turns. */
void toggle_end(struct toggle *t, struct session *s);

/* ---- runs of two commands: runs.c ------------------------------------------------------------------- */

/* How a run of a command ended. */
struct command_run {
	int error;  /* errno with which it could not be run; 0: it ran */
	int status; /* of wait() */
	uint64_t wall_ns;
	struct rusage usage;		       /* of it and all that it waited for */
	struct tally_count counts[EVENTS_MAX]; /* of the events that are counted */
	bool sampled;			       /* there is a recording of it */
};

static inline bool run_failed(const struct command_run *run)
{
	return run->error || run->status;
}

enum runs_unit { RUNS_SECONDS, RUNS_BYTES, RUNS_EVENTS };
struct runs_metric {
	const char *name;
	enum runs_unit unit;
	struct runs_middle side[DIFF_SIDES];
	struct compare_change ratio; /* B / A, pair by pair */
};
/* A run that is far from the others of its command; it counts like them. */
struct runs_outlier {
	enum diff_side side;
	size_t run;
	const char *metric;   /* "wall" or "cpu" */
	double value, middle; /* seconds: of the run, and the median of all */
};

enum { COMPARE_METRICS_MAX = 7 + EVENTS_MAX };

/* Runs k of both commands were made in one turn. */
struct compare_runs_made {
	const struct event_spec *events; /* [events_n], of `counts` */
	size_t events_n;
	const struct command_run *const *pairs; /* [2 * n]: those of A and B */
	size_t n;
};
/* Writes what was measured into ret[COMPARE_METRICS_MAX], without a verdict; returns how many they are. */
size_t compare_metrics(const struct compare_runs_made *made, struct runs_metric *ret);

/* Finds the runs whose time is far from that of the others, the farthest first, [2 * n] at most: by more than 8
 * standard deviations, as the median deviation tells them, and by more than 5 %.  `numbers` are those of the pairs,
 * [n].  Of fewer than 5 pairs nobody knows what is usual. */
enum { COMPARE_OUTLIERS_OF = 5 };
size_t compare_outliers(const struct compare_runs_made *made, const size_t *numbers, struct runs_outlier *ret);

/* What the functions of each run weigh; rows of which nothing is known are joined. */
struct compare_functions {
	const struct diff_table *const *tables; /* [2 * n], of pairs: by DSO and symbol; NULL: without samples */
	size_t n;
	/* [2 * n]: what a run is worth in all: its samples say how it is divided.  NULL: they say how much it is. */
	const double *wholes;
	const double
		*unsampled; /* [2 * n]: what of a run could not be sampled, since it is of the kernel; NULL: nothing */
	double fdr, min_change;
	bool (*rebuilt)(const void *ctx, const char *name); /* see struct diff_config */
	const void *rebuilt_ctx;
};
/* Of a row the number on each side is the mean of all runs, and all rows add up to the whole. */
struct diff *compare_functions_create(const struct compare_functions *f);
/* Its rows, the largest difference first; the caller frees them. */
const struct diff_row **compare_functions_order(const struct diff *d);

#endif
