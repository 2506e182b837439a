/* Room record: bytes <-> records.  Pure: no I/O, no clock, no allocation in the
 * decoder.  Field order and sizes: perf_event_open(2), and for what the page
 * does not have yet, kernel/events/core.c (perf_output_sample()).
 *
 * Everything here treats its input as hostile: a record whose fields do not fit
 * its size is refused with -EBADMSG, and nothing outside it is read. */
#ifndef CYCTOP_RECORD_H
#define CYCTOP_RECORD_H

#include <cyctop/abi.h>
#include <cyctop/base.h>

/* ---- layout: what an attr makes its records look like --------------------- */

#define LAYOUT_ABSENT (-1)

/* Offsets are bytes from the start of the record (header included) for samples,
 * and bytes back from its end for the sample_id trailer of all other records;
 * LAYOUT_ABSENT where the attr does not ask for the field. */
struct record_layout {
	uint64_t sample_type, read_format, branch_type;
	unsigned regs_user_n, regs_intr_n; /* bits set in the masks */
	uint64_t regs_user_mask, regs_intr_mask;
	bool id_all;	     /* ATTR_SAMPLE_ID_ALL */
	bool own_counts;     /* READ values are what the sample's thread counted: inherited events, from 6.12 on */
	bool swap;	     /* fields are in the other byte order; set after record_layout_init() */
	uint16_t fixed_size; /* header and all fixed fields before READ */
	uint16_t trailer_size;
	int16_t ip, tid, time, addr, id, stream_id, cpu, period, identifier;
	int16_t tr_tid, tr_time, tr_id, tr_stream_id, tr_cpu, tr_identifier;
};

/* -EINVAL for bits this version does not know: a record of unknown shape is
 * never guessed at. */
CYC_MUST_CHECK int record_layout_init(struct record_layout *ret, const struct perf_attr *attr);

/* ---- decoded records ------------------------------------------------------- */

/* Which fields of a sample_id are there: the enum sample_bit of each. */
struct sample_id {
	uint32_t has;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint64_t id, stream_id; /* IDENTIFIER is reported as id, too */
	uint32_t cpu;
};

/* An array inside the record, not aligned; read it with record_u64(). */
struct record_words {
	const void *data;
	uint64_t n;
	bool swap;
};
uint64_t record_u64(struct record_words words, uint64_t i); /* i < words.n */

struct read_value {
	uint64_t value, id, lost;
};

/* PERF_SAMPLE_READ, or the body of a READ record. */
struct record_read {
	uint64_t nr; /* values; 1 without READ_GROUP */
	uint64_t enabled_ns, running_ns;
	const void *values; /* nr entries; read with record_read_value() */
	uint64_t format;    /* enum read_bit: which parts are there */
	bool swap;
};
/* i < read->nr */
struct read_value record_read_value(const struct record_read *read, uint64_t i);

struct branch_entry {
	uint64_t from, to, flags;
};

struct record_regs {
	uint64_t abi, mask;
	struct record_words values;
};

struct record_bytes {
	const void *data;
	uint64_t size;
};

struct record_sample {
	uint64_t ip, addr, period;
	struct record_read read;
	struct record_words callchain; /* context markers included */
	struct record_bytes raw;
	struct {
		uint64_t nr, hw_idx;
		const void *entries;	      /* nr of them; read with record_branch() */
		struct record_words counters; /* BRANCH_COUNTERS: nr words */
		bool swap;
	} branch;
	struct record_regs regs_user, regs_intr;
	struct record_bytes stack_user; /* size = the dynamic, valid part */
	uint64_t weight;		/* WEIGHT; or var1_dw of WEIGHT_STRUCT */
	uint16_t weight2, weight3;	/* var2_w, var3_w */
	uint64_t data_src, transaction, phys_addr, cgroup;
	uint64_t data_page_size, code_page_size;
	struct record_bytes aux;
};

struct record_mmap { /* MMAP and MMAP2 */
	uint32_t pid, tid;
	uint64_t start, len, pgoff;
	uint32_t maj, min; /* MMAP2 without a build-id */
	uint64_t ino, ino_generation;
	uint8_t build_id_size; /* 0: none */
	uint8_t build_id[20];
	uint32_t prot, flags; /* MMAP2 */
	const char *filename; /* NUL-terminated inside the record */
};

struct record {
	uint32_t type; /* enum record_type, or one from 64 on, left undecoded */
	uint16_t misc, size;
	struct sample_id id;
	union {
		struct record_sample sample;
		struct record_mmap mmap;
		struct {
			uint32_t pid, tid;
			const char *comm;
		} comm;
		struct { /* FORK and EXIT */
			uint32_t pid, ppid, tid, ptid;
			uint64_t time_ns;
		} task;
		struct {
			uint64_t id, lost;
		} lost;
		struct {
			uint64_t lost;
		} lost_samples;
		struct { /* THROTTLE and UNTHROTTLE */
			uint64_t time_ns, id, stream_id;
		} throttle;
		struct {
			uint32_t pid, tid;
			struct record_read read;
		} read;
		struct {
			uint64_t offset, size, flags;
		} aux;
		struct {
			uint32_t pid, tid;
		} itrace_start;
		struct { /* SWITCH_CPU_WIDE; SWITCH has no payload */
			uint32_t next_prev_pid, next_prev_tid;
		} sched;
		struct {
			uint32_t pid, tid;
			uint64_t nr;
			const void *links; /* nr pairs; read with record_namespace() */
			bool swap;
		} namespaces;
		struct {
			uint64_t addr;
			uint32_t len;
			uint16_t ksym_type, flags;
			const char *name;
		} ksymbol;
		struct {
			uint16_t type, flags;
			uint32_t id;
			uint8_t tag[8];
		} bpf;
		struct {
			uint64_t id;
			const char *path;
		} cgroup;
		struct {
			uint64_t addr;
			uint16_t old_len, new_len;
			const uint8_t *bytes; /* old_len then new_len bytes */
		} text_poke;
		struct {
			uint64_t hw_id;
		} aux_hw_id;
		struct {
			uint64_t cookie;
			struct record_words callchain;
		} deferred;
	} u;
};

/* i < sample->branch.nr.  The flags as on a little-endian machine: `mispred` is bit 0. */
struct branch_entry record_branch(const struct record_sample *sample, uint64_t i);

struct namespace_link {
	uint64_t dev, inode;
};
/* A NAMESPACES record; i < u.namespaces.nr. */
struct namespace_link record_namespace(const struct record *rec, uint64_t i);

/* Decodes the record at `bytes` (contiguous; `size` bytes are readable).
 * Pointers in *ret point into `bytes` and live as long as it does.
 * 0; -EAGAIN: `size` is less than the record; -EBADMSG: the record contradicts
 * itself (*ret then still has type, misc and size where those were readable). */
CYC_MUST_CHECK int record_decode(const struct record_layout *layout, const void *bytes, size_t size,
				 struct record *ret);

/* The few fields that aggregation needs, straight from the layout's offsets:
 * the same values record_decode() gives, at a tenth of the cost. */
struct sample_core {
	uint64_t id, ip, time_ns, period;
	uint32_t pid, tid, cpu;
	uint16_t misc;
};
CYC_MUST_CHECK int record_sample_core(const struct record_layout *layout, const void *bytes, size_t size,
				      struct sample_core *ret);
/* The same of up to `cap` samples that lie in a row; stops before a record that is none, or that
 * is not whole.  Returns how many, *used_ret: the bytes they take. */
CYC_MUST_CHECK size_t record_sample_cores(const struct record_layout *layout, const void *bytes, size_t size,
					  struct sample_core *ret, size_t cap, size_t *used_ret);

/* ---- encoding: the inverse, for the synthetic source, tests and writers ---- */

/* Appends to a caller's buffer; returns the record's size, or 0 where it does
 * not fit `cap` or RECORD_SIZE_MAX.  Encodes what `layout` asks for. */
size_t record_encode(const struct record_layout *layout, const struct record *rec, void *buf, size_t cap);

/* ---- lanes and merging ------------------------------------------------------ */

/* The unread bytes of one ring (or of one stretch of a file): two slices,
 * because a ring wraps.  `used` is what merging consumed. */
struct lane {
	const uint8_t *a, *b;
	size_t a_len, b_len;
	size_t used;
	bool sideband; /* holds the records that samples depend on */
	bool mixed;    /* holds both: sideband must be false */
	/* Of a mixed lane whose records all have a time, and none an older one than that before it:
	 * who passed all of them already may tell where those begin that are not samples of at
	 * least the layout's fixed size.  NULL: they are looked for. */
	const size_t *others;
	size_t others_n;
	/* private to the merger */
	uint64_t head_time;
	uint64_t head_size;
};

struct merge_stats {
	uint64_t records, malformed; /* malformed: skipped by size, or lane dropped */
	uint64_t malformed_bytes;
};

/* Called with whole records, `bytes` is valid during the call: with any number of samples
 * in a row, or with one record that is none. */
typedef void merge_fn(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size);
/* A merge_fn, ctx is a struct merge_singly: calls `fn` with each record. */
struct merge_singly {
	const struct record_layout *layout;
	merge_fn *fn;
	void *ctx;
};
void merge_singly(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size);

struct merger; /* keeps its scratch memory between calls */
struct merger *merger_create(void);
void merger_destroy(struct merger *m);

/* Hands every record older than `horizon_ns` to `fn` such that a sideband record
 * precedes every sample of the same or a later time.  Two samples commute, so
 * between two sideband records each lane is read in one run: this is what makes
 * 512 rings cheap.  Records without a time (trailer absent, or 0) go through at
 * once, in a sideband lane behind their predecessor.
 * All lanes have layout `layout`'s positions of time.
 * A `mixed` lane is read twice: first for all but its samples, which are sorted in
 * with the sideband records of the other lanes, then for its samples; the first time only
 * in its `others`, where it has those.  Where the
 * layout has no time, mixed lanes go through as they are, lane by lane.
 * A record that reaches into or over `horizon_ns` stays unread in its lane.
 * A record whose size is below 8, not a multiple of 8, or above what the lane
 * holds makes the rest of that lane unreadable: it is dropped and counted.  One too
 * small for the fixed fields of its type is skipped, and counted, too. */
void merger_run(struct merger *m, const struct record_layout *layout, struct lane *lanes, size_t n, uint64_t horizon_ns,
		merge_fn *fn, void *ctx, struct merge_stats *stats);

#endif
