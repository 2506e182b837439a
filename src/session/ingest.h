/* Records in, facts and names out. */
#ifndef SESSION_INGEST_H
#define SESSION_INGEST_H

#include <cyctop/model.h>
#include <cyctop/resolve.h>
#include <cyctop/source.h>

struct ingest {
	struct source *source;
	struct resolver *resolver;
	struct model *model;
	const struct record_layout *layout;
	size_t events_n;
	unsigned cpus_n;
	/* Since the interval was opened. */
	uint64_t lost_records, malformed, throttles;
};
/* A merge_fn; ctx is the struct ingest. */
void ingest_record(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size);

#endif
