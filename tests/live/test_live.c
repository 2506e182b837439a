/* The live source against the real kernel, at whatever scope this run is allowed. */
#include "harness.h"
#include "source/live/open.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const struct live_config defaults = {.freq = 999};

static void open_or_fail(struct watch *w, const struct live_config *config)
{
	struct error err = {0};
	if (watch_open(w, config, &err) != 0)
		fail_msg("live_open: %s", err.text);
}

static void clean(const struct watch *w)
{
	assert_int_equal(w->stats.malformed, 0);
	assert_int_equal(w->undecoded, 0);
}

static void says_what_it_opened(void **state)
{
	(void)state;
	struct watch w;
	open_or_fail(&w, &defaults);
	const struct source_info *info = w.info;
	printf("scope %d, pmu '%s', notice: %s\n", (int)info->scope, info->pmu, info->notice);
	assert_int_equal(info->kind, SOURCE_LIVE);
	assert_int_not_equal(info->scope, SCOPE_PROC);
	assert_true(info->events[0].available);
	assert_int_equal(info->events_n, 4);
	assert_true(info->cpus_n >= (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(info->host[0] && info->kernel[0]);
	assert_true(info->rate_hz > 0 && info->rate_hz <= 999);
	assert_true(info->ring_bytes >= 4096);
	assert_non_null(info->layout);
	for (size_t e = 0; e < info->events_n; e++)
		assert_true(info->events[e].available == (info->events[e].why[0] == '\0'));
	if (info->events[0].spec.role == ROLE_CLOCK) {
		assert_string_equal(info->pmu, "");
		assert_non_null(strstr(info->notice, "CPU clock"));
	}
	if (info->scope == SCOPE_SYSTEM && info->pmu[0])
		assert_null(strstr(info->notice, "no hardware counters"));
	watch_close(&w);
}

static void samples_of_a_child_add_up(void **state)
{
	(void)state;
	struct watch w;
	int go;
	pid_t pid = spawn_burner(1000, &go);
	open_or_fail(&w, &defaults);
	uint64_t before = children_cpu_ns();
	let_go(go);
	watch_until_exit(&w, pid);
	uint64_t cpu_ns = children_cpu_ns() - before;
	clean(&w);
	uint64_t last[64] = {0};
	for (size_t i = 0; i < w.n; i++) {
		const struct kept *k = &w.data[i];
		if (k->rec.type != RECORD_SAMPLE)
			continue;
		assert_false(k->sideband);
		assert_true(k->known);
		assert_true(k->event < w.info->events_n && k->cpu < w.info->cpus_n);
		assert_int_equal(k->cpu, k->rec.id.cpu);
		if (k->rec.id.pid == (uint32_t)pid)
			assert_int_equal(k->rec.id.tid, pid);
		if (k->event == 0 && k->cpu < 64) {
			assert_true(k->rec.id.time_ns >= last[k->cpu]);
			last[k->cpu] = k->rec.id.time_ns;
		}
	}
	struct sum sum = watch_sum(&w, (uint32_t)pid);
	printf("%llu samples, periods %llu, CPU time %llu ns\n", (unsigned long long)sum.samples,
	       (unsigned long long)sum.period, (unsigned long long)cpu_ns);
	assert_true(sum.samples > 100);
	if (w.info->events[0].spec.role == ROLE_CLOCK)
		assert_in_range(sum.period, cpu_ns / 100 * 90, cpu_ns / 100 * 110);
	watch_close(&w);
}

static void a_childs_life_is_on_the_sideband(void **state)
{
	(void)state;
	struct watch w;
	open_or_fail(&w, &defaults);
	pid_t pid = fork();
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", "exec sleep 0.1", (char *)NULL);
		_exit(127);
	}
	int status = watch_until_exit(&w, pid);
	assert_int_equal(status, 0);
	clean(&w);
	const struct kept *fork_rec = watch_find(&w, RECORD_FORK, (uint32_t)pid);
	const struct kept *exit_rec = watch_find(&w, RECORD_EXIT, (uint32_t)pid);
	const struct kept *mmap_rec = watch_find(&w, RECORD_MMAP2, (uint32_t)pid);
	assert_non_null(fork_rec);
	assert_non_null(exit_rec);
	assert_non_null(mmap_rec);
	assert_int_equal(fork_rec->rec.u.task.ppid, getpid());
	assert_true(fork_rec->sideband && exit_rec->sideband && mmap_rec->sideband);
	assert_true(fork_rec < mmap_rec && mmap_rec < exit_rec);
	bool sh = false, sleep_comm = false, sleep_map = false;
	for (size_t i = 0; i < w.n; i++) {
		const struct kept *k = &w.data[i];
		if (k->rec.type == RECORD_COMM && k->rec.u.comm.pid == (uint32_t)pid) {
			assert_true(k->sideband);
			if (!sh) /* busybox's shell may rename itself later */
				assert_true(k->rec.misc & MISC_COMM_EXEC);
			sh |= strcmp(k->text, "sh") == 0;
			sleep_comm |= sh && strcmp(k->text, "sleep") == 0;
		}
		if (k->rec.type == RECORD_MMAP2 && k->rec.u.mmap.pid == (uint32_t)pid)
			sleep_map |=
				strstr(k->text, "sleep") || strstr(k->text, "busybox") || strstr(k->text, "coreutils");
	}
	assert_true(sh && sleep_comm && sleep_map);
	watch_close(&w);
}

static void counters_advance(void **state)
{
	(void)state;
	struct watch w;
	open_or_fail(&w, &defaults);
	burn(200);
	watch_counters(&w);
	uint64_t value = 0, enabled = 0;
	for (unsigned cpu = 0; cpu < w.info->cpus_n; cpu++) {
		const struct counter *is = &w.counters[cpu], *was = &w.before[cpu];
		if (!w.times[cpu].online)
			continue;
		assert_true(is->opened);
		assert_true(is->value >= was->value && is->enabled_ns >= was->enabled_ns);
		assert_true(is->running_ns <= is->enabled_ns);
		assert_int_equal(is->lost, 0);
		value += is->value - was->value;
		enabled += is->enabled_ns - was->enabled_ns;
		assert_true(w.times[cpu].known);
		assert_true(w.times[cpu].busy_ns >= w.times_before[cpu].busy_ns);
		assert_true(w.times[cpu].idle_ns >= w.times_before[cpu].idle_ns);
	}
	assert_true(value > 0 && enabled >= 150000000);
	for (size_t e = 0; e < w.info->events_n; e++)
		if (!w.info->events[e].available)
			for (unsigned cpu = 0; cpu < w.info->cpus_n; cpu++)
				assert_false(w.counters[e * w.info->cpus_n + cpu].opened);
	watch_close(&w);
}

/* It wakes on half a ring, and then not again until there is more. */
static void wakes_without_spinning(void **state)
{
	(void)state;
	struct watch w;
	struct live_config config = {.freq = 5000, .ring_bytes = 4096};
	open_or_fail(&w, &config);
	int go;
	pid_t pid = spawn_burner(3000, &go);
	let_go(go);
	struct pollfd p = {.fd = w.src->ops->wake_fd(w.src), .events = POLLIN};
	assert_true(p.fd >= 0);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(poll(&p, 1, 10000), 1);
		assert_true(p.revents & POLLIN);
		watch_drain(&w);
	}
	int quiet = 0;
	for (int i = 0; i < 100; i++) {
		watch_drain(&w);
		quiet += poll(&p, 1, 0) == 0;
	}
	printf("quiet in %d of 100 polls after a drain\n", quiet);
	assert_true(quiet > 50);
	watch_until_exit(&w, pid);
	clean(&w); /* rings of one page wrap within records, many times */
	assert_true(w.n > 0);
	watch_close(&w);
}

static void a_flood_of_samples_does_not_starve_the_sideband(void **state)
{
	(void)state;
	struct watch w;
	struct live_config config = {.freq = 20000, .ring_bytes = 4096};
	open_or_fail(&w, &config);
	burn(300); /* overflows: nobody drains */
	int go;
	pid_t pid = spawn_burner(50, &go);
	let_go(go);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	watch_counters(&w);
	watch_drain(&w);
	uint64_t lost = 0;
	for (unsigned cpu = 0; cpu < w.info->cpus_n; cpu++)
		lost += w.counters[cpu].lost;
	if (w.info->layout->read_format & READ_LOST)
		assert_true(lost > 0);
	assert_non_null(watch_find(&w, RECORD_FORK, (uint32_t)pid));
	assert_non_null(watch_find(&w, RECORD_EXIT, (uint32_t)pid));
	clean(&w);
	watch_close(&w);
}

static void what_was_not_consumed_stays(void **state)
{
	(void)state;
	struct watch w;
	struct lane *lanes;
	open_or_fail(&w, &defaults);
	burn(100);
	size_t n = w.src->ops->begin(w.src, &lanes);
	assert_true(n > 0);
	size_t had = 0;
	for (size_t i = 0; i < n; i++)
		had += lanes[i].a_len + lanes[i].b_len;
	w.src->ops->end(w.src); /* used is 0 in all */
	n = w.src->ops->begin(w.src, &lanes);
	size_t have = 0;
	for (size_t i = 0; i < n; i++) {
		have += lanes[i].a_len + lanes[i].b_len;
		lanes[i].used = SIZE_MAX; /* a caller's mistake frees what there is, no more */
	}
	assert_true(have >= had);
	w.src->ops->end(w.src);
	burn(20);
	watch_drain(&w);
	clean(&w);
	watch_close(&w);
}

static void user_only_has_no_kernel_samples(void **state)
{
	(void)state;
	struct watch w;
	struct live_config config = {.freq = 999, .user_only = true};
	open_or_fail(&w, &config);
	assert_int_not_equal(w.info->scope, SCOPE_SYSTEM);
	int go;
	pid_t pid = spawn_burner(200, &go);
	let_go(go);
	watch_until_exit(&w, pid);
	size_t samples = 0, kernel = 0;
	for (size_t i = 0; i < w.n; i++) {
		samples += w.data[i].rec.type == RECORD_SAMPLE;
		kernel += w.data[i].rec.type == RECORD_SAMPLE && (w.data[i].rec.misc & MISC_CPUMODE_MASK) != MISC_USER;
	}
	printf("%zu of %zu samples in the kernel\n", kernel, samples);
	/* a PMU's interrupt may come late, in the kernel; some have no filter at all */
	if (w.info->events[0].spec.role == ROLE_CLOCK)
		assert_int_equal(kernel, 0);
	assert_true(watch_sum(&w, (uint32_t)pid).samples > 0);
	if (w.info->scope == SCOPE_SYSTEM_USER)
		assert_null(strstr(w.info->notice, "user space only")); /* it was asked for */
	watch_close(&w);
}

static void named_events_are_not_replaced(void **state)
{
	(void)state;
	struct watch w;
	struct error err = {0};
	struct live_config config = {.freq = 999, .events_given = true, .events_n = 1};
	config.events[0] = (struct event_spec){.name = "nonsense", .type = 0x7ffffff0};
	assert_true(watch_open(&w, &config, &err) < 0);
	assert_non_null(strstr(err.text, "nonsense"));
	assert_non_null(strstr(err.text, "ENOENT"));
	/* one of two opens: it is the primary then, and the other says why not */
	event_clock(&config.events[1]);
	config.events_n = 2;
	open_or_fail(&w, &config);
	assert_string_equal(w.info->events[0].spec.name, "cpu-clock");
	assert_true(w.info->events[0].available);
	assert_string_equal(w.info->events[1].spec.name, "nonsense");
	assert_false(w.info->events[1].available);
	assert_non_null(strstr(w.info->events[1].why, "ENOENT"));
	watch_close(&w);
}

static void a_rate_above_the_kernels_is_clamped(void **state)
{
	(void)state;
	struct watch w;
	struct live_config config = {.freq = 1000000000};
	open_or_fail(&w, &config);
	printf("1 GHz became %llu Hz\n", (unsigned long long)w.info->rate_hz);
	assert_true(w.info->rate_hz > 0 && w.info->rate_hz < 1000000000);
	watch_close(&w);
}

/* The last stream's attr says that changes of the kernel's code are told, where they are. */
static void code_that_changes_is_told_where_the_kernel_does(void **state)
{
	(void)state;
	struct watch w;
	struct source_stream s;
	struct perf_attr attr = {.type = ABI_TYPE_SOFTWARE, .config = 9, .size = sizeof(attr), .flags = ATTR_TEXT_POKE};
	int fd = perf_open(&attr, -1, 0);
	open_or_fail(&w, &defaults);
	assert_true(w.src->ops->stream(w.src, w.info->events_n, &s));
	assert_int_equal((s.attr.flags & ATTR_TEXT_POKE) != 0, fd >= 0 && w.info->scope == SCOPE_SYSTEM);
	free(s.ids);
	watch_close(&w);
	if (fd >= 0)
		close(fd);
}

static void close_leaves_no_file_open(void **state)
{
	(void)state;
	size_t before = open_files();
	for (int i = 0; i < 5; i++) {
		struct watch w;
		open_or_fail(&w, &defaults);
		for (int k = 0; k < 20; k++)
			w.src->ops->maintain(w.src);
		watch_close(&w);
	}
	assert_int_equal(open_files(), before);
}

int main(void)
{
	if (!perf_allowed())
		return 77;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_it_opened),
		cmocka_unit_test(samples_of_a_child_add_up),
		cmocka_unit_test(a_childs_life_is_on_the_sideband),
		cmocka_unit_test(counters_advance),
		cmocka_unit_test(wakes_without_spinning),
		cmocka_unit_test(a_flood_of_samples_does_not_starve_the_sideband),
		cmocka_unit_test(what_was_not_consumed_stays),
		cmocka_unit_test(user_only_has_no_kernel_samples),
		cmocka_unit_test(named_events_are_not_replaced),
		cmocka_unit_test(a_rate_above_the_kernels_is_clamped),
		cmocka_unit_test(code_that_changes_is_told_where_the_kernel_does),
		cmocka_unit_test(close_leaves_no_file_open),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
