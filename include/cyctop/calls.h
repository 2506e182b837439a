/* Room calls: each call of each function of a program, counted by a library preloaded into it (calls/preload.c).
 *
 * The library fills tables in a file in shared memory, which is sparse.  Positions in the file are byte offsets from
 * its start; 0: none.  The program writes without locks, and is not trusted: calls_counts_read() checks all that it
 * reads.  Pure (no I/O), except for the library.  doc/exact.md says how calls are counted, and what that costs. */
#ifndef CYCTOP_CALLS_H
#define CYCTOP_CALLS_H

#include <cyctop/base.h>

/* ---- shared memory that the program writes -------------------------------------------- */

#define CALLS_MAGIC "cyccalls"
#define CALLS_VARIABLE "CYCTOP_CALLS" /* environment variable of the program: number of the file's descriptor */

enum {
	CALLS_VERSION = 2,
	CALLS_EVENTS_MAX = 4,
	/* Number of buckets of a histogram.  By time, bucket i counts calls of 2^i to 2^(i+1) - 1 ns or ticks.  By
	 * events, bucket 0 counts calls with 0 events, bucket i calls with 2^(i-1) to 2^i - 1.  The last bucket also
	 * counts all larger calls. */
	CALLS_BUCKETS = 40,
	CALLS_PATH_MAX = 488,
	CALLS_ATTR_SIZE = 144, /* room for a struct perf_event_attr, whose size depends on the headers */
	CALLS_COST_CALLS = 10000,
};
#define CALLS_FILE_SIZE (UINT64_C(1) << 30)

/* Return the histogram bucket of a call: by its time in ns or ticks, and by the number of its events. */
static inline unsigned calls_time_bucket(uint64_t time)
{
	unsigned b = time ? 63u - (unsigned)__builtin_clzll(time) : 0;
	return b < CALLS_BUCKETS ? b : CALLS_BUCKETS - 1;
}
static inline unsigned calls_event_bucket(uint64_t events)
{
	unsigned b = events ? 64u - (unsigned)__builtin_clzll(events) : 0;
	return b < CALLS_BUCKETS ? b : CALLS_BUCKETS - 1;
}

/* Why the library stopped counting calls, or counts only their times. */
enum calls_stop {
	CALLS_GOES_ON,
	CALLS_NO_MEMORY, /* the file is full, or the kernel gives no memory */
	CALLS_NO_EVENTS, /* events could not be counted, only times; calls_head.code is the errno */
};

/* Time and events, summed over calls.  A sum named `total` includes the called functions; one named `self` does not. */
struct calls_sums {
	uint64_t time; /* ns, or ticks: calls_head.ticks */
	uint64_t events[CALLS_EVENTS_MAX];
};

/* Header at the start of the file. */
struct calls_head {
	char magic[8];
	uint32_t version;
	uint32_t events_n, ticks; /* chosen by cyctop; ticks 1: times are differences of selfcount_ticks(); 0: ns */
	uint64_t used;		  /* bytes of the file in use; atomic */
	uint64_t threads;	  /* newest struct calls_thread, the head of a linked list; atomic */
	uint64_t modules;	  /* newest struct calls_module, the head of a linked list; atomic */
	uint32_t stop;		  /* enum calls_stop */
	int32_t code;		  /* with CALLS_NO_EVENTS: errno */
	uint64_t processes;	  /* number of processes that loaded the library */
	uint8_t attrs[CALLS_EVENTS_MAX][CALLS_ATTR_SIZE];
};

/* An executable or library that a process has mapped. */
struct calls_module {
	uint64_t next;
	uint32_t pid;
	uint32_t path_n;
	uint64_t base;	     /* load bias: address in memory less address in the ELF file */
	uint64_t start, end; /* address range of its code */
	uint64_t offset;     /* offset of `start` in the file */
	char path[CALLS_PATH_MAX];
};

struct calls_function {
	uint64_t address; /* address of the function; 0: this entry of the hash table is free */
	uint64_t calls;
	uint64_t left;	    /* calls that ended without a return (longjmp); their self time is added to the caller's */
	uint64_t children;  /* calls that the function itself made */
	uint64_t below;	    /* calls that the outermost calls made, directly or indirectly */
	uint64_t outermost; /* calls without recursion: no other call of the function was active */
	uint64_t all_time,
		all_below; /* like total.time and `below`, but of all calls, so recursion counts twice: for the mean */
	uint64_t active;   /* calls that have not ended yet */
	struct calls_sums self, total; /* total: of outermost calls, so that recursion does not count twice */
	/* Histograms: number of calls by time and by events, both with callees, less the cost of counting. */
	uint64_t buckets[CALLS_BUCKETS]; /* by time */
	uint64_t event_buckets_at;	 /* by events: position of uint64_t [events_n][CALLS_BUCKETS]; 0: none */
};

struct calls_arc {
	uint64_t caller, callee; /* addresses; caller 0: this entry of the hash table is free; 1: unknown caller */
	uint64_t calls, time;
};

/* A thread of the program, and its hash tables, which no other thread writes. */
struct calls_thread {
	uint64_t next;
	uint32_t pid, tid;
	uint32_t ended;			/* 1: the thread has ended */
	uint32_t reading;		/* bits: 1: counters are read in user space (rdpmc); 2: the clock, too */
	uint64_t functions_at, arcs_at; /* positions of the hash tables, by address */
	uint32_t functions_n, arcs_n;	/* numbers of entries of these tables: powers of 2 */
	uint32_t functions_used, arcs_used;
	/* What could not be counted.  too_deep: calls beyond the depth of the library's stack of calls; interrupted:
	 * calls by a signal handler that interrupted the library; unmatched: returns from calls not seen; no_room:
	 * calls for which the tables were full. */
	uint64_t too_deep, interrupted, unmatched, no_room;
	uint64_t enabled, running; /* ns of the thread's events; enabled > running: they were multiplexed with others */
	/* Measured cost of counting CALLS_COST_CALLS empty calls, the smallest of several measurements.  inside: the
	 * part that counts as time of the calls; whole: all that is added to the time of the caller. */
	struct calls_sums cost_inside, cost_whole;
};

/* ---- results, summed over threads -------------------------------------------------------- */

/* A function of a process: sums over its threads, less the cost of counting. */
struct calls_row {
	uint32_t pid;
	uint64_t address;
	uint64_t calls, left, outermost;
	double self_ns, total_ns, all_ns, self[CALLS_EVENTS_MAX], total[CALLS_EVENTS_MAX];
	uint64_t buckets[CALLS_BUCKETS];
	size_t event_buckets; /* index of the first of [events_n][CALLS_BUCKETS] in calls_counts.event_buckets */
};
struct calls_edge {
	uint32_t pid;
	uint64_t caller, callee; /* caller 1: unknown */
	uint64_t calls;
	double ns; /* time, including the cost of counting */
};
struct calls_counts {
	struct calls_row *rows; /* [n], sorted by pid and address */
	size_t n;
	uint64_t *event_buckets;  /* see calls_row.event_buckets */
	struct calls_edge *edges; /* [edges_n], sorted by pid, caller and callee */
	size_t edges_n;
	struct calls_module *modules; /* [modules_n] */
	size_t modules_n;
	uint32_t events_n, stop; /* events_n 0: none were asked for, or they could not be counted */
	int32_t code;
	uint64_t processes, threads, too_deep, interrupted, unmatched, no_room;
	double cost_ns;	  /* cost of an empty call, mean over the threads */
	double bucket_ns; /* unit of the time buckets in ns: 1, or the length of a tick */
	uint64_t damaged; /* number of structs and tables in the file that are invalid */
};

/* Reads the file, which a program may still be writing, and which is not trusted.  `tick_ns`: length of a tick.
 * -EBADMSG: the file has another format.  The caller frees the result by calls_counts_free(). */
CYC_MUST_CHECK int calls_counts_read(const uint8_t *bytes, size_t size, double tick_ns, struct calls_counts *ret);
void calls_counts_free(struct calls_counts *c);

/* ---- pairing the entries and returns that probes report ---------------------------------- */

enum { CALLS_FUNCTIONS_MAX = 16 };

/* A hit of a probe by a thread.  `events`: counts of the events in this thread (not in others) since its last hit. */
struct calls_hit {
	enum calls_hit_kind {
		CALLS_BEGIN,
		CALLS_END,
		CALLS_COUNTED, /* neither entry nor return: carries the events until the thread lost the CPU */
		CALLS_GONE,    /* the thread has ended, or executes another program */
		CALLS_LOST,    /* hits were lost here, of unknown threads */
	} kind;
	uint32_t pid, tid, function;
	uint64_t time_ns, sp; /* sp: the stack pointer, on entry and after the return; 0: unknown */
	double events[CALLS_EVENTS_MAX];
};

/* Indices of the quantities of a call: its time in ns, and each event. */
enum { CALLS_TIME, CALLS_EVENT, CALLS_QUANTITIES = CALLS_EVENT + CALLS_EVENTS_MAX };

/* Overhead of the probes of a call.  inside: the part between the call's two hits; whole: all that is added to the
 * caller; begin: what is added to the caller if only the entry is hit, as after longjmp. */
struct calls_cost {
	double inside[CALLS_QUANTITIES], whole[CALLS_QUANTITIES], begin[CALLS_QUANTITIES];
};

struct calls_pairing {
	size_t functions_n, events_n;
	struct calls_cost costs[CALLS_FUNCTIONS_MAX];
	bool kernel[CALLS_FUNCTIONS_MAX]; /* the function is of the kernel, whose stacks are small */
	bool begins_only[CALLS_FUNCTIONS_MAX];
	bool popped; /* x86: the return pops the return address, so the stack pointer is higher afterwards */
};

/* A function's calls since the last calls_pairs_take(). */
struct calls_probed {
	uint64_t calls, returned, outermost;
	uint64_t left;	    /* calls that can no longer return: longjmp, the end of the thread, lost hits */
	uint64_t unmatched; /* returns without an entry: called before the probe was set, or in the parent of a fork */
	double self[CALLS_QUANTITIES], total[CALLS_QUANTITIES], all_ns;
	/* Histograms of the calls that returned, by time and events, less the cost of the probes. */
	uint64_t buckets[CALLS_QUANTITIES][CALLS_BUCKETS];
	struct {
		uint64_t calls;
		double ns;
	} callers[CALLS_FUNCTIONS_MAX + 1]; /* [index of the calling function]; the last: code that is not probed */
};

/* Pairs the entries of functions with their returns, by a stack of open calls for each thread. */
struct calls_pairs;
struct calls_pairs *calls_pairs_create(const struct calls_pairing *how);
void calls_pairs_destroy(struct calls_pairs *p);
/* Adds a hit of a probe.  Hits must be added in order of time. */
void calls_pairs_add(struct calls_pairs *p, const struct calls_hit *hit);
/* Moves the sums since the last calls_pairs_take() to ret[functions_n].  Returns the number of calls that have not
 * ended yet. */
size_t calls_pairs_take(struct calls_pairs *p, struct calls_probed *ret);

#endif
