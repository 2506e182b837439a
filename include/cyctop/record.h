/* Room record: decodes, encodes and merges perf event records.  Pure: no I/O, no clock; the
 * decoder does not allocate.  Order and sizes of fields follow perf_event_open(2) and, for fields
 * newer than that page, perf_output_sample() in the kernel's kernel/events/core.c.
 *
 * Input is not trusted: a record whose fields do not fit into its size gives -EBADMSG, and no
 * byte outside the record is read. */
#ifndef CYCTOP_RECORD_H
#define CYCTOP_RECORD_H

#include <cyctop/abi.h>
#include <cyctop/base.h>

/* ---- layout: where the fields of a record are, by the attr ------------------ */

#define LAYOUT_ABSENT (-1)

/* Where the fields of records are, as offsets in bytes: in samples from the start of the record, header
 * included; in the sample_id trailer of all other records back from the end of the record.
 * LAYOUT_ABSENT: the attr does not ask for the field. */
struct record_layout {
	uint64_t sample_type, read_format, branch_type;
	unsigned regs_user_n, regs_intr_n; /* number of bits set in each mask */
	uint64_t regs_user_mask, regs_intr_mask;
	bool id_all;	     /* ATTR_SAMPLE_ID_ALL: all records have a sample_id */
	bool own_counts;     /* READ values count the sample's thread alone: inherited events, since Linux 6.12 */
	bool swap;	     /* records have the other byte order; the caller sets it after record_layout_init() */
	uint16_t fixed_size; /* header and the fields of fixed size that precede READ */
	uint16_t trailer_size;
	int16_t ip, tid, time, addr, id, stream_id, cpu, period, identifier;
	int16_t tr_tid, tr_time, tr_id, tr_stream_id, tr_cpu, tr_identifier;
	int16_t cgroup; /* cgroup in samples: counted back from the end, as fields of variable size precede it */
};

/* Computes the layout.  -EINVAL: the attr has bits that cyctop does not know, so fields cannot be found. */
CYC_MUST_CHECK int record_layout_init(struct record_layout *ret, const struct perf_attr *attr);

/* ---- decoded records ------------------------------------------------------- */

struct sample_id {
	uint32_t has; /* enum sample_bit of each field that is present */
	uint32_t pid, tid;
	uint64_t time_ns;
	uint64_t id, stream_id; /* id: of ID or IDENTIFIER */
	uint32_t cpu;
};

/* An unaligned array inside the record; record_u64() reads it. */
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
	uint64_t nr; /* number of values; 1 without READ_GROUP */
	uint64_t enabled_ns, running_ns;
	const void *values; /* nr entries; read with record_read_value() */
	uint64_t format;    /* enum read_bit of each part that is present */
	bool swap;
};
/* Decodes entry i < read->nr. */
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
	struct record_words callchain; /* with context markers */
	struct record_bytes raw;
	struct {
		uint64_t nr, hw_idx;
		const void *entries;	      /* nr of them; read with record_branch() */
		struct record_words counters; /* BRANCH_COUNTERS: nr words */
		bool swap;
	} branch;
	struct record_regs regs_user, regs_intr;
	struct record_bytes stack_user; /* the valid part: dyn_size bytes */
	uint64_t weight;		/* WEIGHT; or var1_dw of WEIGHT_STRUCT */
	uint16_t weight2, weight3;	/* var2_w, var3_w */
	uint64_t data_src, transaction, phys_addr, cgroup;
	uint64_t data_page_size, code_page_size;
	struct record_bytes aux;
};

/* The parts of record_sample.data_src: sets of bits, and four numbers. */
enum data_src_part {
	DATA_SRC_OP,
	DATA_SRC_LVL,
	DATA_SRC_SNOOP,
	DATA_SRC_LOCK,
	DATA_SRC_TLB,
	DATA_SRC_LVL_NUM, /* a number */
	DATA_SRC_REMOTE,  /* a number */
	DATA_SRC_SNOOPX,
	DATA_SRC_BLK,
	DATA_SRC_HOPS, /* a number */
	DATA_SRC_PARTS
};
/* The kernel's name for a bit of a set or for a number, and perf's word for it; NULL: there is none. */
struct data_src_name {
	const char *name, *word;
};
struct data_src_row {
	const char *name; /* "lvl_num" */
	uint8_t shift, bits;
	size_t names_n;
	const struct data_src_name *names; /* [names_n] */
};
extern const struct data_src_row data_src_rows[DATA_SRC_PARTS];
static inline uint64_t data_src_bits(uint64_t src, enum data_src_part part)
{
	return src >> data_src_rows[part].shift & ((UINT64_C(1) << data_src_rows[part].bits) - 1);
}
/* Which property of a memory access a text tells, in perf's words: "L1 hit", "Remote RAM hit", "HitM"; "N/A":
 * unknown. */
enum data_src_what {
	DATA_SRC_IS_LEVEL,
	DATA_SRC_IS_OP,
	DATA_SRC_IS_SNOOP,
	DATA_SRC_IS_TLB,
	DATA_SRC_IS_LOCKED,
	DATA_SRC_IS_BLOCKED,
};
/* Writes the text to `ret`, cut to `cap` bytes with its NUL. */
void data_src_text(uint64_t src, enum data_src_what what, char *ret, size_t cap);

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
	uint32_t type; /* enum record_type; records with types from 64 on are not decoded */
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

/* A field that every record of a type has. */
struct record_field {
	const char *name; /* name in dumps; NULL: the end of the fields */
	size_t at, size;  /* in struct record: offset; size of bytes or a number, as in the file; a text is a pointer */
	enum { SHOWN_NUMBER, SHOWN_SIGNED, SHOWN_HEX, SHOWN_TEXT, SHOWN_BYTES } shown;
};
/* Returns the fields of a type in the order of their bytes; no fields for types that also have others, such as
 * arrays. */
const struct record_field *record_fields(uint32_t type);
uint64_t record_field_number(const struct record_field *f, const struct record *rec); /* value of a numeric field */

/* Decodes entry i < sample->branch.nr.  In its flags, `mispred` is bit 0 on machines of any byte
 * order. */
struct branch_entry record_branch(const struct record_sample *sample, uint64_t i);

struct namespace_link {
	uint64_t dev, inode;
};
/* Decodes entry i < rec->u.namespaces.nr of a NAMESPACES record. */
struct namespace_link record_namespace(const struct record *rec, uint64_t i);

/* Decodes the record at `bytes`, of which `size` bytes are readable.  Pointers in *ret point into `bytes`.  Returns 0;
 * -EAGAIN: the record is longer than `size`; -EBADMSG: its fields do not fit into it (*ret then still has type, misc
 * and size, if the header is complete). */
CYC_MUST_CHECK int record_decode(const struct record_layout *layout, const void *bytes, size_t size,
				 struct record *ret);

/* The fields that aggregation needs: the same values as from record_decode(), but read at the layout's offsets, in a
 * tenth of the time.  A field that the layout does not have is 0. */
struct sample_core {
	uint64_t id, ip, time_ns, period;
	uint32_t pid, tid, cpu;
	uint16_t misc;
};
CYC_MUST_CHECK int record_sample_core(const struct record_layout *layout, const void *bytes, size_t size,
				      struct sample_core *ret);
/* Reads the fields of struct sample_core of up to `cap` successive samples; stops before a record that is not a sample
 * or is incomplete.  Returns the number of samples; *used_ret: their size in bytes. */
CYC_MUST_CHECK size_t record_sample_cores(const struct record_layout *layout, const void *bytes, size_t size,
					  struct sample_core *ret, size_t cap, size_t *used_ret);

/* Reads the kernel's cgroup ids of the `n` samples that record_sample_cores() decoded at `bytes`, into ret[n]; 0: the
 * record is too small for the field.  The layout's `cgroup` must not be LAYOUT_ABSENT. */
void record_sample_cgroups(const struct record_layout *layout, const void *bytes, size_t n, uint64_t *ret);

/* Finds the call chain of a sample whose layout has SAMPLE_CALLCHAIN.  Returns false if the record is too small for the
 * chain. */
CYC_MUST_CHECK bool record_sample_chain(const struct record_layout *layout, const void *bytes, size_t size,
					struct record_words *ret);

/* Returns true if the kernel deferred the user part of a sample's call chain.  *cookie_ret tells which
 * CALLCHAIN_DEFERRED record of the thread has that part. */
bool record_deferred(const struct record_layout *layout, const void *bytes, size_t size, uint64_t *cookie_ret);
/* Writes to `buf` a sample of which record_deferred() is true, with `user` as the deferred part of its call chain.  The
 * outermost addresses are left out if `cap` bytes have no room for them.  Returns the size of the record; 0: the sample
 * is damaged, or larger than `cap`. */
size_t record_stitch(const struct record_layout *layout, const void *bytes, size_t size, struct record_words user,
		     uint8_t *buf, size_t cap);

/* ---- encoding records, for the synthetic source, tests and the writer of recordings ---- */

/* Writes the fields that `layout` has to `buf`.  Returns the size of the record; 0: it would be
 * larger than `cap` or RECORD_SIZE_MAX. */
size_t record_encode(const struct record_layout *layout, const struct record *rec, void *buf, size_t cap);

/* ---- merging the records of several ring buffers ------------------------------ */

/* A lane is the unread bytes of one ring buffer, or of one part of a file: `a`, then `b`, because a ring wraps. */
struct lane {
	const uint8_t *a, *b;
	size_t a_len, b_len; /* bytes */
	size_t used;	     /* bytes that merger_run() passed on */
	bool sideband;	     /* has only records that samples depend on (MMAP, COMM, ...), and no samples */
	bool mixed;	     /* has both kinds; `sideband` must be false */
	/* Offsets of all records except samples that have the layout's fixed size, in a mixed lane
	 * whose records all have a time and are in order of time: a source that has read all record
	 * headers saves the merger from reading them again.  NULL: unknown. */
	const size_t *nonsample_offsets;
	size_t nonsamples_n;
	/* private to the merger */
	uint64_t head_time;
};

struct merge_stats {
	uint64_t records, malformed; /* malformed: records with a wrong size, which were skipped */
	uint64_t malformed_bytes;
};

/* Receives whole records: any number of successive samples, or one record of another type.
 * `bytes` is valid during the call. */
typedef void merge_fn(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size);

struct merger; /* memory that merger_run() keeps between calls */
struct merger *merger_create(void);
void merger_destroy(struct merger *m);

/* Passes every record older than `horizon_ns` to `fn`, in such an order that a sideband record
 * precedes all samples of the same or a later time.  The order of samples among themselves does
 * not matter: between two sideband records, each lane is read in one go, which is cheap even with
 * 512 rings.
 *
 * In all lanes the time is where `layout` has it.  Records with a time of `horizon_ns` or later
 * stay in their lane.  A record without a time (not in the layout, or 0) is passed on at once; in
 * a sideband lane, after the record before it.
 *
 * A mixed lane is read twice: first its records other than samples, which are sorted together
 * with those of the sideband lanes, then its samples.  If the layout has no time, mixed lanes are
 * passed on one after the other, each in its own order.
 *
 * After a record whose size is below 8, not a multiple of 8 or beyond the end of the lane, the rest
 * of the lane cannot be read: it is dropped and counted as malformed.  A record too small for the
 * fixed fields of its type is skipped and counted as malformed. */
void merger_run(struct merger *m, const struct record_layout *layout, struct lane *lanes, size_t n, uint64_t horizon_ns,
		merge_fn *fn, void *ctx, struct merge_stats *stats);

#endif
