/* What the records from 64 on say of the recording. */
#include "perfdata/internal.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>

static int take_attr(struct pd_info *info, struct cursor *c, struct error *err)
{
	struct perf_attr attr;
	uint32_t size;
	int rc = pd_attr_parse(c->p, cursor_left(c), c->swap, &attr, &size, err);
	if (rc < 0)
		return -EBADMSG;
	cursor_take(c, size);
	size_t n = cursor_left(c) / 8;
	const struct record_words words = {cursor_array(c, n, 8), n, c->swap};
	uint64_t *ids = mem_calloc(n ? n : 1, sizeof(*ids));
	for (size_t i = 0; i < n; i++)
		ids[i] = record_u64(words, i);
	rc = pd_info_add_event(info, &attr, size, ids, n, err);
	free(ids);
	return rc < 0 ? -EBADMSG : 0;
}

enum { UPDATE_NAME = 2 };

static int take_update(struct pd_info *info, struct cursor *c, struct error *err)
{
	uint64_t type = cursor_u64(c), id = cursor_u64(c);
	if (c->bad)
		return error_set(err, EBADMSG, "A record EVENT_UPDATE is too small.");
	struct pd_event *e = type == UPDATE_NAME ? info_event_of_id(info, id) : NULL;
	struct chars name = cursor_chars(c, cursor_left(c));
	if (e && name.n)
		chars_replace(&e->name, name);
	return 0;
}

/* Streams of old perfs name tracepoints and the like so, by config alone: what has a name by
 * its type needs none. */
static int take_event_type(struct pd_info *info, struct cursor *c, struct error *err)
{
	uint64_t config = cursor_u64(c);
	struct chars name = cursor_chars(c, cursor_left(c));
	if (c->bad)
		return error_set(err, EBADMSG, "A record EVENT_TYPE is too small.");
	for (size_t i = 0; i < info->events_n && name.n; i++) {
		struct pd_event *e = &info->events[i];
		bool generic = e->attr.type == ABI_TYPE_HARDWARE || e->attr.type == ABI_TYPE_SOFTWARE ||
			       e->attr.type == ABI_TYPE_HW_CACHE;
		if (!e->name && !generic && e->attr.config == config)
			chars_replace(&e->name, name);
	}
	return 0;
}

static int take_feature(struct pd_info *info, const uint8_t *bytes, size_t n, bool swap, struct error *err)
{
	uint64_t feature;
	struct record_bytes body;
	if (!pd_record_feature(bytes, n, swap, &feature, &body))
		return error_set(err, EBADMSG, "A record HEADER_FEATURE is too small.");
	if (feature >= PD_FEATURES)
		return 0;
	return pd_info_feature(info, (unsigned)feature, body.data, body.size, swap, err);
}

int pd_info_record(struct pd_info *info, const void *bytes, size_t n, bool swap, struct error *err)
{
	struct record_header h;
	if (n < sizeof(h))
		return error_set(err, EBADMSG, "A record is smaller than its header.");
	h = pd_record_header(bytes, swap);
	if (h.size < sizeof(h) || h.size > n)
		return error_set(err, EBADMSG, "A record says that it has %u bytes, where there are %zu.", h.size, n);
	struct cursor c = cursor_of(bytes, h.size, swap);
	cursor_take(&c, sizeof(h));
	if (is_google_header(bytes, n, swap, h))
		return take_feature(info, bytes, n, swap, err);
	switch (h.type) {
	case PD_RECORD_ATTR:
		return take_attr(info, &c, err);
	case PD_RECORD_EVENT_TYPE:
		return take_event_type(info, &c, err);
	case PD_RECORD_EVENT_UPDATE:
		return take_update(info, &c, err);
	case PD_RECORD_HEADER_FEATURE:
		return take_feature(info, bytes, n, swap, err);
	case PD_RECORD_BUILD_ID:
		if (!info_add_build_id(info, bytes, h.size, swap))
			return error_set(err, EBADMSG, "A record BUILD_ID contradicts itself.");
		return 0;
	default:
		return 0;
	}
}
