/* Reads the CPU times of tasks, as the scheduler accounts for them.
 *
 * A process's time is its CPU-time clock, whose id is computed from the pid as by clock_getcpuclockid().  Reading it
 * takes one system call, and is allowed for processes of all users.  It includes ended threads, and running threads up
 * to now.  A thread's time is read from its file schedstat, because only the process itself may read the clocks of its
 * threads.  schedstat lags by up to one scheduler tick while the thread runs. */
#include "source/live/live.h"

#include "base/fmt.h"
#include "os/clock.h"
#include "os/file.h"

#include <stdio.h>

enum { CLOCK_SCHED = 2 }; /* CPUCLOCK_SCHED of the kernel: the exact time that the scheduler accounts for */

static bool process_time(uint32_t pid, uint64_t *ret)
{
	struct timespec t;
	if (clock_gettime((clockid_t)(~pid << 3 | CLOCK_SCHED), &t) < 0)
		return false;
	*ret = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return true;
}

/* Reads the first number of schedstat, ns on a CPU.  Returns false without CONFIG_SCHED_INFO: no file, or it has 0. */
static bool thread_time(uint32_t pid, uint32_t tid, uint64_t *ret)
{
	char path[64], text[128];
	snprintf(path, sizeof(path), "/proc/%u/task/%u/schedstat", pid, tid);
	const char *s = text;
	return os_read(path, text, sizeof(text)) > 0 && text_u64(&s, ret) && *s == ' ' && *ret;
}

void live_task_times(struct source *src, struct task_time *tasks, size_t n)
{
	const struct live *l = (struct live *)src;
	const struct target *target = &l->target;
	bool of_processes = target->kind != TARGET_THREADS;
	for (size_t i = 0; i < n; i++) {
		struct task_time *t = &tasks[i];
		/* the CPU time of a task cannot be limited to some CPUs, or to its time in a cgroup */
		if (target->some_cpus || target->kind == TARGET_CGROUPS)
			t->known = false;
		else if (t->tid)
			t->known = !l->env.other_proc && thread_time(t->pid, t->tid, &t->cpu_ns);
		else
			t->known = of_processes && process_time(t->pid, &t->cpu_ns);
	}
}

void live_processes(struct source *src, void (*add)(void *ctx, uint32_t pid), void *ctx)
{
	DIR *dir = ((struct live *)src)->env.other_proc ? NULL : opendir("/proc");
	for (uint32_t pid; (pid = os_next_id(dir));)
		add(ctx, pid);
	if (dir)
		closedir(dir);
}
