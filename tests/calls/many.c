/* Many calls, whose numbers are printed as by zoo.c: of an empty function, of a hundred thousand functions, by a
 * thousand threads, and after an exec.
 *   many: the whole; many again: what it becomes.  "run_ns NS": how long that ran, without what came before. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define CALLED __attribute__((noinline)) static
#define NOT_COUNTED __attribute__((no_instrument_function))

enum { EMPTY = 10000000, THREADS = 1000, AT_ONCE = 50, BY_THREAD = 1000, WORKS = 2000, STEPS = 3, FUNCTIONS = 100000 };

NOT_COUNTED static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

CALLED void empty(void)
{
	__asm__ volatile("");
}

/* What the compiler calls at the beginning and end of each function. */
void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

/* Calls functions that are addresses alone: to compile so many would take minutes. */
NOT_COUNTED static void functions(void)
{
	static char code[FUNCTIONS];
	for (int i = 0; i < 2 * FUNCTIONS; i++) {
		__cyg_profile_func_enter(&code[i % FUNCTIONS], NULL);
		__cyg_profile_func_exit(&code[i % FUNCTIONS], NULL);
	}
}

CALLED void *thread(void *ctx)
{
	for (int i = 0; i < BY_THREAD; i++)
		empty();
	return ctx;
}

CALLED void threads(void)
{
	pthread_t ids[AT_ONCE];
	for (int n = 0; n < THREADS; n += AT_ONCE) {
		for (int i = 0; i < AT_ONCE; i++)
			pthread_create(&ids[i], NULL, thread, NULL);
		for (int i = 0; i < AT_ONCE; i++)
			pthread_join(ids[i], NULL);
	}
}

CALLED void step(void)
{
	uint64_t begin = now_ns();
	while (now_ns() - begin < 30000)
		;
}

CALLED void work(void)
{
	for (int i = 0; i < STEPS; i++)
		step();
}

int main(int argc, char **argv)
{
	uint64_t begin = now_ns();
	if (argc == 1) {
		for (int i = 0; i < EMPTY; i++)
			empty();
		functions();
		threads();
		execl(argv[0], argv[0], "again", (char *)NULL);
		return 1;
	}
	for (int i = 0; i < WORKS; i++)
		work();
	printf("empty %d 0\nthread %d 0\nthreads 1 0\nwork %d 0\nstep %d 0\nmain 1 0\n", EMPTY + THREADS * BY_THREAD,
	       THREADS, WORKS, WORKS * STEPS);
	printf("run_ns %llu\n", (unsigned long long)(now_ns() - begin));
	return 0;
}
