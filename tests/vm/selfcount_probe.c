/* The room selfcount on a real kernel, also as a hostile program would have it: selfcount_probe [--others N] EVENT...
 * (cycles, instructions, page-faults, task-clock; of user code alone).  N events of other groups contend for the PMU.
 * Prints one object of JSON; what it says is for the test to judge. */
#include "selfcount/selfcount.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	ROUNDS = 200,
	READS = 2000,
	SLACK_NS = 10,
	FEW = 1000,
	MANY = 100000,
	LONG = 100000000,
	OTHERS_MAX = 32,
	PAGES = 300
};

/* Two instructions in each iteration. */
__attribute__((noinline)) static void count_down(uint64_t n)
{
#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#elif defined(__riscv)
	__asm__ volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(n));
#else
	while (n--)
		__asm__ volatile("" : "+r"(n));
#endif
}

static struct perf_event_attr attr_of(const char *name)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} known[] = {
		{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
		{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
		{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].name, name))
			return (struct perf_event_attr){.type = known[i].type,
							.size = sizeof(struct perf_event_attr),
							.config = known[i].config,
							.exclude_kernel = 1,
							.exclude_hv = 1};
	fprintf(stderr, "selfcount_probe: no event %s\n", name);
	exit(2);
}

/* The same events, read in the other way. */
static struct selfcount by_read(const struct selfcount *sc)
{
	struct selfcount other = *sc;
	other.counters = SELFCOUNT_SYSCALL;
	return other;
}

static bool rises(const struct selfcount_reading *a, const struct selfcount_reading *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (b->values[i] < a->values[i])
			return false;
	return b->enabled + SLACK_NS >= a->enabled && b->running + SLACK_NS >= a->running;
}

/* Goes from CPU to CPU. */
static void move(unsigned turn)
{
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(turn % (unsigned)sysconf(_SC_NPROCESSORS_ONLN), &one);
	sched_setaffinity(0, sizeof(one), &one); /* else it stays, which is right, too */
}

/* A system call's reading lies between those before and after it, on whatever CPU.  Prints how often that is not so,
 * and how many readings found the group off the PMU. */
static void print_order(const struct selfcount *sc)
{
	cpu_set_t all;
	struct selfcount other = by_read(sc);
	unsigned wrong = 0, off = 0, time_back = 0;
	sched_getaffinity(0, sizeof(all), &all);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct selfcount_reading r[3] = {0};
		selfcount_read(sc, &r[0]);
		move(i);
		selfcount_read(&other, &r[1]);
		move(i / 2);
		selfcount_read(sc, &r[2]);
		wrong += !rises(&r[0], &r[1], sc->events_n) + !rises(&r[1], &r[2], sc->events_n);
		time_back += r[1].time < r[0].time || r[2].time < r[1].time;
		off += !r[0].counted;
		count_down(MANY);
	}
	sched_setaffinity(0, sizeof(all), &all);
	printf(",\"wrong\":%u,\"off\":%u,\"time_back\":%u", wrong, off, time_back);
}

/* The least that an event counts around a loop: without interrupts. */
static uint64_t least(const struct selfcount *sc, size_t event, uint64_t n)
{
	uint64_t min = UINT64_MAX;
	for (int i = 0; i < ROUNDS; i++) {
		struct selfcount_reading from = {0}, to = {0};
		selfcount_read(sc, &from);
		count_down(n);
		selfcount_read(sc, &to);
		uint64_t v = to.values[event] - from.values[event];
		if (from.counted && to.counted && v < min)
			min = v;
	}
	return min;
}

/* What FEW more iterations count. */
static void print_loops(const struct selfcount *sc)
{
	struct selfcount other = by_read(sc);
	printf(",\"iterations\":%d", FEW);
	for (int way = 0; way < 2; way++) {
		printf(",\"%s\":[", way ? "by_read" : "by_page");
		for (size_t i = 0; i < sc->events_n; i++) {
			uint64_t once = least(way ? &other : sc, i, FEW), twice = least(way ? &other : sc, i, 2 * FEW);
			printf("%s%lld", i ? "," : "", (long long)(twice - once));
		}
		printf("]");
	}
}

/* PAGES pages that nobody has used. */
static char *untouched(void)
{
	size_t size = PAGES * (size_t)sysconf(_SC_PAGESIZE);
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		exit(2);
	madvise(mem, size, MADV_NOHUGEPAGE);
	return mem;
}

static void touch(char *mem)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	for (size_t i = 0; i < PAGES; i++)
		mem[i * size] = 1;
}

static void print_between(const struct selfcount *sc, const char *name, const struct selfcount_reading *from,
			  const struct selfcount_reading *to)
{
	printf(",\"%s\":[", name);
	for (size_t i = 0; i < sc->events_n; i++)
		printf("%s%lld", i ? "," : "", (long long)(to->values[i] - from->values[i]));
	printf("]");
}

/* Pages of memory that are used for the first time. */
static void print_touched(const struct selfcount *sc)
{
	char *mem = untouched();
	struct selfcount_reading from = {0}, to = {0};
	selfcount_read(sc, &to); /* its own code and stack are there */
	selfcount_read(sc, &from);
	touch(mem);
	selfcount_read(sc, &to);
	printf(",\"pages\":%d", PAGES);
	print_between(sc, "touched", &from, &to);
}

struct other {
	pthread_barrier_t turn; /* of both threads */
	pid_t tid;
	char *mem;
};

static void *run_other(void *arg)
{
	struct other *o = arg;
	o->tid = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&o->turn); /* its counters are opened */
	pthread_barrier_wait(&o->turn);
	touch(o->mem);
	pthread_barrier_wait(&o->turn); /* they are read */
	pthread_barrier_wait(&o->turn);
	return NULL;
}

/* Pages that another thread uses, counted from this one; the counts of a thread that has ended stay. */
static void print_thread(const struct perf_event_attr *attrs, size_t n)
{
	struct other o = {.mem = untouched()};
	struct selfcount sc;
	struct selfcount_reading from = {0}, to = {0}, late = {0};
	pthread_t thread;
	if (pthread_barrier_init(&o.turn, NULL, 2) || pthread_create(&thread, NULL, run_other, &o))
		exit(2);
	pthread_barrier_wait(&o.turn);
	int err = selfcount_open_thread(&sc, o.tid, attrs, n);
	selfcount_read(&sc, &from);
	pthread_barrier_wait(&o.turn);
	pthread_barrier_wait(&o.turn);
	selfcount_read(&sc, &to);
	pthread_barrier_wait(&o.turn);
	pthread_join(thread, NULL);
	selfcount_read(&sc, &late);
	printf(",\"of_thread\":%d,\"thread_by_page\":%s,\"thread_left\":%s", err,
	       sc.counters == SELFCOUNT_PAGE ? "true" : "false", rises(&to, &late, n) ? "true" : "false");
	print_between(&sc, "thread_touched", &from, &to);
	selfcount_close(&sc);
}

/* A long loop, scaled: events per iteration. */
static void print_scaled(const struct selfcount *sc)
{
	struct selfcount_reading from = {0}, to = {0};
	selfcount_read(sc, &from);
	count_down(LONG);
	selfcount_read(sc, &to);
	uint64_t enabled = to.enabled - from.enabled;
	printf(",\"ran\":%.3f,\"scaled\":[", enabled ? (double)(to.running - from.running) / (double)enabled : 0.0);
	for (size_t i = 0; i < sc->events_n; i++) {
		double v = 0;
		bool has = selfcount_between(&from, &to, i, &v);
		printf(has ? "%s%.6f" : "%snull", i ? "," : "", v / LONG);
	}
	printf("]");
}

static void print_cost(const struct selfcount *sc)
{
	struct selfcount_reading r = {0};
	uint64_t t[4] = {0};
	struct selfcount other = by_read(sc);
	t[0] = selfcount_time(sc);
	for (int i = 0; i < READS; i++)
		selfcount_read(sc, &r);
	t[1] = selfcount_time(sc);
	for (int i = 0; i < READS; i++)
		selfcount_read(&other, &r);
	t[2] = selfcount_time(sc);
	for (int i = 0; i < READS; i++)
		(void)selfcount_time(sc);
	t[3] = selfcount_time(sc);
	printf(",\"ns\":{\"read\":%.1f,\"by_read\":%.1f,\"time\":%.1f}", (double)(t[1] - t[0]) / READS,
	       (double)(t[2] - t[1]) / READS, (double)(t[3] - t[2]) / READS);
}

static const struct selfcount *interrupted;
static volatile sig_atomic_t handled;

static void on_alarm(int sig)
{
	(void)sig;
	struct selfcount_reading r = {0};
	selfcount_read(interrupted, &r);
	handled++;
}

/* Handlers that read while it is read. */
static void print_signals(const struct selfcount *sc)
{
	interrupted = sc;
	struct sigaction sa = {.sa_handler = on_alarm};
	sigaction(SIGALRM, &sa, NULL);
	timer_t timer;
	const struct itimerspec each = {{0, 1000000}, {0, 1000000}};
	if (timer_create(CLOCK_MONOTONIC, NULL, &timer) < 0 || timer_settime(timer, 0, &each, NULL) < 0)
		exit(2);
	struct selfcount_reading last = {0}, r = {0};
	unsigned back = 0;
	for (selfcount_read(sc, &last); handled < 50; last = r) {
		selfcount_read(sc, &r);
		back += !rises(&last, &r, sc->events_n);
	}
	timer_delete(timer);
	printf(",\"handled_back\":%u", back);
}

/* A child reads what its parent opened, then its own. */
static void print_fork(struct selfcount *sc, const struct perf_event_attr *attrs, size_t n)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		struct selfcount_reading r = {0}, own = {0};
		selfcount_read(sc, &r);
		bool ok = r.time && (sc->counters == SELFCOUNT_SYSCALL || !r.counted);
		selfcount_close(sc);
		ok = ok && selfcount_open(sc, attrs, n) == 0;
		count_down(MANY);
		selfcount_read(sc, &own);
		_exit(ok && (own.enabled || !n) ? 0 : 1);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	printf(",\"child\":%d", status);
}

/* The program closes all that it did not open, and has a pipe there. */
static void print_closed(const struct selfcount *sc)
{
	int pipes[2];
	struct selfcount other = by_read(sc);
	struct selfcount_reading r = {0};
	char bytes[200] = {0};
	if (pipe(pipes) < 0 || write(pipes[1], bytes, sizeof(bytes)) < 0 || dup2(pipes[0], sc->fds[0]) < 0)
		exit(2);
	selfcount_read(&other, &r);
	ssize_t left = read(pipes[0], bytes, sizeof(bytes));
	printf(",\"closed\":{\"counted\":%s,\"left\":%zd}", r.counted ? "true" : "false", left);
}

int main(int argc, char **argv)
{
	static struct selfcount others[OTHERS_MAX];
	struct perf_event_attr attrs[SELFCOUNT_EVENTS_MAX], cycles = attr_of("cycles");
	struct selfcount sc;
	size_t n = 0;
	long others_n = 0;
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--others") && i + 1 < argc)
			others_n = strtol(argv[++i], NULL, 10);
		else if (n < SELFCOUNT_EVENTS_MAX)
			attrs[n++] = attr_of(argv[i]);
	int err = selfcount_open(&sc, attrs, n);
	if (err) {
		printf("{\"error\":\"%s\"}\n", strerror(-err));
		return 1;
	}
	for (long i = 0; i < others_n && i < OTHERS_MAX; i++)
		selfcount_open(&others[i], &cycles, 1);
	printf("{\"counters\":\"%s\",\"clock\":\"%s\"", sc.counters == SELFCOUNT_PAGE ? "page" : "syscall",
	       sc.clock == SELFCOUNT_TSC ? "hardware" : "call");
	print_order(&sc);
	print_loops(&sc);
	print_touched(&sc);
	print_thread(attrs, n);
	print_scaled(&sc);
	print_cost(&sc);
	print_signals(&sc);
	print_fork(&sc, attrs, n);
	if (n)
		print_closed(&sc);
	printf("}\n");
	return 0;
}
