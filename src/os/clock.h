/* Reads the clocks of the system, in nanoseconds. */
#ifndef OS_CLOCK_H
#define OS_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns the time of a clock.  CLOCK_MONOTONIC: the clock of the records.  CLOCK_BOOTTIME: also counts suspended
 * time, like starttime in /proc/PID/stat.  CLOCK_REALTIME: the clock of file times. */
static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec t = {0};
	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t clock_ms(clockid_t id)
{
	return clock_ns(id) / 1000000;
}

/* Returns a deadline for pthread_*timed*(), `seconds` from now. */
static inline struct timespec clock_deadline(clockid_t id, unsigned seconds)
{
	uint64_t ns = clock_ns(id);
	return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u) + seconds, .tv_nsec = (long)(ns % 1000000000u)};
}

#endif
