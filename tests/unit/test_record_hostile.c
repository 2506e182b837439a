/* Decodes every prefix and every one-byte corruption of a stream with all record types.  The
 * tests check that the decoder returns; the sanitizers find reads outside of a record, because
 * lib_touch() reads all bytes that a decoded record points to. */
#include <cyctop/record.h>

#include "../lib/merge_singly.h"
#include "../lib/records.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct reader {
	const struct record_layout *layout;
	uint64_t good, bad, sum;
};

static void read_record(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct reader *r = ctx;
	struct record rec;
	struct sample_core core;
	(void)lane;
	if (record_sample_core(r->layout, bytes, size, &core) == 0)
		r->sum += core.ip;
	if (record_decode(r->layout, bytes, size, &rec) < 0) {
		r->bad++;
		return;
	}
	assert_int_equal(rec.size, size);
	r->sum += lib_touch(&rec, bytes);
	r->good++;
}

/* Merges the bytes as a data lane in two slices, and as a sideband lane.  All bytes are either passed on
 * or counted as malformed. */
static struct merge_stats read_stream(struct merger *m, struct reader *r, const uint8_t *bytes, size_t n)
{
	struct merge_stats stats = {0};
	size_t cut = n / 2 & ~(size_t)7;
	struct lane lanes[2] = {
		{.a = bytes, .a_len = cut, .b = bytes + cut, .b_len = n - cut},
		{.a = bytes, .a_len = n, .sideband = true},
	};
	merger_run(m, r->layout, lanes, 2, UINT64_MAX, merge_singly, &(struct merge_singly){r->layout, read_record, r},
		   &stats);
	for (size_t i = 0; i < 2; i++)
		assert_true(lanes[i].used <= n);
	return stats;
}

static const struct perf_attr_case {
	uint64_t sample_type, read_format, branch_type;
	bool id_all;
} cases[] = {
	{SAMPLE_KNOWN & ~SAMPLE_WEIGHT_STRUCT, READ_KNOWN, BRANCH_HW_INDEX | BRANCH_COUNTERS, true},
	{SAMPLE_KNOWN & ~SAMPLE_WEIGHT, READ_TIME_ENABLED | READ_ID, 0, true},
	{SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD, READ_LOST, 0, true},
	{SAMPLE_IP | SAMPLE_CALLCHAIN, READ_GROUP, 0, false},
	{0, 0, 0, true},
};

static struct record_layout layout_of(const struct perf_attr_case *c)
{
	struct perf_attr attr = lib_attr(c->sample_type, c->read_format, c->branch_type, c->id_all);
	struct record_layout layout;
	assert_int_equal(record_layout_init(&layout, &attr), 0);
	return layout;
}

/* A copy in a buffer of exactly its size, so that a sanitizer finds reads beyond the end. */
static uint8_t *exact(const uint8_t *bytes, size_t n)
{
	uint8_t *p = malloc(n ? n : 1);
	assert_non_null(p);
	memcpy(p, bytes, n);
	return p;
}

static void every_prefix_of_a_stream(void **state)
{
	(void)state;
	struct merger *m = merger_create();
	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		struct record_layout layout = layout_of(&cases[c]);
		uint8_t stream[8192];
		size_t n = lib_stream(&layout, 1000, stream, sizeof(stream));
		uint64_t before = 0;
		for (size_t len = 0; len <= n; len++) {
			struct reader r = {.layout = &layout};
			uint8_t *p = exact(stream, len);
			read_stream(m, &r, p, len);
			assert_int_equal(r.bad, 0);
			assert_true(r.good >= before);
			before = r.good;
			free(p);
		}
		assert_int_equal(before, 2 * RECORD_CALLCHAIN_DEFERRED);
	}
	merger_destroy(m);
}

static void every_prefix_of_a_record_asks_for_more(void **state)
{
	(void)state;
	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		struct record_layout layout = layout_of(&cases[c]);
		for (uint32_t type = RECORD_MMAP; type <= RECORD_CALLCHAIN_DEFERRED; type++) {
			struct lib_store store;
			struct record rec;
			uint8_t buf[4096];
			lib_record(&layout, type, 3, &store, &rec);
			size_t n = record_encode(&layout, &rec, buf, sizeof(buf));
			for (size_t len = 0; len < n; len++) {
				uint8_t *p = exact(buf, len);
				assert_int_equal(record_decode(&layout, p, len, &rec), -EAGAIN);
				free(p);
			}
		}
	}
}

/* Decodes records that are cut off, with a header of the smaller size: no field may be read
 * beyond that size. */
static void every_shorter_size_of_a_record(void **state)
{
	(void)state;
	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		struct record_layout layout = layout_of(&cases[c]);
		for (uint32_t type = RECORD_MMAP; type <= RECORD_CALLCHAIN_DEFERRED; type++) {
			struct lib_store store;
			struct record rec;
			uint8_t buf[4096];
			lib_record(&layout, type, 3, &store, &rec);
			size_t n = record_encode(&layout, &rec, buf, sizeof(buf));
			for (uint16_t len = 8; len < n; len++) {
				memcpy(buf + 6, &len, sizeof(len));
				uint8_t *p = exact(buf, len);
				struct reader r = {.layout = &layout};
				read_record(&r, NULL, p, len);
				if (len % 8)
					assert_int_equal(r.bad, 1);
				free(p);
			}
		}
	}
}

/* The step through the values of a byte: 1; in an emulated machine (tests/vm) 17, which gives
 * 0x00, 0x11 .. 0xff. */
static unsigned value_step(void)
{
	return getenv("CYCTOP_EMULATED") ? 17 : 1;
}

static void every_corrupt_byte_of_a_record(void **state)
{
	(void)state;
	const unsigned step = value_step();
	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		struct record_layout layout = layout_of(&cases[c]);
		for (uint32_t type = RECORD_MMAP; type <= RECORD_CALLCHAIN_DEFERRED; type++) {
			struct lib_store store;
			struct record rec;
			uint8_t buf[4096];
			lib_record(&layout, type, 3, &store, &rec);
			size_t n = record_encode(&layout, &rec, buf, sizeof(buf));
			uint8_t *p = exact(buf, n);
			for (size_t at = 0; at < n; at++) {
				for (unsigned value = 0; value < 256; value += step) {
					struct sample_core core;
					p[at] = (uint8_t)value;
					if (record_decode(&layout, p, n, &rec) == 0)
						lib_touch(&rec, p);
					if (record_sample_core(&layout, p, n, &core) == 0)
						assert_int_equal(rec.type, RECORD_SAMPLE);
				}
				p[at] = buf[at];
			}
			free(p);
		}
	}
}

/* Sets each byte to every `step`th value; no record may be lost or read twice. */
static void corrupt_stream(const struct perf_attr_case *c, unsigned step)
{
	struct merger *m = merger_create();
	struct record_layout layout = layout_of(c);
	uint8_t stream[8192];
	size_t n = lib_stream(&layout, 1000, stream, sizeof(stream));
	uint8_t *p = exact(stream, n);
	for (size_t at = 0; at < n; at++) {
		for (unsigned value = 0; value < 256; value += step) {
			struct reader r = {.layout = &layout};
			p[at] = (uint8_t)value;
			struct merge_stats stats = read_stream(m, &r, p, n);
			assert_true(stats.records == r.good + r.bad);
			assert_true(stats.malformed_bytes <= 2 * n);
			if (value == stream[at])
				assert_int_equal(r.good, 2 * RECORD_CALLCHAIN_DEFERRED);
		}
		p[at] = stream[at];
	}
	free(p);
	merger_destroy(m);
}

static void every_corrupt_byte_of_a_stream(void **state)
{
	(void)state;
	corrupt_stream(&cases[2], value_step());
	for (size_t c = 0; c < ARRAY_LEN(cases); c++)
		corrupt_stream(&cases[c], 17); /* 0x00, 0x11 .. 0xff */
}

static void counts_that_wrap_are_refused(void **state)
{
	(void)state;
	static const uint64_t huge[] = {
		UINT64_MAX, UINT64_MAX / 8, UINT64_MAX / 8 + 1, UINT64_MAX / 16 + 1, UINT64_MAX / 24 + 1, 1ull << 61,
		1ull << 60, 1ull << 32,	    0x7fffffffffffffff, 0x8000000000000000,  UINT64_MAX - 7,	  9,
	};
	static const struct {
		uint64_t bit, format;
	} fields[] = {
		{SAMPLE_READ, READ_GROUP}, {SAMPLE_READ, READ_GROUP | READ_ID},
		{SAMPLE_READ, READ_KNOWN}, {SAMPLE_CALLCHAIN, 0},
		{SAMPLE_BRANCH_STACK, 0},  {SAMPLE_STACK_USER, 0},
		{SAMPLE_AUX, 0},
	};
	for (size_t f = 0; f < ARRAY_LEN(fields); f++) {
		struct perf_attr attr = lib_attr(fields[f].bit, fields[f].format, 0, true);
		struct record_layout layout;
		assert_int_equal(record_layout_init(&layout, &attr), 0);
		for (size_t i = 0; i < ARRAY_LEN(huge); i++) {
			uint64_t words[8] = {0, huge[i], 0, 0, 0, 0, 0, 0};
			struct record rec;
			memcpy(words, &(struct record_header){RECORD_SAMPLE, 0, sizeof(words)}, 8);
			if (fields[f].bit == SAMPLE_AUX && huge[i] == 9)
				continue; /* this size is in bytes, and 9 bytes fit */
			if (fields[f].bit == SAMPLE_STACK_USER && huge[i] == 9)
				continue;
			assert_int_equal(record_decode(&layout, words, sizeof(words), &rec), -EBADMSG);
		}
	}
	struct perf_attr attr = lib_attr(SAMPLE_RAW, 0, 0, true);
	struct record_layout layout;
	assert_int_equal(record_layout_init(&layout, &attr), 0);
	for (uint32_t size = 4; size; size = size * 2 + 1) {
		uint32_t words[4] = {0, 0, size, 0};
		struct record rec;
		memcpy(words, &(struct record_header){RECORD_SAMPLE, 0, sizeof(words)}, 8);
		assert_int_equal(record_decode(&layout, words, sizeof(words), &rec), size > 4 ? -EBADMSG : 0);
		if (size > UINT32_MAX / 2)
			break;
	}
}

static void strings_without_an_end_are_refused(void **state)
{
	(void)state;
	struct perf_attr attr = lib_attr(SAMPLE_TIME, 0, 0, true);
	struct record_layout layout;
	assert_int_equal(record_layout_init(&layout, &attr), 0);
	/* the only zero bytes are in the trailer, so the string has no end */
	uint8_t buf[32];
	struct record rec;
	memset(buf, 'x', sizeof(buf));
	memset(buf + 24, 0, 8);
	memcpy(buf, &(struct record_header){RECORD_COMM, 0, sizeof(buf)}, 8);
	assert_int_equal(record_decode(&layout, buf, sizeof(buf), &rec), -EBADMSG);
	buf[23] = 0;
	assert_int_equal(record_decode(&layout, buf, sizeof(buf), &rec), 0);
	assert_string_equal(rec.u.comm.comm, "xxxxxxx");
	/* Too small for a string. */
	memcpy(buf, &(struct record_header){RECORD_COMM, 0, 24}, 8);
	assert_int_equal(record_decode(&layout, buf, 24, &rec), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_prefix_of_a_stream),
		cmocka_unit_test(every_prefix_of_a_record_asks_for_more),
		cmocka_unit_test(every_shorter_size_of_a_record),
		cmocka_unit_test(every_corrupt_byte_of_a_record),
		cmocka_unit_test(every_corrupt_byte_of_a_stream),
		cmocka_unit_test(counts_that_wrap_are_refused),
		cmocka_unit_test(strings_without_an_end_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
