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

/* Event and CPU of a sample id, which never change. */
struct ingest_id {
	bool known;
	uint64_t id, period; /* period: of samples that do not contain one */
	uint32_t event, cpu;
};

enum { INGEST_ID_BITS = 6 };

/* The tracepoint fields by which samples of an event are distinguished. */
struct event_fields {
	unsigned has; /* set of bits: fields that the event has */
	struct event_field of[FIELDS_MAX];
};

/* The fields of sched:sched_switch that the time off the CPU needs. */
struct switch_fields {
	struct event_field prev_pid, prev_state, next_pid;
	uint64_t dead; /* values of prev_state of a thread that has ended */
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
	/* [event * cpus_n + cpu]: sums of the sampled periods, which replace the counters that a recording lacks;
	 * NULL: the source has counters */
	uint64_t *sampled;
	struct readings readings;
	struct leader leader;
	bool from_opening; /* counts in samples start with the measurement: the source is live */
	struct crossing crossing;
	struct parallel parallel;
	struct chains chains;
	struct deferred deferred;
	struct branches branches;
	struct offcpu offcpu;
	struct switch_fields *switches; /* fields of the event of `offcpu`; NULL: its samples are not of switches */
	bool enters_recorded;		/* SWITCH records, not samples, tell when a thread comes back */
	struct event_fields *fields;	/* [EVENTS_MAX]; NULL: samples are distinguished by none */
	unsigned memory;		/* set of bits: enum memory_part by which samples are distinguished */
	uint64_t since_ns;		/* older samples belong to no interval, and are dropped */
	/* The function whose samples are distinguished by address; of CATALOG_REF_NONE: none. */
	struct catalog_ref annotated;
	bool leaves_cgroups; /* cgroups of samples are ignored */
	bool raw;	     /* weights as in perf: the periods, and all of a group's first values */
	struct times *times; /* CPU times of tasks; NULL: not measured */
	struct ingest_id ids[1 << INGEST_ID_BITS]; /* cache of ids, by a hash of the id */
};
/* To be called before the first records.  *in must not be moved afterwards. */
void ingest_init(struct ingest *in);
void ingest_deinit(struct ingest *in);
/* Adds samples to the model.  `crosses`: their periods are those of the kernel, to be weighed by crossing.h. */
void ingest_add(struct ingest *in, struct model_sample *samples, size_t n, bool crosses);
/* Returns the address of a sample, if samples of its function are distinguished by address; else 0. */
uint64_t ingest_address(struct ingest *in, const struct resolver_lookup *l);
/* Adds what is held back to the model before the interval is closed at `now_ns`: samples without all of their callers
 * or without their weight, and the times that threads have been off their CPUs so far. */
void ingest_flush(struct ingest *in, uint64_t now_ns);
/* Replaces the counts of switches in `counters` by the time off the CPU. */
void ingest_off_cpu_read(struct ingest *in, struct counter *counters);
/* Updates the counted time off the CPU after some was added. */
void ingest_off_cpu_counters(const struct ingest *in, struct counter *counters);
/* Notes that no records older than the last ones will come. */
void ingest_settle(struct ingest *in);
/* Forgets all state that earlier samples left for later ones. */
void ingest_forget(struct ingest *in);
/* Takes records: a merge_fn; ctx is the struct ingest. */
void ingest_records(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size);

#endif
