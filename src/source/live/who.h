/* Finds the tasks of a target in /proc. */
#ifndef SOURCE_LIVE_WHO_H
#define SOURCE_LIVE_WHO_H

#include "base/proc_stat.h"
#include "source/live/caps.h"
#include "source/live/proc_scan.h"

#include <cyctop/event.h>

struct who {
	const struct target *target;
	/* [target->ids_n]: each process or thread as it was at the start, since its id may be reused */
	struct named {
		struct task_stat then;
	} * named;
};
/* Reads the tasks that the target names.  Returns -ESRCH or -EINVAL if an id of the target does not exist, is no
 * process, or is a kernel thread where only user space is measured. */
CYC_MUST_CHECK int who_init(struct who *ret, const struct target *target, bool user_only, struct error *err);
void who_deinit(struct who *w);
/* Appends the tasks that exist now; `known` as for proc_scan_user(). */
CYC_MUST_CHECK int who_scan(const struct who *w, task_known_fn *known, const void *ctx, struct task_stats *ret);
/* Says why the kernel refuses events on that task; returns -code. */
int who_refused(const struct live_env *env, uint32_t tid, int code, struct error *err);

#endif
