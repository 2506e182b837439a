/* A recording from its first byte to its last, for dumps.  Unlike a source it goes on
 * where something is damaged, as long as it can tell what comes next. */
#include "source/file/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTION_MAX = 64 << 20, PIECE_BYTES = 256 * 1024 };

struct visitor {
	struct file *f;
	const struct file_visit *to;
	const struct pd_visitor *v;
	bool stopped;
};

static void begin(struct visitor *d, const char *kind, uint64_t offset)
{
	d->to->begin(d->to->ctx, kind);
	d->v->hex(d->v->ctx, "offset", offset);
}

static void end(struct visitor *d)
{
	d->stopped |= !d->to->end(d->to->ctx);
}

static void damage(struct visitor *d, uint64_t offset, const char *what)
{
	begin(d, "damage", offset);
	d->v->text(d->v->ctx, "what", what);
	end(d);
}

/* NULL: it is not in the file. */
static uint8_t *section(const struct visitor *d, struct pd_section s)
{
	const struct bytes *b = &d->f->bytes;
	if (s.size > SECTION_MAX || s.size > b->size || s.offset > b->size - s.size)
		return NULL;
	uint8_t *data = mem_calloc(1, s.size ? s.size : 1);
	if (!s.size || bytes_get(b, s.offset, data, s.size) == 0)
		return data;
	free(data);
	return NULL;
}

static struct pd_section section_at(const uint8_t *p, bool swap)
{
	return (struct pd_section){.offset = load_u64_as(p, swap), .size = load_u64_as(p + 8, swap)};
}

/* ---- in front of the records ----------------------------------------------------------- */

static void visit_header(struct visitor *d)
{
	const struct pd_header *h = &d->f->header;
	const struct pd_visitor *v = d->v;
	begin(d, "header", 0);
	v->text(v->ctx, "mode", h->pipe ? "pipe" : "file");
	v->u64(v->ctx, "other_byte_order", h->swap);
	if (!h->pipe) {
		v->u64(v->ctx, "attr_size", h->attr_size);
		v->hex(v->ctx, "attrs_offset", h->attrs.offset);
		v->u64(v->ctx, "attrs_size", h->attrs.size);
		v->hex(v->ctx, "data_offset", h->data.offset);
		v->u64(v->ctx, "data_size", h->data.size);
		v->open(v->ctx, "features", true);
		for (unsigned i = 0; i < PD_FEATURES; i++)
			if (pd_has_feature(h, i))
				v->u64(v->ctx, NULL, i);
		v->close(v->ctx, true);
	}
	end(d);
}

static void visit_attr(struct visitor *d, const uint8_t *entry, uint64_t at)
{
	size_t room = d->f->header.attr_size - sizeof(struct pd_section);
	bool swap = d->f->header.swap;
	struct perf_attr attr;
	struct error err;
	uint32_t size;
	if (pd_attr_parse(entry, room, swap, &attr, &size, &err) < 0) {
		damage(d, at, err.text);
		return;
	}
	struct pd_section s = section_at(entry + room, swap);
	uint8_t *raw = section(d, s);
	size_t n = raw ? s.size / 8 : 0;
	uint64_t *ids = mem_calloc(n ? n : 1, sizeof(*ids));
	begin(d, "attr", at);
	d->v->open(d->v->ctx, "ids", true);
	for (size_t i = 0; i < n; i++) {
		ids[i] = load_u64_as(raw + 8 * i, swap);
		d->v->u64(d->v->ctx, NULL, ids[i]);
	}
	d->v->close(d->v->ctx, true);
	d->v->open(d->v->ctx, "fields", false);
	pd_visit_attr(&attr, d->v);
	d->v->close(d->v->ctx, false);
	end(d);
	if (!raw)
		damage(d, s.offset, "The ids of this event lie outside the file.");
	if (pd_info_add_event(&d->f->pd, &attr, size, ids, n, &err) < 0)
		damage(d, at, err.text);
	free(ids);
	free(raw);
}

static void visit_attrs(struct visitor *d)
{
	const struct pd_header *h = &d->f->header;
	uint8_t *entries = section(d, h->attrs);
	if (!entries)
		damage(d, h->attrs.offset, "The list of events lies outside the file.");
	for (size_t i = 0; entries && !d->stopped && i < h->attrs.size / h->attr_size; i++)
		visit_attr(d, entries + i * h->attr_size, h->attrs.offset + i * h->attr_size);
	free(entries);
}

static void visit_feature(struct visitor *d, unsigned feature, struct pd_section s)
{
	const char *name = pd_feature_name(feature);
	uint8_t *data = section(d, s);
	if (!data) {
		damage(d, s.offset, "A feature's section lies outside the file, or is larger than 64 MiB.");
		return;
	}
	begin(d, "feature", s.offset);
	d->v->u64(d->v->ctx, "feature", feature);
	if (name)
		d->v->text(d->v->ctx, "name", name);
	d->v->u64(d->v->ctx, "size", s.size);
	d->v->open(d->v->ctx, "fields", false);
	int rc = pd_visit_feature(feature, data, s.size, d->f->header.swap, d->v);
	d->v->close(d->v->ctx, false);
	end(d);
	if (rc < 0)
		damage(d, s.offset, "This feature contradicts itself.");
	free(data);
}

static void visit_features(struct visitor *d)
{
	const struct pd_header *h = &d->f->header;
	uint64_t at = h->data.offset + h->data.size;
	for (unsigned i = 0; i < PD_FEATURES && !d->stopped; i++) {
		uint8_t entry[16];
		if (!pd_has_feature(h, i))
			continue;
		if (at < h->data.offset || bytes_get(&d->f->bytes, at, entry, sizeof(entry)) < 0) {
			damage(d, at, "The table of features lies outside the file.");
			return;
		}
		at += sizeof(entry);
		visit_feature(d, i, section_at(entry, h->swap));
	}
}

/* ---- records ------------------------------------------------------------------------------ */

static bool visit_kernels(struct visitor *d, const uint8_t *bytes, const struct record_header *h)
{
	struct file_events *e = &d->f->events;
	struct error err;
	struct record rec;
	if (!e->layouts && (!d->f->pd.events_n || file_events_fix(d->f, &err) < 0))
		return false;
	const struct record_layout *l = e->one_layout ? &e->layouts[e->first] : file_layout_of(e, bytes, h->size);
	if (record_decode(l, bytes, h->size, &rec) < 0)
		return false;
	pd_visit_record(l, &rec, d->v);
	return true;
}

static void visit_inner(struct visitor *d, const uint8_t *bytes, const struct record_header *h, uint64_t at)
{
	const struct pd_visitor *v = d->v;
	bool swap = d->f->header.swap, sound;
	const char *name = pd_record_name(h->type);
	struct error err;
	begin(d, "record", at);
	if (name)
		v->text(v->ctx, "type", name);
	else
		v->u64(v->ctx, "type", h->type);
	v->hex(v->ctx, "misc", h->misc);
	v->u64(v->ctx, "size", h->size);
	v->open(v->ctx, "fields", false);
	if (h->type < PD_RECORD_FIRST)
		sound = visit_kernels(d, bytes, h);
	else
		sound = pd_visit_user(bytes, h->size, swap, v) == 0;
	v->close(v->ctx, false);
	end(d);
	if (h->type >= PD_RECORD_FIRST && pd_info_record(&d->f->pd, bytes, h->size, swap, &err) < 0)
		sound = false;
	if (!sound)
		damage(d, at, "This record contradicts itself.");
}

/* What a compressed record holds; its records have its offset. */
static void visit_compressed(struct visitor *d, const uint8_t *bytes, const struct record_header *h, uint64_t at)
{
	struct file *f = d->f;
	struct record_bytes data;
	size_t n = 1;
	if (!f->in.inflate && !f->no_zstd) {
		f->in.inflate = inflate_create();
		f->no_zstd = !f->in.inflate;
		if (f->no_zstd)
			damage(d, at, "This build of cyctop cannot look into compressed records: it has no libzstd.");
	}
	if (f->no_zstd || pd_record_compressed(bytes, h->size, f->header.swap, &data) < 0)
		return;
	if (!f->in.piece)
		f->in.piece = mem_calloc(1, PIECE_BYTES);
	inflate_feed(f->in.inflate, data.data, data.size);
	while (n && !d->stopped) {
		if (inflate_take(f->in.inflate, f->in.piece + f->in.piece_n, PIECE_BYTES - f->in.piece_n, &n) < 0) {
			damage(d, at, "The compressed data are damaged.");
			f->no_zstd = true;
			return;
		}
		f->in.piece_n += n;
		size_t done = 0;
		while (f->in.piece_n - done >= sizeof(*h) && !d->stopped) {
			struct record_header in = pd_record_header(f->in.piece + done, f->header.swap);
			if (in.size < sizeof(in)) {
				damage(d, at, "A compressed record is smaller than its header.");
				f->in.piece_n = 0;
				return;
			}
			if (in.size > f->in.piece_n - done)
				break;
			visit_inner(d, f->in.piece + done, &in, at);
			done += in.size;
		}
		memmove(f->in.piece, f->in.piece + done, f->in.piece_n - done);
		f->in.piece_n -= done;
	}
}

static void visit_records(struct visitor *d, const struct bytes *bytes_of, uint64_t from, uint64_t to)
{
	static const char *const ends[] = {
		[WALK_CUT] = "The recording ends in the middle of a record.",
		[WALK_LOST] = "This record is smaller than its header: what follows cannot be read.",
		[WALK_FAILED] = "The file cannot be read any further.",
	};
	struct file *f = d->f;
	struct record_header h;
	const uint8_t *bytes;
	uint64_t at = from;
	walk_init(&f->in.walk, bytes_of, f->header.swap, from, to);
	f->in.walk.wait = true;
	while (!d->stopped && walk_next(&f->in.walk, &bytes, &h)) {
		uint64_t payload = pd_record_payload(bytes, h.size, f->header.swap);
		visit_inner(d, bytes, &h, at);
		if (h.type == PD_RECORD_COMPRESSED || h.type == PD_RECORD_COMPRESSED2)
			visit_compressed(d, bytes, &h, at);
		at += h.size + payload;
		walk_skip(&f->in.walk, payload);
	}
	enum walk_state state = f->in.walk.state;
	if (state < ARRAY_LEN(ends) && ends[state])
		damage(d, at, ends[state]);
}

/* A file beside `data`, which begins with a record; offsets are its own. */
static void visit_part(struct visitor *d, size_t i)
{
	char name[32];
	struct bytes *bytes = parts_bytes(d->f, i);
	snprintf(name, sizeof(name), "data.%zu", i);
	begin(d, "file", 0);
	d->v->text(d->v->ctx, "name", name);
	d->v->u64(d->v->ctx, "size", bytes->size);
	end(d);
	reading_deinit(&d->f->in);
	visit_records(d, bytes, 0, bytes->size);
}

static int read_header(struct file *f, struct error *err)
{
	uint8_t raw[PD_HEADER_SIZE];
	size_t n = PD_PIPE_HEADER_SIZE;
	int rc = bytes_get(&f->bytes, 0, raw, n);
	if (rc == 0)
		rc = pd_header_parse(raw, n, &f->header, err);
	if (rc == -EAGAIN) {
		rc = bytes_get(&f->bytes, n, raw + n, sizeof(raw) - n);
		if (rc == 0)
			rc = pd_header_parse(raw, sizeof(raw), &f->header, err);
	}
	if (rc == -ENODATA)
		return error_set(err, EINVAL, "It ends within its header.");
	if (rc == 0 && !f->header.pipe && !f->bytes.seekable)
		return error_set(
			err, ESPIPE,
			"It is a file, whose parts lie apart, and does not come through a pipe: use its name.");
	return rc;
}

static int visit_all(struct visitor *d, struct error *err)
{
	struct file *f = d->f;
	const struct pd_header *h = &f->header;
	int rc = read_header(f, err);
	if (rc < 0)
		return rc;
	visit_header(d);
	if (h->pipe) {
		visit_records(d, &f->bytes, PD_PIPE_HEADER_SIZE, UINT64_MAX);
		return 0;
	}
	visit_attrs(d);
	uint64_t to = h->data.offset + h->data.size;
	bool inside = h->data.size && to > h->data.offset;
	if (!inside)
		damage(d, h->data.offset, "The recording was not closed: it is read to its end.");
	if (inside && to <= f->bytes.size)
		visit_features(d);
	visit_records(d, &f->bytes, h->data.offset, inside ? to : f->bytes.size);
	for (size_t i = 0; i < f->parts_n && !d->stopped; i++)
		visit_part(d, i);
	return 0;
}

int file_visit(const char *path, const struct file_visit *visit, struct error *err)
{
	struct file *f = mem_calloc(1, sizeof(*f));
	struct visitor d = {.f = f, .to = visit, .v = visit->fields};
	struct error why = {0};
	int rc = bytes_open(path, &f->bytes, err);
	if (rc == 0) {
		f->path = mem_strdup(path);
		f->config.path = f->path;
		pd_info_init(&f->pd);
		if (f->bytes.directory)
			parts_open(f, path);
		rc = visit_all(&d, &why);
		if (rc < 0)
			rc = file_error(f, &why, err);
		reading_deinit(&f->in);
		parts_close(f);
		file_events_deinit(&f->events);
		pd_info_deinit(&f->pd);
		bytes_close(&f->bytes);
		free(f->path);
	}
	free(f);
	return rc;
}
