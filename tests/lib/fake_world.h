/* A small machine made by hand, as the view and the fronts see one: a snapshot,
 * its catalog and its source, with numbers a reader can check in the head.
 *
 * 5 s on 2 CPUs, events cycles, instructions, cache-references, cache-misses; the
 * last runs a quarter of the time.  Names hold what names should not: commas,
 * quotes, newlines, escape sequences, bytes that are no UTF-8.  A test may change
 * anything before it looks. */
#ifndef TESTS_LIB_FAKE_WORLD_H
#define TESTS_LIB_FAKE_WORLD_H

#include <cyctop/view.h>

enum fake_event { FAKE_CYCLES, FAKE_INSTRUCTIONS, FAKE_REFERENCES, FAKE_MISSES, FAKE_EVENTS };
enum fake_dso { FAKE_KERNEL, FAKE_LIBC, FAKE_SHOP, FAKE_ODD_DSO, FAKE_UNKNOWN, FAKE_DSOS };
enum fake_sym {
	FAKE_SCHEDULE,	 /* kernel */
	FAKE_MEMCPY,	 /* libc */
	FAKE_PARSE,	 /* shop: a mangled name, pretty "shop::Cart::parse(std::string, int)" */
	FAKE_ODD,	 /* shop: U+00E9, a quote, a comma */
	FAKE_NEWLINE,	 /* odd dso: a newline, an escape sequence, invalid UTF-8 */
	FAKE_PENDING,	 /* libc: its names are still being read */
	FAKE_UNRESOLVED, /* unknown */
	FAKE_SYMS,
};
enum fake_task {
	FAKE_IDLE,
	FAKE_SHOPD,	   /* leader, 3 threads, uid 1000 */
	FAKE_SHOPD_WORKER, /* its thread */
	FAKE_QUOTED,	   /* comm `a,"b`, uid unknown */
	FAKE_BAD_UTF8,	   /* comm with an invalid byte; exited */
	FAKE_KWORKER,	   /* kernel thread */
	FAKE_TASKS,
};
enum { FAKE_CPUS = 2 };

struct fake_world {
	struct view_input in; /* points into the rest */
	struct snapshot snap;
	struct catalog cat;
	struct source_info info;
	enum event_role roles[EVENTS_MAX];
	struct task_info tasks[FAKE_TASKS];
	struct sym_info syms[FAKE_SYMS];
	struct dso_info dsos[FAKE_DSOS];
	struct row symbol_rows[FAKE_SYMS + 1]; /* the last: idle */
	struct row task_rows[FAKE_TASKS];
	struct row cpu_rows[FAKE_CPUS];
	struct sum sums[FAKE_SYMS + 1 + FAKE_TASKS + FAKE_CPUS][FAKE_EVENTS];
	struct cpu_total cpus[FAKE_CPUS];
	double counts[FAKE_CPUS][FAKE_EVENTS], running[FAKE_CPUS][FAKE_EVENTS];
	enum count_state states[FAKE_CPUS][FAKE_EVENTS];
};
/* Points into itself: never copy one. */
struct fake_world *fake_world_create(void);
void fake_world_destroy(struct fake_world *w);

/* The table rows as of a snapshot made by process; with `by_thread`, FAKE_SHOPD
 * and its worker are two rows. */
void fake_world_by_thread(struct fake_world *w);
/* A machine without PMU: one clock event. */
void fake_world_clock_only(struct fake_world *w);
/* What a metric event looks like that was enabled and never ran. */
void fake_world_never(struct fake_world *w, enum fake_event event);

#endif
