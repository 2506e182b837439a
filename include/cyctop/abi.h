/* The perf_event ABI, defined here because the system's <linux/perf_event.h> may be old.  Sources:
 * include/uapi/linux/perf_event.h of Linux 7.x, and perf_event_open(2).  tests/unit/test_abi.c compares these numbers
 * with the installed kernel header, and fails if that has newer bits. */
#ifndef CYCTOP_ABI_H
#define CYCTOP_ABI_H

#include <stdint.h>

enum { /* attr.type */
       ABI_TYPE_HARDWARE = 0,
       ABI_TYPE_SOFTWARE = 1,
       ABI_TYPE_TRACEPOINT = 2,
       ABI_TYPE_HW_CACHE = 3,
       ABI_TYPE_RAW = 4,
       ABI_TYPE_BREAKPOINT = 5,
};

/* attr.sample_type.  A record has its fields in the order of the bits, except that IDENTIFIER is the first in a SAMPLE,
 * and the last in the sample_id at the end of other records. */
enum sample_bit {
	SAMPLE_IP = 1u << 0,
	SAMPLE_TID = 1u << 1,
	SAMPLE_TIME = 1u << 2,
	SAMPLE_ADDR = 1u << 3,
	SAMPLE_READ = 1u << 4,
	SAMPLE_CALLCHAIN = 1u << 5,
	SAMPLE_ID = 1u << 6,
	SAMPLE_CPU = 1u << 7,
	SAMPLE_PERIOD = 1u << 8,
	SAMPLE_STREAM_ID = 1u << 9,
	SAMPLE_RAW = 1u << 10,
	SAMPLE_BRANCH_STACK = 1u << 11,
	SAMPLE_REGS_USER = 1u << 12,
	SAMPLE_STACK_USER = 1u << 13,
	SAMPLE_WEIGHT = 1u << 14,
	SAMPLE_DATA_SRC = 1u << 15,
	SAMPLE_IDENTIFIER = 1u << 16,
	SAMPLE_TRANSACTION = 1u << 17,
	SAMPLE_REGS_INTR = 1u << 18,
	SAMPLE_PHYS_ADDR = 1u << 19,
	SAMPLE_AUX = 1u << 20,
	SAMPLE_CGROUP = 1u << 21,
	SAMPLE_DATA_PAGE_SIZE = 1u << 22,
	SAMPLE_CODE_PAGE_SIZE = 1u << 23,
	SAMPLE_WEIGHT_STRUCT = 1u << 24,
	SAMPLE_KNOWN = (1u << 25) - 1,
};

enum read_bit { /* attr.read_format */
		READ_TIME_ENABLED = 1u << 0,
		READ_TIME_RUNNING = 1u << 1,
		READ_ID = 1u << 2,
		READ_GROUP = 1u << 3,
		READ_LOST = 1u << 4,
		READ_KNOWN = (1u << 5) - 1,
};

enum { /* attr.branch_sample_type: the bits that change the meaning or layout of a branch stack */
       BRANCH_CALL_STACK = 1u << 11, /* entries are the calls that have not returned */
       BRANCH_HW_INDEX = 1u << 17,
       BRANCH_COUNTERS = 1u << 19,
};

/* attr.flags: the kernel's bit-field as a 64-bit number; its first field is bit 0. */
#define ATTR_DISABLED (1ull << 0)
#define ATTR_INHERIT (1ull << 1)
#define ATTR_PINNED (1ull << 2)
#define ATTR_EXCLUSIVE (1ull << 3)
#define ATTR_EXCLUDE_USER (1ull << 4)
#define ATTR_EXCLUDE_KERNEL (1ull << 5)
#define ATTR_EXCLUDE_HV (1ull << 6)
#define ATTR_EXCLUDE_IDLE (1ull << 7)
#define ATTR_MMAP (1ull << 8)
#define ATTR_COMM (1ull << 9)
#define ATTR_FREQ (1ull << 10)
#define ATTR_INHERIT_STAT (1ull << 11)
#define ATTR_ENABLE_ON_EXEC (1ull << 12)
#define ATTR_TASK (1ull << 13)
#define ATTR_WATERMARK (1ull << 14)
#define ATTR_PRECISE_SHIFT 15 /* precise_ip, two bits */
#define ATTR_MMAP_DATA (1ull << 17)
#define ATTR_SAMPLE_ID_ALL (1ull << 18)
#define ATTR_EXCLUDE_HOST (1ull << 19)
#define ATTR_EXCLUDE_GUEST (1ull << 20)
#define ATTR_EXCLUDE_CALLCHAIN_KERNEL (1ull << 21)
#define ATTR_EXCLUDE_CALLCHAIN_USER (1ull << 22)
#define ATTR_MMAP2 (1ull << 23)
#define ATTR_COMM_EXEC (1ull << 24)
#define ATTR_USE_CLOCKID (1ull << 25)
#define ATTR_CONTEXT_SWITCH (1ull << 26)
#define ATTR_WRITE_BACKWARD (1ull << 27)
#define ATTR_NAMESPACES (1ull << 28)
#define ATTR_KSYMBOL (1ull << 29)
#define ATTR_BPF_EVENT (1ull << 30)
#define ATTR_AUX_OUTPUT (1ull << 31)
#define ATTR_CGROUP (1ull << 32)
#define ATTR_TEXT_POKE (1ull << 33)
#define ATTR_BUILD_ID (1ull << 34)
#define ATTR_INHERIT_THREAD (1ull << 35)
#define ATTR_REMOVE_ON_EXEC (1ull << 36)
#define ATTR_SIGTRAP (1ull << 37)
#define ATTR_DEFER_CALLCHAIN (1ull << 38) /* samples may contain a cookie instead of user addresses (Linux 6.19) */
#define ATTR_DEFER_OUTPUT (1ull << 39)	  /* write CALLCHAIN_DEFERRED records, which have the user addresses */

/* struct perf_event_attr, 144 bytes (PERF_ATTR_SIZE_VER9).  Older kernels, whose struct is shorter, accept it if the
 * bytes beyond theirs are zero. */
struct perf_attr {
	uint32_t type;
	uint32_t size;
	uint64_t config;
	uint64_t sample_period; /* in events; with ATTR_FREQ a frequency in Hz */
	uint64_t sample_type;	/* enum sample_bit */
	uint64_t read_format;	/* enum read_bit */
	uint64_t flags;		/* ATTR_* */
	uint32_t wakeup;	/* number of events, or with ATTR_WATERMARK of bytes, after which poll() wakes up */
	uint32_t bp_type;
	uint64_t config1;
	uint64_t config2;
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint16_t reserved_2;
	uint32_t aux_sample_size;
	uint32_t aux_action;
	uint64_t sig_data;
	uint64_t config3;
	uint64_t config4;
};
_Static_assert(sizeof(struct perf_attr) == 144, "perf_attr is an ABI struct");

enum record_type {
	RECORD_MMAP = 1,
	RECORD_LOST = 2,
	RECORD_COMM = 3,
	RECORD_EXIT = 4,
	RECORD_THROTTLE = 5,
	RECORD_UNTHROTTLE = 6,
	RECORD_FORK = 7,
	RECORD_READ = 8,
	RECORD_SAMPLE = 9,
	RECORD_MMAP2 = 10,
	RECORD_AUX = 11,
	RECORD_ITRACE_START = 12,
	RECORD_LOST_SAMPLES = 13,
	RECORD_SWITCH = 14,
	RECORD_SWITCH_CPU_WIDE = 15,
	RECORD_NAMESPACES = 16,
	RECORD_KSYMBOL = 17,
	RECORD_BPF_EVENT = 18,
	RECORD_CGROUP = 19,
	RECORD_TEXT_POKE = 20,
	RECORD_AUX_OUTPUT_HW_ID = 21,
	RECORD_CALLCHAIN_DEFERRED = 22,
};

enum { /* header.misc */
       MISC_CPUMODE_MASK = 7,
       MISC_KERNEL = 1,
       MISC_USER = 2,
       MISC_HYPERVISOR = 3,
       MISC_GUEST_KERNEL = 4,
       MISC_GUEST_USER = 5,
       /* the meaning of bits 13 and 14 depends on the type of the record */
       MISC_MMAP_DATA = 1 << 13,
       MISC_COMM_EXEC = 1 << 13,
       MISC_FORK_EXEC = 1 << 13,
       MISC_SWITCH_OUT = 1 << 13,
       MISC_EXACT_IP = 1 << 14,
       MISC_SWITCH_OUT_PREEMPT = 1 << 14,
       MISC_MMAP_BUILD_ID = 1 << 14,
};

/* In a call chain, values from this one on are context markers, not addresses. */
#define CALLCHAIN_CONTEXT_MAX ((uint64_t)-4095)
/* Context markers: the CPU mode (hypervisor, kernel, user...) of the addresses that follow in the chain. */
#define CALLCHAIN_HV ((uint64_t)-32)
#define CALLCHAIN_KERNEL ((uint64_t)-128)
#define CALLCHAIN_USER ((uint64_t)-512)
/* a cookie follows; the user addresses are in the RECORD_CALLCHAIN_DEFERRED with the same cookie */
#define CALLCHAIN_USER_DEFERRED ((uint64_t)-640)
#define CALLCHAIN_GUEST ((uint64_t)-2048)
#define CALLCHAIN_GUEST_KERNEL ((uint64_t)-2176)
#define CALLCHAIN_GUEST_USER ((uint64_t)-2560)

/* struct perf_event_header */
struct record_header {
	uint32_t type;
	uint16_t misc;
	uint16_t size; /* of the whole record, header included */
};
#define RECORD_SIZE_MAX 65535

#endif
