/* How much memory a record of each type takes, when all that it names is new: processes, threads, files, cgroups. */
#include "../lib/counted_memory.h"
#include "../lib/records.h"

#include "base/limits.h"
#include "session/ingest.h"
#include "session/retire.h"

#include <cyctop/abi.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { EVENT_ID = 7, FEW = 20000, RETIRED_EACH = 16384 };

struct world {
	struct source_ops ops;
	struct source source;
	struct record_layout layout;
	struct ingest ingest;
	uint64_t n;
};

static bool identify(struct source *src, uint64_t id, uint32_t *event_ret, uint32_t *cpu_ret)
{
	(void)src;
	*event_ret = *cpu_ret = 0;
	return id == EVENT_ID;
}

static void begin(struct world *w)
{
	struct error err;
	struct perf_attr attr = {
		.sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_READ |
			       SAMPLE_CGROUP,
		.read_format = READ_GROUP | READ_ID,
		.flags = ATTR_INHERIT | ATTR_SAMPLE_ID_ALL,
	};
	*w = (struct world){.ops = {.identify = identify}};
	assert_int_equal(record_layout_init(&w->layout, &attr), 0);
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
}

static void end(struct world *w)
{
	resolver_destroy(w->ingest.resolver);
	model_destroy(w->ingest.model);
	ingest_deinit(&w->ingest);
}

/* Record number n of the type: nothing that it names was named before.  `same`: but for one process and thread. */
static void make(struct world *w, uint32_t type, uint64_t n, bool same, struct lib_store *store, struct record *rec)
{
	uint32_t pid = same ? 1 : (uint32_t)n + 1;
	lib_record(&w->layout, type, n, store, rec);
	rec->id = (struct sample_id){.pid = pid, .tid = pid, .time_ns = 1000 + n / 1000, .id = EVENT_ID};
	snprintf(store->name, sizeof(store->name), type == RECORD_COMM ? "comm%lu" : "/usr/lib/record-%lu.so", n);
	switch (type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		rec->u.mmap.pid = rec->u.mmap.tid = pid;
		rec->u.mmap.start = 0x10000 + n * 0x10000;
		rec->u.mmap.len = 0x8000;
		rec->u.mmap.prot |= 4;
		break;
	case RECORD_COMM:
		rec->u.comm.pid = rec->u.comm.tid = pid;
		break;
	case RECORD_FORK:
	case RECORD_EXIT:
		rec->u.task.pid = rec->u.task.tid = same ? 1 : pid;
		rec->u.task.tid = same ? (uint32_t)n + 1 : pid;
		rec->u.task.ppid = rec->u.task.ptid = 1;
		rec->u.task.time_ns = rec->id.time_ns;
		break;
	case RECORD_KSYMBOL:
		rec->u.ksymbol.addr = 0xffffffffc0000000 + n * 64;
		rec->u.ksymbol.len = 64;
		break;
	case RECORD_SAMPLE:
		rec->u.sample.ip = 0x10000 + n * 64;
		rec->u.sample.period = 1;
		rec->u.sample.cgroup = n;
		break;
	case RECORD_CGROUP:
		rec->u.cgroup.id = n;
		break;
	default:
		break;
	}
}

static void feed(struct world *w, uint32_t type, size_t n, bool same)
{
	uint64_t bytes[64];
	struct lib_store store;
	struct record rec;
	const struct retired_from all = {.resolver = w->ingest.resolver, .models = {w->ingest.model}};
	for (size_t i = 0; i < n; i++) {
		struct lane lane = {.sideband = type != RECORD_SAMPLE};
		make(w, type, ++w->n, same, &store, &rec);
		size_t size = record_encode(&w->layout, &rec, bytes, sizeof(bytes));
		assert_in_range(size, 1, sizeof(bytes));
		ingest_records(&w->ingest, &lane, (const uint8_t *)bytes, size);
		if (w->n % RETIRED_EACH == 0)
			retire_unused(&all);
	}
}

/* The bytes that each of n more records takes. */
static long grows(struct world *w, uint32_t type, size_t n, bool same)
{
	size_t before = counted_memory();
	feed(w, type, n, same);
	return ((long)counted_memory() - (long)before) / (long)n;
}

/* Records of the other types take nothing.  Of a sample, what stays is a fact of the open interval, which ends. */
static void every_type_has_a_bound(void **state)
{
	(void)state;
	enum { STRINGS = 64 }; /* names that the next call of retire_unused() frees */
	static const struct {
		long first, later; /* bytes of each record at first, and once the limits are reached */
	} bounds[RECORD_CALLCHAIN_DEFERRED + 1] = {
		[RECORD_MMAP] = {1500, 0},  [RECORD_MMAP2] = {1500, 0},	  [RECORD_COMM] = {400, 0},
		[RECORD_FORK] = {450, 0},   [RECORD_SAMPLE] = {700, 200}, [RECORD_KSYMBOL] = {100, 0},
		[RECORD_CGROUP] = {100, 0},
	};
	for (uint32_t type = RECORD_MMAP; type <= RECORD_CALLCHAIN_DEFERRED; type++) {
		for (int same = 0; same < 2; same++) {
			struct world w;
			begin(&w);
			long first = grows(&w, type, FEW, same), later = 0;
			if (first) {
				feed(&w, type, LIMIT_THREADS, same);
				later = grows(&w, type, FEW, same);
			}
			if (first > bounds[type].first || later > bounds[type].later + STRINGS)
				fail_msg("records of type %u%s: %ld bytes each, later %ld", type,
					 same ? " of one process" : "", first, later);
			end(&w);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_type_has_a_bound)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
