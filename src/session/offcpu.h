/* How long threads were off their CPUs, from context switches: from the switch by which a thread leaves its CPU to the
 * next one that brings it back, placed at the task and the code that it left from.
 *
 *   thread  ──runs──┐ leave                       enter ┌──runs──
 *                   └──────── off the CPU ──────────────┘
 *   intervals           ├──── counted here ────┼─ here ─┤
 *
 * Records of different CPUs come in any order, so that switches wait until no earlier one can come.  What a thread that
 * is still away has waited so far counts when an interval ends, and only the rest later.  A thread that had left before
 * the first switch was seen, or when some were lost, has waited for a time that nobody knows: nothing is counted. */
#ifndef SESSION_OFFCPU_H
#define SESSION_OFFCPU_H

#include "base/alloc.h"
#include "base/index.h"

#include <cyctop/model.h>

enum { OFFCPU_REST_MOST = 30 }; /* intervals */

enum offcpu_kind {
	OFFCPU_LEAVE,
	OFFCPU_ENTER,
	OFFCPU_END, /* the thread ends; it may be switched a few times more */
	OFFCPU_BEGIN,
	OFFCPU_LOST, /* switches were lost, nobody knows of which threads */
};
struct offcpu_switch {
	uint64_t time_ns;
	uint32_t tid, order; /* order: of switches of the same time */
	enum offcpu_kind kind;
	uint32_t task, ctx; /* OFFCPU_LEAVE: where the thread was */
	uint16_t cpu;
};
/* A thread that left its CPU.  `since_ns`: what it waited before that is counted; or when it ended. */
struct offcpu_thread {
	uint32_t tid, task, ctx;
	uint16_t cpu;
	bool ended;
	uint64_t since_ns;
};
struct offcpu {
	bool used;
	uint16_t event;
	unsigned cpus_n;
	uint64_t *sums;	    /* [cpus_n]: all that was counted, in ns */
	uint64_t *running;  /* [cpus_n]: for how long it was measured */
	uint64_t *rested;   /* [cpus_n]: what of its counter's time does not count */
	uint64_t *switches; /* [cpus_n]: number of switches, lost ones included, and before this interval */
	uint64_t *switches_before;
	unsigned pause; /* intervals for which nothing will be measured */
	struct index by_tid;
	VEC(struct offcpu_thread) threads;
	VEC(struct offcpu_switch) waiting;
	VEC(struct model_sample) counted; /* not taken yet */
	uint64_t unknown;		  /* times that nobody knows since offcpu_unknown() */
};
/* Without this call, with all members 0, nothing is counted, and the functions do nothing. */
void offcpu_init(struct offcpu *o, uint16_t event, unsigned cpus_n);
void offcpu_deinit(struct offcpu *o);
/* Forgets all threads. */
void offcpu_forget(struct offcpu *o);
/* Notes a switch, whose `order` is set here. */
void offcpu_note(struct offcpu *o, const struct offcpu_switch *s);
/* Applies the switches that were noted: no earlier ones will come. */
void offcpu_apply(struct offcpu *o);
/* Counts what the threads that are away have waited until now, the end of an interval. */
void offcpu_count(struct offcpu *o, uint64_t now_ns);
/* Moves up to `cap` counted times to *ret, as samples whose periods are nanoseconds.  Call it until it returns 0. */
size_t offcpu_take(struct offcpu *o, struct model_sample *ret, size_t cap);
/* Gives the threads the contexts that theirs resolved to; see model_rekey(). */
void offcpu_rekey(struct offcpu *o, const struct catalog *cat);
/* Ends an interval of `ns`, in which a switch cost `switch_ns` of its CPU: returns true if the next one should not be
 * measured, so that all together cost at most LIMIT_SWITCHES_COST percent of the CPU with most switches.  What threads
 * wait meanwhile is left out. */
bool offcpu_rest(struct offcpu *o, uint64_t ns, double switch_ns);
/* Returns how many times nobody knows, since the last call, because switches were lost. */
uint64_t offcpu_unknown(struct offcpu *o);

#endif
