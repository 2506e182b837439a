/* Room model: facts -> intervals -> snapshots.  Pure: no I/O and no clock; the caller passes all times.
 *
 * A fact is (task, context, CPU, event) -> samples, weight, variance, within one interval.  A context is a symbol, or a
 * symbol in a cgroup and so on (catalog.h).  An interval is the time between two readings of the counters, so its
 * enabled and running times are exact, per event and CPU.  Its facts are scaled to the counts once, when it is closed.
 * Every table is a sum of facts.  Formulas and their sources: doc/statistics.md. */
#ifndef CYCTOP_MODEL_H
#define CYCTOP_MODEL_H

#include <cyctop/base.h>
#include <cyctop/catalog.h>
#include <cyctop/dimension.h>
#include <cyctop/event.h>

/* ---- values with their validity ------------------------------------------------ */

/* A number computed from estimates; not valid, and then meaningless, if an event was not counted or a divisor is 0. */
struct ratio {
	double value, error; /* error: one standard error, in the unit of `value` */
	bool valid;
};
/* Returns true if the error is at most 20 % of the value. */
bool ratio_supported(struct ratio r);

/* The sum of one event over some facts.  If the event had no counter in some of the intervals, weight
 * and variance are of the other intervals, scaled up to all intervals. */
struct sum {
	uint64_t samples;
	double weight; /* estimated number of events: the sum of the scaled periods */
	double var;    /* the sum of the squared scaled periods: the variance of weight if nothing else is known */
	/* Sums of squared scaled periods, at most twice `var`.  `edges`: over pairs of successive samples of one
	 * counter, if exactly one sample of the pair has this task and context: the square of that sample's period.
	 * `far`: the same over pairs of samples with another sample between them. */
	float edges, far;
};
static inline void sum_add(struct sum *sum, const struct sum *part)
{
	sum->samples += part->samples;
	sum->weight += part->weight;
	sum->var += part->var;
	sum->edges += part->edges;
	sum->far += part->far;
}
/* Returns the variance of the weight of `part` as an estimate for the whole window, in which the counter counted
 * `whole` while it was running, the fraction `running` of the time.  If nothing is known of the order of samples, the
 * result is var * (1 - share * running), where the share leaves at least one sample to the rest of the whole.  `gap`:
 * see struct event_total. */
double sum_variance(const struct sum *part, const struct sum *whole, double running, double gap);

/* ---- adding facts: samples and counters ------------------------------------------ */

/* A stretch is a time range of the history, in event time (clock of the records).  It stands for the intervals whose
 * middle lies in the range or, if there are none, for the interval around the middle of the range.  to_ns 0: no
 * stretch. */
struct stretch {
	uint64_t from_ns, to_ns;
};

struct model;

/* What the weights of the time events (time_config.events) tell about CPU time. */
enum time_basis {
	/* nothing, as no clock or cycles are measured; a task's time is distributed by weights of the first event */
	TIME_BASIS_NONE,
	TIME_BASIS_CYCLES, /* weights are in proportion to CPU time, on one CPU and in one interval */
	TIME_BASIS_CLOCK,  /* weights are nanoseconds, estimated from samples */
	TIME_BASIS_TASKS,  /* weights are nanoseconds of the scheduler's accounting (SCOPE_PROC) */
};

/* Where CPU times come from.  All zero: there are none. */
struct time_config {
	enum time_basis basis;
	/* The time events, by whose weights CPU time is distributed: bit e is set if event e is one.  They are one
	 * event and its siblings. */
	uint32_t events;
	/* time events count in user space only, or in the kernel only, but times of tasks include both */
	bool modes_differ;
	/* Every task is sampled: busy time of a CPU that exceeds the known times of tasks is time of other tasks and of
	 * interrupts. */
	bool all_tasks;
	bool counted_on_task; /* enabled_ns and running_ns pass only while a measured task is on the CPU */
};

struct model_config {
	size_t events_n;
	unsigned cpus_n;
	/* Intervals that are older than the newest by this time are dropped or, after model_keep(), folded like the
	 * total: ended tasks and code that is gone get joint entries (struct catalog_fold). */
	uint64_t keep_ns;
	/* Memory limit for the intervals and their thin copies (interval_thin.c).  To keep it, neighbouring intervals
	 * are joined, first those whose joint length is smallest for their age. */
	size_t keep_bytes;
	struct time_config time;
};
struct model *model_create(const struct model_config *config);
void model_destroy(struct model *m);
/* Makes the history take at most `bytes` from now on, and drop nothing for its age. */
void model_keep(struct model *m, size_t bytes);
/* Copies the closed intervals and the total, without the open interval.  The copy and `m` share the memory of an
 * interval until one of them joins it with another. */
struct model *model_copy(const struct model *m);
/* Copies the newest closed intervals that began at `since_ns` or later, at most `most` of them; the copy's total is
 * empty.  NULL: there are none.  On a machine with many CPUs, tables that tell apart both CPUs and what ran on them
 * (pivot_crosses_cpus()) have fewer intervals, maybe of less time, or none. */
struct model *model_copy_newest(const struct model *m, uint64_t since_ns, size_t most);
/* Like model_copy_newest(), but copies the intervals that lie wholly in a stretch, the newest `most` of them. */
struct model *model_copy_stretch(const struct model *m, struct stretch s, size_t most);

/* Adds a turn, the time in which one of two compared states was measured: joins the intervals that lie wholly in a
 * stretch to one, and appends it to *to, a separate model of turns that is made if *to is NULL.  The caller bounds the
 * number of turns.  Returns false if no interval lies in the stretch. */
bool model_add_turn(struct model **to, const struct model *m, struct stretch s);
/* Drops the oldest turn of a model of turns. */
void model_drop_turn(struct model *m);
/* Returns the number of turns, and the memory that they take. */
size_t model_turns(const struct model *m, size_t *bytes_ret);

/* Adds one sample to the open interval. */
void model_add(struct model *m, uint32_t task, uint32_t ctx, uint32_t cpu, uint32_t event, uint64_t period);
/* Which neighbours of a sample, among the samples of its counter, have the same task and context.  No bit is
 * set if all differ, or if the order of the samples is not known. */
enum sample_like {
	LIKE_PREVIOUS = 1 << 0,
	LIKE_NEXT = 1 << 1,
	LIKE_LAST_BUT_ONE = 1 << 2, /* the sample before the previous one */
};
struct model_sample {
	uint32_t task, ctx;
	uint16_t cpu, event;
	uint32_t like; /* bits of enum sample_like */
	uint64_t period;
	union {
		uint64_t time_ns; /* used by the session, ignored by the model */
		uint64_t hash;	  /* private to the model */
	};
};
/* Costs of samples, as the CPU measured them (PERF_SAMPLE_WEIGHT): for most events of memory accesses, the latency in
 * cycles.  Samples with a cost of 0, which means not measured, are left out. */
struct sample_costs {
	uint64_t n; /* number of samples */
	double sum, squares;
};
/* Returns the mean cost and its standard error, from the spread of the costs; of a single sample, the error is its
 * cost. */
struct ratio costs_mean(const struct sample_costs *costs);
/* Wall-clock time, in weights of the primary event without idle time: the weight of each sample is divided by the
 * number of threads of the target that ran then (ctx_info.parallelism); samples without this number are left out. */
struct latency {
	double weight, var; /* var: sum of the squared quotients */
};
/* Adds the cost of a sample to the open interval; the sample itself is added by another call. */
void model_add_cost(struct model *m, const struct model_sample *sample, uint64_t cost);
/* Adds several samples; faster than one by one, because their memory is prefetched. */
void model_add_row(struct model *m, struct model_sample *samples, size_t n);

/* Differences between two readings of the counter of one event on one CPU. */
struct counter_delta {
	uint64_t value, enabled_ns, running_ns;
	double scale;	       /* event_spec.scale: `value` times `scale` is in the event's unit; 0 means 1 */
	uint64_t lost;	       /* number of lost samples */
	uint64_t throttled_ns; /* time for which the kernel had stopped the event, because it fired too often */
	bool opened;	       /* false: the event is not open on this CPU */
	bool estimated;	       /* `value` was not counted, but estimated from samples */
	bool summed;	       /* `value` is the sum of the samples' periods */
	bool untimed;	       /* the times for which the event was enabled and running are unknown */
	bool unweighed;	       /* the number of events that the samples stand for is unknown */
};
struct cpu_delta {
	uint64_t busy_ns, idle_ns;
	uint64_t step_ns; /* resolution of the readings of both times; 0: exact */
	bool known, online;
};
/* CPU time of a process or of a thread within the interval, by the scheduler's own accounting. */
struct task_cpu {
	uint32_t task; /* id in the catalog; for a process, the id of its leader */
	uint64_t cpu_ns;
};
struct interval_bounds {
	uint64_t start_ns, end_ns;
	const struct counter_delta *counters; /* [event * cpus_n + cpu] */
	const struct cpu_delta *cpus;	      /* [cpu] */
	uint64_t lost_records;		      /* records lost since the last close, by RECORD_LOST */
	uint64_t malformed;
	uint64_t throttles;   /* number of THROTTLE records */
	uint64_t self_cpu_ns; /* CPU time of cyctop itself */
	bool raw;	      /* weights of facts are not scaled to the counts */
	/* Known CPU times of whole processes, and of single threads of processes that have several.  Each task is
	 * listed at most once. */
	const struct task_cpu *processes, *threads;
	size_t processes_n, threads_n;
	uint64_t unlisted_cpu_ns; /* CPU time of tasks that have no id, because they were never sampled */
	/* Says which tasks are of one process, and which are idle.  NULL: each task is a process. */
	const struct catalog *cat;
};
/* Scales the facts of the open interval, appends it to the history, and opens the next one. */
void model_close(struct model *m, const struct interval_bounds *bounds);

/* Returns the limits that were reached for the first time since the last call. */
struct limit_set model_limits(struct model *m);

/* Sets used[task] for each task with samples in the open interval whose id is below `n`. */
void model_open_tasks(const struct model *m, bool *used, uint32_t n);

/* Drops all intervals and the total. */
void model_reset(struct model *m);
/* Adds an event, with the next index.  For the time until now, the event counts as enabled, but without a counter. */
void model_add_event(struct model *m);

/* Gives all facts the ids that their symbols resolved to, unless the symbol may change again.  `fold`, or NULL, lists
 * ids whose facts move to another id, in the total since start and in the history from before model_detailed_ns(), so
 * that total and history do not grow with every program and function that ever ran. */
void model_rekey(struct model *m, const struct catalog *cat, const struct catalog_fold *fold);

/* Marks in `used` the ids in facts that folding must not move; `all`: also ids that only the older history and the
 * total have. */
void model_mark(const struct model *m, const struct catalog *cat, bool all, struct catalog_used *used);
/* Adds to `weights` the numbers of samples in the total since start. */
void model_weigh(const struct model *m, const struct catalog *cat, struct catalog_weights *weights);
/* Returns the start time of the oldest interval that folding leaves as it is; 0: there is none. */
uint64_t model_detailed_ns(const struct model *m);
/* Lists the newest closed intervals that began at `since_ns` or later, at most `most` of them, the oldest first;
 * returns their number. */
struct snapshot_interval;
size_t model_newest(const struct model *m, uint64_t since_ns, size_t most, struct snapshot_interval *ret);
/* Returns the time from which on no intervals were joined; 0: there is no such time. */
uint64_t model_unjoined_ns(const struct model *m);

/* Intervals that were dropped from the history.  The total includes them, besides the history and the open interval. */
struct dropped {
	uint64_t intervals;
	uint64_t end_ns; /* end of the newest dropped interval */
	uint64_t samples[EVENTS_MAX];
	double weight[EVENTS_MAX];
};
struct model_stats {
	size_t bytes, intervals, facts;
	size_t history_bytes; /* the part of `bytes` that model_config.keep_bytes bounds */
	struct dropped dropped;
};
void model_stats_get(const struct model *m, struct model_stats *ret);

/* ---- queries and snapshots --------------------------------------------------------- */

enum window {
	WINDOW_SLIDING,	 /* the last query.sliding_ns */
	WINDOW_INTERVAL, /* the last interval */
	WINDOW_TOTAL,	 /* since start, or since model_reset() */
};

/* A filter of facts: keeps facts whose key in dimension `dim` is `key` or, if accepts() is set, facts that it accepts.
 * A zoom on the screen is a filter, and -p with a recording is one, too. */
struct filter {
	enum dimension_id dim;
	uint64_t key; /* dimension_key() */
	bool under;   /* also keeps facts whose call chains have a caller with the key */
	/* Returns true to keep the facts of an id of dimensions[dim].part.  NULL: the key decides. */
	bool (*accepts)(const void *ctx, const struct model_names *names, uint32_t id);
	const void *ctx;
};
enum { FILTERS_MAX = 2 * DIM_COUNT };

/* A table: the facts that pass all filters, summed by the keys of the dimensions.
 *
 * By identity (panes), rows have different keys.  The idle task is treated apart: in tables by
 * code all its time is one row, shares leave it out, and hide_kernel does not hide it, unless a
 * filter selects a task.  The first dimension decides what hide_kernel and hide_user hide: code
 * in tables by code, tasks in tables by tasks, nothing in tables by CPU or PMU.
 *
 * With DIM_SYMBOL_TO among the dimensions or filters, rows are of taken branches alone, and shares refer to them.
 *
 * By name (reports), rows have different values.  The idle task is treated like any other, and
 * hide_kernel and hide_user hide code. */
struct pivot_query {
	enum dimension_id dims[DIM_COUNT]; /* each at most once */
	size_t dims_n;			   /* at least 1 */
	struct filter filters[DIM_COUNT];
	size_t filters_n;
	bool by_name;
	bool relative;	       /* shares refer to the sum of the rows, not to all facts */
	enum dimension_id top; /* row.top is the id of the row's hottest key of this dimension; DIM_NONE: none */
	bool top_unnamed;      /* only rows of a symbol without a name have a top */
	/* Rows, which are processes, threads or call chains by identity, have parents: see struct pivot.  Call chains
	 * begin with the outermost function, and callers (DIM_CALLERS) with the innermost; if a filter keeps what is
	 * `under` a function, both begin at the outermost occurrence of this function. */
	bool tree;
	/* Rows also have totals that include callees, `row.total`.  Functions that have no samples, but were found as
	 * callers, have rows, too. */
	bool callees;
};
/* Parses "comm,dso,symbol" into dims and dims_n.  A word that is no dimension is added to `fields` as the name of a
 * tracepoint's field, if `fields` is not NULL.  -EINVAL: *err lists the dimensions. */
CYC_MUST_CHECK int pivot_dims_parse(const char *list, struct field_names *fields, struct pivot_query *ret,
				    struct error *err);
/* Returns true if the rows tell apart both CPUs and what ran on them, in more detail than user or kernel mode. */
bool pivot_crosses_cpus(const struct pivot_query *query, const struct filter *only, size_t only_n);
/* Returns true if `dim` is one of the dimensions, or implied by one of them. */
bool pivot_has(const struct pivot_query *query, enum dimension_id dim);
/* Returns the parts of memory accesses that pivots group or filter by: a bit for each enum memory_part. */
unsigned pivots_memory(const struct pivot_query *pivots, size_t n);

/* How an event is sampled: by frequency, or once in so many events; both 0: unknown. */
struct sample_rate {
	double hz, period;
};

/* Kinds of numbers that facts may have beside their samples (src/model/fact_columns.h). */
enum fact_number { NUMBER_NONE, NUMBER_TIMES, NUMBER_COSTS, NUMBER_LATENCY };

/* What a snapshot contains: its time range, its tables, and what is left out. */
struct query {
	enum window window;
	uint64_t sliding_ns;
	uint64_t since_ns;	/* WINDOW_SLIDING: intervals that began before this time are left out */
	struct stretch stretch; /* time range that replaces the window; to_ns 0: none */
	bool hide_kernel, hide_user, hide_self;
	bool partial;			    /* the source sees only some tasks, or user space only */
	bool tasks;			    /* the source's counters count only the tasks that it samples */
	const struct metric_set *metrics;   /* NULL: the built-in ones */
	const enum event_role *roles;	    /* [events_n]: role of each event in metrics (ROLE_CYCLES ...) */
	const uint8_t *modes;		    /* [events_n]: event_modes(); NULL: all are the same */
	const struct sample_rate *rates;    /* [events_n]; NULL: unknown */
	const struct pmu_sibling *siblings; /* [events_n]; NULL: each event is alone */
	size_t primary;			    /* event that shares refer to, with its siblings */
	size_t branches;		    /* source_info.branches: event of tables of branches; 0: there is none */
	bool chains;			    /* samples are taken with call chains, even if none has a caller */
	const struct pivot_query *pivots;
	size_t pivots_n;
	const struct filter *only; /* filters for all pivots, but not for totals and shares */
	size_t only_n;		   /* at most FILTERS_MAX - DIM_COUNT */
	bool series;		   /* pivots keep each row's weight in each interval: pivot_series() */
};

enum count_state {
	COUNT_ABSENT,  /* the event is not open */
	COUNT_NEVER,   /* enabled but never running: the count is unknown, not 0 */
	COUNT_UNKNOWN, /* samples do not say how many events they stand for: only shares of samples are known */
	COUNT_OK,
};

/* The totals of an event. */
struct event_total {
	enum count_state state;
	uint64_t samples;
	double weight;	/* estimated from samples */
	double count;	/* from counters, scaled by enabled/running */
	bool estimated; /* `count` is estimated from samples, with an error like theirs */
	bool summed;	/* `count` is the sum of the sample periods */
	bool untimed;	/* the times for which the event was enabled and running are unknown; `running` is then 1 */
	double running; /* fraction of the enabled time for which the event had a counter; 1: never multiplexed */
	double gap;	/* mean number of samples missed between two times at which the event had a counter */
	uint64_t lost;	/* number of lost samples */
	/* The weight of the samples divided by the count; for a clock of all tasks, divided by the busy time.  Not
	 * valid with too few samples. */
	struct ratio explained;
	double throttled; /* fraction of the enabled time for which the kernel had stopped the event */
};

/* A row of a pivot.  task, ctx, cpu and event are the ids of one of its facts, from which all keys of the row follow;
 * CATALOG_NONE where no dimension depends on that part.  If the only dimension has key_is_id, the id is from the key:
 * for a process, its leader's. */
struct row {
	uint64_t id; /* hash of the row's keys: the same in every snapshot, never 0 */
	uint32_t task, ctx, cpu, event;
	uint32_t sym;	    /* the symbol of ctx */
	uint32_t top;	    /* id of the hottest key of query.top; CATALOG_NONE: there is none */
	double share;	    /* 0..1, of the primary event's weight; without idle time unless by name */
	double share_error; /* one standard error of share; without a sample, the share of one sample */
	bool share_valid;
	bool idle;			  /* the row is the idle task's time */
	bool interrupts;		  /* the row sums interrupts that arrived while a CPU was idle */
	bool kernel, pending, unresolved; /* of the row's symbol; without a symbol, `kernel` is of its task */
	/* CPU time within the window, from the scheduler's accounting.  cpu_estimated: more than 1 % of it was
	 * estimated from samples, as always in rows that are not whole tasks. */
	double cpu_ns;
	double cpu_error_ns; /* one standard error of the estimated part; 0: unknown */
	bool cpu_valid, cpu_estimated;
	struct sample_costs costs;
	struct latency latency;
	struct ratio latency_share; /* 0..1, of the latency of all rows that `share` refers to */
	uint32_t parent;	    /* with query.tree: index of the parent row; ROW_ROOT: there is none */
	uint32_t depth;		    /* number of the row's ancestors */
	struct sum *sums;	    /* [snapshot.sums.n] */
	/* With query.callees: the row's samples and those of all that it called, directly or not, each once.
	 * NULL: not asked for. */
	const struct row *total;
};
#define ROW_ROOT UINT32_MAX
struct pivot {
	struct pivot_query query;
	struct row *rows; /* [n]; with query.by_name sorted by descending weight, then by value; else unsorted */
	size_t n;
	/* [n], with query.tree: each row and all rows below it summed up, with the same id.  Processes and call chains
	 * without samples have a row, too, if there are samples below them.  With query.callees: what row.total
	 * points to.  NULL: the query asked for neither. */
	struct row *trees;
	double share;	  /* 0..1: sum of all rows' shares of the whole, even if row.share is relative */
	struct sum *sums; /* [n * snapshot.sums.n], twice with trees; rows[i].sums and trees[i].sums point into it */
	double *series;	  /* for each of `sums` its weight in each interval; NULL: without query.series */
	/* Number of rows, from the first on, that have their own series: all, or as many as LIMIT_SERIES allows. */
	size_t series_rows;
};
/* Returns row->task, ctx, cpu or event, as `part` says. */
uint32_t row_part(const struct row *row, enum fact_part part);

struct cpu_total {
	bool online;
	bool busy_known;
	bool time_uncounted;	       /* no time event had a counter: CPU times of tasks are missing */
	double busy;		       /* fraction of the online time in which the CPU was busy, 0..1 */
	double busy_ns, busy_error_ns; /* busy time, and its standard error from the resolution of the readings */
	double *counts;		       /* [events_n], scaled */
	double *running;	       /* [events_n], fraction of the enabled time with a counter */
	enum count_state *states;      /* [events_n] */
	struct sum *sums;	       /* [events_n], from samples */
	struct sum *idle;	       /* [events_n], the part of `sums` that is idle time */
};

/* What a metric is computed from: for each operand a set of a row's sums (bit i is sums[i]). */
struct metric_parts {
	uint64_t sets[METRIC_OPERANDS_MAX];
	bool valid; /* the session has events for all operands, and they were counted */
	/* cpus: number of CPUs on which all operands were counted; the metric is computed from these CPUs alone.
	 * cpus_of: number of CPUs on which at least one operand was counted. */
	unsigned cpus, cpus_of;
	double scales[METRIC_OPERANDS_MAX]; /* factors for weights: the count / the sum of all weights, near 1 */
};

/* Returns the union of p->sets, bit i for sums[i]. */
uint64_t parts_all(const struct metric_parts *p);

enum { SUMS_MAX = 2 * EVENTS_MAX };
_Static_assert(SUMS_MAX <= 64, "a set of sums is one word");
/* What the sums[] of rows are: first a sum for each event; then a sum for each event that a metric needs on only some
 * of its CPUs, because another event of the metric was not counted on the others. */
struct row_sums {
	size_t n;
	uint8_t event[SUMS_MAX];	  /* [n]: the event of each sum */
	const struct metric_set *metrics; /* borrowed, must outlive all snapshots; NULL: parts are not valid */
	struct metric_parts parts[METRICS_MAX];
};

struct trust {
	bool explained_valid;
	double explained; /* sampled weight / count of the primary event, its siblings included */
	/* The event whose event_total.explained is farthest from 1, by more than tolerance and error; EVENTS_MAX: none
	 * is. */
	size_t unexplained;
	size_t throttled;  /* the event with the largest event_total.throttled; EVENTS_MAX: none was throttled */
	double running;	   /* the smallest running fraction of an event, 0..1 */
	bool mux_unknown;  /* for at least one event, the fraction of time for which it was running is unknown */
	uint64_t lost;	   /* number of lost samples and records */
	double lost_share; /* lost / (lost + samples) */
	uint64_t throttles;
	uint64_t malformed;
	double unresolved; /* share of busy_weight in code that belongs to no known function */
	double grouped;	   /* share of busy_weight in functions without a name (SYM_GROUP) */
	bool chained;	   /* samples have call chains */
	double whole;	   /* share of busy_weight whose call chains reach the function in which the thread began */
	double cut;	  /* share of busy_weight whose call chains end where the recorded part ends (ctx_info.cut); all
			    * chains that are neither whole nor cut are broken */
	double pending;	  /* share of busy_weight in code whose symbol table is being read */
	double self;	  /* CPU time of cyctop / wall time; 1: one CPU */
	uint64_t samples; /* number of samples, of all events */
};

/* An interval of a window; joined intervals count as one. */
struct snapshot_interval {
	uint64_t start_ns, end_ns;
};

struct snapshot {
	uint64_t start_ns, end_ns;
	struct snapshot_interval *intervals; /* [intervals_n], with query.series; else NULL */
	size_t intervals_n;		     /* 0 for WINDOW_TOTAL, which has none */
	size_t events_n;
	unsigned cpus_n;
	struct pmu_sibling siblings[EVENTS_MAX];
	size_t primary; /* event that shares refer to, as in the query: the first of its siblings */
	struct event_total events[EVENTS_MAX];
	double units[EVENTS_MAX]; /* [event]: mean weight of a sample; its count, if there are no samples */
	struct row_sums sums;
	uint32_t numbers;		/* bit i: facts of the window have numbers of kind i, enum fact_number */
	struct sum wholes[SUMS_MAX];	/* [sums.n]: sums over all facts */
	double whole_running[SUMS_MAX]; /* [sums.n]: fraction of the time for which the sum's count is known */
	double busy_weight;		/* weight of the primary event without idle time: the denominator of shares */
	struct latency latency;		/* of all facts */
	double busy_ns;			/* sum over the CPUs whose times are known */
	bool busy_known;
	bool time_uncounted;	/* one of the CPUs has time_uncounted set */
	struct cpu_total *cpus; /* [cpus_n] */
	struct trust trust;
	struct pivot *pivots; /* [pivots_n], in the order of the query */
	size_t pivots_n;
};
/* Makes a snapshot, which does not change, and refers to neither the model nor the query.  Its ids
 * are those of the catalog that `names` refers to. */
struct snapshot *snapshot_create(const struct model *m, const struct model_names *names, const struct query *query);
void snapshot_destroy(struct snapshot *s);
/* ---- timeline: totals of the past in columns of time ---------------------------------- */

/* Returns the time range from the oldest to the newest interval; both 0: there are none. */
struct stretch model_extent(const struct model *m);

/* Totals of the time that a column of the timeline shows, from counters alone, not from samples. */
struct timeline_column {
	bool measured; /* false: there is no interval in the column's time */
	bool busy_known, rate_known;
	double busy;			   /* fraction of the time of all CPUs that were online, 0..1 */
	double rate;			   /* the count of `event` and its siblings, per second */
	struct ratio metrics[METRICS_MAX]; /* of query->metrics */
};
struct timeline_query {
	const struct query *query; /* only its metrics, roles, modes and siblings are used */
	size_t event;		   /* event of timeline_column.rate; EVENTS_MAX: none */
	uint64_t from_ns, column_ns;
};
/* The columns of a timeline; initialise with zeros, free by timeline_deinit(). */
struct timeline {
	struct timeline_column *columns; /* [n], malloc'ed */
	size_t n;
	/* Parameters of the last update: from its query, and model_extent(). */
	size_t event;
	uint64_t from_ns, column_ns;
	struct stretch extent;
};
/* Computes `n` columns.  Column `i` begins at from_ns + i * column_ns, and sums the intervals whose middle lies in it;
 * an interval longer than a column is in every column whose middle lies in the interval.  Columns that cannot have
 * changed since the last call are kept, so use `t` for one model and its copies, with the same query->query. */
void timeline_update(struct timeline *t, const struct model *m, const struct timeline_query *query, size_t n);
void timeline_deinit(struct timeline *t);

/* Returns the pivot of `query` in the snapshot; NULL: there is none. */
const struct pivot *snapshot_pivot(const struct snapshot *s, const struct pivot_query *query);
/* Returns the weights of row->sums[sum] in each interval of the window, [s->intervals_n]; they add up to the sum's
 * weight.  `row` is a row of the pivot.  NULL: the query did not ask for series, or the row is beyond
 * p->series_rows. */
const double *pivot_series(const struct snapshot *s, const struct pivot *p, const struct row *row, size_t sum);
/* Returns the weights, by interval, of all rows beyond p->series_rows together, without idle time; NULL: there are no
 * such rows. */
const double *pivot_other_series(const struct snapshot *s, const struct pivot *p, size_t sum);

/* The count of an event including its siblings. */
double snapshot_count(const struct snapshot *s, size_t event);
/* Return the count of an event (cycles) and its siblings per nanosecond of busy CPU time: of all CPUs, and of one CPU.
 * Counts of idle time, as estimated from samples, are left out. */
struct ratio snapshot_ghz(const struct snapshot *s, size_t event);
struct ratio snapshot_cpu_ghz(const struct snapshot *s, unsigned cpu, size_t event);
/* The standard error of cpus[cpu].counts[event]; 0 if it was counted all the time. */
double cpu_count_error(const struct snapshot *s, unsigned cpu, size_t event);
/* Gets the count of an event, and its standard error: on a CPU; or if `dim` is DIM_SOCKET or DIM_NODE, on all CPUs of
 * its socket or NUMA node.  `shared`: the PMU of the event counts for a whole socket (event_spec.shared), so that the
 * count of a node that is a part of a socket is unknown.  Returns false if the event was not counted on any of these
 * CPUs, or the count is unknown. */
bool snapshot_count_there(const struct snapshot *s, const struct model_names *names, enum dimension_id dim,
			  uint32_t cpu, size_t event, bool shared, double *count_ret, double *error_ret);

/* Sets the parts of all metrics: the first events that have the metric's roles and exclude the same modes, on the CPUs
 * on which all of these events were counted.  s->events and s->cpus must be complete. */
void snapshot_find_parts(struct snapshot *s, const struct query *query);

/* Returns the standard error of row->sums[event].weight; for a row without samples, the weight of one sample. */
double row_weight_error(const struct snapshot *s, const struct row *row, size_t event);

/* Return a metric of a row (from samples), of the machine or of a CPU (from counters).  `metric` points
 * into s->sums.metrics.  Siblings are included if their PMU counts all operands.  The result is not valid if an
 * operand is missing or was not counted. */
struct ratio row_metric(const struct snapshot *s, const struct row *row, const struct metric *metric);
struct ratio total_metric(const struct snapshot *s, const struct metric *metric);
struct ratio cpu_metric(const struct snapshot *s, unsigned cpu, const struct metric *metric);

#endif
