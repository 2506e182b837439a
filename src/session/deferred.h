/* Holds records back until the call chains of their samples are whole.
 *
 * The kernel may put off the callers in user code until the thread goes back there: they come in a record with the
 * thread's id and a cookie, which several samples may share.
 *
 *   records    s1(k,c1) s2 s3(k,c1) fork D(c1: u)
 *   passed on                                    s1(k,u) s2 s3(k,u) fork D
 *
 * All records behind a sample that waits wait as well, so that their order stays: weights, contexts, and the names of
 * code depend on it.  A sample waits no longer than its interval, and not beyond what shows that its record will not
 * come: another one of the thread, exec, exit, lost records.  It then keeps the callers that it has. */
#ifndef SESSION_DEFERRED_H
#define SESSION_DEFERRED_H

#include "base/alloc.h"
#include "base/index.h"

#include <cyctop/record.h>

/* A sample that is held back. */
struct deferred_wait {
	size_t at;    /* in the bytes */
	size_t chain; /* where the record with its callers is; DEFERRED_OPEN or DEFERRED_CUT */
	uint64_t cookie;
	uint32_t tid, older; /* older: the one of this thread before, which waits, too; INDEX_NONE: there is none */
};
#define DEFERRED_OPEN SIZE_MAX
#define DEFERRED_CUT (SIZE_MAX - 1)

struct deferred {
	/* Set by the owner.  pass(): gets what is released, successive samples or one other record; layout(): that of a
	 * record. */
	void (*pass)(void *ctx, const uint8_t *bytes, size_t size);
	const struct record_layout *(*layout)(void *ctx, const uint8_t *bytes, size_t size);
	void *ctx;
	bool swap; /* records are in the other byte order */
	/* private */
	VEC(uint8_t) bytes; /* whole records, of which those before bytes.data[from] were passed on */
	size_t from;
	VEC(struct deferred_wait) waits; /* in the order of the bytes; those before waits_from were passed on */
	size_t waits_from, open;	 /* open: number of DEFERRED_OPEN */
	struct index by_tid;		 /* the newest open wait of each thread */
	uint8_t *stitched;		 /* [RECORD_SIZE_MAX] */
};
void deferred_init(struct deferred *d);
void deferred_deinit(struct deferred *d);
/* Takes records as a merge_fn gets them, but none of lost ones; `type`: that of all of them.  Returns how many times
 * LIMIT_DEFERRED_BYTES made samples go without their callers. */
size_t deferred_take(struct deferred *d, uint32_t type, const uint8_t *bytes, size_t size);
/* Passes on all that waits. */
void deferred_release(struct deferred *d);
/* Drops all that waits. */
void deferred_forget(struct deferred *d);

#endif
