#include "app/own.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { CYCLES, INSTRUCTIONS };

void own_open(struct own *own, const struct source_info *info)
{
	*own = (struct own){
		.attrs =
			{
				[CYCLES] = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES},
				[INSTRUCTIONS] = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS},
			},
	};
	if (!info->live || !info->pmu[0]) /* opening and closing an event takes milliseconds, for nothing */
		return;
	struct own_thread *screen = &own->threads[own->n++];
	int rc = selfcount_open(&screen->counters, own->attrs, OWN_EVENTS);
	own->said.user_only = rc == -EACCES || rc == -EPERM;
	if (own->said.user_only) {
		for (int i = 0; i < OWN_EVENTS; i++)
			own->attrs[i].exclude_kernel = own->attrs[i].exclude_hv = 1;
		(void)selfcount_open(&screen->counters, own->attrs, OWN_EVENTS);
	}
	own->said.in_user_space = screen->counters.counters == SELFCOUNT_PAGE;
	selfcount_read(&screen->counters, &screen->before);
}

void own_close(struct own *own)
{
	for (size_t i = 0; i < own->n; i++)
		selfcount_close(&own->threads[i].counters);
	own->n = 0;
}

/* ---- threads ------------------------------------------------------------------------------------------- */

/* False: /proc is of another pid namespace, where other threads have these numbers. */
static bool is_own_proc(void)
{
	char pid[16] = "";
	return readlink("/proc/self", pid, sizeof(pid) - 1) > 0 && strtol(pid, NULL, 10) == getpid();
}

static void add_thread(struct own *own, pid_t tid)
{
	for (size_t i = 0; i < own->n; i++) {
		if (own->threads[i].tid != tid)
			continue;
		own->threads[i].ended = false;
		return;
	}
	if (own->n == OWN_THREADS_MAX)
		return;
	struct own_thread *t = &own->threads[own->n];
	*t = (struct own_thread){.tid = tid};
	if (selfcount_open_thread(&t->counters, tid, own->attrs, OWN_EVENTS) < 0)
		return;		  /* the thread ended meanwhile */
	t->before.counted = true; /* nothing, from which on it is counted */
	own->n++;
}

/* Opens counters for threads that are new, and closes those of threads that have ended. */
static void find_threads(struct own *own)
{
	DIR *dir = is_own_proc() ? opendir("/proc/self/task") : NULL;
	if (!dir)
		return;
	for (size_t i = 1; i < own->n; i++)
		own->threads[i].ended = true;
	for (const struct dirent *e; (e = readdir(dir));) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
		if (tid > 0 && tid != getpid())
			add_thread(own, tid);
	}
	closedir(dir);
	for (size_t i = own->n; i-- > 1;) {
		if (!own->threads[i].ended)
			continue;
		selfcount_close(&own->threads[i].counters);
		own->threads[i] = own->threads[--own->n];
	}
}

/* ---- counts -------------------------------------------------------------------------------------------- */

/* Adds what the thread counted since the last time.  False: it was not counted. */
static bool add_counts(struct own_thread *t, struct view_own *said)
{
	struct selfcount_reading now = {0};
	double cycles, instructions;
	selfcount_read(&t->counters, &now);
	bool counted = selfcount_between(&t->before, &now, CYCLES, &cycles) &&
		       selfcount_between(&t->before, &now, INSTRUCTIONS, &instructions);
	bool slept = !counted && t->tid && now.enabled == t->before.enabled;
	if (counted) {
		said->cycles += cycles;
		said->instructions += instructions;
	}
	if (slept)
		return true; /* what it had before holds */
	t->before = now;
	return counted;
}

void own_tick(struct own *own)
{
	if (!own->n)
		return;
	struct view_own *said = &own->said;
	uint64_t before = own->threads[0].before.time;
	said->cycles = said->instructions = 0;
	said->threads = own->n;
	said->valid = true;
	for (size_t i = 0; i < own->n; i++)
		said->valid &= add_counts(&own->threads[i], said);
	double s = (double)(own->threads[0].before.time - before) / 1e9;
	said->valid &= s > 0;
	if (said->valid) {
		said->cycles /= s;
		said->instructions /= s;
	}
	find_threads(own);
}
