/* Writes the copy of a recording, as a file or as a stream. */
#include "recorder/copy.h"

#include "base/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	PENDING_MAX = 1 << 20,
	TRACING_HEADER = 12, /* a record header and the u32 size of the data */
};

/* ---- writing bytes -------------------------------------------------------------------- */

static int send_pending(struct writer *w)
{
	return w->out.stream ? pipe_send(w) : file_send(w);
}

uint64_t copy_at(const struct copy *c)
{
	const struct writer *w = c->out;
	return (w->out.stream ? w->sent : w->end) + w->pending.n;
}

static int put_plain(struct copy *c, const void *bytes, size_t n)
{
	struct writer *w = c->out;
	pd_buffer_add(&w->pending, bytes, n);
	return w->pending.n < PENDING_MAX ? 0 : send_pending(w);
}

static void add_u32(const struct copy *c, struct pd_buffer *to, uint32_t v)
{
	pd_buffer_u32(to, swap_u32(v, c->swap));
}

static void add_u64(const struct copy *c, struct pd_buffer *to, uint64_t v)
{
	pd_buffer_u64(to, swap_u64(v, c->swap));
}

/* Returns a record header in the byte order of the copy. */
static struct record_header header_of(const struct copy *c, uint32_t type, uint16_t misc, size_t size)
{
	return (struct record_header){
		.type = swap_u32(type, c->swap),
		.misc = swap_u16(misc, c->swap),
		.size = swap_u16((uint16_t)size, c->swap),
	};
}

static void add_header(const struct copy *c, struct pd_buffer *to, uint32_t type, uint16_t misc, size_t size)
{
	struct record_header h = header_of(c, type, misc, size);
	pd_buffer_add(to, &h, sizeof(h));
}

/* Appends the feature COMPRESSED: version 0, type zstd, level 1 and ratio 1, which no reader uses. */
static void add_compressed(const struct copy *c, struct pd_buffer *to)
{
	const uint32_t words[] = {0, 1, 1, 1, compressor_chunk};
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		add_u32(c, to, words[i]);
}

/* ---- writing records, compressed or not -------------------------------------------------- */

static int compress_raw(struct copy *c)
{
	struct writer *w = c->out;
	if (!w->compressor || !w->raw.n)
		return 0;
	if (w->out.stream && !c->says_compressed) {
		add_header(c, &w->pending, PD_RECORD_HEADER_FEATURE, 0, 8 + 8 + 5 * sizeof(uint32_t) + 4);
		add_u64(c, &w->pending, PD_COMPRESSED);
		add_compressed(c, &w->pending);
		add_u32(c, &w->pending, 0);
		c->says_compressed = true;
	}
	size_t at = w->pending.n;
	int rc = compressor_run(w->compressor, w->raw.data, w->raw.n, &w->pending);
	w->raw.n = 0;
	while (c->swap && at < w->pending.n) { /* the compressor writes headers in this machine's byte order */
		struct record_header h, turned;
		memcpy(&h, w->pending.data + at, sizeof(h));
		turned = header_of(c, h.type, h.misc, h.size);
		memcpy(w->pending.data + at, &turned, sizeof(turned));
		at += h.size;
	}
	return rc;
}

int copy_put(struct copy *c, const void *bytes, size_t n)
{
	int rc = compress_raw(c);
	return rc ? rc : put_plain(c, bytes, n);
}

/* Writes a record.  Only the kernel's records (types below 64) are compressed, as perf does it. */
int copy_put_record(struct copy *c, const uint8_t *bytes, const struct record_header *h)
{
	struct writer *w = c->out;
	if (!w->compressor || h->type >= PD_RECORD_FIRST)
		return copy_put(c, bytes, h->size);
	pd_buffer_add(&w->raw, bytes, h->size);
	if (w->raw.n < compressor_chunk)
		return 0;
	int rc = compress_raw(c);
	return rc ? rc : put_plain(c, NULL, 0);
}

/* ---- writing the start of a stream ---------------------------------------------------- */

/* Writes an ATTR record: the attr, of at least STREAM_ATTR_SIZE bytes, followed by the ids. */
static int put_attr_record(struct copy *c, const struct copied_event *ev)
{
	struct pd_buffer attr = {0}, rec = {0};
	size_t n = copy_attr_size(ev->attr.data, ev->attr.n, c->swap), ids = ev->ids.n & ~(size_t)7;
	if (!n)
		n = ev->attr.n;
	pd_buffer_add(&attr, ev->attr.data, n);
	if (n < STREAM_ATTR_SIZE) {
		pd_buffer_zeros(&attr, STREAM_ATTR_SIZE - n);
		copy_set_attr_size(&attr, STREAM_ATTR_SIZE, c->swap);
	}
	size_t whole = sizeof(struct record_header) + attr.n + ids;
	int rc = whole > RECORD_SIZE_MAX ? -E2BIG : 0;
	if (!rc) {
		add_header(c, &rec, PD_RECORD_ATTR, 0, whole);
		pd_buffer_add(&rec, attr.data, attr.n);
		pd_buffer_add(&rec, ev->ids.data, ids);
		rc = put_plain(c, rec.data, rec.n);
	}
	free(attr.data);
	free(rec.data);
	return rc;
}

static int put_tracing(struct copy *c, const struct pd_buffer *bytes)
{
	struct pd_buffer rec = {0};
	size_t padded = (bytes->n + 7) & ~(size_t)7;
	add_header(c, &rec, PD_RECORD_TRACING_DATA, 0, TRACING_HEADER);
	add_u32(c, &rec, (uint32_t)padded);
	pd_buffer_add(&rec, bytes->data, bytes->n);
	pd_buffer_zeros(&rec, padded - bytes->n);
	int rc = put_plain(c, rec.data, rec.n);
	free(rec.data);
	return rc;
}

/* Writes the entries of the feature BUILD_ID as records; their type, which is 0 in old files, becomes BUILD_ID. */
static int put_build_ids(struct copy *c, const struct pd_buffer *bytes)
{
	struct pd_buffer recs = {0};
	struct record_header h;
	for (size_t at = 0; bytes->n - at >= sizeof(h); at += h.size) {
		h = pd_record_header(bytes->data + at, c->swap);
		if (h.size < sizeof(h) || h.size > bytes->n - at)
			break;
		add_header(c, &recs, PD_RECORD_BUILD_ID, h.misc, h.size);
		pd_buffer_add(&recs, bytes->data + at + sizeof(h), h.size - sizeof(h));
	}
	int rc = put_plain(c, recs.data, recs.n);
	free(recs.data);
	return rc;
}

/* Writes a feature as a record.  The record is not padded to a multiple of 8, because readers would take the padding
 * for further fields of some features. */
static int put_feature_record(struct copy *c, unsigned feature)
{
	const struct pd_buffer *bytes = &c->features[feature];
	struct pd_buffer rec = {0};
	size_t whole = sizeof(struct record_header) + 8 + bytes->n;
	if (whole > RECORD_SIZE_MAX) {
		const char *name = pd_feature_name(feature);
		copy_note(c, "Its feature %u (%s) of %zu bytes is left out: a stream has no room for it.", feature,
			  name ? name : "unknown", bytes->n);
		return 0;
	}
	add_header(c, &rec, PD_RECORD_HEADER_FEATURE, 0, whole);
	add_u64(c, &rec, feature);
	pd_buffer_add(&rec, bytes->data, bytes->n);
	int rc = put_plain(c, rec.data, rec.n);
	free(rec.data);
	return rc;
}

static int put_feature(struct copy *c, unsigned feature)
{
	switch (feature) {
	case PD_AUXTRACE: /* its offsets are those in a file */
	case PD_DIR_FORMAT:
		return 0;
	case PD_CODE_NAMES:
		copy_note(c, "Its feature %u (%s) of %zu bytes is left out: perf reads no stream that has it.", feature,
			  pd_feature_name(feature), c->features[feature].n);
		return 0;
	case PD_TRACING_DATA:
		return put_tracing(c, &c->features[feature]);
	case PD_BUILD_ID:
		return put_build_ids(c, &c->features[feature]);
	default:
		return put_feature_record(c, feature);
	}
}

static int begin_stream(struct copy *c)
{
	struct pd_buffer header = {0};
	add_u64(c, &header, PD_MAGIC);
	add_u64(c, &header, PD_PIPE_HEADER_SIZE);
	int rc = put_plain(c, header.data, header.n);
	free(header.data);
	for (size_t i = 0; i < c->events.n && !rc; i++)
		rc = put_attr_record(c, &c->events.data[i]);
	for (unsigned f = 0; f < PD_FEATURES && !rc; f++)
		if (c->has[f])
			rc = put_feature(c, f);
	return rc;
}

/* ---- writing files ---------------------------------------------------------------------------- */

/* Appends an attr, padded to the size that all attrs of the copy have, because readers expect the section of its ids at
 * this place; then that section.  The attrs of a file have this size already. */
static void add_attr(const struct copy *c, struct copied_event *ev, uint64_t ids_at, struct pd_buffer *to)
{
	size_t room = c->entry_size - sizeof(struct pd_section);
	if (ev->attr.n < room) {
		copy_set_attr_size(&ev->attr, room, c->swap);
		pd_buffer_zeros(&ev->attr, room - ev->attr.n);
	}
	pd_buffer_add(to, ev->attr.data, room);
	add_u64(c, to, ids_at);
	add_u64(c, to, ev->ids.n);
}

static int put_attrs(struct copy *c)
{
	struct pd_buffer attrs = {0}, ids = {0};
	size_t longest = 64;
	for (size_t i = 0; i < c->events.n; i++)
		if (c->events.data[i].attr.n > longest)
			longest = c->events.data[i].attr.n;
	c->entry_size = (uint32_t)(longest + sizeof(struct pd_section));
	c->attrs_at = copy_at(c);
	c->events_begun = c->events.n;
	uint64_t ids_at = c->attrs_at + c->events.n * c->entry_size;
	for (size_t i = 0; i < c->events.n; i++) {
		add_attr(c, &c->events.data[i], ids_at + ids.n, &attrs);
		pd_buffer_add(&ids, c->events.data[i].ids.data, c->events.data[i].ids.n);
		pd_buffer_pad(&ids, 8);
	}
	int rc = put_plain(c, attrs.data, attrs.n);
	if (!rc)
		rc = put_plain(c, ids.data, ids.n);
	free(attrs.data);
	free(ids.data);
	return rc;
}

/* Writes the header. data_size 0: the copy is not finished, so readers read to the end of the file. */
static int write_header(struct copy *c, uint64_t data_size)
{
	uint8_t bytes[PD_HEADER_SIZE];
	struct pd_header h = {
		.swap = c->swap,
		.attr_size = c->entry_size,
		.attrs = {c->attrs_at, c->events_begun * c->entry_size},
		.data = {c->data_at, data_size},
	};
	for (unsigned f = 0; data_size && f < PD_FEATURES; f++)
		h.features[f / 64] |= (uint64_t)c->has[f] << f % 64;
	pd_header_encode(&h, bytes);
	return file_write_at(c->out, bytes, sizeof(bytes), 0);
}

static int begin_file(struct copy *c)
{
	int rc = put_plain(c, (uint8_t[PD_HEADER_SIZE]){0}, PD_HEADER_SIZE);
	if (!rc)
		rc = put_attrs(c);
	c->data_at = copy_at(c);
	if (!rc)
		rc = send_pending(c->out);
	return rc ? rc : write_header(c, 0);
}

int copy_begin(struct copy *c)
{
	c->begun = true;
	return c->out->out.stream ? begin_stream(c) : begin_file(c);
}

static int put_features(struct copy *c)
{
	struct pd_buffer table = {0};
	uint64_t n = 0, at;
	int rc = 0;
	for (unsigned f = 0; f < PD_FEATURES; f++)
		n += c->has[f];
	at = copy_at(c) + n * sizeof(struct pd_section);
	for (unsigned f = 0; f < PD_FEATURES; f++) {
		if (!c->has[f])
			continue;
		add_u64(c, &table, at);
		add_u64(c, &table, c->features[f].n);
		at += (c->features[f].n + 7) & ~7ull;
	}
	rc = put_plain(c, table.data, table.n);
	for (unsigned f = 0; f < PD_FEATURES && !rc; f++) {
		if (!c->has[f])
			continue;
		pd_buffer_pad(&c->features[f], 8); /* the size in the table is without this padding */
		rc = put_plain(c, c->features[f].data, c->features[f].n);
	}
	free(table.data);
	return rc;
}

int copy_cut(struct copy *c, uint64_t at)
{
	struct writer *w = c->out;
	if (w->out.stream || at > copy_at(c))
		return 0;
	int rc = send_pending(w);
	w->end = at;
	return rc;
}

static int finish_file(struct copy *c)
{
	uint64_t data_size = copy_at(c) - c->data_at;
	if (c->out->compressor) {
		c->has[PD_COMPRESSED] = true;
		add_compressed(c, &c->features[PD_COMPRESSED]);
	}
	copy_move_index(c);
	int rc = put_features(c);
	if (!rc && c->events.n > c->events_begun) /* some attrs came after the first records */
		rc = put_attrs(c);
	if (!rc)
		rc = send_pending(c->out);
	if (!rc)
		rc = write_header(c, data_size);
	return rc ? rc : file_cut(c->out);
}

int copy_finish(struct copy *c)
{
	int rc = compress_raw(c);
	if (!rc)
		rc = c->out->out.stream ? send_pending(c->out) : finish_file(c);
	return rc;
}
