/* Room comparison: takes two sides from sessions, files or runs of commands, and compares them. */
#ifndef CYCTOP_COMPARISON_H
#define CYCTOP_COMPARISON_H

#include <cyctop/diff.h>
#include <cyctop/resolve.h>
#include <cyctop/session.h>
#include <sys/resource.h>

/* ---- filters that the user's options ask for: filters.c ---------------------------------------------- */

/* Filters for all tables, up to three: by task (processes, threads or a user), by CPU, by command. */
enum { COMPARISON_FILTERS_MAX = 3 };

struct filters {
	struct filter v[COMPARISON_FILTERS_MAX];
	size_t n;
	char text[256]; /* the filters in words: "process 17, command 'sh'"; "": none */
};
/* Makes filters of `target` and of `comm`, a pattern of command names; *ret borrows both.  A member of *ret is NULL
 * if it need not filter: that of the target if nothing else was measured, that of `comm` if all commands are wanted. */
void filters_init(const struct target *target, const char *comm, struct filters *ret);

/* ---- making a side of what a session measured: side.c ------------------------------------------------ */

/* What a session measures, and how it is compared. */
struct measured {
	struct session *session;
	struct query query;	/* what all queries have in common: filters, and which CPU modes are hidden */
	const char *only;	/* the filters in words; "": none */
	const char *per;	/* name of the event of DIFF_UNIT_EVENT; NULL: none */
	double fdr, min_change; /* as in struct diff_config */
};

/* One side of a comparison: from a session, a recording or a snapshot file. */
struct side {
	struct diff_about about;
	struct diff_table *table;
	struct function_files files; /* executables and libraries of the rows; from a recording, with their functions */
	struct chain_shares chains;  /* of a recording with call chains, if side_config.chains; otherwise empty */
};
void side_deinit(struct side *side);
/* Implements diff_config.rebuilt: returns true if the files of that name, on both sides, may be of several builds.
 * `files`: struct function_files [DIFF_SIDES]. */
bool side_was_rebuilt(const void *files, const char *name);
/* Finds out what became of the functions of all rows (split, joined, ...), from the symbol tables of each side's files;
 * `pretty` as in struct diff_grouping. */
void side_tell_functions(struct diff *d, const struct function_files files[DIFF_SIDES],
			 char *(*pretty)(const char *symbol));
/* Fills a side, with all that a snapshot file stores, from what was measured in `stretch` or, if `stretch` is empty,
 * since `since_ns`.  `hide_self`: leaves out cyctop's own samples. */
void side_take(const struct measured *m, struct stretch stretch, uint64_t since_ns, bool hide_self, struct side *ret);

/* ---- making a side of a file: load.c ----------------------------------------------------------------- */

/* Which rows of a file are compared, and how it is read. */
struct side_config {
	const enum dimension_id *dims; /* [dims_n]: dimensions of its rows */
	size_t dims_n;
	bool in_one; /* a recording is read as one interval, however long it is */
	bool hide_kernel, hide_user, raw_names, raw_weights;
	bool chains;		     /* reads the call chains of a recording */
	inlines_fn *inlines;	     /* reads inlined functions, which are added to chains; NULL: none are */
	const char *comm;	     /* pattern of commands; NULL: all */
	const struct target *target; /* part of the recording to compare */
	const char *symfs, *vmlinux, *kallsyms;
	int quit_fd;					 /* polls readable when the user wants to stop */
	void (*progress)(uint64_t done, uint64_t total); /* called with numbers of bytes; or NULL */
};
/* Reads a recording; samples of idle time do not count in about.events.  -EINTR: the user stopped it. */
CYC_MUST_CHECK int side_load_recording(const struct side_config *config, const char *path, struct side *ret,
				       struct error *err);
/* Makes a side of those rows of `stored`, the side of a snapshot file, that `config` chooses.  Frees `stored`. */
CYC_MUST_CHECK int side_choose(const struct side_config *config, struct side *stored, struct side *ret,
			       struct error *err);

/* ---- comparing files with files: files.c --------------------------------------------------------------- */

struct files_config {
	char *const *paths[DIFF_SIDES]; /* [paths_n] */
	size_t paths_n[DIFF_SIDES];
	int (*load)(void *ctx, const char *path, struct side *ret, struct error *err);
	void *ctx;
	const char *event; /* event to compare; NULL: the first that both sides have */
	const char *per;   /* name of the event of DIFF_UNIT_EVENT */
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
/* Loads and compares all files.  The caller zeroes `ret` before, and deinits it afterwards, also after an error. */
CYC_MUST_CHECK int files_compare(const struct files_config *config, struct files_compared *ret, struct error *err);
void files_compared_deinit(struct files_compared *c);

/* ---- measuring two states, A and B, in turn: toggle.c ------------------------------------------------- */

/* The turn that is under way; in a turn, one of the two states is measured. */
struct toggle {
	bool on;
	size_t side;	  /* state of the turn that is being measured: 0 is A, 1 is B */
	uint64_t from_ns; /* intervals that began before this time do not belong to the turn */
};

/* Begins a turn of state `side`.  The interval that is open at this time belongs to no turn. */
void toggle_begin(struct toggle *t, const struct session *s, size_t side);
/* Ends the turn.  Returns false if the turn had no whole interval, and so does not count.  *limit_ret: why an earlier
 * pair was dropped; NULL: none was. */
bool toggle_finish(struct toggle *t, struct session *s, const char **limit_ret);
/* Ends the turn, and begins a turn of the other state; the first turn is of state A.  Writes to `text` which state is
 * measured now, and what the user should do. */
void toggle_next(struct toggle *t, struct session *s, char *text, size_t cap);
/* Writes to `text` which turn is being measured, and how many pairs there are; `limit`: as from toggle_finish(). */
void toggle_say(const struct toggle *t, struct session *s, const char *limit, char *text, size_t cap);
/* Forgets all turns. */
void toggle_end(struct toggle *t, struct session *s);

/* ---- the result of comparing a snapshot with a baseline ---------------------------------------------- */

enum { COMPARISON_TABLES_MAX = 16 };

/* The rows of one pivot, compared with the same pivot of the baseline. */
struct compared {
	const struct pivot *pivot; /* pivot of the snapshot */
	const struct diff *diff;
	/* Comparison of each row of the pivot, then of each row of `gone`; NULL: idle time, which is not compared. Rows
	 * whose names mean the same share one comparison. */
	const struct diff_row **rows; /* [pivot->n + gone_n] */
	struct row *gone;	      /* rows of the baseline that the pivot lacks; without samples */
	size_t gone_n;
	/* The same pivot on each side, with the row ids of `pivot`.  Before: the baseline, or the turns of A; after:
	 * what is compared with these.  All NULL if the baseline is a file. */
	struct compared_side {
		const struct snapshot *snap;
		const struct pivot *pivot;
	} sides[DIFF_SIDES];
	bool by_cpu; /* rows are by CPU and by what ran on each: see comparison.by_cpu_before */
};
/* A pivot that is not compared: the baseline lacks a dimension by which its rows are made or filtered. */
struct comparison_lacking {
	const struct pivot *pivot;
	const char *what; /* the lacking dimension, "processes"; "CPUs" if the baseline is not from a file */
};
/* State of measuring A and B in turn; pairs of turns are compared. */
struct comparison_turns {
	bool on;
	size_t side;  /* state of the turn that is being measured: 0 is A, 1 is B */
	size_t pairs; /* number of complete pairs */
};
/* A snapshot compared with a baseline, or pairs of turns compared with each other. */
struct comparison {
	enum diff_unit unit;
	double fdr;	 /* as in struct diff_config */
	char before[48]; /* time of the baseline: "12:01:10 to 12:02:10" */
	size_t before_intervals;
	/* The baseline of tables by CPU and by what ran on each.  On machines with many CPUs it is shorter than the
	 * baseline of other tables, because the history keeps fewer intervals with this detail. */
	struct stretch by_cpu_before;
	size_t by_cpu_intervals;
	const char *per;	       /* name of the event of DIFF_UNIT_EVENT; NULL: there is no such unit */
	struct comparison_turns turns; /* if turns.on, there is no baseline */
	bool of_file;		       /* the baseline is a file */
	/* Differences between the baseline's machine and this machine, and what they mean for the comparison
	 * (`notes`); NULL: the baseline is not from a file. */
	const struct diff_differences *differs;
	const struct diff_notes *notes;
	/* Shares in the baseline's file of the rows of `chains_of`, a pivot by DIM_CHAIN; the keys are row.id.  A chain
	 * without a share is not in the file.  chains_of NULL: `no_chains` says why there are none. */
	const struct pivot *chains_of;
	struct chain_shares chains;
	const char *no_chains; /* NULL: the baseline is not a file */
	bool refused;	       /* the machines cannot be compared in this unit, so there are no tables */
	struct comparison_lacking lacking[COMPARISON_TABLES_MAX];
	size_t lacking_n;
	/* Finds out from symbol tables what became of a row's function (enum diff_fate); called only for the row that a
	 * panel shows.  May be NULL. */
	void (*tell)(void *ctx, const struct diff_row *row);
	void *tell_ctx;
	const struct compared *tables; /* [tables_n]; tables_n 0: nothing of what is shown can be compared */
	size_t tables_n;
};

/* ---- keeping a baseline, and comparing each snapshot of the screen with it: baseline.c ----------------- */

struct baseline_file;
/* Makes a baseline of a side, by an event that both the side and the session have; frees the side.  -ENOENT, -EINVAL:
 * the side cannot be compared with what the session measures. */
CYC_MUST_CHECK int baseline_file_open(const struct measured *m, struct side *side, struct baseline_file **ret,
				      struct error *err);
void baseline_file_close(struct baseline_file *f); /* may be NULL */

struct baseline;
/* Creates the state of comparing; there is no baseline yet.  What `m` points to must live as long as the result. */
struct baseline *baseline_create(const struct measured *m);
void baseline_destroy(struct baseline *b);

/* Makes a file the baseline; `b` owns `f` from then on. */
void baseline_take_file(struct baseline *b, struct baseline_file *f);
/* Makes `stretch` or, if it is empty, the newest intervals the baseline; *ret gets their time range.  Returns false if
 * nothing was measured. */
bool baseline_mark(struct baseline *b, struct stretch stretch, struct stretch *ret);
/* Sets the text by which the heading names the baseline: comparison.before. */
void baseline_name(struct baseline *b, const char *text);
/* Event time in ns at which a baseline of the newest intervals would begin; UINT64_MAX: nothing was measured. */
uint64_t baseline_newest(const struct baseline *b);
void baseline_end(struct baseline *b);

/* Ends the turn of one state, if there is one, and begins a turn of the other state: see toggle_next().  From then on
 * pairs of turns are compared. */
void baseline_turn(struct baseline *b, char *text, size_t cap);

/* Begin and end a turn in which state `side` (0: A, 1: B) is measured; for commands that switch the states
 * (--toggle). `text`: gets the message for the user.  baseline_turn_over() returns false if the turn had no whole
 * interval, and so does not count. */
void baseline_turn_of(struct baseline *b, size_t side, char *text, size_t cap);
bool baseline_turn_over(struct baseline *b);

/* Changes `query` so that its snapshot can be compared with the baseline: the snapshot will have series (weights by
 * interval), and begin after the end of the baseline.  `whole`: all of a recording is shown, not a moment of it.
 * `pivots`: the array of the query's pivots, with room for twice as many.  The query stays unchanged if there is no
 * baseline, or if the query's stretch overlaps the baseline. */
void baseline_query(struct baseline *b, bool whole, struct query *query, struct pivot_query *pivots);
/* Compares the first `panes_n` pivots of a snapshot with the same pivots of the baseline.  baseline_query() must have
 * changed the query of the snapshot. */
void baseline_compare(struct baseline *b, const struct snapshot *snap, const struct query *query, size_t panes_n,
		      enum diff_unit unit);
/* Returns the comparison of the last snapshot, valid until the next; NULL: there is no baseline. */
const struct comparison *baseline_comparison(const struct baseline *b);
/* Returns true if two symbols are one function in two builds or copies of a file: the names of function and file are
 * equal, apart from what builds change (versions, clone suffixes). */
bool comparison_same_function(struct session *s, uint32_t a, uint32_t b);
/* Lists the symbols that have samples with addresses in the baseline, the most recently sampled first; valid until
 * another baseline is made. */
const uint32_t *baseline_functions(const struct baseline *b, size_t *n_ret);
/* Returns the symbol that function `sym` had in the baseline: another symbol if the program was rebuilt since.  Returns
 * `sym` if baseline_functions() has no such symbol. */
uint32_t baseline_function(const struct baseline *b, uint32_t sym);

/* ---- comparing runs of two commands: runs.c ---------------------------------------------------------- */

/* How a run of a command ended. */
struct command_run {
	int error;  /* errno with which the command could not be started; 0: it ran */
	int status; /* as wait() returned it */
	uint64_t wall_ns;
	struct rusage usage;		       /* usage of the command and of all processes that it waited for */
	struct tally_count counts[EVENTS_MAX]; /* counts of compare_runs_made.events */
	bool sampled;			       /* there is a recording of the run */
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
/* An outlier: a run that is far from the others of its command.  It is reported, but counts like the others. */
struct runs_outlier {
	enum diff_side side;
	size_t run;
	const char *metric;   /* "wall" or "cpu" */
	double value, middle; /* seconds: value of the run; median of all runs */
};

enum { COMPARE_METRICS_MAX = 7 + EVENTS_MAX };

/* The runs of both commands, in pairs: run k of A and run k of B were made one after the other. */
struct compare_runs_made {
	const struct event_spec *events; /* [events_n]: the events of command_run.counts */
	size_t events_n;
	const struct command_run *const *pairs; /* [2 * n]: A and B of each pair */
	size_t n;
};
/* Computes the metrics into ret[COMPARE_METRICS_MAX]; returns their number.  compare_judge() decides which changes
 * are real. */
size_t compare_metrics(const struct compare_runs_made *made, struct runs_metric *ret);

/* Finds the outliers: runs whose time is far from the median of their command's runs (compare_far()), the farthest
 * first, [2 * n] at most; returns their number.  numbers[n]: number of each pair, for runs_outlier.run.  Fewer than
 * COMPARE_OUTLIERS_OF pairs have no outliers. */
enum { COMPARE_OUTLIERS_OF = 5 };
size_t compare_outliers(const struct compare_runs_made *made, const size_t *numbers, struct runs_outlier *ret);

/* Samples of the functions of each run, to be compared. */
struct compare_functions {
	const struct diff_table *const *tables; /* [2 * n], of pairs: by DSO and symbol; NULL: without samples */
	size_t n;
	/* [2 * n]: measured total of each run, distributed to functions in proportion to their samples.  NULL: use the
	 * weight of the samples. */
	const double *wholes;
	const double *unsampled; /* [2 * n]: the kernel's part of each total, which cannot be sampled; NULL: none */
	double fdr, min_change;
	bool (*rebuilt)(const void *ctx, const char *name); /* see struct diff_config */
	const void *rebuilt_ctx;
};
/* Compares the functions.  The value of a row on each side is the mean of all runs; all rows add up to the total. */
struct diff *compare_functions_create(const struct compare_functions *f);
/* Returns the rows, the largest difference first; the caller frees the array. */
const struct diff_row **compare_functions_order(const struct diff *d);

/* ---- measuring two states in turn, by commands that switch them (--toggle): switcher.c -------------------- */

/* Switches between two states: a command switches to the state, the turn is measured, then comes the next turn.  Each
 * pair of turns has both states, in random order, so that no periodic load can favour one of them. */
struct launcher;
struct switcher {
	enum { SWITCHER_OVER, SWITCHER_BEGINS, SWITCHER_SWITCHES, SWITCHER_MEASURES } state;
	struct launcher *launcher;   /* borrowed: its command 0 switches to A, 1 to B */
	uint64_t every_ns, until_ns; /* length of a turn; end of the turn, CLOCK_MONOTONIC */
	size_t side;
	bool second; /* the turn is the second of its pair */
};

/* Starts the process that runs the shell commands, with the privileges that cyctop was started with; only that
 * process borrows them. */
CYC_MUST_CHECK int switcher_launch(const char *const commands[2], struct launcher *ret, struct error *err);
/* Sets up the switcher.  launcher->fd -1: there are no commands, and switcher_step() does nothing. */
void switcher_init(struct switcher *s, struct launcher *launcher, uint64_t every_ns);
/* Continues with the turns; to be called at each refresh, and when the launcher's fd is readable.  Returns true if it
 * wrote a message to `text`. */
bool switcher_step(struct switcher *s, struct baseline *b, char *text, size_t cap);
/* Returns an fd that is readable when the running command has ended; -1: none runs. */
int switcher_fd(const struct switcher *s);
/* Ends the turns and the running command, because the user compares something else.  Returns false if there were no
 * turns. */
bool switcher_end(struct switcher *s);

#endif
