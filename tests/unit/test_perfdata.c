/* Headers, attrs and records of perf.data, made byte by byte in both byte orders, well-formed
 * and malformed. */
#include "../lib/pd_made.h"
#include "../lib/pd_walk.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- headers ---------------------------------------------------------------------------- */

static void header(struct made *m, uint64_t attrs_n, uint64_t data_at, uint64_t data_n, uint64_t features)
{
	const uint64_t words[] = {PD_MAGIC, 104, 80, 104, 80 * attrs_n, data_at, data_n, 0, 0, features, 0, 0, 0};
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		num(m, words[i], 8);
}

static void headers_of_both_orders(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct made m = {.big = big};
		struct pd_header h;
		uint8_t again[PD_HEADER_SIZE];
		header(&m, 2, 264, 1000, 1 << PD_HOSTNAME | 1 << PD_NRCPUS);
		assert_int_equal(pd_header_parse(m.p, m.n, &h, NULL), 0);
		assert_int_equal(h.swap, HOST_SWAP(big));
		assert_false(h.pipe);
		assert_int_equal(h.attr_size, 80);
		assert_int_equal(h.attrs.offset, 104);
		assert_int_equal(h.attrs.size, 160);
		assert_int_equal(h.data.offset, 264);
		assert_int_equal(h.data.size, 1000);
		assert_true(pd_has_feature(&h, PD_HOSTNAME) && pd_has_feature(&h, PD_NRCPUS));
		assert_false(pd_has_feature(&h, PD_ARCH));
		assert_false(pd_has_feature(&h, 1000));
		pd_header_encode(&h, again);
		assert_memory_equal(again, m.p, sizeof(again));
		for (size_t n = 0; n < PD_HEADER_SIZE; n++)
			assert_int_equal(pd_header_parse(m.p, n, &h, NULL), -EAGAIN);
	}
}

static void features_of_a_32_bit_machine(void **state)
{
	(void)state;
	struct made m = {.big = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__};
	struct pd_header h;
	header(&m, 0, 0, 0, 0);
	m.n = 72;
	num(&m, 1 << PD_HOSTNAME, 4);
	num(&m, 1 << (PD_E_MACHINE - 32), 4);
	m.n = 104;
	assert_int_equal(pd_header_parse(m.p, m.n, &h, NULL), 0);
	assert_true(pd_has_feature(&h, PD_HOSTNAME));
	assert_true(pd_has_feature(&h, PD_E_MACHINE));
	assert_false(pd_has_feature(&h, 32 + PD_HOSTNAME));
}

/* Version 1 has the same magic in both byte orders; the size of an attr entry shows which one
 * it is. */
static void version_1_is_read_in_both_byte_orders(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct made m = {.big = big};
		struct pd_header h;
		text(&m, "PERFFILE", 8);
		num(&m, PD_HEADER_SIZE, 8);
		num(&m, 72 + 16, 8);
		num(&m, 104, 8);
		num(&m, 88, 8);
		num(&m, 192, 8);
		num(&m, 1000, 8);
		num(&m, 1192, 8);
		num(&m, 72, 8);
		num(&m, 1 << PD_BUILD_ID, 4); /* unsigned long has 32 bits */
		m.n = PD_HEADER_SIZE;
		for (size_t n = 0; n < m.n; n++)
			assert_int_equal(pd_header_parse(m.p, n, &h, NULL), -EAGAIN);
		assert_int_equal(pd_header_parse(m.p, m.n, &h, NULL), 0);
		assert_false(h.pipe);
		assert_int_equal(h.swap, HOST_SWAP(big));
		assert_int_equal(h.attr_size, 88);
		assert_int_equal(h.attrs.offset, 104);
		assert_int_equal(h.data.size, 1000);
		assert_int_equal(h.event_types.offset, 1192);
		assert_true(pd_has_feature(&h, PD_BUILD_ID));
		assert_false(pd_has_feature(&h, 32 + PD_BUILD_ID));
		m.n = 8;
		num(&m, PD_PIPE_HEADER_SIZE, 8);
		assert_int_equal(pd_header_parse(m.p, m.n, &h, NULL), 0);
		assert_true(h.pipe);
		assert_int_equal(h.swap, HOST_SWAP(big));
	}
}

/* Build-ids from records and from pd_info_add_build_id() share one array. */
static void build_ids_are_added_by_two_functions(void **state)
{
	(void)state;
	struct made m = {0};
	struct pd_info info;
	struct error err;
	pd_info_init(&info);
	record(&m, PD_RECORD_BUILD_ID, MISC_USER, 8 + 4 + 24 + 8);
	num(&m, UINT32_MAX, 4);
	text(&m, "0123456789abcdef0123", 24);
	text(&m, "/a", 8);
	for (int i = 0; i < 100; i++) {
		const struct pd_build_id id = {.pid = i, .size = 20, .path = strdup("/b")};
		pd_info_add_build_id(&info, &id);
		assert_int_equal(pd_info_record(&info, m.p, m.n, HOST_SWAP(false), &err), 0);
	}
	assert_int_equal(info.build_ids_n, 200);
	for (size_t i = 0; i < 200; i++)
		assert_string_equal(info.build_ids[i].path, i % 2 ? "/a" : "/b");
	pd_info_deinit(&info);
}

static void pipes_and_other_files(void **state)
{
	(void)state;
	struct made m = {0};
	struct pd_header h;
	struct error err;
	num(&m, PD_MAGIC, 8);
	num(&m, 16, 8);
	assert_int_equal(pd_header_parse(m.p, 16, &h, NULL), 0);
	assert_true(h.pipe);
	static const struct {
		const char *bytes, *word;
	} bad[] = {
		{"PERFFILE\x68\0\0\0\0\0\0\0", "byte order"},
		{"\x7f"
		 "ELF............",
		 "not a perf.data"},
		{"PERFILE2\x69\0\0\0\0\0\0\0", "105 bytes"},
		{"PERFILE2\x68\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0", "64 bytes"},
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		uint8_t bytes[PD_HEADER_SIZE] = {0};
		memcpy(bytes, bad[i].bytes, i == 3 ? 24 : 16);
		assert_int_equal(pd_header_parse(bytes, sizeof(bytes), &h, &err), -EINVAL);
		assert_non_null(strstr(err.text, bad[i].word));
	}
}

/* ---- attrs ------------------------------------------------------------------------------ */

static void attrs_of_both_orders_and_all_sizes(void **state)
{
	(void)state;
	for (uint32_t size = 64; size <= 200; size += 8) {
		for (unsigned big = 0; big < 2; big++) {
			struct made m = {.big = big};
			struct perf_attr got;
			uint32_t got_size;
			attr(&m, size);
			assert_int_equal(pd_attr_parse(m.p, m.n, HOST_SWAP(big), &got, &got_size, NULL), 0);
			assert_int_equal(got_size, size);
			assert_int_equal(got.sample_period, 4000);
			assert_int_equal(got.wakeup, 1);
			assert_int_equal(got.read_format, READ_ID);
			assert_true(got.flags ==
				    (ATTR_MMAP | ATTR_FREQ | ATTR_SAMPLE_ID_ALL | 2ull << ATTR_PRECISE_SHIFT));
			for (size_t n = 0; n < size; n++)
				assert_int_equal(pd_attr_parse(m.p, n, HOST_SWAP(big), &got, &got_size, NULL), -EINVAL);
		}
	}
}

static void attrs_beyond_what_is_known_name_the_byte(void **state)
{
	(void)state;
	struct made m = {0};
	struct perf_attr got;
	struct error err;
	uint32_t size;
	attr(&m, 160);
	m.p[150] = 1;
	assert_int_equal(pd_attr_parse(m.p, m.n, HOST_SWAP(false), &got, &size, &err), -E2BIG);
	assert_non_null(strstr(err.text, "byte 150"));
	m.p[4] = 0; /* size 0 means 64 bytes */
	m.p[64] = 1;
	assert_int_equal(pd_attr_parse(m.p, m.n, HOST_SWAP(false), &got, &size, NULL), 0);
	assert_int_equal(size, 64);
	assert_int_equal(got.config2, 0);
	m.p[4] = 63;
	assert_int_equal(pd_attr_parse(m.p, m.n, HOST_SWAP(false), &got, &size, NULL), -EINVAL);
}

static void the_smallest_attr_covers_what_is_used(void **state)
{
	(void)state;
	struct perf_attr a = {.config1 = 1};
	assert_int_equal(pd_attr_size(&(struct perf_attr){0}), 64);
	assert_int_equal(pd_attr_size(&a), 64);
	a.config2 = 1;
	assert_int_equal(pd_attr_size(&a), 72);
	a.branch_sample_type = 1ull << 63;
	assert_int_equal(pd_attr_size(&a), 80);
	a.clockid = 1;
	assert_int_equal(pd_attr_size(&a), 96);
	a.sample_regs_intr = 1;
	assert_int_equal(pd_attr_size(&a), 104);
	a.sample_max_stack = 1;
	assert_int_equal(pd_attr_size(&a), 112);
	a.aux_sample_size = 1;
	assert_int_equal(pd_attr_size(&a), 120);
	a.sig_data = 1;
	assert_int_equal(pd_attr_size(&a), 128);
	a.config3 = 1;
	assert_int_equal(pd_attr_size(&a), 136);
	a.config4 = 1;
	assert_int_equal(pd_attr_size(&a), 144);
}

/* ---- records ---------------------------------------------------------------------------- */

static void a_pipe(struct made *m)
{
	num(m, PD_MAGIC, 8);
	num(m, 16, 8);
	record(m, PD_RECORD_ATTR, 0, 8 + 64 + 16);
	attr(m, 64);
	num(m, 7, 8);
	num(m, 8, 8);
	record(m, PD_RECORD_EVENT_UPDATE, 0, 8 + 16 + 8);
	num(m, 2, 8);
	num(m, 7, 8);
	text(m, "named", 8);
	record(m, PD_RECORD_HEADER_FEATURE, 0, 8 + 8 + 68);
	num(m, PD_ARCH, 8);
	string(m, "riscv64");
	record(m, PD_RECORD_TRACING_DATA, 0, 12);
	num(m, 5, 4);
	text(m, "12345", 8);
	record(m, PD_RECORD_AUXTRACE, 0, 48);
	num(m, 16, 8);
	text(m, "", 32);
	memset(m->p + m->n, 0xff, 16);
	m->n += 16;
	record(m, RECORD_COMM, 0, 8 + 8 + 8 + 24);
	num(m, 1, 4);
	num(m, 2, 4);
	text(m, "me", 8);
	num(m, 1, 4);
	num(m, 2, 4);
	num(m, 99, 8);
	num(m, 7, 8);
	record(m, RECORD_SAMPLE, 2, 8 + 40);
	num(m, 0x1000, 8);
	num(m, 1, 4);
	num(m, 2, 4);
	num(m, 100, 8);
	num(m, 8, 8);
	num(m, 3000, 8);
	record(m, PD_RECORD_FINISHED_ROUND, 0, 8);
}

static void pipes_of_both_orders(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct made m = {.big = big};
		struct pd_walk w;
		char name[32];
		a_pipe(&m);
		assert_int_equal(pd_walk(&w, m.p, m.n), 0);
		assert_int_equal(w.rest, 0);
		assert_int_equal(w.bad_records, 0);
		assert_false(w.unpaired);
		assert_int_equal(w.info.events_n, 1);
		assert_int_equal(w.info.events[0].ids_n, 2);
		assert_true(w.info.events[0].ids[0] == 7 && w.info.events[0].ids[1] == 8);
		pd_event_name(&w.info, 0, name, sizeof(name));
		assert_string_equal(name, "named");
		assert_string_equal(w.info.arch, "riscv64");
		assert_int_equal(w.counts[RECORD_COMM], 1);
		assert_int_equal(w.counts[PD_RECORD_FINISHED_ROUND], 1);
		assert_int_equal(w.samples[0], 1);
		assert_int_equal(w.periods[0], 3000);
		pd_walk_free(&w);
	}
}

/* Old versions of perf wrote names of events by their config; Google's version wrote features
 * in records whose types mean something else in perf now. */
static void names_and_features_of_old_streams(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct made m = {.big = big};
		const struct perf_attr tracepoint = {.type = ABI_TYPE_TRACEPOINT, .config = 77},
				       cycles = {.type = ABI_TYPE_HARDWARE, .config = 0};
		struct pd_info info;
		struct error err;
		size_t at[8], n = 0;
		pd_info_init(&info);
		assert_int_equal(pd_info_add_event(&info, &tracepoint, 64, NULL, 0, &err), 0);
		assert_int_equal(pd_info_add_event(&info, &cycles, 64, NULL, 0, &err), 0);
		at[n++] = m.n;
		record(&m, PD_RECORD_EVENT_TYPE, 0, 8 + 8 + 16);
		num(&m, 77, 8);
		text(&m, "sched:wakeup", 16);
		at[n++] = m.n;
		record(&m, PD_RECORD_EVENT_TYPE, 0, 8 + 8 + 16);
		num(&m, 0, 8);
		text(&m, "something", 16);
		at[n++] = m.n;
		record(&m, 73, 0, 16); /* NRCPUS */
		num(&m, 24, 4);
		num(&m, 12, 4);
		at[n++] = m.n;
		record(&m, 76, 0, 16); /* TOTAL_MEM */
		num(&m, 4711, 8);
		at[n++] = m.n;
		record(&m, 77, 0, 8 + 4 + 68); /* CMDLINE */
		num(&m, 1, 4);
		string(&m, "perf");
		at[n++] = m.n;
		record(&m, PD_RECORD_THREAD_MAP, 0, 16); /* a THREAD_MAP without threads */
		num(&m, 0, 8);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(pd_info_record(&info, m.p + at[i], m.n - at[i], HOST_SWAP(big), &err), 0);
		assert_string_equal(info.events[0].name, "sched:wakeup");
		assert_null(info.events[1].name); /* events of this type have generic names */
		assert_int_equal(info.cpus_available, 24);
		assert_int_equal(info.cpus_online, 12);
		assert_int_equal(info.total_mem_kb, 4711);
		assert_string_equal(info.cmdline[0], "perf");
		pd_info_deinit(&info);
	}
}

static void every_prefix_and_every_damaged_byte(void **state)
{
	(void)state;
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	for (unsigned big = 0; big < 2; big++) {
		struct made m = {.big = big};
		a_pipe(&m);
		for (size_t n = 0; n <= m.n; n++) {
			/* exact size, so that the sanitizer detects a read beyond the end */
			uint8_t *copy = malloc(n + 1);
			struct pd_walk w;
			memcpy(copy, m.p, n);
			(void)!pd_walk(&w, copy, n);
			assert_false(w.unpaired);
			pd_walk_free(&w);
			free(copy);
		}
		for (size_t at = 0; at < m.n; at++) {
			for (size_t i = 0; i < ARRAY_LEN(values); i++) {
				uint8_t was = m.p[at];
				struct pd_walk w;
				m.p[at] = values[i];
				(void)!pd_walk(&w, m.p, m.n);
				assert_false(w.unpaired);
				pd_walk_free(&w);
				m.p[at] = was;
			}
		}
	}
}

/* Random bytes as features and records: wrong counts, strings without an end. */
static void random_bytes_as_anything(void **state)
{
	(void)state;
	uint64_t random = 1;
	for (unsigned round = 0; round < 20000; round++) {
		struct made m = {.big = round & 1};
		struct pd_walk w;
		num(&m, PD_MAGIC, 8);
		num(&m, 16, 8);
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		size_t n = (random >> 33) % 12 * 8;
		uint32_t type = round % 3 ? PD_RECORD_HEADER_FEATURE : 64 + (uint32_t)(random >> 50) % 24;
		record(&m, type, 0, (uint16_t)(16 + n));
		num(&m, (random >> 40) % 140, 8);
		for (size_t i = 0; i < n; i++) {
			random = random * 6364136223846793005ull + 1442695040888963407ull;
			uint8_t b = (uint8_t)(random >> 56);
			m.p[m.n++] = b & 0x80 ? 0 : b & 0x40 ? b & 7 : b;
		}
		uint8_t *copy = malloc(m.n);
		memcpy(copy, m.p, m.n);
		assert_int_equal(pd_walk(&w, copy, m.n), 0);
		assert_false(w.unpaired);
		assert_true(w.visited < 10000);
		pd_walk_free(&w);
		free(copy);
	}
}

static void compressed_records_keep_to_their_size(void **state)
{
	(void)state;
	struct record_bytes got;
	for (unsigned big = 0; big < 2; big++) {
		struct made m = {.big = big};
		record(&m, PD_RECORD_COMPRESSED, 0, 24);
		text(&m, "0123456789abcdef", 16);
		assert_int_equal(pd_record_compressed(m.p, m.n, HOST_SWAP(big), &got), 0);
		assert_int_equal(got.size, 16);
		assert_ptr_equal(got.data, m.p + 8);
		assert_int_equal(pd_record_compressed(m.p, m.n - 1, HOST_SWAP(big), &got), -EBADMSG);
		m.n = 0;
		record(&m, PD_RECORD_COMPRESSED2, 0, 24);
		num(&m, 5, 8);
		text(&m, "01234", 8);
		assert_int_equal(pd_record_compressed(m.p, m.n, HOST_SWAP(big), &got), 0);
		assert_int_equal(got.size, 5);
		assert_ptr_equal(got.data, m.p + 16);
		m.n = 8;
		num(&m, 9, 8);
		assert_int_equal(pd_record_compressed(m.p, 24, HOST_SWAP(big), &got), -EBADMSG);
		m.n = 0;
		record(&m, PD_RECORD_FINISHED_INIT, 0, 24);
		assert_int_equal(pd_record_compressed(m.p, 24, HOST_SWAP(big), &got), -EBADMSG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_of_both_orders),
		cmocka_unit_test(features_of_a_32_bit_machine),
		cmocka_unit_test(version_1_is_read_in_both_byte_orders),
		cmocka_unit_test(build_ids_are_added_by_two_functions),
		cmocka_unit_test(pipes_and_other_files),
		cmocka_unit_test(attrs_of_both_orders_and_all_sizes),
		cmocka_unit_test(attrs_beyond_what_is_known_name_the_byte),
		cmocka_unit_test(the_smallest_attr_covers_what_is_used),
		cmocka_unit_test(pipes_of_both_orders),
		cmocka_unit_test(names_and_features_of_old_streams),
		cmocka_unit_test(every_prefix_and_every_damaged_byte),
		cmocka_unit_test(random_bytes_as_anything),
		cmocka_unit_test(compressed_records_keep_to_their_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
