/* A small hand-made machine as input of views and fronts: a snapshot, its catalog and its
 * source, with numbers that are easy to check.
 *
 * 5 s on 2 CPUs, events cycles, instructions, cache-references, cache-misses; the last one
 * runs a quarter of the time.  Names contain difficult characters: commas, quotes, newlines,
 * escape sequences, bytes that are not UTF-8.  A test may change everything before it uses
 * the world. */
#ifndef TESTS_LIB_FAKE_WORLD_H
#define TESTS_LIB_FAKE_WORLD_H

#include "usual_pivots.h"

#include <cyctop/view.h>

enum fake_event { FAKE_CYCLES, FAKE_INSTRUCTIONS, FAKE_REFERENCES, FAKE_MISSES, FAKE_EVENTS };
enum fake_dso { FAKE_KERNEL, FAKE_LIBC, FAKE_SHOP, FAKE_ODD_DSO, FAKE_UNKNOWN, FAKE_DSOS };
enum fake_sym {
	FAKE_SCHEDULE,	 /* in the kernel */
	FAKE_MEMCPY,	 /* in libc */
	FAKE_PARSE,	 /* in shop: a mangled name, demangled "shop::Cart::parse(std::string, int)" */
	FAKE_ODD,	 /* in shop: U+00E9, a quote, a comma */
	FAKE_NEWLINE,	 /* in a DSO with an odd name: a newline, an escape sequence, invalid UTF-8 */
	FAKE_PENDING,	 /* in libc: the symbol table is still being read */
	FAKE_UNRESOLVED, /* without a name */
	FAKE_SYMS,
};
enum fake_task {
	FAKE_IDLE,
	FAKE_SHOPD,	   /* leader of 3 threads, uid 1000 */
	FAKE_SHOPD_WORKER, /* a thread of shopd */
	FAKE_QUOTED,	   /* comm `a,"b`, uid unknown */
	FAKE_BAD_UTF8,	   /* comm with an invalid byte; exited */
	FAKE_KWORKER,	   /* kernel thread */
	FAKE_TASKS,
};
enum { FAKE_CPUS = 2 };

struct fake_world {
	struct view_input in; /* points to the fields below */
	struct snapshot snap;
	struct pivot pivots[USUAL_PIVOTS]; /* snap.pivots */
	struct model_names names;
	struct catalog cat;
	struct source_info info;
	enum event_role roles[EVENTS_MAX];
	struct task_info tasks[FAKE_TASKS];
	struct sym_info syms[FAKE_SYMS];
	struct dso_info dsos[FAKE_DSOS];
	struct row symbol_rows[FAKE_SYMS + 1]; /* the last row is the idle time */
	struct row task_rows[FAKE_TASKS];
	struct row cpu_rows[FAKE_CPUS];
	struct sum sums[FAKE_SYMS + 1 + FAKE_TASKS + FAKE_CPUS][FAKE_EVENTS];
	struct cpu_total cpus[FAKE_CPUS];
	double counts[FAKE_CPUS][FAKE_EVENTS], running[FAKE_CPUS][FAKE_EVENTS];
	enum count_state states[FAKE_CPUS][FAKE_EVENTS];
};
/* Must not be copied, because it has pointers to its own fields. */
struct fake_world *fake_world_create(void);
void fake_world_destroy(struct fake_world *w);

/* Sets the rows of the table of processes; `by_thread`: of threads, so that FAKE_SHOPD and its
 * worker are two rows. */
void fake_world_by_thread(struct fake_world *w);
/* Makes it a machine without a PMU, with a single clock event. */
void fake_world_clock_only(struct fake_world *w);
/* Makes an event enabled but never running. */
void fake_world_never(struct fake_world *w, enum fake_event event);
/* Makes the cache misses an event of a PMU that takes no samples, and counted 62.5 joules on CPU 0. */
void fake_world_counted(struct fake_world *w);

#endif
