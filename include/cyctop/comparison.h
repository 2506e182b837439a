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
/* The files whose functions a snapshot of a session has; or only those of which it has functions without names. */
void side_files(struct session *s, const struct snapshot *snap, bool nameless, struct function_files *ret);
/* The name of a symbol of this session (`name`: for people), by which its row is matched with one of the same session:
 * if others of its file are called the same, with its address, unless the file was built anew meanwhile.  Valid as long
 * as *buf and `name`. */
const char *side_name_apart(const struct catalog *cat, uint32_t sym, const char *name, struct strbuf *buf);
/* The event of a unit; EVENTS_MAX: the session has none. */
size_t side_per_event(const struct measured *m, enum diff_unit unit);
/* For diff_config.rebuilt: may the files of that name be of several builds?  `files` are those of each side,
 * [DIFF_SIDES]. */
bool side_was_rebuilt(const void *files, const char *name);
/* Tells the rows of a comparison what became of their functions, by the files of each side; `pretty` as in
 * struct diff_grouping. */
void side_tell_functions(struct diff *d, const struct function_files files[DIFF_SIDES],
			 char *(*pretty)(const char *symbol));

/* The same of one row, for the screen: not of a table that takes long to search. */
void side_tell_function(struct diff *d, const struct diff_row *row,
			const struct function_files *const files[DIFF_SIDES], char *(*pretty)(const char *symbol));

/* Fills in what the snapshot of a session is; `t` is a table of it.  `file` stays borrowed. */
void side_describe(struct session *s, const struct snapshot *snap, const struct diff_table *t, const char *file,
		   struct diff_about *ret);
/* Adds what of it the filters leave. */
void side_add_only(const struct measured *m, struct diff_about *about);
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
