/* Tasks as /proc shows them. */
#ifndef SOURCE_LIVE_PROC_SCAN_H
#define SOURCE_LIVE_PROC_SCAN_H

#include "base/alloc.h"

#include <sys/types.h>

/* One line of /proc/PID/stat or /proc/PID/task/TID/stat. */
struct task_stat {
	uint32_t pid; /* of the process; the parser leaves it 0 */
	uint32_t tid, ppid;
	char comm[16];
	uint64_t user_ticks, system_ticks, start_ticks;
	uint32_t cpu; /* the last one it ran on */
	bool kernel;  /* a thread of the kernel's */
};
struct task_stats {
	struct task_stat *data;
	size_t n, cap;
};

/* Robust against a name that holds spaces, parentheses and newlines. */
CYC_MUST_CHECK int task_stat_parse(const char *text, struct task_stat *ret);

/* Appends all processes; 0, or -errno where /proc cannot be listed. */
CYC_MUST_CHECK int proc_scan_processes(struct task_stats *ret);
/* Appends all threads of the processes that `uid` owns, or of one process, or one thread.
 * Of those for which known() holds only pid and tid are filled in, at a tenth of the cost. */
typedef bool task_known_fn(const void *ctx, uint32_t tid);
CYC_MUST_CHECK int proc_scan_user(uid_t uid, task_known_fn *known, const void *ctx, struct task_stats *ret);
void proc_scan_process(uint32_t pid, task_known_fn *known, const void *ctx, struct task_stats *ret);
/* One task and its process; -errno where there is none (any more). */
CYC_MUST_CHECK int proc_task(uint32_t tid, struct task_stat *ret);

#endif
