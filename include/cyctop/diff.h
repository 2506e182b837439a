/* Room diff: compares the rows of two time ranges, the sides before and after.  Pure: no I/O and no clock.
 *
 * Each side is first made into a table, which is independent of snapshot and catalog.  Rows of two tables are the
 * same if their names mean the same (src/diff/meaning.h), whatever build or process they are of.  Room compare decides
 * which changes are significant ("real"). */
#ifndef CYCTOP_DIFF_H
#define CYCTOP_DIFF_H

#include <cyctop/compare.h>
#include <cyctop/model.h>

struct strbuf;

enum diff_side { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

/* ---- description of a side ----------------------------------------------------------------------- */

struct diff_event {
	char name[64];
	enum event_role role;
	uint32_t type; /* attr.type and attr.config */
	uint64_t config;
	uint8_t modes;	  /* event_modes() */
	uint64_t samples; /* number of samples, without idle time */
	size_t intervals; /* number of intervals with such samples */
	bool weighed;	  /* each sample tells how many events it stands for */
};

struct diff_about {
	const char *file;		     /* name of the side's first file */
	size_t more_files;		     /* number of the side's other files */
	char host[65], kernel[96], cpu[128]; /* kernel: release and machine; "": not known */
	unsigned cpus;			     /* online; 0: not known */
	uint64_t start_ns, end_ns;	     /* clock of the records: start of the first file, end of the last */
	uint64_t length_ns;		     /* sum of the lengths of all files; 0: there is one file */
	bool mixed_cpu, mixed_kernel;	     /* the files are of different CPUs, kernels */
	uint64_t utc_ns;		     /* end, in ns since 1970; 0: not known */
	size_t intervals;
	bool timeless; /* records of the side have no times */
	uint64_t samples, lost;
	double unresolved; /* share of samples in code that belongs to no known function, 0..1; 0: or unknown */
	size_t others;	   /* see diff_table_others() */
	char only[256];	   /* the filters that chose what is compared, in words; "": none */
	struct diff_event events[EVENTS_MAX];
	size_t events_n;
};

/* Path and build-id of a file that rows belong to.  Functions without names, which are known by address, can be
 * compared if both sides have the same build of their file. */
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

/* Returns for how many seconds both sides measured the same machine at the same time, so that they have samples in
 * common.  Files without the time of day are assumed to be of one boot of the machine. */
double diff_shared_seconds(const struct diff_about *a, const struct diff_about *b);

/* Warnings about what a comparison cannot tell; each is a sentence. */
enum { DIFF_NOTES_MAX = 12 };
struct diff_notes {
	char text[DIFF_NOTES_MAX][256];
	size_t n;
};
/* Adds a note, if there is room for one more. */
void diff_note(struct diff_notes *notes, const char *fmt, ...) CYC_PRINTF(2, 3);

/* Finds the event to compare, by its name, on both sides; `name` NULL: the first event of `before` that `after` has as
 * well.  -ENOENT: there is no such event; *err lists the events that there are, and says what to do. */
CYC_MUST_CHECK int diff_find_event(const struct diff_about about[DIFF_SIDES], const char *name, size_t ret[DIFF_SIDES],
				   struct error *err);
/* Finds the event of the side before that is most like event `after` of the side after.  -ENOENT: no event is like
 * it. */
CYC_MUST_CHECK int diff_find_like(const struct diff_about about[DIFF_SIDES], size_t after, size_t ret[DIFF_SIDES],
				  struct error *err);
/* Checks whether two sides can be compared.  Returns 0, with notes on their differences in *ret; or -EINVAL if a
 * comparison would tell nothing: *err has the reason, and says what would make the sides comparable. */
CYC_MUST_CHECK int diff_check(const struct diff_about about[DIFF_SIDES], const size_t event[DIFF_SIDES],
			      struct diff_notes *ret, struct error *err);
/* Adds a note on files that were recorded at the same time, if they contain the time of day. */
void diff_note_shared(const struct diff_about *about, size_t n, struct diff_notes *ret);
/* How the machines of both sides differ, in a few words; "": they do not differ. */
struct diff_differences {
	char text[256]; /* "another CPU (Xeon), another kernel (6.1)" */
	char brief[64]; /* "another CPU, kernel" */
};
/* Like diff_check(), but the side after is a session that still measures: only its machine, its events and, if it plays
 * a recording, its times are known.  -EINVAL also if both sides are the same recording. */
CYC_MUST_CHECK int diff_check_before(const struct diff_about about[DIFF_SIDES], const size_t event[DIFF_SIDES],
				     struct diff_notes *ret, struct diff_differences *differs, struct error *err);
/* Returns true if the sides are of machines whose rates per second cannot be compared. */
bool diff_rates_differ(const struct diff_about about[DIFF_SIDES]);

/* ---- the rows of a side ------------------------------------------------------------------------- */

/* Fills in the query of the pivot that a table is made of: rows by these dimensions, with idle time in separate
 * rows. */
void diff_pivot(const enum dimension_id *dims, size_t dims_n, struct pivot_query *ret);

struct diff_table;
/* A shape is all that a table has besides its rows: dimensions, numbers of events and intervals, lengths of
 * intervals. */
struct diff_shape {
	const enum dimension_id *dims; /* [dims_n] */
	size_t dims_n;
	size_t events_n, intervals_n;	    /* as in struct snapshot */
	const double *seconds;		    /* [intervals_n] */
	const struct pmu_sibling *siblings; /* [events_n] */
	const struct row_sums *sums;
};

/* Makes a table of `p`, a pivot that diff_pivot() asked for, in a snapshot with series.  `pretty` returns the demangled
 * name of a symbol; NULL: names stay raw. */
struct diff_table *diff_table_create(const struct snapshot *s, const struct pivot *p, size_t dims_n,
				     const struct model_names *names, const char *(*pretty)(void *ctx, uint32_t sym),
				     void *ctx);
/* Makes a table by other dimensions, each of which is a dimension of the pivot, or implied by one of them. */
struct diff_table *diff_table_create_by(const struct snapshot *s, const struct pivot *p, const enum dimension_id *dims,
					size_t dims_n, const struct model_names *names,
					const char *(*pretty)(void *ctx, uint32_t sym), void *ctx);
/* Makes a table with exact names: full paths, and symbols as the linker knows them. */
struct diff_table *diff_table_create_exact(const struct snapshot *s, const struct pivot *p, size_t dims_n,
					   const struct model_names *names);
void diff_table_destroy(struct diff_table *t);
/* Returns how many rows of the snapshot were summed in the row "[others]", because they have no weights by interval. */
size_t diff_table_others(const struct diff_table *t);
size_t diff_table_rows(const struct diff_table *t);
/* Returns the row of the table that means the same as a row of a snapshot; UINT32_MAX: the table has none, or the row
 * is idle time. */
uint32_t diff_table_find(const struct diff_table *t, const struct row *row, const struct model_names *names,
			 const char *(*pretty)(void *ctx, uint32_t sym), void *ctx);
/* Returns the number of an event's samples outside of idle time; *intervals_ret: number of intervals with such
 * samples. */
uint64_t diff_table_samples(const struct diff_table *t, size_t event, size_t *intervals_ret);

/* ---- writing and reading the tables of snapshot files --------------------------------------------- */

/* The dimensions of the table in a snapshot file, whose names are exact (diff_table_create_exact()). */
enum { DIFF_STORED_DIMS = 4 };
extern const enum dimension_id diff_stored_dims[DIFF_STORED_DIMS];

/* Makes a table without rows. */
struct diff_table *diff_table_empty(const struct diff_shape *shape);
/* Returns the row with these exact names, [dims_n]; adds the row if there is none. */
uint32_t diff_table_row(struct diff_table *t, const struct key_value *names);
/* Adds samples, and weights by interval series[intervals_n], to sum number `sum` of a row. */
void diff_table_add(struct diff_table *t, uint32_t row, size_t sum, uint64_t samples, const double *series);
/* Adds to a row the other names of `from_row`, such as "hot.isra.0" to the row "hot": --filter and --fail-if find the
 * row by these names, too. */
void diff_table_add_names_of(struct diff_table *t, uint32_t row, const struct diff_table *from, uint32_t from_row);
/* Sets the number that diff_table_others() returns. */
void diff_table_set_others(struct diff_table *t, size_t n);

/* Returns the shape of a table; its pointers are valid until the table changes. */
struct diff_shape diff_table_shape(const struct diff_table *t);
void diff_table_names(const struct diff_table *t, uint32_t row, struct key_value *ret);
/* Returns the samples of sum number `sum` of a row, and adds its weights to series[intervals_n]. */
uint64_t diff_table_sum(const struct diff_table *t, uint32_t row, size_t sum, double *series);

/* Joins the two or more files of one side, whose tables have the same dimensions: the intervals of each file follow the
 * intervals of the file before.  *about_ret borrows the names of the files.  -EINVAL: two files are the same, or their
 * events differ. */
CYC_MUST_CHECK int diff_join(const struct diff_about *about, struct diff_table *const *tables, size_t n,
			     struct diff_about *about_ret, struct diff_table **ret, struct error *err);
/* Checks that all files are different recordings.  -EINVAL: two files are the same recording; *err names them. */
CYC_MUST_CHECK int diff_check_twice(const struct diff_about *about, size_t n, struct error *err);

/* How diff_table_group() groups the rows of a table into the rows of a new table. */
struct diff_grouping {
	const enum dimension_id *dims; /* [dims_n], all of them dimensions of the table */
	size_t dims_n;
	bool exact; /* names stay unchanged; false: rows whose names mean the same become one */
	/* Returns the demangled name of a function, malloc'ed; NULL if it is `symbol` itself.  May be NULL: names are
	 * not demangled. */
	char *(*pretty)(const char *symbol);
	/* Returns true if the new table shall have the old table's row with these names.  May be NULL: all rows. */
	bool (*keeps)(const void *ctx, const struct key_value *names);
	const void *ctx;
};
/* Returns true if two values of a dimension mean the same. */
bool diff_same_meaning(enum dimension_id dim, const struct key_value *a, const struct key_value *b);
/* Returns a hash that is the same for all values of a dimension that mean the same, in all sessions. */
uint64_t diff_meaning_hash(enum dimension_id dim, const struct key_value *v);
bool diff_table_has(const struct diff_table *t, enum dimension_id dim);
struct diff_table *diff_table_group(const struct diff_table *from, const struct diff_grouping *by);

/* ---- call chains ------------------------------------------------------------------------------- */

/* What one call chain has of a side. */
struct chain_share {
	uint64_t key;
	struct ratio own, whole; /* shares, 0..1: of the samples in its last function; of those in its callees, too */
	struct ratio ipc;	 /* with callees */
};
struct chain_shares {
	struct chain_share *v; /* [n], sorted by key */
	size_t n;
	size_t event; /* the event that shares are of */
	bool read;    /* chains were asked for, though the side may have none */
};
/* Sorts the shares, and makes one of all that have the same key: their sum, without IPC. */
void chain_shares_sort(struct chain_shares *s);
/* Returns the share with this key; NULL: there is none. */
const struct chain_share *chain_share_find(const struct chain_shares *s, uint64_t key);
void chain_shares_deinit(struct chain_shares *s);

/* ---- comparing two tables ------------------------------------------------------------------------ */

/* The denominator of a row's weight. */
enum diff_unit {
	DIFF_UNIT_REFERENCE,	/* the weight of the reference: rows that changed by the same factor (compare.h) */
	DIFF_UNIT_SHARE,	/* the weight of all rows */
	DIFF_UNIT_RATE,		/* seconds */
	DIFF_UNIT_INSTRUCTIONS, /* the instructions of all rows */
	DIFF_UNIT_EVENT,	/* the weight of all rows in an event that the user names (--per) */
	DIFF_UNITS
};
extern const char *const diff_unit_names[DIFF_UNITS]; /* "reference", ... */
/* Checks that the sides can be compared in a unit.  -EINVAL: *err has the reason, and the units that are possible. */
CYC_MUST_CHECK int diff_check_unit(const struct diff_about about[DIFF_SIDES], enum diff_unit unit, struct error *err);

struct diff_config {
	enum diff_unit unit;
	size_t event[DIFF_SIDES];
	size_t per[DIFF_SIDES]; /* index of the event of DIFF_UNIT_INSTRUCTIONS and DIFF_UNIT_EVENT */
	double fdr, min_change; /* accepted false discovery rate; smallest change that counts as real; fractions */
	/* Interval k of both tables is the k-th pair of turns or runs: see compare_paired(). */
	bool paired;
	/* Returns true if the file of that name was, or may have been, built again between the sides.  Then its
	 * functions without names, which are known by their addresses, are not compared.  NULL: no file was rebuilt. */
	bool (*rebuilt)(const void *ctx, const char *name);
	const void *rebuilt_ctx;
};

/* One number of a row on both sides. */
struct diff_value {
	bool known[DIFF_SIDES];
	double value[DIFF_SIDES];
	struct compare_change change;
};

/* The symbols in both sides' files that are parts or clones of a row's function, such as parse.cold. */
enum { DIFF_PIECES_MAX = 8 };
struct diff_function {
	bool known[DIFF_SIDES]; /* the side's files of this DSO were read, and name all their functions */
	size_t pieces_n[DIFF_SIDES];
	char *pieces[DIFF_SIDES][DIFF_PIECES_MAX]; /* "parse", "parse.cold"; names that differ by a number count once */
};

struct diff_row {
	struct key_value *names; /* [dims_n]: the row's name in each dimension */
	const char *aliases;	 /* the row's other demangled or raw names, each followed by a NUL; "" ends the list */
	uint32_t at[DIFF_SIDES]; /* row in each side's table, see diff_table_find(); UINT32_MAX: none */
	uint64_t samples[DIFF_SIDES];
	double weights[DIFF_SIDES]; /* weights of the compared event */
	bool carries;		    /* the row belongs to the reference */
	bool not_compared;	    /* not compared: see diff_config.rebuilt */
	/* Value in the unit.  DIFF_UNIT_SHARE: share, 0..1.  DIFF_UNIT_REFERENCE: before, the share; after, what the
	 * share would be if the reference had kept its share.  Other units: events per second, per instruction, per
	 * event. */
	struct diff_value value;
	struct diff_value metrics[METRICS_MAX]; /* by index in diff.set; CHANGE_NONE if a side lacks the metric */
	const struct diff_function *function;	/* NULL: no symbol table was read */
};

struct diff_functions;
struct diff;

/* Returns true if matches(pattern, name) is true for the row's shown name or one of its aliases. */
bool diff_row_matches(const struct diff *d, const struct diff_row *row, const char *pattern,
		      bool (*matches)(const char *pattern, const char *name));

struct diff {
	enum dimension_id dims[DIM_COUNT];
	size_t dims_n;
	enum diff_unit unit;
	struct compare_reference reference; /* with DIFF_UNIT_REFERENCE; its `change` is of events per second */
	size_t reference_rows;		    /* number of rows in the reference */
	struct diff_row *rows;		    /* [n]; real changes first, the biggest first */
	size_t n;
	double weights[DIFF_SIDES]; /* total weight of all rows */
	struct compare_summary summary, metrics[METRICS_MAX];
	const struct metric_set *set;
	bool has_metric[METRICS_MAX]; /* both sides have the metric */
	char *text, *aliases;	      /* holds the rows' names and aliases */
	struct diff_functions *functions;
	size_t not_compared; /* number of rows not compared: functions known by address alone, of a rebuilt file */
	char not_compared_file[64]; /* name of the rebuilt file of one such row */
};
/* Compares two tables; the result does not refer to them. */
struct diff *diff_create(const struct diff_table *before, const struct diff_table *after,
			 const struct diff_config *config);
void diff_destroy(struct diff *d);

/* ---- what became of a C or C++ function from before to after: functions.c -------------------------- */

/* Returns a row's name in a dimension; NULL if the row has no name there. */
const char *diff_row_name(const struct diff *d, const struct diff_row *row, enum dimension_id dim);
/* Announces the symbol table of a side's file; `d` must be by DSO and symbol.  `whole`: diff_add_function() is going to
 * be called with the names of all functions.  Returns false if no row is of this file, so that its names are not
 * needed. */
bool diff_add_file(struct diff *d, enum diff_side side, const char *path, bool whole);
/* Adds the name of a function of a file: demangled if the names of rows are demangled, otherwise raw. */
void diff_add_function(struct diff *d, enum diff_side side, const char *path, const char *name);

/* Writes to `buf` a substring that all raw names of a function contain, so that names without it need not be demangled;
 * "": none is known.  `pretty`: `symbol` is a demangled name. */
void diff_function_part(const char *symbol, bool pretty, char *buf, size_t cap);

/* What became of a row's function from before to after. */
enum diff_fate {
	FATE_UNKNOWN,	/* the symbol tables are not known, or have too many parts and clones */
	FATE_SAME,	/* both sides have the same parts and clones of the function */
	FATE_SPLIT,	/* after has more parts or clones */
	FATE_JOINED,	/* before had more parts or clones */
	FATE_OTHER,	/* each side has parts or clones that the other side lacks */
	FATE_GONE,	/* the function has no sample after, and the files after do not name it */
	FATE_CAME,	/* the function has no sample before, and the files before do not name it */
	FATE_UNSAMPLED, /* one side has no sample of the function, although its files name it */
};
extern const char *const diff_fate_names[]; /* names in CSV and JSON, "split"; NULL for FATE_UNKNOWN */
enum diff_fate diff_fate(const struct diff_row *row);
/* Appends the fate as a sentence without a full stop; `sides`: names of the sides ("before", "after").  Returns false
 * if there is nothing to say. */
bool diff_fate_add(const struct diff_row *row, const char *const sides[DIFF_SIDES], struct strbuf *b);

/* Adds notes on what limits the result, as far as the result itself shows it: too few samples or effective
 * intervals. */
void diff_note_worth(const struct diff *d, struct diff_notes *ret);

/* Computes the difference after - before, in the unit of the value, and its standard error (negative: unknown).
 * Returns false if the difference is not known. */
bool diff_difference(const struct diff_value *v, double *ret, double *error_ret);

/* ---- bounds on changes (--fail-if) --------------------------------------------------------------- */

/* A bound, "VALUE [of PATTERN] > or < PERCENT%": "cycles > +3%", "ipc of libz.so*  < -5%". */
struct diff_bound {
	char value[64];	   /* an event's name, or the id of a metric */
	char pattern[128]; /* shell pattern for one of a row's names; "": every row */
	bool above;
	double bound; /* limit for the change, a fraction: 0.03 is +3 % */
};
CYC_MUST_CHECK int diff_bound_parse(const char *text, struct diff_bound *ret, struct error *err);
/* Finds which number of a row the bound is on: DIFF_ON_EVENT or the index of a metric.  -ENOENT: this comparison does
 * not have that number; *err lists the numbers that it has. */
enum { DIFF_ON_EVENT = METRICS_MAX };
CYC_MUST_CHECK int diff_bound_find(const struct diff_bound *b, const struct diff *d, const struct diff_event *event,
				   size_t *ret, struct error *err);
/* Returns true if the bound applies to the row. */
bool diff_bound_is_on(const struct diff_bound *b, const struct diff *d, const struct diff_row *row);
/* Returns true if the change is real and beyond the bound. */
bool diff_bound_exceeded(const struct diff_bound *b, const struct compare_change *c);

#endif
