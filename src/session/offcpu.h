/* How long threads were off their CPUs, from context switches: from the switch by which a thread leaves its CPU to the
 * switch by which it returns.  The time is counted at the task and the code where the thread left.
 *
 *   thread  ──runs──┐ leave                       enter ┌──runs──
 *                   └──────── off the CPU ──────────────┘
 *   intervals           ├──── counted here ────┼─ here ─┤
 *
 * Records of different CPUs come in any order, so switches wait until no earlier switch can come.  If a thread is still
 * away when an interval ends, its wait so far is counted then, and only the rest later.  If the switch by which a
 * thread left was lost, or came before the measurement, the length of its wait is unknown, and nothing is counted. */
#ifndef SESSION_OFFCPU_H
#define SESSION_OFFCPU_H

#include "base/alloc.h"
#include "base/index.h"

#include <cyctop/model.h>

enum { OFFCPU_REST_MOST = 30 }; /* longest pause of measuring switches, in intervals */

enum offcpu_kind {
	OFFCPU_LEAVE,
	OFFCPU_ENTER,
	OFFCPU_END, /* the thread ends; it may be switched a few times more */
	OFFCPU_BEGIN,
	OFFCPU_LOST, /* switches of unknown threads were lost: any thread may have come or gone */
};
struct offcpu_switch {
	uint64_t time_ns;
	uint32_t tid, order; /* order: number among switches at the same time */
	enum offcpu_kind kind;
	uint32_t task, ctx; /* OFFCPU_LEAVE: task and context in which the thread left */
	uint16_t cpu;
};
/* A thread that left its CPU.  since_ns: start of the part of its wait that is not counted yet; if `ended`, the time
 * when it ended. */
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
	uint64_t *sums;	     /* [cpus_n]: all time that was counted, in ns */
	uint64_t *running;   /* [cpus_n]: time in which switches were measured, in ns */
	uint64_t *paused_ns; /* [cpus_n]: pauses, in which the counter ran but is not used, in ns */
	uint64_t *switches;  /* [cpus_n]: number of switches, including lost ones; _before: when the interval began */
	uint64_t *switches_before;
	unsigned pause_intervals; /* number of coming intervals that will not be measured */
	struct index by_tid;
	VEC(struct offcpu_thread) threads;
	VEC(struct offcpu_switch) waiting;
	VEC(struct model_sample) counted; /* times off the CPU, until offcpu_take() takes them */
	uint64_t unknown;		  /* number of waits of unknown length since the last offcpu_unknown() */
};
/* Prepares for counting.  Without this call, with all members 0, the other functions do nothing. */
void offcpu_init(struct offcpu *o, uint16_t event, unsigned cpus_n);
void offcpu_deinit(struct offcpu *o);
/* Forgets all threads and switches. */
void offcpu_forget(struct offcpu *o);
/* Stores a switch for offcpu_apply(). */
void offcpu_note(struct offcpu *o, const struct offcpu_switch *s);
/* Applies the noted switches in order of time.  No earlier switch may follow. */
void offcpu_apply(struct offcpu *o);
/* Counts the waits of threads that are off the CPU, up to now, the end of an interval. */
void offcpu_count(struct offcpu *o, uint64_t now_ns);
/* Moves up to `cap` counted times to *ret, as samples whose periods are nanoseconds.  Call it until it returns 0. */
size_t offcpu_take(struct offcpu *o, struct model_sample *ret, size_t cap);
/* Replaces the contexts of threads by the contexts that they were resolved to since: see model_rekey(). */
void offcpu_rekey(struct offcpu *o, const struct catalog *cat);
/* Ends an interval of `ns`, in which each switch took `switch_ns` of CPU time.  Returns true if the next interval
 * should be skipped, so that on average switches cost at most LIMIT_SWITCHES_COST percent of each CPU.  Waits in a
 * skipped interval are not counted. */
bool offcpu_rest(struct offcpu *o, uint64_t ns, double switch_ns);
/* Returns how many waits of unknown length there were since the last call, because switches were lost. */
uint64_t offcpu_unknown(struct offcpu *o);

#endif
