/* A machine of 64 CPUs with two events, cycles and instructions, on which the same functions run everywhere. */
#ifndef TESTS_LIB_BIG_WORLD_H
#define TESTS_LIB_BIG_WORLD_H

#include <cyctop/model.h>

enum { BIG_CPUS = 64, BIG_EVENTS = 2, BIG_FUNCTIONS = 2000, BIG_TASKS = 8 };
/* Tasks and functions that are of a kind of their own; the rest are those of user programs. */
enum { BIG_IDLE, BIG_SELF, BIG_KERNEL_TASK };
enum { BIG_IDLE_LOOP, BIG_INTERRUPTS, BIG_KERNEL_CODE };

static const uint64_t second_ns __attribute__((unused)) = 1000000000;

struct big {
	struct task_info tasks[BIG_TASKS];
	struct sym_info syms[BIG_FUNCTIONS];
	struct dso_info dsos[1];
	struct counter_delta counters[BIG_EVENTS * BIG_CPUS];
	struct cpu_delta cpus[BIG_CPUS];
	struct catalog cat;
	struct model_names names;
	struct model *model;
	uint64_t now_ns, random, samples;
	bool has_cat;	/* when intervals are closed: only then there are thin ones */
	bool has_costs; /* a third of the samples, nearly all of it not 0 */
};
/* The caller destroys b->model. */
void big_init(struct big *b, size_t bound, bool has_cat);
/* A second in which so many functions ran. */
void big_tick(struct big *b, uint32_t functions, int samples_n);
/* The query with these pivots and their series. */
struct snapshot *big_look(struct big *b, struct query q, const struct pivot_query *pivots, size_t n);

#endif
