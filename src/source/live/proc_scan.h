/* Lists tasks from /proc. */
#ifndef SOURCE_LIVE_PROC_SCAN_H
#define SOURCE_LIVE_PROC_SCAN_H

#include "base/alloc.h"
#include "base/proc_stat.h"

#include <sys/types.h>

struct task_stats {
	struct task_stat *data;
	size_t n, cap;
};

/* Appends all processes.  Returns 0, or -errno if /proc cannot be read. */
CYC_MUST_CHECK int proc_scan_processes(struct task_stats *ret);
/* Append all threads of a user's processes, or of one process.  If known() returns true for a task, only its pid and
 * tid are set, which takes a tenth of the time. */
typedef bool task_known_fn(const void *ctx, uint32_t tid);
CYC_MUST_CHECK int proc_scan_user(uid_t uid, task_known_fn *known, const void *ctx, struct task_stats *ret);
void proc_scan_process(uint32_t pid, task_known_fn *known, const void *ctx, struct task_stats *ret);
/* Reads a task by its tid, with the pid of its process.  Returns 0; or -errno if there is no such task. */
CYC_MUST_CHECK int proc_task(uint32_t tid, struct task_stat *ret);

#endif
