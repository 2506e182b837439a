/* Encodes features, in this machine's byte order. */
#include "perfdata/internal.h"

static bool put_cmdline(const struct pd_info *info, struct pd_buffer *out)
{
	uint32_t n = 0;
	while (info->cmdline && info->cmdline[n])
		n++;
	if (!n)
		return false;
	pd_buffer_u32(out, n);
	for (uint32_t i = 0; i < n; i++)
		pd_buffer_string(out, info->cmdline[i]);
	return true;
}

static bool put_nrcpus(const struct pd_info *info, struct pd_buffer *out)
{
	if (!info->cpus_available && !info->cpus_online)
		return false;
	pd_buffer_u32(out, info->cpus_available);
	pd_buffer_u32(out, info->cpus_online);
	return true;
}

static bool put_total_mem(const struct pd_info *info, struct pd_buffer *out)
{
	if (!info->total_mem_kb)
		return false;
	pd_buffer_u64(out, info->total_mem_kb);
	return true;
}

/* Writes the feature EVENT_DESC, whose format has one size for all attrs: that of the largest. */
static bool put_event_desc(const struct pd_info *info, struct pd_buffer *out)
{
	uint32_t size = ATTR_SIZE_MIN;
	for (size_t i = 0; i < info->events_n; i++)
		size = pd_attr_size(&info->events[i].attr) > size ? pd_attr_size(&info->events[i].attr) : size;
	if (!info->events_n)
		return false;
	pd_buffer_u32(out, (uint32_t)info->events_n);
	pd_buffer_u32(out, size);
	for (size_t i = 0; i < info->events_n; i++) {
		const struct pd_event *e = &info->events[i];
		struct perf_attr attr = e->attr;
		char name[256];
		attr.size = size;
		pd_buffer_add(out, &attr, size);
		pd_buffer_u32(out, (uint32_t)e->ids_n);
		pd_event_name(info, i, name, sizeof(name));
		pd_buffer_string(out, name);
		pd_buffer_add(out, e->ids, e->ids_n * sizeof(*e->ids));
	}
	return true;
}

static bool put_build_id(const struct pd_info *info, struct pd_buffer *out)
{
	for (size_t i = 0; i < info->build_ids_n; i++) {
		const struct pd_build_id *b = &info->build_ids[i];
		size_t path = strnlen(b->path ? b->path : "", 4095) + 1, padded = (path + 63) & ~(size_t)63;
		const struct record_header h = {
			.type = PD_RECORD_BUILD_ID,
			.misc = (uint16_t)((b->misc & MISC_CPUMODE_MASK) | MISC_BUILD_ID_SIZE),
			.size = (uint16_t)(sizeof(h) + 4 + 24 + padded),
		};
		uint8_t id[24] = {0};
		memcpy(id, b->id, sizeof(b->id));
		id[20] = b->size;
		pd_buffer_add(out, &h, sizeof(h));
		pd_buffer_u32(out, (uint32_t)b->pid);
		pd_buffer_add(out, id, sizeof(id));
		pd_buffer_add(out, b->path, path - 1);
		pd_buffer_zeros(out, padded - path + 1);
	}
	return info->build_ids_n;
}

static bool put_sample_time(const struct pd_info *info, struct pd_buffer *out)
{
	if (!info->last_ns)
		return false;
	pd_buffer_u64(out, info->first_ns);
	pd_buffer_u64(out, info->last_ns);
	return true;
}

static bool put_clock_data(const struct pd_info *info, struct pd_buffer *out)
{
	if (!info->wall_ns)
		return false;
	pd_buffer_u32(out, 1); /* version of the feature's format */
	pd_buffer_u32(out, info->clock_id);
	pd_buffer_u64(out, info->wall_ns);
	pd_buffer_u64(out, info->clock_ns);
	return true;
}

static bool put_pmu_mappings(const struct pd_info *info, struct pd_buffer *out)
{
	if (!info->pmus_n)
		return false;
	pd_buffer_u32(out, (uint32_t)info->pmus_n);
	for (size_t i = 0; i < info->pmus_n; i++) {
		pd_buffer_u32(out, info->pmus[i].type);
		pd_buffer_string(out, info->pmus[i].name);
	}
	return true;
}

/* Writes the feature COMPRESSED: version 0, type zstd, level 1 and ratio 1, which no reader uses. */
static bool put_compressed(const struct pd_info *info, struct pd_buffer *out)
{
	if (!info->compressed_mmap_len)
		return false;
	const uint32_t words[] = {0, 1, 1, 1, info->compressed_mmap_len};
	pd_buffer_add(out, words, sizeof(words));
	return true;
}

/* Returns true if samples have branch stacks, so that the feature is written.  It has no contents: its presence tells
 * perf report. */
static bool put_branch_stack(const struct pd_info *info, struct pd_buffer *out)
{
	(void)out;
	size_t i = 0;
	while (i < info->events_n && !(info->events[i].attr.sample_type & SAMPLE_BRANCH_STACK))
		i++;
	return i < info->events_n;
}

static const struct {
	unsigned feature;
	size_t string; /* used if `put` is NULL: offset in struct pd_info of the text (char *) that is the feature */
	bool (*put)(const struct pd_info *info, struct pd_buffer *out);
} encoders[] = {
	{PD_BUILD_ID, 0, put_build_id},
	{PD_HOSTNAME, offsetof(struct pd_info, hostname), NULL},
	{PD_OSRELEASE, offsetof(struct pd_info, osrelease), NULL},
	{PD_VERSION, offsetof(struct pd_info, version), NULL},
	{PD_ARCH, offsetof(struct pd_info, arch), NULL},
	{PD_NRCPUS, 0, put_nrcpus},
	{PD_CPUDESC, offsetof(struct pd_info, cpudesc), NULL},
	{PD_CPUID, offsetof(struct pd_info, cpuid), NULL},
	{PD_TOTAL_MEM, 0, put_total_mem},
	{PD_CMDLINE, 0, put_cmdline},
	{PD_EVENT_DESC, 0, put_event_desc},
	{PD_BRANCH_STACK, 0, put_branch_stack},
	{PD_PMU_MAPPINGS, 0, put_pmu_mappings},
	{PD_SAMPLE_TIME, 0, put_sample_time},
	{PD_COMPRESSED, 0, put_compressed},
	{PD_CLOCK_DATA, 0, put_clock_data},
	{PD_CODE_NAMES, 0, code_encode},
};

bool pd_feature_encode(const struct pd_info *info, unsigned feature, struct pd_buffer *out)
{
	for (size_t i = 0; i < ARRAY_LEN(encoders); i++) {
		if (encoders[i].feature != feature)
			continue;
		if (encoders[i].put)
			return encoders[i].put(info, out);
		const char *s;
		memcpy(&s, (const char *)info + encoders[i].string, sizeof(s));
		if (s)
			pd_buffer_string(out, s);
		return s;
	}
	return false;
}
