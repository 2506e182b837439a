/* Turns records into samples for the model, and into changes of tasks and mappings for the resolver. */
#ifndef SESSION_INGEST_H
#define SESSION_INGEST_H

#include "session/branches.h"
#include "session/chains.h"
#include "session/crossing.h"
#include "session/deferred.h"
#include "session/leader.h"
#include "session/offcpu.h"
#include "session/parallel.h"
#include "session/readings.h"
#include "session/throttling.h"
#include "session/times.h"

#include <cyctop/model.h>
#include <cyctop/resolve.h>
#include <cyctop/source.h>

/* Event and CPU that the id in a sample means.  The meaning of an id never changes. */
struct ingest_id {
	bool known;
	uint64_t id, period; /* period: for samples that do not contain their period */
	uint32_t event, cpu;
};

enum { INGEST_ID_BITS = 6 };

/* The fields of a tracepoint by which its samples are told apart. */
struct event_fields {
	unsigned has; /* set of bits: which of the fields this event has */
	struct event_field of[FIELDS_MAX];
};

/* The fields of sched:sched_switch from which the time off the CPU is computed. */
struct switch_fields {
	struct event_field prev_pid, prev_state, next_pid;
	uint64_t dead; /* bits in prev_state that say that the thread has ended */
};

struct ingest {
	struct source *source;
	struct resolver *resolver;
	struct model *model;
	const struct record_layout *layout;
	size_t events_n;
	unsigned cpus_n;
	/* Numbers of lost records, malformed records and THROTTLE records since the interval was opened. */
	uint64_t lost_records, malformed, throttles;
	struct throttling throttling;
	/* [event * cpus_n + cpu]: sums of the sampled periods, in place of the counters that a recording lacks; NULL:
	 * the source has counters */
	uint64_t *sampled;
	struct readings readings;
	struct leader leader;
	bool counts_from_open; /* true: the source is live, so that counts in samples are 0 when the event is opened */
	struct crossing crossing;
	struct parallel parallel;
	struct chains chains;
	struct deferred deferred;
	struct branches branches;
	struct offcpu offcpu;
	struct switch_fields *switches; /* fields of sched_switch; NULL: offcpu.event is not sched_switch */
	bool enters_recorded;		/* SWITCH records tell when a thread comes back; samples do not */
	struct event_fields *fields;	/* [EVENTS_MAX]: fields by which samples are told apart; NULL: none */
	unsigned memory;		/* set of bits (enum memory_part) of a memory access that tell samples apart */
	uint64_t since_ns;		/* older samples belong to no interval, and are dropped */
	/* The function whose samples are told apart by address; CATALOG_REF_NONE: none. */
	struct catalog_ref annotated;
	bool ignores_cgroups; /* cgroups of samples are ignored */
	bool raw;	      /* weights as in perf: plain periods, and the first counts of a group are not left out */
	struct times *times;  /* CPU times of tasks; NULL: not measured */
	struct ingest_id ids[1 << INGEST_ID_BITS]; /* cache of ids, by a hash of the id */
};
/* Prepares for the first records; the caller sets the members before.  *in must not be moved afterwards. */
void ingest_init(struct ingest *in);
void ingest_deinit(struct ingest *in);
/* Adds samples to the model.  `crosses`: the kernel chose their periods, so that crossing.h computes their weights. */
void ingest_add(struct ingest *in, struct model_sample *samples, size_t n, bool crosses);
/* Returns the address of a sample if the samples of its function are told apart by address; otherwise 0. */
uint64_t ingest_address(struct ingest *in, const struct resolver_lookup *l);
/* Adds all that is held back to the model, before the interval is closed at `now_ns`: samples that wait for callers or
 * for their final weight, and the time that threads off the CPU have waited so far. */
void ingest_flush(struct ingest *in, uint64_t now_ns);
/* Replaces the counts of context switches in `counters` by the time off the CPU, in ns. */
void ingest_off_cpu_read(struct ingest *in, struct counter *counters);
/* Updates the time off the CPU in `counters`, after ingest_flush() has added some. */
void ingest_off_cpu_counters(const struct ingest *in, struct counter *counters);
/* Call it when no records older than the last ones will come: it applies the context switches in order of time. */
void ingest_settle(struct ingest *in);
/* Forgets all state that earlier samples left for later ones, as when a recording is read again. */
void ingest_forget(struct ingest *in);
/* Takes records, as merge_fn; ctx is the struct ingest. */
void ingest_records(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size);

#endif
