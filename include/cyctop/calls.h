/* Room calls: each call of each function of a program, counted by a library preloaded into it (calls/preload.c).
 *
 * The library fills tables in a file in shared memory, of which only the touched pages are there.  Places in it are
 * offsets from its beginning; 0: none.  The program writes without locks, and may lie: calls_counts_read() checks all
 * that it takes.  Pure, but for the library.  doc/exact.md says how calls are counted, and what that costs. */
#ifndef CYCTOP_CALLS_H
#define CYCTOP_CALLS_H

#include <cyctop/base.h>

/* ---- what the program writes ---------------------------------------------------------- */

#define CALLS_MAGIC "cyccalls"
#define CALLS_VARIABLE "CYCTOP_CALLS" /* number of the descriptor of the file, in the environment of the program */

enum {
	CALLS_VERSION = 2,
	CALLS_EVENTS_MAX = 4,
	/* Of time, bucket i has calls of 2^i to 2^(i+1) - 1 ns or ticks; of an event, bucket 0 has those of none, and i
	 * those of 2^(i-1) to 2^i - 1.  The last has all that are longer. */
	CALLS_BUCKETS = 40,
	CALLS_PATH_MAX = 488,
	CALLS_ATTR_SIZE = 144, /* struct perf_event_attr, which may be shorter in the program */
	CALLS_COST_CALLS = 10000,
};
#define CALLS_FILE_SIZE (UINT64_C(1) << 30)

/* Returns the bucket of a call's time, in its unit; of its events, calls_event_bucket(). */
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

/* Why the program stopped counting, in part or as a whole. */
enum calls_stop {
	CALLS_GOES_ON,
	CALLS_NO_MEMORY, /* the file is full, or the kernel gives no memory */
	CALLS_NO_EVENTS, /* the events were not counted: there are times alone; head.code says why */
};

/* Time and events.  Totals are sums over calls; `self` is without what the called functions took. */
struct calls_sums {
	uint64_t time; /* ns, or ticks: calls_head.ticks */
	uint64_t events[CALLS_EVENTS_MAX];
};

/* The beginning of the file. */
struct calls_head {
	char magic[8];
	uint32_t version;
	uint32_t events_n, ticks; /* chosen by cyctop; ticks 1: times are in selfcount_ticks(), else in ns */
	uint64_t used;		  /* bytes; atomic */
	uint64_t threads;	  /* newest struct calls_thread, which has the one before; atomic */
	uint64_t modules;	  /* newest struct calls_module, likewise */
	uint32_t stop;		  /* enum calls_stop */
	int32_t code;		  /* errno */
	uint64_t processes;	  /* number of processes that loaded the library */
	uint8_t attrs[CALLS_EVENTS_MAX][CALLS_ATTR_SIZE];
};

/* A program or library of a process, as it is mapped. */
struct calls_module {
	uint64_t next;
	uint32_t pid;
	uint32_t path_n;
	uint64_t base;	     /* address less the address in the file's own numbering */
	uint64_t start, end; /* of its code */
	uint64_t offset;     /* offset of `start` in the file */
	char path[CALLS_PATH_MAX];
};

struct calls_function {
	uint64_t address; /* 0: the row is free */
	uint64_t calls;
	uint64_t left;	    /* calls that ended without a return: longjmp; their own time is their caller's */
	uint64_t children;  /* calls that it made itself */
	uint64_t below;	    /* calls that its outermost calls made, directly or not */
	uint64_t outermost; /* calls while no other call of it was going on */
	uint64_t all_time,
		all_below; /* sums over all calls, those within others counted again: for the mean of a call */
	uint64_t active;   /* calls that are going on */
	struct calls_sums self, total; /* total: of outermost calls */
	/* How many calls had how much, with what they called, less what counting cost. */
	uint64_t buckets[CALLS_BUCKETS]; /* of time */
	uint64_t event_buckets_at;	 /* uint64_t [events_n][CALLS_BUCKETS]; 0: there are none */
};

struct calls_arc {
	uint64_t caller, callee; /* caller 0: the row is free; 1: what calls is not known */
	uint64_t calls, time;
};

/* A thread, whose tables it alone writes. */
struct calls_thread {
	uint64_t next;
	uint32_t pid, tid;
	uint32_t ended;	  /* 1: the thread has ended */
	uint32_t reading; /* how it reads: 1 counters from user space, 2 the clock from user space; a set of bits */
	uint64_t functions_at, arcs_at; /* tables: powers of 2 of rows, found by a hash of the addresses */
	uint32_t functions_n, arcs_n;	/* their rows */
	uint32_t functions_used, arcs_used;
	/* What could not be counted: calls deeper than the stack of calls, calls by a signal handler that interrupted
	 * the library itself, returns from calls that it has not seen, calls of functions for which was no room. */
	uint64_t too_deep, interrupted, unmatched, no_room;
	uint64_t enabled, running; /* ns of its events: more enabled than running, they took turns with others */
	/* What an empty call costs, measured: between its two readings, which is in its own time, and as a whole,
	 * which is in the time of its caller. */
	struct calls_sums cost_inside, cost_whole; /* of CALLS_COST_CALLS calls, the best of several rounds */
};

/* ---- what it comes to -------------------------------------------------------------------- */

/* A function of a process, its threads summed up, less what counting cost. */
struct calls_row {
	uint32_t pid;
	uint64_t address;
	uint64_t calls, left, outermost;
	double self_ns, total_ns, all_ns, self[CALLS_EVENTS_MAX], total[CALLS_EVENTS_MAX];
	uint64_t buckets[CALLS_BUCKETS];
	size_t event_buckets; /* index of [events_n][CALLS_BUCKETS] in calls_counts.event_buckets */
};
struct calls_edge {
	uint32_t pid;
	uint64_t caller, callee; /* caller 1: the caller is not known */
	uint64_t calls;
	double ns; /* time as counted, with what counting cost */
};
struct calls_counts {
	struct calls_row *rows; /* [n], sorted by pid and address */
	size_t n;
	uint64_t *event_buckets;  /* to which rows refer */
	struct calls_edge *edges; /* [edges_n], sorted by pid, caller and callee */
	size_t edges_n;
	struct calls_module *modules; /* [modules_n] */
	size_t modules_n;
	uint32_t events_n, stop; /* events_n 0: none, or they were not counted */
	int32_t code;
	uint64_t processes, threads, too_deep, interrupted, unmatched, no_room;
	double cost_ns;	  /* cost of an empty call, the mean over the threads */
	double bucket_ns; /* the unit of buckets: 1, or the length of a tick */
	uint64_t damaged; /* parts of the file that say what cannot be */
};

/* Reads the file, which a program may be writing, and which may lie.  `tick_ns`: the length of a tick.  -EBADMSG: it is
 * no such file.  The owner frees the result by calls_counts_free(). */
CYC_MUST_CHECK int calls_counts_read(const uint8_t *bytes, size_t size, double tick_ns, struct calls_counts *ret);
void calls_counts_free(struct calls_counts *c);

/* ---- calls by their beginnings and ends, as probes see them ------------------------------ */

enum { CALLS_FUNCTIONS_MAX = 16 };

/* A hit of a probe by a thread.  Events are what the thread counted since its last hit, whatever else ran meanwhile. */
struct calls_hit {
	enum calls_hit_kind {
		CALLS_BEGIN,
		CALLS_END,
		CALLS_COUNTED, /* no begin, no end: its events alone matter, those until another thread had the CPU */
		CALLS_GONE,    /* the thread has ended, or executes another program */
		CALLS_LOST,    /* hits were lost here, of no one knows which thread */
	} kind;
	uint32_t pid, tid, function;
	uint64_t time_ns, sp; /* sp: the stack pointer, on entry and after the return; 0: unknown */
	double events[CALLS_EVENTS_MAX];
};

/* Quantities of a call: the time in ns, and events. */
enum { CALLS_TIME, CALLS_EVENT, CALLS_QUANTITIES = CALLS_EVENT + CALLS_EVENTS_MAX };

/* What the probes themselves take of a call: between its two hits; as a whole, which is in the time of callers; and of
 * a call without an end. */
struct calls_cost {
	double inside[CALLS_QUANTITIES], whole[CALLS_QUANTITIES], begin[CALLS_QUANTITIES];
};

struct calls_pairing {
	size_t functions_n, events_n;
	struct calls_cost costs[CALLS_FUNCTIONS_MAX];
	bool kernel[CALLS_FUNCTIONS_MAX]; /* functions of the kernel, whose stacks are small */
	bool begins_only[CALLS_FUNCTIONS_MAX];
	bool popped; /* the return address was on the stack: after the return, the stack pointer is beyond it (x86) */
};

/* A function's calls since the last calls_pairs_take(). */
struct calls_probed {
	uint64_t calls, returned, outermost;
	uint64_t left;	    /* calls whose end can not come any more: longjmp, the end of the thread, lost hits */
	uint64_t unmatched; /* ends without a beginning: begun before the probe was set, or in the parent of a fork */
	double self[CALLS_QUANTITIES], total[CALLS_QUANTITIES], all_ns;
	/* Calls that returned, by their time and events, less what the probes took. */
	uint64_t buckets[CALLS_QUANTITIES][CALLS_BUCKETS];
	struct {
		uint64_t calls;
		double ns;
	} callers[CALLS_FUNCTIONS_MAX + 1]; /* the last caller: code that is not probed */
};

/* Joins beginnings and ends of calls to calls, for each thread by a stack of its open calls. */
struct calls_pairs;
struct calls_pairs *calls_pairs_create(const struct calls_pairing *how);
void calls_pairs_destroy(struct calls_pairs *p);
/* Takes hits in order of time. */
void calls_pairs_add(struct calls_pairs *p, const struct calls_hit *hit);
/* Hands over the sums, and begins new ones; ret[functions_n].  Returns the number of calls that are open. */
size_t calls_pairs_take(struct calls_pairs *p, struct calls_probed *ret);

#endif
