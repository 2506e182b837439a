#include "record/writer.h"

static struct read_value value_at(const struct record_read *read, uint64_t i)
{
	if (i < read->nr && read->values)
		return record_read_value(read, i);
	return (struct read_value){0};
}

/* Writes read values in the layout's format.  `read` may have another format; what it lacks is written as 0. */
void put_read(struct writer *w, const struct record_read *read)
{
	uint64_t format = w->layout->read_format;
	bool group = format & READ_GROUP;
	uint64_t nr = group ? read->nr : 1;
	put_u64(w, group ? nr : value_at(read, 0).value);
	if (format & READ_TIME_ENABLED)
		put_u64(w, read->enabled_ns);
	if (format & READ_TIME_RUNNING)
		put_u64(w, read->running_ns);
	for (uint64_t i = 0; i < nr && !w->over; i++) {
		struct read_value v = value_at(read, i);
		if (group)
			put_u64(w, v.value);
		if (format & READ_ID)
			put_u64(w, v.id);
		if (format & READ_LOST)
			put_u64(w, v.lost);
	}
}

static void put_regs(struct writer *w, unsigned n, const struct record_regs *regs)
{
	put_u64(w, regs->abi);
	for (unsigned i = 0; regs->abi && i < n; i++)
		put_u64(w, i < regs->values.n ? record_u64(regs->values, i) : 0);
}

static void put_stack(struct writer *w, const struct record_bytes *stack)
{
	uint64_t size = stack->size > RECORD_SIZE_MAX ? stack->size : (stack->size + 7) & ~7ull;
	put_u64(w, size);
	if (!size)
		return;
	put(w, stack->data, stack->size);
	put_padding(w);
	put_u64(w, stack->size);
}

static void put_branches(struct writer *w, const struct record_layout *l, const struct record_sample *s)
{
	put_u64(w, s->branch.nr);
	if (l->branch_type & BRANCH_HW_INDEX)
		put_u64(w, s->branch.hw_idx);
	for (uint64_t i = 0; i < s->branch.nr && !w->over; i++) {
		struct branch_entry e = record_branch(s, i);
		put_u64(w, e.from);
		put_u64(w, e.to);
		put_u64(w, l->swap != BIG_ENDIAN_HOST ? branch_flags_turn(e.flags, true) : e.flags);
	}
	if (!(l->branch_type & BRANCH_COUNTERS))
		return;
	for (uint64_t i = 0; i < s->branch.nr && !w->over; i++)
		put_u64(w, i < s->branch.counters.n ? record_u64(s->branch.counters, i) : 0);
}

static void put_fixed(struct writer *w, uint64_t type, const struct record *rec)
{
	const struct record_sample *s = &rec->u.sample;
	if (type & SAMPLE_IDENTIFIER)
		put_u64(w, rec->id.id);
	if (type & SAMPLE_IP)
		put_u64(w, s->ip);
	if (type & SAMPLE_TID)
		put_pair(w, rec->id.pid, rec->id.tid);
	if (type & SAMPLE_TIME)
		put_u64(w, rec->id.time_ns);
	if (type & SAMPLE_ADDR)
		put_u64(w, s->addr);
	if (type & SAMPLE_ID)
		put_u64(w, rec->id.id);
	if (type & SAMPLE_STREAM_ID)
		put_u64(w, rec->id.stream_id);
	if (type & SAMPLE_CPU)
		put_pair(w, rec->id.cpu, 0);
	if (type & SAMPLE_PERIOD)
		put_u64(w, s->period);
}

static uint64_t weight_word(uint64_t type, const struct record_sample *s)
{
	if (type & SAMPLE_WEIGHT)
		return s->weight;
	return (uint32_t)s->weight | (uint64_t)s->weight2 << 32 | (uint64_t)s->weight3 << 48;
}

static void put_rest(struct writer *w, const struct record_layout *l, const struct record_sample *s)
{
	uint64_t type = l->sample_type;
	if (type & SAMPLE_REGS_USER)
		put_regs(w, l->regs_user_n, &s->regs_user);
	if (type & SAMPLE_STACK_USER)
		put_stack(w, &s->stack_user);
	if (type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		put_u64(w, weight_word(type, s));
	if (type & SAMPLE_DATA_SRC)
		put_u64(w, s->data_src);
	if (type & SAMPLE_TRANSACTION)
		put_u64(w, s->transaction);
	if (type & SAMPLE_REGS_INTR)
		put_regs(w, l->regs_intr_n, &s->regs_intr);
	if (type & SAMPLE_PHYS_ADDR)
		put_u64(w, s->phys_addr);
	if (type & SAMPLE_CGROUP)
		put_u64(w, s->cgroup);
	if (type & SAMPLE_DATA_PAGE_SIZE)
		put_u64(w, s->data_page_size);
	if (type & SAMPLE_CODE_PAGE_SIZE)
		put_u64(w, s->code_page_size);
	if (type & SAMPLE_AUX) {
		put_u64(w, s->aux.size);
		put(w, s->aux.data, s->aux.size);
		put_padding(w);
	}
}

void put_sample(struct writer *w, const struct record *rec)
{
	const struct record_layout *l = w->layout;
	const struct record_sample *s = &rec->u.sample;
	uint64_t type = l->sample_type;
	put_fixed(w, type, rec);
	if (type & SAMPLE_READ)
		put_read(w, &s->read);
	if (type & SAMPLE_CALLCHAIN) {
		put_u64(w, s->callchain.n);
		put_words(w, s->callchain);
	}
	if (type & SAMPLE_RAW) {
		put_u32(w, (uint32_t)s->raw.size);
		put(w, s->raw.data, s->raw.size);
		put_padding(w);
	}
	if (type & SAMPLE_BRANCH_STACK)
		put_branches(w, l, s);
	put_rest(w, l, s);
}
