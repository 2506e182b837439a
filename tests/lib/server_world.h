/* The input of room view for a made-up busy server: web server, database, compiler and kernel, on any
 * number of CPUs.  fake_world.h is a small one with hostile names. */
#ifndef TESTS_LIB_SERVER_WORLD_H
#define TESTS_LIB_SERVER_WORLD_H

#include "usual_pivots.h"

#include <cyctop/view.h>

enum { SERVER_SYMS = 44, SERVER_TASKS = 26, SERVER_CPUS_MAX = 1024, SERVER_EVENTS = 4 };

struct server_world {
	struct view_input in; /* points to the fields below */
	struct snapshot snap;
	struct pivot pivots[USUAL_PIVOTS]; /* snap.pivots */
	struct model_names names;
	struct catalog cat;
	struct source_info info;
	enum event_role roles[EVENTS_MAX];
	struct task_info tasks[SERVER_TASKS];
	struct sym_info syms[SERVER_SYMS];
	struct dso_info dsos[12];
	struct row symbol_rows[SERVER_SYMS + 1]; /* the last row is the idle time */
	struct row task_rows[SERVER_TASKS];
	struct row *cpu_rows;
	struct sum (*sums)[SERVER_EVENTS];
	struct cpu_total *cpus;
	unsigned pretty_calls;
	struct comparison comparison; /* server_world_compare() */
	struct compared compared[2];
	struct diff diffs[2];
	struct row gone;
	struct sum no_sums[SERVER_EVENTS];
};
/* Must not be copied, since it has pointers to its own fields. */
struct server_world *server_world_create(unsigned cpus);
void server_world_destroy(struct server_world *w);
/* Changes all numbers a little, as the next refresh does. */
void server_world_jitter(struct server_world *w, unsigned seed);
/* Compares symbols and tasks with a baseline: the hottest function takes 20 % more, the fourth 35 % less, the fifth is
 * new, the last one is gone, the third has half of its IPC; of the rest nothing is known but that a change of 9 % would
 * have been found.  The second task takes 20 % more. */
void server_world_compare(struct server_world *w);
/* Makes it a machine without a PMU. */
void server_world_clock_only(struct server_world *w);
/* Sets the queries of the tables to those of `st`; the rows do not change. */
void server_world_answer(struct server_world *w, const struct view_state *st);
/* Keeps only the rows that a snapshot has after a zoom on a task or symbol. */
void server_world_zoom_task(struct server_world *w, uint32_t task);
void server_world_zoom_sym(struct server_world *w, uint32_t sym);

#endif
