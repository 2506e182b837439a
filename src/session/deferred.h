/* Holds records back until the call chains of their samples are complete.
 *
 * The kernel may defer the user part of a call chain until the thread returns to user mode: it comes in a record of its
 * own, with the thread's id and a cookie, which several samples may share.
 *
 *   records    s1(k,c1) s2 s3(k,c1) fork D(c1: u)
 *   passed on                                    s1(k,u) s2 s3(k,u) fork D
 *
 * All records after a waiting sample wait as well, to keep their order, on which weights, contexts, and the names of
 * code depend.  A sample waits until its interval ends, or until a record shows that the user part will not come (the
 * user part of other samples of the thread, exec, exit, lost records).  It is then passed on with the callers that it
 * has. */
#ifndef SESSION_DEFERRED_H
#define SESSION_DEFERRED_H

#include "base/alloc.h"
#include "base/index.h"

#include <cyctop/record.h>

/* A sample that waits for its user callers. */
struct deferred_wait {
	size_t at;    /* offset in deferred.bytes */
	size_t chain; /* offset of the record with its user callers; DEFERRED_OPEN: none yet; DEFERRED_CUT: none */
	uint64_t cookie;
	uint32_t tid, older; /* older: the previous wait of the thread; INDEX_NONE: none */
};
#define DEFERRED_OPEN SIZE_MAX
#define DEFERRED_CUT (SIZE_MAX - 1)

struct deferred {
	/* Set by the owner.  pass() takes records that are passed on: successive samples, or one other record.
	 * layout() returns the layout of a record. */
	void (*pass)(void *ctx, const uint8_t *bytes, size_t size);
	const struct record_layout *(*layout)(void *ctx, const uint8_t *bytes, size_t size);
	void *ctx;
	bool swap; /* records are in the other byte order */
	/* private */
	VEC(uint8_t) bytes; /* whole records; those before `from` were passed on */
	size_t from;
	VEC(struct deferred_wait) waits; /* in the order of `bytes`; waits before waits_from are over */
	size_t waits_from, open;	 /* open: number of waits with DEFERRED_OPEN */
	struct index by_tid;		 /* the newest open wait of each thread */
	uint8_t *stitched;		 /* [RECORD_SIZE_MAX]: a sample put together with its user callers */
};
void deferred_init(struct deferred *d);
void deferred_deinit(struct deferred *d);
/* Takes successive records of one `type`, not PERF_RECORD_LOST: see merge_fn.  Returns how many samples lost their user
 * callers because records held back exceeded LIMIT_DEFERRED_BYTES. */
size_t deferred_take(struct deferred *d, uint32_t type, const uint8_t *bytes, size_t size);
/* Passes on all records, even samples that still wait for their user callers. */
void deferred_release(struct deferred *d);
/* Drops all records, as when a recording is read again. */
void deferred_forget(struct deferred *d);

#endif
