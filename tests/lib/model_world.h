/* A small machine for tests of the model: the test adds facts and takes snapshots. */
#ifndef TESTS_LIB_MODEL_WORLD_H
#define TESTS_LIB_MODEL_WORLD_H

#include "usual_pivots.h"

#include <cyctop/model.h>

/* Four events on two CPUs; three tasks: idle, and a process with two threads; five symbols, of
 * which PENDING resolves to another one, and KERNEL is idle time in the idle task. */
enum { CYCLES, INSTRUCTIONS, REFERENCES, MISSES, EVENTS };
enum { CPUS = 2 };
enum { IDLE, APP, APP_THREAD, SELF, TASKS };
enum { HOT, COLD, KERNEL, PENDING, IRQ, SYMS };

struct world {
	struct task_info tasks[TASKS];
	struct sym_info syms[SYMS];
	struct dso_info dsos[1];
	struct catalog cat;
	struct model *model;
	struct counter_delta counters[EVENTS * CPUS];
	struct cpu_delta cpus[CPUS];
	/* of the next tick() */
	struct task_cpu processes[TASKS], threads[TASKS];
	size_t processes_n, threads_n;
	uint64_t unlisted_cpu_ns;
	struct model_config config;
	uint64_t now_ns;
};

extern const enum event_role roles[EVENTS];
void world_init(struct world *w);
/* Replaces the model, which must be empty, by one with another configuration. */
void world_model(struct world *w, const struct model_config *config);
/* Closes an interval of one second. */
void tick(struct world *w);
/* Adds `n` samples. */
void add(struct world *w, uint32_t task, uint32_t sym, uint32_t cpu, uint32_t event, int n, uint64_t period);
/* A query of the last interval by the usual pivots. */
struct query query(void);
struct snapshot *look(struct world *w, struct query q);
/* Finds the row of a symbol or task that is not idle time; NULL: there is none. */
const struct row *find(const struct pivot *p, uint32_t sym, uint32_t task);
const struct metric *metric(const char *id);

#endif
