/* Turns records into facts for the model and events for the resolver. */
#ifndef SESSION_INGEST_H
#define SESSION_INGEST_H

#include "session/chains.h"
#include "session/crossing.h"
#include "session/leader.h"
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
	struct crossing crossing;
	struct parallel parallel;
	struct chains chains;
	struct event_fields *fields; /* [EVENTS_MAX]; NULL: samples are told apart by none */
	uint64_t since_ns;	     /* older samples belong to no interval, and are dropped */
	/* The function whose samples are told apart by address; of CATALOG_REF_NONE, none. */
	struct catalog_ref annotated;
	bool leaves_cgroups; /* the cgroups of samples are not looked at */
	bool raw; /* samples weigh as in perf: by their periods, and a first group reading by all of its values */
	struct times *times;			   /* CPU times of tasks; NULL: not measured */
	struct ingest_id ids[1 << INGEST_ID_BITS]; /* ids that were looked up last, by a hash of the id */
};
void ingest_deinit(struct ingest *in);
/* Adds the samples that wait for their weight to the model, before its interval is closed. */
void ingest_flush(struct ingest *in);
/* Forgets what earlier samples left to be used with later ones. */
void ingest_forget(struct ingest *in);
/* Takes records: a merge_fn; ctx is the struct ingest. */
void ingest_records(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size);

#endif
