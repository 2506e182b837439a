/* What the programs of the zoo share: they run hot functions in turn, with rests, until they are
 * killed (or for a minute, should nobody do it), and say on their standard output
 * where and when:
 *   at NAME ADDRESS [FILE]           the function of that file is there all the time
 *   run NAME ADDRESS SIZE FROM TO    it is, or ran, there from FROM to TO (CLOCK_MONOTONIC, ns;
 *                                    TO 0: from then on; SIZE 0: the size of the symbol)
 *   ready                            the measurement may begin
 * Then they wait for their standard input to end. */
#ifndef TESTS_SYMBOLS_PROGRAMS_BURN_H
#define TESTS_SYMBOLS_PROGRAMS_BURN_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define HOT __attribute__((noinline))

/* About a millisecond. */
enum { ROUNDS = 500000 };

static inline void zoo_end(int sig)
{
	_exit(sig ? 0 : 1);
}

static inline void zoo_begin(void)
{
	signal(SIGALRM, zoo_end); /* as process 1 it would ignore one that it does not handle */
	alarm(60);
	setvbuf(stdout, NULL, _IOLBF, 0);
}

static inline void zoo_ready(void)
{
	puts("ready");
	while (getchar() != EOF)
		;
}

/* Between rounds of work: there are many programs, and others want to get on, too. */
static inline void zoo_rest(void)
{
#ifndef RESTLESS
	usleep(200000);
#endif
}

static inline uint64_t zoo_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
