/* Collects the attrs and features of the recording to be copied. */
#include "recorder/copy.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/limits.h"
#include "base/sorted.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ATTR_SIZE_MIN = 64 };

/* ---- reading the header of a file ----------------------------------------------------- */

/* Appends a section of the file to `ret`.  Returns false if part of it lies outside the file. */
static bool add_section(const struct copy *c, struct pd_section s, struct pd_buffer *ret)
{
	uint8_t *bytes = reader_section(c->in, s);
	if (bytes)
		pd_buffer_add(ret, bytes, s.size);
	free(bytes);
	return bytes;
}

static int read_attrs(struct copy *c, struct error *err)
{
	struct reader_attr a = {0};
	int rc;
	while ((rc = reader_next_attr(c->in, &a)) == 0) {
		if (c->events.n >= PD_EVENTS_MAX)
			return error_set(err, E2BIG, "It has more than %d events.", PD_EVENTS_MAX);
		struct copied_event *ev = &vec_push(&c->events);
		*ev = (struct copied_event){0};
		pd_buffer_add(&ev->attr, a.bytes, a.n);
		if (!add_section(c, a.ids, &ev->ids))
			return error_set(err, EBADMSG, "The ids of an event lie outside the file.");
	}
	return rc == -ENOENT ? 0 : error_set(err, EBADMSG, "Its list of events is empty, or lies outside the file.");
}

static void keep_feature(struct copy *c, unsigned feature, const void *bytes, size_t n)
{
	if (feature == PD_COMPRESSED || (feature == PD_DIR_FORMAT && c->from_directory))
		return; /* the feature describes the compression or the files of the original */
	c->has[feature] = true;
	c->features_n += n;
	pd_buffer_add(&c->features[feature], bytes, n);
}

static void read_features(struct copy *c)
{
	struct reader_feature f = {0};
	int rc;
	while ((rc = reader_next_feature(c->in, &f)) == 0) {
		const char *name = pd_feature_name(f.feature);
		struct pd_buffer bytes = {0};
		/* features do not overlap, so together they cannot be larger than the file */
		if (f.section.size <= reader_size(c->in) - c->features_n && add_section(c, f.section, &bytes))
			keep_feature(c, f.feature, bytes.data, bytes.n);
		else
			copy_note(c,
				  "Its feature %u (%s) is left out: it lies outside the file, or is larger than %d MB.",
				  f.feature, name ? name : "unknown", LIMIT_RECORDING_SECTION >> 20);
		free(bytes.data);
	}
	if (rc == -ENODATA)
		copy_note(c, "Its features, which describe the machine, are missing at its end.");
}

int copy_read_header(struct copy *c, struct error *err)
{
	c->header = reader_header(c->in);
	c->swap = c->header->swap;
	if (c->header->pipe)
		return 0;
	int rc = read_attrs(c, err);
	if (rc < 0)
		return rc;
	if (c->header->data.offset >= reader_size(c->in))
		return error_set(err, EBADMSG, "Its records lie outside the file.");
	if (reader_data(c->in) == READER_NOT_CLOSED)
		copy_note(c, "It was not closed: it is read to its end.");
	read_features(c);
	return 0;
}

/* ---- reading the header of a stream ----------------------------------------------------- */

/* Returns true for a feature that never has contents.  An empty record of another one ends a stream's features. */
static bool is_flag(unsigned feature)
{
	return feature == PD_BRANCH_STACK || feature == PD_STAT || feature == PD_CACHE;
}

size_t copy_attr_size(const uint8_t *attr, size_t n, bool swap)
{
	uint32_t size;
	if (n < ATTR_SIZE_MIN)
		return 0;
	memcpy(&size, attr + offsetof(struct perf_attr, size), sizeof(size));
	size = swap ? __builtin_bswap32(size) : size;
	size = size ? size : ATTR_SIZE_MIN;
	return size >= ATTR_SIZE_MIN && size <= n ? size : 0;
}

void copy_set_attr_size(struct pd_buffer *attr, size_t n, bool swap)
{
	uint32_t size = swap ? __builtin_bswap32((uint32_t)n) : (uint32_t)n;
	memcpy(attr->data + offsetof(struct perf_attr, size), &size, sizeof(size));
}

/* Keeps an attr of a stream.  Cuts off zeros at its end, because perf refuses a file whose attrs are longer than perf's
 * own struct perf_event_attr.  Returns false if the attr is invalid. */
static bool lift_attr(struct copy *c, const uint8_t *bytes, size_t n)
{
	struct copied_event ev = {0};
	size_t size = copy_attr_size(bytes, n, c->swap);
	if (c->events.n >= PD_EVENTS_MAX || !size)
		return false;
	size_t used = size;
	while (used > STREAM_ATTR_SIZE && !load_u64(bytes + used - 8))
		used -= 8;
	pd_buffer_add(&ev.attr, bytes, used);
	copy_set_attr_size(&ev.attr, used, c->swap);
	pd_buffer_add(&ev.ids, bytes + size, n - size);
	vec_push(&c->events) = ev;
	return true;
}

/* Keeps a feature of a stream; a later record of the same feature replaces it.  Returns false if it is unknown. */
static bool lift_feature(struct copy *c, const uint8_t *bytes, size_t n)
{
	uint64_t feature;
	struct record_bytes body;
	if (!pd_record_feature(bytes, n, c->swap, &feature, &body) || feature >= PD_FEATURES)
		return false;
	c->features[feature].n = 0;
	if (body.size || is_flag((unsigned)feature))
		keep_feature(c, (unsigned)feature, body.data, body.size);
	return true;
}

bool copy_lift(struct copy *c, const uint8_t *bytes, const struct record_header *h)
{
	const uint8_t *body = bytes + sizeof(*h);
	size_t n = h->size - sizeof(*h);
	switch (h->type) {
	case PD_RECORD_ATTR:
		return lift_attr(c, body, n);
	case PD_RECORD_BUILD_ID:
		keep_feature(c, PD_BUILD_ID, bytes, h->size);
		return true;
	default:
		return lift_feature(c, bytes, h->size);
	}
}

/* ---- moving the index of AUXTRACE records -------------------------------------------------- */

/* Updates the index of AUXTRACE records, pairs of offset and size.  perf writes the number of pairs before them,
 * simpleperf does not. */
void copy_move_index(struct copy *c)
{
	bool swap = c->swap;
	struct pd_buffer old = c->features[PD_AUXTRACE], index = {0};
	uint64_t n = 0;
	bool counted = old.n % 16;
	if (!c->auxtrace_offsets.n || (!c->has[PD_AUXTRACE] && !c->header->pipe))
		return;
	if (c->header->pipe) {
		old = (struct pd_buffer){0};
		counted = true;
	}
	pd_buffer_add(&index, &n, counted ? sizeof(n) : 0);
	for (size_t at = counted ? 8 : 0; at + 16 <= old.n; at += 16) {
		uint64_t from = swap_u64(load_u64(old.data + at), swap);
		const struct auxtrace_offset *m = sorted_find(c->auxtrace_offsets.data, c->auxtrace_offsets.n,
							      sizeof(*m), offsetof(struct auxtrace_offset, from), from);
		if (!m)
			continue;
		uint64_t to = swap ? __builtin_bswap64(m->to) : m->to;
		pd_buffer_add(&index, &to, sizeof(to));
		pd_buffer_add(&index, old.data + at + 8, 8);
		n++;
	}
	for (size_t i = 0; c->header->pipe && i < c->auxtrace_offsets.n; i++, n++) {
		uint64_t entry[2] = {c->auxtrace_offsets.data[i].to, c->auxtrace_offsets.data[i].size};
		for (size_t k = 0; swap && k < ARRAY_LEN(entry); k++)
			entry[k] = __builtin_bswap64(entry[k]);
		pd_buffer_add(&index, entry, sizeof(entry));
	}
	n = swap ? __builtin_bswap64(n) : n;
	if (counted)
		memcpy(index.data, &n, sizeof(n));
	free(c->features[PD_AUXTRACE].data);
	c->features[PD_AUXTRACE] = index;
	c->has[PD_AUXTRACE] = true;
}

void copy_note(struct copy *c, const char *fmt, ...)
{
	char *to = c->result->notice;
	size_t n = strlen(to), cap = sizeof(c->result->notice);
	va_list args;
	if (n && n + 1 < cap)
		to[n++] = ' ', to[n] = '\0';
	va_start(args, fmt);
	vsnprintf(to + n, cap - n, fmt, args);
	va_end(args);
}
