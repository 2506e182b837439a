/* Reads CPU times of tasks, by the scheduler's own accounting.
 *
 * The time of a process is its CPU-time clock, whose id is made of the pid (as clock_getcpuclockid() does).  Reading
 * it is one system call, which brings running threads up to date and includes ended ones; any user may read it of
 * any process.  The time of a thread is in its schedstat, which lags behind by up to a tick of the scheduler while
 * the thread runs, since only a process may read the clocks of its own threads. */
#include "source/live/live.h"
#include "source/live/proc_scan.h"

#include "base/fmt.h"
#include "os/clock.h"
#include "os/file.h"

#include <dirent.h>
#include <stdio.h>

enum { CLOCK_SCHED = 2 }; /* CPUCLOCK_SCHED of the kernel: by the scheduler, not by ticks */

static bool process_time(uint32_t pid, uint64_t *ret)
{
	struct timespec t;
	if (clock_gettime((clockid_t)(~pid << 3 | CLOCK_SCHED), &t) < 0)
		return false;
	*ret = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return true;
}

/* Reads the first number of schedstat: the time on a CPU in nanoseconds.  A kernel without CONFIG_SCHED_INFO has no
 * such file, or shows 0. */
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
		/* a task's time on some CPUs is unknown, and so is that before and after it was in a cgroup */
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
	if (!dir)
		return;
	for (struct dirent *d; (d = readdir(dir));) {
		uint32_t pid = proc_name_to_id(d->d_name);
		if (pid)
			add(ctx, pid);
	}
	closedir(dir);
}
