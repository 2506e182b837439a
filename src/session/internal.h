/* Private to the files of session: definition of struct session. */
#ifndef SESSION_INTERNAL_H
#define SESSION_INTERNAL_H

#include "session/flight.h"
#include "session/ingest.h"
#include "session/proc_snapshot.h"
#include "session/retire.h"
#include "session/times.h"

#include <cyctop/session.h>

struct session {
	struct source *source;
	struct resolver *resolver;
	struct recording_names *recording; /* NULL: the source is not a recording */
	struct model *model;
	struct model *frozen; /* copy of `model` made by session_freeze(); NULL: not frozen */
	struct model *marked; /* copy of some intervals of the model, made by session_mark(); NULL: there is none */
	/* [state]: the turns in which states A and B are measured alternately.  Each turn is an interval, which
	 * session_add_turn() keeps for longer than the history.  NULL: there were no turns. */
	struct model *turns[SESSION_SIDES];
	struct flight *flight;	    /* flight recorder; NULL: the session keeps no records */
	struct read_records *reads; /* makes READ records of the counters for the flight recorder; NULL: none */
	struct proc_snapshot proc;
	struct merger *merger;
	const struct source_info *info;
	struct ingest ingest;
	const struct filter *only; /* [only_n]: only threads that pass these filters count in DIM_PARALLELISM */
	size_t only_n;
	struct times task_times;
	uint64_t keep_ns;
	const struct metric_set *metrics;
	enum event_role roles[EVENTS_MAX];
	uint8_t modes[EVENTS_MAX];
	struct sample_rate rates[EVENTS_MAX];
	struct pmu_sibling siblings[EVENTS_MAX];
	struct model_names names;
	const char *pmus[EVENTS_MAX]; /* [event]: name of its PMU, for model_names.pmus */
	/* The last two readings of counters and CPU times, at the ends of intervals, and their differences: */
	struct counter *counters, *counters_before;
	struct cpu_time *times, *times_before;
	struct counter_delta *deltas;
	struct cpu_delta *cpu_deltas;
	uint64_t self_ns_before;
	uint64_t start_ns, opened_ns; /* start of the measurement; start of the open interval */
	uint64_t retired_ns;	      /* record clock in ns when retire() last freed unused ids */
};

/* Returns the model that snapshots are made of, `frozen` or `model`. */
static inline const struct model *session_shown(const struct session *s)
{
	return s->frozen ? s->frozen : s->model;
}

/* Lists the models, of which those that do not exist are NULL: `model`, `frozen`, `marked`, `turns`. */
void session_models(const struct session *s, struct model *ret[static SESSION_MODELS]);
/* Returns the query with the members filled in that depend on the session's events. */
struct query session_complete(const struct session *s, const struct query *query);
/* Takes over the description of event `event` from info->events; to be called in the order of events. */
void session_learn_event(struct session *s, size_t event);

#endif
