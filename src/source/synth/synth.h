/* The state of a running script, shared by the files that generate its records. */
#ifndef SOURCE_SYNTH_SYNTH_H
#define SOURCE_SYNTH_SYNTH_H

#include "base/alloc.h"
#include "base/index.h"
#include "source/synth/ring.h"
#include "source/synth/script.h"

/* An item: a record that is to be written to a CPU's ring in the current interval. */
struct item {
	uint64_t time;
	uint32_t seq; /* position in the script, by which items of equal times are ordered */
	uint32_t event, pid, tid;
	uint64_t ip, period, cgroup;
	uint64_t data, data_src, latency; /* SAMPLE_ADDR, DATA_SRC, WEIGHT of a memory access */
	uint16_t misc;
	struct script_list callers; /* symbols, the innermost caller first */
	const struct stmt *stmt;    /* statement that makes another kind of record; NULL: a sample, described above */
};

struct simulation;

/* What one event counts on one CPU in one interval. */
struct step {
	uint64_t value, enabled_ns, running_ns, lost;
};

/* A task whose CPU time is known; tid 0: the whole process. */
struct synth_task {
	uint32_t pid, tid;
	uint64_t cpu_ns, step_ns; /* CPU time: cpu_ns up to the last interval's end, step_ns since then */
	bool ended;
};

struct synth {
	struct source source;
	struct script script;
	struct source_info info;
	struct record_layout layout;

	struct synth_ring *data, *side; /* [cpus_n] */
	struct counter *counters;	/* [event * cpus_n + cpu] */
	struct cpu_time *times;		/* [cpus_n] */
	VEC(struct synth_task) tasks;
	struct index by_task;
	struct lane *lanes;		/* [2 * cpus_n]: the sideband lanes, then the data lanes */
	uint32_t *dso_syms, *dso_first; /* dso_syms: symbol ids, by DSO; dso_first[dso]: index in dso_syms */

	/* for generating an interval: */
	VEC(struct script_map) maps;	 /* current mappings */
	VEC(struct item) items;		 /* of the current CPU and interval */
	VEC(uint64_t) chain;		 /* call chain of `rec` */
	struct record rec;		 /* the current sample; reused, because most fields stay the same */
	uint64_t rng;			 /* state of synth_random() */
	struct simulation **simulations; /* [simulation * cpus_n + cpu]; NULL: not begun */
	uint64_t intervals;		 /* number of intervals generated so far */
	size_t tick;			 /* index of the next tick */
	uint64_t tick_times;		 /* number of times that the tick at `tick` was generated so far */
	bool over;			 /* the script has ended */

	/* for `replay`: counts and times of the last interval, and positions of its bytes in the data rings: */
	struct step *steps; /* [event * cpus_n + cpu] */
	uint64_t *busy_ns;  /* [cpus_n] */
	uint64_t *replay_from, *replay_to;
	bool replaying;

	/* the clock; intervals pass in real time if `realtime`, otherwise one at each advance(): */
	bool realtime;
	uint64_t wall_base; /* CLOCK_MONOTONIC in ns when interval 0 began */
	uint64_t passed;    /* number of intervals that had passed at the last advance() */
};

/* ---- generating intervals: generate.c --------------------------------------------- */

/* Generates the next interval: writes to the rings, and adds to the counters.  Does nothing after the script's end. */
void generate_interval(struct synth *sy);

/* ---- shared by the generators: put.c --------------------------------------------------- */

/* Writes *rec to the ring.  Returns false if there is no room: the record is lost, as in the kernel. */
bool generate_record(struct synth *sy, struct synth_ring *ring, const struct record *rec);
/* Adds an item to sy->items, and sets its `seq`. */
void generate_item(struct synth *sy, struct item item);
uint64_t synth_id(const struct synth *sy, uint32_t event, uint32_t cpu); /* sample id */
bool synth_identify(struct source *src, uint64_t id, uint32_t *event_ret, uint32_t *cpu_ret);
bool synth_opened(const struct synth *sy, uint32_t event, uint32_t cpu); /* the event is open on the CPU */
uint64_t synth_random(struct synth *sy, uint64_t below);		 /* random number from 0 to below - 1 */

/* ---- load statements: load.c ------------------------------------------------------ */

/* Adds the samples of a `load` on one CPU to sy->items.  Returns the time in ns for which the CPU is busy.  `start`:
 * time at which the interval starts. */
uint64_t load_generate(struct synth *sy, const struct stmt *st, uint32_t cpu, uint64_t start);

/* ---- simulate statements: tests/simulate, linked into tests only --------------------- */

/* Simulates one CPU for an interval: adds samples to sy->items, and counts to steps[event].  Returns the time in ns for
 * which the CPU is busy. */
uint64_t simulate_generate(struct synth *sy, const struct stmt *st, uint32_t cpu, uint64_t start, struct step *steps)
	__attribute__((weak));
void simulate_deinit(struct synth *sy) __attribute__((weak));

/* ---- adding up CPU times of tasks: sched.c ---------------------------------------- */

void sched_begin(struct synth *sy);
void sched_end(struct synth *sy);
/* Adds `ns` to the CPU time that a task and its process use in the current interval. */
void sched_ran(struct synth *sy, uint32_t pid, uint32_t tid, uint64_t ns);
/* Apply those statements of a tick that take effect at its start (fork, ran), or at its end (exit). */
void sched_enter(struct synth *sy, const struct script_tick *tick);
void sched_leave(struct synth *sy, const struct script_tick *tick);
/* Begin and end an interval.  The end adds each task's step_ns to its cpu_ns.  If an interval is replayed, only its end
 * is called, which adds the step_ns of the interval before again. */
void sched_begin_interval(struct synth *sy);
void sched_end_interval(struct synth *sy);
/* Implement source_ops.processes and source_ops.task_times. */
void synth_processes(struct source *src, void (*add_pid)(void *ctx, uint32_t pid), void *ctx);
void synth_task_times(struct source *src, struct task_time *tasks, size_t n);

/* ---- writing tasks and mappings: world.c ------------------------------------------ */

/* Writes the sideband records of the tasks and mappings that exist at the start. */
void world_begin(struct synth *sy);
/* Apply those statements of a tick that change mappings: world_enter() before its samples are made, world_leave()
 * afterwards. */
void world_enter(struct synth *sy, const struct script_tick *tick);
void world_leave(struct synth *sy, const struct script_tick *tick);
/* Writes the sideband records of a statement such as fork, exec or comm. */
void world_record(struct synth *sy, const struct stmt *st, uint64_t time);
/* Returns the address that a symbol has in a process.  *misc_ret: the cpumode in which its code runs. */
uint64_t world_address(const struct synth *sy, uint32_t pid, uint32_t sym, uint16_t *misc_ret);

#endif
