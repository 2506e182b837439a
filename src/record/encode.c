#include "record/writer.h"

static void put_mmap(struct writer *w, const struct record *rec)
{
	const struct record_mmap *m = &rec->u.mmap;
	put_pair(w, m->pid, m->tid);
	put_u64(w, m->start);
	put_u64(w, m->len);
	put_u64(w, m->pgoff);
	if (rec->type == RECORD_MMAP2) {
		if (rec->misc & MISC_MMAP_BUILD_ID) {
			const uint8_t size[4] = {m->build_id_size}; /* the length, and three reserved bytes */
			put(w, size, sizeof(size));
			put(w, m->build_id, sizeof(m->build_id));
		} else {
			put_pair(w, m->maj, m->min);
			put_u64(w, m->ino);
			put_u64(w, m->ino_generation);
		}
		put_pair(w, m->prot, m->flags);
	}
	put_string(w, m->filename);
}

static void put_text_poke(struct writer *w, const struct record *rec)
{
	put_u64(w, rec->u.text_poke.addr);
	put_u16(w, rec->u.text_poke.old_len);
	put_u16(w, rec->u.text_poke.new_len);
	put(w, rec->u.text_poke.bytes, (uint64_t)rec->u.text_poke.old_len + rec->u.text_poke.new_len);
	put_padding(w);
}

static void put_read_record(struct writer *w, const struct record *rec)
{
	put_pair(w, rec->u.read.pid, rec->u.read.tid);
	put_read(w, &rec->u.read.read);
}

static void put_namespaces(struct writer *w, const struct record *rec)
{
	put_pair(w, rec->u.namespaces.pid, rec->u.namespaces.tid);
	put_u64(w, rec->u.namespaces.nr);
	for (uint64_t i = 0; i < rec->u.namespaces.nr && !w->over; i++) {
		struct namespace_link link = record_namespace(rec, i);
		put_u64(w, link.dev);
		put_u64(w, link.inode);
	}
}

static void put_deferred(struct writer *w, const struct record *rec)
{
	put_u64(w, rec->u.deferred.cookie);
	put_u64(w, rec->u.deferred.callchain.n);
	put_words(w, rec->u.deferred.callchain);
}

/* Writes the fields that record_fields() lists for the type of the record. */
static void put_fields(struct writer *w, const struct record *rec)
{
	for (const struct record_field *f = record_fields(rec->type); f->name; f++) {
		const void *from = (const uint8_t *)rec + f->at;
		if (f->shown == SHOWN_TEXT)
			put_string(w, *(const char *const *)from);
		else if (f->shown == SHOWN_BYTES)
			put(w, from, f->size);
		else if (f->size == sizeof(uint16_t))
			put_u16(w, *(const uint16_t *)from);
		else if (f->size == sizeof(uint32_t))
			put_u32(w, *(const uint32_t *)from);
		else
			put_u64(w, *(const uint64_t *)from);
	}
}

static void put_payload(struct writer *w, const struct record *rec)
{
	switch (rec->type) {
	case RECORD_SAMPLE:
		put_sample(w, rec);
		break;
	case RECORD_MMAP:
	case RECORD_MMAP2:
		put_mmap(w, rec);
		break;
	case RECORD_READ:
		put_read_record(w, rec);
		break;
	case RECORD_NAMESPACES:
		put_namespaces(w, rec);
		break;
	case RECORD_TEXT_POKE:
		put_text_poke(w, rec);
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		put_deferred(w, rec);
		break;
	default:
		put_fields(w, rec);
	}
}

static void put_trailer(struct writer *w, uint64_t type, const struct sample_id *id)
{
	if (type & SAMPLE_TID)
		put_pair(w, id->pid, id->tid);
	if (type & SAMPLE_TIME)
		put_u64(w, id->time_ns);
	if (type & SAMPLE_ID)
		put_u64(w, id->id);
	if (type & SAMPLE_STREAM_ID)
		put_u64(w, id->stream_id);
	if (type & SAMPLE_CPU)
		put_pair(w, id->cpu, 0);
	if (type & SAMPLE_IDENTIFIER)
		put_u64(w, id->id);
}

size_t record_encode(const struct record_layout *layout, const struct record *rec, void *buf, size_t cap)
{
	struct record_header header = {.type = rec->type, .misc = rec->misc};
	struct writer w = {.p = buf, .cap = cap < RECORD_SIZE_MAX ? cap : RECORD_SIZE_MAX, .layout = layout};
	if (rec->type != RECORD_SAMPLE && !record_has_trailer(rec->type))
		return 0;
	put(&w, &header, sizeof(header));
	put_payload(&w, rec);
	if (layout->id_all && record_has_trailer(rec->type))
		put_trailer(&w, layout->sample_type, &rec->id);
	if (w.over)
		return 0;
	header.size = (uint16_t)w.n;
	record_header_swap(&header, layout->swap);
	memcpy(buf, &header, sizeof(header));
	return w.n;
}
