/* What /proc tells of a process when it is first sampled.
 *
 * It tells how things are, and a sample is of how they were.  What came in between has its
 * record in a ring already: a mapping that such a record tells of was not there before, as
 * far as anybody knows, and is left to it.
 * What remains is told on to the flight memory as records: by the time somebody wants them
 * written, the process may be gone. */
#ifndef SESSION_TOLD_H
#define SESSION_TOLD_H

#include "session/flight.h"

#include <cyctop/resolve.h>
#include <cyctop/source.h>

struct told {
	struct proc_ops inner;
	struct source *source;
	const struct record_layout *layout;
	struct flight *flight; /* NULL: nobody wants to know */
	struct merger *merger; /* NULL until something is looked at ahead */
};
void told_init(struct told *t, struct source *source, const struct proc_ops *inner);
void told_deinit(struct told *t);
/* proc_ops that ask `inner` and tell `t`, which must outlive the resolver. */
struct proc_ops told_ops(struct told *t);

#endif
