/* Room comparison: what a session measured, what files have and what runs of commands were -> comparisons. */
#ifndef CYCTOP_COMPARISON_H
#define CYCTOP_COMPARISON_H

#include <cyctop/diff.h>
#include <cyctop/resolve.h>
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

/* ---- sides: side.c ---------------------------------------------------------------------------------- */

/* What a session measures, and how it is compared. */
struct measured {
	struct session *session;
	struct query query;	/* what all queries have in common: filters, and what is hidden */
	const char *only;	/* the filters in words; "": none */
	const char *per;	/* the event of DIFF_UNIT_EVENT; NULL: none */
	double fdr, min_change; /* as in struct diff_config */
};

/* What a session measured, or a file of either kind has. */
struct side {
	struct diff_about about;
	struct diff_table *table;
	struct function_files files; /* what its files are, and of a recording, which functions they have */
};
void side_deinit(struct side *side);
/* For diff_config.rebuilt: may the files of that name be of several builds?  `files` are those of each side,
 * [DIFF_SIDES]. */
bool side_was_rebuilt(const void *files, const char *name);
/* Tells the rows of a comparison what became of their functions, by the files of each side; `pretty` as in
 * struct diff_grouping. */
void side_tell_functions(struct diff *d, const struct function_files files[DIFF_SIDES],
			 char *(*pretty)(const char *symbol));
/* What was measured, as it is stored: of a stretch, or, without one, since `since_ns`. */
void side_take(const struct measured *m, struct stretch stretch, uint64_t since_ns, bool hide_self, struct side *ret);

/* ---- files as sides: load.c ------------------------------------------------------------------------- */

/* What of a file is compared, and how it is read. */
struct side_config {
	const enum dimension_id *dims; /* [dims_n] of its rows */
	size_t dims_n;
	bool in_one; /* a recording is one interval, as long as it may be */
	bool hide_kernel, hide_user, raw_names, raw_weights;
	const char *comm;	     /* pattern of commands; NULL: all */
	const struct target *target; /* of what was recorded */
	const char *symfs, *vmlinux, *kallsyms;
	int quit_fd;					 /* readable: the user does not want to wait */
	void (*progress)(uint64_t done, uint64_t total); /* bytes; NULL: nobody wants to know */
};
/* Reads a recording; the events' samples are those outside of idle time.  -EINTR: the user ended it. */
CYC_MUST_CHECK int side_load_recording(const struct side_config *config, const char *path, struct side *ret,
				       struct error *err);
/* Chooses of a stored snapshot, which it ends. */
CYC_MUST_CHECK int side_choose(const struct side_config *config, struct side *stored, struct side *ret,
			       struct error *err);

/* ---- two sides of files: files.c ---------------------------------------------------------------------- */

struct files_config {
	char *const *paths[DIFF_SIDES]; /* [paths_n] */
	size_t paths_n[DIFF_SIDES];
	int (*load)(void *ctx, const char *path, struct side *ret, struct error *err);
	void *ctx;
	const char *event; /* NULL: the first that both have */
	const char *per;   /* the event of DIFF_UNIT_EVENT */
	enum diff_unit unit;
	double fdr, min_change;
	bool raw_names;
};
struct files_compared {
	struct diff_about about[DIFF_SIDES];
	struct diff_about *files; /* [files_n], of both sides */
	size_t files_n;
	struct diff_table *tables[DIFF_SIDES];
	struct function_files functions[DIFF_SIDES];
	size_t event[DIFF_SIDES];
	struct diff_notes notes;
	struct diff *diff;
};
/* `ret` is zeroed before, and ended in any case afterwards. */
CYC_MUST_CHECK int files_compare(const struct files_config *config, struct files_compared *ret, struct error *err);
void files_compared_deinit(struct files_compared *c);

/* ---- turns of two states, A and B, one after the other: toggle.c ------------------------------------ */

/* Which turn is being measured, and since when. */
struct toggle {
	bool on;
	size_t side;	  /* of the turn that is being measured: 0 is A, 1 is B */
	uint64_t from_ns; /* intervals that began before are not of it */
};

/* Begins a turn of that state.  The interval in which that is belongs to no turn. */
void toggle_begin(struct toggle *t, const struct session *s, size_t side);
/* Ends the turn.  false: it had no whole interval, and does not count.  *limit_ret: why an earlier pair was dropped;
 * NULL: none was. */
bool toggle_finish(struct toggle *t, struct session *s, const char **limit_ret);
/* Ends the turn, and begins one of the other state; the first one is of A.  Writes to `text` what is measured now, and
 * what to do. */
void toggle_next(struct toggle *t, struct session *s, char *text, size_t cap);
/* Says which turn is measured, and how many pairs there are. */
void toggle_say(const struct toggle *t, struct session *s, const char *limit, char *text, size_t cap);
/* Forgets all turns. */
void toggle_end(struct toggle *t, struct session *s);

/* ---- the comparison of a snapshot with a baseline ---------------------------------------------------- */

enum { COMPARISON_TABLES_MAX = 16 };

/* The rows of one pivot, compared with the same pivot of the baseline. */
struct compared {
	const struct pivot *pivot; /* of the snapshot */
	const struct diff *diff;
	/* What is known of each row of the pivot, then of each of `gone`; NULL: nothing, as of idle time.  Rows whose
	 * names mean the same share one. */
	const struct diff_row **rows; /* [pivot->n + gone_n] */
	struct row *gone;	      /* rows that were in the baseline and are not in the pivot, without samples */
	size_t gone_n;
	bool by_cpu; /* it tells apart both CPUs and what ran on them: see comparison.by_cpu_before */
};
/* A pivot that is not compared: the baseline does not say what its rows are made or chosen by. */
struct comparison_lacking {
	const struct pivot *pivot;
	const char *what; /* "processes"; of a baseline that is no file: "CPUs" */
};
/* Two states, A and B, take turns, pairs of which are compared. */
struct comparison_turns {
	bool on;
	size_t side;  /* of the turn that is measured: 0 is A */
	size_t pairs; /* that are complete */
};
/* What a snapshot is compared with, and what came of it. */
struct comparison {
	enum diff_unit unit;
	char before[48]; /* when the baseline was: "12:01:10 to 12:02:10" */
	size_t before_intervals;
	/* The same of what ran on which CPU, of which the history keeps less where there are many CPUs. */
	struct stretch by_cpu_before;
	size_t by_cpu_intervals;
	const char *per;	       /* the event of DIFF_UNIT_EVENT; NULL: there is no such unit */
	struct comparison_turns turns; /* there is no baseline, then */
	bool of_file;		       /* the baseline is a file */
	/* How the machine of the baseline differs from this one, and why that matters (`notes`); NULL: the baseline is
	 * no file. */
	const struct diff_differences *differs;
	const struct diff_notes *notes;
	bool refused; /* of that machine nothing can be said in this unit, so that there are no tables */
	struct comparison_lacking lacking[COMPARISON_TABLES_MAX];
	size_t lacking_n;
	/* Tells a row what became of its function, if symbol tables say it; called only for the row of a panel.  May be
	 * NULL. */
	void (*tell)(void *ctx, const struct diff_row *row);
	void *tell_ctx;
	const struct compared *tables; /* [tables_n]; none if nothing of what is shown can be compared */
	size_t tables_n;
};

/* ---- the baseline of a screen, and the comparison of each snapshot with it: baseline.c ----------------- */

struct baseline_file;
/* Makes of a side, which it ends, a baseline: finds the event of it that the session has as well.  -ENOENT, -EINVAL: it
 * cannot be compared with what the session measures. */
CYC_MUST_CHECK int baseline_file_open(const struct measured *m, struct side *side, struct baseline_file **ret,
				      struct error *err);
void baseline_file_close(struct baseline_file *f); /* may be NULL */

struct baseline;
/* Refers to what `m` refers to. */
struct baseline *baseline_create(const struct measured *m);
void baseline_destroy(struct baseline *b);

/* Takes a file for the baseline, and owns it from then on. */
void baseline_take_file(struct baseline *b, struct baseline_file *f);
/* Makes a stretch the baseline or, without one, the newest intervals, and `ret` what that is.  false: nothing was
 * measured. */
bool baseline_mark(struct baseline *b, struct stretch stretch, struct stretch *ret);
/* Sets the text by which the heading names the baseline: comparison.before. */
void baseline_name(struct baseline *b, const char *text);
/* When a baseline of the newest intervals would begin, if it were made now; UINT64_MAX: nothing was measured. */
uint64_t baseline_newest(const struct baseline *b);
void baseline_end(struct baseline *b);

/* Ends the turn of one of two states and begins one of the other, or the first: see toggle_next().  The comparison is
 * one of their pairs then. */
void baseline_turn(struct baseline *b, char *text, size_t cap);

/* The same in two steps, for turns that are made by commands.  baseline_turn_over() is false where the turn had no
 * whole interval, and does not count. */
void baseline_turn_of(struct baseline *b, size_t side, char *text, size_t cap);
bool baseline_turn_over(struct baseline *b);

/* Makes `query` one of what can be compared with the baseline, with series: its stretch, or what was measured since.
 * `whole`: a recording is shown, not a moment of it.  `pivots` are those of the query, and have room for as many
 * again.  Nothing if there is no baseline, or if the stretch overlaps it. */
void baseline_query(struct baseline *b, bool whole, struct query *query, struct pivot_query *pivots);
/* Compares the first `panes_n` pivots of the snapshot, which was taken with that query, with those of the baseline. */
void baseline_compare(struct baseline *b, const struct snapshot *snap, const struct query *query, size_t panes_n,
		      enum diff_unit unit);
/* The result, until the next snapshot; NULL: there is no baseline. */
const struct comparison *baseline_comparison(const struct baseline *b);

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

/* Finds the runs whose time is far from that of the others (compare_far()), the farthest first, [2 * n] at most.
 * `numbers` are those of the pairs, [n].  Of fewer than 5 pairs nobody knows what is usual. */
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
