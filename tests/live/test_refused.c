/* The kernel refuses perf_event_open() completely: tests use a real seccomp filter, as
 * containers do, and the source reads /proc instead. */
#include "../lib/refuse.h"
#include "harness.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const struct live_config defaults = {.freq = 999};

static void open_proc(struct watch *w)
{
	struct error err = {0};
	if (watch_open(w, &defaults, &err) != 0)
		check_failed(__FILE__, __LINE__, err.text);
	printf("%s\n", w->info->notice);
	CHECK(w->info->scope == SCOPE_PROC);
	CHECK(w->info->live);
	CHECK(w->info->events_n == 1 && w->info->events[0].available);
	CHECK(w->info->events[0].spec.role == ROLE_CLOCK);
	CHECK(w->info->short_notice[0]);
	CHECK(w->src->ops->wake_fd(w->src) == -1);
}

static void tasks_live_on_without_perf(void)
{
	struct watch w;
	int go;
	CHECK(refuse_perf(EPERM));
	pid_t pid = spawn_burner(600, &go);
	open_proc(&w);
	CHECK(strstr(w.info->notice, "seccomp") && strstr(w.info->notice, "EPERM"));
	CHECK(strstr(w.info->notice, "--cap-add PERFMON"));
	uint64_t start = w.src->ops->now_ns(w.src);
	let_go(go);
	siginfo_t ended;
	/* WNOWAIT: the process ends but is not reaped */
	CHECK(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) == 0);
	usleep(60000); /* the source skips scans of /proc in quick succession */
	watch_drain(&w);
	uint64_t end = w.src->ops->now_ns(w.src);
	struct sum sum = watch_sum(&w, (uint32_t)pid);
	printf("%llu samples, %llu ns of 600 ms\n", (unsigned long long)sum.samples, (unsigned long long)sum.period);
	CHECK(sum.period >= 500000000 && sum.period <= 800000000);
	for (size_t i = 0; i < w.n; i++) {
		const struct kept *k = &w.data[i];
		if (k->rec.type != RECORD_SAMPLE)
			continue;
		CHECK(k->known && k->event == 0 && k->cpu < w.info->cpus_n);
		CHECK(k->rec.u.sample.ip == 0);
		CHECK(k->rec.id.time_ns >= start && k->rec.id.time_ns <= end);
		uint16_t mode = k->rec.misc & MISC_CPUMODE_MASK;
		CHECK(mode == MISC_USER || mode == MISC_KERNEL);
	}
	CHECK(waitpid(pid, NULL, 0) == pid);
	usleep(100000);
	watch_drain(&w);
	CHECK(watch_find(&w, RECORD_EXIT, (uint32_t)pid));
	watch_counters(&w);
	uint64_t busy = 0, counted = 0;
	for (unsigned cpu = 0; cpu < w.info->cpus_n; cpu++) {
		busy += w.times[cpu].busy_ns - w.times_before[cpu].busy_ns;
		counted += w.counters[cpu].value - w.before[cpu].value;
		CHECK(!w.times[cpu].online || w.counters[cpu].opened);
	}
	CHECK(busy >= 500000000 && counted == busy);
	CHECK(w.stats.malformed == 0 && w.undecoded == 0);
	watch_close(&w);
}

/* A child that changes its name, reports it, and exits when it is told to. */
static void rename_on_demand(int fd)
{
	char byte;
	for (int i = 0; read(fd, &byte, 1) == 1; i++) {
		prctl(PR_SET_NAME, i ? "third name" : "other name");
		if (write(fd, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static bool comm_seen(const struct watch *w, size_t from, pid_t pid, const char *comm)
{
	for (size_t i = from; i < w->n; i++)
		if (w->data[i].rec.type == RECORD_COMM && w->data[i].rec.u.comm.pid == (uint32_t)pid &&
		    strcmp(w->data[i].text, comm) == 0)
			return true;
	return false;
}

static void names_follow(void)
{
	struct watch w;
	int fds[2];
	char byte;
	CHECK(refuse_perf(EPERM));
	open_proc(&w);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(fds[0]);
		rename_on_demand(fds[1]);
	}
	close(fds[1]);
	for (int i = 0; i < 2; i++) {
		size_t had = w.n;
		CHECK(write(fds[0], "x", 1) == 1 && read(fds[0], &byte, 1) == 1);
		usleep(60000);
		watch_drain(&w);
		CHECK(comm_seen(&w, had, pid, i ? "third name" : "other name"));
	}
	close(fds[0]);
	CHECK(waitpid(pid, NULL, 0) == pid);
	watch_close(&w);
}

static void a_kernel_without_perf_is_named(void)
{
	struct watch w;
	CHECK(refuse_perf(ENOSYS));
	open_proc(&w);
	CHECK(strstr(w.info->notice, "built without perf events"));
	watch_close(&w);
}

static void named_events_fail_with_the_reason(void)
{
	struct watch w;
	struct error err = {0};
	struct live_config config = {.freq = 999, .events_n = 1, .events_given = true};
	event_clock(&config.events[0]);
	CHECK(refuse_perf(EPERM));
	CHECK(watch_open(&w, &config, &err) == -EPERM);
	printf("%s\n", err.text);
	CHECK(strstr(err.text, "perf_event_open") && strstr(err.text, "seccomp"));
}

/* clang-format off */
#define IN_CHILD(fn)                               \
	static void child_##fn(void **state)       \
	{                                          \
		(void)state;                       \
		assert_true(in_child(fn, 0));      \
	}
/* clang-format on */
IN_CHILD(tasks_live_on_without_perf)
IN_CHILD(names_follow)
IN_CHILD(a_kernel_without_perf_is_named)
IN_CHILD(named_events_fail_with_the_reason)

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (prctl(PR_GET_SECCOMP) < 0 && errno == EINVAL) {
		printf("skipped: this kernel has no seccomp filters\n");
		return 77;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(child_tasks_live_on_without_perf),
		cmocka_unit_test(child_names_follow),
		cmocka_unit_test(child_a_kernel_without_perf_is_named),
		cmocka_unit_test(child_named_events_fail_with_the_reason),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
