/* Takes the state of a process from /proc when the process is first sampled.
 *
 * /proc shows the present, but the sample was taken earlier.  Every mapping that was made in
 * between has an MMAP record which is already in a ring but not applied yet.  A range that
 * such a record covers is left out here: the record adds it at the right time.
 *
 * The remaining mappings and the command name are also added to the flight recorder as
 * records, because the process may have ended by the time the user writes a recording. */
#ifndef SESSION_PROC_SNAPSHOT_H
#define SESSION_PROC_SNAPSHOT_H

#include "session/flight.h"

#include <cyctop/resolve.h>
#include <cyctop/source.h>

struct proc_snapshot {
	struct proc_ops proc; /* functions that read /proc */
	struct source *source;
	const struct record_layout *layout;
	struct flight *flight; /* flight recorder; NULL: the session keeps no records */
};
void proc_snapshot_init(struct proc_snapshot *p, struct source *source, const struct proc_ops *proc);
/* Returns the proc_ops for the resolver.  They call p->proc; *p must outlive the resolver. */
struct proc_ops proc_snapshot_ops(struct proc_snapshot *p);

#endif
