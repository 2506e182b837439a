/* Shared by the programs of zoo.sh.  Each runs its hot functions in turn, with pauses, until it
 * is killed (or for a quarter of an hour), and prints where and when its functions run:
 *   at NAME ADDRESS [FILE]           the function of that file stays at this address
 *   run NAME ADDRESS SIZE FROM TO    the function was at this address from FROM to TO
 *                                    (CLOCK_MONOTONIC, ns; TO 0: it still is; SIZE 0: the
 *                                    size of the symbol)
 *   ready                            the measurement may begin
 * Then it waits for the end of its standard input. */
#ifndef TESTS_SYMBOLS_PROGRAMS_BURN_H
#define TESTS_SYMBOLS_PROGRAMS_BURN_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define HOT __attribute__((noinline))

/* ROUNDS take about a tenth of a millisecond.  A program passes PASSES times through its functions between two
 * pauses: many short runs, whose samples are nearly independent of each other, tell more than a few long ones. */
enum { ROUNDS = 50000, PASSES = 10 };

/* A number of rounds at random, n on average, so that samples at regular times cannot keep step with the functions. */
static inline uint64_t zoo_rounds(uint64_t n)
{
	static uint64_t state = 1;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return n / 2 + (state >> 33) % (n + 1);
}

static inline void zoo_end(int sig)
{
	_exit(sig ? 0 : 1);
}

static inline void zoo_begin(void)
{
	signal(SIGALRM, zoo_end); /* process 1 of a pid namespace ignores signals without a handler */
	alarm(900);
	setvbuf(stdout, NULL, _IOLBF, 0);
}

static inline void zoo_ready(void)
{
	puts("ready");
	while (getchar() != EOF)
		;
}

static inline uint64_t zoo_clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t zoo_now_ns(void)
{
	return zoo_clock_ns(CLOCK_MONOTONIC);
}

/* Pauses between rounds of work.  A program uses at most a seventieth of a CPU, however slow
 * the machine is, because there are seventy programs, and the rest of the machine needs CPU
 * time, too. */
static inline void zoo_rest(void)
{
#ifndef RESTLESS
	enum { SHARE = 70, MIN_US = 200000, MAX_US = 2000000 };
	static uint64_t before_ns;
	uint64_t now_ns = zoo_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t us = (now_ns - before_ns) * SHARE / 1000;
	before_ns = now_ns;
	usleep((useconds_t)(us < MIN_US ? MIN_US : us > MAX_US ? MAX_US : us));
#endif
}

#endif
