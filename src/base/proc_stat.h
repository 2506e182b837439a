/* Parser of /proc/PID/stat and /proc/PID/task/TID/stat. */
#ifndef BASE_PROC_STAT_H
#define BASE_PROC_STAT_H

#include <cyctop/base.h>

struct task_stat {
	uint32_t pid; /* thread group id; not in the file: the parser leaves it 0 */
	uint32_t tid, ppid;
	char state;					/* as in proc(5), such as 'S' for sleeping */
	char comm[16];					/* NUL-terminated; longer names of kernel threads are cut off */
	uint64_t user_ticks, system_ticks, start_ticks; /* in units of sysconf(_SC_CLK_TCK); start counts from boot */
	uint32_t cpu;					/* the CPU that the task last ran on */
	bool kernel;					/* a kernel thread (PF_KTHREAD) */
};

/* Parses the text of the whole file.  comm may contain any character, also ')', a blank and a newline.  Returns 0 or
 * -EBADMSG. */
CYC_MUST_CHECK int task_stat_parse(const char *text, struct task_stat *ret);

#endif
