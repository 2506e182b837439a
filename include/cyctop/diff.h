/* Room diff: the rows of two stretches of time -> what of them changed.  Pure.
 *
 * Each side is first made into a table of its own, which needs neither its snapshot nor its catalog any more; rows of
 * two tables are the same if their names mean the same, whatever file, build or process they come from.  The verdicts
 * are those of room compare. */
#ifndef CYCTOP_DIFF_H
#define CYCTOP_DIFF_H

#include <cyctop/compare.h>
#include <cyctop/model.h>

struct strbuf;

enum diff_side { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

/* ---- what a side is ----------------------------------------------------------------------------- */

struct diff_event {
	char name[64];
	enum event_role role;
	uint32_t type; /* attr.type and attr.config */
	uint64_t config;
	uint8_t modes;	  /* event_modes() */
	uint64_t samples; /* without those of idle time */
	size_t intervals; /* that have some of them */
	bool weighed;	  /* samples say how many events they stand for */
};

struct diff_about {
	const char *file;		     /* the first */
	size_t more_files;		     /* that the side has besides */
	char host[65], kernel[96], cpu[128]; /* kernel: release and machine; "": not known */
	unsigned cpus;			     /* online; 0: not known */
	uint64_t start_ns, end_ns;    /* on the clock of the records; of several files, of the first and the last */
	uint64_t length_ns;	      /* of all files together; 0: there is one */
	bool mixed_cpu, mixed_kernel; /* the files differ in it */
	uint64_t utc_ns;	      /* of the end; 0: not known */
	size_t intervals;
	bool timeless; /* its records have no times */
	uint64_t samples, lost;
	size_t others;	/* diff_table_others() */
	char only[256]; /* what it is of all that was measured, in words; "": all */
	struct diff_event events[EVENTS_MAX];
	size_t events_n;
};

/* The build of a file that rows are of, by which a snapshot says whether its functions without names are those of
 * another side. */
struct diff_build {
	char *path;
	uint8_t build_id_size, build_id[20]; /* size 0: not known */
};
struct diff_builds {
	struct diff_build *v; /* [n] */
	size_t n;
};
void diff_builds_add(struct diff_builds *b, const char *path, const uint8_t *build_id, size_t size);
void diff_builds_deinit(struct diff_builds *b);

double diff_about_seconds(const struct diff_about *about);

/* How long both are of the same time on the same machine, so that they have samples in common; 0: they are not.  Of
 * files that do not say the time of day it is taken that the machine did not start anew. */
double diff_shared_seconds(const struct diff_about *a, const struct diff_about *b);

/* What of a comparison means less than it seems to, a sentence each. */
enum { DIFF_NOTES_MAX = 12 };
struct diff_notes {
	char text[DIFF_NOTES_MAX][256];
	size_t n;
};

/* Finds the event to compare on both sides: by its name, or NULL: the first one of `before` that `after` has as well.
 * -ENOENT with what there is, and what to do, in *err. */
CYC_MUST_CHECK int diff_find_event(const struct diff_about about[DIFF_SIDES], const char *name, size_t ret[DIFF_SIDES],
				   struct error *err);
/* Finds the event before that is most like one after. */
CYC_MUST_CHECK int diff_find_like(const struct diff_about about[DIFF_SIDES], size_t after, size_t ret[DIFF_SIDES],
				  struct error *err);
/* 0, with notes on what the sides differ in; -EINVAL: a comparison would tell nothing, with the reason and what would
 * make the sides comparable in *err. */
CYC_MUST_CHECK int diff_check(const struct diff_about about[DIFF_SIDES], const size_t event[DIFF_SIDES],
			      struct diff_notes *ret, struct error *err);
/* Adds which of these files share time, as far as they say the time of day. */
void diff_note_shared(const struct diff_about *about, size_t n, struct diff_notes *ret);
/* What a side is of another machine, in a few words; "": nothing. */
struct diff_differences {
	char text[256]; /* "another CPU (Xeon), another kernel (6.1)" */
	char brief[64]; /* "another CPU, kernel" */
};
/* The same of a side before that is compared with what is still being measured, of which diff_check() would know
 * nothing yet; of a recording its times are known.  -EINVAL: they are the same recording, too. */
CYC_MUST_CHECK int diff_check_before(const struct diff_about about[DIFF_SIDES], const size_t event[DIFF_SIDES],
				     struct diff_notes *ret, struct diff_differences *differs, struct error *err);
/* Are the sides of machines whose rates by the second cannot be compared? */
bool diff_rates_differ(const struct diff_about about[DIFF_SIDES]);

/* ---- the rows of a side ------------------------------------------------------------------------- */

/* The pivot that a table is made of: rows by these dimensions, idle time apart. */
void diff_pivot(const enum dimension_id *dims, size_t dims_n, struct pivot_query *ret);

struct diff_table;
/* What tables are made of, apart from rows. */
struct diff_shape {
	const enum dimension_id *dims; /* [dims_n] */
	size_t dims_n;
	size_t events_n, intervals_n;	    /* as in struct snapshot */
	const double *seconds;		    /* [intervals_n] */
	const struct pmu_sibling *siblings; /* [events_n] */
	const struct row_sums *sums;
};

/* `p` is a pivot by diff_pivot() of so many dimensions, in a snapshot with series.  `pretty` names symbols for people;
 * NULL: their raw names are shown. */
struct diff_table *diff_table_create(const struct snapshot *s, const struct pivot *p, size_t dims_n,
				     const struct model_names *names, const char *(*pretty)(void *ctx, uint32_t sym),
				     void *ctx);
/* The same by other dimensions, each of which is one of the pivot's, or implied by one of them. */
struct diff_table *diff_table_create_by(const struct snapshot *s, const struct pivot *p, const enum dimension_id *dims,
					size_t dims_n, const struct model_names *names,
					const char *(*pretty)(void *ctx, uint32_t sym), void *ctx);
/* The same with names as they are: paths, and symbols as the linker knows them. */
struct diff_table *diff_table_create_exact(const struct snapshot *s, const struct pivot *p, size_t dims_n,
					   const struct model_names *names);
void diff_table_destroy(struct diff_table *t);
/* So many rows of the snapshot share the row "[others]", because there were more than can be followed. */
size_t diff_table_others(const struct diff_table *t);
size_t diff_table_rows(const struct diff_table *t);
/* The row of the table that means the same as a row of a snapshot; UINT32_MAX: it has none of its own, or it is idle
 * time. */
uint32_t diff_table_find(const struct diff_table *t, const struct row *row, const struct model_names *names,
			 const char *(*pretty)(void *ctx, uint32_t sym), void *ctx);
/* Samples of an event outside of idle time, and how many intervals have some. */
uint64_t diff_table_samples(const struct diff_table *t, size_t event, size_t *intervals_ret);

/* ---- tables that are stored --------------------------------------------------------------------- */

/* A snapshot, as files have it, is a table by these keys, with names as they are (diff_table_create_exact()). */
enum { DIFF_STORED_DIMS = 4 };
extern const enum dimension_id diff_stored_dims[DIFF_STORED_DIMS];

/* A table without rows. */
struct diff_table *diff_table_empty(const struct diff_shape *shape);
/* The row with these names, [dims_n], as they are; it is made if there is none. */
uint32_t diff_table_row(struct diff_table *t, const struct key_value *names);
/* Adds samples, and weights by interval, to a sum of a row. */
void diff_table_add(struct diff_table *t, uint32_t row, size_t sum, uint64_t samples, const double *series);
/* Notes for a row the names that a row of another table goes by, such as "hot.isra.0" of the row hot: --filter and
 * --fail-if find it by them. */
void diff_table_add_names_of(struct diff_table *t, uint32_t row, const struct diff_table *from, uint32_t from_row);
/* Notes that so many rows share one. */
void diff_table_set_others(struct diff_table *t, size_t n);

/* What was added: valid until the table changes. */
struct diff_shape diff_table_shape(const struct diff_table *t);
void diff_table_names(const struct diff_table *t, uint32_t row, struct key_value *ret);
/* Returns the samples; adds the weights to series[intervals_n]. */
uint64_t diff_table_sum(const struct diff_table *t, uint32_t row, size_t sum, double *series);

/* Joins the files of one side, whose tables are by the same dimensions: the intervals of each follow those of the one
 * before.  Two or more; `about_ret` keeps borrowing their names.  -EINVAL: two are the same, or do not have the same
 * events. */
CYC_MUST_CHECK int diff_join(const struct diff_about *about, struct diff_table *const *tables, size_t n,
			     struct diff_about *about_ret, struct diff_table **ret, struct error *err);
/* -EINVAL, with both in *err: two of these are the same recording. */
CYC_MUST_CHECK int diff_check_twice(const struct diff_about *about, size_t n, struct error *err);

/* A table of the same sums by other dimensions. */
struct diff_grouping {
	const enum dimension_id *dims; /* [dims_n], all of them dimensions of the table */
	size_t dims_n;
	bool exact; /* names stay as they are; otherwise rows that mean the same become one */
	/* Names a function for people, malloc'ed; NULL: it stays as it is.  The function may be NULL. */
	char *(*pretty)(const char *symbol);
	/* Is the row of the old table, of these names, to be in the new one?  NULL: all are. */
	bool (*keeps)(const void *ctx, const struct key_value *names);
	const void *ctx;
};
/* Do two values of a dimension mean the same? */
bool diff_same_meaning(enum dimension_id dim, const struct key_value *a, const struct key_value *b);
bool diff_table_has(const struct diff_table *t, enum dimension_id dim);
struct diff_table *diff_table_group(const struct diff_table *from, const struct diff_grouping *by);

/* ---- what changed ------------------------------------------------------------------------------- */

/* What a row's weight is divided by. */
enum diff_unit {
	DIFF_UNIT_REFERENCE,	/* the weight of the rows that moved alike */
	DIFF_UNIT_SHARE,	/* the weight of all rows */
	DIFF_UNIT_RATE,		/* seconds */
	DIFF_UNIT_INSTRUCTIONS, /* the instructions of all rows */
	DIFF_UNIT_EVENT,	/* an event of all rows that the user names (--per) */
	DIFF_UNITS
};
extern const char *const diff_unit_names[DIFF_UNITS]; /* "reference", ... */
/* -EINVAL: the sides cannot be compared in the unit, with the reason and those in which they can in *err. */
CYC_MUST_CHECK int diff_check_unit(const struct diff_about about[DIFF_SIDES], enum diff_unit unit, struct error *err);

struct diff_config {
	enum diff_unit unit;
	size_t event[DIFF_SIDES];
	size_t per[DIFF_SIDES]; /* the event of DIFF_UNIT_INSTRUCTIONS and DIFF_UNIT_EVENT */
	double fdr, min_change; /* fractions */
	/* Interval k of both tables is of the k-th pair of turns or runs: see compare_paired(). */
	bool paired;
	/* Was the file of that name built anew, or may it have been?  Then its functions without names, which are known
	 * by their addresses, are not compared.  NULL: no file was. */
	bool (*rebuilt)(const void *ctx, const char *name);
	const void *rebuilt_ctx;
};

/* One number of a row on both sides. */
struct diff_value {
	bool known[DIFF_SIDES];
	double value[DIFF_SIDES];
	struct compare_change change;
};

/* What the files of both sides have of the function that a row means, by their symbol tables. */
enum { DIFF_PIECES_MAX = 8 };
struct diff_function {
	bool known[DIFF_SIDES]; /* that side's files of this DSO were read, with the names of all their functions */
	size_t pieces_n[DIFF_SIDES];
	char *pieces[DIFF_SIDES][DIFF_PIECES_MAX]; /* "parse", "parse.cold"; one name of those that differ by numbers */
};

struct diff_row {
	struct key_value *names; /* [dims_n], of each dimension */
	const char *aliases; /* what people see as its names besides, each behind the NUL of the one before; "": end */
	uint32_t at[DIFF_SIDES]; /* its row in each table, see diff_table_find(); UINT32_MAX: it has none there */
	uint64_t samples[DIFF_SIDES];
	double weights[DIFF_SIDES]; /* of the event */
	bool carries;		    /* it is one of the reference */
	bool apart;		    /* not compared: see diff_config.rebuilt */
	/* In the unit.  DIFF_UNIT_SHARE: 0..1.  DIFF_UNIT_REFERENCE: before, the share; after, what the share would be
	 * if the reference had the share it had before.  The others: events per second, per instruction. */
	struct diff_value value;
	struct diff_value metrics[METRICS_MAX]; /* of metrics[]; of one that a side does not have, state CHANGE_NONE */
	const struct diff_function *function;	/* NULL: no table was asked */
};

struct diff_functions;
struct diff;

/* Is one of the row's names of the pattern, as it is shown here or elsewhere?  `matches` compares them. */
bool diff_row_matches(const struct diff *d, const struct diff_row *row, const char *pattern,
		      bool (*matches)(const char *pattern, const char *name));

struct diff {
	enum dimension_id dims[DIM_COUNT];
	size_t dims_n;
	enum diff_unit unit;
	struct compare_reference reference; /* with DIFF_UNIT_REFERENCE; its change is that by the second */
	size_t reference_rows;		    /* that carry it */
	struct diff_row *rows;		    /* the biggest real change first, then by their size */
	size_t n;
	double weights[DIFF_SIDES]; /* of all rows */
	struct compare_summary summary, metrics[METRICS_MAX];
	bool has_metric[METRICS_MAX]; /* both sides have it */
	char *text, *aliases;	      /* of the names */
	struct diff_functions *functions;
	size_t apart;	     /* rows that are not compared */
	char apart_file[64]; /* of one of them */
};
/* Refers to neither table afterwards. */
struct diff *diff_create(const struct diff_table *before, const struct diff_table *after,
			 const struct diff_config *config);
void diff_destroy(struct diff *d);

/* ---- what became of functions: functions.c -------------------------------------------------------- */

/* A row's name in a dimension; NULL: it has none. */
const char *diff_row_name(const struct diff *d, const struct diff_row *row, enum dimension_id dim);
/* Tells the rows of a result by DSO and symbol that a file of a side was read, and with `whole` that
 * diff_add_function() is going to be called with the names of all its functions.  false: no row is of this file, so
 * that its names need not be told. */
bool diff_add_file(struct diff *d, enum diff_side side, const char *path, bool whole);
/* The name is as rows have them: for people, or, if those are, raw. */
void diff_add_function(struct diff *d, enum diff_side side, const char *path, const char *name);

/* Finds a text that each raw name of a function has, so that others need not be demangled.  `pretty`: the function is
 * known by the name that people know.  "": none is known. */
void diff_function_part(const char *symbol, bool pretty, char *buf, size_t cap);

/* What became of a row's function. */
enum diff_fate {
	FATE_UNKNOWN,	/* the tables are not at hand */
	FATE_SAME,	/* both sides have the same of it */
	FATE_SPLIT,	/* after has more pieces or copies of it */
	FATE_JOINED,	/* before had more of them */
	FATE_OTHER,	/* both have some that the other does not have */
	FATE_GONE,	/* it has no sample after, and no name there */
	FATE_CAME,	/* it has no sample before, and no name there */
	FATE_UNSAMPLED, /* one side has its name, but no sample */
};
extern const char *const diff_fate_names[]; /* "split"; of FATE_UNKNOWN NULL */
enum diff_fate diff_fate(const struct diff_row *row);
/* Appends the fate as a sentence without a full stop; `sides` name the sides ("before", "after").  false: there is
 * nothing to say. */
bool diff_fate_add(const struct diff_row *row, const char *const sides[DIFF_SIDES], struct strbuf *b);

/* Adds what the result itself says of its worth: phases that are too long, too few samples. */
void diff_note_worth(const struct diff *d, struct diff_notes *ret);

/* after - before, in the unit of the value, and its standard error; false: it is not known. */
bool diff_difference(const struct diff_value *v, double *ret, double *error_ret);

/* ---- bounds (--fail-if) ------------------------------------------------------------------------- */

/* VALUE [of PATTERN] > or < PERCENT%: "cycles > +3%", "ipc of libz.so*  < -5%". */
struct diff_bound {
	char value[64];	   /* an event's name, or the id of a metric */
	char pattern[128]; /* of the shell, for one of a row's names; "": every row */
	bool above;
	double bound; /* of change - 1 */
};
CYC_MUST_CHECK int diff_bound_parse(const char *text, struct diff_bound *ret, struct error *err);
/* The number of a row that the bound is on: DIFF_ON_EVENT or an index into metrics[].  -ENOENT: this comparison does
 * not have it, with what it has in *err. */
enum { DIFF_ON_EVENT = METRICS_MAX };
CYC_MUST_CHECK int diff_bound_find(const struct diff_bound *b, const struct diff *d, const struct diff_event *event,
				   size_t *ret, struct error *err);
/* Is the row one that the bound is on? */
bool diff_bound_is_on(const struct diff_bound *b, const struct diff *d, const struct diff_row *row);
/* Is the change real and beyond the bound? */
bool diff_bound_exceeded(const struct diff_bound *b, const struct compare_change *c);

#endif
