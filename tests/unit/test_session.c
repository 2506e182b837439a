/* Scripts pass through rings, merging, decoding, naming and summing; the results are compared
 * with sums computed by hand. */
#include "base/limits.h"
#include "base/strbuf.h"
#include "session/flight.h"
#include "session/leader.h"

#include "../lib/usual_pivots.h"

#include <cyctop/perfdata.h>
#include <cyctop/session.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct session *open_script(const char *script)
{
	struct session *s = NULL;
	struct error err;
	if (session_open_synth(script, strlen(script), "test", false, &s, &err) < 0)
		fail_msg("%s", err.text);
	return s;
}

static struct snapshot *look(struct session *s, enum window window)
{
	struct query q = {
		.window = window, .sliding_ns = 5000000000ull, .pivots = usual_pivots, .pivots_n = USUAL_PIVOTS};
	return session_snapshot(s, &q);
}

static const struct row *symbol(struct session *s, const struct snapshot *snap, const char *name)
{
	const struct catalog *cat = session_catalog(s);
	for (size_t i = 0; i < snap->pivots[BY_SYMBOL].n; i++) {
		const struct row *row = &snap->pivots[BY_SYMBOL].rows[i];
		if (!row->idle && strcmp(cat->syms[row->sym].name, name) == 0)
			return row;
	}
	fail_msg("no row for %s", name);
	return NULL;
}

static const struct row *task(struct session *s, const struct snapshot *snap, const char *comm)
{
	const struct catalog *cat = session_catalog(s);
	for (size_t i = 0; i < snap->pivots[BY_PID].n; i++)
		if (strcmp(cat->tasks[snap->pivots[BY_PID].rows[i].task].comm, comm) == 0)
			return &snap->pivots[BY_PID].rows[i];
	fail_msg("no row for %s", comm);
	return NULL;
}

static struct ratio metric(const struct snapshot *snap, const struct row *row, const char *id)
{
	for (size_t i = 0; i < metrics_builtin.n; i++)
		if (strcmp(metrics_builtin.v[i].id, id) == 0)
			return row_metric(snap, row, &metrics_builtin.v[i]);
	fail_msg("no metric %s", id);
	return (struct ratio){0};
}

#define WORLD                                                                                                          \
	"cpus 2\ninterval 1s\n"                                                                                        \
	"event cycles period=1000\n"                                                                                   \
	"event instructions period=2000 mux=50%\n"                                                                     \
	"event cache-references period=100 mux=25%\n"                                                                  \
	"event cache-misses period=10 mux=0%\n"                                                                        \
	"dso app /usr/bin/app\ndso kernel [kernel]\n"                                                                  \
	"sym app:hot 0x1000 0x100\nsym app:cold 0x1100 0x100\n"                                                        \
	"sym kernel:entry 0xffffffff81000000 0x100\n"                                                                  \
	"task 10 app maps=app\n"

static void weights_follow_each_events_own_times(void **state)
{
	(void)state;
	struct session *s = open_script(WORLD "tick\n"
					      "sample cpu=0 task=10 event=cycles sym=app:hot n=30\n"
					      "sample cpu=1 task=10 event=cycles sym=app:cold n=10\n"
					      "sample cpu=0 task=10 event=instructions sym=app:hot n=9\n"
					      "sample cpu=0 task=10 event=cache-references sym=app:hot n=4\n"
					      "sample cpu=0 task=10 event=cycles sym=kernel:entry n=2\n");
	session_tick(s);
	struct snapshot *snap = look(s, WINDOW_INTERVAL);
	const struct row *hot = symbol(s, snap, "hot");
	assert_int_equal(hot->sums[0].samples, 30);
	assert_true(hot->sums[0].weight == 30000);
	assert_true(hot->sums[1].weight == 9 * 2000 * 2.0);
	assert_true(hot->sums[2].weight == 4 * 100 * 4.0);
	assert_true(hot->sums[2].var == 4 * 400.0 * 400.0);
	struct ratio ipc = metric(snap, hot, "ipc");
	assert_true(ipc.valid && ipc.value == 36000 / 30000.0);
	/* 30 of 42 samples of cycles; all of instructions, half of the time */
	assert_true(fabs(ipc.error - ipc.value * sqrt(12 / 42.0 / 30 + 0.5 / 9)) < 1e-12);
	assert_true(fabs(hot->share_error - sqrt(30 * 12 / 42.0) / 42) < 1e-12);
	assert_int_equal(snap->events[3].state, COUNT_NEVER);
	assert_false(metric(snap, hot, "cache-miss-ratio").valid);
	assert_false(metric(snap, hot, "mpki").valid);
	assert_true(hot->share == 30 / 42.0);
	assert_true(symbol(s, snap, "entry")->kernel);
	assert_true(snap->trust.explained_valid && fabs(snap->trust.explained - 1) < 1e-9);
	assert_int_equal(snap->trust.malformed, 0);
	snapshot_destroy(snap);
	session_destroy(s);
}

static double weight_in(const struct snapshot *snap, const struct model_names *names, size_t pivot, const char *path)
{
	for (size_t i = 0; i < snap->pivots[pivot].n; i++) {
		const struct row *row = &snap->pivots[pivot].rows[i];
		struct key_value v = dimension_value(names, DIM_CGROUP, row->ctx);
		if (path ? v.kind == KEY_TEXT && strcmp(v.text, path) == 0 : v.kind == KEY_UNKNOWN)
			return row->sums[0].weight;
	}
	return 0;
}

/* One function of one task in two cgroups: by cgroup it has two rows, by symbol one. */
static void facts_know_their_cgroup(void **state)
{
	(void)state;
	struct session *s = open_script(WORLD "cgroup 7 /web\ntick\n"
					      "sample cpu=0 task=10 event=cycles sym=app:hot cgroup=7 n=30\n"
					      "sample cpu=1 task=10 event=cycles sym=app:hot cgroup=8 n=10\n"
					      "sample cpu=1 task=10 event=cycles sym=app:cold n=2\n"
					      "tick\nsample cpu=0 task=10 event=cycles sym=app:cold cgroup=8\n"
					      "cgroup 8 /db\n");
	const struct pivot_query pivots[] = {
		{.dims = {DIM_CGROUP}, .dims_n = 1, .by_name = true},
		{.dims = {DIM_SYMBOL}, .dims_n = 1},
		{.dims = {DIM_CGROUP, DIM_SYMBOL}, .dims_n = 2, .by_name = true},
	};
	struct query q = {.window = WINDOW_TOTAL, .pivots = pivots, .pivots_n = ARRAY_LEN(pivots)};
	session_tick(s);
	struct snapshot *snap = session_snapshot(s, &q);
	struct model_names names = {.cat = session_catalog(s)};
	assert_int_equal(snap->pivots[0].n, 3);
	assert_true(weight_in(snap, &names, 0, "/web") == 30000);
	assert_true(weight_in(snap, &names, 0, "[cgroup 8]") == 10000);
	assert_true(weight_in(snap, &names, 0, NULL) == 2000);
	assert_int_equal(snap->pivots[1].n, 2);
	assert_true(snap->pivots[1].rows[0].sums[0].weight + snap->pivots[1].rows[1].sums[0].weight == 42000);
	assert_int_equal(snap->pivots[2].n, 3);
	snapshot_destroy(snap);
	session_tick(s); /* a CGROUP record names a cgroup that already has samples */
	snap = session_snapshot(s, &q);
	names.cat = session_catalog(s);
	assert_true(weight_in(snap, &names, 0, "/db") == 11000);
	assert_int_equal(snap->pivots[2].n, 4);
	snapshot_destroy(snap);
	session_destroy(s);
}

/* Weights of the samples of a function by address, "addr=weight ", of both events. */
static void addresses_are(struct session *s, uint32_t sym, const char *cycles, const char *instructions)
{
	struct model_names names = {.cat = session_catalog(s)};
	const struct pivot_query pivot = {.dims = {DIM_ADDRESS},
					  .dims_n = 1,
					  .filters = {{DIM_SYMBOL, dimension_key(&names, DIM_SYMBOL, sym)}},
					  .filters_n = 1};
	const struct query q = {.window = WINDOW_TOTAL, .pivots = &pivot, .pivots_n = 1};
	struct snapshot *snap = session_snapshot(s, &q);
	char text[2][200] = {"", ""};
	for (size_t i = 0; i < snap->pivots[0].n; i++)
		for (size_t e = 0; e < 2; e++) {
			const struct row *row = &snap->pivots[0].rows[i];
			size_t n = strlen(text[e]);
			if (row->sums[e].samples)
				snprintf(text[e] + n, sizeof(text[e]) - n, "%llx=%llu ",
					 (unsigned long long)catalog_ctx_addr(names.cat, row->ctx),
					 (unsigned long long)row->sums[e].samples);
		}
	assert_string_equal(text[0], cycles);
	assert_string_equal(text[1], instructions);
	snapshot_destroy(snap);
}

/* A function's samples have addresses from the moment on that they are asked for, and no other's. */
static void samples_are_told_apart_by_address(void **state)
{
	(void)state;
	struct session *s = open_script(WORLD "tick\n"
					      "sample cpu=0 task=10 event=cycles sym=app:hot off=4 n=30\n"
					      "tick\n"
					      "sample cpu=0 task=10 event=cycles sym=app:hot off=4 n=20\n"
					      "sample cpu=1 task=10 event=cycles sym=app:hot off=8 n=10\n"
					      "sample cpu=1 task=10 event=instructions sym=app:hot off=8 n=5\n"
					      "sample cpu=1 task=10 event=cycles sym=app:cold off=8 n=2\n"
					      "tick\nsample cpu=0 task=10 event=cycles sym=app:hot off=8 n=1\n");
	session_tick(s);
	struct snapshot *snap = look(s, WINDOW_TOTAL);
	uint32_t hot = symbol(s, snap, "hot")->sym;
	snapshot_destroy(snap);
	addresses_are(s, hot, "0=30 ", "");
	session_annotate(s, hot);
	session_tick(s);
	snap = look(s, WINDOW_TOTAL);
	addresses_are(s, hot, "0=30 1004=20 1008=10 ", "1008=5 ");
	addresses_are(s, symbol(s, snap, "cold")->sym, "0=2 ", "");
	assert_int_equal(symbol(s, snap, "hot")->sums[0].samples, 60);
	snapshot_destroy(snap);
	session_annotate(s, CATALOG_NONE);
	session_tick(s);
	addresses_are(s, hot, "0=31 1004=20 1008=10 ", "1008=5 ");
	session_destroy(s);
}

static double number_in(const struct snapshot *snap, const struct model_names *names, uint64_t n, double *latency_ret)
{
	for (size_t i = 0; i < snap->pivots[0].n; i++) {
		const struct row *row = &snap->pivots[0].rows[i];
		struct key_value v = dimension_value(names, DIM_PARALLELISM, row->ctx);
		*latency_ret = row->latency_share.value;
		if (n ? v.kind == KEY_NUMBER && v.number == n : v.kind == KEY_UNKNOWN)
			return row->sums[0].weight;
	}
	return 0;
}

/* A task alone for half of the time, then two at once, with idle time on the second CPU before. */
static void latency_is_the_share_of_wall_clock_time(void **state)
{
	(void)state;
	struct session *s = open_script(WORLD "task 20 other maps=app\ntick\n"
					      "switch 10\nswitch 0 cpu=1\n"
					      "sample cpu=0 task=10 event=cycles sym=app:hot n=50 at=10%\n"
					      "sample cpu=1 task=0 event=cycles ip=0 n=50 at=10%\n"
					      "switch 20 cpu=1 at=50%\n"
					      "sample cpu=0 task=10 event=cycles sym=app:cold n=50 at=60%\n"
					      "sample cpu=1 task=20 event=cycles sym=app:hot n=50 at=60%\n"
					      "tick\nswitch 10 out at=10%\n"
					      "sample cpu=1 task=20 event=cycles sym=app:cold n=10 at=50%\n");
	const struct pivot_query pivots[] = {
		{.dims = {DIM_PARALLELISM}, .dims_n = 1, .by_name = true},
		{.dims = {DIM_SYMBOL}, .dims_n = 1},
	};
	struct query q = {.window = WINDOW_TOTAL, .pivots = pivots, .pivots_n = ARRAY_LEN(pivots)};
	session_tick(s);
	struct snapshot *snap = session_snapshot(s, &q);
	struct model_names names = {.cat = session_catalog(s)};
	double latency = -1;
	assert_true(number_in(snap, &names, 1, &latency) == 50000 && latency == 0.5);
	assert_true(number_in(snap, &names, 2, &latency) == 100000 && latency == 0.5);
	assert_true(number_in(snap, &names, 0, &latency) == 50000 && latency == 0); /* idle */
	assert_true(snap->latency.weight == 100000); /* 50 periods alone, 2 * 50 at once */
	const struct row *hot = &snap->pivots[1].rows[0];
	hot += strcmp(names.cat->syms[hot->sym].name, "hot") != 0;
	/* hot: 50 whole samples and 50 halves of 100 in all; squares: 50 + 50 / 4 of 75 */
	assert_true(hot->latency_share.valid && hot->latency_share.value == 0.75);
	double var = 0.25 * 0.25 * 62.5 + 0.75 * 0.75 * 12.5;
	assert_true(fabs(hot->latency_share.error - sqrt(var) / 100) < 1e-9);
	snapshot_destroy(snap);
	session_tick(s);
	snap = session_snapshot(s, &q);
	names.cat = session_catalog(s);
	assert_true(number_in(snap, &names, 1, &latency) == 60000 && fabs(latency - 60 / 110.0) < 1e-12);
	snapshot_destroy(snap);
	session_destroy(s);
}

static void sideband_is_applied_in_time(void **state)
{
	(void)state;
	/* A pid runs app, then calls exec() and is another program on another CPU.  Both CPUs
	 * have samples of both programs, and each sample must see the mappings of its time. */
	struct session *s = open_script(WORLD "dso other /usr/bin/other\nsym other:later 0x1000 0x100\n"
					      "tick\n"
					      "sample cpu=0 task=10 event=cycles sym=app:hot n=5 at=10%\n"
					      "exec 10 other maps=other at=50% cpu=1\n"
					      "sample cpu=0 task=10 event=cycles sym=other:later n=7 at=60%\n"
					      "sample cpu=1 task=10 event=cycles sym=other:later n=1 at=90%\n"
					      "tick\n"
					      "fork 10 child=11 at=1ms cpu=1\n"
					      "sample cpu=0 task=11 event=cycles sym=other:later n=3 at=2ms\n"
					      "exit 11 at=3ms cpu=0\n");
	session_tick(s);
	struct snapshot *snap = look(s, WINDOW_INTERVAL);
	assert_int_equal(symbol(s, snap, "hot")->sums[0].samples, 5);
	assert_int_equal(symbol(s, snap, "later")->sums[0].samples, 8);
	assert_int_equal(snap->pivots[BY_PID].n, 1);
	assert_int_equal(task(s, snap, "other")->sums[0].samples, 13);
	snapshot_destroy(snap);
	session_tick(s);
	snap = look(s, WINDOW_INTERVAL);
	const struct row *child = task(s, snap, "other");
	const struct task_info *info = &session_catalog(s)->tasks[child->task];
	assert_int_equal(info->pid, 11);
	assert_true(info->exit_ns != 0);
	assert_int_equal(symbol(s, snap, "later")->sums[0].samples, 3);
	snapshot_destroy(snap);
	assert_true(session_finished(s));
	session_destroy(s);
}

static void losses_are_counted_not_hidden(void **state)
{
	(void)state;
	struct session *s = open_script(WORLD "tick\n"
					      "sample cpu=0 task=10 event=cycles sym=app:hot n=30\n"
					      "lost cpu=0 event=cycles n=10\n"
					      "throttle cpu=0 event=cycles\n"
					      "tick\n"
					      "sample cpu=0 task=10 event=cycles sym=app:hot n=1\n"
					      "raw cpu=1 09000000000010000102030405060708\n");
	session_tick(s);
	struct snapshot *snap = look(s, WINDOW_INTERVAL);
	assert_int_equal(snap->trust.lost, 10);
	assert_true(snap->trust.lost_share == 0.25);
	assert_int_equal(snap->trust.throttles, 1);
	snapshot_destroy(snap);
	session_tick(s);
	snap = look(s, WINDOW_INTERVAL);
	assert_int_equal(snap->trust.malformed, 1);
	assert_int_equal(snap->trust.lost, 0);
	assert_int_equal(symbol(s, snap, "hot")->sums[0].samples, 1);
	snapshot_destroy(snap);
	snap = look(s, WINDOW_TOTAL);
	assert_int_equal(symbol(s, snap, "hot")->sums[0].samples, 31);
	snapshot_destroy(snap);
	session_destroy(s);
}

/* Records of tasks that were lost are no samples: they are told by a limit. */
static void lost_records_of_tasks_are_no_lost_samples(void **state)
{
	(void)state;
	struct strbuf script = {0};
	strbuf_add(&script, "cpus 1\ninterval 1s\nring 65536 sideband=4096\nevent cycles period=1000\n"
			    "dso app /usr/bin/app\nsym app:hot 0x1000 0x100\ntask 10 app maps=app\ntick\n");
	for (int i = 0; i < 200; i++)
		strbuf_addf(&script, "comm 10 name%d\n", i);
	strbuf_add(&script, "sample cpu=0 task=10 event=cycles sym=app:hot n=5\ntick\ncomm 10 last\n"
			    "sample cpu=0 task=10 event=cycles sym=app:hot n=5\n");
	struct session *s = open_script(script.data);
	session_tick(s);
	session_tick(s);
	struct snapshot *snap = look(s, WINDOW_TOTAL);
	assert_int_equal(session_catalog(s)->limits.n[REACHED_TASKS_KIB], 1);
	assert_int_equal(snap->trust.lost, 0);
	assert_int_equal(symbol(s, snap, "hot")->sums[0].samples, 10);
	snapshot_destroy(snap);
	session_destroy(s);
	strbuf_deinit(&script);
}

static void unknown_addresses_are_one_row(void **state)
{
	(void)state;
	struct session *s = open_script(WORLD "tick\n"
					      "sample cpu=0 task=10 event=cycles ip=0x10 n=2\n"
					      "sample cpu=0 task=10 event=cycles ip=0x77777000 n=3\n"
					      "sample cpu=0 task=10 event=cycles sym=app:hot n=5\n");
	session_tick(s);
	struct snapshot *snap = look(s, WINDOW_INTERVAL);
	assert_int_equal(snap->pivots[BY_SYMBOL].n, 2);
	assert_true(snap->trust.unresolved == 0.5);
	snapshot_destroy(snap);
	session_destroy(s);
}

static void freezing_keeps_the_picture_and_the_data(void **state)
{
	(void)state;
	struct session *s = open_script(WORLD "tick 10\nsample cpu=0 task=10 event=cycles sym=app:hot n=5\n");
	session_tick(s);
	session_freeze(s, true);
	for (int i = 0; i < 3; i++)
		session_tick(s);
	struct snapshot *snap = look(s, WINDOW_TOTAL);
	assert_int_equal(symbol(s, snap, "hot")->sums[0].samples, 5);
	snapshot_destroy(snap);
	session_freeze(s, false);
	snap = look(s, WINDOW_TOTAL);
	assert_int_equal(symbol(s, snap, "hot")->sums[0].samples, 20);
	snapshot_destroy(snap);
	session_reset(s);
	session_tick(s);
	snap = look(s, WINDOW_TOTAL);
	assert_int_equal(symbol(s, snap, "hot")->sums[0].samples, 5);
	assert_int_equal(snap->end_ns - snap->start_ns, 1000000000);
	snapshot_destroy(snap);
	session_destroy(s);
}

struct pieces {
	char text[64];
};

static int collect_piece(void *ctx, const void *bytes, size_t n)
{
	struct pieces *p = ctx;
	size_t at = strlen(p->text);
	snprintf(p->text + at, sizeof(p->text) - at, "%.*s", bytes ? (int)n : 1, bytes ? (const char *)bytes : "|");
	return strlen(p->text) > 60 ? 7 : 0;
}

static void memory_of_the_last_moments_is_bounded(void **state)
{
	(void)state;
	struct flight *f = flight_create(17); /* 4 of the bytes are reserved for samples, and 4 for sideband */
	const uint8_t *side = (const uint8_t *)"abc", *data = (const uint8_t *)"0123456789";
	/* a lane that wraps and of which only a part was used; added records come first */
	struct lane lanes[] = {{.a = side, .a_len = 3, .used = 2, .sideband = true},
			       {.a = data + 6, .a_len = 4, .b = data, .b_len = 6, .used = 6}};
	struct pieces p = {""};
	flight_add(f, true, "X", 1);
	flight_take(f, lanes, 2, 100);
	assert_int_equal(flight_each(f, collect_piece, &p), 0);
	assert_string_equal(p.text, "Xab678901|");
	assert_int_equal(flight_bytes(f), 9);
	flight_take(f, lanes, 2, 200);
	assert_int_equal(flight_from_ns(f), 0);
	flight_take(f, lanes, 2, 300);
	/* the samples of the first round were dropped, and then its sideband records */
	p.text[0] = '\0';
	flight_each(f, collect_piece, &p);
	assert_string_equal(p.text, "ab678901|ab678901|");
	assert_true(flight_bytes(f) <= 17);
	assert_int_equal(flight_from_ns(f), 100);
	flight_destroy(f);
}

/* Programs come and go so fast that sideband records need more than their quarter: samples older than those that
 * name them are of no use. */
static void sideband_reaches_as_far_back_as_samples(void **state)
{
	(void)state;
	struct flight *f = flight_create(32);
	const uint8_t *side = (const uint8_t *)"abcdef", *data = (const uint8_t *)"01";
	struct lane lanes[] = {{.a = side, .a_len = 6, .used = 6, .sideband = true},
			       {.a = data, .a_len = 2, .used = 2}};
	for (uint64_t t = 1; t <= 20; t++)
		flight_take(f, lanes, 2, t * 100);
	struct pieces p = {""};
	flight_each(f, collect_piece, &p);
	assert_string_equal(p.text, "abcdef01|abcdef01|abcdef01|abcdef01|");
	assert_int_equal(flight_from_ns(f), 1600);
	flight_destroy(f);
}

/* A program that maps memory in a loop does not displace all samples. */
static void a_part_of_the_memory_is_for_samples(void **state)
{
	(void)state;
	struct flight *f = flight_create(32);
	const uint8_t *side = (const uint8_t *)"abcdefghij", *data = (const uint8_t *)"01";
	struct lane lanes[] = {{.a = side, .a_len = 10, .used = 10, .sideband = true},
			       {.a = data, .a_len = 2, .used = 2}};
	for (uint64_t t = 1; t <= 20; t++)
		flight_take(f, lanes, 2, t * 100);
	struct pieces p = {""};
	flight_each(f, collect_piece, &p);
	assert_string_equal(p.text, "01|01|abcdefghij01|abcdefghij01|");
	flight_destroy(f);
}

/* A program may have made its mappings before the oldest sample that is left. */
static void a_part_of_the_memory_is_for_old_sideband(void **state)
{
	(void)state;
	struct flight *f = flight_create(32);
	const uint8_t *side = (const uint8_t *)"abcd", *data = (const uint8_t *)"01234567";
	struct lane lanes[] = {{.a = side, .a_len = 4, .used = 4, .sideband = true},
			       {.a = data, .a_len = 8, .used = 8}};
	flight_take(f, lanes, 1, 100);
	for (uint64_t t = 2; t <= 20; t++)
		flight_take(f, lanes + 1, 1, t * 100);
	struct pieces p = {""};
	flight_each(f, collect_piece, &p);
	assert_string_equal(p.text, "abcd|01234567|01234567|01234567|");
	flight_destroy(f);
}

/* Records that are being written stay as they are when the session forgets them. */
static void shared_memory_does_not_change(void **state)
{
	(void)state;
	struct flight *f = flight_create(16);
	const uint8_t *side = (const uint8_t *)"ab", *data = (const uint8_t *)"012345";
	struct lane lanes[] = {{.a = side, .a_len = 2, .used = 2, .sideband = true},
			       {.a = data, .a_len = 6, .used = 6}};
	flight_take(f, lanes, 2, 100);
	struct flight *shared = flight_share(f), *again = flight_share(f);
	for (int i = 0; i < 5; i++)
		flight_take(f, lanes, 2, 100);
	flight_destroy(again);
	struct pieces p = {""};
	assert_int_equal(flight_each(shared, collect_piece, &p), 0);
	assert_string_equal(p.text, "ab012345|");
	assert_int_equal(flight_bytes(shared), 8);
	flight_destroy(f);
	p.text[0] = '\0';
	flight_each(shared, collect_piece, &p);
	assert_string_equal(p.text, "ab012345|");
	flight_destroy(shared);
}

/* Threads that come and go, each with counts of two events of its own. */
static void counts_of_threads_that_ended_are_forgotten(void **state)
{
	(void)state;
	struct leader l;
	leader_init(&l);
	assert_int_equal(leader_step(&l, 1, 0, 5, false), 0); /* of all threads */
	for (uint32_t tid = 1; tid < 5000; tid++)
		for (uint64_t id = 1; id <= 2; id++) {
			assert_int_equal(leader_step(&l, id, tid, 100, false), 0);
			assert_int_equal(leader_step(&l, id, tid, 130, false), 30);
			if (tid > 10 && id == 2)
				leader_forget(&l, tid - 10);
		}
	assert_in_range(l.values.n, 1, 2 * 11 + 1);
	assert_int_equal(l.by_id.n, 2 * 10 + 1);
	assert_int_equal(l.by_tid.n, 10 + 1);
	/* The number of a thread is given again: the counts of the new one begin at 0. */
	leader_forget(&l, 4999);
	assert_int_equal(leader_step(&l, 1, 4999, 200, false), 0);
	assert_int_equal(leader_step(&l, 2, 4998, 135, false), 5); /* others go on */
	leader_forget(&l, 0);
	leader_forget(&l, 7777);
	assert_int_equal(leader_step(&l, 1, 0, 6, false), 1);
	leader_deinit(&l);
}

/* Many processes are forked and end; memory for ended processes must not grow. */
static void ended_tasks_become_one_row(void **state)
{
	(void)state;
	enum { CHILDREN = 400 };
	char *script = malloc(1 << 20);
	size_t at = (size_t)sprintf(script, "%s", WORLD);
	for (int i = 0; i < CHILDREN; i++)
		at += (size_t)sprintf(script + at,
				      "tick\nfork 10 child=%d at=1ms cpu=0\n"
				      "sample cpu=1 task=%d event=cycles sym=app:hot n=1 at=2ms\nexit %d at=3ms\n",
				      1000 + i, 1000 + i, 1000 + i);
	struct session *s = open_script(script);
	for (int i = 0; i < CHILDREN; i++)
		session_tick(s);
	assert_in_range(session_catalog(s)->tasks_n, 1, 200);
	struct snapshot *snap = look(s, WINDOW_TOTAL);
	assert_int_equal(symbol(s, snap, "hot")->sums[0].samples, CHILDREN);
	assert_in_range(task(s, snap, "[exited] app")->sums[0].samples, CHILDREN - 200, CHILDREN);
	uint64_t samples = 0;
	for (size_t i = 0; i < snap->pivots[BY_PID].n; i++)
		samples += snap->pivots[BY_PID].rows[i].sums[0].samples;
	assert_int_equal(samples, CHILDREN);
	snapshot_destroy(snap);
	session_destroy(s);
	free(script);
}

static void the_demo_runs(void **state)
{
	(void)state;
	struct session *s = open_script(synth_demo_script);
	for (int i = 0; i < 300; i++)
		session_tick(s);
	assert_false(session_finished(s));
	struct snapshot *snap = look(s, WINDOW_SLIDING);
	assert_true(snap->pivots[BY_SYMBOL].n > 30 && snap->pivots[BY_PID].n > 8);
	assert_int_equal(snap->trust.malformed, 0);
	assert_true(snap->trust.explained > 0.9 && snap->trust.explained < 1.1);
	snapshot_destroy(snap);
	session_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_follow_each_events_own_times),
		cmocka_unit_test(facts_know_their_cgroup),
		cmocka_unit_test(samples_are_told_apart_by_address),
		cmocka_unit_test(latency_is_the_share_of_wall_clock_time),
		cmocka_unit_test(sideband_is_applied_in_time),
		cmocka_unit_test(losses_are_counted_not_hidden),
		cmocka_unit_test(lost_records_of_tasks_are_no_lost_samples),
		cmocka_unit_test(unknown_addresses_are_one_row),
		cmocka_unit_test(freezing_keeps_the_picture_and_the_data),
		cmocka_unit_test(memory_of_the_last_moments_is_bounded),
		cmocka_unit_test(sideband_reaches_as_far_back_as_samples),
		cmocka_unit_test(a_part_of_the_memory_is_for_samples),
		cmocka_unit_test(a_part_of_the_memory_is_for_old_sideband),
		cmocka_unit_test(shared_memory_does_not_change),
		cmocka_unit_test(counts_of_threads_that_ended_are_forgotten),
		cmocka_unit_test(ended_tasks_become_one_row),
		cmocka_unit_test(the_demo_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
