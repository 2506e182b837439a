/* Scripts through rings, merging, decoding, naming and summing: what comes out is
 * held against sums made by hand. */
#include "session/flight.h"

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
		.window = window, .sliding_ns = 5000000000ull, .only_task = CATALOG_NONE, .only_sym = CATALOG_NONE};
	return session_snapshot(s, &q);
}

static const struct row *symbol(struct session *s, const struct snapshot *snap, const char *name)
{
	const struct catalog *cat = session_catalog(s);
	for (size_t i = 0; i < snap->symbols.n; i++) {
		const struct row *row = &snap->symbols.rows[i];
		if (!row->idle && strcmp(cat->syms[row->sym].name, name) == 0)
			return row;
	}
	fail_msg("no row for %s", name);
	return NULL;
}

static const struct row *task(struct session *s, const struct snapshot *snap, const char *comm)
{
	const struct catalog *cat = session_catalog(s);
	for (size_t i = 0; i < snap->tasks.n; i++)
		if (strcmp(cat->tasks[snap->tasks.rows[i].task].comm, comm) == 0)
			return &snap->tasks.rows[i];
	fail_msg("no row for %s", comm);
	return NULL;
}

static struct ratio metric(struct session *s, const struct snapshot *snap, const struct row *row, const char *id)
{
	for (size_t i = 0; i < metrics_n; i++)
		if (strcmp(metrics[i].id, id) == 0)
			return row_metric(snap, row, &metrics[i], session_roles(s));
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
	struct ratio ipc = metric(s, snap, hot, "ipc");
	assert_true(ipc.valid && ipc.value == 36000 / 30000.0);
	assert_true(fabs(ipc.error - ipc.value * sqrt(1 / 30.0 + 1 / 9.0)) < 1e-12);
	assert_int_equal(snap->events[3].state, COUNT_NEVER);
	assert_false(metric(s, snap, hot, "cache-miss-ratio").valid);
	assert_false(metric(s, snap, hot, "mpki").valid);
	assert_true(hot->share == 30 / 42.0);
	assert_true(symbol(s, snap, "entry")->kernel);
	assert_true(snap->trust.explained_valid && fabs(snap->trust.explained - 1) < 1e-9);
	assert_int_equal(snap->trust.malformed, 0);
	snapshot_destroy(snap);
	session_destroy(s);
}

static void sideband_is_applied_in_time(void **state)
{
	(void)state;
	/* The same pid runs app, then becomes other on another CPU; samples of either
	 * program lie on both CPUs, and must find the map that was there then. */
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
	assert_int_equal(snap->tasks.n, 1);
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

static void unknown_addresses_are_one_row(void **state)
{
	(void)state;
	struct session *s = open_script(WORLD "tick\n"
					      "sample cpu=0 task=10 event=cycles ip=0x10 n=2\n"
					      "sample cpu=0 task=10 event=cycles ip=0x77777000 n=3\n"
					      "sample cpu=0 task=10 event=cycles sym=app:hot n=5\n");
	session_tick(s);
	struct snapshot *snap = look(s, WINDOW_INTERVAL);
	assert_int_equal(snap->symbols.n, 2);
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
	struct flight *f = flight_create(16); /* 12 for samples, 4 for the rest */
	const uint8_t *side = (const uint8_t *)"abc", *data = (const uint8_t *)"0123456789";
	/* a lane that wraps, of which not all was used; what is added comes first */
	struct lane lanes[] = {{.a = side, .a_len = 3, .used = 2, .sideband = true},
			       {.a = data + 6, .a_len = 4, .b = data, .b_len = 6, .used = 6}};
	struct pieces p = {""};
	flight_add(f, "X", 1);
	flight_take(f, lanes, 2);
	assert_int_equal(flight_each(f, collect_piece, &p), 0);
	assert_string_equal(p.text, "Xab678901|");
	assert_int_equal(flight_bytes(f), 9);
	flight_take(f, lanes, 2);
	flight_take(f, lanes, 2);
	/* samples of the first round are gone, and so is what led to them */
	p.text[0] = '\0';
	flight_each(f, collect_piece, &p);
	assert_string_equal(p.text, "ab678901|ab678901|");
	assert_true(flight_bytes(f) <= 16);
	flight_destroy(f);
}

/* Forks all day: what is known of the dead must not grow. */
static void the_dead_become_one_row(void **state)
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
	for (size_t i = 0; i < snap->tasks.n; i++)
		samples += snap->tasks.rows[i].sums[0].samples;
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
	assert_true(snap->symbols.n > 30 && snap->tasks.n > 8);
	assert_int_equal(snap->trust.malformed, 0);
	assert_true(snap->trust.explained > 0.9 && snap->trust.explained < 1.1);
	snapshot_destroy(snap);
	session_destroy(s);
}

/* ---- recordings ------------------------------------------------------------------ */

/* A stream as a file: process 7 maps a second file between two looks at both places. */
static void write_changing(const char *path)
{
	enum { FIELDS = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD };
	struct {
		struct record_header header;
		struct perf_attr attr;
		uint64_t id;
	} own = {.header = {.type = PD_RECORD_ATTR, .size = sizeof(own)}, .id = 11};
	own.attr = (struct perf_attr){
		.size = sizeof(own.attr), .sample_period = 500, .sample_type = FIELDS, .flags = ATTR_SAMPLE_ID_ALL};
	const uint64_t header[2] = {PD_MAGIC, PD_PIPE_HEADER_SIZE};
	struct record_layout layout;
	assert_int_equal(record_layout_init(&layout, &own.attr), 0);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fwrite(header, sizeof(header), 1, f);
	fwrite(&own, sizeof(own), 1, f);
	for (int part = 0; part < 2; part++) {
		uint64_t t = 1000000000ull * (uint64_t)(part + 1);
		struct record rec[4] = {
			{.type = RECORD_COMM},
			{.type = RECORD_MMAP, .misc = MISC_USER},
			{.type = RECORD_SAMPLE, .misc = MISC_USER},
			{.type = RECORD_SAMPLE, .misc = MISC_USER},
		};
		rec[0].u.comm.pid = rec[0].u.comm.tid = 7;
		rec[0].u.comm.comm = part ? "second" : "first";
		rec[1].u.mmap.pid = rec[1].u.mmap.tid = 7;
		rec[1].u.mmap.start = part ? 0x3000 : 0x1000;
		rec[1].u.mmap.len = 0x1000;
		rec[1].u.mmap.filename = part ? "/nowhere/second" : "/nowhere/first";
		for (int i = 0; i < 4; i++) {
			uint8_t buf[512];
			rec[i].id = (struct sample_id){.has = FIELDS & ~(SAMPLE_IP | SAMPLE_PERIOD),
						       .pid = 7,
						       .tid = 7,
						       .time_ns = t + (uint64_t)i,
						       .id = 11};
			if (i >= 2)
				rec[i].u.sample.ip = i == 2 ? 0x1000 : 0x3000;
			if (i >= 2)
				rec[i].u.sample.period = 500;
			size_t n = record_encode(&layout, &rec[i], buf, sizeof(buf));
			assert_true(n > 0);
			fwrite(buf, n, 1, f);
		}
	}
	assert_int_equal(fclose(f), 0);
}

static uint64_t samples_in(struct session *s, const struct snapshot *snap, const char *dso, const char *comm)
{
	const struct catalog *cat = session_catalog(s);
	uint64_t n = 0;
	for (size_t i = 0; i < snap->symbols.n && dso; i++) {
		const struct row *row = &snap->symbols.rows[i];
		if (strcmp(cat->dsos[cat->syms[row->sym].dso].name, dso) == 0)
			n += row->sums[0].samples;
	}
	for (size_t i = 0; i < snap->tasks.n && comm; i++)
		if (strcmp(cat->tasks[snap->tasks.rows[i].task].comm, comm) == 0)
			n += snap->tasks.rows[i].sums[0].samples;
	return n;
}

static void winding_back_forgets_what_came_later(void **state)
{
	(void)state;
	char path[] = "/tmp/cyctop-test-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	write_changing(path);
	struct session *s = NULL;
	struct error err;
	const struct file_config config = {.path = path, .interval_ns = 10000000000ull};
	if (session_open_file(&config, &s, &err) < 0)
		fail_msg("%s", err.text);
	for (int round = 0; round < 3; round++) {
		session_tick(s);
		struct snapshot *snap = look(s, WINDOW_TOTAL);
		assert_int_equal(samples_in(s, snap, "first", NULL), 2);
		assert_int_equal(samples_in(s, snap, "second", NULL), 1);
		assert_int_equal(samples_in(s, snap, "[unknown]", NULL), 1);
		assert_int_equal(samples_in(s, snap, NULL, "second"), 4); /* one process, as it is called now */
		snapshot_destroy(snap);
		assert_int_equal(file_seek(session_source(s), 0), 1);
		session_rewound(s);
	}
	session_destroy(s);
	unlink(path);
}

/* Leader sampling of two events: a pipe's bytes in a file. */
struct led {
	FILE *file;
	struct record_layout layout;
	uint64_t time_ns;
};
#define LED_FIELDS (SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_READ)

static void begin_led(struct led *l, const char *path, uint64_t flags)
{
	const uint64_t header[2] = {PD_MAGIC, PD_PIPE_HEADER_SIZE};
	l->file = fopen(path, "w");
	assert_non_null(l->file);
	fwrite(header, sizeof(header), 1, l->file);
	for (uint64_t e = 0; e < 2; e++) {
		struct {
			struct record_header h;
			struct perf_attr attr;
			uint64_t id;
		} own = {
			.h = {.type = PD_RECORD_ATTR, .size = sizeof(own)},
			.attr = {.size = sizeof(own.attr),
				 .config = e,
				 .sample_type = LED_FIELDS,
				 .read_format = READ_GROUP | READ_ID,
				 .flags = ATTR_SAMPLE_ID_ALL | flags},
			.id = 11 + e,
		};
		assert_int_equal(record_layout_init(&l->layout, &own.attr), 0);
		fwrite(&own, sizeof(own), 1, l->file);
	}
}

static void put_led(struct led *l, uint32_t tid, uint64_t first, uint64_t second)
{
	const uint64_t values[] = {first, 11, second, 12};
	struct record rec = {.type = RECORD_SAMPLE, .misc = MISC_USER};
	uint8_t buf[512];
	l->time_ns += 1000;
	rec.id = (struct sample_id){.has = SAMPLE_IDENTIFIER | SAMPLE_TID | SAMPLE_TIME,
				    .pid = 7,
				    .tid = tid,
				    .time_ns = l->time_ns,
				    .id = 11};
	rec.u.sample.ip = 0x1000;
	rec.u.sample.read = (struct record_read){.nr = 2, .values = values, .format = READ_GROUP | READ_ID};
	size_t n = record_encode(&l->layout, &rec, buf, sizeof(buf));
	assert_true(n > 0);
	fwrite(buf, n, 1, l->file);
}

/* What both threads of the process have of the two events, and how many samples. */
static void led_sums(const char *path, double weight[2], uint64_t samples[2])
{
	struct session *s = NULL;
	struct error err;
	const struct file_config config = {.path = path};
	if (session_open_file(&config, &s, &err) < 0)
		fail_msg("%s", err.text);
	session_tick(s);
	struct snapshot *snap = look(s, WINDOW_TOTAL);
	assert_int_equal(snap->tasks.n, 1);
	for (int e = 0; e < 2; e++) {
		weight[e] = snap->tasks.rows[0].sums[e].weight;
		samples[e] = snap->tasks.rows[0].sums[e].samples;
	}
	snapshot_destroy(snap);
	session_destroy(s);
}

/* Two threads of one inherited group: from 6.12 on a sample's values are what its thread alone
 * has counted.  Before, and without inheritance, they are of the one event that there is. */
static void a_group_read_is_of_its_thread_where_events_are_inherited(void **state)
{
	(void)state;
	static const struct {
		uint64_t flags;
		double first, second;
		uint64_t first_n, second_n;
	} rows[] = {
		{ATTR_INHERIT, 1100 + 250, 70 + 9, 4, 4},
		{0, 1000 + 200 + 900 + 250, 50 + 3 + 67 + 9, 4, 4},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char path[] = "/tmp/cyctop-test-XXXXXX";
		struct led l = {.time_ns = 1000000000};
		double weight[2];
		uint64_t samples[2];
		int fd = mkstemp(path);
		assert_true(fd >= 0);
		close(fd);
		begin_led(&l, path, rows[i].flags);
		put_led(&l, 7, 1000, 50);
		put_led(&l, 8, 200, 3); /* where it is one count: it was opened anew */
		put_led(&l, 7, 1100, 70);
		put_led(&l, 8, 250, 9);
		assert_int_equal(fclose(l.file), 0);
		led_sums(path, weight, samples);
		unlink(path);
		assert_int_equal(weight[0], rows[i].first);
		assert_int_equal(weight[1], rows[i].second);
		assert_int_equal(samples[0], rows[i].first_n);
		assert_int_equal(samples[1], rows[i].second_n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_follow_each_events_own_times),
		cmocka_unit_test(sideband_is_applied_in_time),
		cmocka_unit_test(losses_are_counted_not_hidden),
		cmocka_unit_test(unknown_addresses_are_one_row),
		cmocka_unit_test(freezing_keeps_the_picture_and_the_data),
		cmocka_unit_test(memory_of_the_last_moments_is_bounded),
		cmocka_unit_test(the_dead_become_one_row),
		cmocka_unit_test(the_demo_runs),
		cmocka_unit_test(winding_back_forgets_what_came_later),
		cmocka_unit_test(a_group_read_is_of_its_thread_where_events_are_inherited),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
