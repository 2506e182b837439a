/* Events on all tasks, opened CPU by CPU: which give way if there are too few files for all, and where this thread may
 * run afterwards. */
#include "harness.h"
#include "source/live/cpus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static const char words[] = "cpu-clock,{page-faults,cs},minor-faults,cpu-clock/cpu=0,name=one/,emulation-faults,"
			    "task-clock/cpu=0,name=two/";

static void open_files_at_most(size_t n)
{
	struct rlimit lim = {.rlim_cur = n, .rlim_max = n};
	CHECK(setrlimit(RLIMIT_NOFILE, &lim) == 0);
}

static size_t files_of(const struct event_spec *spec)
{
	return *spec->cpus ? 1 : (size_t)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Those named last give way, and of these any that still fits is measured. */
static void check_events(const struct watch *w, const struct live_config *config, size_t left)
{
	for (size_t e = 0; e < config->events_n; e++) {
		const struct source_event *ev = &w->info->events[e];
		bool fits = files_of(&config->events[e]) <= left;
		left -= fits ? files_of(&config->events[e]) : 0;
		CHECK(ev->available == fits && !ev->why[0] == fits);
		CHECK(fits || (strstr(ev->why, "EMFILE") && strstr(ev->why, "RLIMIT_NOFILE")));
		for (unsigned cpu = 0; cpu < w->info->cpus_n; cpu++)
			CHECK(fits || !w->counters[e * w->info->cpus_n + cpu].opened);
	}
}

static void the_last_give_way(void)
{
	struct live_config config = {.freq = 999, .events_given = true};
	struct error err = {0};
	struct watch w;
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	CHECK(event_parse_list(words, NULL, config.events, &config.events_n, &err) == 0);
	CHECK(watch_open(&w, &config, &err) == 0);
	size_t all = open_files(), others = all;
	watch_close(&w);
	for (size_t e = 0; e < config.events_n; e++)
		others -= files_of(&config.events[e]);
	for (size_t limit = all; limit >= others - 1; limit--) {
		open_files_at_most(limit);
		bool opens = watch_open(&w, &config, &err) == 0;
		CHECK(opens == (limit >= others + files_of(&config.events[0])));
		CHECK(opens || strstr(err.text, limit < others ? "for the rings" : "event cpu-clock"));
		if (opens) {
			check_events(&w, &config, limit - others);
			watch_close(&w);
		}
	}
}

/* The line of /proc/self/status that says on which CPUs this process may run, those that are offline included. */
static void read_allowed(char *buf, size_t cap)
{
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(buf, (int)cap, f) && strncmp(buf, "Cpus_allowed:", 13) != 0)
		;
	CHECK(f && strncmp(buf, "Cpus_allowed:", 13) == 0);
	fclose(f);
}

static void may_run_where_it_might(void)
{
	struct cpu_bits all, one = {0};
	char before[4096], after[4096];
	struct live_config config = {.freq = 999};
	struct error err = {0};
	struct watch w;
	CHECK(cpus_allowed(&all) == 0);
	cpu_bits_add(&one, cpu_bits_end(&all) - 1);
	for (int few = 0; few < 2; few++) {
		CHECK(!few || cpus_allow(&one) == 0);
		read_allowed(before, sizeof(before));
		for (int i = 0; i < 20; i++) {
			CHECK(watch_open(&w, &config, &err) == 0);
			(void)w.src->ops->set_rate(w.src, 500 + (uint64_t)i);
			watch_close(&w);
			read_allowed(after, sizeof(after));
			CHECK(strcmp(before, after) == 0);
		}
	}
}

static void few_files(void **state)
{
	(void)state;
	assert_true(in_child(the_last_give_way, 0));
}

static void affinity(void **state)
{
	(void)state;
	assert_true(in_child(may_run_where_it_might, 0));
}

int main(void)
{
	struct live_config config = {.events_n = 1, .events_given = true};
	struct watch w;
	struct error err;
	event_clock(&config.events[0]);
	if (watch_open(&w, &config, &err) < 0 || w.info->scope != SCOPE_SYSTEM) {
		printf("skipped: the whole machine cannot be measured here\n");
		return 77;
	}
	watch_close(&w);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_files),
		cmocka_unit_test(affinity),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
