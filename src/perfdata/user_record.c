/* Stores in a struct pd_info what perf's own records (types from 64 on) say about the recording. */
#include "perfdata/internal.h"

#include <errno.h>

static int take_attr(struct pd_info *info, struct cursor *c, struct error *err)
{
	struct perf_attr attr;
	uint32_t size;
	int rc = pd_attr_parse(c->p, cursor_left(c), c->swap, &attr, &size, err);
	if (rc < 0)
		return -EBADMSG;
	cursor_take(c, size);
	return pd_info_add_file_event(info, &attr, size, c->p, cursor_left(c), c->swap, err) < 0 ? -EBADMSG : 0;
}

enum { UPDATE_NAME = 2 };

static int take_update(struct pd_info *info, struct cursor *c, struct error *err)
{
	uint64_t type = cursor_u64(c), id = cursor_u64(c);
	if (c->bad)
		return error_set(err, EBADMSG, "An EVENT_UPDATE record is too small.");
	struct pd_event *e = type == UPDATE_NAME ? info_event_of_id(info, id) : NULL;
	struct chars name = cursor_chars(c, cursor_left(c));
	if (e && name.n)
		chars_replace(&e->name, name);
	return 0;
}

/* Gives `name` to unnamed events with this config, of whatever type, because old versions of perf store no type.
 * Events of types with generic names (hardware, software, cache) are left alone. */
static void name_by_config(struct pd_info *info, uint64_t config, struct chars name)
{
	for (size_t i = 0; i < info->events_n && name.n; i++) {
		struct pd_event *e = &info->events[i];
		bool generic = e->attr.type == ABI_TYPE_HARDWARE || e->attr.type == ABI_TYPE_SOFTWARE ||
			       e->attr.type == ABI_TYPE_HW_CACHE;
		if (!e->name && !generic && e->attr.config == config)
			chars_replace(&e->name, name);
	}
}

static int take_event_type(struct pd_info *info, struct cursor *c, struct error *err)
{
	uint64_t config = cursor_u64(c);
	struct chars name = cursor_chars(c, cursor_left(c));
	if (c->bad)
		return error_set(err, EBADMSG, "An EVENT_TYPE record is too small.");
	name_by_config(info, config, name);
	return 0;
}

void pd_info_event_types(struct pd_info *info, const void *bytes, size_t n, bool swap)
{
	enum { NAME_BYTES = 64, ENTRY_BYTES = 8 + NAME_BYTES };
	struct cursor c = cursor_of(bytes, n, swap);
	while (cursor_left(&c) >= ENTRY_BYTES) {
		uint64_t config = cursor_u64(&c);
		name_by_config(info, config, cursor_chars(&c, NAME_BYTES));
	}
}

static int take_feature(struct pd_info *info, const uint8_t *bytes, size_t n, bool swap, struct error *err)
{
	uint64_t feature;
	struct record_bytes body;
	if (!pd_record_feature(bytes, n, swap, &feature, &body))
		return error_set(err, EBADMSG, "A HEADER_FEATURE record is too small.");
	if (feature >= PD_FEATURES)
		return 0;
	return pd_info_feature(info, (unsigned)feature, body.data, body.size, swap, err);
}

static int take_threads(struct pd_info *info, struct cursor *c, struct error *err)
{
	uint64_t n = cursor_u64(c), pid = cursor_u64(c);
	if (c->bad)
		return n ? error_set(err, EBADMSG, "A THREAD_MAP record is too small.") : 0;
	info->threads = n == 1 && (uint32_t)pid == UINT32_MAX ? PD_THREADS_ALL : PD_THREADS_SOME;
	return 0;
}

int pd_info_record(struct pd_info *info, const void *bytes, size_t n, bool swap, struct error *err)
{
	struct record_header h;
	if (n < sizeof(h))
		return error_set(err, EBADMSG, "A record is smaller than its header.");
	h = pd_record_header(bytes, swap);
	if (h.size < sizeof(h) || h.size > n)
		return error_set(err, EBADMSG, "A record claims a size of %u bytes, of which %zu are there.", h.size,
				 n);
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
	case PD_RECORD_THREAD_MAP:
		return take_threads(info, &c, err);
	case PD_RECORD_HEADER_FEATURE:
		return take_feature(info, bytes, n, swap, err);
	case PD_RECORD_BUILD_ID:
		if (!info_add_build_id(info, bytes, h.size, swap))
			return error_set(err, EBADMSG, "A BUILD_ID record is malformed.");
		return 0;
	default:
		return 0;
	}
}
