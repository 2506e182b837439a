/* Records that are written by hand according to perf_event_open(2): they show errors that
 * encoder and decoder share. */
#include <cyctop/record.h>

#include "../lib/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Two u32, the one at the lower address first. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define U32(a, b) ((uint64_t)(uint32_t)(b) << 32 | (uint32_t)(a))
#define U16(a, b) ((uint32_t)(b) << 16 | (uint32_t)(a))
#else
#define U32(a, b) ((uint64_t)(uint32_t)(a) << 32 | (uint32_t)(b))
#define U16(a, b) ((uint32_t)(a) << 16 | (uint32_t)(b))
#endif
#define HEADER(type, misc, words) U32(type, U16(misc, 8 * (words)))

static uint64_t text(const char *eight)
{
	uint64_t v = 0;
	memcpy(&v, eight, strlen(eight));
	return v;
}

static struct record_layout layout_of(uint64_t sample_type, uint64_t read_format, uint64_t branch_type)
{
	struct perf_attr attr = lib_attr(sample_type, read_format, branch_type, true);
	struct record_layout layout;
	assert_int_equal(record_layout_init(&layout, &attr), 0);
	return layout;
}

/* Decodes a record, and checks that encoding it gives the same bytes. */
static struct record decode(const struct record_layout *layout, const uint64_t *words, size_t n)
{
	struct record rec;
	uint64_t again[64];
	assert_int_equal(record_decode(layout, words, n * 8, &rec), 0);
	assert_int_equal(rec.size, n * 8);
	assert_int_equal(record_encode(layout, &rec, again, sizeof(again)), n * 8);
	assert_memory_equal(again, words, n * 8);
	return rec;
}

static const uint64_t usual = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD;

/* { u32 pid, tid; u64 time; u32 cpu, res; u64 identifier } */
#define USUAL_TRAILER U32(71, 72), 7373, U32(74, 0), 7575

static void same_trailer(const struct record *rec)
{
	assert_int_equal(rec->id.has, SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_IDENTIFIER);
	assert_int_equal(rec->id.pid, 71);
	assert_int_equal(rec->id.tid, 72);
	assert_int_equal(rec->id.time_ns, 7373);
	assert_int_equal(rec->id.cpu, 74);
	assert_int_equal(rec->id.id, 7575);
}

static void sample_of_a_sampler(void **state)
{
	(void)state;
	const uint64_t words[] = {
		HEADER(9, MISC_KERNEL | MISC_EXACT_IP, 7),
		1001,		    /* identifier */
		0xffffffff81000123, /* ip */
		U32(42, 43),	    /* pid, tid */
		123456789,	    /* time */
		U32(5, 0),	    /* cpu, res */
		65537,		    /* period */
	};
	struct record_layout layout = layout_of(usual, 0, 0);
	struct record rec = decode(&layout, words, ARRAY_LEN(words));
	assert_int_equal(rec.type, RECORD_SAMPLE);
	assert_int_equal(rec.misc, MISC_KERNEL | MISC_EXACT_IP);
	assert_int_equal(rec.id.id, 1001);
	assert_int_equal(rec.id.pid, 42);
	assert_int_equal(rec.id.tid, 43);
	assert_int_equal(rec.id.time_ns, 123456789);
	assert_int_equal(rec.id.cpu, 5);
	assert_true(rec.u.sample.ip == 0xffffffff81000123);
	assert_int_equal(rec.u.sample.period, 65537);
	struct sample_core core;
	assert_int_equal(record_sample_core(&layout, words, sizeof(words), &core), 0);
	assert_true(core.ip == 0xffffffff81000123);
	assert_int_equal(core.id, 1001);
	assert_int_equal(core.tid, 43);
	assert_int_equal(core.cpu, 5);
	assert_int_equal(core.period, 65537);
}

static void fixed_fields_come_in_their_order(void **state)
{
	(void)state;
	const uint64_t words[] = {
		HEADER(9, MISC_USER, 11),
		1,
		2,
		U32(3, 4),
		5,
		6,
		1,
		8,
		U32(9, 0),
		10, /* identifier .. period */
		11, /* weight */
	};
	struct record_layout layout =
		layout_of(usual | SAMPLE_ADDR | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_WEIGHT, 0, 0);
	struct record rec = decode(&layout, words, ARRAY_LEN(words));
	assert_int_equal(rec.id.id, 1);
	assert_int_equal(rec.u.sample.ip, 2);
	assert_int_equal(rec.id.pid, 3);
	assert_int_equal(rec.id.tid, 4);
	assert_int_equal(rec.id.time_ns, 5);
	assert_int_equal(rec.u.sample.addr, 6);
	assert_int_equal(rec.id.stream_id, 8);
	assert_int_equal(rec.id.cpu, 9);
	assert_int_equal(rec.u.sample.period, 10);
	assert_int_equal(rec.u.sample.weight, 11);
}

static void variable_fields_come_in_their_order(void **state)
{
	(void)state;
	const uint64_t words[] = {
		HEADER(9, MISC_USER, 44),
		/* read: nr, enabled, running, {value, id, lost} x 2 */
		2,
		100,
		90,
		11,
		12,
		13,
		21,
		22,
		23,
		/* callchain: nr, ips */
		2,
		(uint64_t)-512,
		0x401000,
		/* raw: u32 size, bytes */
		U32(4, 0x44332211),
		/* branch stack: nr, hw_idx, {from, to, flags} x 2, counters x 2 */
		2,
		7,
		1,
		2,
		3,
		4,
		5,
		6,
		0xc1,
		0xc2,
		/* user registers: abi, then three registers */
		2,
		31,
		32,
		33,
		/* user stack: size, 16 bytes, dyn_size */
		16,
		41,
		42,
		9,
		/* weight struct, data_src, transaction */
		0x0003000200000001,
		51,
		52,
		/* interrupt registers: abi, then two registers */
		1,
		61,
		62,
		/* phys_addr, cgroup, data page, code page */
		71,
		72,
		73,
		74,
		/* aux: size, bytes */
		8,
		81,
	};
	const uint64_t type = SAMPLE_READ | SAMPLE_CALLCHAIN | SAMPLE_RAW | SAMPLE_BRANCH_STACK | SAMPLE_REGS_USER |
			      SAMPLE_STACK_USER | SAMPLE_WEIGHT_STRUCT | SAMPLE_DATA_SRC | SAMPLE_TRANSACTION |
			      SAMPLE_REGS_INTR | SAMPLE_PHYS_ADDR | SAMPLE_CGROUP | SAMPLE_DATA_PAGE_SIZE |
			      SAMPLE_CODE_PAGE_SIZE | SAMPLE_AUX;
	struct record_layout layout = layout_of(type, READ_KNOWN, BRANCH_HW_INDEX | BRANCH_COUNTERS);
	struct record rec = decode(&layout, words, ARRAY_LEN(words));
	const struct record_sample *s = &rec.u.sample;
	assert_int_equal(s->read.nr, 2);
	assert_int_equal(s->read.enabled_ns, 100);
	assert_int_equal(s->read.running_ns, 90);
	struct read_value v = record_read_value(&s->read, 1);
	assert_int_equal(v.value, 21);
	assert_int_equal(v.id, 22);
	assert_int_equal(v.lost, 23);
	assert_int_equal(s->callchain.n, 2);
	assert_true(record_u64(s->callchain, 0) == (uint64_t)-512);
	assert_int_equal(record_u64(s->callchain, 1), 0x401000);
	assert_int_equal(s->raw.size, 4);
	uint32_t raw;
	memcpy(&raw, s->raw.data, 4);
	assert_int_equal(raw, 0x44332211);
	assert_int_equal(s->branch.nr, 2);
	assert_int_equal(s->branch.hw_idx, 7);
	struct branch_entry br;
	memcpy(&br, (const struct branch_entry *)s->branch.entries + 1, sizeof(br));
	assert_int_equal(br.from, 4);
	assert_int_equal(br.flags, 6);
	assert_int_equal(record_u64(s->branch.counters, 1), 0xc2);
	assert_int_equal(s->regs_user.abi, 2);
	assert_int_equal(record_u64(s->regs_user.values, 2), 33);
	assert_int_equal(s->stack_user.size, 9);
	assert_int_equal(s->weight, 1);
	assert_int_equal(s->weight2, 2);
	assert_int_equal(s->weight3, 3);
	assert_int_equal(s->data_src, 51);
	assert_int_equal(s->transaction, 52);
	assert_int_equal(record_u64(s->regs_intr.values, 1), 62);
	assert_int_equal(s->phys_addr, 71);
	assert_int_equal(s->cgroup, 72);
	assert_int_equal(s->data_page_size, 73);
	assert_int_equal(s->code_page_size, 74);
	assert_int_equal(s->aux.size, 8);
}

static void empty_branch_stack_with_and_without_index(void **state)
{
	(void)state;
	struct record_layout layout = layout_of(SAMPLE_BRANCH_STACK | SAMPLE_CGROUP, 0, BRANCH_HW_INDEX);
	const uint64_t with[] = {HEADER(9, 0, 4), 0, 31, 41};
	struct record rec = decode(&layout, with, ARRAY_LEN(with));
	assert_int_equal(rec.u.sample.branch.hw_idx, 31);
	assert_int_equal(rec.u.sample.cgroup, 41);
	/* a sample without a branch stack, as the kernel writes it */
	const uint64_t without[] = {HEADER(9, 0, 3), 0, 41};
	assert_int_equal(record_decode(&layout, without, sizeof(without), &rec), 0);
	assert_int_equal(rec.u.sample.branch.nr, 0);
	assert_int_equal(rec.u.sample.branch.hw_idx, 0);
	assert_int_equal(rec.u.sample.cgroup, 41);
}

static void absent_registers_and_stack_take_one_word(void **state)
{
	(void)state;
	struct record_layout layout =
		layout_of(SAMPLE_REGS_USER | SAMPLE_STACK_USER | SAMPLE_REGS_INTR | SAMPLE_CGROUP, 0, 0);
	const uint64_t words[] = {HEADER(9, MISC_KERNEL, 5), 0, 0, 0, 41};
	struct record rec = decode(&layout, words, ARRAY_LEN(words));
	assert_int_equal(rec.u.sample.regs_user.values.n, 0);
	assert_int_equal(rec.u.sample.stack_user.size, 0);
	assert_int_equal(rec.u.sample.cgroup, 41);
}

static void mappings(void **state)
{
	(void)state;
	struct record_layout layout = layout_of(usual, 0, 0);
	const uint64_t mmap[] = {
		HEADER(1, MISC_USER | MISC_MMAP_DATA, 11),
		U32(10, 11),
		0x1000,
		0x2000,
		0x3000,
		text("/bin/tru"),
		text("e"),
		USUAL_TRAILER,
	};
	struct record rec = decode(&layout, mmap, ARRAY_LEN(mmap));
	same_trailer(&rec);
	assert_int_equal(rec.u.mmap.pid, 10);
	assert_int_equal(rec.u.mmap.tid, 11);
	assert_int_equal(rec.u.mmap.start, 0x1000);
	assert_int_equal(rec.u.mmap.len, 0x2000);
	assert_int_equal(rec.u.mmap.pgoff, 0x3000);
	assert_string_equal(rec.u.mmap.filename, "/bin/true");

	const uint64_t mmap2[] = {
		HEADER(10, MISC_USER, 14),
		U32(10, 11),
		0x1000,
		0x2000,
		0x3000,
		U32(8, 1),
		777,
		888,	   /* maj, min, ino, generation */
		U32(5, 2), /* prot, flags */
		text("/lib/x"),
		USUAL_TRAILER,
	};
	rec = decode(&layout, mmap2, ARRAY_LEN(mmap2));
	same_trailer(&rec);
	assert_int_equal(rec.u.mmap.maj, 8);
	assert_int_equal(rec.u.mmap.min, 1);
	assert_int_equal(rec.u.mmap.ino, 777);
	assert_int_equal(rec.u.mmap.ino_generation, 888);
	assert_int_equal(rec.u.mmap.build_id_size, 0);
	assert_int_equal(rec.u.mmap.prot, 5);
	assert_int_equal(rec.u.mmap.flags, 2);
	assert_string_equal(rec.u.mmap.filename, "/lib/x");

	uint64_t build_id[ARRAY_LEN(mmap2)];
	memcpy(build_id, mmap2, sizeof(mmap2));
	build_id[0] = HEADER(10, MISC_USER | MISC_MMAP_BUILD_ID, 14);
	uint8_t *p = (uint8_t *)&build_id[5];
	memset(p, 0, 24);
	p[0] = 20;
	for (uint8_t i = 0; i < 20; i++)
		p[4 + i] = 0xa0 + i;
	rec = decode(&layout, build_id, ARRAY_LEN(build_id));
	assert_int_equal(rec.u.mmap.build_id_size, 20);
	assert_memory_equal(rec.u.mmap.build_id, p + 4, 20);
	assert_int_equal(rec.u.mmap.ino, 0);
	p[0] = 21; /* larger than the field */
	assert_int_not_equal(record_decode(&layout, build_id, sizeof(build_id), &rec), 0);
}

static void tasks(void **state)
{
	(void)state;
	struct record_layout layout = layout_of(usual, 0, 0);
	const uint64_t comm[] = {HEADER(3, MISC_COMM_EXEC, 8), U32(10, 11), text("kworker/"), text("0:1"),
				 USUAL_TRAILER};
	struct record rec = decode(&layout, comm, ARRAY_LEN(comm));
	same_trailer(&rec);
	assert_int_equal(rec.misc, MISC_COMM_EXEC);
	assert_int_equal(rec.u.comm.pid, 10);
	assert_int_equal(rec.u.comm.tid, 11);
	assert_string_equal(rec.u.comm.comm, "kworker/0:1");

	const uint64_t task[] = {HEADER(7, 0, 8), U32(20, 10), U32(21, 11), 999, USUAL_TRAILER};
	rec = decode(&layout, task, ARRAY_LEN(task));
	same_trailer(&rec);
	assert_int_equal(rec.u.task.pid, 20);
	assert_int_equal(rec.u.task.ppid, 10);
	assert_int_equal(rec.u.task.tid, 21);
	assert_int_equal(rec.u.task.ptid, 11);
	assert_int_equal(rec.u.task.time_ns, 999);
}

static void losses_and_throttling(void **state)
{
	(void)state;
	struct record_layout layout = layout_of(usual, 0, 0);
	const uint64_t lost[] = {HEADER(2, 0, 7), 1001, 55, USUAL_TRAILER};
	struct record rec = decode(&layout, lost, ARRAY_LEN(lost));
	same_trailer(&rec);
	assert_int_equal(rec.u.lost.id, 1001);
	assert_int_equal(rec.u.lost.lost, 55);
	const uint64_t samples[] = {HEADER(13, 0, 6), 66, USUAL_TRAILER};
	rec = decode(&layout, samples, ARRAY_LEN(samples));
	assert_int_equal(rec.u.lost_samples.lost, 66);
	const uint64_t throttle[] = {HEADER(5, 0, 8), 123, 1001, 1002, USUAL_TRAILER};
	rec = decode(&layout, throttle, ARRAY_LEN(throttle));
	same_trailer(&rec);
	assert_int_equal(rec.u.throttle.time_ns, 123);
	assert_int_equal(rec.u.throttle.id, 1001);
	assert_int_equal(rec.u.throttle.stream_id, 1002);
}

static void kernel_symbols_and_patches(void **state)
{
	(void)state;
	struct record_layout layout = layout_of(usual, 0, 0);
	const uint64_t ksymbol[] = {HEADER(17, 0, 8), 0xffffffffc0000000, U32(512, U16(1, 2)), text("bpf_x"),
				    USUAL_TRAILER};
	struct record rec = decode(&layout, ksymbol, ARRAY_LEN(ksymbol));
	same_trailer(&rec);
	assert_true(rec.u.ksymbol.addr == 0xffffffffc0000000);
	assert_int_equal(rec.u.ksymbol.len, 512);
	assert_int_equal(rec.u.ksymbol.ksym_type, 1);
	assert_int_equal(rec.u.ksymbol.flags, 2);
	assert_string_equal(rec.u.ksymbol.name, "bpf_x");
	const uint64_t bpf[] = {HEADER(18, 0, 7), U32(U16(1, 0), 99), text("TAGTAGTA"), USUAL_TRAILER};
	rec = decode(&layout, bpf, ARRAY_LEN(bpf));
	assert_int_equal(rec.u.bpf.type, 1);
	assert_int_equal(rec.u.bpf.id, 99);
	assert_memory_equal(rec.u.bpf.tag, "TAGTAGTA", 8);
	const uint64_t poke[] = {HEADER(20, 0, 8), 0x8000, 0, 0, USUAL_TRAILER};
	uint64_t poked[ARRAY_LEN(poke)];
	memcpy(poked, poke, sizeof(poke));
	poked[2] = U32(U16(5, 5), 0x04030201);
	memcpy(&poked[3], "\5\6\7\10\11\12", 6);
	rec = decode(&layout, poked, ARRAY_LEN(poked));
	assert_int_equal(rec.u.text_poke.old_len, 5);
	assert_int_equal(rec.u.text_poke.new_len, 5);
	assert_memory_equal(rec.u.text_poke.bytes + 4, "\5\6\7\10\11\12", 6);
	const uint64_t cgroup[] = {HEADER(19, 0, 7), 77, text("/user"), USUAL_TRAILER};
	rec = decode(&layout, cgroup, ARRAY_LEN(cgroup));
	assert_int_equal(rec.u.cgroup.id, 77);
	assert_string_equal(rec.u.cgroup.path, "/user");
}

static void all_other_types(void **state)
{
	(void)state;
	struct record_layout layout = layout_of(usual, READ_TIME_ENABLED | READ_TIME_RUNNING | READ_ID | READ_LOST, 0);
	const uint64_t read[] = {HEADER(8, 0, 11), U32(10, 11), 500, 100, 90, 1001, 3, USUAL_TRAILER};
	struct record rec = decode(&layout, read, ARRAY_LEN(read));
	same_trailer(&rec);
	struct read_value v = record_read_value(&rec.u.read.read, 0);
	assert_int_equal(rec.u.read.read.enabled_ns, 100);
	assert_int_equal(rec.u.read.read.running_ns, 90);
	assert_int_equal(v.value, 500);
	assert_int_equal(v.id, 1001);
	assert_int_equal(v.lost, 3);
	const uint64_t aux[] = {HEADER(11, 0, 8), 1, 2, 3, USUAL_TRAILER};
	rec = decode(&layout, aux, ARRAY_LEN(aux));
	assert_int_equal(rec.u.aux.offset, 1);
	assert_int_equal(rec.u.aux.size, 2);
	assert_int_equal(rec.u.aux.flags, 3);
	const uint64_t itrace[] = {HEADER(12, 0, 6), U32(10, 11), USUAL_TRAILER};
	rec = decode(&layout, itrace, ARRAY_LEN(itrace));
	assert_int_equal(rec.u.itrace_start.tid, 11);
	const uint64_t out[] = {HEADER(14, MISC_SWITCH_OUT, 5), USUAL_TRAILER};
	rec = decode(&layout, out, ARRAY_LEN(out));
	same_trailer(&rec);
	const uint64_t wide[] = {HEADER(15, 0, 6), U32(10, 11), USUAL_TRAILER};
	rec = decode(&layout, wide, ARRAY_LEN(wide));
	assert_int_equal(rec.u.sched.next_prev_pid, 10);
	assert_int_equal(rec.u.sched.next_prev_tid, 11);
	const uint64_t ns[] = {HEADER(16, 0, 11), U32(10, 11), 2, 1, 2, 3, 4, USUAL_TRAILER};
	rec = decode(&layout, ns, ARRAY_LEN(ns));
	assert_int_equal(rec.u.namespaces.nr, 2);
	assert_memory_equal(rec.u.namespaces.links, &ns[3], 32);
	const uint64_t hw_id[] = {HEADER(21, 0, 6), 9, USUAL_TRAILER};
	rec = decode(&layout, hw_id, ARRAY_LEN(hw_id));
	assert_int_equal(rec.u.aux_hw_id.hw_id, 9);
	const uint64_t deferred[] = {HEADER(22, 0, 9), 0xc00c1e, 2, 0x401000, 0x402000, USUAL_TRAILER};
	rec = decode(&layout, deferred, ARRAY_LEN(deferred));
	same_trailer(&rec);
	assert_int_equal(rec.u.deferred.cookie, 0xc00c1e);
	assert_int_equal(record_u64(rec.u.deferred.callchain, 1), 0x402000);
}

static void trailer_is_found_from_the_end(void **state)
{
	(void)state;
	/* tid, time, id, stream_id, cpu, identifier */
	struct record_layout layout = layout_of(usual | SAMPLE_ID | SAMPLE_STREAM_ID, 0, 0);
	const uint64_t words[] = {HEADER(14, 0, 7), U32(1, 2), 3, 9, 5, U32(6, 0), 9};
	struct record rec = decode(&layout, words, ARRAY_LEN(words));
	assert_int_equal(rec.id.pid, 1);
	assert_int_equal(rec.id.tid, 2);
	assert_int_equal(rec.id.time_ns, 3);
	assert_int_equal(rec.id.stream_id, 5);
	assert_int_equal(rec.id.cpu, 6);
	assert_int_equal(rec.id.id, 9);
	/* Without sample_id_all there is no trailer, for any sample_type. */
	struct perf_attr attr = lib_attr(usual, 0, 0, false);
	assert_int_equal(record_layout_init(&layout, &attr), 0);
	const uint64_t bare[] = {HEADER(14, 0, 1)};
	rec = decode(&layout, bare, ARRAY_LEN(bare));
	assert_int_equal(rec.id.has, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sample_of_a_sampler),
		cmocka_unit_test(fixed_fields_come_in_their_order),
		cmocka_unit_test(variable_fields_come_in_their_order),
		cmocka_unit_test(empty_branch_stack_with_and_without_index),
		cmocka_unit_test(absent_registers_and_stack_take_one_word),
		cmocka_unit_test(mappings),
		cmocka_unit_test(tasks),
		cmocka_unit_test(losses_and_throttling),
		cmocka_unit_test(kernel_symbols_and_patches),
		cmocka_unit_test(all_other_types),
		cmocka_unit_test(trailer_is_found_from_the_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
