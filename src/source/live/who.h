/* The tasks that a target stands for, as /proc has them. */
#ifndef SOURCE_LIVE_WHO_H
#define SOURCE_LIVE_WHO_H

#include "source/live/caps.h"
#include "source/live/proc_scan.h"

#include <cyctop/event.h>

struct who {
	const struct target *target;
	/* [target->ids_n]: each as it was when we began; its number may become another's. */
	struct named {
		struct task_stat then;
	} * named;
};
/* -ESRCH, -EINVAL: one that was named is not there, or is no process, or, `user_only`, has nothing
 * to be seen. */
CYC_MUST_CHECK int who_init(struct who *ret, const struct target *target, bool user_only, struct error *err);
void who_deinit(struct who *w);
/* Appends those there are now; as proc_scan_user(). */
CYC_MUST_CHECK int who_scan(const struct who *w, task_known_fn *known, const void *ctx, struct task_stats *ret);
/* Why the kernel would not let us measure that task; returns -code. */
int who_refused(const struct live_env *env, uint32_t tid, int code, struct error *err);

#endif
