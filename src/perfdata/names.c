/* Names of features, record types and events; an event that has no name is named by its attr. */
#include "perfdata/internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const char *const feature_names[] = {
	[PD_TRACING_DATA] = "TRACING_DATA",
	[PD_BUILD_ID] = "BUILD_ID",
	[PD_HOSTNAME] = "HOSTNAME",
	[PD_OSRELEASE] = "OSRELEASE",
	[PD_VERSION] = "VERSION",
	[PD_ARCH] = "ARCH",
	[PD_NRCPUS] = "NRCPUS",
	[PD_CPUDESC] = "CPUDESC",
	[PD_CPUID] = "CPUID",
	[PD_TOTAL_MEM] = "TOTAL_MEM",
	[PD_CMDLINE] = "CMDLINE",
	[PD_EVENT_DESC] = "EVENT_DESC",
	[PD_CPU_TOPOLOGY] = "CPU_TOPOLOGY",
	[PD_NUMA_TOPOLOGY] = "NUMA_TOPOLOGY",
	[PD_BRANCH_STACK] = "BRANCH_STACK",
	[PD_PMU_MAPPINGS] = "PMU_MAPPINGS",
	[PD_GROUP_DESC] = "GROUP_DESC",
	[PD_AUXTRACE] = "AUXTRACE",
	[PD_STAT] = "STAT",
	[PD_CACHE] = "CACHE",
	[PD_SAMPLE_TIME] = "SAMPLE_TIME",
	[PD_MEM_TOPOLOGY] = "MEM_TOPOLOGY",
	[PD_CLOCKID] = "CLOCKID",
	[PD_DIR_FORMAT] = "DIR_FORMAT",
	[PD_BPF_PROG_INFO] = "BPF_PROG_INFO",
	[PD_BPF_BTF] = "BPF_BTF",
	[PD_COMPRESSED] = "COMPRESSED",
	[PD_CPU_PMU_CAPS] = "CPU_PMU_CAPS",
	[PD_CLOCK_DATA] = "CLOCK_DATA",
	[PD_HYBRID_TOPOLOGY] = "HYBRID_TOPOLOGY",
	[PD_PMU_CAPS] = "PMU_CAPS",
	[PD_CPU_DOMAIN_INFO] = "CPU_DOMAIN_INFO",
	[PD_E_MACHINE] = "E_MACHINE",
	[PD_CLN_SIZE] = "CLN_SIZE",
	[SIMPLEPERF_FILE] = "SIMPLEPERF_FILE",
	[SIMPLEPERF_META_INFO] = "SIMPLEPERF_META_INFO",
	[SIMPLEPERF_DEBUG_UNWIND] = "SIMPLEPERF_DEBUG_UNWIND",
	[SIMPLEPERF_DEBUG_UNWIND_FILE] = "SIMPLEPERF_DEBUG_UNWIND_FILE",
	[SIMPLEPERF_FILE2] = "SIMPLEPERF_FILE2",
	[SIMPLEPERF_ETM_BRANCH_LIST] = "SIMPLEPERF_ETM_BRANCH_LIST",
	[SIMPLEPERF_INIT_MAP] = "SIMPLEPERF_INIT_MAP",
	[PD_CODE_NAMES] = "CODE_NAMES",
};

const char *pd_feature_name(unsigned feature)
{
	return feature < ARRAY_LEN(feature_names) ? feature_names[feature] : NULL;
}

static const char *const record_names[PD_RECORD_END] = {
	[RECORD_MMAP] = "MMAP",
	[RECORD_LOST] = "LOST",
	[RECORD_COMM] = "COMM",
	[RECORD_EXIT] = "EXIT",
	[RECORD_THROTTLE] = "THROTTLE",
	[RECORD_UNTHROTTLE] = "UNTHROTTLE",
	[RECORD_FORK] = "FORK",
	[RECORD_READ] = "READ",
	[RECORD_SAMPLE] = "SAMPLE",
	[RECORD_MMAP2] = "MMAP2",
	[RECORD_AUX] = "AUX",
	[RECORD_ITRACE_START] = "ITRACE_START",
	[RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
	[RECORD_SWITCH] = "SWITCH",
	[RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
	[RECORD_NAMESPACES] = "NAMESPACES",
	[RECORD_KSYMBOL] = "KSYMBOL",
	[RECORD_BPF_EVENT] = "BPF_EVENT",
	[RECORD_CGROUP] = "CGROUP",
	[RECORD_TEXT_POKE] = "TEXT_POKE",
	[RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
	[RECORD_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
	[PD_RECORD_ATTR] = "ATTR",
	[PD_RECORD_EVENT_TYPE] = "EVENT_TYPE",
	[PD_RECORD_TRACING_DATA] = "TRACING_DATA",
	[PD_RECORD_BUILD_ID] = "BUILD_ID",
	[PD_RECORD_FINISHED_ROUND] = "FINISHED_ROUND",
	[PD_RECORD_ID_INDEX] = "ID_INDEX",
	[PD_RECORD_AUXTRACE_INFO] = "AUXTRACE_INFO",
	[PD_RECORD_AUXTRACE] = "AUXTRACE",
	[PD_RECORD_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
	[PD_RECORD_THREAD_MAP] = "THREAD_MAP",
	[PD_RECORD_CPU_MAP] = "CPU_MAP",
	[PD_RECORD_STAT_CONFIG] = "STAT_CONFIG",
	[PD_RECORD_STAT] = "STAT",
	[PD_RECORD_STAT_ROUND] = "STAT_ROUND",
	[PD_RECORD_EVENT_UPDATE] = "EVENT_UPDATE",
	[PD_RECORD_TIME_CONV] = "TIME_CONV",
	[PD_RECORD_HEADER_FEATURE] = "HEADER_FEATURE",
	[PD_RECORD_COMPRESSED] = "COMPRESSED",
	[PD_RECORD_FINISHED_INIT] = "FINISHED_INIT",
	[PD_RECORD_COMPRESSED2] = "COMPRESSED2",
	[PD_RECORD_BPF_METADATA] = "BPF_METADATA",
	[PD_RECORD_SCHEDSTAT_CPU] = "SCHEDSTAT_CPU",
	[PD_RECORD_SCHEDSTAT_DOMAIN] = "SCHEDSTAT_DOMAIN",
};

const char *pd_record_name(uint32_t type)
{
	return type < ARRAY_LEN(record_names) ? record_names[type] : NULL;
}

/* ---- names of events ----------------------------------------------------------------- */

static const char *const hardware_names[] = {
	"cycles",	 "instructions", "cache-references",	    "cache-misses",	      "branches",
	"branch-misses", "bus-cycles",	 "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};
static const char *const software_names[] = {
	"cpu-clock",	    "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",	    "bpf-output",   "cgroup-switches",
};
static const char *const cache_names[] = {"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
static const char *const cache_ops[][2] = {
	{"-loads", "-load-misses"},
	{"-stores", "-store-misses"},
	{"-prefetches", "-prefetch-misses"},
};

/* A buffer for text.  Text that does not fit into it is cut off. */
struct out {
	char *buf;
	size_t n, cap;
};
static void add(struct out *o, const char *fmt, ...) CYC_PRINTF(2, 3);
static void add(struct out *o, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = o->n < o->cap ? vsnprintf(o->buf + o->n, o->cap - o->n, fmt, ap) : 0;
	va_end(ap);
	o->n += n > 0 ? (size_t)n : 0;
}

static const char *pmu_name(const struct pd_info *info, uint32_t type)
{
	for (size_t i = 0; i < info->pmus_n; i++)
		if (info->pmus[i].type == type)
			return info->pmus[i].name;
	return NULL;
}

/* Writes the modifiers of an event: the letters of what is counted (k kernel, u user, h hypervisor) unless all three
 * are; a p for each level of precise_ip; G if only guests are counted. */
static void modifiers(uint64_t flags, char ret[16])
{
	size_t n = 0;
	if (flags & (ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV)) {
		if (!(flags & ATTR_EXCLUDE_KERNEL))
			ret[n++] = 'k';
		if (!(flags & ATTR_EXCLUDE_USER))
			ret[n++] = 'u';
		if (!(flags & ATTR_EXCLUDE_HV))
			ret[n++] = 'h';
	}
	for (uint64_t p = flags >> ATTR_PRECISE_SHIFT & 3; p; p--)
		ret[n++] = 'p';
	if (flags & ATTR_EXCLUDE_HOST)
		ret[n++] = 'G';
	ret[n] = 0;
}

/* Writes the kernel's generic name for type and config ("cache-misses").  Returns false if there is none. */
static bool generic_name(const struct perf_attr *attr, char *buf, size_t cap)
{
	uint64_t config = attr->config;
	bool typed = attr->type == ABI_TYPE_HARDWARE || attr->type == ABI_TYPE_HW_CACHE;
	if (typed)
		config &= UINT32_MAX; /* on hybrid machines the upper half is the PMU type */
	if (attr->type == ABI_TYPE_HARDWARE && config < ARRAY_LEN(hardware_names)) {
		snprintf(buf, cap, "%s", hardware_names[config]);
	} else if (attr->type == ABI_TYPE_SOFTWARE && config < ARRAY_LEN(software_names)) {
		snprintf(buf, cap, "%s", software_names[config]);
	} else if (attr->type == ABI_TYPE_HW_CACHE) {
		uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;
		if (cache >= ARRAY_LEN(cache_names) || op >= ARRAY_LEN(cache_ops) || result > 1)
			return false;
		snprintf(buf, cap, "%s%s", cache_names[cache], cache_ops[op][result]);
	} else {
		return false;
	}
	return true;
}

/* Writes the name of an event of a hybrid machine: "cpu_core/cycles/u" or, if the PMU's name is unknown,
 * "cycles@pmu4:u". */
static void hybrid_name(const struct pd_info *info, uint32_t pmu, const char *name, const char *mods, struct out *o)
{
	const char *known = pmu_name(info, pmu);
	if (known)
		add(o, "%s/%s/%s", known, name, mods);
	else
		add(o, "%s@pmu%u%s%s", name, pmu, *mods ? ":" : "", mods);
}

static void attr_name(const struct pd_info *info, const struct perf_attr *attr, struct out *o)
{
	char mods[16], name[64];
	const char *pmu = pmu_name(info, attr->type);
	modifiers(attr->flags, mods);
	const char *colon = *mods ? ":" : "";
	bool typed = attr->type == ABI_TYPE_HARDWARE || attr->type == ABI_TYPE_HW_CACHE;
	if (generic_name(attr, name, sizeof(name))) {
		if (typed && attr->config >> 32)
			hybrid_name(info, (uint32_t)(attr->config >> 32), name, mods, o);
		else
			add(o, "%s%s%s", name, colon, mods);
	} else if (attr->type == ABI_TYPE_RAW) {
		add(o, "raw:0x%" PRIx64 "%s%s", attr->config, colon, mods);
	} else if (attr->type == ABI_TYPE_TRACEPOINT) {
		add(o, "tracepoint:%" PRIu64, attr->config);
	} else if (attr->type == ABI_TYPE_BREAKPOINT) {
		add(o, "mem:0x%" PRIx64 ":%s%s%s%s", attr->config1, attr->bp_type & 1 ? "r" : "",
		    attr->bp_type & 2 ? "w" : "", attr->bp_type & 4 ? "x" : "", mods);
	} else if (pmu) {
		add(o, "%s/config=0x%" PRIx64 "/%s", pmu, attr->config, mods);
	} else {
		add(o, "pmu%u:0x%" PRIx64 "%s%s", attr->type, attr->config, colon, mods);
	}
}

void pd_event_name(const struct pd_info *info, size_t event, char *buf, size_t cap)
{
	const struct pd_event *e = &info->events[event];
	struct out o = {.buf = buf, .cap = cap};
	if (cap)
		*buf = 0;
	if (!e->name) {
		attr_name(info, &e->attr, &o);
		return;
	}
	bool typed = e->attr.type == ABI_TYPE_HARDWARE || e->attr.type == ABI_TYPE_HW_CACHE;
	uint32_t pmu = typed ? (uint32_t)(e->attr.config >> 32) : 0;
	const char *known = pmu ? pmu_name(info, pmu) : NULL;
	const char *colon = strchr(e->name, ':');
	if (known && !strchr(e->name, '/'))
		add(&o, "%s/%.*s/%s", known, colon ? (int)(colon - e->name) : (int)strlen(e->name), e->name,
		    colon ? colon + 1 : "");
	else
		add(&o, "%s", e->name);
}
