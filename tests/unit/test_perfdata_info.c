/* Parses features that are made byte by byte in both byte orders; and parses features that were
 * encoded. */
#include "../lib/pd_made.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- features --------------------------------------------------------------------------- */

static void parse_feature(struct pd_info *info, unsigned f, const struct made *m)
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
		parse_feature(&info, PD_HOSTNAME, &m);
		m.n = 0;
		num(&m, 8, 4);
		num(&m, 6, 4);
		parse_feature(&info, PD_NRCPUS, &m);
		m.n = 0;
		num(&m, 2, 4);
		string(&m, "perf");
		string(&m, "record");
		parse_feature(&info, PD_CMDLINE, &m);
		m.n = 0;
		record(&m, PD_RECORD_BUILD_ID, 2 | 1 << 15, 8 + 4 + 24 + 16);
		num(&m, UINT32_MAX, 4);
		text(&m, "\1\2\3\4", 20);
		num(&m, 4, 1);
		text(&m, "", 3);
		text(&m, "/bin/true", 16);
		parse_feature(&info, PD_BUILD_ID, &m);
		m.n = 0;
		num(&m, 100, 8);
		num(&m, 200, 8);
		parse_feature(&info, PD_SAMPLE_TIME, &m);
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
			parse_feature(&info, PD_EVENT_DESC, &m);
		assert_int_equal(pd_info_add_event(&info, &a, size, ids, 2, NULL), 0);
		if (!(when & 2))
			parse_feature(&info, PD_EVENT_DESC, &m);
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
	parse_feature(&info, PD_PMU_MAPPINGS, &m);
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		struct perf_attr a = {.type = wanted[i].type, .config = wanted[i].config, .flags = wanted[i].flags};
		char name[64];
		if (i == 10) { /* except cpu_core, whose type number here is that of raw events */
			info.pmus[0].type = 5000;
		}
		assert_int_equal(pd_info_add_event(&info, &a, 64, NULL, 0, NULL), 0);
		pd_event_name(&info, i, name, sizeof(name));
		assert_string_equal(name, wanted[i].name);
	}
	pd_info_deinit(&info);
}

static void the_topology_is_read(void **state)
{
	(void)state;
	struct pd_info info;
	struct made m = {0};
	pd_info_init(&info);
	num(&m, 4, 4); /* available, online */
	num(&m, 4, 4);
	parse_feature(&info, PD_NRCPUS, &m);
	m.n = 0;
	num(&m, 1, 4);
	string(&m, "0-3");
	num(&m, 2, 4);
	string(&m, "0-1");
	string(&m, "2-3");
	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		num(&m, cpu / 2, 4);
		num(&m, 1, 4);
	}
	num(&m, 1, 4); /* dies follow */
	string(&m, "0-3");
	parse_feature(&info, PD_CPU_TOPOLOGY, &m);
	assert_int_equal(info.cpus_n, 4);
	assert_int_equal(info.cpus[3].core, 1);
	assert_int_equal(info.cpus[3].socket, 1);
	m.n = 0;
	num(&m, 2, 4);
	for (uint32_t node = 0; node < 2; node++) {
		num(&m, node * 8, 4);
		num(&m, 1000, 8);
		num(&m, 500, 8);
		string(&m, node ? "2-3" : "0,1");
	}
	parse_feature(&info, PD_NUMA_TOPOLOGY, &m);
	assert_int_equal(info.nodes_n, 2);
	assert_int_equal(info.nodes[1].node, 8);
	assert_string_equal(info.nodes[1].cpus, "2-3");
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
	static const unsigned said[] = {PD_HOSTNAME, PD_ARCH,	    PD_NRCPUS,	    PD_TOTAL_MEM,  PD_CMDLINE,
					PD_BUILD_ID, PD_EVENT_DESC, PD_SAMPLE_TIME, PD_COMPRESSED, PD_CLOCK_DATA};
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
	info.clock_id = 1;
	info.wall_ns = 1795426200250000000;
	info.clock_ns = 77;
	struct pd_buffer out = {0};
	assert_false(pd_feature_encode(&info, PD_CPUID, &out));
	info.wall_ns = 0;
	assert_false(pd_feature_encode(&info, PD_CLOCK_DATA, &out));
	info.wall_ns = 1795426200250000000;
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
	assert_int_equal(again.clock_id, 1);
	assert_int_equal(again.wall_ns, 1795426200250000000);
	assert_int_equal(again.clock_ns, 77);
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
	parse_feature(&info, 128, &m);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(features_of_both_orders),	 cmocka_unit_test(names_come_before_or_after_the_attrs),
		cmocka_unit_test(events_without_a_name_get_one), cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(the_topology_is_read),		 cmocka_unit_test(symbols_of_simpleperf),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
