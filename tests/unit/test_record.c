/* A record that is encoded and decoded is unchanged, for all formats, in both byte orders. */
#include <cyctop/record.h>

#include "../lib/records.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct record_layout layout_of(uint64_t sample_type, uint64_t read_format, uint64_t branch_type, bool id_all)
{
	struct perf_attr attr = lib_attr(sample_type, read_format, branch_type, id_all);
	struct record_layout layout;
	assert_int_equal(record_layout_init(&layout, &attr), 0);
	return layout;
}

static void same_id(const struct sample_id *want, const struct sample_id *got)
{
	assert_int_equal(got->has, want->has);
	assert_int_equal(got->pid, want->pid);
	assert_int_equal(got->tid, want->tid);
	assert_true(got->time_ns == want->time_ns);
	assert_true(got->id == want->id);
	assert_true(got->stream_id == want->stream_id);
	assert_int_equal(got->cpu, want->cpu);
}

static void same_read(const struct record_read *want, const struct read_value *values, const struct record_read *got)
{
	assert_int_equal(got->nr, want->nr);
	assert_true(got->enabled_ns == want->enabled_ns);
	assert_true(got->running_ns == want->running_ns);
	for (uint64_t i = 0; i < want->nr; i++) {
		struct read_value v = record_read_value(got, i);
		assert_true(v.value == values[i].value);
		assert_true(v.id == values[i].id);
		assert_true(v.lost == values[i].lost);
	}
}

static void same_words(struct record_words want, struct record_words got)
{
	assert_int_equal(got.n, want.n);
	for (uint64_t i = 0; i < want.n; i++)
		assert_true(record_u64(got, i) == record_u64(want, i));
}

static void same_bytes(struct record_bytes want, struct record_bytes got)
{
	assert_int_equal(got.size, want.size);
	if (want.size)
		assert_memory_equal(got.data, want.data, want.size);
}

static void same_regs(const struct record_regs *want, const struct record_regs *got)
{
	assert_true(got->abi == want->abi);
	assert_true(got->mask == want->mask);
	same_words(want->values, got->values);
}

static void same_sample(const struct record_sample *want, const struct lib_store *store,
			const struct record_sample *got)
{
	assert_true(got->ip == want->ip);
	assert_true(got->addr == want->addr);
	assert_true(got->period == want->period);
	same_read(&want->read, store->values, &got->read);
	same_words(want->callchain, got->callchain);
	same_bytes(want->raw, got->raw);
	assert_int_equal(got->branch.nr, want->branch.nr);
	assert_true(got->branch.hw_idx == want->branch.hw_idx);
	for (uint64_t i = 0; i < want->branch.nr; i++) {
		struct branch_entry a = record_branch(want, i), b = record_branch(got, i);
		assert_memory_equal(&a, &b, sizeof(a));
	}
	same_words(want->branch.counters, got->branch.counters);
	same_regs(&want->regs_user, &got->regs_user);
	same_regs(&want->regs_intr, &got->regs_intr);
	same_bytes(want->stack_user, got->stack_user);
	assert_true(got->weight == want->weight);
	assert_int_equal(got->weight2, want->weight2);
	assert_int_equal(got->weight3, want->weight3);
	assert_true(got->data_src == want->data_src);
	assert_true(got->transaction == want->transaction);
	assert_true(got->phys_addr == want->phys_addr);
	assert_true(got->cgroup == want->cgroup);
	assert_true(got->data_page_size == want->data_page_size);
	assert_true(got->code_page_size == want->code_page_size);
	same_bytes(want->aux, got->aux);
}

static void same_core(const struct record_layout *layout, const uint8_t *buf, size_t n, const struct record *want)
{
	struct sample_core core;
	memset(&core, 0xff, sizeof(core));
	assert_int_equal(record_sample_core(layout, buf, n, &core), 0);
	assert_true(core.id == want->id.id);
	assert_true(core.ip == want->u.sample.ip);
	assert_true(core.time_ns == want->id.time_ns);
	assert_true(core.period == want->u.sample.period);
	assert_int_equal(core.pid, want->id.pid);
	assert_int_equal(core.tid, want->id.tid);
	assert_int_equal(core.cpu, want->id.cpu);
	assert_int_equal(core.misc, want->misc);
	assert_int_equal(record_sample_core(layout, buf, n - 8, &core), -EAGAIN);
	/* several together give the same as each of them alone */
	uint8_t two[2 * 4096];
	struct sample_core cores[3];
	size_t used;
	memset(cores, 0xff, sizeof(cores));
	memset(&core, 0xff, sizeof(core));
	assert_int_equal(record_sample_core(layout, buf, n, &core), 0);
	memcpy(two, buf, n);
	memcpy(two + n, buf, n);
	assert_int_equal(record_sample_cores(layout, two, 2 * n, cores, 3, &used), 2);
	assert_int_equal(used, 2 * n);
	assert_memory_equal(&cores[0], &core, sizeof(core));
	assert_memory_equal(&cores[1], &core, sizeof(core));
	assert_int_equal(record_sample_cores(layout, two, 2 * n - 8, cores, 3, &used), 1);
	assert_int_equal(used, n);
}

/* Encodes into a buffer of 0xff bytes, which shows fields that were not written; decodes from
 * an unaligned address; encodes again. */
static size_t round_trip(const struct record_layout *layout, const struct record *want, struct record *got,
			 uint8_t *buf, size_t cap)
{
	uint8_t again[4096];
	memset(buf, 0xff, cap);
	memset(again, 0xff, sizeof(again));
	memset(got, 0xff, sizeof(*got));
	size_t n = record_encode(layout, want, buf + 1, cap - 1);
	assert_true(n >= 8 && n % 8 == 0);
	for (size_t i = n + 1; i < cap; i++)
		assert_int_equal(buf[i], 0xff);
	assert_int_equal(record_decode(layout, buf + 1, cap - 1, got), 0);
	assert_int_equal(got->type, want->type);
	assert_int_equal(got->misc, want->misc);
	assert_int_equal(got->size, n);
	same_id(&want->id, &got->id);
	lib_touch(got, buf + 1);
	assert_int_equal(record_encode(layout, got, again, sizeof(again)), n);
	assert_memory_equal(again, buf + 1, n);
	return n;
}

/* Checks that the cgroup is found from the end of the record, independent of the fields before
 * it. */
static void same_cgroups(const struct record_layout *layout, const uint8_t *bytes, size_t n, const struct record *want)
{
	uint8_t two[2 * 4096];
	uint64_t got[2] = {1, 1};
	bool has = (layout->sample_type & SAMPLE_CGROUP) && !(layout->sample_type & SAMPLE_AUX);
	assert_int_equal(layout->cgroup != LAYOUT_ABSENT, has);
	if (!has)
		return;
	memcpy(two, bytes, n);
	memcpy(two + n, bytes, n);
	record_sample_cgroups(layout, two, 2, got);
	assert_true(got[0] == want->u.sample.cgroup && got[1] == want->u.sample.cgroup);
}

/* Encodes `rec` in the other byte order, and converts that back. */
static void turns_around(const struct record_layout *layout, const struct record *rec, const uint8_t *bytes)
{
	struct record_layout other = *layout;
	other.swap = !layout->swap;
	struct record got;
	uint8_t turned[4096], again[4096];
	size_t n = record_encode(&other, rec, turned, sizeof(turned));
	assert_int_equal(n, rec->size);
	assert_int_equal(record_decode(&other, turned, n, &got), 0);
	assert_int_equal(record_encode(layout, &got, again, sizeof(again)), n);
	assert_memory_equal(again, bytes, n);
}

static void sample_round_trips(uint64_t sample_type, uint64_t read_format, uint64_t branch_type)
{
	struct record_layout layout = layout_of(sample_type, read_format, branch_type, true);
	struct lib_store store;
	struct record want, got;
	uint8_t buf[4096];
	lib_record(&layout, RECORD_SAMPLE, sample_type ^ read_format << 32, &store, &want);
	for (unsigned swap = 0; swap < 2; swap++) {
		layout.swap = swap;
		size_t n = round_trip(&layout, &want, &got, buf, sizeof(buf));
		same_sample(&want.u.sample, &store, &got.u.sample);
		same_core(&layout, buf + 1, n, &want);
		same_cgroups(&layout, buf + 1, n, &want);
		turns_around(&layout, &got, buf + 1);
	}
}

/* Tests a sample_type with all read formats, if it has READ, and all forms of branch stacks, if
 * it has BRANCH_STACK. */
static void sample_type_round_trips(uint64_t sample_type)
{
	static const uint64_t branch_types[] = {0, BRANCH_HW_INDEX, BRANCH_COUNTERS,
						BRANCH_HW_INDEX | BRANCH_COUNTERS | 1};
	uint64_t reads = sample_type & SAMPLE_READ ? READ_KNOWN : 0;
	size_t branches = sample_type & SAMPLE_BRANCH_STACK ? ARRAY_LEN(branch_types) : 1;
	for (uint64_t format = 0; format <= reads; format++)
		for (size_t b = 0; b < branches; b++)
			sample_round_trips(sample_type, format, branch_types[b]);
}

/* The fields of fixed size, whose places record_sample_cores() may know beforehand. */
static void every_set_of_fixed_fields_round_trips(void **state)
{
	(void)state;
	static const uint64_t fixed[] = {SAMPLE_IDENTIFIER, SAMPLE_IP,	      SAMPLE_TID, SAMPLE_TIME,	SAMPLE_ADDR,
					 SAMPLE_ID,	    SAMPLE_STREAM_ID, SAMPLE_CPU, SAMPLE_PERIOD};
	for (unsigned set = 0; set < 1u << ARRAY_LEN(fixed); set++) {
		uint64_t type = 0;
		for (unsigned i = 0; i < ARRAY_LEN(fixed); i++)
			type |= set >> i & 1 ? fixed[i] : 0;
		sample_round_trips(type, 0, 0);
	}
}

static bool allowed(uint64_t sample_type)
{
	const uint64_t both = SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT;
	return (sample_type & both) != both;
}

static void every_sample_bit_and_pair_round_trips(void **state)
{
	(void)state;
	sample_type_round_trips(0);
	for (unsigned a = 0; a < 25; a++) {
		for (unsigned b = a; b < 25; b++) {
			uint64_t type = 1ull << a | 1ull << b;
			if (allowed(type))
				sample_type_round_trips(type);
			if (allowed(type | SAMPLE_READ))
				sample_type_round_trips(type | SAMPLE_READ);
		}
	}
}

static void all_sample_bits_round_trip(void **state)
{
	(void)state;
	for (unsigned without = 0; without < 26; without++) {
		uint64_t type = SAMPLE_KNOWN & ~(1ull << without);
		sample_type_round_trips(type & ~(uint64_t)SAMPLE_WEIGHT);
		sample_type_round_trips(type & ~(uint64_t)SAMPLE_WEIGHT_STRUCT);
	}
}

/* ---- the other types ----------------------------------------------------------------- */

static void same_mmap(const struct record *want, const struct record *got)
{
	const struct record_mmap *a = &want->u.mmap, *b = &got->u.mmap;
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->tid, b->tid);
	assert_true(a->start == b->start && a->len == b->len && a->pgoff == b->pgoff);
	assert_int_equal(a->maj, b->maj);
	assert_int_equal(a->min, b->min);
	assert_true(a->ino == b->ino && a->ino_generation == b->ino_generation);
	assert_int_equal(a->build_id_size, b->build_id_size);
	assert_memory_equal(a->build_id, b->build_id, sizeof(a->build_id));
	assert_int_equal(a->prot, b->prot);
	assert_int_equal(a->flags, b->flags);
	assert_string_equal(a->filename, b->filename);
}

static void same_strings_and_arrays(const struct record *want, const struct lib_store *store, const struct record *got)
{
	switch (want->type) {
	case RECORD_READ:
		assert_int_equal(want->u.read.pid, got->u.read.pid);
		assert_int_equal(want->u.read.tid, got->u.read.tid);
		same_read(&want->u.read.read, store->values, &got->u.read.read);
		break;
	case RECORD_NAMESPACES:
		assert_int_equal(got->u.namespaces.nr, LIB_LINKS_N);
		for (uint64_t i = 0; i < LIB_LINKS_N; i++) {
			struct namespace_link link = record_namespace(got, i);
			assert_true(link.dev == store->links[2 * i] && link.inode == store->links[2 * i + 1]);
		}
		assert_int_equal(want->u.namespaces.pid, got->u.namespaces.pid);
		assert_int_equal(want->u.namespaces.tid, got->u.namespaces.tid);
		break;
	case RECORD_COMM:
		assert_int_equal(want->u.comm.pid, got->u.comm.pid);
		assert_int_equal(want->u.comm.tid, got->u.comm.tid);
		assert_string_equal(want->u.comm.comm, got->u.comm.comm);
		break;
	case RECORD_KSYMBOL:
		assert_true(want->u.ksymbol.addr == got->u.ksymbol.addr);
		assert_int_equal(want->u.ksymbol.len, got->u.ksymbol.len);
		assert_int_equal(want->u.ksymbol.ksym_type, got->u.ksymbol.ksym_type);
		assert_int_equal(want->u.ksymbol.flags, got->u.ksymbol.flags);
		assert_string_equal(want->u.ksymbol.name, got->u.ksymbol.name);
		break;
	case RECORD_CGROUP:
		assert_true(want->u.cgroup.id == got->u.cgroup.id);
		assert_string_equal(want->u.cgroup.path, got->u.cgroup.path);
		break;
	case RECORD_TEXT_POKE:
		assert_true(want->u.text_poke.addr == got->u.text_poke.addr);
		assert_int_equal(got->u.text_poke.old_len, 5);
		assert_int_equal(got->u.text_poke.new_len, 6);
		assert_memory_equal(got->u.text_poke.bytes, store->poke, 11);
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		assert_true(want->u.deferred.cookie == got->u.deferred.cookie);
		same_words(want->u.deferred.callchain, got->u.deferred.callchain);
		break;
	default: /* without pointers: compare the whole unions, in which unused bytes are 0 */
		assert_memory_equal(&want->u, &got->u, sizeof(want->u));
	}
}

static void type_round_trips(const struct record_layout *layout, uint32_t type, uint64_t seed)
{
	struct lib_store store;
	struct record want, got;
	uint8_t buf[4096];
	lib_record(layout, type, seed, &store, &want);
	size_t n = round_trip(layout, &want, &got, buf, sizeof(buf));
	turns_around(layout, &got, buf + 1);
	if (type == RECORD_SAMPLE) {
		same_sample(&want.u.sample, &store, &got.u.sample);
		return;
	}
	if (type == RECORD_MMAP || type == RECORD_MMAP2)
		same_mmap(&want, &got);
	else
		same_strings_and_arrays(&want, &store, &got);
	struct sample_core core;
	assert_int_equal(record_sample_core(layout, buf + 1, n, &core), -EBADMSG);
}

static void types_round_trip(uint64_t sample_type, uint64_t read_format, bool id_all)
{
	struct record_layout layout = layout_of(sample_type, read_format, 0, id_all);
	for (uint32_t type = RECORD_MMAP; type <= RECORD_CALLCHAIN_DEFERRED; type++) {
		for (unsigned seed = 0; seed < 4; seed++) {
			layout.swap = seed & 2;
			type_round_trips(&layout, type, seed & 1);
		}
	}
}

static void every_type_round_trips_with_every_trailer(void **state)
{
	(void)state;
	static const uint64_t bits[] = {SAMPLE_TID,	  SAMPLE_TIME, SAMPLE_ID,
					SAMPLE_STREAM_ID, SAMPLE_CPU,  SAMPLE_IDENTIFIER};
	for (unsigned subset = 0; subset < 64; subset++) {
		uint64_t type = SAMPLE_IP | SAMPLE_PERIOD;
		for (size_t i = 0; i < ARRAY_LEN(bits); i++)
			type |= subset >> i & 1 ? bits[i] : 0;
		types_round_trip(type, 0, true);
		types_round_trip(type, READ_GROUP | READ_ID, false);
	}
	for (uint64_t format = 0; format <= READ_KNOWN; format++)
		types_round_trip(SAMPLE_IDENTIFIER | SAMPLE_TIME, format, true);
}

/* ---- edge cases --------------------------------------------------------------------------- */

static void empty_parts_round_trip(void **state)
{
	(void)state;
	struct record_layout layout =
		layout_of(SAMPLE_KNOWN & ~(uint64_t)SAMPLE_WEIGHT, READ_KNOWN, BRANCH_HW_INDEX | BRANCH_COUNTERS, true);
	struct record want = {.type = RECORD_SAMPLE, .id.has = 0}, got;
	uint8_t buf[1024];
	want.u.sample.read.format = READ_KNOWN;
	size_t n = record_encode(&layout, &want, buf, sizeof(buf));
	assert_int_not_equal(n, 0);
	assert_int_equal(record_decode(&layout, buf, n, &got), 0);
	const struct record_sample *s = &got.u.sample;
	assert_int_equal(s->read.nr, 0);
	assert_int_equal(s->callchain.n, 0);
	assert_int_equal(s->raw.size, 0);
	assert_int_equal(s->branch.nr, 0);
	assert_int_equal(s->regs_user.values.n, 0);
	assert_int_equal(s->regs_intr.values.n, 0);
	assert_int_equal(s->stack_user.size, 0);
	assert_int_equal(s->aux.size, 0);
	lib_touch(&got, buf);
}

static void values_are_rewritten_in_the_layouts_format(void **state)
{
	(void)state;
	const uint64_t group[] = {11, 12, 13, 21, 22, 23};
	struct record_layout layout = layout_of(SAMPLE_READ, READ_TIME_ENABLED | READ_LOST, 0, false);
	struct record want = {.type = RECORD_SAMPLE}, got;
	uint8_t buf[128];
	want.u.sample.read = (struct record_read){
		.nr = 2,
		.enabled_ns = 7,
		.values = group,
		.format = READ_GROUP | READ_ID | READ_LOST,
	};
	size_t n = record_encode(&layout, &want, buf, sizeof(buf));
	assert_int_equal(n, 8 + 24);
	assert_int_equal(record_decode(&layout, buf, n, &got), 0);
	struct read_value v = record_read_value(&got.u.sample.read, 0);
	assert_int_equal(got.u.sample.read.nr, 1);
	assert_int_equal(got.u.sample.read.enabled_ns, 7);
	assert_int_equal(v.value, 11);
	assert_int_equal(v.id, 0);
	assert_int_equal(v.lost, 13);
}

static void fields_are_swapped_each_by_its_width(void **state)
{
	(void)state;
	struct record_layout layout = layout_of(SAMPLE_IP | SAMPLE_TID | SAMPLE_CPU | SAMPLE_BRANCH_STACK, 0, 0, false);
	static const uint8_t big[] = {0, 0, 0, 9, 0, 2, 0, 64, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 1, 2, 3,
				      4, 5, 6, 7, 8, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
				      0, 0xa, 0, 0, 0, 0, 0, 0, 0, 0xb,
				      /* mispred, abort, cycles 5, type 3, priv 4, as the
				       * bit-field of a big-endian machine */
				      0x90, 0x00, 0x53, 0x02, 0, 0, 0, 0};
	_Static_assert(sizeof(big) == 64, "as its header says");
	struct record got;
	layout.swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	assert_int_equal(record_decode(&layout, big, sizeof(big), &got), 0);
	assert_int_equal(got.type, RECORD_SAMPLE);
	assert_int_equal(got.misc, 2);
	assert_int_equal(got.size, 64);
	assert_true(got.u.sample.ip == 0x1112131415161718ull);
	assert_int_equal(got.id.pid, 0x01020304);
	assert_int_equal(got.id.tid, 0x05060708);
	assert_int_equal(got.id.cpu, 3);
	struct branch_entry e = record_branch(&got.u.sample, 0);
	assert_int_equal(e.from, 0xa);
	assert_int_equal(e.to, 0xb);
	assert_true(e.flags == (1 | 1 << 3 | 5 << 4 | 3 << 20 | 4ull << 30));
}

static void encoder_keeps_to_its_buffer(void **state)
{
	(void)state;
	struct record_layout layout =
		layout_of(SAMPLE_KNOWN & ~(uint64_t)SAMPLE_WEIGHT, READ_KNOWN, BRANCH_HW_INDEX, true);
	for (uint32_t type = RECORD_MMAP; type <= RECORD_CALLCHAIN_DEFERRED; type++) {
		struct lib_store store;
		struct record rec;
		uint8_t buf[4096];
		lib_record(&layout, type, 1, &store, &rec);
		size_t n = record_encode(&layout, &rec, buf, sizeof(buf));
		for (size_t cap = 0; cap < n; cap++) {
			memset(buf, 0xff, sizeof(buf));
			assert_int_equal(record_encode(&layout, &rec, buf, cap), 0);
			assert_int_equal(buf[cap], 0xff);
		}
		assert_int_equal(record_encode(&layout, &rec, buf, n), n);
	}
}

static void encoder_keeps_to_the_size_of_a_record(void **state)
{
	(void)state;
	static uint8_t big[80000], data[80000];
	struct record_layout layout = layout_of(SAMPLE_RAW, 0, 0, false);
	struct record rec = {.type = RECORD_SAMPLE}, got;
	for (uint64_t size = 65500; size < 65560; size++) {
		rec.u.sample.raw = (struct record_bytes){data, size};
		size_t want = (8 + 4 + size + 7) / 8 * 8;
		size_t n = record_encode(&layout, &rec, big, sizeof(big));
		assert_int_equal(n, want <= 65528 ? want : 0);
		if (!n)
			continue;
		assert_int_equal(record_decode(&layout, big, n, &got), 0);
		assert_int_equal(got.u.sample.raw.size, size);
	}
	rec.u.sample.raw.size = UINT64_MAX;
	assert_int_equal(record_encode(&layout, &rec, big, sizeof(big)), 0);
	rec = (struct record){.type = 23};
	assert_int_equal(record_encode(&layout, &rec, big, sizeof(big)), 0);
	rec = (struct record){.type = 0};
	assert_int_equal(record_encode(&layout, &rec, big, sizeof(big)), 0);
	rec = (struct record){.type = UINT32_MAX};
	assert_int_equal(record_encode(&layout, &rec, big, sizeof(big)), 0);
}

static void unknown_bits_are_refused(void **state)
{
	(void)state;
	struct record_layout layout;
	struct perf_attr attr = lib_attr(1ull << 25, 0, 0, true);
	assert_int_equal(record_layout_init(&layout, &attr), -EINVAL);
	attr = lib_attr(1ull << 63, 0, 0, true);
	assert_int_equal(record_layout_init(&layout, &attr), -EINVAL);
	attr = lib_attr(SAMPLE_IP, 1u << 5, 0, true);
	assert_int_equal(record_layout_init(&layout, &attr), -EINVAL);
	attr = lib_attr(SAMPLE_BRANCH_STACK, 0, 1ull << 20, true);
	assert_int_equal(record_layout_init(&layout, &attr), -EINVAL);
	attr = lib_attr(SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT, 0, 0, true);
	assert_int_equal(record_layout_init(&layout, &attr), -EINVAL);
	/* Without BRANCH_STACK, branch_sample_type is not used. */
	attr = lib_attr(SAMPLE_IP, 0, 1ull << 20, true);
	assert_int_equal(record_layout_init(&layout, &attr), 0);
}

static void unknown_types_keep_their_header(void **state)
{
	(void)state;
	static const uint32_t types[] = {0, 23, 63, 64, 81, UINT32_MAX};
	struct record_layout layout = layout_of(SAMPLE_TID | SAMPLE_TIME, 0, 0, true);
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		uint8_t buf[40];
		struct record got;
		memset(buf, 0xee, sizeof(buf));
		memcpy(buf, &(struct record_header){types[i], 5, 32}, 8);
		assert_int_equal(record_decode(&layout, buf, sizeof(buf), &got), 0);
		assert_int_equal(got.type, types[i]);
		assert_int_equal(got.misc, 5);
		assert_int_equal(got.size, 32);
		assert_int_equal(got.id.has, 0);
		assert_int_equal(got.id.time_ns, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sample_bit_and_pair_round_trips),
		cmocka_unit_test(every_set_of_fixed_fields_round_trips),
		cmocka_unit_test(all_sample_bits_round_trip),
		cmocka_unit_test(every_type_round_trips_with_every_trailer),
		cmocka_unit_test(empty_parts_round_trip),
		cmocka_unit_test(values_are_rewritten_in_the_layouts_format),
		cmocka_unit_test(fields_are_swapped_each_by_its_width),
		cmocka_unit_test(encoder_keeps_to_its_buffer),
		cmocka_unit_test(encoder_keeps_to_the_size_of_a_record),
		cmocka_unit_test(unknown_bits_are_refused),
		cmocka_unit_test(unknown_types_keep_their_header),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
