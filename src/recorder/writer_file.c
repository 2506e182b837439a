/* Writes files: header, attrs, ids, data, features.  Space for more ids is left before the data; when this is full, all
 * ids of an event move to the end of the file. */
#include "recorder/writer.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Expected growth in bytes of the features (build-ids, ids) between two checkpoints. */
enum { FEATURES_GROW = 16384 };

/* Writes bytes at an offset.  Returns 0 or -errno; sets *done to the number of bytes written, also after an error. */
static int write_part(struct writer *w, const void *bytes, size_t n, uint64_t at, size_t *done)
{
	for (*done = 0; *done < n;) {
		ssize_t put = pwrite(w->out.fd, (const uint8_t *)bytes + *done, n - *done, (off_t)(at + *done));
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		*done += (size_t)put;
	}
	return 0;
}

int file_write_at(struct writer *w, const void *bytes, size_t n, uint64_t at)
{
	size_t done;
	return write_part(w, bytes, n, at, &done);
}

/* ---- writing header, attrs and ids ----------------------------------------------- */

static size_t ids_room(size_t n)
{
	return 2 * n + 64;
}

/* Returns the size of the longest attr.  All attrs are written in this size, so that old and new readers find the
 * entries at the same offsets. */
static uint32_t attr_size(const struct pd_info *info)
{
	uint32_t size = 64;
	for (size_t i = 0; i < info->events_n; i++)
		if (pd_attr_size(&info->events[i].attr) > size)
			size = pd_attr_size(&info->events[i].attr);
	return size;
}

static int write_header(struct writer *w, const uint64_t features[PD_FEATURES / 64])
{
	uint8_t bytes[PD_HEADER_SIZE];
	struct pd_header h = {
		.attr_size = w->attr_size + sizeof(struct pd_section),
		.attrs = {w->attrs_at, w->info->events_n * (w->attr_size + sizeof(struct pd_section))},
		.data = {w->data_at, w->data_size},
	};
	w->features = false;
	for (size_t i = 0; features && i < PD_FEATURES / 64; i++) {
		h.features[i] = features[i];
		w->features |= features[i] != 0;
	}
	pd_header_encode(&h, bytes);
	return file_write_at(w, bytes, sizeof(bytes), 0);
}

static int write_attrs(struct writer *w)
{
	struct pd_buffer buf = {0};
	for (size_t i = 0; i < w->info->events_n; i++) {
		struct perf_attr attr = w->info->events[i].attr;
		struct pd_section ids = {w->ids[i].at, w->ids[i].n * sizeof(uint64_t)};
		attr.size = w->attr_size;
		pd_buffer_add(&buf, &attr, w->attr_size);
		pd_buffer_add(&buf, &ids, sizeof(ids));
	}
	int rc = file_write_at(w, buf.data, buf.n, w->attrs_at);
	free(buf.data);
	return rc;
}

/* Writes the ids that were added since the last call.  An event whose ids have no room any more is skipped; if `end` is
 * true, all its ids move to the end of the file. */
static int write_ids(struct writer *w, bool end)
{
	bool changed = false;
	for (size_t i = 0; i < w->info->events_n; i++) {
		const struct pd_event *ev = &w->info->events[i];
		struct ids_place *place = &w->ids[i];
		if (ev->ids_n == place->n || (ev->ids_n > place->cap && !end))
			continue;
		if (ev->ids_n > place->cap) {
			place->at = w->end = (w->end + 7) & ~7ull;
			w->end += ev->ids_n * sizeof(uint64_t);
		}
		int rc = file_write_at(w, ev->ids, ev->ids_n * sizeof(uint64_t), place->at);
		if (rc < 0)
			return rc;
		place->n = ev->ids_n;
		changed = true;
	}
	return changed ? write_attrs(w) : 0;
}

int file_start(struct writer *w)
{
	const struct pd_info *info = w->info;
	w->attr_size = attr_size(info);
	w->ids = mem_calloc(info->events_n, sizeof(w->ids[0]));
	w->attrs_at = PD_HEADER_SIZE;
	uint64_t at = w->attrs_at + info->events_n * (w->attr_size + sizeof(struct pd_section));
	for (size_t i = 0; i < info->events_n; i++) {
		w->ids[i] = (struct ids_place){.at = at, .cap = ids_room(info->events[i].ids_n)};
		at += w->ids[i].cap * sizeof(uint64_t);
	}
	w->data_at = w->end = at;
	int rc = ftruncate(w->out.fd, (off_t)at) < 0 ? -errno : 0;
	if (!rc)
		rc = write_ids(w, false);
	if (!rc)
		rc = write_attrs(w);
	return rc ? rc : write_header(w, NULL);
}

/* ---- writing records and features ------------------------------------------------- */

/* Writes the features after the data, then the header that refers to them. */
static int write_features(struct writer *w)
{
	struct pd_buffer bytes = {0};
	struct pd_section table[PD_FEATURES];
	uint64_t bits[PD_FEATURES / 64] = {0};
	size_t n = 0;
	for (unsigned f = 1; f < PD_FEATURES; f++) {
		size_t before = bytes.n;
		if (!feature_bytes(w, f, &bytes)) {
			bytes.n = before;
			continue;
		}
		table[n++] = (struct pd_section){before, bytes.n - before};
		bits[f / 64] |= 1ull << f % 64;
		pd_buffer_pad(&bytes, 8);
	}
	uint64_t table_at = w->data_at + w->data_size;
	uint64_t bytes_at = table_at + n * sizeof(table[0]);
	for (size_t i = 0; i < n; i++)
		table[i].offset += bytes_at;
	int rc = file_write_at(w, table, n * sizeof(table[0]), table_at);
	if (!rc)
		rc = file_write_at(w, bytes.data, bytes.n, bytes_at);
	if (!rc)
		w->end = bytes_at + bytes.n;
	free(bytes.data);
	return rc ? rc : write_header(w, bits);
}

/* Returns how many of the first `n` bytes of `buf` are whole records. */
static size_t whole_records(const struct pd_buffer *buf, size_t n)
{
	size_t at = 0;
	for (struct record_header h; n - at >= sizeof(h); at += h.size) {
		memcpy(&h, buf->data + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > n - at)
			break;
	}
	return at;
}

/* After a failed write, as when the disk is full, cuts `room` bytes off the data written last, so that the features fit
 * in their place.  If this fails, too, the file stays readable without features. */
static void step_back(struct writer *w, uint64_t before, size_t done, size_t room)
{
	w->data_size = before + (done > room ? whole_records(&w->pending, done - room) : 0);
	w->end = w->data_at + w->data_size;
	if (ftruncate(w->out.fd, (off_t)w->end) < 0 || write_features(w) < 0)
		(void)!write_header(w, NULL);
}

/* Writes records, features and header, in this order, so that the header never refers to incomplete features or missing
 * records.  `last`: the file is complete then, and also gets ids that need a new place. */
static int checkpoint(struct writer *w, bool last)
{
	uint64_t before = w->data_size;
	size_t done = 0, room = (size_t)(w->end - w->data_at - before) + FEATURES_GROW;
	int rc = w->features ? write_header(w, NULL) : 0;
	if (!rc)
		rc = write_part(w, w->pending.data, w->pending.n, w->data_at + before, &done);
	if (!rc) {
		w->data_size += w->pending.n;
		rc = write_features(w);
	}
	if (!rc)
		rc = write_ids(w, last);
	if (!rc && last && ftruncate(w->out.fd, (off_t)w->end) < 0)
		rc = -errno;
	if (rc < 0)
		step_back(w, before, done, room);
	w->pending.n = 0;
	return rc;
}

int file_checkpoint(struct writer *w)
{
	return checkpoint(w, false);
}

int file_finish(struct writer *w)
{
	return checkpoint(w, true);
}

/* ---- writing copies -------------------------------------------------------- */

int file_send(struct writer *w)
{
	size_t done;
	int rc = write_part(w, w->pending.data, w->pending.n, w->end, &done);
	w->end += done;
	w->pending.n = 0;
	return rc;
}

int file_cut(struct writer *w)
{
	return ftruncate(w->out.fd, (off_t)w->end) < 0 ? -errno : 0;
}
