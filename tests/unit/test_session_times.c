/* CPU times from a script to the rows: which tasks the session asks about, and what it makes of the answers. */
#include "../lib/usual_pivots.h"
#include "session/times.h"

#include <cyctop/session.h>

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CODE                                                                                                           \
	"dso app /usr/bin/app\nsym app:hot 0x1000 0x100\n"                                                             \
	"dso k [kernel]\nsym k:net_rx_action 0xffffffff81000000 0x100\nsym k:poll_idle 0xffffffff81000100 0x100\n"     \
	"task 10 app maps=app\ntask 20 other maps=app\ntask 10:11 worker\n"

struct run {
	struct session *s;
	struct snapshot *snap;
};

static void look(struct run *r, enum window window)
{
	struct query q = {.window = window, .pivots = usual_pivots, .pivots_n = USUAL_PIVOTS};
	snapshot_destroy(r->snap);
	r->snap = session_snapshot(r->s, &q);
}

static struct run run(const char *script, int ticks)
{
	struct run r = {0};
	struct error err;
	if (session_open_synth(script, strlen(script), "test", false, &r.s, &err) < 0)
		fail_msg("%s", err.text);
	for (int i = 0; i < ticks; i++)
		session_tick(r.s);
	look(&r, WINDOW_TOTAL);
	return r;
}

static void end(struct run *r)
{
	snapshot_destroy(r->snap);
	session_destroy(r->s);
}

/* pid 0: interrupts on idle CPUs. */
static const struct row *task(const struct run *r, int32_t pid)
{
	const struct catalog *cat = session_catalog(r->s);
	for (size_t i = 0; i < r->snap->pivots[BY_PID].n; i++) {
		const struct row *row = &r->snap->pivots[BY_PID].rows[i];
		if (!row->idle && cat->tasks[row->task].pid == pid)
			return row;
	}
	return NULL;
}

static void assert_time(const struct run *r, int32_t pid, double ms, bool estimated)
{
	const struct row *row = task(r, pid);
	if (!row || !row->cpu_valid || fabs(row->cpu_ns - ms * 1e6) > ms * 1e3)
		fail_msg("%.3f ms, not %.3f", row ? row->cpu_ns / 1e6 : -1, ms);
	assert_true(row->cpu_estimated == estimated);
}

/* Time 90 to 10, misses 1 to 99; the first event does not matter. */
static void the_first_event_does_not_matter(void **state)
{
	(void)state;
	struct run r = run("event cache-misses period=1000\nevent cycles period=1000000\n" CODE
			   "tick\nsample cpu=0 task=10 event=cycles sym=app:hot n=900\n"
			   "sample cpu=0 task=20 event=cycles sym=app:hot n=100\n"
			   "sample cpu=0 task=10 event=cache-misses sym=app:hot n=1\n"
			   "sample cpu=0 task=20 event=cache-misses sym=app:hot n=99\nbusy cpu=0 100%\n",
			   1);
	assert_time(&r, 10, 900, true);
	assert_time(&r, 20, 100, true);
	end(&r);
}

static void living_tasks_have_the_schedulers_time(void **state)
{
	(void)state;
	/* the samples say 400 and 600; task 20 ends in the second interval */
	struct run r = run("event cpu-clock period=1000000\n" CODE
			   "tick\nsample cpu=0 task=10 event=cpu-clock sym=app:hot n=400\nran 10 350ms\n"
			   "sample cpu=0 task=20 event=cpu-clock sym=app:hot n=600\nran 20 650ms\nbusy cpu=0 100%\n"
			   "tick\nran 10 5ms\n" /* without samples */
			   "sample cpu=0 task=20 event=cpu-clock sym=app:hot n=100\nran 20 120ms\nexit 20\n",
			   1);
	assert_time(&r, 10, 350, false);
	assert_time(&r, 20, 650, false);
	session_tick(r.s);
	look(&r, WINDOW_INTERVAL);
	assert_time(&r, 10, 5, false);
	assert_time(&r, 20, 100, true);
	look(&r, WINDOW_TOTAL);
	assert_time(&r, 10, 355, false);
	assert_time(&r, 20, 750, true);
	end(&r);
}

/* A sample waits for the next one of its CPU; the last one of an interval counts, too. */
static void one_sample_is_enough(void **state)
{
	(void)state;
	struct run r = run("periods elapsed\nevent cpu-clock period=1000000\n" CODE
			   "tick\nsample cpu=0 task=10 event=cpu-clock sym=app:hot n=400 at=0\nran 10 350ms\n"
			   "sample cpu=0 task=20 event=cpu-clock sym=app:hot at=99%\nran 20 650ms\nbusy cpu=0 100%\n",
			   1);
	assert_time(&r, 10, 350, false);
	assert_time(&r, 20, 650, false);
	end(&r);
}

static void an_estimate_has_the_error_of_its_samples(void **state)
{
	(void)state;
	struct run r = run("event cpu-clock period=1000000\n" CODE
			   "tick\nsample cpu=0 task=10 event=cpu-clock sym=app:hot n=399\nran 10 399ms\n"
			   "sample cpu=0 task=20 event=cpu-clock sym=app:hot\nexit 20\nbusy cpu=0 40%\n",
			   1);
	const struct row *ended = task(&r, 20), *lives = task(&r, 10);
	assert_time(&r, 20, 1, true);
	assert_true(fabs(ended->cpu_error_ns - 1e6) < 1e4); /* of one sample */
	assert_time(&r, 10, 399, false);
	assert_true(lives->cpu_error_ns == 0);
	end(&r);
}

/* A process that begins has its whole time; one of the same number that comes later begins at 0, too. */
static void new_processes_begin_at_nothing(void **state)
{
	(void)state;
	struct run r =
		run("event cpu-clock period=1000000\n" CODE "tick\nfork 10 child=30\n"
		    "sample cpu=0 task=30 event=cpu-clock sym=app:hot n=10\nran 30 20ms\n"
		    "tick\nexit 30 at=0\n"
		    "tick\nfork 10 child=30\nsample cpu=0 task=30 event=cpu-clock sym=app:hot n=10\nran 30 7ms\n",
		    1);
	assert_time(&r, 30, 20, false);
	session_tick(r.s);
	session_tick(r.s);
	look(&r, WINDOW_INTERVAL);
	assert_time(&r, 30, 7, false);
	end(&r);
}

static void threads_share_the_time_of_their_process(void **state)
{
	(void)state;
	struct run r = run("event cpu-clock period=1000000\n" CODE
			   "tick 3\nsample cpu=0 task=10 event=cpu-clock sym=app:hot n=100\nran 10 150ms\n"
			   "sample cpu=0 task=10:11 event=cpu-clock sym=app:hot n=100\nran 10:11 50ms\n",
			   3);
	assert_time(&r, 10, 600, false);
	static const struct pivot_query threads = {.dims = {DIM_TID}, .dims_n = 1};
	struct query q = {.window = WINDOW_INTERVAL, .pivots = &threads, .pivots_n = 1};
	struct snapshot *s = session_snapshot(r.s, &q);
	const struct catalog *cat = session_catalog(r.s);
	assert_int_equal(s->pivots[0].n, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct row *row = &s->pivots[0].rows[i];
		double ms = cat->tasks[row->task].tid == 11 ? 50 : 150;
		assert_true(fabs(row->cpu_ns - ms * 1e6) < 1e4 && !row->cpu_estimated);
	}
	snapshot_destroy(s);
	end(&r);
}

/* 59 % softirq on an idle CPU, and a daemon of 1 %; the idle loop polls for the rest. */
static void interrupts_are_not_the_daemons(void **state)
{
	(void)state;
	struct run r = run("event cycles period=1000000\n" CODE
			   "tick 5\nsample cpu=0 task=0 event=cycles sym=k:net_rx_action n=590\n"
			   "sample cpu=0 task=0 event=cycles sym=k:poll_idle n=400\n"
			   "sample cpu=0 task=10 event=cycles sym=app:hot n=10\nbusy cpu=0 60%\n",
			   5);
	assert_time(&r, 10, 50, true);
	assert_time(&r, 0, 2950, true);
	assert_true(fabs(task(&r, 10)->share - 1 / 60.0) < 1e-9 && task(&r, 0)->interrupts);
	assert_true(fabs(task(&r, 0)->cpu_ns + task(&r, 10)->cpu_ns - r.snap->busy_ns) < 1e6);
	assert_true(fabs(snapshot_ghz(r.snap, 0).value - 1) < 1e-9); /* not 1.67 */
	end(&r);
}

/* A source with `n` processes that counts what it is asked. */
struct asked {
	struct source base;
	uint32_t n;
	unsigned times[4096]; /* [pid - 1] */
	size_t all;
};

static const struct source_info *asked_info(struct source *src)
{
	static const struct source_info info = {.cpus_n = 1};
	(void)src;
	return &info;
}

static void asked_processes(struct source *src, void (*add)(void *ctx, uint32_t pid), void *ctx)
{
	for (uint32_t pid = 1; pid <= ((struct asked *)src)->n; pid++)
		add(ctx, pid);
}

static void asked_task_times(struct source *src, struct task_time *tasks, size_t n)
{
	struct asked *a = (struct asked *)src;
	for (size_t i = 0; i < n; i++) {
		a->times[tasks[i].pid - 1]++;
		tasks[i].known = true;
	}
	a->all += n;
}

/* All are read at first, then in each of `ticks` ticks at most `most`, and by the end all of them. */
static void assert_turns(uint32_t n, unsigned ticks, size_t most)
{
	static const struct source_ops ops = {
		.info = asked_info, .processes = asked_processes, .task_times = asked_task_times};
	struct asked a = {.base = {.ops = &ops}, .n = n};
	struct times t;
	times_init(&t, &a.base, 1);
	assert_true(a.all == n);
	memset(a.times, 0, sizeof(a.times));
	for (unsigned tick = 0; tick < ticks; tick++) {
		a.all = 0;
		times_restart(&t, tick + 2);
		assert_true(a.all <= most);
	}
	for (uint32_t i = 0; i < n; i++)
		assert_true(a.times[i] > 0);
	times_deinit(&t);
}

/* Most processes of a machine sleep: each reading of one is a system call. */
static void processes_without_samples_take_turns(void **state)
{
	(void)state;
	assert_turns(1, 4, 1);
	assert_turns(66, 4, 17);
	assert_turns(1000, 4, 251);
	assert_turns(4096, 16, 256);
}

static int count_look(void *ctx, int32_t pid, int32_t tid, struct proc_identity *ret)
{
	(void)pid, (void)tid, (void)ret;
	++*(int *)ctx;
	return -ESRCH;
}

/* Between the opening of a source and the beginning of its session, which is long on a busy machine, the rings fill.
 * The first interval has no more samples than its time and its counts are of. */
static void samples_from_before_the_session_do_not_count(void **state)
{
	(void)state;
	const char script[] =
		"event cpu-clock period=1000000\n" CODE
		"tick\nsample cpu=0 task=10 event=cpu-clock sym=app:hot n=800\nran 10 800ms\nbusy cpu=0 80%\n"
		"tick\nsample cpu=0 task=10 event=cpu-clock sym=app:hot n=400\nran 10 400ms\nbusy cpu=0 40%\n";
	struct session_config config = {.keep_ns = UINT64_MAX, .keep_bytes = 1 << 20, .names.proc = proc_none};
	struct run r = {0};
	struct error err;
	int looks = 0;
	config.names.proc.identity = count_look;
	config.names.proc.ctx = &looks;
	assert_int_equal(synth_open(script, strlen(script), "test", false, &config.source, &err), 0);
	config.source->ops->advance(config.source);
	assert_int_equal(session_create(&config, &r.s, &err), 0);
	assert_int_equal(looks, 0); /* what /proc has is looked at only once a session may remember it */
	session_tick(r.s);
	look(&r, WINDOW_TOTAL);
	assert_int_equal(r.snap->trust.samples, 400);
	assert_time(&r, 10, 400, false);
	assert_true(r.snap->trust.explained_valid && fabs(r.snap->trust.explained - 1) < 0.01);
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_event_does_not_matter),
		cmocka_unit_test(living_tasks_have_the_schedulers_time),
		cmocka_unit_test(one_sample_is_enough),
		cmocka_unit_test(an_estimate_has_the_error_of_its_samples),
		cmocka_unit_test(new_processes_begin_at_nothing),
		cmocka_unit_test(threads_share_the_time_of_their_process),
		cmocka_unit_test(interrupts_are_not_the_daemons),
		cmocka_unit_test(processes_without_samples_take_turns),
		cmocka_unit_test(samples_from_before_the_session_do_not_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
