/* The CPU time of a fact and how it was found, in 32 bits. */
#ifndef MODEL_FACT_TIME_H
#define MODEL_FACT_TIME_H

#include <float.h>
#include <stdint.h>
#include <string.h>

/* How certain the CPU time of a fact is. */
enum time_mark {
	TIME_EXACT,	/* a share of the CPU time that the scheduler counted for the fact's task */
	TIME_DIVIDED,	/* the scheduler's time of the process, divided among its threads by their samples */
	TIME_ESTIMATED, /* from samples alone */
	TIME_UNKNOWN,
};

/* The CPU time of a fact in a closed interval: a float in ns, whose lowest two bits (2e-7 of its value) are replaced by
 * the enum time_mark. */
typedef uint32_t fact_time;

static inline double time_ns(fact_time t)
{
	uint32_t bits = t & ~3u;
	float ns;
	memcpy(&ns, &bits, sizeof(ns));
	return (double)ns;
}

static inline enum time_mark time_mark(fact_time t)
{
	return (enum time_mark)(t & 3);
}

static inline fact_time time_make(double ns, enum time_mark mark)
{
	float v = !(ns > 0) ? 0 : ns < (double)FLT_MAX / 2 ? (float)ns : FLT_MAX / 2;
	uint32_t bits;
	memcpy(&bits, &v, sizeof(bits));
	uint32_t nearest = (bits + 1 + (bits >> 2 & 1)) & ~3u; /* ties to even: rounding errors must not add up */
	return nearest | (uint32_t)mark;
}

/* Adds two times.  The sum gets the mark of the less certain time, if that time is more than a hundredth of the sum. */
fact_time time_add(fact_time a, fact_time b);

#endif
