/* Measuring without privileges: own tasks only, within the user's limits.  Runs its parts in
 * children that give up root; directly if the user is not root. */
#include "harness.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const struct live_config defaults = {.freq = 999};

static uid_t nobody(void)
{
	return geteuid() == 0 ? 65534 : 0;
}

/* The kernel's part of the user's own tasks may be sampled with perf_event_paranoid 1, not with 2. */
static bool with_kernel(void)
{
	int level = 2;
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
	if (f)
		(void)!fscanf(f, "%d", &level), fclose(f);
	return level <= 1;
}

static void open_own(struct watch *w)
{
	struct error err = {0};
	if (watch_open(w, &defaults, &err) != 0)
		check_failed(__FILE__, __LINE__, err.text);
	printf("scope %d: %s\n", (int)w->info->scope, w->info->notice);
	CHECK(w->info->scope == (with_kernel() ? SCOPE_OWN : SCOPE_OWN_USER));
	CHECK(strstr(w->info->notice, with_kernel() ? "own processes only" : "own processes and user space only"));
	CHECK(strstr(w->info->notice, "perf_event_paranoid"));
	CHECK(strstr(w->info->notice, "sudo"));
	CHECK(strstr(w->info->short_notice, "perf_event_paranoid"));
	CHECK(w->info->events[0].available);
}

/* The sum must be within a tenth of the process's CPU clock: nothing is missing or counted
 * twice. */
static void check_sum(const struct watch *w, pid_t pid, uint64_t cpu_ns)
{
	struct sum sum = watch_sum(w, (uint32_t)pid);
	printf("pid %d: %llu samples, periods %llu, CPU time %llu ns\n", (int)pid, (unsigned long long)sum.samples,
	       (unsigned long long)sum.period, (unsigned long long)cpu_ns);
	CHECK(sum.samples > 100);
	if (w->info->events[0].spec.role == ROLE_CLOCK)
		CHECK(sum.period > cpu_ns / 100 * 85 && sum.period < cpu_ns / 100 * 115);
}

/* A task that ran before the source was opened, and a child that it forks later.  The source
 * scans /proc several times meanwhile, and must not attach to the child again, whose events are
 * inherited. */
static void tasks_are_counted_once(void)
{
	struct watch w;
	int go_old, go_new;
	pid_t old = spawn_burner(800, &go_old);
	open_own(&w);
	pid_t new = spawn_burner(800, &go_new);
	uint64_t before = children_cpu_ns();
	watch_for(&w, 600); /* longer than tasks count as young */
	let_go(go_old);
	watch_until_exit(&w, old);
	uint64_t middle = children_cpu_ns();
	let_go(go_new);
	watch_until_exit(&w, new);
	check_sum(&w, old, middle - before);
	check_sum(&w, new, children_cpu_ns() - middle);
	CHECK(w.stats.malformed == 0 && w.undecoded == 0);
	for (size_t i = 0; i < w.n; i++)
		CHECK(w.data[i].rec.type != RECORD_SAMPLE || w.data[i].known);
	watch_close(&w);
}

/* Value, enabled and running time of a counter are those of our tasks on that CPU, and do not
 * decrease when the tasks end. */
static void counters_follow_own_tasks(void)
{
	struct watch w;
	int go;
	pid_t pid = spawn_burner(500, &go);
	open_own(&w);
	let_go(go);
	watch_until_exit(&w, pid);
	watch_counters(&w);
	uint64_t enabled = 0, running = 0, value = 0;
	for (int round = 0; round < 2; round++) {
		uint64_t now = 0;
		enabled = running = value = 0;
		for (unsigned cpu = 0; cpu < w.info->cpus_n; cpu++) {
			CHECK(w.counters[cpu].value >= w.before[cpu].value);
			now += w.counters[cpu].enabled_ns;
			enabled += w.counters[cpu].enabled_ns;
			running += w.counters[cpu].running_ns;
			value += w.counters[cpu].value;
		}
		printf("enabled %llu, running %llu, value %llu\n", (unsigned long long)enabled,
		       (unsigned long long)running, (unsigned long long)value);
		CHECK(now > 480000000);
		CHECK(enabled < 2000000000); /* counted once, not once for each CPU */
		CHECK(running <= enabled && running > enabled / 100 * 90);
		/* the events of the ended child are closed meanwhile */
		watch_for(&w, 2000);
		watch_counters(&w);
	}
	watch_close(&w);
}

/* Fork, exec and exit of a grandchild are seen without privileges. */
static void inherited_tasks_are_on_the_sideband(void)
{
	struct watch w;
	open_own(&w);
	pid_t pid = fork();
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", "sleep 0.1; exec sleep 0.1", (char *)NULL);
		_exit(127);
	}
	CHECK(watch_until_exit(&w, pid) == 0);
	CHECK(watch_find(&w, RECORD_FORK, (uint32_t)pid));
	CHECK(watch_find(&w, RECORD_COMM, (uint32_t)pid));
	CHECK(watch_find(&w, RECORD_MMAP2, (uint32_t)pid));
	CHECK(watch_find(&w, RECORD_EXIT, (uint32_t)pid));
	bool grandchild = false;
	for (size_t i = 0; i < w.n; i++)
		grandchild |= w.data[i].rec.type == RECORD_FORK && w.data[i].rec.u.task.ppid == (uint32_t)pid;
	CHECK(grandchild);
	watch_close(&w);
}

/* A process that no measured process forked: only the scan of /proc finds it. */
static int stranger_go[2], ready[2];

static void stranger_burns(void)
{
	char byte;
	CHECK(read(stranger_go[0], &byte, 1) == 1);
	burn(500);
}

static void strangers_are_found(void)
{
	struct watch w;
	open_own(&w);
	let_go(ready[1]); /* the parent now forks that process */
	watch_for(&w, 1000);
	let_go(stranger_go[1]);
	watch_for(&w, 1500);
	struct sum sum = {0};
	for (size_t i = 0; i < w.n; i++)
		if (w.data[i].rec.type == RECORD_SAMPLE && w.data[i].rec.id.pid != (uint32_t)getpid())
			sum.samples++;
	printf("%llu samples of strangers\n", (unsigned long long)sum.samples);
	CHECK(sum.samples > 100);
	watch_close(&w);
}

static void few_files_leave_tasks_out(void)
{
	enum { TASKS = 18 }; /* more than can be measured on any number of CPUs */
	struct watch w;
	int go[TASKS];
	pid_t pids[TASKS];
	struct rlimit lim;
	for (int i = 0; i < TASKS; i++)
		pids[i] = spawn_burner(0, &go[i]);
	/* those for the rings and for two tasks, and up to 64 that the source keeps free: half of so few */
	lim.rlim_cur = lim.rlim_max = 64 + 6 * (rlim_t)sysconf(_SC_NPROCESSORS_ONLN);
	CHECK(setrlimit(RLIMIT_NOFILE, &lim) == 0);
	open_own(&w);
	CHECK(strstr(w.info->notice, "left out") && strstr(w.info->short_notice, "left out"));
	watch_for(&w, 300);
	watch_close(&w);
	for (int i = 0; i < TASKS; i++) {
		let_go(go[i]);
		waitpid(pids[i], NULL, 0);
	}
}

static void rings_shrink_to_the_limit(void)
{
	struct watch w;
	struct error err = {0};
	struct rlimit none = {0};
	struct live_config config = {.freq = 999, .ring_bytes = 4 << 20};
	CHECK(setrlimit(RLIMIT_MEMLOCK, &none) == 0);
	CHECK(watch_open(&w, &config, &err) == 0);
	printf("rings of %zu KiB: %s\n", w.info->ring_bytes / 1024, w.info->notice);
	CHECK(w.info->scope == (with_kernel() ? SCOPE_OWN : SCOPE_OWN_USER));
	CHECK(w.info->ring_bytes < 4 << 20);
	CHECK(strstr(w.info->notice, "EPERM") && strstr(w.info->notice, "perf_event_mlock_kb"));
	int go;
	pid_t pid = spawn_burner(200, &go);
	let_go(go);
	watch_until_exit(&w, pid);
	CHECK(watch_sum(&w, (uint32_t)pid).samples > 0);
	watch_close(&w);
}

/* Not a single page may be locked, because other processes of this user have used up the limit. */
static void no_room_for_rings_names_the_limit(void)
{
	struct watch first, second;
	struct error err = {0};
	struct rlimit none = {0};
	CHECK(setrlimit(RLIMIT_MEMLOCK, &none) == 0);
	struct watch more[16];
	size_t n = 0;
	CHECK(watch_open(&first, &defaults, &err) == 0);
	do {
		CHECK(watch_open(&second, &defaults, &err) == 0);
		more[n++] = second;
	} while (second.info->scope != SCOPE_PROC && n < ARRAY_LEN(more));
	printf("after %zu: %s\n", n, second.info->notice);
	CHECK(second.info->scope == SCOPE_PROC);
	CHECK(strstr(second.info->notice, "perf_event_mlock_kb"));
	CHECK(strstr(second.info->notice, "RLIMIT_MEMLOCK"));
	while (n)
		watch_close(&more[--n]);
	watch_close(&first);
}

/* ---- as root, system-wide ---------------------------------------------------- */

static void too_few_files_are_named(void)
{
	struct watch w;
	struct error err = {0};
	struct live_config config = {.freq = 999, .events_n = 1, .events_given = true};
	event_clock(&config.events[0]);
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	/* enough descriptors for the rings, but not for a sampling event on each CPU */
	struct rlimit lim;
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	lim.rlim_cur = lim.rlim_max = 3 + 2 + 3 * (rlim_t)cpus - 1;
	CHECK(setrlimit(RLIMIT_NOFILE, &lim) == 0);
	CHECK(watch_open(&w, &config, &err) != 0);
	printf("%s\n", err.text);
	CHECK(strstr(err.text, "EMFILE") && strstr(err.text, "RLIMIT_NOFILE"));
	config.events_given = false;
	CHECK(watch_open(&w, &config, &err) == 0);
	printf("%s\n", w.info->notice);
	CHECK(w.info->scope == SCOPE_PROC && strstr(w.info->notice, "EMFILE"));
	watch_close(&w);
}

static void the_soft_limit_is_raised(void)
{
	struct watch w;
	struct error err = {0};
	struct rlimit lim;
	CHECK(getrlimit(RLIMIT_NOFILE, &lim) == 0);
	lim.rlim_cur = open_files() + 1;
	CHECK(setrlimit(RLIMIT_NOFILE, &lim) == 0);
	CHECK(watch_open(&w, &defaults, &err) == 0);
	CHECK(w.info->scope != SCOPE_PROC);
	CHECK(getrlimit(RLIMIT_NOFILE, &lim) == 0 && lim.rlim_cur > 6);
	watch_close(&w);
}

#define IN_CHILD(fn)                                                                                                   \
	static void child_##fn(void **state)                                                                           \
	{                                                                                                              \
		(void)state;                                                                                           \
		assert_true(in_child(fn, nobody()));                                                                   \
	}
IN_CHILD(tasks_are_counted_once)
IN_CHILD(counters_follow_own_tasks)
IN_CHILD(inherited_tasks_are_on_the_sideband)
IN_CHILD(few_files_leave_tasks_out)
IN_CHILD(rings_shrink_to_the_limit)
IN_CHILD(no_room_for_rings_names_the_limit)

static void soft_limit(void **state)
{
	(void)state;
	assert_true(in_child(the_soft_limit_is_raised, 0));
}

static void hard_limit(void **state)
{
	(void)state;
	assert_true(in_child(too_few_files_are_named, 0));
}

/* The test process itself forks the stranger, which inherits no events of the measuring child
 * and then becomes the same user. */
static void strangers(void **state)
{
	(void)state;
	char byte;
	if (nobody() == 0)
		skip();
	assert_true(pipe(ready) == 0 && pipe(stranger_go) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (read(ready[0], &byte, 1) != 1)
			_exit(1);
		_exit(!in_child(stranger_burns, 65534));
	}
	assert_true(in_child(strangers_are_found, 65534));
	waitpid(pid, NULL, 0);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!perf_allowed())
		return 77;
	if (paranoid() < 1 || paranoid() > 2) {
		printf("skipped: perf_event_paranoid is %d, this needs 1 or 2\n", paranoid());
		return 77;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(child_tasks_are_counted_once),
		cmocka_unit_test(child_counters_follow_own_tasks),
		cmocka_unit_test(child_inherited_tasks_are_on_the_sideband),
		cmocka_unit_test(strangers),
		cmocka_unit_test(child_few_files_leave_tasks_out),
		cmocka_unit_test(child_rings_shrink_to_the_limit),
		cmocka_unit_test(child_no_room_for_rings_names_the_limit),
		cmocka_unit_test(soft_limit),
	};
	const struct CMUnitTest as_root[] = {cmocka_unit_test(hard_limit)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (geteuid() == 0)
		failed += cmocka_run_group_tests(as_root, NULL, NULL);
	return failed;
}
