/* Mappings from /proc are combined with MMAP records that are in a ring but not applied yet: a
 * sample must not see a mapping that was made after it. */
#include "base/alloc.h"
#include "session/proc_snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PID = 10 };

/* A source whose sideband ring wraps. */
struct world {
	struct source source;
	struct source_info info;
	struct record_layout layout;
	uint8_t bytes[8192];
	size_t n, wrap; /* wrap: offset at which the ring wraps */
	struct lane lane;
	bool read_proc;
	char seen[512]; /* "start-end+offset name " for each mapping */
};

static const struct source_info *world_info(struct source *src)
{
	return &((struct world *)src)->info;
}

static size_t world_ahead(struct source *src, struct lane **ret)
{
	struct world *w = (struct world *)src;
	assert_true(w->read_proc); /* the rings must be read after /proc, because records may still arrive */
	w->lane = (struct lane){
		.a = w->bytes, .a_len = w->wrap, .b = w->bytes + w->wrap, .b_len = w->n - w->wrap, .sideband = true};
	*ret = &w->lane;
	return w->n > 0;
}

static const struct source_ops world_ops = {.info = world_info, .ahead = world_ahead};

static int world_maps(void *ctx, int32_t pid, uint64_t time_ns,
		      void (*add)(void *add_ctx, const struct record_mmap *map), void *add_ctx)
{
	struct world *w = ctx;
	static const struct record_mmap maps[] = {
		{.start = 0x1000, .len = 0x1000, .filename = "/bin/prog"},
		{.start = 0x5000, .len = 0x4000, .pgoff = 0x2000, .filename = "/lib/new.so"},
		{.start = 0x9000, .len = 0x1000, .pgoff = 0x9000, .filename = "//anon"},
	};
	(void)time_ns;
	assert_int_equal(pid, PID);
	for (size_t i = 0; i < ARRAY_LEN(maps); i++)
		add(add_ctx, &maps[i]);
	w->read_proc = true;
	return 0;
}

static void world_init(struct world *w)
{
	struct perf_attr attr = {.sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME, .flags = ATTR_SAMPLE_ID_ALL};
	memset(w, 0, sizeof(*w));
	assert_int_equal(record_layout_init(&w->layout, &attr), 0);
	w->source.ops = &world_ops;
	w->info.layout = &w->layout;
}

static void put(struct world *w, uint64_t time_ns, uint32_t pid, uint64_t start, uint64_t len, const char *name)
{
	struct record rec = {
		.type = RECORD_MMAP2, .misc = MISC_USER, .id = {.pid = pid, .tid = pid, .time_ns = time_ns}};
	rec.u.mmap =
		(struct record_mmap){.pid = pid, .tid = pid, .start = start, .len = len, .prot = 5, .filename = name};
	size_t n = record_encode(&w->layout, &rec, w->bytes + w->n, sizeof(w->bytes) - w->n);
	assert_true(n > 0);
	w->n += n;
}

static void see(void *ctx, const struct record_mmap *m)
{
	struct world *w = ctx;
	size_t n = strlen(w->seen);
	snprintf(w->seen + n, sizeof(w->seen) - n, "%llx-%llx+%llx %s ", (unsigned long long)m->start,
		 (unsigned long long)(m->start + m->len), (unsigned long long)m->pgoff, m->filename);
}

/* Checks the mappings that a sample at `time_ns` sees, for every position at which the ring can
 * wrap. */
static void assert_seen(struct world *w, uint64_t time_ns, const char *expected)
{
	for (w->wrap = 0; w->wrap <= w->n; w->wrap += 8) {
		struct proc_snapshot p;
		w->read_proc = false;
		w->seen[0] = '\0';
		proc_snapshot_init(&p, &w->source, &(struct proc_ops){.maps = world_maps, .ctx = w});
		struct proc_ops ops = proc_snapshot_ops(&p);
		assert_int_equal(ops.maps(ops.ctx, PID, time_ns, see, w), 0);
		assert_string_equal(w->seen, expected);
	}
}

#define PROG "1000-2000+0 /bin/prog "
#define NEW "5000-9000+2000 /lib/new.so "
#define ANON "9000-a000+9000 //anon "

static void mappings_without_a_later_record_are_seen(void **state)
{
	struct world *w = *state;
	assert_seen(w, 100, PROG NEW ANON);
	put(w, 200, PID + 1, 0x5000, 0x4000, "/lib/new.so"); /* a record of another process */
	put(w, 200, PID, 0x3000, 0x2000, "/lib/before.so");
	assert_seen(w, 100, PROG NEW ANON);
}

/* One library replaced another between the sample and the reading of /proc. */
static void mappings_made_after_the_sample_are_not_seen(void **state)
{
	struct world *w = *state;
	put(w, 150, PID, 0x5000, 0x4000, "/lib/old.so");
	put(w, 200, PID, 0x5000, 0x4000, "/lib/new.so");
	assert_seen(w, 100, PROG ANON);
	assert_seen(w, 199, PROG ANON);
	assert_seen(w, 200, PROG NEW ANON); /* a later sample sees them, because the records are applied by then */
}

static void a_mapping_replaced_in_part_keeps_the_rest(void **state)
{
	struct world *w = *state;
	put(w, 200, PID, 0x6000, 0x1000, "/lib/new.so");
	put(w, 210, PID, 0x8000, 0x8000, "/lib/other.so");
	assert_seen(w, 100, PROG "5000-6000+2000 /lib/new.so 7000-8000+4000 /lib/new.so ");
}

/* JIT compilers change the rights of their memory for every function. */
static void changing_the_rights_of_anonymous_memory_keeps_it(void **state)
{
	struct world *w = *state;
	put(w, 200, PID, 0x9000, 0x1000, "//anon");
	assert_seen(w, 100, PROG NEW ANON);
	put(w, 210, PID, 0x9000, 0x1000, "/lib/other.so");
	assert_seen(w, 100, PROG NEW);
}

static int setup(void **state)
{
	struct world *w = mem_calloc(1, sizeof(*w));
	world_init(w);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(mappings_without_a_later_record_are_seen),
		TEST(mappings_made_after_the_sample_are_not_seen),
		TEST(a_mapping_replaced_in_part_keeps_the_rest),
		TEST(changing_the_rights_of_anonymous_memory_keeps_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
