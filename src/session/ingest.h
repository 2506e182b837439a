/* Records in, facts and names out. */
#ifndef SESSION_INGEST_H
#define SESSION_INGEST_H

#include "session/leader.h"

#include <cyctop/model.h>
#include <cyctop/resolve.h>
#include <cyctop/source.h>

/* What the id of a sample stands for; it never stands for anything else. */
struct ingest_id {
	bool known;
	uint64_t id, period; /* period: of a sample that does not tell its own */
	uint32_t event, cpu;
};

struct ingest {
	struct source *source;
	struct resolver *resolver;
	struct model *model;
	const struct record_layout *layout;
	size_t events_n;
	unsigned cpus_n;
	/* Since the interval was opened. */
	uint64_t lost_records, malformed, throttles;
	/* Of a recording, which has no counters: the sums of what was sampled, which stand
	 * for what was counted; [event * cpus_n + cpu], NULL where there are counters. */
	uint64_t *sampled;
	struct leader leader;
	struct ingest_id last; /* samples of one event come in rows */
};
void ingest_deinit(struct ingest *in);
/* A merge_fn; ctx is the struct ingest. */
void ingest_records(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size);

#endif
