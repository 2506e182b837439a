/* Stretches of the past, and totals over time. */
#include "../lib/model_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t second_ns = 1000000000;

/* 100 seconds from 1 s on; second i has i + 1 samples of cycles. */
static void measure_second(struct world *w, int i)
{
	add(w, APP, i < 50 ? HOT : COLD, 0, CYCLES, i + 1, 10);
	w->counters[CYCLES * CPUS].value = 1000 * (uint64_t)(i + 1);
	w->cpus[0].busy_ns = (uint64_t)i * 10;
	w->cpus[0].idle_ns = 1000 - w->cpus[0].busy_ns;
	tick(w);
}

static void measure(struct world *w, size_t bytes)
{
	world_init(w);
	model_keep(w->model, bytes);
	for (int i = 0; i < 100; i++)
		measure_second(w, i);
}

static struct snapshot *look_at(struct world *w, uint64_t from_ns, uint64_t to_ns, enum window window)
{
	struct query q = query();
	q.window = window;
	q.stretch = (struct stretch){from_ns, to_ns};
	return look(w, q);
}

static void a_stretch_shows_its_intervals(void **state)
{
	(void)state;
	struct world w;
	measure(&w, 1 << 20);
	for (enum window window = WINDOW_SLIDING; window <= WINDOW_TOTAL; window++) {
		struct snapshot *s = look_at(&w, 11 * second_ns, 16 * second_ns, window);
		assert_true(s->start_ns == 11 * second_ns && s->end_ns == 16 * second_ns);
		assert_true(s->events[CYCLES].samples == 11 + 12 + 13 + 14 + 15);
		assert_int_equal(s->pivots[BY_SYMBOL].n, 1);
		assert_int_equal(s->pivots[BY_SYMBOL].rows[0].sym, HOT);
		snapshot_destroy(s);
	}
	/* Its edges need not be those of intervals: most of an interval decides. */
	struct snapshot *s = look_at(&w, 11 * second_ns - 300000000, 16 * second_ns + 300000000, WINDOW_SLIDING);
	assert_true(s->start_ns == 11 * second_ns && s->end_ns == 16 * second_ns);
	snapshot_destroy(s);
	/* shorter than an interval, before and after all of them */
	static const struct {
		uint64_t from, to, start;
	} t[] = {{30100, 30200, 30000}, {0, 10, 1000}, {900000, 901000, 100000}};
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		s = look_at(&w, t[i].from * 1000000, t[i].to * 1000000, WINDOW_SLIDING);
		assert_true(s->start_ns == t[i].start * 1000000 && s->end_ns == s->start_ns + second_ns);
		snapshot_destroy(s);
	}
	struct stretch extent = model_extent(w.model);
	assert_true(extent.from_ns == second_ns && extent.to_ns == 101 * second_ns);
	model_destroy(w.model);
	world_init(&w);
	s = look_at(&w, 5, 10, WINDOW_SLIDING); /* nothing was measured */
	assert_true(s->events[CYCLES].samples == 0 && s->end_ns == 0);
	snapshot_destroy(s);
	assert_true(model_extent(w.model).to_ns == 0);
	model_destroy(w.model);
}

/* Stretches side by side have every interval once, however coarse the history is. */
static void neighbours_add_up(void **state)
{
	(void)state;
	for (size_t bytes = 1 << 13; bytes <= 1 << 20; bytes <<= 7) {
		struct world w;
		measure(&w, bytes);
		uint64_t samples = 0, end_ns = second_ns;
		for (uint64_t at = 0; at < 120; at += 8) {
			struct snapshot *s = look_at(&w, at * second_ns, (at + 8) * second_ns, WINDOW_SLIDING);
			if (s->start_ns == end_ns) { /* else it is within an interval that was counted */
				samples += s->events[CYCLES].samples;
				end_ns = s->end_ns;
			}
			snapshot_destroy(s);
		}
		assert_true(samples == 100 * 101 / 2 && end_ns == 101 * second_ns);
		model_destroy(w.model);
	}
}

static void the_timeline_is_that_of_the_counters(void **state)
{
	(void)state;
	struct world w;
	struct timeline line = {0};
	const struct query q = query();
	measure(&w, 1 << 20);
	const struct timeline_query t = {
		.query = &q, .event = CYCLES, .from_ns = 91 * second_ns, .column_ns = second_ns};
	timeline_update(&line, w.model, &t, 20);
	for (int i = 0; i < 20; i++) {
		const struct timeline_column *c = &line.columns[i];
		assert_true(c->measured == (i < 10));
		if (!c->measured)
			continue;
		double cycles = 1000 * (i + 91) + 1000; /* on two CPUs */
		assert_true(c->rate_known && c->rate == cycles);
		assert_true(c->busy_known && c->busy == ((i + 90) * 10 + 400) / 2000.0);
		assert_true(c->metrics[0].valid && c->metrics[0].value == 2000 / cycles);
	}
	/* several intervals in a column */
	const struct timeline_query wide = {
		.query = &q, .event = EVENTS_MAX, .from_ns = 81 * second_ns, .column_ns = 10 * second_ns};
	timeline_update(&line, w.model, &wide, 2);
	assert_true(line.columns[0].measured && !line.columns[0].rate_known);
	assert_true(line.columns[0].metrics[0].value == 20000 / (1000 * (81 + 90) * 5.0 + 10000));
	timeline_deinit(&line);
	model_destroy(w.model);
}

/* Of an interval that is longer than a column, every column has its value. */
static void long_intervals_fill_their_columns(void **state)
{
	(void)state;
	struct world w;
	struct timeline line = {0};
	const struct query q = query();
	measure(&w, 1 << 13);
	struct model_stats stats;
	model_stats_get(w.model, &stats);
	assert_in_range(stats.intervals, 9, 40);
	const struct timeline_query t = {.query = &q, .event = CYCLES, .column_ns = second_ns};
	timeline_update(&line, w.model, &t, 110);
	double sum = 0;
	for (int i = 0; i < 110; i++) {
		assert_true(line.columns[i].measured == (i >= 1 && i < 101));
		sum += line.columns[i].rate;
	}
	assert_true(sum == 1000 * (100 * 101 / 2) + 1000 * 100);
	timeline_deinit(&line);
	model_destroy(w.model);
}

static void assert_same_columns(const struct timeline *a, const struct timeline *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct timeline_column *x = &a->columns[i], *y = &b->columns[i];
		assert_true(x->measured == y->measured && x->busy_known == y->busy_known && x->busy == y->busy);
		assert_true(x->rate_known == y->rate_known && x->rate == y->rate);
		for (size_t m = 0; m < metrics_builtin.n; m++)
			assert_true(x->metrics[m].valid == y->metrics[m].valid &&
				    x->metrics[m].value == y->metrics[m].value);
	}
}

/* A strip that moves on with time is the one that is made anew, also where the history is joined and dropped meanwhile,
 * and where its width, its columns or its place change. */
static void a_strip_that_moves_on_is_the_whole_one(void **state)
{
	(void)state;
	const struct query q = query();
	for (size_t bytes = 1 << 13; bytes <= 1 << 20; bytes <<= 7) {
		struct world w;
		struct timeline line = {0};
		world_init(&w);
		model_keep(w.model, bytes);
		for (int i = 0; i < 100; i++) {
			measure_second(&w, i);
			size_t n = i % 17 < 12 ? 30 : 25;
			uint64_t column_ns = i % 23 < 15 ? second_ns : 2 * second_ns;
			uint64_t end = model_extent(w.model).to_ns / column_ns + (i % 5 == 0) - (i % 29 == 28 ? 20 : 0);
			const struct timeline_query t = {.query = &q,
							 .event = i % 31 < 25 ? CYCLES : INSTRUCTIONS,
							 .from_ns = (end > n ? end - n : 0) * column_ns,
							 .column_ns = column_ns};
			struct timeline whole = {0};
			timeline_update(&line, w.model, &t, n);
			timeline_update(&whole, w.model, &t, n);
			assert_same_columns(&line, &whole);
			timeline_deinit(&whole);
		}
		timeline_deinit(&line);
		model_destroy(w.model);
	}
}

/* What a strip shows already is not computed again. */
static void complete_columns_are_kept(void **state)
{
	(void)state;
	struct world w;
	struct timeline line = {0};
	const struct query q = query();
	measure(&w, 1 << 20);
	struct timeline_query t = {.query = &q, .event = CYCLES, .from_ns = 81 * second_ns, .column_ns = second_ns};
	timeline_update(&line, w.model, &t, 20);
	for (size_t i = 0; i < 20; i++)
		line.columns[i].rate = -1;
	measure_second(&w, 100);
	t.from_ns += second_ns;
	timeline_update(&line, w.model, &t, 20);
	for (size_t i = 0; i < 20; i++)
		assert_true(i < 19 ? line.columns[i].rate == -1 : line.columns[i].rate == 1000 * 101 + 1000);
	timeline_deinit(&line);
	model_destroy(w.model);
}

/* A copy of a stretch has the intervals that lie in it, the newest if there are too many. */
static void a_stretch_is_copied(void **state)
{
	(void)state;
	struct world w;
	measure(&w, 1 << 20);
	const struct stretch s = {11 * second_ns, 16 * second_ns};
	const struct model_names names = {.cat = &w.cat, .cpus_n = CPUS, .events_n = EVENTS};
	struct query q = query();
	q.window = WINDOW_SLIDING;
	q.sliding_ns = INT64_MAX;
	for (size_t most = 3; most < 10; most++) {
		struct model *copy = model_copy_stretch(w.model, s, most);
		struct snapshot *of = snapshot_create(copy, &names, &q);
		assert_true(of->end_ns == 16 * second_ns);
		assert_true(of->start_ns == (most < 5 ? 16 - most : 11) * second_ns);
		snapshot_destroy(of);
		model_destroy(copy);
	}
	assert_null(model_copy_stretch(w.model, (struct stretch){1, 2}, 10));
	assert_null(model_copy_stretch(w.model, s, 0));
	model_destroy(w.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stretch_shows_its_intervals),
		cmocka_unit_test(neighbours_add_up),
		cmocka_unit_test(the_timeline_is_that_of_the_counters),
		cmocka_unit_test(long_intervals_fill_their_columns),
		cmocka_unit_test(a_strip_that_moves_on_is_the_whole_one),
		cmocka_unit_test(complete_columns_are_kept),
		cmocka_unit_test(a_stretch_is_copied),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
