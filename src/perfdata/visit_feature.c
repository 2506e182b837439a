/* Visits the fields of features. */
#include "perfdata/fields.h"

#include <errno.h>

static const struct field one_u32[] = {{FIELD_U32, NULL}, {0}};
static const struct field one_string[] = {{FIELD_STRING, NULL}, {0}};

#define STRING_FEATURE(name)                                                                                           \
	(const struct field[])                                                                                         \
	{                                                                                                              \
		{FIELD_STRING, name},                                                                                  \
		{                                                                                                      \
			0                                                                                              \
		}                                                                                                      \
	}

static const struct field nrcpus[] = {{FIELD_U32, "available"}, {FIELD_U32, "online"}, {0}};
static const struct field total_mem[] = {{FIELD_U64, "kb"}, {0}};
static const struct field cmdline[] = {{FIELD_LIST32, "args", one_string}, {0}};
static const struct field nothing[] = {{0}};

void visit_build_id(struct cursor *c, const struct pd_visitor *v)
{
	uint16_t misc = pd_record_header(c->base, c->swap).misc;
	uint32_t pid = cursor_u32(c);
	const uint8_t *id = cursor_take(c, 24);
	struct chars path = cursor_chars(c, cursor_left(c));
	if (c->bad)
		return;
	uint8_t size = misc & MISC_BUILD_ID_SIZE ? id[20] : 20;
	v->i64(v->ctx, "pid", (int32_t)pid);
	v->u64(v->ctx, "cpumode", misc & MISC_CPUMODE_MASK);
	v->bytes(v->ctx, "build_id", id, size <= 20 ? size : 20);
	visit_chars(v, "path", path);
	c->bad = size > 20;
}

static void visit_entry(struct cursor *c, const uint8_t *bytes, size_t n, const struct pd_visitor *v)
{
	struct cursor entry = cursor_of(bytes, n, c->swap);
	cursor_take(&entry, sizeof(struct record_header));
	visit_build_id(&entry, v);
	c->bad |= entry.bad;
}

static void call_build_ids(struct cursor *c, const struct pd_visitor *v)
{
	v->open(v->ctx, "build_ids", true);
	while (cursor_left(c) >= sizeof(struct record_header)) {
		uint16_t size = pd_record_header(c->p, c->swap).size;
		const uint8_t *p = size < sizeof(struct record_header) ? NULL : cursor_take(c, size);
		v->open(v->ctx, NULL, false);
		if (p)
			visit_entry(c, p, size, v);
		else
			c->bad = true;
		v->close(v->ctx, false);
	}
	v->close(v->ctx, true);
}
static const struct field build_id[] = {{FIELD_CALL, .call = call_build_ids}, {0}};

static void call_event_desc(struct cursor *c, const struct pd_visitor *v)
{
	uint32_t n = cursor_u32(c), attr_size = cursor_u32(c);
	v->open(v->ctx, "events", true);
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		struct perf_attr attr;
		uint32_t size;
		const uint8_t *p = cursor_take(c, attr_size);
		if (!p || pd_attr_parse(p, attr_size, c->swap, &attr, &size, NULL) < 0) {
			c->bad = true;
			break;
		}
		uint32_t ids_n = cursor_u32(c);
		struct chars name = cursor_string(c);
		const struct record_words ids = {cursor_array(c, ids_n, 8), ids_n, c->swap};
		if (c->bad)
			break;
		v->open(v->ctx, NULL, false);
		visit_chars(v, "name", name);
		v->open(v->ctx, "ids", true);
		for (uint32_t j = 0; j < ids_n; j++)
			v->u64(v->ctx, NULL, record_u64(ids, j));
		v->close(v->ctx, true);
		v->open(v->ctx, "attr", false);
		pd_visit_attr(&attr, v);
		v->close(v->ctx, false);
		v->close(v->ctx, false);
	}
	v->close(v->ctx, true);
}
static const struct field event_desc[] = {{FIELD_CALL, .call = call_event_desc}, {0}};

/* Returns true if dies follow after `cpus` pairs of core and socket.  The section does not say how many CPUs it has,
 * nor whether dies follow, so the caller tries numbers.  A number is right if the dies end at the section's end, or up
 * to seven zeros (padding in pipes) before it. */
static bool dies_follow(struct cursor c, size_t cpus)
{
	cursor_array(&c, cpus, 8);
	uint32_t n = cursor_u32(&c);
	if (!n || n > cpus)
		return false;
	while (n--)
		cursor_string(&c);
	cursor_array(&c, cpus, 4);
	return !c.bad && cursor_left(&c) < 8;
}

static void call_cpus(struct cursor *c, const struct pd_visitor *v)
{
	static const struct field core_socket[] = {{FIELD_U32, "core"}, {FIELD_U32, "socket"}, {0}};
	static const struct field dies[] = {{FIELD_LIST32, "dies", one_string}, {0}};
	size_t most = cursor_left(c) / 8, cpus = 1;
	while (cpus <= most && !dies_follow(*c, cpus))
		cpus++;
	bool with_dies = cpus <= most;
	cpus = with_dies ? cpus : most;
	v->open(v->ctx, "cpus", true);
	for (size_t i = 0; i < cpus; i++) {
		v->open(v->ctx, NULL, false);
		fields_visit(core_socket, c, v);
		v->close(v->ctx, false);
	}
	v->close(v->ctx, true);
	if (!with_dies)
		return;
	fields_visit(dies, c, v);
	v->open(v->ctx, "cpu_dies", true);
	for (size_t i = 0; i < cpus; i++)
		fields_visit(one_u32, c, v);
	v->close(v->ctx, true);
}
static const struct field cpu_topology[] = {
	{FIELD_LIST32, "cores", one_string},
	{FIELD_LIST32, "threads", one_string},
	{FIELD_OPTIONAL},
	{FIELD_CALL, .call = call_cpus},
	{0},
};

static const struct field numa_node[] = {
	{FIELD_U32, "node"}, {FIELD_U64, "total_kb"}, {FIELD_U64, "free_kb"}, {FIELD_STRING, "cpus"}, {0},
};
static const struct field numa_topology[] = {{FIELD_LIST32, "nodes", numa_node}, {0}};
static const struct field pmu[] = {{FIELD_U32, "type"}, {FIELD_STRING, "name"}, {0}};
static const struct field pmu_mappings[] = {{FIELD_LIST32, "pmus", pmu}, {0}};
static const struct field group[] = {{FIELD_STRING, "name"}, {FIELD_U32, "leader"}, {FIELD_U32, "members"}, {0}};
static const struct field group_desc[] = {{FIELD_LIST32, "groups", group}, {0}};
static const struct field auxtrace_entry[] = {{FIELD_X64, "file_offset"}, {FIELD_U64, "size"}, {0}};
static void call_auxtrace(struct cursor *c, const struct pd_visitor *v)
{
	/* perf writes the number of entries before them, so that the size is no multiple of 16; simpleperf does not */
	static const struct field counted[] = {{FIELD_LIST64, "index", auxtrace_entry}, {0}};
	static const struct field uncounted[] = {{FIELD_LIST, "index", auxtrace_entry}, {0}};
	fields_visit(cursor_left(c) % 16 ? counted : uncounted, c, v);
}
static const struct field auxtrace[] = {{FIELD_CALL, .call = call_auxtrace}, {0}};
static const struct field cache_entry[] = {
	{FIELD_U32, "level"},	{FIELD_U32, "line_size"}, {FIELD_U32, "sets"},	  {FIELD_U32, "ways"},
	{FIELD_STRING, "type"}, {FIELD_STRING, "size"},	  {FIELD_STRING, "cpus"}, {0},
};
static const struct field cache[] = {{FIELD_U32, "version"}, {FIELD_LIST32, "caches", cache_entry}, {0}};
static const struct field sample_time[] = {{FIELD_U64, "first"}, {FIELD_U64, "last"}, {0}};

/* Visits a bitmap of memory blocks: u64 number of bits, then the bits in 64-bit words. */
static void call_bitmap(struct cursor *c, const struct pd_visitor *v)
{
	uint64_t bits = cursor_u64(c);
	uint64_t n = bits / 64 + !!(bits % 64);
	const struct record_words words = {cursor_array(c, n, 8), n, c->swap};
	if (c->bad)
		return;
	v->u64(v->ctx, "bits", bits);
	v->open(v->ctx, "blocks", true);
	for (uint64_t i = 0; i < n; i++)
		v->hex(v->ctx, NULL, record_u64(words, i));
	v->close(v->ctx, true);
}
static const struct field mem_node[] = {
	{FIELD_U64, "node"}, {FIELD_U64, "size"}, {FIELD_CALL, .call = call_bitmap}, {0}};
static const struct field mem_topology[] = {
	{FIELD_U64, "version"}, {FIELD_X64, "block_size"}, {FIELD_LIST64, "nodes", mem_node}, {0}};
static const struct field clockid[] = {{FIELD_U64, "resolution_ns"}, {0}};
static const struct field dir_format[] = {{FIELD_U64, "version"}, {0}};

/* Visits a BPF program: u32 size of its description, u32 size of its data, description, data. */
static void call_bpf_prog(struct cursor *c, const struct pd_visitor *v)
{
	static const struct field prog[] = {
		{FIELD_U32, "type"},
		{FIELD_U32, "id"},
		{FIELD_BYTES, "tag", .n = 8},
		{FIELD_U32, "jited_size"},
		{FIELD_U32, "xlated_size"},
		{FIELD_X64, "jited_at"},
		{FIELD_X64, "xlated_at"},
		{FIELD_OPTIONAL},
		{FIELD_U64, "load_time"},
		{FIELD_U32, "uid"},
		{FIELD_U32, "maps"},
		{FIELD_X64, "map_ids_at"},
		{FIELD_CHARS, "name", .n = 16},
		{FIELD_OPTIONAL},
		{FIELD_REST, "rest"},
		{0},
	};
	uint32_t info_n = cursor_u32(c), data_n = cursor_u32(c);
	uint64_t arrays = cursor_u64(c);
	const uint8_t *info = cursor_take(c, info_n), *data = cursor_take(c, data_n);
	if (c->bad)
		return;
	struct cursor in = cursor_of(info, info_n, c->swap);
	v->hex(v->ctx, "arrays", arrays);
	fields_visit(prog, &in, v);
	v->bytes(v->ctx, "data", data, data_n);
	c->bad = in.bad;
}
static const struct field bpf_prog[] = {{FIELD_CALL, "", .call = call_bpf_prog}, {0}};
static const struct field bpf_prog_info[] = {{FIELD_LIST32, "programs", bpf_prog}, {0}};

static void call_btf(struct cursor *c, const struct pd_visitor *v)
{
	uint32_t id = cursor_u32(c), n = cursor_u32(c);
	const uint8_t *p = cursor_take(c, n);
	if (!p)
		return;
	v->u64(v->ctx, "id", id);
	v->bytes(v->ctx, "data", p, n);
}
static const struct field btf[] = {{FIELD_CALL, "", .call = call_btf}, {0}};
static const struct field bpf_btf[] = {{FIELD_LIST32, "btf", btf}, {0}};
static const struct field compressed[] = {{FIELD_U32, "version"}, {FIELD_U32, "type"},	   {FIELD_U32, "level"},
					  {FIELD_U32, "ratio"},	  {FIELD_U32, "mmap_len"}, {0}};
static const struct field cap[] = {{FIELD_STRING, "name"}, {FIELD_STRING, "value"}, {0}};
static const struct field cpu_pmu_caps[] = {{FIELD_LIST32, "caps", cap}, {0}};
static const struct field clock_data[] = {
	{FIELD_U32, "version"}, {FIELD_U32, "clockid"}, {FIELD_U64, "wall_clock_ns"}, {FIELD_U64, "clockid_ns"}, {0}};
static const struct field hybrid[] = {{FIELD_STRING, "pmu"}, {FIELD_STRING, "cpus"}, {0}};
static const struct field hybrid_topology[] = {{FIELD_LIST32, "nodes", hybrid}, {0}};
static const struct field caps_of_pmu[] = {{FIELD_LIST32, "caps", cap}, {FIELD_STRING, "pmu"}, {0}};
static const struct field pmu_caps[] = {{FIELD_LIST32, "pmus", caps_of_pmu}, {0}};

/* Visits the scheduling domains, which have names since version 17. */
static void call_domains(struct cursor *c, const struct pd_visitor *v)
{
	static const struct field domain15[] = {
		{FIELD_U32, "domain"}, {FIELD_STRING, "mask"}, {FIELD_STRING, "cpus"}, {0}};
	static const struct field domain17[] = {
		{FIELD_U32, "domain"}, {FIELD_STRING, "name"}, {FIELD_STRING, "mask"}, {FIELD_STRING, "cpus"}, {0}};
	static const struct field cpu15[] = {{FIELD_U32, "cpu"}, {FIELD_LIST32, "domains", domain15}, {0}};
	static const struct field cpu17[] = {{FIELD_U32, "cpu"}, {FIELD_LIST32, "domains", domain17}, {0}};
	static const struct field cpus15[] = {{FIELD_LIST, "cpus", cpu15}, {0}};
	static const struct field cpus17[] = {{FIELD_LIST, "cpus", cpu17}, {0}};
	uint32_t version = cursor_u32(c), most = cursor_u32(c);
	if (c->bad)
		return;
	v->u64(v->ctx, "schedstat_version", version);
	v->u64(v->ctx, "max_domains", most);
	fields_visit(version >= 17 ? cpus17 : cpus15, c, v);
}
static const struct field cpu_domain_info[] = {{FIELD_CALL, .call = call_domains}, {0}};
static const struct field e_machine[] = {{FIELD_U32, "e_machine"}, {FIELD_X32, "e_flags"}, {0}};
static const struct field cln_size[] = {{FIELD_U32, "bytes"}, {0}};
static const struct field code_names[] = {{FIELD_CALL, .call = code_visit}, {0}};
static const struct field rest[] = {{FIELD_REST, "bytes"}, {0}};

static const struct field *const features[] = {
	[PD_BUILD_ID] = build_id,
	[PD_HOSTNAME] = STRING_FEATURE("hostname"),
	[PD_OSRELEASE] = STRING_FEATURE("osrelease"),
	[PD_VERSION] = STRING_FEATURE("version"),
	[PD_ARCH] = STRING_FEATURE("arch"),
	[PD_NRCPUS] = nrcpus,
	[PD_CPUDESC] = STRING_FEATURE("cpudesc"),
	[PD_CPUID] = STRING_FEATURE("cpuid"),
	[PD_TOTAL_MEM] = total_mem,
	[PD_CMDLINE] = cmdline,
	[PD_EVENT_DESC] = event_desc,
	[PD_CPU_TOPOLOGY] = cpu_topology,
	[PD_NUMA_TOPOLOGY] = numa_topology,
	[PD_BRANCH_STACK] = nothing,
	[PD_PMU_MAPPINGS] = pmu_mappings,
	[PD_GROUP_DESC] = group_desc,
	[PD_AUXTRACE] = auxtrace,
	[PD_STAT] = nothing,
	[PD_CACHE] = cache,
	[PD_SAMPLE_TIME] = sample_time,
	[PD_MEM_TOPOLOGY] = mem_topology,
	[PD_CLOCKID] = clockid,
	[PD_DIR_FORMAT] = dir_format,
	[PD_BPF_PROG_INFO] = bpf_prog_info,
	[PD_BPF_BTF] = bpf_btf,
	[PD_COMPRESSED] = compressed,
	[PD_CPU_PMU_CAPS] = cpu_pmu_caps,
	[PD_CLOCK_DATA] = clock_data,
	[PD_HYBRID_TOPOLOGY] = hybrid_topology,
	[PD_PMU_CAPS] = pmu_caps,
	[PD_CPU_DOMAIN_INFO] = cpu_domain_info,
	[PD_E_MACHINE] = e_machine,
	[PD_CLN_SIZE] = cln_size,
	[PD_CODE_NAMES] = code_names,
};

/* Visits a feature.  Features that features[] lacks, such as TRACING_DATA, are shown as bytes. */
int pd_visit_feature(unsigned feature, const void *bytes, size_t n, bool swap, const struct pd_visitor *v)
{
	const struct field *f = feature < ARRAY_LEN(features) ? features[feature] : NULL;
	struct cursor c = cursor_of(bytes, n, swap);
	if (n) /* an empty feature marks the end of the features in a pipe of perf */
		fields_visit(f ? f : rest, &c, v);
	return c.bad ? -EBADMSG : 0;
}
