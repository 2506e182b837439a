/* Private to the model: the closed intervals, and the total since start. */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include "base/alloc.h"
#include "base/limits.h"
#include "model/fact_columns.h"
#include "model/facts.h"

#include <cyctop/model.h>

/* The counter of one event on one CPU, over one or several intervals. */
struct counted {
	double count; /* scaled in each interval by its enabled / running time */
	uint64_t enabled_ns, running_ns, lost;
	uint64_t ran_enabled_ns; /* enabled time of the intervals in which the counter ran */
	uint64_t throttled_ns;
	bool opened, estimated, summed, untimed, unweighed;
};

/* Sums over one or several intervals, without their facts. */
struct account {
	uint64_t start_ns, end_ns;
	struct counted *counted; /* [event * cpus_n + cpu] */
	size_t events_n;
	struct cpu_delta *cpus; /* [cpu]: sums of times; `online` as in the last interval */
	uint64_t lost_records, malformed, throttles, self_cpu_ns;
	/* CPU time of all facts that are not idle, and of tasks without id, in ns; variance of its estimated part, in
	 * ns^2 */
	double spent_ns, spent_var;
};

/* A closed interval.  Copies of a model share their intervals.  Only keys (model_rekey()) and the order of facts may
 * change in a shared interval, as each model would change them in the same way. */
struct interval {
	unsigned users;	    /* number of models that share this interval */
	unsigned refreshes; /* number of measured intervals that were joined to this one; 1: not joined */
	bool ordered;	    /* the facts are sorted, see interval_order() */
	struct account account;
	struct fact *facts;
	struct fact_columns extra; /* [facts_n], more numbers of each fact; `times` NULL: CPU times are unknown */
	size_t facts_n;
};

static inline uint64_t interval_middle(const struct interval *iv)
{
	return iv->account.start_ns + (iv->account.end_ns - iv->account.start_ns) / 2;
}

/* Closed intervals, oldest first. */
struct intervals {
	struct interval **data;
	size_t n, cap;
	size_t bytes;
	uint64_t joined_ns; /* end of the newest joined interval; intervals before it may be joined, too */
};

struct model {
	struct model_config config;
	/* [cpu]: facts of the open interval, and of the total since start.  A table for each CPU stays in
	 * the cache, because samples of one CPU are added in long runs. */
	struct facts *open, *total;
	/* `total` lacks the newest interval until the next one is closed: a recording often has just one interval, and
	 * then needs no total */
	bool total_lags;
	struct intervals history;
	/* The same history in thin intervals, which do not tell which task ran on which CPU, so that many more fit into
	 * memory. Empty if the machine has few CPUs, or model_keep() was called only after the first interval. */
	struct intervals thin;
	bool keep_all; /* see model_keep() */
	struct dropped dropped;
	struct limit_set reached, reported; /* limits reached so far; limits that model_limits() has returned */
	struct account total_account;	    /* start_ns == end_ns == 0: no interval yet */
};

/* Returns the interval that the total lacks; NULL if it lacks none. */
static inline const struct interval *model_behind(const struct model *m)
{
	return m->total_lags ? m->history.data[m->history.n - 1] : NULL;
}

/* Returns the list, `history` or `thin`, whose old intervals are shorter. */
static inline const struct intervals *model_finest(const struct model *m)
{
	return m->thin.n ? &m->thin : &m->history;
}

/* Returns the factor, at least 1, by which counts and weights of an event on a CPU are scaled up.  It makes up for
 * intervals in which the counter never ran: they are taken to be like the others. */
static inline double counted_scale(const struct counted *n)
{
	return n->ran_enabled_ns && n->enabled_ns > n->ran_enabled_ns
		       ? (double)n->enabled_ns / (double)n->ran_enabled_ns
		       : 1;
}

void account_init(struct account *a, const struct model_config *config);
void account_deinit(struct account *a);
/* Adds the sums of `b` to `a`; `b` must follow `a` in time. */
void account_add(struct account *a, const struct account *b, const struct model_config *config);
/* Adds the events that `config` has and the account lacks, as if enabled so far but never counted: later counts are
 * then scaled up to the time before, too. */
void account_widen(struct account *a, const struct model_config *config);
/* Copies the sums to `to`, whose former contents are neither read nor freed. */
void account_copy(struct account *to, const struct account *from, const struct model_config *config);

/* Removes one user of the interval; frees the interval if that was the last. */
void interval_destroy(struct interval *iv);
struct interval *interval_copy(const struct interval *iv, const struct model_config *config);
size_t interval_bytes(const struct interval *iv, const struct model_config *config);
/* Joins the facts that have the same key, but does not sort them. */
void interval_compact(struct interval *iv);
/* interval_order.c: sorts the facts, if they are not sorted, and joins facts with the same key. */
void interval_order(struct interval *iv);
/* Adds `next`, which follows `iv` in time, to `iv`, and destroys `next`.  `iv` must have only one user. */
void interval_join(struct interval *iv, struct interval *next, const struct model_config *config);
/* Adds `n` samples to a fact, up to LIMIT_FACT_SAMPLES.  As neither number exceeds this limit, the sum cannot
 * overflow. */
static inline void fact_add_samples(struct fact *f, uint32_t n)
{
	f->samples += n;
	f->samples = f->samples < LIMIT_FACT_SAMPLES ? f->samples : LIMIT_FACT_SAMPLES;
}
void fact_add_closed(struct fact *to, const struct fact *f);
/* Adds a fact of a closed interval, and its further numbers at index `at` of `extra`, to the fact of `to` with this
 * key.  Returns the latter; valid until the next call. */
struct fact *facts_add_closed(struct facts *to, struct fact_key key, const struct fact *f,
			      const struct fact_columns *extra, size_t at);

/* interval_thin.c: makes a thin interval, smaller because it does not tell which task and code ran on which CPU.  It
 * has each sample twice: in a fact by task and context, whose `cpu` is any CPU with the same events; and in a fact by
 * CPU, with FACT_OF_CPU in `event`, whose task and context are of the same kind (in the idle task the sample's own). */
#define FACT_OF_CPU (UINT16_C(1) << 15)
struct interval *interval_thin(const struct interval *iv, const struct catalog *cat, const struct model_config *config);
static inline unsigned fact_event(const struct fact_key *key)
{
	return key->event & (unsigned)(uint16_t)~FACT_OF_CPU;
}

/* coarsen.c: joins and drops intervals until the bounds of the history hold. */
void history_bound(struct model *m);
/* Returns the index of the first interval with ids as measured.  In older ones, as in the total, several ids may have
 * been merged into one (struct catalog_fold). */
size_t history_detailed(const struct model *m, const struct intervals *list);
/* Returns the index of the first interval whose middle is at time_ns or later; list->n if there is none. */
size_t history_at(const struct intervals *list, uint64_t time_ns);
/* Returns interval `at` of the list, to be changed.  If other models share the interval, a copy takes its place
 * first. */
struct interval *history_own(struct model *m, struct intervals *list, size_t at);

/* times.c: computes the CPU times of the facts of an interval, whose weights must be complete. */
void interval_times(struct interval *iv, const struct interval_bounds *bounds, const struct model_config *config);

#endif
