/* Turns records into facts for the model and events for the resolver. */
#ifndef SESSION_INGEST_H
#define SESSION_INGEST_H

#include "session/crossing.h"
#include "session/leader.h"
#include "session/readings.h"
#include "session/throttling.h"
#include "session/times.h"

#include <cyctop/model.h>
#include <cyctop/resolve.h>
#include <cyctop/source.h>

/* The event and CPU of a sample id.  The meaning of an id never changes. */
struct ingest_id {
	bool known;
	uint64_t id, period; /* period: for samples without a period of their own */
	uint32_t event, cpu;
};

enum { INGEST_ID_BITS = 6 };

struct ingest {
	struct source *source;
	struct resolver *resolver;
	struct model *model;
	const struct record_layout *layout;
	size_t events_n;
	unsigned cpus_n;
	/* Numbers of records since the interval was opened. */
	uint64_t lost_records, malformed, throttles;
	struct throttling throttling;
	/* [event * cpus_n + cpu]: the sums of the sampled periods.  They replace the counters, which a
	 * recording does not have; NULL if the source has counters. */
	uint64_t *sampled;
	struct readings readings;
	struct leader leader;
	struct crossing crossing;
	uint64_t since_ns;   /* older samples are dropped: they are of no interval */
	bool leaves_cgroups; /* samples are not told apart by their cgroups */
	bool raw; /* samples weigh what perf adds up: their periods, and a first group reading all of its values */
	struct times *times;			   /* or NULL */
	struct ingest_id ids[1 << INGEST_ID_BITS]; /* the last ones that were looked up, by a hash of the id */
};
void ingest_deinit(struct ingest *in);
/* Adds the samples that wait for their weight to the model, before its interval is closed. */
void ingest_flush(struct ingest *in);
/* Forgets what earlier samples left for later ones. */
void ingest_forget(struct ingest *in);
/* A merge_fn; ctx is the struct ingest. */
void ingest_records(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size);

#endif
