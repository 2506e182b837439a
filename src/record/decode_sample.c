#include "record/internal.h"

#include <errno.h>

uint64_t record_u64(struct record_words words, uint64_t i)
{
	return swap_u64(load_u64((const uint8_t *)words.data + 8 * i), words.swap);
}

void decode_read(uint64_t format, struct cursor *c, struct record_read *ret)
{
	bool group = format & READ_GROUP;
	ret->format = format;
	ret->swap = c->swap;
	ret->nr = group ? cursor_u64(c) : 1;
	if (!group)
		ret->values = cursor_take(c, 8); /* the only value; its id and lost come after the times */
	if (format & READ_TIME_ENABLED)
		ret->enabled_ns = cursor_u64(c);
	if (format & READ_TIME_RUNNING)
		ret->running_ns = cursor_u64(c);
	if (group)
		ret->values = cursor_array(c, ret->nr, read_entry_size(format));
	else
		cursor_take(c, read_entry_size(format) - 8);
}

struct read_value record_read_value(const struct record_read *read, uint64_t i)
{
	const uint8_t *p = read->values;
	struct read_value v = {0};
	if (read->format & READ_GROUP)
		p += i * read_entry_size(read->format);
	v.value = swap_u64(load_u64(p), read->swap);
	p += 8;
	if (!(read->format & READ_GROUP))
		p += 8 * (!!(read->format & READ_TIME_ENABLED) + !!(read->format & READ_TIME_RUNNING));
	if (read->format & READ_ID) {
		v.id = swap_u64(load_u64(p), read->swap);
		p += 8;
	}
	if (read->format & READ_LOST)
		v.lost = swap_u64(load_u64(p), read->swap);
	return v;
}

/* Widths in bits of the fields of branch_entry.flags, a C bit-field: big-endian machines have the first field at the
 * high end of the word, with its bits in the same order. */
static const uint8_t branch_fields[] = {1, 1, 1, 1, 16, 4, 2, 4, 3, 31};

uint64_t branch_flags_turn(uint64_t from, bool to_big)
{
	uint64_t ret = 0;
	unsigned low = 0;
	for (size_t i = 0; i < ARRAY_LEN(branch_fields); i++) {
		unsigned width = branch_fields[i], high = 64 - low - width;
		uint64_t mask = (1ull << width) - 1;
		ret |= to_big ? (from >> low & mask) << high : (from >> high & mask) << low;
		low += width;
	}
	return ret;
}

struct branch_entry record_branch(const struct record_sample *sample, uint64_t i)
{
	const struct record_words words = {sample->branch.entries, 3 * sample->branch.nr, sample->branch.swap};
	uint64_t flags = record_u64(words, 3 * i + 2);
	if (words.swap != BIG_ENDIAN_HOST)
		flags = branch_flags_turn(flags, false);
	return (struct branch_entry){record_u64(words, 3 * i), record_u64(words, 3 * i + 1), flags};
}

static uint64_t at_u64(const struct record_layout *l, const uint8_t *bytes, int16_t offset)
{
	return offset == LAYOUT_ABSENT ? 0 : swap_u64(load_u64(bytes + offset), l->swap);
}

static void decode_fixed(const struct record_layout *l, const uint8_t *bytes, struct record *ret)
{
	struct sample_id *id = &ret->id;
	id->has = (uint32_t)(l->sample_type & SAMPLE_ID_BITS);
	if (l->tid != LAYOUT_ABSENT) {
		id->pid = swap_u32(load_u32(bytes + l->tid), l->swap);
		id->tid = swap_u32(load_u32(bytes + l->tid + 4), l->swap);
	}
	id->time_ns = at_u64(l, bytes, l->time);
	id->id = at_u64(l, bytes, l->identifier != LAYOUT_ABSENT ? l->identifier : l->id);
	id->stream_id = at_u64(l, bytes, l->stream_id);
	if (l->cpu != LAYOUT_ABSENT)
		id->cpu = swap_u32(load_u32(bytes + l->cpu), l->swap);
	ret->u.sample.ip = at_u64(l, bytes, l->ip);
	ret->u.sample.addr = at_u64(l, bytes, l->addr);
	ret->u.sample.period = at_u64(l, bytes, l->period);
}

/* Decodes `size` bytes, and skips the padding after them: the next field is at a multiple of 8. */
static void decode_blob(struct cursor *c, uint64_t size, struct record_bytes *ret)
{
	ret->data = cursor_take(c, size);
	ret->size = ret->data ? size : 0;
	cursor_align(c);
}

static void decode_words(struct cursor *c, uint64_t n, struct record_words *ret)
{
	ret->data = cursor_array(c, n, 8);
	ret->n = ret->data ? n : 0;
	ret->swap = c->swap;
}

static void decode_regs(struct cursor *c, uint64_t mask, unsigned n, struct record_regs *ret)
{
	ret->abi = cursor_u64(c);
	ret->mask = mask;
	if (ret->abi) /* abi 0: there are no registers, as for a kernel thread */
		decode_words(c, n, &ret->values);
}

static void decode_stack(struct cursor *c, struct record_bytes *ret)
{
	uint64_t size = cursor_u64(c);
	if (!size) /* without a stack the field dyn_size is missing, too */
		return;
	const uint8_t *data = cursor_take(c, size);
	cursor_align(c);
	uint64_t dyn = cursor_u64(c);
	if (dyn > size)
		c->bad = true;
	if (!c->bad)
		*ret = (struct record_bytes){data, dyn};
}

static void decode_weight(uint64_t type, uint64_t word, struct record_sample *s)
{
	if (type & SAMPLE_WEIGHT_STRUCT) {
		s->weight = (uint32_t)word;
		s->weight2 = (uint16_t)(word >> 32);
		s->weight3 = (uint16_t)(word >> 48);
	} else {
		s->weight = word;
	}
}

static void decode_branches(const struct record_layout *l, struct cursor *c, bool hw_idx, struct record_sample *s)
{
	s->branch.nr = cursor_u64(c);
	s->branch.swap = c->swap;
	if (hw_idx)
		s->branch.hw_idx = cursor_u64(c);
	s->branch.entries = cursor_array(c, s->branch.nr, sizeof(struct branch_entry));
	if (l->branch_type & BRANCH_COUNTERS)
		decode_words(c, s->branch.nr, &s->branch.counters);
}

/* Decodes the fields after the branch stack. */
static void decode_rest(const struct record_layout *l, struct cursor *c, struct record_sample *s)
{
	uint64_t type = l->sample_type;
	if (type & SAMPLE_REGS_USER)
		decode_regs(c, l->regs_user_mask, l->regs_user_n, &s->regs_user);
	if (type & SAMPLE_STACK_USER)
		decode_stack(c, &s->stack_user);
	if (type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		decode_weight(type, cursor_u64(c), s);
	if (type & SAMPLE_DATA_SRC)
		s->data_src = cursor_u64(c);
	if (type & SAMPLE_TRANSACTION)
		s->transaction = cursor_u64(c);
	if (type & SAMPLE_REGS_INTR)
		decode_regs(c, l->regs_intr_mask, l->regs_intr_n, &s->regs_intr);
	if (type & SAMPLE_PHYS_ADDR)
		s->phys_addr = cursor_u64(c);
	if (type & SAMPLE_CGROUP)
		s->cgroup = cursor_u64(c);
	if (type & SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = cursor_u64(c);
	if (type & SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = cursor_u64(c);
	if (type & SAMPLE_AUX)
		decode_blob(c, cursor_u64(c), &s->aux);
}

/* Decodes the fields after those of fixed size.  `hw_idx`: the branch stack has the field hw_idx, even if empty. */
static void decode_variable(const struct record_layout *l, struct cursor *c, bool hw_idx, struct record_sample *s)
{
	uint64_t type = l->sample_type;
	if (type & SAMPLE_READ)
		decode_read(l->read_format, c, &s->read);
	if (type & SAMPLE_CALLCHAIN)
		decode_words(c, cursor_u64(c), &s->callchain);
	if (type & SAMPLE_RAW)
		decode_blob(c, cursor_u32(c), &s->raw);
	if (type & SAMPLE_BRANCH_STACK)
		decode_branches(l, c, hw_idx, s);
	decode_rest(l, c, s);
}

bool record_sample_chain(const struct record_layout *layout, const void *bytes, size_t size, struct record_words *ret)
{
	const uint8_t *begin = bytes;
	if (size < layout->fixed_size)
		return false;
	struct cursor c = {.base = begin, .p = begin + layout->fixed_size, .end = begin + size, .swap = layout->swap};
	struct record_read read = {0};
	if (layout->sample_type & SAMPLE_READ)
		decode_read(layout->read_format, &c, &read);
	decode_words(&c, cursor_u64(&c), ret);
	return !c.bad;
}

/* Decodes a sample.  Returns 0 or -EBADMSG.  If the event records hw_idx, the kernel writes a sample without a branch
 * stack as nr = 0 alone, but an empty branch stack as nr = 0 and hw_idx.  Only the size of the record tells which it
 * is, so both are tried. */
int decode_sample(const struct record_layout *l, const uint8_t *bytes, struct record *ret)
{
	if (ret->size < l->fixed_size)
		return -EBADMSG;
	decode_fixed(l, bytes, ret);
	struct record_sample *s = &ret->u.sample;
	const struct cursor start = {
		.base = bytes, .p = bytes + l->fixed_size, .end = bytes + ret->size, .swap = l->swap};
	const struct record_sample fixed = *s;
	bool hw_idx = l->branch_type & BRANCH_HW_INDEX;
	struct cursor c = start;
	decode_variable(l, &c, hw_idx, s);
	if ((l->sample_type & SAMPLE_BRANCH_STACK) && hw_idx && s->branch.nr == 0 && (c.bad || c.p != c.end)) {
		struct record_sample with = *s;
		struct cursor again = start;
		*s = fixed;
		decode_variable(l, &again, false, s);
		if (again.bad || again.p != again.end)
			*s = with;
		else
			c = again;
	}
	return c.bad ? -EBADMSG : 0;
}
