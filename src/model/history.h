/* The model's inside: closed intervals, and everything since start in one sum. */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include "base/alloc.h"
#include "model/facts.h"

#include <cyctop/model.h>

/* What the counters said of one event on one CPU over one interval or several. */
struct counted {
	double count; /* scaled by each interval's own enabled/running */
	uint64_t enabled_ns, running_ns, lost;
	bool opened;
};

/* What is summed over any stretch of time beside the facts. */
struct account {
	uint64_t start_ns, end_ns;
	struct counted *counted; /* [event * cpus_n + cpu] */
	struct cpu_delta *cpus;	 /* [cpu]; times summed, online as of last */
	uint64_t lost_records, malformed, throttles, self_cpu_ns;
};

struct interval {
	struct account account;
	struct fact *facts;
	size_t facts_n;
};

struct model {
	struct model_config config;
	/* [cpu]: the open interval, and everything since start.  A ring is read in long
	 * runs, so that a table a CPU stays in the cache where one for all would not. */
	struct facts *open, *total;
	bool total_lags;		/* the newest interval is not in it: a recording is one, and its sum */
	VEC(struct interval *) history; /* oldest first */
	size_t history_bytes;
	struct account total_account; /* start_ns == end_ns == 0: nothing yet */
};

/* What the total lacks, or NULL. */
static inline const struct interval *model_behind(const struct model *m)
{
	return m->total_lags ? m->history.data[m->history.n - 1] : NULL;
}

void account_init(struct account *a, const struct model_config *config);
void account_deinit(struct account *a);
/* `b` must follow `a` in time. */
void account_add(struct account *a, const struct account *b, const struct model_config *config);

#endif
