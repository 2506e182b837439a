/* Events that are opened and closed while measuring: a child touches pages, which it says how many. */
#include <cyctop/session.h>

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGES = 5000, MORE = 200, PAGE = 4096 };

struct toucher {
	pid_t pid;
	int go, done;
};

/* Touches that many new pages for each byte. */
static void touch(int go, int done)
{
	char byte;
	while (read(go, &byte, 1) == 1) {
		volatile char *p =
			mmap(NULL, PAGES * (size_t)PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise((void *)p, PAGES * (size_t)PAGE, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < PAGES; i++)
			p[i * PAGE] = 1;
		munmap((void *)p, PAGES * (size_t)PAGE);
		if (write(done, "d", 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static struct toucher toucher_start(void)
{
	int go[2], done[2];
	assert_true(pipe(go) == 0 && pipe(done) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(go[1]);
		touch(go[0], done[1]);
	}
	close(go[0]);
	close(done[1]);
	return (struct toucher){pid, go[1], done[0]};
}

static void touch_pages(const struct toucher *t)
{
	char byte;
	assert_true(write(t->go, "g", 1) == 1 && read(t->done, &byte, 1) == 1);
}

static struct event_total counted(struct session *s, int event)
{
	struct query q = {.window = WINDOW_INTERVAL};
	struct snapshot *snap = session_snapshot(s, &q);
	assert_true((size_t)event < snap->events_n);
	struct event_total ret = snap->events[event];
	snapshot_destroy(snap);
	return ret;
}

static void assert_pages(struct session *s, int event, bool only_target)
{
	struct event_total t = counted(s, event);
	assert_int_equal(t.state, COUNT_OK);
	double least = t.estimated ? PAGES * 0.5 : PAGES, most = t.estimated ? PAGES * 1.5 : PAGES + MORE;
	if (t.count < least || (only_target && t.count > most))
		fail_msg("%.0f page faults instead of %d", t.count, PAGES);
}

static void changes(enum target_kind kind)
{
	struct toucher t = toucher_start();
	struct live_config config = {.events_n = 1, .events_given = true};
	struct event_spec faults, none;
	struct source *source;
	struct session *s = NULL;
	struct error err;
	event_clock(&config.events[0]);
	assert_int_equal(event_parse("page-faults", NULL, &faults, &err), 0);
	faults.rate = 1;
	config.target.kind = kind;
	config.target.ids[0] = (uint32_t)t.pid;
	config.target.ids_n = kind != TARGET_ALL;
	if (live_open(&config, &source, &err) < 0 || session_open_live(source, &config, &s, &err) < 0)
		fail_msg("%s", err.text);
	session_remember(s, 1 << 20);
	touch_pages(&t);
	session_tick(s);
	int event = session_open_event(s, &faults, &err);
	if (event != 1)
		fail_msg("%s", err.text);
	assert_int_equal(session_info(s)->events_n, 2);
	assert_int_equal(counted(s, event).state, COUNT_NEVER);
	touch_pages(&t);
	session_tick(s);
	assert_pages(s, event, kind != TARGET_ALL);
	/* in both intervals the event had a counter for a part of the time */
	struct query q = {.window = WINDOW_TOTAL};
	struct snapshot *snap = session_snapshot(s, &q);
	assert_true(snap->events[1].running < 1 && snap->events[0].running > 0.99);
	assert_true(snap->events[1].count > PAGES);
	snapshot_destroy(snap);

	session_close_event(s, 1);
	assert_true(session_info(s)->events[1].closed && !session_info(s)->events[1].available);
	touch_pages(&t);
	session_tick(s);
	assert_int_equal(counted(s, event).state, COUNT_NEVER);
	assert_int_equal(session_open_event(s, &faults, &err), event); /* in its place */
	touch_pages(&t);
	session_tick(s);
	assert_pages(s, event, kind != TARGET_ALL);

	uint64_t hz = session_set_rate(s, 2003);
	assert_true(hz && hz == session_info(s)->rate_hz);
	session_tick(s); /* with samples of both rates */
	for (int i = 0; i < 20; i++)
		touch_pages(&t);
	session_tick(s);
	struct event_total clock = counted(s, 0);
	assert_true(clock.samples > 10);
	if (fabs(clock.weight / (double)clock.samples * (double)hz / 1e9 - 1) > 0.001)
		fail_msg("%.0f ns a sample at %u Hz", clock.weight / (double)clock.samples, (unsigned)hz);

	/* with call chains and without, each time from the next interval on; nothing that was counted is lost */
	for (int i = 0; i < 10; i++) {
		if (session_set_chains(s, i % 2 == 0, &err) < 0)
			fail_msg("%s", err.text);
		if (i % 4 == 0) /* by copies of stacks, then by frame pointers, of which the next turns know */
			session_set_stacks(s, i % 8 ? 0 : EVENT_STACK_DEFAULT);
		assert_int_equal(session_info(s)->chains, i % 2 == 0);
		session_tick(s);
		touch_pages(&t);
		session_tick(s);
		assert_pages(s, event, kind != TARGET_ALL);
		snap = session_snapshot(s, &(struct query){.window = WINDOW_INTERVAL});
		assert_true(snap->trust.malformed == 0 && snap->events[event].samples > PAGES / 10);
		assert_int_equal(snap->trust.chained, i % 2 == 0);
		snapshot_destroy(snap);
	}

	none = faults;
	strcpy(none.name, "nothing");
	none.type = 0x7fffffff;
	assert_true(session_open_event(s, &none, &err) < 0);
	assert_non_null(strstr(err.text, "nothing"));
	assert_int_equal(session_info(s)->events_n, 2);
	session_close_event(s, 0); /* the first stays */
	assert_true(session_info(s)->events[0].available);
	strcpy(faults.name, "again"); /* whose samples would be those of the event that is there */
	assert_int_equal(session_open_event(s, &faults, &err), -EBUSY);
	assert_non_null(strstr(err.text, "sampled as page-faults already"));
	for (int i = 2; i < EVENTS_MAX; i++) {
		struct event_spec more;
		event_clock(&more);
		snprintf(more.name, sizeof(more.name), "clock-%d", i);
		assert_int_equal(session_open_event(s, &more, &err), i);
	}
	strcpy(none.name, "one-more");
	assert_int_equal(session_open_event(s, &none, &err), -E2BIG);
	touch_pages(&t);
	session_tick(s);
	assert_pages(s, event, kind != TARGET_ALL);
	assert_int_equal(counted(s, EVENTS_MAX - 1).state, COUNT_OK);
	session_destroy(s);
	close(t.go);
	close(t.done);
	waitpid(t.pid, NULL, 0);
}

/* Rows have what was counted, but for what was after the last sample of a CPU or task, and nothing else. */
static void assert_attributed(struct session *s, size_t event, double least)
{
	struct snapshot *snap = session_snapshot(s, &(struct query){.window = WINDOW_TOTAL});
	const struct event_total *t = &snap->events[event];
	assert_int_equal(snap->trust.malformed, 0);
	if (t->weight > 1.05 * t->count + MORE || t->weight < least * t->count)
		fail_msg("event %zu: %.0f in samples of %.0f counted", event, t->weight, t->count);
	snapshot_destroy(snap);
}

/* {cpu-clock,page-faults,cs}:S, of which members end and begin, with other rates, and with call chains. */
static void leads(enum target_kind kind)
{
	struct toucher t = toucher_start();
	struct live_config config = {.events_given = true};
	const double least = 0.6;
	const double least_of_clock = kind == TARGET_ALL ? 0.01 : least; /* CPUs that idle count, and have no samples */
	struct event_spec again;
	struct source *source;
	struct session *s = NULL;
	struct error err;
	assert_int_equal(event_parse_list("{cpu-clock,page-faults,cs}:S", NULL, config.events, &config.events_n, &err),
			 0);
	again = config.events[1];
	config.target.kind = kind;
	config.target.ids[0] = (uint32_t)t.pid;
	config.target.ids_n = kind != TARGET_ALL;
	if (live_open(&config, &source, &err) < 0 || session_open_live(source, &config, &s, &err) < 0)
		fail_msg("%s", err.text);
	assert_non_null(strstr(session_info(s)->notice, ":S"));
	for (int round = 0; round < 8; round++) {
		if (round == 1)
			session_close_event(s, 2); /* there are two left */
		if (round == 2)
			session_close_event(s, 1); /* the leader is alone */
		if (round == 3)
			assert_int_equal(session_open_event(s, &again, &err), 1);
		if (round == 4)
			assert_true(session_set_rate(s, 5003) > 0);
		if (round == 5 || round == 6)
			assert_int_equal(session_set_chains(s, round == 5, &err), 0);
		if (round == 5)
			session_set_stacks(s, EVENT_STACK_DEFAULT);
		for (int i = 0; i < 20; i++)
			touch_pages(&t);
		session_tick(s);
		assert_int_equal(session_info(s)->events[1].leader_sampled, round != 2);
		assert_attributed(s, 0, least_of_clock);
		assert_attributed(s, 1, least);
	}
	struct snapshot *snap = session_snapshot(s, &(struct query){.window = WINDOW_TOTAL});
	/* both numbers are raised to the time in which the event was closed */
	double pages = 7.0 * 20 * PAGES, taken = snap->events[1].weight * snap->events[1].running;
	if (taken < least * pages || (kind != TARGET_ALL && taken > 1.05 * pages))
		fail_msg("%.0f page faults of %.0f are in samples", taken, pages);
	snapshot_destroy(snap);
	session_destroy(s);
	close(t.go);
	close(t.done);
	waitpid(t.pid, NULL, 0);
}

static void leaders_on_all_cpus(void **state)
{
	(void)state;
	leads(TARGET_ALL);
}

static void leaders_of_a_process(void **state)
{
	(void)state;
	leads(TARGET_PROCESSES);
}

static void leaders_of_a_thread(void **state)
{
	(void)state;
	leads(TARGET_THREADS);
}

static void on_all_cpus(void **state)
{
	(void)state;
	changes(TARGET_ALL);
}

static void of_a_process(void **state)
{
	(void)state;
	changes(TARGET_PROCESSES);
}

static void of_a_thread(void **state)
{
	(void)state;
	changes(TARGET_THREADS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_all_cpus),		cmocka_unit_test(of_a_process),
		cmocka_unit_test(of_a_thread),		cmocka_unit_test(leaders_on_all_cpus),
		cmocka_unit_test(leaders_of_a_process), cmocka_unit_test(leaders_of_a_thread),
	};
	struct live_config config = {.events_n = 1, .events_given = true};
	struct source *source;
	struct error err;
	event_clock(&config.events[0]);
	if (live_open(&config, &source, &err) < 0 || source->ops->info(source)->scope == SCOPE_PROC) {
		printf("skipped: %s\n", err.text);
		return 77;
	}
	source->ops->close(source);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
