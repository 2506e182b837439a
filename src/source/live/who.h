/* Finds the tasks of a target in /proc. */
#ifndef SOURCE_LIVE_WHO_H
#define SOURCE_LIVE_WHO_H

#include "base/proc_stat.h"
#include "source/live/caps.h"
#include "source/live/proc_scan.h"

#include <cyctop/event.h>

struct who {
	const struct target *target;
	/* [target->ids_n]: the named tasks at the start; a task with another start time later has reused the id */
	struct named {
		struct task_stat then;
	} * named;
};
/* Reads the tasks that the target names.  Returns -ESRCH if a task does not exist; -EINVAL if a thread is named as a
 * process, or a kernel thread is named with --user-only. */
CYC_MUST_CHECK int who_init(struct who *ret, const struct target *target, bool user_only, struct error *err);
void who_deinit(struct who *w);
/* Appends the target's tasks that exist now.  `known`, `ctx`: see proc_scan_user(). */
CYC_MUST_CHECK int who_scan(const struct who *w, task_known_fn *known, const void *ctx, struct task_stats *ret);
/* Sets *err for a task on which the kernel refuses events.  `code`: the errno.  Returns -code. */
int who_refused(const struct live_env *env, uint32_t tid, int code, struct error *err);

#endif
