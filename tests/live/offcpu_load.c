/* Threads on one CPU that wait in known ways: two that hand a byte to and fro, two that sleep, two that compute and are
 * preempted.  Each prints, at its end, its id, its name and for how long it was off the CPU, by its own clocks, in ns.
 *   offcpu_load SECONDS */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct load {
	int there[2], back[2];
	uint64_t ns;
};
struct worker {
	struct load *load;
	const char *name;
	void (*work)(struct load *l, uint64_t until_ns);
};

static uint64_t now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void compute(struct load *l, uint64_t until_ns)
{
	(void)l;
	while (now(CLOCK_MONOTONIC) < until_ns)
		;
}

static void doze(struct load *l, uint64_t until_ns)
{
	(void)l;
	while (now(CLOCK_MONOTONIC) < until_ns)
		usleep(2000);
}

static void serve(struct load *l, uint64_t until_ns)
{
	char byte = 'x';
	while (now(CLOCK_MONOTONIC) < until_ns)
		if (write(l->there[1], &byte, 1) != 1 || read(l->back[0], &byte, 1) != 1)
			break;
	close(l->there[1]);
}

static void answer(struct load *l, uint64_t until_ns)
{
	char byte;
	(void)until_ns;
	while (read(l->there[0], &byte, 1) == 1)
		if (write(l->back[1], &byte, 1) != 1)
			break;
}

static void *run(void *arg)
{
	const struct worker *w = arg;
	uint64_t begun = now(CLOCK_MONOTONIC), used = now(CLOCK_THREAD_CPUTIME_ID);
	prctl(PR_SET_NAME, w->name);
	w->work(w->load, begun + w->load->ns);
	uint64_t away = now(CLOCK_MONOTONIC) - begun - (now(CLOCK_THREAD_CPUTIME_ID) - used);
	printf("%ld %s %llu\n", (long)syscall(SYS_gettid), w->name, (unsigned long long)away);
	return NULL;
}

int main(int argc, char **argv)
{
	struct load l = {.ns = (uint64_t)(1e9 * (argc > 1 ? atof(argv[1]) : 1))};
	struct worker workers[] = {{&l, "serve", serve}, {&l, "answer", answer},   {&l, "doze", doze},
				   {&l, "doze", doze},	 {&l, "compute", compute}, {&l, "compute", compute}};
	enum { N = sizeof(workers) / sizeof(workers[0]) };
	pthread_t threads[N];
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	if (pipe(l.there) || pipe(l.back))
		return 1;
	for (int i = 0; i < N; i++)
		if (pthread_create(&threads[i], NULL, run, &workers[i]))
			return 1;
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
