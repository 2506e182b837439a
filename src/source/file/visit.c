/* Passes all parts of a recording to a visitor, for cyctop dump.  Damage is reported where it is; reading goes on as
 * long as the offset of the next record is known. */
#include "source/file/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct visitor {
	struct reader *in;
	struct file *f; /* only f->pd and f->events are used, filled while visiting */
	const struct file_visit *to;
	const struct pd_visitor *v;
	bool stopped;
	/* None of the first `tried_n` events has a known layout, so the fields of kernel records are not visited. */
	bool unreadable;
	size_t tried_n;
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

/* ---- visiting header, attrs and features ----------------------------------------------- */

static void visit_header(struct visitor *d)
{
	const struct pd_header *h = reader_header(d->in);
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

static void visit_attr(struct visitor *d, const struct reader_attr *a)
{
	bool swap = d->f->swap;
	struct perf_attr attr;
	struct error err;
	uint32_t size;
	if (pd_attr_parse(a->bytes, a->n, swap, &attr, &size, &err) < 0) {
		damage(d, a->offset, err.text);
		return;
	}
	uint8_t *raw = reader_section(d->in, a->ids);
	size_t n = raw ? a->ids.size / 8 : 0;
	const struct record_words ids = {raw, n, swap};
	begin(d, "attr", a->offset);
	d->v->open(d->v->ctx, "ids", true);
	for (size_t i = 0; i < n; i++)
		d->v->u64(d->v->ctx, NULL, record_u64(ids, i));
	d->v->close(d->v->ctx, true);
	d->v->open(d->v->ctx, "fields", false);
	pd_visit_attr(&attr, d->v);
	d->v->close(d->v->ctx, false);
	end(d);
	if (!raw)
		damage(d, a->ids.offset, "The ids of this event lie outside the file.");
	if (pd_info_add_file_event(&d->f->pd, &attr, size, raw, 8 * n, swap, &err) < 0)
		damage(d, a->offset, err.text);
	free(raw);
}

static void visit_attrs(struct visitor *d)
{
	struct reader_attr a = {0};
	int rc;
	while (!d->stopped && (rc = reader_next_attr(d->in, &a)) != -ENOENT) {
		if (rc < 0) {
			damage(d, reader_header(d->in)->attrs.offset, "The list of events lies outside the file.");
			return;
		}
		visit_attr(d, &a);
	}
}

static void visit_feature(struct visitor *d, const struct reader_feature *f)
{
	const char *name = pd_feature_name(f->feature);
	uint8_t *data = reader_section(d->in, f->section);
	uint64_t offset = f->section.offset;
	if (!data) {
		damage(d, offset, "A feature's section lies outside the file, or is larger than 64 MiB.");
		return;
	}
	begin(d, "feature", offset);
	d->v->u64(d->v->ctx, "feature", f->feature);
	if (name)
		d->v->text(d->v->ctx, "name", name);
	d->v->u64(d->v->ctx, "size", f->section.size);
	d->v->open(d->v->ctx, "fields", false);
	int rc = pd_visit_feature(f->feature, data, f->section.size, d->f->swap, d->v);
	d->v->close(d->v->ctx, false);
	end(d);
	if (rc < 0)
		damage(d, offset, "This feature is malformed.");
	free(data);
}

static void visit_features(struct visitor *d)
{
	const struct pd_header *h = reader_header(d->in);
	struct reader_feature f = {0};
	int rc = 0;
	while (!d->stopped && (rc = reader_next_feature(d->in, &f)) == 0)
		visit_feature(d, &f);
	if (rc == -ENODATA)
		damage(d, h->data.offset + h->data.size, "The table of features lies outside the file.");
}

/* ---- visiting records --------------------------------------------------------------------- */

/* Finds the layouts of kernel records when the first kernel record comes.  If no layout is known, tries again after
 * more attrs have come. */
static void find_layouts(struct visitor *d, uint64_t at)
{
	struct error err;
	if (d->f->events.layouts || (d->unreadable && d->tried_n == d->f->pd.events_n))
		return;
	d->tried_n = d->f->pd.events_n;
	d->unreadable = file_events_fix(d->f, &err) < 0;
	if (d->unreadable)
		damage(d, at, err.text);
}

static bool visit_kernels(struct visitor *d, const uint8_t *bytes, const struct record_header *h)
{
	struct file_events *e = &d->f->events;
	struct record rec;
	if (d->unreadable)
		return true;
	const struct record_layout *l = e->one_layout ? &e->layouts[e->first] : file_layout_of(e, bytes, h->size);
	if (record_decode(l, bytes, h->size, &rec) < 0)
		return false;
	pd_visit_record(l, &rec, d->v);
	return true;
}

static void visit_record(struct visitor *d, const struct reader_record *rec)
{
	const struct record_header *h = &rec->h;
	const struct pd_visitor *v = d->v;
	bool swap = d->f->swap, sound;
	const char *name = pd_record_name(h->type);
	struct error err;
	if (h->type < PD_RECORD_FIRST)
		find_layouts(d, rec->offset);
	begin(d, "record", rec->offset);
	if (name)
		v->text(v->ctx, "type", name);
	else
		v->u64(v->ctx, "type", h->type);
	v->hex(v->ctx, "misc", h->misc);
	v->u64(v->ctx, "size", h->size);
	v->open(v->ctx, "fields", false);
	if (h->type < PD_RECORD_FIRST)
		sound = visit_kernels(d, rec->bytes, h);
	else
		sound = pd_visit_user(rec->bytes, h->size, swap, v) == 0;
	v->close(v->ctx, false);
	end(d);
	if (h->type >= PD_RECORD_FIRST && pd_info_record(&d->f->pd, rec->bytes, h->size, swap, &err) < 0)
		sound = false;
	if (!sound)
		damage(d, rec->offset, "This record is malformed.");
}

static void visit_records(struct visitor *d, struct reader *in)
{
	struct reader_record rec;
	enum reader_state state = READER_RECORD;
	while (!d->stopped && (state = reader_next(in, &rec)) != READER_END) {
		if (state == READER_RECORD)
			visit_record(d, &rec);
		else if (state == READER_DAMAGE)
			damage(d, rec.offset, rec.damage);
	}
	char text[200];
	reader_ending_text(in, text, sizeof(text));
	if (text[0])
		damage(d, reader_at(in), text);
}

/* Visits a file next to `data`, which contains only records.  Offsets that it reports are in this file. */
static void visit_part(struct visitor *d, unsigned i, struct reader *in)
{
	char name[32];
	snprintf(name, sizeof(name), "data.%u", i);
	begin(d, "file", 0);
	d->v->text(d->v->ctx, "name", name);
	d->v->u64(d->v->ctx, "size", reader_size(in));
	end(d);
	visit_records(d, in);
}

static void visit_all(struct visitor *d)
{
	struct reader *part;
	visit_header(d);
	if (!reader_header(d->in)->pipe) {
		visit_attrs(d);
		if (reader_data(d->in) == READER_NOT_CLOSED)
			damage(d, reader_header(d->in)->data.offset,
			       "The recording was not closed: it is read to its end.");
		visit_features(d);
	}
	visit_records(d, d->in);
	for (unsigned i = 0; !d->stopped && reader_open_part(d->in, i, &part) == 0; i++) {
		visit_part(d, i, part);
		reader_close(part);
	}
}

int file_visit(const char *path, const struct file_visit *visit, struct error *err)
{
	struct reader *in;
	int rc = reader_open(path, 0, &in, err);
	if (rc < 0)
		return rc;
	struct file *f = mem_calloc(1, sizeof(*f));
	struct visitor d = {.in = in, .f = f, .to = visit, .v = visit->fields};
	f->swap = reader_header(in)->swap;
	pd_info_init(&f->pd);
	visit_all(&d);
	file_events_deinit(&f->events);
	pd_info_deinit(&f->pd);
	free(f);
	reader_close(in);
	return 0;
}
