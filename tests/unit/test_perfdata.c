/* perf.data, byte by byte, of both kinds of machine; and what lies. */
#include "../lib/pd_walk.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HOST_SWAP(big) ((big) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))

/* Appends numbers in either byte order. */
struct made {
	uint8_t p[8192];
	size_t n;
	bool big;
};

static void num(struct made *m, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		m->p[m->n + i] = (uint8_t)(v >> 8 * (m->big ? bytes - 1 - i : i));
	m->n += bytes;
}

static void text(struct made *m, const char *s, size_t padded)
{
	size_t n = strnlen(s, padded);
	memcpy(m->p + m->n, s, n);
	memset(m->p + m->n + n, 0, padded - n);
	m->n += padded;
}

static void string(struct made *m, const char *s)
{
	num(m, 64, 4);
	text(m, s, 64);
}

static void record(struct made *m, uint32_t type, uint16_t misc, uint16_t size)
{
	num(m, type, 4);
	num(m, misc, 2);
	num(m, size, 2);
}

/* cycles, period 4000, IP | TID | TIME | PERIOD, mmap, freq, precise 1, sample_id_all */
static void attr(struct made *m, uint32_t size)
{
	size_t at = m->n;
	num(m, 0, 4);
	num(m, size, 4);
	num(m, 0, 8);
	num(m, 4000, 8);
	num(m, SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD | SAMPLE_ID, 8);
	num(m, READ_ID, 8);
	if (m->big) /* the bits of each byte from the other end; precise lies over two bytes */
		memcpy(m->p + m->n, "\x00\xa1\x20\x00\x00\x00\x00\x00", 8);
	else
		memcpy(m->p + m->n, "\x00\x05\x05\x00\x00\x00\x00\x00", 8);
	m->n += 8;
	num(m, 1, 4);
	while (m->n < at + size)
		num(m, 0, 4);
}

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

static void pipes_and_what_is_no_recording(void **state)
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
		{"PERFFILE\x68\0\0\0\0\0\0\0", "first version"},
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
	m.p[4] = 0; /* of size 0: 64 bytes */
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

/* ---- features --------------------------------------------------------------------------- */

static void told(struct pd_info *info, unsigned f, const struct made *m)
{
	assert_int_equal(pd_info_feature(info, f, m->p, m->n, HOST_SWAP(m->big), NULL), 0);
}

static void features_of_both_orders(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct pd_info info;
		struct made m = {.big = big};
		pd_info_init(&info);
		string(&m, "host");
		told(&info, PD_HOSTNAME, &m);
		m.n = 0;
		num(&m, 8, 4);
		num(&m, 6, 4);
		told(&info, PD_NRCPUS, &m);
		m.n = 0;
		num(&m, 2, 4);
		string(&m, "perf");
		string(&m, "record");
		told(&info, PD_CMDLINE, &m);
		m.n = 0;
		record(&m, PD_RECORD_BUILD_ID, 2 | 1 << 15, 8 + 4 + 24 + 16);
		num(&m, UINT32_MAX, 4);
		text(&m, "\1\2\3\4", 20);
		num(&m, 4, 1);
		text(&m, "", 3);
		text(&m, "/bin/true", 16);
		told(&info, PD_BUILD_ID, &m);
		m.n = 0;
		num(&m, 100, 8);
		num(&m, 200, 8);
		told(&info, PD_SAMPLE_TIME, &m);
		assert_string_equal(info.hostname, "host");
		assert_int_equal(info.cpus_available, 8);
		assert_int_equal(info.cpus_online, 6);
		assert_string_equal(info.cmdline[0], "perf");
		assert_string_equal(info.cmdline[1], "record");
		assert_null(info.cmdline[2]);
		assert_int_equal(info.build_ids_n, 1);
		assert_int_equal(info.build_ids[0].pid, -1);
		assert_int_equal(info.build_ids[0].misc, 2);
		assert_int_equal(info.build_ids[0].size, 4);
		assert_string_equal(info.build_ids[0].path, "/bin/true");
		assert_int_equal(info.first_ns, 100);
		assert_int_equal(info.last_ns, 200);
		pd_info_deinit(&info);
	}
}

static void names_come_before_or_after_the_attrs(void **state)
{
	(void)state;
	for (unsigned when = 0; when < 4; when++) {
		struct made m = {.big = when & 1};
		struct pd_info info;
		struct perf_attr a;
		uint32_t size;
		char name[64];
		const uint64_t ids[] = {7, 8};
		attr(&m, 64);
		assert_int_equal(pd_attr_parse(m.p, m.n, HOST_SWAP(m.big), &a, &size, NULL), 0);
		m.n = 0;
		num(&m, 1, 4);
		num(&m, 64, 4);
		attr(&m, 64);
		num(&m, 2, 4);
		string(&m, "my-event");
		num(&m, 7, 8);
		num(&m, 8, 8);
		pd_info_init(&info);
		if (when & 2)
			told(&info, PD_EVENT_DESC, &m);
		assert_int_equal(pd_info_add_event(&info, &a, size, ids, 2, NULL), 0);
		if (!(when & 2))
			told(&info, PD_EVENT_DESC, &m);
		pd_event_name(&info, 0, name, sizeof(name));
		assert_string_equal(name, "my-event");
		pd_event_name(&info, 0, name, 4);
		assert_string_equal(name, "my-");
		pd_info_deinit(&info);
	}
}

static void events_without_a_name_get_one(void **state)
{
	(void)state;
	static const struct {
		uint32_t type;
		uint64_t config, flags;
		const char *name;
	} wanted[] = {
		{0, 0, 0, "cycles"},
		{0, 1, ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV, "instructions:u"},
		{0, 1, ATTR_EXCLUDE_USER | ATTR_EXCLUDE_HV | 2ull << ATTR_PRECISE_SHIFT, "instructions:kpp"},
		{0, 4ull << 32, 0, "cpu_core/cycles/"},
		{0, 10ull << 32 | 1, ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV, "instructions@pmu10:u"},
		{0, 99, 0, "pmu0:0x63"},
		{1, 9, ATTR_EXCLUDE_HOST, "dummy:G"},
		{2, 203, ATTR_EXCLUDE_KERNEL, "tracepoint:203"},
		{3, 0x10000, 0, "L1-dcache-load-misses"},
		{3, 0x10103, 0, "dTLB-store-misses"},
		{4, 0xc4, 0, "raw:0xc4"},
		{4, 0, 3ull << ATTR_PRECISE_SHIFT, "raw:0x0:ppp"},
		{11, 5, 0, "pmu11:0x5"},
		{4000, 5, 0, "uncore/config=0x5/"},
	};
	struct made m = {0};
	struct pd_info info;
	pd_info_init(&info);
	num(&m, 2, 4);
	num(&m, 4, 4);
	string(&m, "cpu_core");
	num(&m, 4000, 4);
	string(&m, "uncore");
	told(&info, PD_PMU_MAPPINGS, &m);
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		struct perf_attr a = {.type = wanted[i].type, .config = wanted[i].config, .flags = wanted[i].flags};
		char name[64];
		if (i == 10) { /* not of cpu_core, whose type is that of raw events here */
			info.pmus[0].type = 5000;
		}
		assert_int_equal(pd_info_add_event(&info, &a, 64, NULL, 0, NULL), 0);
		pd_event_name(&info, i, name, sizeof(name));
		assert_string_equal(name, wanted[i].name);
	}
	pd_info_deinit(&info);
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	struct pd_info info, again;
	struct perf_attr a = {.size = 64, .sample_type = SAMPLE_IP};
	const uint64_t ids[] = {3, 4, 5};
	static char program[] = "cyctop", verb[] = "record", arch[] = "x86_64", path[] = "[kernel.kallsyms]";
	static char host[] = "a-name-that-is-longer-than-what-a-string-is-usually-padded-to.a-host.example.net";
	char *cmdline[] = {program, verb, NULL};
	static const unsigned said[] = {PD_HOSTNAME, PD_ARCH,	    PD_NRCPUS,	    PD_TOTAL_MEM, PD_CMDLINE,
					PD_BUILD_ID, PD_EVENT_DESC, PD_SAMPLE_TIME, PD_COMPRESSED};
	pd_info_init(&info);
	pd_info_init(&again);
	assert_int_equal(pd_info_add_event(&info, &a, 64, ids, 3, NULL), 0);
	assert_int_equal(pd_info_add_event(&again, &a, 64, ids, 3, NULL), 0);
	struct pd_build_id id = {.pid = -1, .misc = 1, .id = {9, 8, 7}, .size = 20, .path = path};
	info.hostname = host;
	info.arch = arch;
	info.cpus_available = 4;
	info.total_mem_kb = 1000;
	info.cmdline = cmdline;
	info.build_ids = &id;
	info.build_ids_n = 1;
	info.first_ns = 5;
	info.last_ns = 6;
	info.compressed_mmap_len = 4096;
	struct pd_buffer out = {0};
	assert_false(pd_feature_encode(&info, PD_CPUID, &out));
	assert_false(pd_feature_encode(&info, PD_NUMA_TOPOLOGY, &out));
	for (size_t i = 0; i < ARRAY_LEN(said); i++) {
		out.n = 0;
		assert_true(pd_feature_encode(&info, said[i], &out));
		assert_int_equal(pd_info_feature(&again, said[i], out.data, out.n, false, NULL), 0);
	}
	free(out.data);
	assert_string_equal(again.hostname, info.hostname);
	assert_string_equal(again.arch, info.arch);
	assert_int_equal(again.cpus_available, 4);
	assert_int_equal(again.cpus_online, 0);
	assert_int_equal(again.total_mem_kb, 1000);
	assert_string_equal(again.cmdline[1], "record");
	assert_int_equal(again.build_ids_n, 1);
	assert_memory_equal(again.build_ids[0].id, id.id, 20);
	assert_string_equal(again.build_ids[0].path, id.path);
	assert_string_equal(again.events[0].name, "cycles");
	assert_int_equal(again.last_ns, 6);
	assert_int_equal(again.compressed_mmap_len, 4096);
	info.hostname = info.arch = NULL;
	info.cmdline = NULL;
	info.build_ids = NULL;
	info.build_ids_n = 0;
	pd_info_deinit(&info);
	pd_info_deinit(&again);
}

/* ---- simpleperf -------------------------------------------------------------------------- */

static void symbols_of_simpleperf(void **state)
{
	(void)state;
	struct pd_info info;
	struct made m = {0};
	pd_info_init(&info);
	num(&m, 8 + 4 + 8 + 4 + 2 * 16 + 8, 4);
	text(&m, "/lib.so", 8);
	num(&m, 2, 4);
	num(&m, 0x1000, 8);
	num(&m, 2, 4);
	num(&m, 0x1234, 8);
	num(&m, 16, 4);
	text(&m, "foo", 4);
	num(&m, 0x2234, 8);
	num(&m, 32, 4);
	text(&m, "bar", 4);
	num(&m, 0x200, 8);
	told(&info, 128, &m);
	static const uint8_t message[] = {
		25, 0,	  0,	0,							/* bytes */
		10, 2,	  '/',	'x',							/* path */
		16, 2,									/* an ELF file */
		24, 0x80, 0x20,								/* min_vaddr 0x1000 */
		34, 9,	  8,	5,   16, 6, 26, 3, 'b', 'a', 'z', 50, 3, 8, 0x80, 0x02, /* min_vaddr_offset 0x100 */
	};
	assert_int_equal(pd_info_feature(&info, 132, message, sizeof(message), false, NULL), 0);
	assert_int_equal(info.file_symbols_n, 2);
	const struct pd_file_symbols *f = &info.file_symbols[0];
	assert_string_equal(f->path, "/lib.so");
	assert_false(f->kernel);
	assert_int_equal(f->min_vaddr, 0x1000);
	assert_int_equal(f->min_vaddr_offset, 0x200);
	assert_int_equal(f->symbols_n, 2);
	assert_int_equal(f->symbols[1].addr, 0x2234);
	assert_int_equal(f->symbols[1].len, 32);
	assert_string_equal(f->symbols[0].name, "foo");
	assert_string_equal(f->symbols[1].name, "bar");
	f = &info.file_symbols[1];
	assert_string_equal(f->path, "/x");
	assert_false(f->kernel);
	assert_int_equal(f->min_vaddr, 0x1000);
	assert_int_equal(f->min_vaddr_offset, 0x100);
	assert_int_equal(f->symbols_n, 1);
	assert_int_equal(f->symbols[0].addr, 5);
	assert_int_equal(f->symbols[0].len, 6);
	assert_string_equal(f->symbols[0].name, "baz");
	pd_info_deinit(&info);
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

static void every_prefix_and_every_damaged_byte(void **state)
{
	(void)state;
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	for (unsigned big = 0; big < 2; big++) {
		struct made m = {.big = big};
		a_pipe(&m);
		for (size_t n = 0; n <= m.n; n++) {
			uint8_t *copy = malloc(n + 1); /* so that a byte too far is found */
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

/* Any bytes as any feature, and as any record: counts that lie, strings without an end. */
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
		cmocka_unit_test(pipes_and_what_is_no_recording),
		cmocka_unit_test(attrs_of_both_orders_and_all_sizes),
		cmocka_unit_test(attrs_beyond_what_is_known_name_the_byte),
		cmocka_unit_test(the_smallest_attr_covers_what_is_used),
		cmocka_unit_test(features_of_both_orders),
		cmocka_unit_test(names_come_before_or_after_the_attrs),
		cmocka_unit_test(events_without_a_name_get_one),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(symbols_of_simpleperf),
		cmocka_unit_test(pipes_of_both_orders),
		cmocka_unit_test(every_prefix_and_every_damaged_byte),
		cmocka_unit_test(random_bytes_as_anything),
		cmocka_unit_test(compressed_records_keep_to_their_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
