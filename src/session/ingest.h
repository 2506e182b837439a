/* Turns records into facts for the model and events for the resolver. */
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

/* The event and CPU of a sample id, whose meaning never changes. */
struct ingest_id {
	bool known;
	uint64_t id, period; /* period of samples that do not contain one */
	uint32_t event, cpu;
};

enum { INGEST_ID_BITS = 6 };

/* The fields of an event by which its samples are told apart. */
struct event_fields {
	unsigned has; /* bit of each field that the event has */
	struct event_field of[FIELDS_MAX];
};

/* The fields of samples of context switches. */
struct switch_fields {
	struct event_field prev_pid, prev_state, next_pid;
	uint64_t dead; /* states of a thread that will not run again */
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
	bool from_opening; /* the counts in samples began when measuring did: the source is live */
	struct crossing crossing;
	struct parallel parallel;
	struct chains chains;
	struct deferred deferred;
	struct branches branches;
	struct offcpu offcpu;
	struct switch_fields *switches; /* of the event of `offcpu`; NULL: its switches are no samples */
	bool enters_recorded;		/* records of switches tell when a thread comes back, and the samples do not */
	struct event_fields *fields;	/* [EVENTS_MAX]; NULL: samples are told apart by none */
	unsigned memory;		/* bit of each enum memory_part by which samples are told apart */
	uint64_t since_ns;		/* older samples belong to no interval, and are dropped */
	/* The function whose samples are told apart by address; of CATALOG_REF_NONE, none. */
	struct catalog_ref annotated;
	bool leaves_cgroups; /* the cgroups of samples are not looked at */
	bool raw; /* samples weigh as in perf: by their periods, and a first group reading by all of its values */
	struct times *times;			   /* CPU times of tasks; NULL: not measured */
	struct ingest_id ids[1 << INGEST_ID_BITS]; /* ids that were looked up last, by a hash of the id */
};
/* To be called before the first records; the struct ingest stays where it is. */
void ingest_init(struct ingest *in);
void ingest_deinit(struct ingest *in);
/* Adds samples to the model.  `crosses`: their periods are those that the kernel wrote. */
void ingest_add(struct ingest *in, struct model_sample *samples, size_t n, bool crosses);
/* The address of a sample of the function whose samples are told apart by it; 0: it is of another one. */
uint64_t ingest_address(struct ingest *in, const struct resolver_lookup *l);
/* Adds what waits to the model, before its interval is closed at `now_ns`: samples without all of their callers or
 * without a weight, and the times that threads have been off their CPUs so far. */
void ingest_flush(struct ingest *in, uint64_t now_ns);
/* Makes counters of switches, as they were read, those of the time off the CPU. */
void ingest_off_cpu_read(struct ingest *in, struct counter *counters);
/* Sets the time that they count anew, after some was added. */
void ingest_off_cpu_counters(const struct ingest *in, struct counter *counters);
/* Notes that no records will come that are older than those taken. */
void ingest_settle(struct ingest *in);
/* Forgets what earlier samples left to be used with later ones. */
void ingest_forget(struct ingest *in);
/* Takes records: a merge_fn; ctx is the struct ingest. */
void ingest_records(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size);

#endif
