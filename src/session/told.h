/* What /proc tells of a process when it is first sampled, told on to the flight memory
 * as records: by the time somebody wants them written, the process may be gone. */
#ifndef SESSION_TOLD_H
#define SESSION_TOLD_H

#include "session/flight.h"

#include <cyctop/resolve.h>

struct told {
	struct proc_ops inner;
	const struct record_layout *layout;
	struct flight *flight; /* NULL: nobody wants to know */
};
/* proc_ops that ask `inner` and tell `t`, which must outlive the resolver. */
struct proc_ops told_ops(struct told *t);

#endif
