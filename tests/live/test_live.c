/* The live source on the real kernel, with the privileges of this run. */
#include "harness.h"
#include "source/live/open.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
	assert_true(info->live);
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
			if (!sh) /* busybox's shell may change its name later */
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

/* The fd becomes readable when half a ring is full, and then only after more records. */
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
	clean(&w); /* a ring of one page, so that records wrap many times */
	assert_true(w.n > 0);
	watch_close(&w);
}

static void a_flood_of_samples_does_not_starve_the_sideband(void **state)
{
	(void)state;
	struct watch w;
	struct live_config config = {.freq = 20000, .ring_bytes = 4096};
	open_or_fail(&w, &config);
	burn(300); /* the ring overflows, because nothing drains it */
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

static void unconsumed_records_stay_in_the_ring(void **state)
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
	w.src->ops->end(w.src); /* `used` is 0 in all lanes */
	n = w.src->ops->begin(w.src, &lanes);
	size_t have = 0;
	for (size_t i = 0; i < n; i++) {
		have += lanes[i].a_len + lanes[i].b_len;
		lanes[i].used = SIZE_MAX; /* a `used` beyond the bytes of the lane frees these bytes only */
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
	/* a PMU interrupt may arrive late, in the kernel; some PMUs cannot exclude the kernel */
	if (w.info->events[0].spec.role == ROLE_CLOCK)
		assert_int_equal(kernel, 0);
	assert_true(watch_sum(&w, (uint32_t)pid).samples > 0);
	if (w.info->scope == SCOPE_SYSTEM_USER)
		/* the user asked for it, so there is no notice */
		assert_null(strstr(w.info->notice, "user space only"));
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
	/* one of two events opens: it becomes the primary, and the other has a reason */
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

/* The last stream's attr asks for TEXT_POKE records, if the kernel supports them. */
static void text_poke_is_requested_if_supported(void **state)
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

struct made_cgroup {
	char dir[4352]; /* path of the cgroup that the test makes */
	const char *name;
	uint64_t id; /* ids of it and of the root according to live_cgroups() */
	uint64_t root;
	char path[4352];
};

static void take_cgroup(void *ctx, uint64_t id, const char *path)
{
	struct made_cgroup *c = ctx;
	const char *name = strrchr(path, '/');
	if (strcmp(path, "/") == 0)
		c->root = id;
	if (c->name && name && strcmp(name + 1, c->name) == 0) {
		c->id = id;
		snprintf(c->path, sizeof(c->path), "%s", path);
	}
}

/* Makes a cgroup in the unified hierarchy, which perf events use unless their controller is
 * mounted separately; false: there is none, or it must not be changed. */
static bool make_cgroup(struct made_cgroup *c)
{
	static const char *const roots[] = {"/sys/fs/cgroup/perf_event", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"};
	c->name = "cyctop-live-test";
	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		char procs[64];
		snprintf(procs, sizeof(procs), "%s/cgroup.procs", roots[i]);
		snprintf(c->dir, sizeof(c->dir), "%s/%s", roots[i], c->name);
		if (access(procs, W_OK) == 0 && (mkdir(c->dir, 0755) == 0 || errno == EEXIST))
			return true;
	}
	return false;
}

static void burn_in(const struct made_cgroup *c)
{
	char procs[4400];
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", c->dir);
	FILE *f = fopen(procs, "w");
	if (!f || fprintf(f, "%d", getpid()) < 0 || fclose(f) != 0)
		_exit(1);
	burn(500);
	_exit(0);
}

/* A cgroup that is made during the measurement: a record announces it, its id is its inode
 * number, and samples have that id. */
static void samples_name_their_cgroup(void **state)
{
	(void)state;
	struct watch w;
	struct made_cgroup c = {.id = 0};
	open_or_fail(&w, &defaults);
	if (!w.info->cgroups || w.info->scope != SCOPE_SYSTEM || !make_cgroup(&c)) {
		watch_close(&w);
		skip();
	}
	pid_t pid = fork();
	if (pid == 0)
		burn_in(&c);
	int status = watch_until_exit(&w, pid);
	live_cgroups(NULL, take_cgroup, &c);
	rmdir(c.dir);
	assert_int_equal(status, 0);
	assert_true(c.id && c.root && c.id != c.root);
	size_t there = 0, elsewhere = 0, told = 0;
	for (size_t i = 0; i < w.n; i++) {
		const struct kept *k = &w.data[i];
		if (k->rec.type == RECORD_SAMPLE && k->rec.id.pid == (uint32_t)pid) {
			there += k->rec.u.sample.cgroup == c.id;
			elsewhere += k->rec.u.sample.cgroup != c.id;
		}
		told += k->rec.type == RECORD_CGROUP && k->rec.u.cgroup.id == c.id && strcmp(k->text, c.path) == 0;
	}
	printf("%zu samples in %s (%llu), %zu before it was entered; %zu records\n", there, c.path,
	       (unsigned long long)c.id, elsewhere, told);
	assert_true(there > 10 * elsewhere && there > 20);
	assert_int_equal(told, 1);
	watch_close(&w);
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
		cmocka_unit_test(unconsumed_records_stay_in_the_ring),
		cmocka_unit_test(user_only_has_no_kernel_samples),
		cmocka_unit_test(named_events_are_not_replaced),
		cmocka_unit_test(a_rate_above_the_kernels_is_clamped),
		cmocka_unit_test(text_poke_is_requested_if_supported),
		cmocka_unit_test(samples_name_their_cgroup),
		cmocka_unit_test(close_leaves_no_file_open),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
