#include "model_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const enum event_role roles[EVENTS] = {ROLE_CYCLES, ROLE_INSTRUCTIONS, ROLE_CACHE_REFERENCES, ROLE_CACHE_MISSES};

void world_model(struct world *w, const struct model_config *config)
{
	model_destroy(w->model);
	w->model = model_create(config);
	w->config = *config;
}

void world_init(struct world *w)
{
	*w = (struct world){
		.tasks = {[IDLE] = {.comm = "[idle]", .leader = IDLE, .idle = true},
			  [APP] = {.pid = 10, .tid = 10, .comm = "app", .leader = APP, .parent = "sh (9)"},
			  [APP_THREAD] = {.pid = 10, .tid = 11, .comm = "app", .leader = APP, .parent = "sh (9)"},
			  [SELF] = {.pid = 20,
				    .tid = 20,
				    .comm = "cyctop",
				    .leader = SELF,
				    .self = true,
				    .parent = "bash (8)"}},
		.syms = {[HOT] = {.resolved = HOT, .row_sym = HOT, .name = "hot", .origin = ORIGIN_JVM},
			 [COLD] = {.resolved = COLD, .row_sym = COLD, .name = "cold"},
			 [KERNEL] =
				 {.resolved = KERNEL, .row_sym = KERNEL, .name = "sys", .kernel = true, .idles = true},
			 [IRQ] = {.resolved = IRQ, .row_sym = IRQ, .name = "irq", .kernel = true},
			 [PENDING] = {.resolved = HOT, .row_sym = HOT, .name = "0x10"}},
		.dsos = {{.path = "/bin/app", .name = "app"}},
	};
	w->cat = (struct catalog){w->tasks, w->syms, w->dsos, TASKS, SYMS, 1};
	struct model_config config = {
		.events_n = EVENTS,
		.cpus_n = CPUS,
		.keep_ns = 60000000000ull,
		.keep_bytes = 1 << 20,
		.time = {.basis = TIME_BASIS_CYCLES, .events = 1 << CYCLES, .all_tasks = true},
	};
	world_model(w, &config);
	for (size_t i = 0; i < EVENTS * CPUS; i++)
		w->counters[i] =
			(struct counter_delta){.value = 1000, .enabled_ns = 1000, .running_ns = 1000, .opened = true};
	for (size_t i = 0; i < CPUS; i++)
		w->cpus[i] = (struct cpu_delta){.busy_ns = 400, .idle_ns = 600, .known = true, .online = true};
	w->now_ns = 1000000000;
}

void tick(struct world *w)
{
	struct interval_bounds b = {.start_ns = w->now_ns,
				    .end_ns = w->now_ns + 1000000000,
				    .counters = w->counters,
				    .cpus = w->cpus,
				    .self_cpu_ns = 5000000,
				    .processes = w->processes,
				    .processes_n = w->processes_n,
				    .threads = w->threads,
				    .threads_n = w->threads_n,
				    .unlisted_cpu_ns = w->unlisted_cpu_ns,
				    .cat = &w->cat};
	model_close(w->model, &b);
	w->now_ns = b.end_ns;
	w->processes_n = w->threads_n = 0;
	w->unlisted_cpu_ns = 0;
}

void add(struct world *w, uint32_t task, uint32_t sym, uint32_t cpu, uint32_t event, int n, uint64_t period)
{
	for (int i = 0; i < n; i++)
		model_add(w->model, task, sym, cpu, event, period);
}

struct query query(void)
{
	return (struct query){
		.window = WINDOW_INTERVAL,
		.sliding_ns = 5000000000ull,
		.pivots = usual_pivots,
		.pivots_n = USUAL_PIVOTS,
		.roles = roles,
	};
}

struct snapshot *look(struct world *w, struct query q)
{
	const struct model_names names = {.cat = &w->cat, .cpus_n = CPUS, .events_n = EVENTS};
	return snapshot_create(w->model, &names, &q);
}

const struct row *find(const struct pivot *t, uint32_t sym, uint32_t task)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].sym == sym && t->rows[i].task == task && !t->rows[i].idle)
			return &t->rows[i];
	return NULL;
}

const struct metric *metric(const char *id)
{
	for (size_t i = 0; i < metrics_builtin.n; i++)
		if (strcmp(metrics_builtin.v[i].id, id) == 0)
			return &metrics_builtin.v[i];
	fail_msg("no metric %s", id);
	return NULL;
}
