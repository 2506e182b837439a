#include "record/internal.h"

#include <errno.h>
#include <string.h>

struct namespace_link record_namespace(const struct record *rec, uint64_t i)
{
	const struct record_words words = {rec->u.namespaces.links, 2 * rec->u.namespaces.nr, rec->u.namespaces.swap};
	return (struct namespace_link){record_u64(words, 2 * i), record_u64(words, 2 * i + 1)};
}

/* Returns the rest of the record as a string; without a NUL in it, sets cursor.bad and returns NULL. */
static const char *take_string(struct cursor *c)
{
	const uint8_t *p = c->p;
	if (c->bad || !memchr(p, 0, (size_t)(c->end - p))) {
		c->bad = true;
		return NULL;
	}
	c->p = c->end;
	return (const char *)p;
}

/* Returns true if `prot` is in fact the start of the file name, because the first kernels with MMAP2 records wrote
 * neither prot nor flags.  The second and third byte of a name are not 0.  No prot has bits in both of these bytes:
 * PROT_* bits are elsewhere, and simpleperf adds one bit in one of them. */
static bool is_name(uint32_t prot)
{
	return (prot & 0xff00) && (prot & 0xff0000);
}

static void get_prot(struct cursor *c, struct record_mmap *m)
{
	struct cursor before = *c;
	m->prot = cursor_u32(c);
	m->flags = cursor_u32(c);
	if (is_name(m->prot)) {
		*c = before;
		m->prot = m->flags = 0;
	}
}

static void get_mmap(struct cursor *c, struct record *ret)
{
	struct record_mmap *m = &ret->u.mmap;
	m->pid = cursor_u32(c);
	m->tid = cursor_u32(c);
	m->start = cursor_u64(c);
	m->len = cursor_u64(c);
	m->pgoff = cursor_u64(c);
	if (ret->type == RECORD_MMAP2) {
		const uint8_t *id = cursor_take(c, 24);
		if (id && (ret->misc & MISC_MMAP_BUILD_ID)) {
			m->build_id_size = id[0];
			memcpy(m->build_id, id + 4, sizeof(m->build_id));
			if (m->build_id_size > sizeof(m->build_id))
				c->bad = true;
		} else if (id) {
			m->maj = swap_u32(load_u32(id), c->swap);
			m->min = swap_u32(load_u32(id + 4), c->swap);
			m->ino = swap_u64(load_u64(id + 8), c->swap);
			m->ino_generation = swap_u64(load_u64(id + 16), c->swap);
		}
		get_prot(c, m);
	}
	m->filename = take_string(c);
}

static void get_read(const struct record_layout *l, struct cursor *c, struct record *ret)
{
	ret->u.read.pid = cursor_u32(c);
	ret->u.read.tid = cursor_u32(c);
	decode_read(l->read_format, c, &ret->u.read.read);
}

static void get_namespaces(struct cursor *c, struct record *ret)
{
	ret->u.namespaces.pid = cursor_u32(c);
	ret->u.namespaces.tid = cursor_u32(c);
	ret->u.namespaces.nr = cursor_u64(c);
	ret->u.namespaces.links = cursor_array(c, ret->u.namespaces.nr, 16);
	ret->u.namespaces.swap = c->swap;
}

static void get_text_poke(struct cursor *c, struct record *ret)
{
	ret->u.text_poke.addr = cursor_u64(c);
	ret->u.text_poke.old_len = cursor_u16(c);
	ret->u.text_poke.new_len = cursor_u16(c);
	ret->u.text_poke.bytes = cursor_take(c, (uint64_t)ret->u.text_poke.old_len + ret->u.text_poke.new_len);
}

static void get_deferred(struct cursor *c, struct record *ret)
{
	ret->u.deferred.cookie = cursor_u64(c);
	uint64_t n = cursor_u64(c);
	ret->u.deferred.callchain = (struct record_words){cursor_array(c, n, 8), n, c->swap};
}

/* Decodes the fields that record_fields() lists for the type of the record. */
static void get_fields(struct cursor *c, struct record *ret)
{
	for (const struct record_field *f = record_fields(ret->type); f->name; f++) {
		void *to = (uint8_t *)ret + f->at;
		if (f->shown == SHOWN_TEXT) {
			*(const char **)to = take_string(c);
		} else if (f->shown == SHOWN_BYTES) {
			const uint8_t *from = cursor_take(c, f->size);
			if (from)
				memcpy(to, from, f->size);
		} else if (f->size == sizeof(uint16_t)) {
			*(uint16_t *)to = cursor_u16(c);
		} else if (f->size == sizeof(uint32_t)) {
			*(uint32_t *)to = cursor_u32(c);
		} else {
			*(uint64_t *)to = cursor_u64(c);
		}
	}
}

static void get_payload(const struct record_layout *l, struct cursor *c, struct record *ret)
{
	switch (ret->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		get_mmap(c, ret);
		break;
	case RECORD_READ:
		get_read(l, c, ret);
		break;
	case RECORD_NAMESPACES:
		get_namespaces(c, ret);
		break;
	case RECORD_TEXT_POKE:
		get_text_poke(c, ret);
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		get_deferred(c, ret);
		break;
	default:
		get_fields(c, ret);
	}
}

/* Decodes the sample_id at the end of a record.  `end`: end of the record, which has at least trailer_size bytes. */
static void decode_trailer(const struct record_layout *l, const uint8_t *end, struct sample_id *id)
{
	bool swap = l->swap;
	id->has = (uint32_t)(l->sample_type & SAMPLE_ID_BITS);
	if (l->tr_tid != LAYOUT_ABSENT) {
		id->pid = swap_u32(load_u32(end - l->tr_tid), swap);
		id->tid = swap_u32(load_u32(end - l->tr_tid + 4), swap);
	}
	if (l->tr_time != LAYOUT_ABSENT)
		id->time_ns = swap_u64(load_u64(end - l->tr_time), swap);
	if (l->tr_identifier != LAYOUT_ABSENT)
		id->id = swap_u64(load_u64(end - l->tr_identifier), swap);
	else if (l->tr_id != LAYOUT_ABSENT)
		id->id = swap_u64(load_u64(end - l->tr_id), swap);
	if (l->tr_stream_id != LAYOUT_ABSENT)
		id->stream_id = swap_u64(load_u64(end - l->tr_stream_id), swap);
	if (l->tr_cpu != LAYOUT_ABSENT)
		id->cpu = swap_u32(load_u32(end - l->tr_cpu), swap);
}

int record_decode(const struct record_layout *layout, const void *bytes, size_t size, struct record *ret)
{
	struct record_header header;
	memset(ret, 0, sizeof(*ret));
	if (size < sizeof(header))
		return -EAGAIN;
	memcpy(&header, bytes, sizeof(header));
	record_header_swap(&header, layout->swap);
	ret->type = header.type;
	ret->misc = header.misc;
	ret->size = header.size;
	if (header.size < sizeof(header))
		return -EBADMSG;
	if (header.size > size)
		return -EAGAIN;
	if (header.type >= 64)
		return 0;
	if (header.size % 8)
		return -EBADMSG;
	if (header.type == RECORD_SAMPLE)
		return decode_sample(layout, bytes, ret);
	if (!record_has_trailer(header.type))
		return 0;
	const uint8_t *p = bytes, *end = p + header.size;
	if (header.size < sizeof(header) + layout->trailer_size)
		return -EBADMSG;
	if (layout->id_all)
		decode_trailer(layout, end, &ret->id);
	struct cursor c = {.base = p, .p = p + sizeof(header), .end = end - layout->trailer_size, .swap = layout->swap};
	get_payload(layout, &c, ret);
	return c.bad ? -EBADMSG : 0;
}

static inline __attribute__((always_inline)) uint64_t field(const uint8_t *p, int16_t at, bool swap)
{
	return at != LAYOUT_ABSENT ? swap_u64(load_u64(p + at), swap) : 0;
}

/* Decodes the fields of struct sample_core.  Callers pass a constant `swap`, so that the compiler makes a copy of this
 * code without byte swaps. */
static inline __attribute__((always_inline)) void core(const struct record_layout *l, const uint8_t *p, bool swap,
						       struct sample_core *ret)
{
	ret->id = field(p, l->identifier != LAYOUT_ABSENT ? l->identifier : l->id, swap);
	ret->ip = field(p, l->ip, swap);
	ret->time_ns = field(p, l->time, swap);
	ret->period = field(p, l->period, swap);
	ret->pid = l->tid != LAYOUT_ABSENT ? swap_u32(load_u32(p + l->tid), swap) : 0;
	ret->tid = l->tid != LAYOUT_ABSENT ? swap_u32(load_u32(p + l->tid + 4), swap) : 0;
	ret->cpu = l->cpu != LAYOUT_ABSENT ? swap_u32(load_u32(p + l->cpu), swap) : 0;
	ret->misc = swap_u16(load_u16(p + offsetof(struct record_header, misc)), swap);
}

int record_sample_core(const struct record_layout *layout, const void *bytes, size_t size, struct sample_core *ret)
{
	struct record_header h;
	if (size < sizeof(h))
		return -EAGAIN;
	memcpy(&h, bytes, sizeof(h));
	record_header_swap(&h, layout->swap);
	if (h.size > size)
		return -EAGAIN;
	if (h.type != RECORD_SAMPLE || h.size < layout->fixed_size || h.size % 8)
		return -EBADMSG;
	core(layout, bytes, layout->swap, ret);
	return 0;
}

static inline __attribute__((always_inline)) size_t cores(const struct record_layout *l, const uint8_t *p, size_t size,
							  bool swap, struct sample_core *ret, size_t cap,
							  size_t *used_ret)
{
	size_t n = 0, used = 0;
	for (; n < cap && size - used >= sizeof(struct record_header); n++, ret++) {
		struct record_header h;
		memcpy(&h, p, sizeof(h));
		record_header_swap(&h, swap);
		if (h.type != RECORD_SAMPLE || h.size > size - used || h.size < l->fixed_size || h.size % 8)
			break;
		core(l, p, swap, ret);
		p += h.size;
		used += h.size;
	}
	*used_ret = used;
	return n;
}

/* The usual layout of samples in a live measurement: with constant offsets the compiler makes faster code. */
static const struct record_layout usual = {
	.fixed_size = 56,
	.identifier = 8,
	.id = LAYOUT_ABSENT,
	.ip = 16,
	.tid = 24,
	.time = 32,
	.cpu = 40,
	.period = 48,
};

static bool is_usual(const struct record_layout *l)
{
	return !l->swap && l->fixed_size == usual.fixed_size && l->identifier == usual.identifier &&
	       l->ip == usual.ip && l->tid == usual.tid && l->time == usual.time && l->cpu == usual.cpu &&
	       l->period == usual.period;
}

size_t record_sample_cores(const struct record_layout *layout, const void *bytes, size_t size, struct sample_core *ret,
			   size_t cap, size_t *used_ret)
{
	if (is_usual(layout))
		return cores(&usual, bytes, size, false, ret, cap, used_ret);
	if (layout->swap)
		return cores(layout, bytes, size, true, ret, cap, used_ret);
	return cores(layout, bytes, size, false, ret, cap, used_ret);
}

void record_sample_cgroups(const struct record_layout *layout, const void *bytes, size_t n, uint64_t *ret)
{
	const uint8_t *p = bytes;
	size_t least = layout->fixed_size + (size_t)layout->cgroup;
	for (size_t i = 0; i < n; i++) {
		size_t size = swap_u16(load_u16(p + offsetof(struct record_header, size)), layout->swap);
		ret[i] = size < least ? 0 : swap_u64(load_u64(p + size - layout->cgroup), layout->swap);
		p += size;
	}
}
