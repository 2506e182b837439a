#include "selfcount/process.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { CYCLES, INSTRUCTIONS };

void selfcount_process_open(struct selfcount_process *p)
{
	*p = (struct selfcount_process){
		.attrs =
			{
				[CYCLES] = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES},
				[INSTRUCTIONS] = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS},
			},
	};
	struct process_thread *self = &p->threads[p->n++];
	int rc = selfcount_open(&self->counters, p->attrs, PROCESS_EVENTS);
	p->now.user_only = rc == -EACCES || rc == -EPERM;
	if (p->now.user_only) {
		for (int i = 0; i < PROCESS_EVENTS; i++)
			p->attrs[i].exclude_kernel = p->attrs[i].exclude_hv = 1;
		(void)selfcount_open(&self->counters, p->attrs, PROCESS_EVENTS);
	}
	p->now.in_user_space = self->counters.counters == SELFCOUNT_PAGE;
	selfcount_read(&self->counters, &self->before);
}

void selfcount_process_close(struct selfcount_process *p)
{
	for (size_t i = 0; i < p->n; i++)
		selfcount_close(&p->threads[i].counters);
	p->n = 0;
}

/* ---- opening and closing the counters of threads -------------------------------------------------------- */

/* Returns false if /proc is of another pid namespace, where other threads have these numbers. */
static bool is_own_proc(void)
{
	char pid[16] = "";
	return readlink("/proc/self", pid, sizeof(pid) - 1) > 0 && strtol(pid, NULL, 10) == getpid();
}

static void add_thread(struct selfcount_process *p, pid_t tid)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->threads[i].tid != tid)
			continue;
		p->threads[i].ended = false;
		return;
	}
	if (p->n == PROCESS_THREADS_MAX)
		return;
	struct process_thread *t = &p->threads[p->n];
	*t = (struct process_thread){.tid = tid};
	if (selfcount_open_thread(&t->counters, tid, p->attrs, PROCESS_EVENTS) < 0)
		return;		  /* the thread ended meanwhile */
	t->before.counted = true; /* its counts are 0 now */
	p->n++;
}

/* Opens counters for threads that are new, and closes those of threads that have ended. */
static void find_threads(struct selfcount_process *p)
{
	DIR *dir = is_own_proc() ? opendir("/proc/self/task") : NULL;
	if (!dir)
		return;
	for (size_t i = 1; i < p->n; i++)
		p->threads[i].ended = true;
	for (const struct dirent *e; (e = readdir(dir));) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
		if (tid > 0 && tid != getpid())
			add_thread(p, tid);
	}
	closedir(dir);
	for (size_t i = p->n; i-- > 1;) {
		if (!p->threads[i].ended)
			continue;
		selfcount_close(&p->threads[i].counters);
		p->threads[i] = p->threads[--p->n];
	}
}

/* ---- adding up the counts of threads --------------------------------------------------------------------- */

/* Adds to *sum what the thread counted since the last call.  Returns false if the thread was not counted. */
static bool add_counts(struct process_thread *t, struct process_counts *sum)
{
	struct selfcount_reading now = {0};
	double cycles, instructions;
	selfcount_read(&t->counters, &now);
	bool counted = selfcount_between(&t->before, &now, CYCLES, &cycles) &&
		       selfcount_between(&t->before, &now, INSTRUCTIONS, &instructions);
	bool slept = !counted && t->tid && now.enabled == t->before.enabled;
	if (counted) {
		sum->cycles += cycles;
		sum->instructions += instructions;
	}
	if (slept)
		return true; /* t->before stays valid */
	t->before = now;
	return counted;
}

void selfcount_process_read(struct selfcount_process *p)
{
	if (!p->n)
		return;
	struct process_counts *sum = &p->now;
	uint64_t before = p->threads[0].before.time;
	sum->cycles = sum->instructions = 0;
	sum->threads = p->n;
	sum->valid = true;
	for (size_t i = 0; i < p->n; i++)
		sum->valid &= add_counts(&p->threads[i], sum);
	double s = (double)(p->threads[0].before.time - before) / 1e9;
	sum->valid &= s > 0;
	if (sum->valid) {
		sum->cycles /= s;
		sum->instructions /= s;
	}
	find_threads(p);
}
