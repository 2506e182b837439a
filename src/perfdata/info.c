#include "perfdata/internal.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>

void pd_info_init(struct pd_info *info)
{
	*info = (struct pd_info){0};
}

void pd_info_deinit(struct pd_info *info)
{
	char *const strings[] = {info->hostname, info->osrelease, info->version,
				 info->arch,	 info->cpudesc,	  info->cpuid};
	for (size_t i = 0; i < ARRAY_LEN(strings); i++)
		free(strings[i]);
	for (size_t i = 0; i < info->events_n; i++) {
		free(info->events[i].name);
		free(info->events[i].ids);
		free(info->events[i].format);
	}
	for (char **arg = info->cmdline; arg && *arg; arg++)
		free(*arg);
	for (size_t i = 0; i < info->build_ids_n; i++)
		free(info->build_ids[i].path);
	for (size_t i = 0; i < info->file_symbols_n; i++) {
		free(info->file_symbols[i].path);
		free(info->file_symbols[i].symbols);
		free(info->file_symbols[i].names);
	}
	pd_code_free(info->code, info->code_n);
	for (size_t i = 0; i < info->pmus_n; i++)
		free(info->pmus[i].name);
	for (size_t i = 0; i < info->nodes_n; i++)
		free(info->nodes[i].cpus);
	free(info->nodes);
	free(info->cpus);
	for (size_t i = 0; i < info->descs_n; i++)
		free(info->descs[i].name);
	free(info->descs);
	free(info->events);
	free(info->cmdline);
	free(info->build_ids);
	free(info->file_symbols);
	free(info->pmus);
	*info = (struct pd_info){0};
}

bool info_describes(const struct pd_desc *d, size_t place, const struct pd_event *e, size_t i)
{
	if (d->has_id && e->ids_n)
		return e->ids[0] == d->id;
	return place == i && d->type == e->attr.type && d->config == e->attr.config;
}

void info_name(struct pd_event *e, const char *name)
{
	if (*name)
		chars_replace(&e->name, (struct chars){name, strlen(name)});
}

/* Names the event that was added last, if a description (EVENT_DESC) came before its attr. */
static void name_added(struct pd_info *info)
{
	size_t last = info->events_n - 1;
	for (size_t i = 0; i < info->descs_n; i++)
		if (info_describes(&info->descs[i], i, &info->events[last], last))
			info_name(&info->events[last], info->descs[i].name);
}

int pd_info_add_event(struct pd_info *info, const struct perf_attr *attr, uint32_t attr_size, const uint64_t *ids,
		      size_t ids_n, struct error *err)
{
	if (info->events_n >= PD_EVENTS_MAX)
		return error_set(err, E2BIG, "The recording has more than %d events.", PD_EVENTS_MAX);
	if (ids_n > PD_IDS_MAX)
		return error_set(err, E2BIG, "An event of the recording has %zu ids, more than %d.", ids_n, PD_IDS_MAX);
	size_t n = info->events_n;
	if (!(n & (n + 1))) /* n is 0, 1, 3, 7, ...: the array is full */
		info->events = mem_realloc(info->events, 2 * n + 1, sizeof(*info->events));
	struct pd_event *e = &info->events[n];
	*e = (struct pd_event){.attr = *attr, .attr_size = attr_size, .ids_n = ids_n};
	if (ids_n) {
		e->ids = mem_calloc(ids_n, sizeof(*ids));
		memcpy(e->ids, ids, ids_n * sizeof(*ids));
	}
	info->events_n++;
	name_added(info);
	return 0;
}

int pd_info_add_file_event(struct pd_info *info, const struct perf_attr *attr, uint32_t attr_size, const void *ids,
			   size_t ids_bytes, bool swap, struct error *err)
{
	size_t n = ids_bytes / 8;
	const struct record_words words = {ids, n, swap};
	uint64_t *host_ids = mem_calloc(n ? n : 1, sizeof(*host_ids));
	for (size_t i = 0; i < n; i++)
		host_ids[i] = record_u64(words, i);
	int rc = pd_info_add_event(info, attr, attr_size, host_ids, n, err);
	free(host_ids);
	return rc;
}

struct pd_event *info_event_of_id(struct pd_info *info, uint64_t id)
{
	for (size_t i = 0; i < info->events_n; i++)
		if (info->events[i].ids_n && info->events[i].ids[0] == id)
			return &info->events[i];
	return NULL;
}

static bool build_id_parse(const uint8_t *bytes, size_t n, bool swap, struct pd_build_id *ret)
{
	struct cursor c = cursor_of(bytes, n, swap);
	cursor_take(&c, 4);
	uint16_t misc = cursor_u16(&c), size = cursor_u16(&c);
	if (c.bad || size > n)
		return false;
	c.end = bytes + size;
	int32_t pid = (int32_t)cursor_u32(&c);
	const uint8_t *id = cursor_take(&c, 24);
	if (!id)
		return false;
	*ret = (struct pd_build_id){.pid = pid, .misc = misc & MISC_CPUMODE_MASK, .size = sizeof(ret->id)};
	memcpy(ret->id, id, sizeof(ret->id));
	static const uint8_t zero[4];
	if (misc & MISC_BUILD_ID_SIZE)
		ret->size = id[20];
	else if (memcmp(id + 16, zero, sizeof(zero)) == 0) /* an MD5 (16 bytes), padded with zeros */
		ret->size = 16;
	if (ret->size > sizeof(ret->id))
		return false;
	ret->path = chars_copy(cursor_chars(&c, cursor_left(&c)));
	return true;
}

void pd_info_add_build_id(struct pd_info *info, const struct pd_build_id *id)
{
	size_t n = info->build_ids_n;
	if (!(n & (n + 1))) /* n is 0, 1, 3, 7, ...: the array is full */
		info->build_ids = mem_realloc(info->build_ids, 2 * n + 1, sizeof(*info->build_ids));
	info->build_ids[info->build_ids_n++] = *id;
}

bool info_add_build_id(struct pd_info *info, const uint8_t *bytes, size_t n, bool swap)
{
	struct pd_build_id id;
	if (!build_id_parse(bytes, n, swap, &id))
		return false;
	pd_info_add_build_id(info, &id);
	return true;
}
