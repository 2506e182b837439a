/* Parses features into a struct pd_info. */
#include "perfdata/internal.h"

#include "base/alloc.h"

#include <errno.h>

/* Parses a feature.  Returns false if a count or length exceeds the size of the section. */
typedef bool parse_fn(struct pd_info *info, struct cursor *c);

static bool parse_nrcpus(struct pd_info *info, struct cursor *c)
{
	uint32_t available = cursor_u32(c), online = cursor_u32(c);
	if (c->bad)
		return false;
	info->cpus_available = available;
	info->cpus_online = online;
	return true;
}

static bool parse_total_mem(struct pd_info *info, struct cursor *c)
{
	info->total_mem_kb = cursor_u64(c);
	return !c->bad;
}

static bool parse_cmdline(struct pd_info *info, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	if (c->bad || n > cursor_left(c) / 4 || info->cmdline)
		return !c->bad && info->cmdline;
	info->cmdline = mem_calloc((size_t)n + 1, sizeof(*info->cmdline));
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		struct chars s = cursor_string(c);
		if (!c->bad)
			info->cmdline[i] = chars_copy(s);
	}
	return !c->bad;
}

/* Keeps the description of an event, as its attr may come later (in a pipe); names an event that has its attr. */
static void keep_desc(struct pd_info *info, const struct perf_attr *attr, struct record_words ids, struct chars name)
{
	size_t n = info->descs_n;
	if (n >= PD_EVENTS_MAX)
		return;
	if (!(n & (n + 1)))
		info->descs = mem_realloc(info->descs, 2 * n + 1, sizeof(*info->descs));
	struct pd_desc *d = &info->descs[n];
	*d = (struct pd_desc){
		.type = attr->type,
		.config = attr->config,
		.has_id = ids.n,
		.id = ids.n ? record_u64(ids, 0) : 0,
		.name = chars_copy(name),
	};
	info->descs_n++;
	for (size_t i = 0; i < info->events_n; i++) {
		if (!info_describes(d, n, &info->events[i], i))
			continue;
		info_name(&info->events[i], d->name);
		return;
	}
}

static bool parse_event_desc(struct pd_info *info, struct cursor *c)
{
	uint32_t n = cursor_u32(c), attr_size = cursor_u32(c);
	if (info->descs_n) /* a further EVENT_DESC is ignored */
		return true;
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		struct perf_attr attr = {0};
		uint32_t size;
		const uint8_t *bytes = cursor_take(c, attr_size);
		if (!bytes || pd_attr_parse(bytes, attr_size, c->swap, &attr, &size, NULL) == -EINVAL)
			return false;
		uint32_t ids_n = cursor_u32(c);
		struct chars name = cursor_string(c);
		struct record_words ids = {cursor_array(c, ids_n, 8), ids_n, c->swap};
		if (!c->bad)
			keep_desc(info, &attr, ids, name);
	}
	return !c->bad;
}

static bool parse_pmu_mappings(struct pd_info *info, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	if (c->bad || n > cursor_left(c) / 8 || info->pmus)
		return !c->bad && info->pmus;
	info->pmus = mem_calloc(n ? n : 1, sizeof(*info->pmus));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t type = cursor_u32(c);
		struct chars name = cursor_string(c);
		if (c->bad)
			return false;
		info->pmus[i].type = type;
		info->pmus[i].name = chars_copy(name);
		info->pmus_n++;
	}
	return true;
}

/* Parses lists of sibling CPUs, then core and socket of each CPU, which perf before 3.8 did not write. */
static bool parse_cpu_topology(struct pd_info *info, struct cursor *c)
{
	skip_strings(c);
	skip_strings(c);
	size_t n = cursor_left(c) / 8;
	if (info->cpus_available && n > info->cpus_available)
		n = info->cpus_available;
	if (c->bad || info->cpus)
		return !c->bad;
	info->cpus = mem_calloc(n + 1, sizeof(*info->cpus));
	for (; info->cpus_n < n; info->cpus_n++) {
		info->cpus[info->cpus_n].core = cursor_u32(c);
		info->cpus[info->cpus_n].socket = cursor_u32(c);
	}
	return !c->bad;
}

static bool parse_numa_topology(struct pd_info *info, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	if (c->bad || n > cursor_left(c) / 20 || info->nodes)
		return !c->bad && info->nodes;
	info->nodes = mem_calloc(n + 1u, sizeof(*info->nodes));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t node = cursor_u32(c);
		cursor_take(c, 16); /* skips total and free memory in kB */
		struct chars cpus = cursor_string(c);
		if (c->bad)
			return false;
		info->nodes[info->nodes_n++] = (struct pd_node){.node = node, .cpus = chars_copy(cpus)};
	}
	return true;
}

static bool parse_sample_time(struct pd_info *info, struct cursor *c)
{
	uint64_t first = cursor_u64(c), last = cursor_u64(c);
	if (c->bad || first > last)
		return false;
	info->first_ns = first;
	info->last_ns = last;
	return true;
}

static bool parse_clock_data(struct pd_info *info, struct cursor *c)
{
	cursor_u32(c); /* skips the version */
	uint32_t id = cursor_u32(c);
	uint64_t wall_ns = cursor_u64(c), clock_ns = cursor_u64(c);
	if (c->bad)
		return false;
	info->clock_id = id;
	info->wall_ns = wall_ns;
	info->clock_ns = clock_ns;
	return true;
}

static bool parse_compressed(struct pd_info *info, struct cursor *c)
{
	cursor_take(c, 16); /* skips version, type, level, ratio */
	info->compressed_mmap_len = cursor_u32(c);
	return !c->bad;
}

static bool parse_build_id(struct pd_info *info, struct cursor *c)
{
	while (cursor_left(c) >= sizeof(struct record_header)) {
		uint16_t size = pd_record_header(c->p, c->swap).size;
		if (size < sizeof(struct record_header))
			return false;
		const uint8_t *p = cursor_take(c, size);
		if (!p || !info_add_build_id(info, p, size, c->swap))
			return false;
	}
	return true;
}

static const struct {
	unsigned feature;
	parse_fn *parse;
	size_t string; /* used if `parse` is NULL: offset in struct pd_info of the text (char *) that is the feature */
} parsers[] = {
	{PD_BUILD_ID, parse_build_id},
	{PD_HOSTNAME, NULL, offsetof(struct pd_info, hostname)},
	{PD_OSRELEASE, NULL, offsetof(struct pd_info, osrelease)},
	{PD_VERSION, NULL, offsetof(struct pd_info, version)},
	{PD_ARCH, NULL, offsetof(struct pd_info, arch)},
	{PD_NRCPUS, parse_nrcpus},
	{PD_CPUDESC, NULL, offsetof(struct pd_info, cpudesc)},
	{PD_CPUID, NULL, offsetof(struct pd_info, cpuid)},
	{PD_TOTAL_MEM, parse_total_mem},
	{PD_CMDLINE, parse_cmdline},
	{PD_EVENT_DESC, parse_event_desc},
	{PD_CPU_TOPOLOGY, parse_cpu_topology},
	{PD_NUMA_TOPOLOGY, parse_numa_topology},
	{PD_PMU_MAPPINGS, parse_pmu_mappings},
	{PD_SAMPLE_TIME, parse_sample_time},
	{PD_COMPRESSED, parse_compressed},
	{PD_CLOCK_DATA, parse_clock_data},
	{SIMPLEPERF_FILE, simpleperf_file},
	{SIMPLEPERF_FILE2, simpleperf_file2},
	{SIMPLEPERF_META_INFO, simpleperf_meta},
	{PD_CODE_NAMES, code_parse},
	{PD_TRACING_DATA, tracing_parse},
};

static bool parse_string(char **ret, struct cursor *c)
{
	struct chars s = cursor_string(c);
	if (!c->bad)
		chars_replace(ret, s);
	return !c->bad;
}

int pd_info_feature(struct pd_info *info, unsigned feature, const void *bytes, size_t n, bool swap, struct error *err)
{
	if (!n) /* an empty feature marks the end of the features in a pipe of perf */
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(parsers); i++) {
		if (parsers[i].feature != feature)
			continue;
		struct cursor c = cursor_of(bytes, n, swap);
		char **string = (char **)(void *)((char *)info + parsers[i].string);
		if (parsers[i].parse ? parsers[i].parse(info, &c) : parse_string(string, &c))
			return 0;
		return error_set(err, EBADMSG, "The section %s of the recording is malformed.",
				 pd_feature_name(feature));
	}
	return 0;
}
