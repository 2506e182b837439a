/* The order in which the merger passes records on, and which records it keeps or drops. */
#include <cyctop/record.h>

#include "../lib/merge_singly.h"
#include "../lib/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LANES 4
#define LOG_MAX 4096

/* The records that were passed on, in this order. */
struct entry {
	size_t lane;
	uint64_t time;
	uint32_t type, pid;
};

struct world {
	struct record_layout layout;
	struct merger *merger;
	struct merge_stats stats;
	struct lane lanes[LANES];
	uint8_t bytes[LANES][8192];
	size_t n[LANES];
	struct entry log[LOG_MAX];
	size_t log_n;
};

static int world_setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct perf_attr attr = lib_attr(
		SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD, 0, 0, true);
	if (!w || record_layout_init(&w->layout, &attr) < 0)
		return -1;
	w->merger = merger_create();
	w->lanes[0].sideband = w->lanes[1].sideband = true;
	*state = w;
	return 0;
}

static int world_teardown(void **state)
{
	struct world *w = *state;
	merger_destroy(w->merger);
	free(w);
	return 0;
}

static void put(struct world *w, size_t lane, uint32_t type, uint64_t time, uint32_t pid)
{
	struct record rec = {.type = type, .id = {.time_ns = time, .pid = pid, .tid = pid}};
	if (type == RECORD_COMM)
		rec.u.comm.comm = "name";
	size_t n = record_encode(&w->layout, &rec, w->bytes[lane] + w->n[lane], sizeof(w->bytes[lane]) - w->n[lane]);
	assert_int_not_equal(n, 0);
	w->n[lane] += n;
}

static void note(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct world *w = ctx;
	struct record rec;
	assert_int_equal(record_decode(&w->layout, bytes, size, &rec), 0);
	assert_int_equal(rec.size, size);
	assert_true(w->log_n < LOG_MAX);
	w->log[w->log_n++] = (struct entry){(size_t)(lane - w->lanes), rec.id.time_ns, rec.type, rec.id.pid};
}

/* Merges the lanes, each in two slices, the first of `cut` bytes. */
static void run(struct world *w, size_t lanes, uint64_t horizon, size_t cut)
{
	for (size_t i = 0; i < lanes; i++) {
		struct lane *l = &w->lanes[i];
		size_t a = cut < w->n[i] ? cut : w->n[i];
		l->a = w->bytes[i];
		l->a_len = a;
		l->b = w->bytes[i] + a;
		l->b_len = w->n[i] - a;
		l->used = 0;
	}
	merger_run(w->merger, &w->layout, w->lanes, lanes, horizon, merge_singly,
		   &(struct merge_singly){&w->layout, note, w}, &w->stats);
}

static void expect(const struct world *w, const struct entry *want, size_t n)
{
	assert_int_equal(w->log_n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(w->log[i].lane, want[i].lane);
		assert_int_equal(w->log[i].time, want[i].time);
		assert_int_equal(w->log[i].type, want[i].type);
	}
}

static void empty_lanes_give_no_records(void **state)
{
	struct world *w = *state;
	run(w, 0, UINT64_MAX, 0);
	run(w, LANES, UINT64_MAX, 0);
	assert_int_equal(w->log_n, 0);
	assert_int_equal(w->stats.records + w->stats.malformed, 0);
}

/* Adds samples at 10, 20, ... 60 to two lanes, and mappings at 25, 30 and 45 to two others. */
static void fill(struct world *w)
{
	put(w, 2, RECORD_SAMPLE, 10, 1);
	put(w, 3, RECORD_SAMPLE, 20, 2);
	put(w, 2, RECORD_SAMPLE, 30, 3);
	put(w, 3, RECORD_SAMPLE, 40, 4);
	put(w, 2, RECORD_SAMPLE, 50, 5);
	put(w, 3, RECORD_SAMPLE, 60, 6);
	put(w, 1, RECORD_FORK, 25, 7);
	put(w, 0, RECORD_COMM, 30, 8);
	put(w, 1, RECORD_EXIT, 45, 9);
}

static const struct entry merged[] = {
	{2, 10, RECORD_SAMPLE, 0}, {3, 20, RECORD_SAMPLE, 0}, {1, 25, RECORD_FORK, 0},
	{0, 30, RECORD_COMM, 0}, /* has the time of a sample, and precedes it */
	{2, 30, RECORD_SAMPLE, 0}, {3, 40, RECORD_SAMPLE, 0}, {1, 45, RECORD_EXIT, 0},
	{2, 50, RECORD_SAMPLE, 0}, {3, 60, RECORD_SAMPLE, 0},
};

static void sideband_records_precede_newer_samples(void **state)
{
	struct world *w = *state;
	fill(w);
	run(w, LANES, UINT64_MAX, SIZE_MAX);
	expect(w, merged, ARRAY_LEN(merged));
	assert_int_equal(w->stats.records, 9);
	for (size_t i = 0; i < LANES; i++)
		assert_int_equal(w->lanes[i].used, w->n[i]);
}

static void wrapping_at_any_byte_changes_nothing(void **state)
{
	struct world *w = *state;
	fill(w);
	for (size_t cut = 0; cut < w->n[2] + 8; cut++) {
		w->log_n = 0;
		run(w, LANES, UINT64_MAX, cut);
		expect(w, merged, ARRAY_LEN(merged));
	}
	assert_int_equal(w->stats.malformed, 0);
}

static void records_beyond_the_horizon_stay_in_their_lanes(void **state)
{
	struct world *w = *state;
	fill(w);
	run(w, LANES, 30, 24);
	expect(w, merged, 3);
	/* The records beyond the horizon are passed on in the next call. */
	merger_run(w->merger, &w->layout, w->lanes, LANES, 45, merge_singly,
		   &(struct merge_singly){&w->layout, note, w}, &w->stats);
	expect(w, merged, 6);
	merger_run(w->merger, &w->layout, w->lanes, LANES, 46, merge_singly,
		   &(struct merge_singly){&w->layout, note, w}, &w->stats);
	expect(w, merged, 7);
	merger_run(w->merger, &w->layout, w->lanes, LANES, 1000, merge_singly,
		   &(struct merge_singly){&w->layout, note, w}, &w->stats);
	expect(w, merged, 9);
}

static void a_record_out_of_order_is_passed_on(void **state)
{
	struct world *w = *state;
	const struct entry want[] = {
		{2, 50, RECORD_SAMPLE, 0},
		{0, 20, RECORD_COMM, 0},
		{2, 30, RECORD_SAMPLE, 0},
	};
	put(w, 2, RECORD_SAMPLE, 50, 1);
	run(w, LANES, 60, 0);
	w->n[2] = 0;
	put(w, 2, RECORD_SAMPLE, 30, 1);
	put(w, 0, RECORD_COMM, 20, 1);
	run(w, LANES, 70, 0);
	expect(w, want, ARRAY_LEN(want));
}

static void a_lane_keeps_its_own_order(void **state)
{
	struct world *w = *state;
	/* out of order, because an interrupt came between reading the clock and writing the
	 * record */
	const struct entry want[] = {
		{2, 11, RECORD_SAMPLE, 0}, {2, 10, RECORD_SAMPLE, 0}, {0, 12, RECORD_COMM, 0},
		{2, 13, RECORD_SAMPLE, 0}, {2, 9, RECORD_SAMPLE, 0},
	};
	put(w, 2, RECORD_SAMPLE, 11, 1);
	put(w, 2, RECORD_SAMPLE, 10, 1);
	put(w, 2, RECORD_SAMPLE, 13, 1);
	put(w, 2, RECORD_SAMPLE, 9, 1);
	put(w, 0, RECORD_COMM, 12, 1);
	run(w, LANES, UINT64_MAX, 0);
	expect(w, want, ARRAY_LEN(want));
}

static void sideband_is_sorted_over_its_lanes(void **state)
{
	struct world *w = *state;
	const struct entry want[] = {
		{1, 5, RECORD_COMM, 0}, {0, 7, RECORD_FORK, 0}, {1, 7, RECORD_COMM, 0},
		{1, 8, RECORD_FORK, 0}, {0, 9, RECORD_COMM, 0},
	};
	put(w, 0, RECORD_COMM, 9, 1);
	put(w, 0, RECORD_FORK, 7, 1);
	put(w, 1, RECORD_COMM, 5, 1);
	put(w, 1, RECORD_COMM, 7, 1);
	put(w, 1, RECORD_FORK, 8, 1);
	run(w, LANES, UINT64_MAX, 0);
	expect(w, want, ARRAY_LEN(want));
}

static void records_without_a_time_do_not_wait(void **state)
{
	struct world *w = *state;
	const struct entry want[] = {
		{2, 0, RECORD_SAMPLE, 0},			   /* without a time, first in its lane */
		{0, 20, RECORD_COMM, 0},   {0, 0, RECORD_COMM, 0}, /* without a time: follows its predecessor */
		{2, 30, RECORD_SAMPLE, 0}, {2, 0, RECORD_LOST, 0}, {2, 31, RECORD_SAMPLE, 0},
	};
	put(w, 0, RECORD_COMM, 20, 1);
	put(w, 0, RECORD_COMM, 0, 1);
	put(w, 2, RECORD_SAMPLE, 0, 1);
	put(w, 2, RECORD_SAMPLE, 30, 1);
	put(w, 2, RECORD_LOST, 0, 1);
	put(w, 2, RECORD_SAMPLE, 31, 1);
	run(w, LANES, 32, 0);
	expect(w, want, ARRAY_LEN(want));
}

static void a_layout_without_time_merges_nothing(void **state)
{
	struct world *w = *state;
	struct perf_attr attr = lib_attr(SAMPLE_IP, 0, 0, true);
	assert_int_equal(record_layout_init(&w->layout, &attr), 0);
	put(w, 0, RECORD_COMM, 0, 1);
	put(w, 2, RECORD_SAMPLE, 0, 1);
	run(w, LANES, 1, 0);
	assert_int_equal(w->log_n, 2);
}

/* Adds the same records to two mixed lanes, as in a recording. */
static void fill_mixed(struct world *w)
{
	w->lanes[2].mixed = w->lanes[3].mixed = true;
	put(w, 2, RECORD_MMAP, 0, 1); /* a synthesised record, without a time */
	put(w, 2, RECORD_SAMPLE, 10, 1);
	put(w, 2, RECORD_EXIT, 20, 2);
	put(w, 2, RECORD_SAMPLE, 30, 3);
	put(w, 2, RECORD_COMM, 45, 9);
	put(w, 2, RECORD_SAMPLE, 45, 4);
	put(w, 3, RECORD_SAMPLE, 20, 2);
	put(w, 3, RECORD_FORK, 28, 3);
	put(w, 3, RECORD_SAMPLE, 40, 3);
	put(w, 3, RECORD_SAMPLE, 50, 5);
	put(w, 3, RECORD_EXIT, 50, 5);
}

static const struct entry mixed[] = {
	{2, 0, RECORD_MMAP, 0},	   {2, 10, RECORD_SAMPLE, 0}, {2, 20, RECORD_EXIT, 0},	 {3, 20, RECORD_SAMPLE, 0},
	{3, 28, RECORD_FORK, 0},   {2, 30, RECORD_SAMPLE, 0}, {3, 40, RECORD_SAMPLE, 0}, {2, 45, RECORD_COMM, 0},
	{2, 45, RECORD_SAMPLE, 0}, {3, 50, RECORD_EXIT, 0},   {3, 50, RECORD_SAMPLE, 0},
};

static void mixed_lanes_are_sorted_as_if_they_were_two(void **state)
{
	struct world *w = *state;
	for (unsigned swap = 0; swap < 2; swap++) {
		memset(w->n, 0, sizeof(w->n));
		w->layout.swap = swap;
		fill_mixed(w);
		for (size_t cut = 0; cut < w->n[2] + 8; cut++) {
			w->log_n = 0;
			w->stats = (struct merge_stats){0};
			run(w, LANES, UINT64_MAX, cut);
			expect(w, mixed, ARRAY_LEN(mixed));
			assert_int_equal(w->stats.records, ARRAY_LEN(mixed));
			assert_int_equal(w->stats.malformed, 0);
			assert_int_equal(w->lanes[2].used, w->n[2]);
			assert_int_equal(w->lanes[3].used, w->n[3]);
		}
	}
}

static void mixed_lanes_are_cut_at_any_horizon(void **state)
{
	struct world *w = *state;
	fill_mixed(w);
	for (uint64_t step = 1; step < 60; step++) {
		w->log_n = 0;
		run(w, LANES, step, 0);
		for (uint64_t horizon = 2 * step; horizon < 60 + step; horizon += step)
			merger_run(w->merger, &w->layout, w->lanes, LANES, horizon, merge_singly,
				   &(struct merge_singly){&w->layout, note, w}, &w->stats);
		expect(w, mixed, ARRAY_LEN(mixed));
	}
	assert_int_equal(w->stats.malformed, 0);
}

/* Uses lane 3 of fill_mixed(): a fork and an exit among four samples. */
static void known_offsets_of_a_mixed_lane_are_used(void **state)
{
	struct world *w = *state;
	size_t at[5], others[2];
	fill_mixed(w);
	for (size_t i = 0, sum = 0; i < ARRAY_LEN(at); i++) {
		struct record_header h;
		memcpy(&h, w->bytes[3] + sum, sizeof(h));
		at[i] = sum;
		sum += h.size;
	}
	others[0] = at[1];
	others[1] = at[4];
	w->lanes[3].nonsample_offsets = others;
	w->lanes[3].nonsamples_n = ARRAY_LEN(others);
	for (uint64_t step = 1; step < 60; step++) {
		w->log_n = 0;
		run(w, LANES, step, 0);
		for (uint64_t horizon = 2 * step; horizon < 60 + step; horizon += step)
			merger_run(w->merger, &w->layout, w->lanes, LANES, horizon, merge_singly,
				   &(struct merge_singly){&w->layout, note, w}, &w->stats);
		expect(w, mixed, ARRAY_LEN(mixed));
	}
	/* the merger does not search for a record that is missing in the offsets */
	w->lanes[3].nonsamples_n = 1;
	w->log_n = 0;
	run(w, LANES, UINT64_MAX, 0);
	assert_int_equal(w->log_n, ARRAY_LEN(mixed) - 1);
}

static void mixed_lanes_without_time_keep_their_order(void **state)
{
	struct world *w = *state;
	struct perf_attr attr = lib_attr(SAMPLE_IP, 0, 0, true);
	const struct entry want[] = {
		{2, 0, RECORD_SAMPLE, 0}, {2, 0, RECORD_COMM, 0}, {2, 0, RECORD_SAMPLE, 0}, {2, 0, RECORD_EXIT, 0}};
	assert_int_equal(record_layout_init(&w->layout, &attr), 0);
	w->lanes[2].mixed = true;
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		put(w, 2, want[i].type, 0, 1);
	run(w, LANES, UINT64_MAX, 0);
	expect(w, want, ARRAY_LEN(want));
}

/* A recording whose attrs have the time at different places in the trailer: only samples have a
 * usable time. */
static void without_a_time_sideband_keeps_its_place_among_samples(void **state)
{
	struct world *w = *state;
	const struct entry want[] = {{2, 0, RECORD_FORK, 0},	{2, 10, RECORD_SAMPLE, 0}, {2, 0, RECORD_COMM, 0},
				     {2, 20, RECORD_SAMPLE, 0}, {2, 20, RECORD_SAMPLE, 0}, {2, 0, RECORD_EXIT, 0}};
	w->lanes[2].mixed = true;
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		put(w, 2, want[i].type, want[i].time, 1);
	for (uint64_t horizon = 30; horizon; horizon = horizon == 30 ? UINT64_MAX : 0) {
		w->log_n = 0;
		run(w, LANES, horizon, 0);
		expect(w, want, ARRAY_LEN(want));
	}
}

static void a_damaged_mixed_lane_is_counted_once(void **state)
{
	struct world *w = *state;
	w->lanes[2].mixed = true;
	put(w, 2, RECORD_COMM, 10, 1);
	put(w, 2, RECORD_SAMPLE, 20, 1);
	const struct record_header small = {RECORD_COMM, 0, 16}, bad = {RECORD_COMM, 0, 4};
	memset(w->bytes[2] + w->n[2], 0xff, 16);
	memcpy(w->bytes[2] + w->n[2], &small, sizeof(small));
	w->n[2] += small.size;
	put(w, 2, RECORD_COMM, 30, 1);
	memcpy(w->bytes[2] + w->n[2], &bad, sizeof(bad));
	w->n[2] += 40;
	run(w, LANES, UINT64_MAX, 0);
	assert_int_equal(w->log_n, 3);
	assert_int_equal(w->stats.records, 3);
	assert_int_equal(w->stats.malformed, 2);
	assert_int_equal(w->stats.malformed_bytes, 16 + 40);
	assert_int_equal(w->lanes[2].used, w->n[2]);
}

static void bad_sizes_drop_the_lane(void **state)
{
	static const uint16_t sizes[] = {0, 4, 7, 12, 60, 20000, 65528, 65535};
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		for (size_t bad = 1; bad < 3; bad++) { /* a sideband lane, a data lane */
			struct world *w = *state;
			memset(w->n, 0, sizeof(w->n));
			w->log_n = 0;
			w->stats = (struct merge_stats){0};
			put(w, bad, bad == 1 ? RECORD_COMM : RECORD_SAMPLE, 10, 1);
			size_t at = w->n[bad];
			put(w, bad, bad == 1 ? RECORD_COMM : RECORD_SAMPLE, 20, 1);
			put(w, 3, RECORD_SAMPLE, 15, 1);
			put(w, 0, RECORD_COMM, 30, 1);
			memcpy(w->bytes[bad] + at + 6, &sizes[i], 2);
			run(w, LANES, UINT64_MAX, 13);
			assert_int_equal(w->log_n, 3);
			assert_int_equal(w->stats.records, 3);
			assert_int_equal(w->stats.malformed, 1);
			assert_int_equal(w->stats.malformed_bytes, w->n[bad] - at);
			assert_int_equal(w->lanes[bad].used, w->n[bad]);
		}
	}
}

static void half_a_header_is_dropped(void **state)
{
	struct world *w = *state;
	put(w, 2, RECORD_SAMPLE, 10, 1);
	w->n[2] += 5;
	run(w, LANES, UINT64_MAX, 0);
	assert_int_equal(w->log_n, 1);
	assert_int_equal(w->stats.malformed, 1);
	assert_int_equal(w->stats.malformed_bytes, 5);
}

static void records_too_small_for_their_type_are_skipped(void **state)
{
	struct world *w = *state;
	const struct record_header small[] = {{RECORD_SAMPLE, 0, 16}, {RECORD_COMM, 0, 24}};
	for (size_t lane = 0; lane < 3; lane += 2) {
		put(w, lane, RECORD_COMM, 10, 1);
		for (size_t i = 0; i < ARRAY_LEN(small); i++) {
			memset(w->bytes[lane] + w->n[lane], 0xff, small[i].size);
			memcpy(w->bytes[lane] + w->n[lane], &small[i], sizeof(small[i]));
			w->n[lane] += small[i].size;
		}
		put(w, lane, RECORD_COMM, 20, 1);
	}
	run(w, LANES, UINT64_MAX, 0);
	assert_int_equal(w->log_n, 4);
	assert_int_equal(w->stats.malformed, 4);
	assert_int_equal(w->stats.malformed_bytes, 2 * (16 + 24));
}

static void the_largest_record_wraps(void **state)
{
	struct world *w = *state;
	static uint8_t big[RECORD_SIZE_MAX], raw[65400];
	struct perf_attr attr = lib_attr(SAMPLE_TIME | SAMPLE_RAW, 0, 0, true);
	struct record rec = {.type = RECORD_SAMPLE, .id.time_ns = 10};
	assert_int_equal(record_layout_init(&w->layout, &attr), 0);
	rec.u.sample.raw = (struct record_bytes){raw, sizeof(raw)};
	size_t n = record_encode(&w->layout, &rec, big, sizeof(big));
	assert_true(n > 65400);
	for (size_t cut = 0; cut <= n; cut += 4095) {
		struct lane lane = {.a = big, .a_len = cut, .b = big + cut, .b_len = n - cut};
		w->log_n = 0;
		merger_run(w->merger, &w->layout, &lane, 1, 11, merge_singly,
			   &(struct merge_singly){&w->layout, note, w}, &w->stats);
		assert_int_equal(w->log_n, 1);
		assert_int_equal(lane.used, n);
	}
}

/* Random times in many lanes: the records of a lane keep their order, and no sample precedes an older
 * sideband record. */
static void random_lanes_are_in_order(void **state)
{
	enum { MANY = 64, EACH = 60 };
	struct world *w = *state;
	uint8_t *bytes = malloc(MANY * EACH * 64);
	struct lane lanes[MANY] = {0};
	uint64_t random = 7;
	assert_non_null(bytes);
	for (size_t i = 0; i < MANY; i++) {
		uint64_t time = 1;
		size_t n = 0;
		lanes[i].a = bytes + i * EACH * 64;
		lanes[i].sideband = i % 4 == 0;
		for (size_t k = 0; k < EACH; k++) {
			random = random * 6364136223846793005ull + 1442695040888963407ull;
			time += random >> 60;
			struct record rec = {.type = lanes[i].sideband ? RECORD_FORK : RECORD_SAMPLE,
					     .id.time_ns = time};
			n += record_encode(&w->layout, &rec, bytes + i * EACH * 64 + n, 64);
		}
		lanes[i].a_len = n;
	}
	merger_run(w->merger, &w->layout, lanes, MANY, 400, merge_singly, &(struct merge_singly){&w->layout, note, w},
		   &w->stats);
	merger_run(w->merger, &w->layout, lanes, MANY, UINT64_MAX, merge_singly,
		   &(struct merge_singly){&w->layout, note, w}, &w->stats);
	assert_int_equal(w->log_n, MANY * EACH);
	uint64_t sideband = 0, newest_sample = 0;
	for (size_t i = 0; i < w->log_n; i++) {
		const struct entry *e = &w->log[i];
		if (e->type == RECORD_FORK) {
			assert_true(e->time >= sideband);
			/* no sample of this time or later was passed on before it */
			assert_true(e->time > newest_sample);
			sideband = e->time;
		} else if (e->time > newest_sample) {
			newest_sample = e->time;
		}
	}
	free(bytes);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_setup, world_teardown)
	const struct CMUnitTest tests[] = {
		TEST(empty_lanes_give_no_records),
		TEST(sideband_records_precede_newer_samples),
		TEST(wrapping_at_any_byte_changes_nothing),
		TEST(records_beyond_the_horizon_stay_in_their_lanes),
		TEST(a_record_out_of_order_is_passed_on),
		TEST(a_lane_keeps_its_own_order),
		TEST(sideband_is_sorted_over_its_lanes),
		TEST(records_without_a_time_do_not_wait),
		TEST(a_layout_without_time_merges_nothing),
		TEST(mixed_lanes_are_sorted_as_if_they_were_two),
		TEST(mixed_lanes_are_cut_at_any_horizon),
		TEST(known_offsets_of_a_mixed_lane_are_used),
		TEST(mixed_lanes_without_time_keep_their_order),
		TEST(without_a_time_sideband_keeps_its_place_among_samples),
		TEST(a_damaged_mixed_lane_is_counted_once),
		TEST(bad_sizes_drop_the_lane),
		TEST(half_a_header_is_dropped),
		TEST(records_too_small_for_their_type_are_skipped),
		TEST(the_largest_record_wraps),
		TEST(random_lanes_are_in_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
