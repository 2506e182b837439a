#include "source/file/copy.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SECTION_MAX = 64 << 20, ATTR_SIZE_MIN = 64 };

static struct pd_section section_at(const uint8_t *p, bool swap)
{
	return (struct pd_section){.offset = load_u64_as(p, swap), .size = load_u64_as(p + 8, swap)};
}

/* Adds a section's bytes to `ret`; false: it is not all there. */
static bool add_section(const struct copy *c, struct pd_section s, struct pd_buffer *ret)
{
	if (s.size > c->bytes.size || s.offset > c->bytes.size - s.size)
		return false;
	size_t n = ret->n;
	vec_reserve(ret, n + s.size);
	if (s.size && bytes_get(&c->bytes, s.offset, ret->data + n, s.size) < 0)
		return false;
	ret->n = n + s.size;
	return true;
}

/* ---- files ---------------------------------------------------------------------------- */

static int read_attrs(struct copy *c, struct error *err)
{
	const struct pd_header *h = &c->header;
	struct pd_buffer entries = {0};
	uint64_t left = c->bytes.size; /* sections of ids do not overlap, so that all fit the file */
	int rc = 0;
	if (h->attrs.size < h->attr_size || !add_section(c, h->attrs, &entries))
		rc = error_set(err, EBADMSG, "Its list of events is empty, or lies outside the file.");
	for (size_t at = 0; !rc && entries.data && entries.n - at >= h->attr_size; at += h->attr_size) {
		size_t attr_n = h->attr_size - sizeof(struct pd_section);
		struct pd_section ids = section_at(entries.data + at + attr_n, h->swap);
		struct copied_event ev = {0};
		buffer_add(&ev.attr, entries.data + at, attr_n);
		if (c->events.n >= PD_EVENTS_MAX)
			rc = error_set(err, E2BIG, "It has more than %d events.", PD_EVENTS_MAX);
		else if (ids.size > left || !add_section(c, ids, &ev.ids))
			rc = error_set(err, EBADMSG, "The ids of an event lie outside the file.");
		left -= rc ? 0 : ids.size;
		vec_push(&c->events) = ev;
	}
	free(entries.data);
	return rc;
}

static void read_feature(struct copy *c, unsigned feature, struct pd_section s)
{
	const char *name = pd_feature_name(feature);
	struct pd_buffer bytes = {0};
	/* Nor do features overlap. */
	if (s.size <= SECTION_MAX && s.size <= c->bytes.size - c->features_n && add_section(c, s, &bytes))
		copy_feature(c, feature, bytes.data, bytes.n);
	else
		copy_note(c, "Its feature %u (%s) is left out: it lies outside the file, or is larger than %d MB.",
			  feature, name ? name : "unknown", SECTION_MAX >> 20);
	free(bytes.data);
}

static void read_features(struct copy *c)
{
	uint64_t at = c->header.data.offset + c->header.data.size; /* the table follows the data */
	for (unsigned feature = 0; feature < PD_FEATURES; feature++) {
		uint8_t entry[16];
		if (!pd_has_feature(&c->header, feature))
			continue;
		if (bytes_get(&c->bytes, at, entry, sizeof(entry)) < 0) {
			copy_note(c, "What should say which machine it is from is missing at its end.");
			return;
		}
		at += sizeof(entry);
		read_feature(c, feature, section_at(entry, c->header.swap));
	}
}

static int read_file(struct copy *c, struct error *err)
{
	const struct pd_header *h = &c->header;
	int rc = read_attrs(c, err);
	if (rc < 0)
		return rc;
	if (h->data.offset >= c->bytes.size)
		return error_set(err, EBADMSG, "Its records lie outside the file.");
	uint64_t left = c->bytes.size - h->data.offset, to = c->bytes.size;
	if (h->data.size == 0) {
		copy_note(c, "It was not closed: it is read to its end.");
	} else if (h->data.size > left) {
		to = UINT64_MAX; /* the walk tells where it is cut off */
	} else {
		to = h->data.offset + h->data.size;
		read_features(c);
	}
	walk_init(&c->walk, &c->bytes, h->swap, h->data.offset, to);
	return 0;
}

int copy_read_header(struct copy *c, struct error *err)
{
	uint8_t raw[PD_HEADER_SIZE];
	size_t n = PD_PIPE_HEADER_SIZE;
	int rc = bytes_get(&c->bytes, 0, raw, n);
	if (rc == 0)
		rc = pd_header_parse(raw, n, &c->header, err);
	if (rc == -EAGAIN) {
		rc = bytes_get(&c->bytes, n, raw + n, sizeof(raw) - n);
		if (rc == 0)
			rc = pd_header_parse(raw, sizeof(raw), &c->header, err);
	}
	if (rc == -ENODATA)
		return error_set(err, EINVAL, "It is too short for a recording.");
	if (rc < 0)
		return rc;
	if (c->header.pipe) {
		walk_init(&c->walk, &c->bytes, c->header.swap, PD_PIPE_HEADER_SIZE, UINT64_MAX);
		return 0;
	}
	if (!c->bytes.seekable)
		return error_set(err, ESPIPE,
				 "It is a file, whose parts lie apart, and does not come through a pipe: use -i FILE.");
	return read_file(c, err);
}

/* ---- streams ---------------------------------------------------------------------------- */

void copy_feature(struct copy *c, unsigned feature, const void *bytes, size_t n)
{
	if (feature == PD_COMPRESSED || (feature == PD_DIR_FORMAT && c->joins))
		return; /* of the form, which changes */
	c->has[feature] = true;
	c->features_n += n;
	buffer_add(&c->features[feature], bytes, n);
}

/* Those that have nothing to say but that they are there.  Others without bytes mean that
 * there are no more. */
static bool is_empty_one(unsigned feature)
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

/* perf refuses a file whose attrs are longer than its own: a tail of zeros is not kept. */
static bool lift_attr(struct copy *c, const uint8_t *bytes, size_t n)
{
	struct copied_event ev = {0};
	size_t size = copy_attr_size(bytes, n, c->header.swap);
	if (c->events.n >= PD_EVENTS_MAX || !size)
		return false;
	size_t used = size;
	while (used > STREAM_ATTR_SIZE && !load_u64_as(bytes + used - 8, false))
		used -= 8;
	buffer_add(&ev.attr, bytes, used);
	copy_set_attr_size(&ev.attr, used, c->header.swap);
	buffer_add(&ev.ids, bytes + size, n - size);
	vec_push(&c->events) = ev;
	return true;
}

/* What comes later replaces what came first. */
static bool lift_feature(struct copy *c, const uint8_t *bytes, size_t n)
{
	uint64_t feature;
	struct record_bytes body;
	if (!pd_record_feature(bytes, n, c->header.swap, &feature, &body) || feature >= PD_FEATURES)
		return false;
	c->features[feature].n = 0;
	if (body.size || is_empty_one((unsigned)feature))
		copy_feature(c, (unsigned)feature, body.data, body.size);
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
		copy_feature(c, PD_BUILD_ID, bytes, h->size);
		return true;
	default:
		return lift_feature(c, bytes, h->size);
	}
}

/* ---- the index of AUXTRACE records --------------------------------------------------------- */

static int by_from(const void *key, const void *element)
{
	const uint64_t *from = key;
	const struct moved *m = element;
	return *from < m->from ? -1 : *from > m->from;
}

/* Entries of an offset and a size; perf counts them, simpleperf does not. */
void copy_move_index(struct copy *c)
{
	bool swap = c->header.swap;
	struct pd_buffer old = c->features[PD_AUXTRACE], index = {0};
	uint64_t n = 0;
	bool counted = old.n % 16;
	if (!c->moved.n || (!c->has[PD_AUXTRACE] && !c->header.pipe))
		return;
	if (c->header.pipe) {
		old = (struct pd_buffer){0};
		counted = true;
	}
	buffer_add(&index, &n, counted ? sizeof(n) : 0);
	for (size_t at = counted ? 8 : 0; at + 16 <= old.n; at += 16) {
		uint64_t from = load_u64_as(old.data + at, swap);
		const struct moved *m = bsearch(&from, c->moved.data, c->moved.n, sizeof(*m), by_from);
		if (!m)
			continue;
		uint64_t to = swap ? __builtin_bswap64(m->to) : m->to;
		buffer_add(&index, &to, sizeof(to));
		buffer_add(&index, old.data + at + 8, 8);
		n++;
	}
	for (size_t i = 0; c->header.pipe && i < c->moved.n; i++, n++) {
		uint64_t entry[2] = {c->moved.data[i].to, c->moved.data[i].size};
		for (size_t k = 0; swap && k < ARRAY_LEN(entry); k++)
			entry[k] = __builtin_bswap64(entry[k]);
		buffer_add(&index, entry, sizeof(entry));
	}
	n = swap ? __builtin_bswap64(n) : n;
	if (counted)
		memcpy(index.data, &n, sizeof(n));
	free(c->features[PD_AUXTRACE].data);
	c->features[PD_AUXTRACE] = index;
	c->has[PD_AUXTRACE] = true;
}
