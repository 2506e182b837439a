#include "records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct perf_attr lib_attr(uint64_t sample_type, uint64_t read_format, uint64_t branch_type, bool id_all)
{
	return (struct perf_attr){
		.size = sizeof(struct perf_attr),
		.sample_type = sample_type,
		.read_format = read_format,
		.branch_sample_type = branch_type,
		.sample_regs_user = 0x8000000000000101ull,
		.sample_regs_intr = 0x30,
		.flags = id_all ? ATTR_SAMPLE_ID_ALL : 0,
	};
}

/* ---- making records ------------------------------------------------------------------- */

/* Returns pseudo-random values that differ in every byte. */
static uint64_t next(uint64_t *state)
{
	*state += 0x0101010101010101ull;
	return *state * 0x9e3779b97f4a7c15ull | 1;
}

static void make_read(uint64_t format, uint64_t *state, struct lib_store *st, struct record_read *ret)
{
	bool group = format & READ_GROUP;
	uint64_t *p = st->read;
	*ret = (struct record_read){.nr = group ? LIB_READ_N : 1, .values = st->read, .format = format};
	if (format & READ_TIME_ENABLED)
		ret->enabled_ns = next(state);
	if (format & READ_TIME_RUNNING)
		ret->running_ns = next(state);
	for (uint64_t i = 0; i < ret->nr; i++) {
		struct read_value *v = &st->values[i];
		*v = (struct read_value){.value = next(state)};
		*p++ = v->value;
		if (!group && (format & READ_TIME_ENABLED))
			*p++ = ret->enabled_ns;
		if (!group && (format & READ_TIME_RUNNING))
			*p++ = ret->running_ns;
		if (format & READ_ID)
			*p++ = v->id = next(state);
		if (format & READ_LOST)
			*p++ = v->lost = next(state);
	}
}

static void fill(uint64_t *words, size_t n, uint64_t *state)
{
	for (size_t i = 0; i < n; i++)
		words[i] = next(state);
}

static void fill_bytes(uint8_t *bytes, size_t n, uint64_t *state)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)(next(state) >> 32);
}

static void make_arrays(const struct record_layout *l, uint64_t *state, struct lib_store *st, struct record_sample *s)
{
	uint64_t type = l->sample_type;
	if (type & SAMPLE_READ)
		make_read(l->read_format, state, st, &s->read);
	fill(st->chain, LIB_CHAIN_N, state);
	if (type & SAMPLE_CALLCHAIN)
		s->callchain = (struct record_words){st->chain, LIB_CHAIN_N};
	fill_bytes(st->raw, LIB_RAW_N, state);
	if (type & SAMPLE_RAW)
		s->raw = (struct record_bytes){st->raw, LIB_RAW_N};
	for (size_t i = 0; i < LIB_BRANCHES_N; i++)
		st->branches[i] = (struct branch_entry){next(state), next(state), next(state)};
	fill(st->counters, LIB_BRANCHES_N, state);
	if (type & SAMPLE_BRANCH_STACK) {
		s->branch.nr = LIB_BRANCHES_N;
		s->branch.entries = st->branches;
		s->branch.hw_idx = l->branch_type & BRANCH_HW_INDEX ? next(state) : 0;
		if (l->branch_type & BRANCH_COUNTERS)
			s->branch.counters = (struct record_words){st->counters, LIB_BRANCHES_N};
	}
	fill(st->regs_user, 64, state);
	fill(st->regs_intr, 64, state);
	if (type & SAMPLE_REGS_USER)
		s->regs_user = (struct record_regs){2, l->regs_user_mask, {st->regs_user, l->regs_user_n}};
	if (type & SAMPLE_REGS_INTR)
		s->regs_intr = (struct record_regs){1, l->regs_intr_mask, {st->regs_intr, l->regs_intr_n}};
	fill_bytes(st->stack, LIB_STACK_N, state);
	if (type & SAMPLE_STACK_USER)
		s->stack_user = (struct record_bytes){st->stack, LIB_STACK_N};
	fill_bytes(st->aux, LIB_AUX_N, state);
	if (type & SAMPLE_AUX)
		s->aux = (struct record_bytes){st->aux, LIB_AUX_N};
}

static void make_sample(const struct record_layout *l, uint64_t *state, struct lib_store *st, struct record_sample *s)
{
	uint64_t type = l->sample_type;
	const struct {
		uint64_t bit, *member;
	} words[] = {
		{SAMPLE_IP, &s->ip},
		{SAMPLE_ADDR, &s->addr},
		{SAMPLE_PERIOD, &s->period},
		{SAMPLE_WEIGHT, &s->weight},
		{SAMPLE_DATA_SRC, &s->data_src},
		{SAMPLE_TRANSACTION, &s->transaction},
		{SAMPLE_PHYS_ADDR, &s->phys_addr},
		{SAMPLE_CGROUP, &s->cgroup},
		{SAMPLE_DATA_PAGE_SIZE, &s->data_page_size},
		{SAMPLE_CODE_PAGE_SIZE, &s->code_page_size},
	};
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (type & words[i].bit)
			*words[i].member = next(state);
	if (type & SAMPLE_WEIGHT_STRUCT) {
		s->weight = (uint32_t)next(state);
		s->weight2 = (uint16_t)next(state);
		s->weight3 = (uint16_t)next(state);
	}
	make_arrays(l, state, st, s);
}

static void make_id(const struct record_layout *l, uint64_t *state, struct sample_id *id)
{
	uint64_t type = l->sample_type;
	id->has = (uint32_t)(type & (SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU |
				     SAMPLE_IDENTIFIER));
	if (type & SAMPLE_TID) {
		id->pid = (uint32_t)next(state);
		id->tid = (uint32_t)next(state);
	}
	if (type & SAMPLE_TIME)
		id->time_ns = next(state) >> 8;
	if (type & (SAMPLE_ID | SAMPLE_IDENTIFIER))
		id->id = next(state);
	if (type & SAMPLE_STREAM_ID)
		id->stream_id = next(state);
	if (type & SAMPLE_CPU)
		id->cpu = (uint32_t)next(state);
}

static void make_mmap(uint64_t *state, struct lib_store *st, struct record *rec)
{
	struct record_mmap *m = &rec->u.mmap;
	*m = (struct record_mmap){
		.pid = (uint32_t)next(state),
		.tid = (uint32_t)next(state),
		.start = next(state),
		.len = next(state),
		.pgoff = next(state),
		.filename = st->name,
	};
	if (rec->type != RECORD_MMAP2)
		return;
	m->prot = (uint32_t)next(state) & 0xff0000ff; /* bits that the kernel never sets stay 0 */
	m->flags = (uint32_t)next(state);
	if (rec->misc & MISC_MMAP_BUILD_ID) {
		m->build_id_size = 20;
		fill_bytes(m->build_id, 20, state);
	} else {
		m->maj = (uint32_t)next(state);
		m->min = (uint32_t)next(state);
		m->ino = next(state);
		m->ino_generation = next(state);
	}
}

static void make_ksymbol(uint64_t *state, struct lib_store *st, struct record *rec)
{
	rec->u.ksymbol.addr = next(state);
	rec->u.ksymbol.len = (uint32_t)next(state);
	rec->u.ksymbol.ksym_type = (uint16_t)next(state);
	rec->u.ksymbol.flags = (uint16_t)next(state);
	rec->u.ksymbol.name = st->name;
}

static void make_text_poke(uint64_t *state, struct lib_store *st, struct record *rec)
{
	fill_bytes(st->poke, sizeof(st->poke), state);
	rec->u.text_poke.addr = next(state);
	rec->u.text_poke.old_len = 5;
	rec->u.text_poke.new_len = 6;
	rec->u.text_poke.bytes = st->poke;
}

static void make_task(uint64_t *state, struct record *rec)
{
	rec->u.task.pid = (uint32_t)next(state);
	rec->u.task.ppid = (uint32_t)next(state);
	rec->u.task.tid = (uint32_t)next(state);
	rec->u.task.ptid = (uint32_t)next(state);
	rec->u.task.time_ns = next(state);
}

static void make_throttle(uint64_t *state, struct record *rec)
{
	rec->u.throttle.time_ns = next(state);
	rec->u.throttle.id = next(state);
	rec->u.throttle.stream_id = next(state);
}

static void make_bpf(uint64_t *state, struct record *rec)
{
	rec->u.bpf.type = (uint16_t)next(state);
	rec->u.bpf.flags = (uint16_t)next(state);
	rec->u.bpf.id = (uint32_t)next(state);
	fill_bytes(rec->u.bpf.tag, sizeof(rec->u.bpf.tag), state);
}

static void make_namespaces(uint64_t *state, struct lib_store *st, struct record *rec)
{
	fill(st->links, 2 * LIB_LINKS_N, state);
	rec->u.namespaces.pid = (uint32_t)next(state);
	rec->u.namespaces.tid = (uint32_t)next(state);
	rec->u.namespaces.nr = LIB_LINKS_N;
	rec->u.namespaces.links = st->links;
}

static void make_payload(const struct record_layout *l, uint64_t *state, struct lib_store *st, struct record *rec)
{
	switch (rec->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		make_mmap(state, st, rec);
		break;
	case RECORD_LOST:
		rec->u.lost.id = next(state);
		rec->u.lost.lost = next(state);
		break;
	case RECORD_COMM:
		rec->u.comm.pid = (uint32_t)next(state);
		rec->u.comm.tid = (uint32_t)next(state);
		rec->u.comm.comm = st->name;
		break;
	case RECORD_EXIT:
	case RECORD_FORK:
		make_task(state, rec);
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		make_throttle(state, rec);
		break;
	case RECORD_READ:
		rec->u.read.pid = (uint32_t)next(state);
		rec->u.read.tid = (uint32_t)next(state);
		make_read(l->read_format, state, st, &rec->u.read.read);
		break;
	case RECORD_SAMPLE:
		make_sample(l, state, st, &rec->u.sample);
		break;
	case RECORD_AUX:
		rec->u.aux.offset = next(state);
		rec->u.aux.size = next(state);
		rec->u.aux.flags = next(state);
		break;
	case RECORD_ITRACE_START:
		rec->u.itrace_start.pid = (uint32_t)next(state);
		rec->u.itrace_start.tid = (uint32_t)next(state);
		break;
	case RECORD_LOST_SAMPLES:
		rec->u.lost_samples.lost = next(state);
		break;
	case RECORD_SWITCH_CPU_WIDE:
		rec->u.sched.next_prev_pid = (uint32_t)next(state);
		rec->u.sched.next_prev_tid = (uint32_t)next(state);
		break;
	case RECORD_NAMESPACES:
		make_namespaces(state, st, rec);
		break;
	case RECORD_KSYMBOL:
		make_ksymbol(state, st, rec);
		break;
	case RECORD_BPF_EVENT:
		make_bpf(state, rec);
		break;
	case RECORD_CGROUP:
		rec->u.cgroup.id = next(state);
		rec->u.cgroup.path = st->name;
		break;
	case RECORD_TEXT_POKE:
		make_text_poke(state, st, rec);
		break;
	case RECORD_AUX_OUTPUT_HW_ID:
		rec->u.aux_hw_id.hw_id = next(state);
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		fill(st->chain, LIB_CHAIN_N, state);
		rec->u.deferred.cookie = next(state);
		rec->u.deferred.callchain = (struct record_words){st->chain, LIB_CHAIN_N};
		break;
	default:
		break;
	}
}

void lib_record(const struct record_layout *layout, uint32_t type, uint64_t seed, struct lib_store *store,
		struct record *ret)
{
	uint64_t state = seed;
	memset(ret, 0, sizeof(*ret));
	memset(store, 0, sizeof(*store));
	snprintf(store->name, sizeof(store->name), "/usr/lib/record-%u-%u.so", type, (unsigned)(seed % 1000));
	ret->type = type;
	ret->misc = MISC_USER;
	if (type == RECORD_MMAP2 && seed % 2)
		ret->misc |= MISC_MMAP_BUILD_ID;
	if (type == RECORD_SAMPLE || layout->id_all)
		make_id(layout, &state, &ret->id);
	make_payload(layout, &state, store, ret);
}

size_t lib_stream(const struct record_layout *layout, uint64_t time, void *buf, size_t cap)
{
	size_t n = 0;
	for (uint32_t type = RECORD_MMAP; type <= RECORD_CALLCHAIN_DEFERRED; type++) {
		struct lib_store store;
		struct record rec;
		lib_record(layout, type, type, &store, &rec);
		rec.id.time_ns = time + type;
		size_t size = record_encode(layout, &rec, (uint8_t *)buf + n, cap - n);
		if (!size)
			abort();
		n += size;
	}
	return n;
}

/* ---- reading records ------------------------------------------------------------------ */

struct toucher {
	const uint8_t *from, *to;
	uint64_t sum;
};

static void touch(struct toucher *t, const void *data, uint64_t n)
{
	const uint8_t *p = data;
	if (!n)
		return;
	if (p < t->from || p > t->to || n > (uint64_t)(t->to - p))
		abort();
	for (uint64_t i = 0; i < n; i++)
		t->sum += p[i];
}

static void touch_words(struct toucher *t, struct record_words words)
{
	if (words.n > RECORD_SIZE_MAX)
		abort();
	touch(t, words.data, words.n * 8);
	for (uint64_t i = 0; i < words.n; i++)
		t->sum += record_u64(words, i);
}

static void touch_string(struct toucher *t, const char *s)
{
	touch(t, s, strlen(s) + 1);
}

static void touch_read(struct toucher *t, const struct record_read *read)
{
	for (uint64_t i = 0; i < read->nr; i++) {
		struct read_value v = record_read_value(read, i);
		t->sum += v.value + v.id + v.lost;
	}
	if (read->nr)
		touch(t, read->values, 8);
}

static void touch_sample(struct toucher *t, const struct record_sample *s)
{
	touch_read(t, &s->read);
	touch_words(t, s->callchain);
	touch(t, s->raw.data, s->raw.size);
	touch(t, s->branch.entries, s->branch.nr * sizeof(struct branch_entry));
	touch_words(t, s->branch.counters);
	touch_words(t, s->regs_user.values);
	touch_words(t, s->regs_intr.values);
	touch(t, s->stack_user.data, s->stack_user.size);
	touch(t, s->aux.data, s->aux.size);
}

uint64_t lib_touch(const struct record *rec, const void *bytes)
{
	struct toucher t = {.from = bytes, .to = (const uint8_t *)bytes + rec->size};
	switch (rec->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		touch_string(&t, rec->u.mmap.filename);
		break;
	case RECORD_COMM:
		touch_string(&t, rec->u.comm.comm);
		break;
	case RECORD_READ:
		touch_read(&t, &rec->u.read.read);
		break;
	case RECORD_SAMPLE:
		touch_sample(&t, &rec->u.sample);
		break;
	case RECORD_NAMESPACES:
		if (rec->u.namespaces.nr > RECORD_SIZE_MAX)
			abort();
		touch(&t, rec->u.namespaces.links, rec->u.namespaces.nr * 16);
		break;
	case RECORD_KSYMBOL:
		touch_string(&t, rec->u.ksymbol.name);
		break;
	case RECORD_CGROUP:
		touch_string(&t, rec->u.cgroup.path);
		break;
	case RECORD_TEXT_POKE:
		touch(&t, rec->u.text_poke.bytes, (uint64_t)rec->u.text_poke.old_len + rec->u.text_poke.new_len);
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		touch_words(&t, rec->u.deferred.callchain);
		break;
	default:
		break;
	}
	return t.sum;
}
