/* A busy server made by hand, as the view sees one: a web server, a database, a
 * compiler, the kernel, on as many CPUs as a test likes.  For screens that should
 * look like real ones; fake_world.h is the small one with hostile names. */
#ifndef TESTS_LIB_SERVER_WORLD_H
#define TESTS_LIB_SERVER_WORLD_H

#include <cyctop/view.h>

enum { SERVER_SYMS = 44, SERVER_TASKS = 26, SERVER_CPUS_MAX = 1024, SERVER_EVENTS = 4 };

struct server_world {
	struct view_input in; /* points into the rest */
	struct snapshot snap;
	struct catalog cat;
	struct source_info info;
	enum event_role roles[EVENTS_MAX];
	struct task_info tasks[SERVER_TASKS];
	struct sym_info syms[SERVER_SYMS];
	struct dso_info dsos[12];
	struct row symbol_rows[SERVER_SYMS + 1]; /* the last: idle */
	struct row task_rows[SERVER_TASKS];
	struct row *cpu_rows;
	struct sum (*sums)[SERVER_EVENTS];
	struct cpu_total *cpus;
	unsigned pretty_calls;
};
/* Points into itself: never copy one. */
struct server_world *server_world_create(unsigned cpus);
void server_world_destroy(struct server_world *w);
/* The next refresh of the same machine: all numbers a little different. */
void server_world_jitter(struct server_world *w, unsigned seed);
/* A virtual machine without PMU. */
void server_world_clock_only(struct server_world *w);
/* As a snapshot with query.only_task or only_sym set would be. */
void server_world_zoom_task(struct server_world *w, uint32_t task);
void server_world_zoom_sym(struct server_world *w, uint32_t sym);

#endif
