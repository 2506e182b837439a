/* The sums of counted calls: threads and processes, what counting cost, and tables that cannot be. */
#include <cyctop/calls.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 4, SIZE = 64 * 1024 };

struct file {
	_Alignas(64) uint8_t bytes[SIZE];
	size_t used;
};

static struct calls_head *head_of(struct file *f)
{
	return (struct calls_head *)(void *)f->bytes;
}

static void *take(struct file *f, size_t size, uint64_t *at_ret)
{
	*at_ret = f->used;
	f->used += (size + 63) / 64 * 64;
	assert_true(f->used <= SIZE);
	head_of(f)->used = f->used;
	return f->bytes + *at_ret;
}

static struct file *file_create(void)
{
	struct file *f = calloc(1, sizeof(*f));
	assert_non_null(f);
	memcpy(head_of(f)->magic, CALLS_MAGIC, 8);
	head_of(f)->version = CALLS_VERSION;
	f->used = (sizeof(struct calls_head) + 63) / 64 * 64;
	return f;
}

/* A thread with ROWS rows of functions and arcs, and an empty call of 60 ns, 20 of them within itself. */
static struct calls_thread *add_thread(struct file *f, uint32_t pid, struct calls_function **functions,
				       struct calls_arc **arcs)
{
	uint64_t at, functions_at, arcs_at;
	struct calls_thread *t = take(f, sizeof(*t), &at);
	*functions = take(f, ROWS * sizeof(**functions), &functions_at);
	*arcs = take(f, ROWS * sizeof(**arcs), &arcs_at);
	*t = (struct calls_thread){
		.next = head_of(f)->threads,
		.pid = pid,
		.functions_at = functions_at,
		.arcs_at = arcs_at,
		.functions_n = ROWS,
		.arcs_n = ROWS,
		.cost_inside = {.time = 20ull * CALLS_COST_CALLS},
		.cost_whole = {.time = 60ull * CALLS_COST_CALLS},
	};
	head_of(f)->threads = at;
	return t;
}

static void threads_are_summed_up(void **state)
{
	(void)state;
	struct file *f = file_create();
	struct calls_function *a, *b, *c;
	struct calls_arc *arcs;
	struct calls_counts counts;
	add_thread(f, 7, &a, &arcs);
	a[1] = (struct calls_function){.address = 0x100,
				       .calls = 10,
				       .outermost = 10,
				       .children = 5,
				       .below = 5,
				       .self = {.time = 5000},
				       .total = {.time = 9000},
				       .all_time = 9000,
				       .all_below = 5};
	a[1].buckets[9] = 10;
	arcs[0] = (struct calls_arc){1, 0x100, 10, 9000};
	add_thread(f, 7, &b, &arcs);
	b[3] = (struct calls_function){.address = 0x100,
				       .calls = 2,
				       .left = 1,
				       .outermost = 2,
				       .self = {.time = 1000},
				       .total = {.time = 1000},
				       .all_time = 1000};
	b[0] = (struct calls_function){.address = 0x50,
				       .calls = 1,
				       .outermost = 1,
				       .self = {.time = 10},
				       .total = {.time = 10},
				       .all_time = 10};
	arcs[2] = (struct calls_arc){1, 0x100, 2, 1000};
	add_thread(f, 9, &c, &arcs);
	c[0] = (struct calls_function){.address = 0x100, .calls = 1, .outermost = 1, .self = {.time = 100}};
	assert_int_equal(calls_counts_read(f->bytes, SIZE, 0.5, &counts), 0);
	assert_int_equal(counts.threads, 3);
	assert_int_equal(counts.n, 3);
	assert_int_equal(counts.damaged, 0);
	const struct calls_row *small = &counts.rows[0], *both = &counts.rows[1], *other = &counts.rows[2];
	assert_true(small->address == 0x50 && small->self_ns == 0); /* less than counting costs */
	assert_true(both->pid == 7 && both->address == 0x100 && both->calls == 12 && both->left == 1);
	/* 20 ns of each call are in its own time, and 40 of each that it makes itself */
	assert_true(both->self_ns == 5000 - 10 * 20 - 5 * 40 + 1000 - 2 * 20);
	assert_true(both->total_ns == 9000 - 10 * 20 - 5 * 60 + 1000 - 2 * 20);
	assert_int_equal(both->buckets[9], 10);
	assert_true(other->pid == 9 && other->self_ns == 80);
	assert_int_equal(counts.edges_n, 1);
	assert_true(counts.edges[0].calls == 12 && counts.edges[0].ns == 10000);
	calls_counts_free(&counts);
	head_of(f)->ticks = 1; /* of half a nanosecond */
	assert_int_equal(calls_counts_read(f->bytes, SIZE, 0.5, &counts), 0);
	assert_true(counts.rows[2].self_ns == 40 && counts.cost_ns == 30 && counts.edges[0].ns == 5000);
	calls_counts_free(&counts);
	free(f);
}

/* The histograms of events of two threads, and one that lies outside. */
static void histograms_of_events_are_summed_up(void **state)
{
	(void)state;
	struct file *f = file_create();
	struct calls_counts counts;
	head_of(f)->events_n = 1;
	for (int i = 0; i < 2; i++) {
		struct calls_function *a;
		struct calls_arc *arcs;
		uint64_t at;
		add_thread(f, 7, &a, &arcs);
		uint64_t *buckets = take(f, CALLS_BUCKETS * sizeof(*buckets), &at);
		buckets[3] = 5;
		buckets[i] = 1;
		a[0] = (struct calls_function){.address = 0x100, .calls = 6, .event_buckets_at = at};
		a[1] = (struct calls_function){.address = 0x200, .calls = 1};
		a[2] = (struct calls_function){.address = 0x300, .calls = 1, .event_buckets_at = SIZE - 64};
	}
	assert_int_equal(calls_counts_read(f->bytes, SIZE, 1, &counts), 0);
	assert_true(counts.n == 3 && counts.damaged == 2);
	const uint64_t *sums = counts.event_buckets + counts.rows[0].event_buckets;
	assert_true(sums[0] == 1 && sums[1] == 1 && sums[2] == 0 && sums[3] == 10);
	assert_true(counts.event_buckets[counts.rows[1].event_buckets + 3] == 0);
	calls_counts_free(&counts);
	free(f);
}

/* Two events: of a group that took turns, and of one that had no counter. */
static void events_are_scaled_or_absent(void **state)
{
	(void)state;
	struct file *f = file_create();
	struct calls_function *a;
	struct calls_arc *arcs;
	struct calls_counts counts;
	struct calls_thread *t = add_thread(f, 7, &a, &arcs);
	head_of(f)->events_n = 1;
	a[0] = (struct calls_function){.address = 0x100,
				       .calls = 1,
				       .outermost = 1,
				       .self = {.time = 1000, .events = {300}},
				       .total = {.time = 1000, .events = {300}}};
	t->enabled = 3000;
	t->running = 1000;
	assert_int_equal(calls_counts_read(f->bytes, SIZE, 1, &counts), 0);
	assert_true(counts.events_n == 1 && counts.rows[0].self[0] == 900 && counts.rows[0].total[0] == 900);
	calls_counts_free(&counts);
	t->running = 0;
	assert_int_equal(calls_counts_read(f->bytes, SIZE, 1, &counts), 0);
	assert_true(counts.events_n == 0 && counts.stop == CALLS_NO_EVENTS && counts.code == EBUSY);
	calls_counts_free(&counts);
	free(f);
}

static void what_cannot_be_is_counted(void **state)
{
	(void)state;
	struct file *f = file_create();
	struct calls_function *a;
	struct calls_arc *arcs;
	struct calls_counts counts;
	struct calls_thread *t = add_thread(f, 7, &a, &arcs);
	a[0] = (struct calls_function){.address = 0x100, .calls = 1};
	uint64_t at = head_of(f)->threads;
	t->next = at; /* a list without an end */
	assert_int_equal(calls_counts_read(f->bytes, SIZE, 0.5, &counts), 0);
	assert_true(counts.damaged >= 1 && counts.n == 1);
	calls_counts_free(&counts);
	t->next = SIZE - 8;
	t->functions_n = UINT32_MAX;
	assert_int_equal(calls_counts_read(f->bytes, SIZE, 0.5, &counts), 0);
	assert_true(counts.damaged == 2 && counts.n == 0);
	calls_counts_free(&counts);
	t->next = 0;
	t->functions_n = ROWS;
	t->functions_at = UINT64_MAX - 7;
	head_of(f)->modules = 13;
	assert_int_equal(calls_counts_read(f->bytes, SIZE, 0.5, &counts), 0);
	assert_true(counts.damaged == 2 && counts.n == 0 && counts.modules_n == 0);
	calls_counts_free(&counts);
	for (size_t n = 0; n < sizeof(struct calls_head); n++)
		assert_int_equal(calls_counts_read(f->bytes, n, 0.5, &counts), -EBADMSG);
	head_of(f)->version = 9;
	assert_int_equal(calls_counts_read(f->bytes, SIZE, 0.5, &counts), -EBADMSG);
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_summed_up),
		cmocka_unit_test(histograms_of_events_are_summed_up),
		cmocka_unit_test(events_are_scaled_or_absent),
		cmocka_unit_test(what_cannot_be_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
