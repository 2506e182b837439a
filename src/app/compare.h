/* cyctop compare [OPTIONS] -- A... --- B...: runs of two commands in turn, and what differs. */
#ifndef APP_COMPARE_H
#define APP_COMPARE_H

#include "app/diff.h"
#include "os/launcher.h"

enum { COMPARE_RUNS_MAX = 500, COMPARE_PATH = 4096 };

struct compare_options {
	struct diff_options diff;    /* its common options, fdr, min_change, bounds and top */
	size_t runs;		     /* of each command */
	uint64_t seed;		     /* of the order */
	const char *output;	     /* a file; NULL: standard output */
	char **commands[DIFF_SIDES]; /* NULL behind the last word of each */
};
/* compare_options.c; argv[0] is "compare". */
size_t compare_option_rows(struct option_row ret[static OPTION_ROWS_MAX]);
CYC_MUST_CHECK int compare_options_parse(int argc, char **argv, struct compare_options *ret, struct error *err);
void compare_options_help(FILE *out);

/* ---- runs: compare_run.c ------------------------------------------------------------------------- */

struct command_run {
	struct launch_end end;
	struct tally_count counts[EVENTS_MAX]; /* of the events of -e */
	bool sampled;			       /* there is a recording of it: see runner_path() */
};

static inline bool run_failed(const struct command_run *run)
{
	return run->end.error || run->end.status;
}

/* Runs commands, counted and sampled. */
struct runner {
	const struct compare_options *options;
	struct launcher launcher;
	char dir[COMPARE_PATH];		       /* private: recordings, and what the commands print */
	int signals, quit_fd;		       /* signals_open(); -1: not open */
	int interrupted;		       /* by this signal; 0: it was not */
	struct tally_event events[EVENTS_MAX]; /* how the events of -e could be counted in the last run */
	struct event_spec sampled;	       /* the event that is */
	bool user_only;			       /* only in user space */
	char notice[1024], why[256];	       /* how runs are sampled; why they are not: "": they are */
	int argc;
	char **argv; /* for the recordings */
};
/* Before privileges are dropped, which it does. */
CYC_MUST_CHECK int runner_open(struct runner *r, struct error *err);
void runner_close(struct runner *r);
/* Number 0: to warm up.  -EINTR: the user ended it. */
CYC_MUST_CHECK int runner_run(struct runner *r, enum diff_side side, size_t number, struct command_run *ret,
			      struct error *err);
enum runner_file { RUN_OUTPUT, RUN_RECORDING };
void runner_path(const struct runner *r, enum diff_side side, size_t number, enum runner_file file,
		 char buf[static COMPARE_PATH]);

/* ---- what differs: compare_result.c -------------------------------------------------------------- */

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

/* argv[0] is "compare".  The exit status. */
int compare_main(int argc, char **argv);

#endif
