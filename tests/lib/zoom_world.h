/* A small machine whose facts are in a real model, so that its snapshots follow any zoom. */
#ifndef TESTS_LIB_ZOOM_WORLD_H
#define TESTS_LIB_ZOOM_WORLD_H

#include <cyctop/view.h>

enum { Z_TASKS = 5, Z_SYMS = 5, Z_DSOS = 3, Z_CPUS = 4, Z_EVENTS = 2, Z_CGROUPS = 2 };

struct zoom_world {
	struct task_info tasks[Z_TASKS];
	struct sym_info syms[Z_SYMS];
	struct dso_info dsos[Z_DSOS];
	struct cgroup_info cgroups[Z_CGROUPS];
	struct ctx_info contexts[Z_CGROUPS * Z_SYMS];
	struct catalog cat;
	struct cpu_place places[Z_CPUS];
	struct model_names names;
	struct model *model;
	struct source_info info;
	enum event_role roles[Z_EVENTS];
	struct snapshot *snap;
	struct view_input in;
	struct view_state st;
	struct grid *g;
};
struct zoom_world *zoom_world_create(int rows, int cols);
void zoom_world_destroy(struct zoom_world *w);
/* Adds samples: every task runs each symbol of its own and of the kernel, on every CPU. */
void zoom_world_measure(struct zoom_world *w);
/* Takes a new snapshot for the open panes, and draws it. */
void zoom_world_refresh(struct zoom_world *w);
unsigned zoom_world_press(struct zoom_world *w, uint32_t key);
bool zoom_world_shows(const struct zoom_world *w, const char *text);

#endif
