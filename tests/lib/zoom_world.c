#include "zoom_world.h"
#include "grid_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDLE, WEB, WEB_THREAD, DB, SHELL };
enum { SERVE, PARSE, SCAN, LOOP, COPY };
enum { WEB_DSO, DB_DSO, KERNEL_DSO };

static const char *user(void *ctx, uint32_t uid)
{
	(void)ctx;
	return uid == 33 ? "www" : uid == 70 ? "postgres" : NULL;
}

static void fill_catalog(struct zoom_world *w)
{
	const struct task_info tasks[Z_TASKS] = {
		[IDLE] = {.comm = "swapper", .leader = IDLE, .uid = CATALOG_NONE, .idle = true},
		[WEB] = {.pid = 10,
			 .tid = 10,
			 .comm = "nginx",
			 .leader = WEB,
			 .uid = 33,
			 .parent = "init (1)",
			 .threads = 2},
		[WEB_THREAD] = {.pid = 10,
				.tid = 11,
				.comm = "nginx",
				.leader = WEB,
				.uid = 33,
				.parent = "init (1)",
				.threads = 1},
		[DB] = {.pid = 20,
			.tid = 20,
			.comm = "postgres",
			.leader = DB,
			.uid = 70,
			.parent = "init (1)",
			.threads = 1},
		[SHELL] = {.pid = 30,
			   .tid = 30,
			   .comm = "bash",
			   .leader = SHELL,
			   .uid = 33,
			   .parent = "sshd (7)",
			   .threads = 1},
	};
	const struct dso_info dsos[Z_DSOS] = {
		{.path = "/usr/sbin/nginx", .name = "nginx"},
		{.path = "/usr/bin/postgres", .name = "postgres"},
		{.path = "[kernel]", .name = "[kernel]", .kernel = true},
	};
	static const struct {
		const char *name;
		uint32_t dso;
	} syms[Z_SYMS] = {
		{"serve", WEB_DSO}, {"parse", WEB_DSO}, {"scan", DB_DSO}, {"loop", DB_DSO}, {"copy_user", KERNEL_DSO}};
	memcpy(w->tasks, tasks, sizeof(tasks));
	memcpy(w->dsos, dsos, sizeof(dsos));
	for (uint32_t i = 0; i < Z_SYMS; i++)
		w->syms[i] = (struct sym_info){.dso = syms[i].dso,
					       .resolved = i,
					       .row_sym = i,
					       .name = syms[i].name,
					       .kernel = syms[i].dso == KERNEL_DSO,
					       .origin = syms[i].dso == WEB_DSO ? ORIGIN_DYNSYM : ORIGIN_NONE};
	w->cgroups[0] = (struct cgroup_info){.id = 1, .named = true, .path = "/web.slice"};
	w->cgroups[1] = (struct cgroup_info){.id = 2, .named = true, .path = "/db.slice"};
	for (uint32_t i = 0; i < Z_CGROUPS * Z_SYMS; i++)
		w->contexts[i] = (struct ctx_info){.sym = i % Z_SYMS,
						   .cgroup = i / Z_SYMS,
						   .parallelism = 1 + i / Z_SYMS,
						   .caller = CATALOG_NONE,
						   .settled = i | CTX_EXTENDED};
	w->cat = (struct catalog){.tasks = w->tasks,
				  .syms = w->syms,
				  .dsos = w->dsos,
				  .tasks_n = Z_TASKS,
				  .syms_n = Z_SYMS,
				  .dsos_n = Z_DSOS,
				  .cgroups = w->cgroups,
				  .contexts = w->contexts,
				  .cgroups_n = Z_CGROUPS,
				  .contexts_n = ARRAY_LEN(w->contexts)};
}

static void fill_source(struct zoom_world *w)
{
	static const char *const names[Z_EVENTS] = {"cycles", "instructions"};
	static const char *const pmus[Z_EVENTS] = {"cpu", "cpu"};
	w->info.kind = "live";
	w->info.live = w->info.has_counters = w->info.has_files = w->info.has_owners = w->info.stays_at_end = true;
	w->info.scope = SCOPE_SYSTEM;
	strcpy(w->info.pmu, "cpu");
	w->info.cpus_n = Z_CPUS;
	w->info.events_n = Z_EVENTS;
	w->roles[0] = ROLE_CYCLES;
	w->roles[1] = ROLE_INSTRUCTIONS;
	for (int e = 0; e < Z_EVENTS; e++) {
		strcpy(w->info.events[e].spec.name, names[e]);
		w->info.events[e].spec.role = w->roles[e];
		w->info.events[e].available = true;
	}
	for (int c = 0; c < Z_CPUS; c++) {
		snprintf(w->places[c].core, sizeof(w->places[c].core), "%d:%d", c / 2, c % 2);
		w->places[c].socket = w->places[c].node = c / 2;
	}
	w->names = (struct model_names){
		.cat = &w->cat, .places = w->places, .cpus_n = Z_CPUS, .pmus = pmus, .events_n = Z_EVENTS};
}

/* The web server is in one cgroup, the other tasks are in the other. */
static uint32_t context(uint32_t task, uint32_t sym)
{
	bool web = task == WEB || task == WEB_THREAD;
	return CTX_EXTENDED | (sym + (web ? 0 : Z_SYMS));
}

void zoom_world_measure(struct zoom_world *w)
{
	struct counter_delta counters[Z_EVENTS * Z_CPUS];
	struct cpu_delta cpus[Z_CPUS];
	static const uint32_t of[Z_TASKS][3] = {[WEB] = {SERVE, PARSE, COPY},
						[WEB_THREAD] = {SERVE, PARSE, COPY},
						[DB] = {SCAN, LOOP, COPY},
						[SHELL] = {PARSE, LOOP, COPY}};
	for (uint32_t task = WEB; task < Z_TASKS; task++)
		for (uint32_t i = 0; i < 3; i++)
			for (uint32_t cpu = 0; cpu < Z_CPUS; cpu++)
				for (uint32_t n = 0; n < 4 + 3 * task + 2 * i + cpu; n++) {
					model_add(w->model, task, context(task, of[task][i]), cpu, 0, 1000);
					model_add(w->model, task, context(task, of[task][i]), cpu, 1, 1000);
				}
	for (size_t i = 0; i < Z_EVENTS * Z_CPUS; i++)
		counters[i] =
			(struct counter_delta){.value = 1000, .enabled_ns = 1000, .running_ns = 1000, .opened = true};
	for (size_t i = 0; i < Z_CPUS; i++)
		cpus[i] = (struct cpu_delta){.busy_ns = 400, .idle_ns = 600, .known = true, .online = true};
	struct interval_bounds b = {.start_ns = 1000000000, .end_ns = 2000000000, .counters = counters, .cpus = cpus};
	model_close(w->model, &b);
}

void zoom_world_refresh(struct zoom_world *w)
{
	struct pivot_query pivots[VIEWS_MAX];
	struct query query = w->st.query;
	query.roles = w->roles;
	query.pivots = pivots;
	query.pivots_n = view_pivots(&w->st, pivots);
	snapshot_destroy(w->snap);
	w->snap = snapshot_create(w->model, &w->names, &query);
	w->in.snap = w->snap;
	w->in.snap_id++;
	view_draw(&w->st, &w->in, w->g);
}

unsigned zoom_world_press(struct zoom_world *w, uint32_t key)
{
	unsigned react = view_key(&w->st, &w->in, w->g, &(struct input_event){.key = key});
	if (react & REACT_QUERY)
		zoom_world_refresh(w);
	else
		view_draw(&w->st, &w->in, w->g);
	return react;
}

bool zoom_world_shows(const struct zoom_world *w, const char *text)
{
	char *all = grid_text(w->g);
	bool shows = strstr(all, text) != NULL;
	free(all);
	return shows;
}

struct zoom_world *zoom_world_create(int rows, int cols)
{
	struct zoom_world *w = calloc(1, sizeof(*w));
	struct model_config config = {
		.events_n = Z_EVENTS, .cpus_n = Z_CPUS, .keep_ns = 60000000000ull, .keep_bytes = 1 << 20};
	if (!w)
		abort();
	fill_catalog(w);
	fill_source(w);
	w->model = model_create(&config);
	w->in = (struct view_input){
		.cat = &w->cat, .names = &w->names, .info = &w->info, .roles = w->roles, .user = user};
	w->g = grid_create(rows, cols);
	view_state_init(&w->st, &w->in);
	w->st.query.window = WINDOW_INTERVAL;
	zoom_world_measure(w);
	zoom_world_refresh(w);
	return w;
}

void zoom_world_destroy(struct zoom_world *w)
{
	view_state_deinit(&w->st);
	grid_destroy(w->g);
	snapshot_destroy(w->snap);
	model_destroy(w->model);
	free(w);
}
