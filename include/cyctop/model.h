/* Room model: facts -> intervals -> snapshots.  Pure: time comes in as numbers.
 *
 * A fact is (task, symbol, CPU, event) -> samples, weight, variance, within one
 * interval.  An interval spans two readings of the counters, so each has exact
 * enabled and running times per event and CPU; its facts are scaled once, when it
 * is closed.  Every table and window is a sum over the same facts.
 * Formulas and their sources: doc/statistics.md. */
#ifndef CYCTOP_MODEL_H
#define CYCTOP_MODEL_H

#include <cyctop/base.h>
#include <cyctop/catalog.h>
#include <cyctop/event.h>

/* ---- values with their validity ------------------------------------------------ */

/* A quotient of two estimates.  Not valid: nothing to divide by, or an event that
 * was not counted; then value and error mean nothing. */
struct ratio {
	double value, error; /* error: one standard error, same unit */
	bool valid;
};
/* Is the ratio carried by its samples?  (error <= 20 % of value) */
bool ratio_supported(struct ratio r);

/* One event's sum over some facts. */
struct sum {
	uint64_t samples;
	double weight; /* scaled periods, i.e. estimated events */
	double var;    /* of weight: sum of squared scaled periods (Poisson) */
};
/* factor * num / den by the delta method.  `num_unit`: mean weight of one sample
 * of the numerator's event, the error where no sample of it was seen. */
struct ratio ratio_of(double factor, struct sum num, struct sum den, double num_unit);

/* ---- what goes in ---------------------------------------------------------------- */

struct model;

struct model_config {
	size_t events_n;
	unsigned cpus_n;
	uint64_t keep_ns;  /* intervals this much older than the newest may go */
	size_t keep_bytes; /* ... sooner, once the history is larger than this */
};
struct model *model_create(const struct model_config *config);
void model_destroy(struct model *m);
/* The closed intervals and the total as they are now. */
struct model *model_copy(const struct model *m);

/* One sample of the open interval.  Hot path. */
void model_add(struct model *m, uint32_t task, uint32_t sym, uint32_t cpu, uint32_t event, uint64_t period);
/* Several, which costs less each. */
struct model_sample {
	uint32_t task, sym, cpu, event;
	uint64_t period;
	uint64_t hash; /* private to the model */
};
void model_add_row(struct model *m, struct model_sample *samples, size_t n);

/* What one event did on one CPU between the readings that bound an interval. */
struct counter_delta {
	uint64_t value, enabled_ns, running_ns;
	uint64_t lost; /* samples */
	bool opened;
};
struct cpu_delta {
	uint64_t busy_ns, idle_ns;
	bool known, online;
};
struct interval_bounds {
	uint64_t start_ns, end_ns;
	const struct counter_delta *counters; /* [event * cpus_n + cpu] */
	const struct cpu_delta *cpus;	      /* [cpu] */
	uint64_t lost_records;		      /* RECORD_LOST since the last close */
	uint64_t malformed;
	uint64_t throttles;   /* THROTTLE records */
	uint64_t self_cpu_ns; /* the monitor's own CPU time */
};
/* Scales the open interval's facts and makes it history; opens the next one. */
void model_close(struct model *m, const struct interval_bounds *bounds);

/* Forgets all history ("start over"). */
void model_reset(struct model *m);

/* Re-keys all facts after ids were settled or tasks retired: pending symbols become
 * their canonical ones, but for what is provisional; in the total since start, tasks that ended before the
 * window are folded into one entry per command (`fold[task]`, or CATALOG_NONE for
 * "keep").  Keeps memory bounded on machines that fork all day. */
void model_rekey(struct model *m, const struct catalog *cat, const uint32_t *fold);

/* Sets used[id] for each task some fact is about. */
void model_mark_tasks(const struct model *m, bool *used, uint32_t n);
/* When the oldest interval that is still kept began; 0: there is none. */
uint64_t model_oldest_ns(const struct model *m);

struct model_stats {
	size_t bytes, intervals, facts;
};
void model_stats_get(const struct model *m, struct model_stats *ret);

/* ---- what comes out ---------------------------------------------------------------- */

enum window {
	WINDOW_SLIDING,	 /* the last query.sliding_ns */
	WINDOW_INTERVAL, /* the last interval */
	WINDOW_TOTAL,	 /* since start, or since model_reset() */
};

struct query {
	enum window window;
	uint64_t sliding_ns;
	bool by_thread;	    /* tasks table: threads instead of processes */
	uint32_t only_task; /* symbols table: of this task (all threads of a
			       * leader unless by_thread), or CATALOG_NONE */
	uint32_t only_sym;  /* tasks table: of this symbol, or CATALOG_NONE */
	bool hide_kernel, hide_user, hide_self;
	bool totals_only;	      /* no table of symbols or tasks: a report has them */
	bool partial;		      /* the source sees only some tasks, or user space only */
	const enum event_role *roles; /* [events_n] */
	const struct event_kin *kin;  /* [events_n]; NULL: each event is alone */
	size_t primary;		      /* the event that shares refer to, with its kin */
};

enum count_state {
	COUNT_ABSENT, /* the event is not open */
	COUNT_NEVER,  /* enabled but never running: not counted, not zero */
	COUNT_OK,
};

/* An event as a whole. */
struct event_total {
	enum count_state state;
	uint64_t samples;
	double weight;	/* sampled estimate */
	double count;	/* counted, scaled by enabled/running */
	double running; /* fraction of enabled time; 1 = never multiplexed */
	uint64_t lost;	/* samples */
};

/* A row of any table; the id that its table is about is set, and `top_sym` for
 * tasks.  sums[e] are the row's events. */
struct row {
	uint32_t sym, task, cpu; /* the idle row of the symbols table has no sym */
	uint32_t top_sym;	 /* tasks: the symbol with most of the primary event */
	double share;		 /* of the primary event's busy weight, 0..1; NAN-free:
			    * see share_valid */
	bool share_valid;	 /* false for idle rows */
	bool idle, pending, unresolved, kernel;
	double cpu_ns; /* estimated time on CPU within the window */
	bool cpu_valid;
	struct sum *sums; /* [events_n] */
};
struct table {
	struct row *rows;
	size_t n;
};

struct cpu_total {
	bool online;
	bool busy_known;
	double busy;		  /* fraction of wall time, 0..1 */
	double *counts;		  /* [events_n], scaled */
	double *running;	  /* [events_n], fraction of enabled time */
	enum count_state *states; /* [events_n] */
};

struct trust {
	bool explained_valid;
	double explained;  /* sampled weight / counted, primary event */
	double running;	   /* the least of the events' running fractions, 0..1 */
	uint64_t lost;	   /* samples and records */
	double lost_share; /* of all that were taken */
	uint64_t throttles;
	uint64_t malformed;
	double unresolved; /* share of the primary's busy weight */
	double pending;
	double self;	  /* own CPU time / (wall time), 1 = one CPU */
	uint64_t samples; /* all events */
};

struct snapshot {
	uint64_t start_ns, end_ns;
	size_t events_n;
	unsigned cpus_n;
	struct event_kin kin[EVENTS_MAX];
	size_t primary; /* as asked for: the first of its kin */
	struct event_total events[EVENTS_MAX];
	double units[EVENTS_MAX]; /* mean weight of a sample; without one, the count */
	double busy_weight;	  /* primary, idle left out: what shares refer to */
	double busy_ns;		  /* all CPUs, where known */
	bool busy_known;
	struct cpu_total *cpus; /* [cpus_n] */
	struct table symbols, tasks;
	struct table by_cpu; /* a row for every online CPU, sampled or not */
	struct trust trust;
};
/* Immutable, self-contained (but for the catalog its ids point into). */
struct snapshot *snapshot_create(const struct model *m, const struct catalog *cat, const struct query *query);
void snapshot_destroy(struct snapshot *s);

/* An event with its kin: what was counted, in all or on a CPU. */
double snapshot_count(const struct snapshot *s, size_t event);
double snapshot_cpu_count(const struct snapshot *s, unsigned cpu, size_t event);

/* A metric of a row, of the whole, of a CPU's counters.  `roles[e]` says which
 * event plays which part, together with its kin, as far as both parts are there on a
 * PMU; not valid where one is missing or was not counted. */
struct ratio row_metric(const struct snapshot *s, const struct row *row, const struct metric *metric,
			const enum event_role *roles);
struct ratio total_metric(const struct snapshot *s, const struct metric *metric, const enum event_role *roles);
struct ratio cpu_metric(const struct snapshot *s, unsigned cpu, const struct metric *metric,
			const enum event_role *roles);

/* ---- reports: one table by any keys ------------------------------------------------ */

enum report_key { REPORT_SYMBOL, REPORT_DSO, REPORT_COMM, REPORT_PID, REPORT_TID, REPORT_CPU, REPORT_KEY_COUNT };
struct report_keys {
	enum report_key v[REPORT_KEY_COUNT]; /* none twice */
	size_t n;
};
/* "comm,dso,symbol"; -EINVAL with advice in *err. */
CYC_MUST_CHECK int report_keys_parse(const char *list, struct report_keys *ret, struct error *err);
const char *report_key_name(enum report_key key);

/* The same facts by those keys: what has the same names is one row, whatever its ids
 * (a comm across processes, a function name across the DSOs of a report that has no
 * key for them).  Everything is in it, idle time as well, but for what the query hides.
 * A row's `sym`, `task` and `cpu` are one of those it stands for, and CATALOG_NONE
 * where no key is about them; its share is of the primary event's whole weight.
 * `kernel`, `pending` and `unresolved` are set where the symbol is a key. */
struct report {
	struct report_keys keys;
	struct table table; /* by weight, the primary event's first; then by the keys */
};
/* Immutable, self-contained (but for the catalog its ids point into).  Of the query it
 * takes the window and what is hidden. */
struct report *report_create(const struct model *m, const struct catalog *cat, const struct query *query,
			     const struct report_keys *keys);
void report_destroy(struct report *r);

#endif
