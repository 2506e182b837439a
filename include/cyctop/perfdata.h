/* Room perfdata: the perf.data file format, versions 1 and 2.  Pure (no I/O): converts bytes to
 * structs and back; reader.h reads files and pipes.
 *
 * Sources: tools/perf/Documentation/perf.data-file-format.txt, tools/perf/util/header.c
 * and lib/perf/include/perf/event.h of Linux, and recordings.  Input is hostile: all sizes and
 * counts are checked against the number of bytes. */
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
#define PD_ATTR_ENTRY_MAX 4096 /* bytes of an entry of the list of attrs */

struct pd_section {
	uint64_t offset, size;
};

struct pd_header {
	bool pipe;	    /* a pipe's header: 16 bytes, followed by records only */
	bool swap;	    /* the writer's byte order is not this machine's */
	uint64_t attr_size; /* size of an entry of `attrs`: the attr, and the section of its ids */
	struct pd_section attrs, data;
	struct pd_section event_types; /* names of events, see pd_info_event_types(); none since Linux 3.10 */
	uint64_t features[PD_FEATURES / 64];
};
/* Parses the header.  -EAGAIN: more bytes are needed: PD_PIPE_HEADER_SIZE, or PD_HEADER_SIZE for a
 * file.  -EINVAL: the bytes are not of a perf.data file, and *err has the reason. */
CYC_MUST_CHECK int pd_header_parse(const void *bytes, size_t n, struct pd_header *ret, struct error *err);
void pd_header_encode(const struct pd_header *header, uint8_t ret[PD_HEADER_SIZE]);
static inline bool pd_has_feature(const struct pd_header *h, unsigned feature)
{
	return feature < PD_FEATURES && (h->features[feature / 64] >> feature % 64 & 1);
}

/* ---- attrs --------------------------------------------------------------------------- */

/* Parses an attr, of which `n` bytes are readable; *size_ret is the value of its own size field (64 if that is 0).
 * -E2BIG: a byte beyond struct perf_attr is not zero, and *err says which. */
CYC_MUST_CHECK int pd_attr_parse(const void *bytes, size_t n, bool swap, struct perf_attr *ret, uint32_t *size_ret,
				 struct error *err);
/* Returns the size for writing an attr: the smallest of the sizes that the ABI has had (64, 72, 80,
 * ...) that covers the fields in use. */
uint32_t pd_attr_size(const struct perf_attr *attr);

/* ---- features: what a recording says about itself ----------------------------------------- */

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
	PD_SIMPLEPERF_FIRST = 128, /* simpleperf's features: 128 FILE, 129 META_INFO, ... */
	PD_CODE_NAMES = 192,	   /* cyctop's own, which perf skips: struct pd_code */
};
const char *pd_feature_name(unsigned feature); /* "HOSTNAME"; NULL: unknown feature */

struct pd_event {
	struct perf_attr attr;
	uint32_t attr_size; /* size of the attr in the file */
	char *name;	    /* name from EVENT_DESC or EVENT_UPDATE; NULL: neither has it */
	char *format;	    /* a tracepoint's description in TRACING_DATA; NULL: none */
	uint64_t *ids;
	size_t ids_n;
};
struct pd_build_id {
	int32_t pid;
	uint16_t misc; /* cpumode */
	uint8_t id[20], size;
	char *path;
};
/* A symbol in simpleperf's sections FILE and FILE2. */
struct pd_symbol {
	uint64_t addr, len;
	char *name;
};
struct pd_file_symbols {
	char *path;
	uint64_t min_vaddr, min_vaddr_offset; /* file offset = address - min_vaddr + min_vaddr_offset */
	bool kernel;
	struct pd_symbol *symbols; /* in the order of the file, which need not be sorted by address */
	size_t symbols_n;
	char *names; /* holds the names of the symbols */
};

/* A JIT-compiled function of a process. */
struct pd_function {
	uint64_t addr, size; /* size > 0; addr + size does not overflow */
	uint64_t from_ns;    /* time when it was placed at `addr`; it stays until a later entry covers `addr` */
	uint64_t last_ns;    /* time of its last sample; only for writing, not stored in the file */
	const char *name;
};
/* The functions of a process that had samples. */
struct pd_code {
	int32_t pid;
	uint64_t first_ns, last_ns; /* times of the first and last of these samples, because pids are reused */
	struct pd_function *functions;
	size_t functions_n;
	char *names; /* holds the names */
};
void pd_code_free(struct pd_code *code, size_t n); /* malloc'ed array; may be NULL */

/* The contents of a recording's header, which grow as attrs, features and records are read.  Strings are malloc'ed and
 * owned by the struct; NULL: not known. */
struct pd_info {
	struct pd_event *events;
	size_t events_n;
	char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t cpus_available, cpus_online; /* 0: not known */
	uint64_t total_mem_kb;
	char **cmdline;		    /* NULL-terminated */
	uint64_t first_ns, last_ns; /* SAMPLE_TIME; 0: not known */
	bool stream;		    /* the recording is a pipe's: attrs and features come as records, perhaps late */
	/* Times of the oldest and newest record that were read so far, set by the reader; 0: not known. */
	uint64_t oldest_ns, newest_ns;
	uint64_t kernel_addr; /* address of the symbol `kernel_name` of the recorded kernel */
	char kernel_name[16]; /* "_text" or "_stext" */
	/* CLOCK_DATA: the same moment on the wall clock and on the clock of the records; 0: not known */
	uint32_t clock_id;
	uint64_t wall_ns, clock_ns;
	struct pd_build_id *build_ids;
	size_t build_ids_n;
	struct pd_file_symbols *file_symbols;
	size_t file_symbols_n;
	struct pd_code *code; /* CODE_NAMES, in ascending order of pids; NULL: none */
	size_t code_n;
	bool code_packed; /* CODE_NAMES is compressed and was not read: this build has no libzstd */
	bool code_cut;	  /* CODE_NAMES exceeds LIMIT_CODE_NAMES, and was read only up to there */
	struct {
		uint32_t type; /* attr.type */
		char *name;
	} * pmus; /* PMU_MAPPINGS: names of PMUs whose type is assigned at boot, for hybrid events */
	size_t pmus_n;
	struct pd_cpu {
		uint32_t core, socket;
	} * cpus; /* CPU_TOPOLOGY, by the CPU's number */
	size_t cpus_n;
	struct pd_node {
		uint32_t node;
		char *cpus; /* "0-3,8" */
	} * nodes;	    /* NUMA_TOPOLOGY */
	size_t nodes_n;
	/* Which threads were recorded, by THREAD_MAP. */
	enum { PD_THREADS_UNKNOWN, PD_THREADS_ALL, PD_THREADS_SOME } threads;
	uint32_t compressed_mmap_len; /* COMPRESSED; 0: the recording is not compressed */
	/* EVENT_DESC: names for attrs that are read later */
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
/* Appends an event with its ids.  -E2BIG: more than PD_EVENTS_MAX events, or PD_IDS_MAX ids of one event. */
#define PD_EVENTS_MAX 4096
#define PD_IDS_MAX (1 << 20)
CYC_MUST_CHECK int pd_info_add_event(struct pd_info *info, const struct perf_attr *attr, uint32_t attr_size,
				     const uint64_t *ids, size_t ids_n, struct error *err);
/* Like pd_info_add_event(), but the ids, ids_bytes / 8 of them, are in the byte order of the file. */
CYC_MUST_CHECK int pd_info_add_file_event(struct pd_info *info, const struct perf_attr *attr, uint32_t attr_size,
					  const void *ids, size_t ids_bytes, bool swap, struct error *err);
/* Parses a feature from its section, or from the payload of a HEADER_FEATURE record. Ignores
 * unknown features.  -EBADMSG: the feature is malformed, and *err has the reason; the part
 * before the error is kept. */
CYC_MUST_CHECK int pd_info_feature(struct pd_info *info, unsigned feature, const void *bytes, size_t n, bool swap,
				   struct error *err);
/* Names events by the section `event_types`, which has a name for each config.  Sets the name only of events that have
 * none yet, and whose type has no generic names. */
void pd_info_event_types(struct pd_info *info, const void *bytes, size_t n, bool swap);
/* Appends a copy of `id`, which takes over id->path. */
void pd_info_add_build_id(struct pd_info *info, const struct pd_build_id *id);
/* A growing array of bytes, malloc'ed. */
struct pd_buffer {
	uint8_t *data;
	size_t n, cap;
};
void pd_buffer_add(struct pd_buffer *out, const void *bytes, size_t n);
void pd_buffer_u32(struct pd_buffer *out, uint32_t v);
void pd_buffer_u64(struct pd_buffer *out, uint64_t v);
void pd_buffer_zeros(struct pd_buffer *out, size_t n);
/* Appends a string as features have it: its length, then the string, padded to a multiple of 64 bytes as by perf. */
void pd_buffer_string(struct pd_buffer *out, const char *s);
/* Pads with zeros to a multiple of 2, 4 or 8. */
void pd_buffer_pad(struct pd_buffer *out, size_t multiple);
/* Appends the bytes of a feature.  Returns false if info has no data for it, or for features other than HOSTNAME to
 * EVENT_DESC, BUILD_ID, PMU_MAPPINGS, SAMPLE_TIME, COMPRESSED and CODE_NAMES. */
bool pd_feature_encode(const struct pd_info *info, unsigned feature, struct pd_buffer *out);
/* Writes the name to show for an event: its name in the recording, or a name made from its attr: "cycles:u",
 * "tracepoint:203", on hybrid machines with the PMU: "cpu_core/cycles/". */
void pd_event_name(const struct pd_info *info, size_t event, char *buf, size_t cap);

/* ---- decoding records of types from 64 on, which perf writes, not the kernel ---------------------------- */

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
	PD_RECORD_END, /* one more than the last known type */
};
const char *pd_record_name(uint32_t type); /* name of a type, also of the kernel's: "SAMPLE"; NULL: unknown */

/* Returns the header of a record of any type, in this machine's byte order. */
struct record_header pd_record_header(const void *bytes, bool swap);
/* Returns the number of bytes that follow a record without being counted in its size: data of AUXTRACE and
 * TRACING_DATA, and in simpleperf's records (types from 32768 on) what exceeds 64 KiB.  `n`: bytes of the record, which
 * must be complete. */
uint64_t pd_record_payload(const void *bytes, size_t n, bool swap);

/* Applies what a record says about the recording to *info (ATTR, EVENT_TYPE, EVENT_UPDATE, HEADER_FEATURE, BUILD_ID);
 * ignores other records.  Returns 0, or -EBADMSG with the reason in *err. */
CYC_MUST_CHECK int pd_info_record(struct pd_info *info, const void *bytes, size_t n, bool swap, struct error *err);

/* Finds the feature in a HEADER_FEATURE record, or in a record of types 69 to 80, in which Google's old version of perf
 * wrote features.  *ret points into the record.  Returns false if the record has no feature. */
bool pd_record_feature(const void *bytes, size_t n, bool swap, uint64_t *feature_ret, struct record_bytes *ret);

/* Finds the compressed bytes in a COMPRESSED or COMPRESSED2 record.  -EBADMSG: there are none. */
CYC_MUST_CHECK int pd_record_compressed(const void *bytes, size_t n, bool swap, struct record_bytes *ret);

/* ---- visiting all fields of a record, for dumps --------------------------------------------- */

/* Functions that are called for each field in order.  The fields of a nested list or struct come between open() and
 * close(). */
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
/* Visits all fields of a kernel record (types below 64) that was decoded by `layout`. */
void pd_visit_record(const struct record_layout *layout, const struct record *rec, const struct pd_visitor *v);
/* Visit all fields of a record of a type from 64 on, or of a feature.  An unknown type or feature
 * is visited as bytes.  -EBADMSG: a field is malformed; the fields before it have been visited. */
int pd_visit_user(const void *bytes, size_t n, bool swap, const struct pd_visitor *v);
int pd_visit_feature(unsigned feature, const void *bytes, size_t n, bool swap, const struct pd_visitor *v);
void pd_visit_attr(const struct perf_attr *attr, const struct pd_visitor *v);

#endif
