#include "pd_walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
	const uint8_t *p;
	size_t n;
};

/* ---- a visitor that reads all that it gets -------------------------------------------- */

static void name(struct pd_walk *w, const char *s)
{
	for (; s && *s; s++)
		w->sum += (unsigned char)*s;
	w->visited++;
}

static void v_u64(void *ctx, const char *n, uint64_t v)
{
	struct pd_walk *w = ctx;
	name(w, n);
	w->sum += v;
}

static void v_i64(void *ctx, const char *n, int64_t v)
{
	v_u64(ctx, n, (uint64_t)v);
}

static void v_text(void *ctx, const char *n, const char *s)
{
	struct pd_walk *w = ctx;
	name(w, n);
	w->sum += strlen(s);
}

static void v_bytes(void *ctx, const char *n, const void *data, size_t size)
{
	struct pd_walk *w = ctx;
	name(w, n);
	for (size_t i = 0; i < size; i++)
		w->sum += ((const uint8_t *)data)[i];
}

static void v_open(void *ctx, const char *n, bool list)
{
	struct pd_walk *w = ctx;
	name(w, n);
	w->depth++;
	w->sum += list;
}

static void v_close(void *ctx, bool list)
{
	struct pd_walk *w = ctx;
	w->unpaired |= --w->depth < 0;
	w->sum += list;
}

static struct pd_visitor visitor(struct pd_walk *w)
{
	return (struct pd_visitor){v_u64, v_i64, v_u64, v_text, v_bytes, v_open, v_close, w};
}

static void trouble(struct pd_walk *w, const char *text)
{
	if (!*w->trouble)
		snprintf(w->trouble, sizeof(w->trouble), "%.200s", text);
}

/* ---- records ---------------------------------------------------------------------------- */

static size_t event_of(struct pd_walk *w, const uint8_t *p, size_t n, struct sample_core *core)
{
	struct record_layout layout;
	if (!w->info.events_n || record_layout_init(&layout, &w->info.events[0].attr) < 0)
		return SIZE_MAX;
	layout.swap = w->header.swap;
	*core = (struct sample_core){0};
	if (record_sample_core(&layout, p, n, core) < 0 || !core->id)
		return 0;
	for (size_t i = 0; i < w->info.events_n; i++)
		for (size_t j = 0; j < w->info.events[i].ids_n; j++)
			if (w->info.events[i].ids[j] == core->id)
				return i;
	return 0;
}

static void kernel_record(struct pd_walk *w, uint32_t type, const uint8_t *p, size_t n)
{
	struct sample_core core = {0};
	struct record_layout layout;
	struct record rec;
	size_t event = event_of(w, p, n, &core);
	if (event == SIZE_MAX || record_layout_init(&layout, &w->info.events[event].attr) < 0) {
		w->undecoded++;
		return;
	}
	const struct perf_attr *attr = &w->info.events[event].attr;
	layout.swap = w->header.swap;
	if (type == RECORD_SAMPLE && event < PD_WALK_EVENTS && record_sample_core(&layout, p, n, &core) == 0) {
		w->samples[event]++;
		w->periods[event] += layout.period != LAYOUT_ABSENT ? core.period : attr->sample_period;
	}
	if (record_decode(&layout, p, n, &rec) < 0) {
		char buf[80];
		snprintf(buf, sizeof(buf), "record %s is not decoded", pd_record_name(type));
		trouble(w, buf);
		w->bad_records++;
		return;
	}
	struct pd_visitor v = visitor(w);
	pd_visit_record(&layout, &rec, &v);
}

static void user_record(struct pd_walk *w, uint32_t type, const uint8_t *p, size_t n)
{
	struct pd_visitor v = visitor(w);
	struct error err = {0};
	if (pd_info_record(&w->info, p, n, w->header.swap, &err) < 0) {
		trouble(w, err.text);
		w->bad_records++;
	}
	if (pd_visit_user(p, n, w->header.swap, &v) < 0) {
		char buf[80];
		snprintf(buf, sizeof(buf), "record %u is malformed", type);
		trouble(w, buf);
		w->bad_records++;
	}
	if (type == PD_RECORD_HEADER_FEATURE && n >= 16) {
		uint64_t feature;
		memcpy(&feature, p + 8, sizeof(feature));
		if (w->header.swap)
			feature = __builtin_bswap64(feature);
		if (feature < PD_FEATURES)
			w->features[feature / 64] |= 1ull << feature % 64;
	}
}

static void walk_records(struct pd_walk *w, const uint8_t *p, size_t n)
{
	bool swap = w->header.swap;
	while (n >= sizeof(struct record_header)) {
		struct record_header h = pd_record_header(p, swap);
		uint64_t payload = h.size <= n ? pd_record_payload(p, h.size, swap) : 0;
		uint64_t all = h.size + payload;
		if (h.size < sizeof(h) || h.size > n || all > n || all < payload)
			break;
		if (h.type < PD_WALK_TYPES)
			w->counts[h.type]++;
		else if (h.type >= 32768 && h.type < 32768 + 16)
			w->counts[PD_WALK_TYPES + h.type - 32768]++;
		if (h.type < 64)
			kernel_record(w, h.type, p, h.size);
		else
			user_record(w, h.type, p, h.size);
		p += all;
		n -= all;
		w->unpaired |= w->depth != 0;
	}
	w->rest = n;
}

/* ---- files ------------------------------------------------------------------------------ */

/* The bytes of a section; empty if it is not inside the file. */
static struct bytes section(const uint8_t *bytes, size_t n, struct pd_section s)
{
	if (s.offset > n || s.size > n - s.offset)
		return (struct bytes){bytes, 0};
	return (struct bytes){bytes + s.offset, (size_t)s.size};
}

static struct pd_section section_at(const uint8_t *p, bool swap)
{
	struct pd_section s;
	memcpy(&s, p, sizeof(s));
	if (swap)
		s = (struct pd_section){__builtin_bswap64(s.offset), __builtin_bswap64(s.size)};
	return s;
}

static void walk_attrs(struct pd_walk *w, const uint8_t *bytes, size_t n)
{
	struct bytes attrs = section(bytes, n, w->header.attrs);
	for (size_t at = 0; attrs.n - at >= w->header.attr_size; at += w->header.attr_size) {
		struct perf_attr attr;
		uint32_t size;
		struct error err = {0};
		const uint8_t *p = attrs.p + at;
		size_t room = w->header.attr_size - sizeof(struct pd_section);
		if (pd_attr_parse(p, room, w->header.swap, &attr, &size, &err) < 0) {
			trouble(w, err.text);
			w->bad_records++;
			continue;
		}
		struct bytes ids = section(bytes, n, section_at(p + room, w->header.swap));
		uint64_t *copy = malloc(ids.n + 1);
		memcpy(copy, ids.p, ids.n);
		for (size_t i = 0; w->header.swap && i < ids.n / 8; i++)
			copy[i] = __builtin_bswap64(copy[i]);
		if (pd_info_add_event(&w->info, &attr, size, copy, ids.n / 8, &err) < 0)
			trouble(w, err.text);
		free(copy);
		struct pd_visitor v = visitor(w);
		pd_visit_attr(&attr, &v);
	}
}

static void walk_features(struct pd_walk *w, const uint8_t *bytes, size_t n)
{
	uint64_t at = w->header.data.offset + w->header.data.size;
	for (unsigned f = 0; f < PD_FEATURES; f++) {
		struct error err = {0};
		if (!pd_has_feature(&w->header, f))
			continue;
		if (at > n || n - at < sizeof(struct pd_section))
			return;
		struct bytes s = section(bytes, n, section_at(bytes + at, w->header.swap));
		struct pd_visitor v = visitor(w);
		at += sizeof(struct pd_section);
		w->features[f / 64] |= 1ull << f % 64;
		if (pd_visit_feature(f, s.p, s.n, w->header.swap, &v) < 0 ||
		    pd_info_feature(&w->info, f, s.p, s.n, w->header.swap, &err) < 0) {
			trouble(w, *err.text ? err.text : pd_feature_name(f));
			w->bad_features++;
		}
		w->unpaired |= w->depth != 0;
	}
}

int pd_walk(struct pd_walk *w, const uint8_t *bytes, size_t n)
{
	memset(w, 0, sizeof(*w));
	pd_info_init(&w->info);
	int rc = pd_header_parse(bytes, n, &w->header, NULL);
	if (rc < 0)
		return rc;
	if (w->header.pipe) {
		walk_records(w, bytes + PD_PIPE_HEADER_SIZE, n - PD_PIPE_HEADER_SIZE);
		return 0;
	}
	walk_attrs(w, bytes, n);
	if (w->header.data.size)
		walk_features(w, bytes, n);
	struct pd_section data = w->header.data;
	if (data.offset <= n && (!data.size || data.size > n - data.offset))
		data.size = n - data.offset;
	struct bytes records = section(bytes, n, data);
	walk_records(w, records.p, records.n);
	return 0;
}

void pd_walk_free(struct pd_walk *w)
{
	pd_info_deinit(&w->info);
}
