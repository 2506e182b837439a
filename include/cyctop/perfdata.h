/* Room perfdata: the perf.data file format, version 2.  Pure: bytes in, structs out,
 * and back; files and pipes are source/file's.
 *
 * Sources: tools/perf/Documentation/perf.data-file-format.txt, tools/perf/util/header.c
 * and lib/perf/include/perf/event.h of Linux, and recordings.  Everything is hostile:
 * sizes and counts are checked against the bytes there are. */
#ifndef CYCTOP_PERFDATA_H
#define CYCTOP_PERFDATA_H

#include <cyctop/abi.h>
#include <cyctop/base.h>
#include <cyctop/record.h>

/* ---- file header ------------------------------------------------------------------ */

#define PD_MAGIC 0x32454c4946524550ull /* "PERFILE2" */
#define PD_HEADER_SIZE 104
#define PD_PIPE_HEADER_SIZE 16
#define PD_FEATURES 256

struct pd_section {
	uint64_t offset, size;
};

struct pd_header {
	bool pipe;	    /* 16 bytes, everything else comes as records */
	bool swap;	    /* written on a machine of the other byte order */
	uint64_t attr_size; /* of an entry of `attrs`: the attr, then a section of ids */
	struct pd_section attrs, data;
	uint64_t features[PD_FEATURES / 64];
};
/* n >= PD_PIPE_HEADER_SIZE.  -EAGAIN: a file header needs PD_HEADER_SIZE bytes;
 * -EINVAL with the reason: not a perf.data file, or an older format. */
CYC_MUST_CHECK int pd_header_parse(const void *bytes, size_t n, struct pd_header *ret, struct error *err);
void pd_header_encode(const struct pd_header *header, uint8_t ret[PD_HEADER_SIZE]);
static inline bool pd_has_feature(const struct pd_header *h, unsigned feature)
{
	return feature < PD_FEATURES && (h->features[feature / 64] >> feature % 64 & 1);
}

/* ---- attrs --------------------------------------------------------------------------- */

/* Parses an attr of attr.size (0: 64) bytes, of which `n` are there; *size_ret is that
 * size.  What it has beyond struct perf_attr must be zero: -E2BIG names the offset of
 * the first byte that is not. */
CYC_MUST_CHECK int pd_attr_parse(const void *bytes, size_t n, bool swap, struct perf_attr *ret, uint32_t *size_ret,
				 struct error *err);
/* The smallest size of the ABI (64, 72, 80, ...) that covers what `attr` uses. */
uint32_t pd_attr_size(const struct perf_attr *attr);

/* ---- what a recording says of itself --------------------------------------------------- */

enum pd_feature {
	PD_TRACING_DATA = 1,
	PD_BUILD_ID,
	PD_HOSTNAME,
	PD_OSRELEASE,
	PD_VERSION,
	PD_ARCH,
	PD_NRCPUS,
	PD_CPUDESC,
	PD_CPUID,
	PD_TOTAL_MEM,
	PD_CMDLINE,
	PD_EVENT_DESC,
	PD_CPU_TOPOLOGY,
	PD_NUMA_TOPOLOGY,
	PD_BRANCH_STACK,
	PD_PMU_MAPPINGS,
	PD_GROUP_DESC,
	PD_AUXTRACE,
	PD_STAT,
	PD_CACHE,
	PD_SAMPLE_TIME,
	PD_MEM_TOPOLOGY,
	PD_CLOCKID,
	PD_DIR_FORMAT,
	PD_BPF_PROG_INFO,
	PD_BPF_BTF,
	PD_COMPRESSED,
	PD_CPU_PMU_CAPS,
	PD_CLOCK_DATA,
	PD_HYBRID_TOPOLOGY,
	PD_PMU_CAPS,
	PD_CPU_DOMAIN_INFO,
	PD_E_MACHINE,
	PD_CLN_SIZE,
	PD_SIMPLEPERF_FIRST = 128, /* simpleperf's own: 128 FILE, 129 META_INFO, ... */
};
const char *pd_feature_name(unsigned feature); /* "HOSTNAME"; NULL: not known */

struct pd_event {
	struct perf_attr attr;
	uint32_t attr_size; /* as in the file */
	char *name;	    /* from EVENT_DESC or EVENT_UPDATE; else NULL */
	uint64_t *ids;
	size_t ids_n;
};
struct pd_build_id {
	int32_t pid;
	uint16_t misc; /* cpumode */
	uint8_t id[20], size;
	char *path;
};
/* A symbol that simpleperf put into the file itself. */
struct pd_symbol {
	uint64_t addr, len;
	char *name;
};
struct pd_file_symbols {
	char *path;
	uint64_t min_vaddr, min_vaddr_offset; /* file offset = vaddr - min_vaddr + offset */
	bool kernel;
	struct pd_symbol *symbols; /* sorted as in the file, which need not be by address */
	size_t symbols_n;
	char *names; /* what the symbols' names point into */
};

/* Grows as attrs, features and records come; all strings malloc'ed, NULL: not said. */
struct pd_info {
	struct pd_event *events;
	size_t events_n;
	char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t cpus_available, cpus_online; /* 0: not said */
	uint64_t total_mem_kb;
	char **cmdline;		    /* NULL-terminated */
	uint64_t first_ns, last_ns; /* SAMPLE_TIME; 0: not said */
	struct pd_build_id *build_ids;
	size_t build_ids_n;
	struct pd_file_symbols *file_symbols;
	size_t file_symbols_n;
	struct {
		uint32_t type; /* attr.type */
		char *name;
	} * pmus; /* PMU_MAPPINGS: names of dynamic types, for hybrid events */
	size_t pmus_n;
	uint32_t compressed_mmap_len; /* COMPRESSED; 0: not */
	/* EVENT_DESC, kept for attrs that come later */
	struct pd_desc {
		uint32_t type;
		uint64_t config, id;
		bool has_id;
		char *name;
	} * descs;
	size_t descs_n;
};
void pd_info_init(struct pd_info *info);
void pd_info_deinit(struct pd_info *info);
/* -E2BIG beyond so many events, or ids of one of them. */
#define PD_EVENTS_MAX 4096
#define PD_IDS_MAX (1 << 20)
CYC_MUST_CHECK int pd_info_add_event(struct pd_info *info, const struct perf_attr *attr, uint32_t attr_size,
				     const uint64_t *ids, size_t ids_n, struct error *err);
/* A feature section, or the payload of a HEADER_FEATURE record.  Unknown ones are
 * ignored; what contradicts itself is refused with a reason, and leaves the rest. */
CYC_MUST_CHECK int pd_info_feature(struct pd_info *info, unsigned feature, const void *bytes, size_t n, bool swap,
				   struct error *err);
/* Encodes a feature from what info says (those of the writer: HOSTNAME .. EVENT_DESC,
 * CPU_TOPOLOGY from `extra`, BUILD_ID, SAMPLE_TIME, COMPRESSED); appends to a growing
 * buffer; false where info has nothing to say. */
struct pd_buffer {
	uint8_t *data; /* malloc'ed */
	size_t n, cap;
};
bool pd_feature_encode(const struct pd_info *info, unsigned feature, struct pd_buffer *out);
/* The name an event is shown by: its own, or made of the attr, with the PMU where
 * hybrid ("cpu_core/cycles/", "cycles:u", "tracepoint:203"). */
void pd_event_name(const struct pd_info *info, size_t event, char *buf, size_t cap);

/* ---- records from 64 on -------------------------------------------------------------------- */

enum pd_record_type {
	PD_RECORD_FIRST = 64,
	PD_RECORD_ATTR = 64,
	PD_RECORD_EVENT_TYPE,
	PD_RECORD_TRACING_DATA,
	PD_RECORD_BUILD_ID,
	PD_RECORD_FINISHED_ROUND,
	PD_RECORD_ID_INDEX,
	PD_RECORD_AUXTRACE_INFO,
	PD_RECORD_AUXTRACE,
	PD_RECORD_AUXTRACE_ERROR,
	PD_RECORD_THREAD_MAP,
	PD_RECORD_CPU_MAP,
	PD_RECORD_STAT_CONFIG,
	PD_RECORD_STAT,
	PD_RECORD_STAT_ROUND,
	PD_RECORD_EVENT_UPDATE,
	PD_RECORD_TIME_CONV,
	PD_RECORD_HEADER_FEATURE,
	PD_RECORD_COMPRESSED,
	PD_RECORD_FINISHED_INIT,
	PD_RECORD_COMPRESSED2,
	PD_RECORD_BPF_METADATA,
	PD_RECORD_SCHEDSTAT_CPU,
	PD_RECORD_SCHEDSTAT_DOMAIN,
	PD_RECORD_END, /* one beyond the last known */
};
const char *pd_record_name(uint32_t type); /* of all types, kernel's too: "SAMPLE"; NULL: not known */

/* The header of any record, in this machine's byte order. */
struct record_header pd_record_header(const void *bytes, bool swap);
/* Bytes that follow the record outside its size (AUXTRACE, TRACING_DATA, and what
 * simpleperf's records from 32768 on have beyond 64 KiB); n: bytes of the record that are
 * there, all of them.  */
uint64_t pd_record_payload(const void *bytes, size_t n, bool swap);

/* Takes what a record tells about the recording (ATTR, EVENT_UPDATE, HEADER_FEATURE,
 * BUILD_ID, ID_INDEX); others are ignored.  0, or -EBADMSG with the reason. */
CYC_MUST_CHECK int pd_info_record(struct pd_info *info, const void *bytes, size_t n, bool swap, struct error *err);

/* What a record HEADER_FEATURE says, or one of those of an old perf of Google's that stand
 * for a feature (69 to 80, numbers with other meanings now): the feature's bytes.  false: it
 * is none. */
bool pd_record_feature(const void *bytes, size_t n, bool swap, uint64_t *feature_ret, struct record_bytes *ret);

/* The compressed bytes of a COMPRESSED or COMPRESSED2 record. */
CYC_MUST_CHECK int pd_record_compressed(const void *bytes, size_t n, bool swap, struct record_bytes *ret);

/* ---- fields, for dumps --------------------------------------------------------------------- */

/* Called for each field in order.  Nested lists and structs come between open and
 * close. */
struct pd_visitor {
	void (*u64)(void *ctx, const char *name, uint64_t v);
	void (*i64)(void *ctx, const char *name, int64_t v);
	void (*hex)(void *ctx, const char *name, uint64_t v); /* addresses, masks */
	void (*text)(void *ctx, const char *name, const char *s);
	void (*bytes)(void *ctx, const char *name, const void *data, size_t n);
	void (*open)(void *ctx, const char *name, bool list); /* name NULL inside lists */
	void (*close)(void *ctx, bool list);
	void *ctx;
};
/* All fields of a kernel record (types below 64) that `layout` decoded. */
void pd_visit_record(const struct record_layout *layout, const struct record *rec, const struct pd_visitor *v);
/* All fields of a record from 64 on; unknown types give their bytes.  -EBADMSG: it
 * contradicts itself (what was sound has been visited). */
int pd_visit_user(const void *bytes, size_t n, bool swap, const struct pd_visitor *v);
int pd_visit_feature(unsigned feature, const void *bytes, size_t n, bool swap, const struct pd_visitor *v);
void pd_visit_attr(const struct perf_attr *attr, const struct pd_visitor *v);

#endif
