/* Beginnings and ends of calls become calls: nested, recursive, of several threads, and those that never end. */
#include <cyctop/calls.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { F, G, FUNCTIONS };
enum { TOP = 0x7fff0000, WORD = 8 };

struct world {
	struct calls_pairs *p;
	struct calls_probed sums[FUNCTIONS];
	uint64_t ns;
};

static struct world *world_create(struct calls_pairing how)
{
	struct world *w = calloc(1, sizeof(*w));
	assert_non_null(w);
	how.functions_n = FUNCTIONS;
	how.popped = true;
	w->p = calls_pairs_create(&how);
	return w;
}

/* Each hit is 10 ns after the one before. */
static void hit(struct world *w, enum calls_hit_kind kind, uint32_t tid, uint32_t function, uint64_t sp)
{
	w->ns += 10;
	const struct calls_hit h = {
		.kind = kind, .pid = 1, .tid = tid, .function = function, .time_ns = w->ns, .sp = sp, .events = {1}};
	calls_pairs_add(w->p, &h);
}

static void begin(struct world *w, uint32_t function, uint64_t depth)
{
	hit(w, CALLS_BEGIN, 7, function, TOP - depth);
}

static void end(struct world *w, uint32_t function, uint64_t depth)
{
	hit(w, CALLS_END, 7, function, TOP - depth + WORD);
}

/* Checks the sums of a function, and frees the world after the last. */
static void check(struct world *w, uint32_t function, uint64_t calls, uint64_t returned, uint64_t left,
		  uint64_t unmatched)
{
	assert_int_equal(w->sums[function].calls, calls);
	assert_int_equal(w->sums[function].returned, returned);
	assert_int_equal(w->sums[function].left, left);
	assert_int_equal(w->sums[function].unmatched, unmatched);
}

static void world_destroy(struct world *w)
{
	calls_pairs_destroy(w->p);
	free(w);
}

static void nested_calls_have_their_own_times_and_callers(void **state)
{
	struct world *w = world_create((struct calls_pairing){.events_n = 1});
	(void)state;
	begin(w, F, 0);	 /* at 10 */
	begin(w, G, 64); /* at 20 */
	end(w, G, 64);	 /* at 30 */
	begin(w, G, 64); /* at 40 */
	end(w, G, 64);	 /* at 50 */
	end(w, F, 0);	 /* at 60 */
	assert_int_equal(calls_pairs_take(w->p, w->sums), 0);
	check(w, F, 1, 1, 0, 0);
	check(w, G, 2, 2, 0, 0);
	assert_float_equal(w->sums[F].total[CALLS_TIME], 50, 0);
	assert_float_equal(w->sums[F].self[CALLS_TIME], 30, 0);
	assert_float_equal(w->sums[G].all_ns, 20, 0);
	assert_float_equal(w->sums[F].total[CALLS_EVENT], 5, 0);
	assert_float_equal(w->sums[F].self[CALLS_EVENT], 3, 0);
	assert_int_equal(w->sums[G].callers[F].calls, 2);
	assert_int_equal(w->sums[F].callers[CALLS_FUNCTIONS_MAX].calls, 1);
	assert_int_equal(w->sums[G].buckets[CALLS_TIME][3], 2);	 /* 8 to 15 ns */
	assert_int_equal(w->sums[G].buckets[CALLS_EVENT][1], 2); /* 1 */
	assert_int_equal(w->sums[F].buckets[CALLS_EVENT][3], 1); /* 4 to 7 */
	world_destroy(w);
}

static void the_cost_of_probes_is_subtracted(void **state)
{
	const struct calls_cost cost = {.inside = {2, 0.25}, .whole = {5, 0.5}, .begin = {3}};
	struct world *w = world_create((struct calls_pairing){.events_n = 1, .costs = {cost, cost}});
	(void)state;
	begin(w, F, 0);
	begin(w, G, 64);
	end(w, G, 64);
	end(w, F, 0);
	calls_pairs_take(w->p, w->sums);
	assert_float_equal(w->sums[G].total[CALLS_TIME], 10 - 2, 0);
	assert_float_equal(w->sums[F].total[CALLS_TIME], 30 - 2 - 5, 0);
	assert_float_equal(w->sums[F].self[CALLS_TIME], 20 - 2 - 3, 0);
	assert_float_equal(w->sums[F].total[CALLS_EVENT], 3 - 0.25 - 0.5, 0);
	assert_float_equal(w->sums[F].self[CALLS_EVENT], 2 - 0.25 - 0.25, 0);
	assert_int_equal(w->sums[F].buckets[CALLS_EVENT][2], 1); /* 2 to 3 */
	begin(w, F, 0);
	begin(w, G, 64); /* is left */
	end(w, F, 0);
	calls_pairs_take(w->p, w->sums);
	assert_float_equal(w->sums[F].total[CALLS_TIME], 20 - 2 - 3, 0);
	assert_float_equal(w->sums[F].self[CALLS_TIME], 20 - 2 - 3, 0);
	world_destroy(w);
}

static void recursive_calls_are_in_the_total_of_the_outermost(void **state)
{
	struct world *w = world_create((struct calls_pairing){.events_n = 0});
	(void)state;
	for (uint64_t i = 0; i < 50; i++)
		begin(w, F, 32 * i);
	assert_int_equal(calls_pairs_take(w->p, w->sums), 50);
	check(w, F, 50, 0, 0, 0);
	for (uint64_t i = 50; i > 0; i--)
		end(w, F, 32 * (i - 1));
	assert_int_equal(calls_pairs_take(w->p, w->sums), 0);
	check(w, F, 0, 50, 0, 0);
	assert_int_equal(w->sums[F].outermost, 1);
	assert_float_equal(w->sums[F].total[CALLS_TIME], 990, 0);
	assert_float_equal(w->sums[F].self[CALLS_TIME], 990, 0);
	world_destroy(w);
}

static void threads_do_not_mix(void **state)
{
	struct world *w = world_create((struct calls_pairing){.events_n = 0});
	(void)state;
	hit(w, CALLS_BEGIN, 7, F, TOP);
	hit(w, CALLS_BEGIN, 8, F, TOP - 64);
	hit(w, CALLS_END, 7, F, TOP + WORD);
	hit(w, CALLS_END, 8, F, TOP - 64 + WORD);
	hit(w, CALLS_END, 9, F, TOP); /* began before */
	calls_pairs_take(w->p, w->sums);
	check(w, F, 2, 2, 0, 1);
	assert_float_equal(w->sums[F].all_ns, 40, 0);
	world_destroy(w);
}

static void a_call_without_an_end_is_left_and_never_long(void **state)
{
	struct world *w = world_create((struct calls_pairing){.events_n = 0});
	(void)state;
	for (int i = 0; i < 100; i++) { /* G jumps out of F's frame, which goes on */
		begin(w, F, 0);
		begin(w, G, 64);
		end(w, F, 0);
	}
	calls_pairs_take(w->p, w->sums);
	check(w, F, 100, 100, 0, 0);
	check(w, G, 100, 0, 100, 0);
	for (int i = 0; i < 100; i++) { /* both are left */
		begin(w, F, 0);
		begin(w, G, 64);
	}
	begin(w, F, 0);
	end(w, F, 0);
	assert_int_equal(calls_pairs_take(w->p, w->sums), 0);
	check(w, F, 101, 1, 100, 0);
	check(w, G, 100, 0, 100, 0);
	assert_float_equal(w->sums[F].all_ns, 10, 0);
	world_destroy(w);
}

static void a_lost_end_does_not_take_the_end_of_another_call(void **state)
{
	struct world *w = world_create((struct calls_pairing){.events_n = 0});
	(void)state;
	begin(w, F, 0);
	begin(w, F, 64); /* its end is lost */
	end(w, F, 0);
	begin(w, F, 0);
	end(w, F, 32); /* of one whose beginning was lost: deeper than what is open */
	end(w, F, 0);
	calls_pairs_take(w->p, w->sums);
	check(w, F, 3, 2, 1, 1);
	world_destroy(w);
}

static void a_call_in_place_of_a_return_is_within_its_caller(void **state)
{
	struct world *w = world_create((struct calls_pairing){.events_n = 0});
	(void)state;
	begin(w, F, 0);
	begin(w, G, 0); /* F ends with a jump to G: both have one frame, and two ends */
	end(w, G, 0);
	end(w, F, 0);
	calls_pairs_take(w->p, w->sums);
	check(w, F, 1, 1, 0, 0);
	check(w, G, 1, 1, 0, 0);
	assert_int_equal(w->sums[G].callers[F].calls, 1);
	begin(w, F, 0); /* here F is left, and G called from where F was */
	begin(w, G, 0);
	end(w, G, 0);
	begin(w, G, 0);
	end(w, G, 0);
	calls_pairs_take(w->p, w->sums);
	check(w, F, 1, 0, 1, 0);
	check(w, G, 2, 2, 0, 0);
	world_destroy(w);
}

static void another_stack_is_not_compared(void **state)
{
	struct world *w = world_create((struct calls_pairing){.events_n = 0});
	const uint64_t far = 1 << 30;
	(void)state;
	begin(w, F, far);
	hit(w, CALLS_BEGIN, 7, G, TOP); /* a signal handler on a stack of its own, which is higher */
	hit(w, CALLS_END, 7, G, TOP + WORD);
	end(w, F, far);
	calls_pairs_take(w->p, w->sums);
	check(w, F, 1, 1, 0, 0);
	check(w, G, 1, 1, 0, 0);
	world_destroy(w);
}

static void what_is_lost_or_gone_leaves_all_open_calls(void **state)
{
	struct world *w = world_create((struct calls_pairing){.events_n = 0});
	(void)state;
	begin(w, F, 0);
	hit(w, CALLS_BEGIN, 8, F, TOP);
	hit(w, CALLS_LOST, 0, 0, 0);
	end(w, F, 0);
	begin(w, F, 0);
	hit(w, CALLS_GONE, 7, 0, 0);
	end(w, F, 0); /* of another thread with that number */
	assert_int_equal(calls_pairs_take(w->p, w->sums), 0);
	check(w, F, 3, 0, 3, 2);
	world_destroy(w);
}

static void beginnings_alone_are_counted(void **state)
{
	struct world *w = world_create((struct calls_pairing){.begins_only = {true}});
	(void)state;
	for (int i = 0; i < 3; i++)
		begin(w, F, 0);
	assert_int_equal(calls_pairs_take(w->p, w->sums), 0);
	check(w, F, 3, 0, 0, 0);
	world_destroy(w);
}

static void the_depth_of_a_thread_is_bounded(void **state)
{
	struct world *w = world_create((struct calls_pairing){.events_n = 0});
	enum { DEEP = 5000 };
	(void)state;
	for (uint64_t i = 0; i < DEEP; i++)
		begin(w, i % 2 ? F : G, 16 * i);
	size_t open = calls_pairs_take(w->p, w->sums);
	assert_in_range(open, 1, DEEP / 2);
	assert_int_equal(w->sums[F].left + w->sums[G].left + open, DEEP);
	for (uint64_t i = DEEP; i > 0; i--)
		end(w, (i - 1) % 2 ? F : G, 16 * (i - 1));
	assert_int_equal(calls_pairs_take(w->p, w->sums), 0);
	assert_int_equal(w->sums[F].returned + w->sums[G].returned, open);
	assert_int_equal(w->sums[F].unmatched + w->sums[G].unmatched, DEEP - open);
	world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_calls_have_their_own_times_and_callers),
		cmocka_unit_test(the_cost_of_probes_is_subtracted),
		cmocka_unit_test(recursive_calls_are_in_the_total_of_the_outermost),
		cmocka_unit_test(threads_do_not_mix),
		cmocka_unit_test(a_call_without_an_end_is_left_and_never_long),
		cmocka_unit_test(a_lost_end_does_not_take_the_end_of_another_call),
		cmocka_unit_test(a_call_in_place_of_a_return_is_within_its_caller),
		cmocka_unit_test(another_stack_is_not_compared),
		cmocka_unit_test(what_is_lost_or_gone_leaves_all_open_calls),
		cmocka_unit_test(beginnings_alone_are_counted),
		cmocka_unit_test(the_depth_of_a_thread_is_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
