/* Writes streams, which consist of records only: attrs and features are records, too. */
#include "recorder/writer.h"

#include "os/write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	UPDATE_NAME = 2,    /* type of an EVENT_UPDATE record that names an event */
	PATIENCE_MS = 1000, /* longest wait for a reader that does not read, after stop_fd became readable */
};

int pipe_send(struct writer *w)
{
	const struct os_writer to = {.fd = w->out.fd, .stop_fd = w->stop_fd, .patience_ms = PATIENCE_MS};
	int rc = os_write(&to, w->pending.data, w->pending.n);
	w->sent += rc ? 0 : w->pending.n;
	w->pending.n = 0;
	return rc;
}

/* Begins a record of a size not yet known.  Returns its offset in `pending`; end_record() fills in the size. */
static size_t begin_record(struct writer *w, uint32_t type)
{
	struct record_header h = {.type = type};
	size_t at = w->pending.n;
	pd_buffer_add(&w->pending, &h, sizeof(h));
	return at;
}

/* Ends the record at offset `at`.  Returns false if it is too large; it is dropped then. */
static bool end_record(struct writer *w, size_t at)
{
	struct pd_buffer *buf = &w->pending;
	pd_buffer_zeros(buf, -(buf->n - at) & 7);
	if (buf->n - at > RECORD_SIZE_MAX) {
		buf->n = at;
		return false;
	}
	uint16_t size = (uint16_t)(buf->n - at);
	memcpy(buf->data + at + offsetof(struct record_header, size), &size, sizeof(size));
	return true;
}

static bool put_attr(struct writer *w, const struct pd_event *ev)
{
	struct perf_attr attr = ev->attr;
	attr.size = pd_attr_size(&attr);
	if (attr.size < STREAM_ATTR_SIZE)
		attr.size = STREAM_ATTR_SIZE;
	size_t at = begin_record(w, PD_RECORD_ATTR);
	pd_buffer_add(&w->pending, &attr, attr.size);
	pd_buffer_add(&w->pending, ev->ids, ev->ids_n * sizeof(uint64_t));
	return end_record(w, at);
}

static void put_name(struct writer *w, const struct pd_event *ev)
{
	uint64_t what[] = {UPDATE_NAME, ev->ids_n ? ev->ids[0] : 0};
	if (!ev->name || !ev->ids_n)
		return;
	size_t at = begin_record(w, PD_RECORD_EVENT_UPDATE);
	pd_buffer_add(&w->pending, what, sizeof(what));
	pd_buffer_add(&w->pending, ev->name, strlen(ev->name) + 1);
	(void)end_record(w, at);
}

/* Writes a TRACING_DATA record, followed by the kernel's description of the tracepoints. */
static void put_tracing(struct writer *w)
{
	struct {
		struct record_header h;
		uint32_t size;
	} rec = {.h = {.type = PD_RECORD_TRACING_DATA, .size = 12}};
	struct pd_buffer data = {0};
	if (feature_bytes(w, PD_TRACING_DATA, &data)) {
		pd_buffer_pad(&data, 8);
		rec.size = (uint32_t)data.n;
		pd_buffer_add(&w->pending, &rec, rec.h.size);
		pd_buffer_add(&w->pending, data.data, data.n);
	}
	free(data.data);
}

/* Writes a feature as a record.  Skips features that have their own record types, and the times of samples. */
static void put_feature(struct writer *w, unsigned feature)
{
	if (feature == PD_EVENT_DESC || feature == PD_BUILD_ID || feature == PD_SAMPLE_TIME)
		return;
	uint64_t id = feature;
	if (feature == PD_TRACING_DATA) {
		put_tracing(w);
		return;
	}
	size_t at = begin_record(w, PD_RECORD_HEADER_FEATURE);
	pd_buffer_add(&w->pending, &id, sizeof(id));
	if (feature_bytes(w, feature, &w->pending))
		(void)end_record(w, at);
	else
		w->pending.n = at;
}

static void put_build_ids(struct writer *w)
{
	for (size_t i = w->build_ids_sent; i < w->info->build_ids_n; i++) {
		const struct pd_build_id *b = &w->info->build_ids[i];
		uint8_t id[24] = {0};
		memcpy(id, b->id, sizeof(b->id));
		id[20] = b->size;
		uint16_t misc = b->misc | 1u << 15; /* flag: byte 20 of the id is its size */
		size_t at = begin_record(w, PD_RECORD_BUILD_ID);
		memcpy(w->pending.data + at + offsetof(struct record_header, misc), &misc, sizeof(misc));
		pd_buffer_add(&w->pending, &b->pid, sizeof(b->pid));
		pd_buffer_add(&w->pending, id, sizeof(id));
		pd_buffer_add(&w->pending, b->path, strlen(b->path) + 1);
		(void)end_record(w, at);
	}
	w->build_ids_sent = w->info->build_ids_n;
}

int pipe_start(struct writer *w)
{
	uint64_t header[2] = {PD_MAGIC, PD_PIPE_HEADER_SIZE};
	pd_buffer_add(&w->pending, header, sizeof(header));
	for (size_t i = 0; i < w->info->events_n; i++)
		if (!put_attr(w, &w->info->events[i]))
			return -E2BIG;
	for (size_t i = 0; i < w->info->events_n; i++)
		put_name(w, &w->info->events[i]);
	for (unsigned f = 1; f < PD_FEATURES; f++)
		put_feature(w, f);
	put_build_ids(w);
	return pipe_send(w);
}

/* Writes `pending` after the build-ids of the files mapped there, because a reader looks for a program's symbols at its
 * first sample. */
int pipe_round(struct writer *w)
{
	struct pd_buffer records = w->pending;
	w->pending = (struct pd_buffer){0};
	put_build_ids(w);
	int rc = pipe_send(w);
	free(w->pending.data);
	w->pending = records;
	return rc ? rc : pipe_send(w);
}

int pipe_finish(struct writer *w)
{
	put_build_ids(w);
	return pipe_send(w);
}
