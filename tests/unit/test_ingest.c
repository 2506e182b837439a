/* From records to facts: leader sampling of threads that come and go; cgroups. */
#include "session/ingest.h"

#include <cyctop/abi.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { EVENT_ID = 7, PID = 10, TID = 20 };

struct world {
	struct source_ops ops;
	struct source source;
	struct record_layout layout;
	struct ingest ingest;
	uint64_t time_ns;
};

static bool identify(struct source *src, uint64_t id, uint32_t *event_ret, uint32_t *cpu_ret)
{
	(void)src;
	*event_ret = *cpu_ret = 0;
	return id == EVENT_ID;
}

static int setup(void **state)
{
	struct world *w = mem_calloc(1, sizeof(*w));
	struct error err;
	struct perf_attr attr = {
		.sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_READ,
		.read_format = READ_GROUP | READ_ID,
		.flags = ATTR_INHERIT,
	};
	assert_int_equal(record_layout_init(&w->layout, &attr), 0);
	w->ops.identify = identify;
	w->source.ops = &w->ops;
	w->ingest = (struct ingest){
		.source = &w->source,
		.model = model_create(&(struct model_config){
			.events_n = 1, .cpus_n = 1, .keep_ns = 1000000000, .keep_bytes = 1 << 20}),
		.layout = &w->layout,
		.events_n = 1,
		.cpus_n = 1,
		.sampled = mem_calloc(1, sizeof(uint64_t)),
	};
	assert_int_equal(resolver_create(&(struct resolver_config){.proc = proc_none}, &w->ingest.resolver, &err), 0);
	leader_init(&w->ingest.leader);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	resolver_destroy(w->ingest.resolver);
	model_destroy(w->ingest.model);
	ingest_deinit(&w->ingest);
	free(w);
	return 0;
}

static void ingest(struct world *w, struct record *rec)
{
	uint64_t bytes[32];
	struct lane lane = {.sideband = rec->type != RECORD_SAMPLE};
	rec->id = (struct sample_id){.pid = PID, .tid = TID, .time_ns = ++w->time_ns, .id = EVENT_ID};
	size_t n = record_encode(&w->layout, rec, bytes, sizeof(bytes));
	assert_in_range(n, 1, sizeof(bytes));
	ingest_records(&w->ingest, &lane, (const uint8_t *)bytes, n);
	assert_int_equal(w->ingest.malformed, 0);
}

/* The period that a sample of the thread, which has counted so much, is given. */
static uint64_t period_at(struct world *w, uint64_t count)
{
	const uint64_t values[] = {count, EVENT_ID};
	struct record rec = {.type = RECORD_SAMPLE, .misc = MISC_USER};
	rec.u.sample.read = (struct record_read){.nr = 1, .values = values, .format = w->layout.read_format};
	uint64_t before = w->ingest.sampled[0];
	ingest(w, &rec);
	return w->ingest.sampled[0] - before;
}

static void thread(struct world *w, uint32_t type)
{
	struct record rec = {.type = type};
	rec.u.task.pid = rec.u.task.ppid = rec.u.task.ptid = PID;
	rec.u.task.tid = TID;
	rec.u.task.time_ns = w->time_ns;
	ingest(w, &rec);
}

static void a_new_thread_counts_from_0(void **state)
{
	struct world *w = *state;
	assert_int_equal(period_at(w, 100), 0); /* since its event was opened, long before the recording */
	assert_int_equal(period_at(w, 130), 30);
	thread(w, RECORD_EXIT);
	assert_int_equal(w->ingest.leader.by_id.n, 0);
	thread(w, RECORD_FORK);
	assert_int_equal(period_at(w, 200), 200);
	thread(w, RECORD_FORK); /* the EXIT record was lost */
	assert_int_equal(period_at(w, 300), 300);
	assert_int_equal(period_at(w, 50), 50); /* the event was opened again */
	assert_int_equal(w->ingest.leader.values.n, 2);
	thread(w, RECORD_EXIT);
	assert_int_equal(w->ingest.leader.by_id.n, 0);
	w->ingest.raw = true;
	assert_int_equal(period_at(w, 100), 100);
}

/* The contexts of samples in two cgroups. */
static uint32_t contexts_of_two(struct world *w)
{
	for (uint64_t cgroup = 17; cgroup <= 18; cgroup++) {
		struct record rec = {.type = RECORD_SAMPLE, .misc = MISC_USER};
		rec.u.sample.cgroup = cgroup;
		ingest(w, &rec);
	}
	return resolver_catalog(w->ingest.resolver)->contexts_n;
}

static void cgroups_are_told_apart_where_they_are_asked_for(void **state)
{
	struct world *w = *state;
	const struct perf_attr attr = {.sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME |
						      SAMPLE_CPU | SAMPLE_CGROUP};
	assert_int_equal(record_layout_init(&w->layout, &attr), 0);
	w->ingest.ignores_cgroups = true;
	assert_int_equal(contexts_of_two(w), 0);
	w->ingest.ignores_cgroups = false;
	assert_int_equal(contexts_of_two(w), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_new_thread_counts_from_0, setup, teardown),
		cmocka_unit_test_setup_teardown(cgroups_are_told_apart_where_they_are_asked_for, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
