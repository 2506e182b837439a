#include "made_clock.h"

#include <stdatomic.h>
#include <time.h>

enum { SECOND_NS = 1000000000 };

static _Atomic uint64_t stopped_ns; /* 0: the clock runs */
static _Atomic int64_t ahead_s;

/* The linker sends all calls of clock_gettime() here. */
int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	int r = __real_clock_gettime(id, t);
	uint64_t ns = stopped_ns;
	if (r == 0 && id == CLOCK_MONOTONIC && ns)
		*t = (struct timespec){.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)};
	if (r == 0 && id == CLOCK_THREAD_CPUTIME_ID && ns)
		*t = (struct timespec){.tv_sec = 1};
	if (r == 0 && id == CLOCK_REALTIME)
		t->tv_sec += ahead_s;
	return r;
}

void made_clock_stop(void)
{
	struct timespec t;
	__real_clock_gettime(CLOCK_MONOTONIC, &t);
	stopped_ns = (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

void made_clock_advance(uint64_t ns)
{
	stopped_ns += ns;
}

void made_clock_ahead(int64_t seconds)
{
	ahead_s = seconds;
}
