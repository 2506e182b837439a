/* A load with a known profile:
 *   load [SECONDS]
 *   load cpu SECONDS   until each thread has used that much CPU time
 *
 *   thread "load-a":  60 % load_sixty, 30 % load_thirty, 10 % load_ten
 *   thread "load-b":  20 % load_twenty, 80 % load_eighty
 *
 * The shares are shares of the thread's CPU time, not of wall-clock time, so they are right
 * on a busy machine, too.  After each burst, the thread reads its CPU clock and continues with the
 * function that is farthest behind its share.  Bursts have different lengths (pseudo-random,
 * the same in every run), so that a sampler cannot run in step with them.
 *
 * Prints "load PID TID_A TID_B" at the start and, at the end or on SIGTERM, the CPU time
 * in nanoseconds that each function has used. */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t work_fn(uint64_t x, uint64_t rounds);
work_fn load_sixty, load_thirty, load_ten, load_twenty, load_eighty;

/* Five different loops, because a linker may merge equal functions. */
__attribute__((noinline)) uint64_t load_sixty(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

__attribute__((noinline)) uint64_t load_thirty(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
	return x;
}

__attribute__((noinline)) uint64_t load_ten(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = (x << 13 ^ x) * 0x2545f4914f6cdd1du + i;
	return x;
}

__attribute__((noinline)) uint64_t load_twenty(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = x * 0xd1342543de82ef95u + 1;
	return x;
}

__attribute__((noinline)) uint64_t load_eighty(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = (x + 0x9e3779b97f4a7c15u) * 0x94d049bb133111ebu;
	return x;
}

struct part {
	const char *name;
	work_fn *fn;
	unsigned percent;
	uint64_t spent_ns, rounds_per_ms;
};

struct worker {
	const char *name;
	struct part parts[3];
	size_t parts_n;
	uint64_t until_ns, result;
	clockid_t clock; /* clock that until_ns refers to */
	pid_t tid;
	pthread_barrier_t *started;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;
	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void burst(struct part *p, uint64_t rounds, uint64_t *result)
{
	uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	*result = p->fn(*result, rounds);
	uint64_t took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
	p->spent_ns += took;
	/* follow the CPU's frequency, but ignore a burst that was interrupted */
	uint64_t rate = took ? rounds * 1000000 / took : p->rounds_per_ms;
	if (rate > p->rounds_per_ms / 2)
		p->rounds_per_ms = (p->rounds_per_ms * 7 + rate) / 8;
}

static void calibrate(struct part *p, uint64_t *result)
{
	uint64_t rounds = 1000, took = 0;
	while (took < 500000) {
		rounds *= 2;
		uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		*result = p->fn(*result, rounds);
		took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
	}
	p->rounds_per_ms = rounds * 1000000 / took;
	p->spent_ns = took;
}

/* The part whose time is farthest behind its share of the total time so far. */
static struct part *most_behind(struct worker *w)
{
	uint64_t total = 0;
	for (size_t i = 0; i < w->parts_n; i++)
		total += w->parts[i].spent_ns;
	struct part *best = &w->parts[0];
	int64_t best_gap = INT64_MIN;
	for (size_t i = 0; i < w->parts_n; i++) {
		struct part *p = &w->parts[i];
		int64_t gap = (int64_t)(total * p->percent / 100) - (int64_t)p->spent_ns;
		if (gap > best_gap) {
			best = p;
			best_gap = gap;
		}
	}
	return best;
}

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	uint64_t random = 12345;
	prctl(PR_SET_NAME, w->name);
	w->tid = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(w->started);
	for (size_t i = 0; i < w->parts_n; i++)
		calibrate(&w->parts[i], &w->result);
	while (!stopped && clock_ns(w->clock) < w->until_ns) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		uint64_t burst_us = 50 + (random >> 33) % 300;
		struct part *p = most_behind(w);
		burst(p, 1 + p->rounds_per_ms * burst_us / 1000, &w->result);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	bool cpu = argc > 2;
	uint64_t seconds = argc > 1 ? strtoull(argv[argc - 1], NULL, 10) : 10;
	uint64_t until = (cpu ? 0 : clock_ns(CLOCK_MONOTONIC)) + seconds * 1000000000u;
	pthread_barrier_t started;
	struct worker workers[] = {
		{.name = "load-a",
		 .parts = {{.name = "load_sixty", .fn = load_sixty, .percent = 60},
			   {.name = "load_thirty", .fn = load_thirty, .percent = 30},
			   {.name = "load_ten", .fn = load_ten, .percent = 10}},
		 .parts_n = 3},
		{.name = "load-b",
		 .parts = {{.name = "load_twenty", .fn = load_twenty, .percent = 20},
			   {.name = "load_eighty", .fn = load_eighty, .percent = 80}},
		 .parts_n = 2},
	};
	pthread_t threads[2];
	signal(SIGTERM, stop);
	pthread_barrier_init(&started, NULL, 3);
	for (size_t i = 0; i < 2; i++) {
		workers[i].until_ns = until;
		workers[i].clock = cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
		workers[i].started = &started;
		if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0) {
			perror("load: pthread_create");
			return 1;
		}
	}
	pthread_barrier_wait(&started);
	printf("load %d %d %d\n", (int)getpid(), (int)workers[0].tid, (int)workers[1].tid);
	fflush(stdout);
	for (size_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < workers[i].parts_n; k++)
			printf("%s %" PRIu64 "\n", workers[i].parts[k].name, workers[i].parts[k].spent_ns);
	return 0;
}
