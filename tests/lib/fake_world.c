#include "fake_world.h"
#include "random_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Weights are in millions of events: one sample stands for one million. */
#define MEGA 1e6

static const struct {
	const char *name;
	enum event_role role;
	double running;
} fake_events[FAKE_EVENTS] = {
	[FAKE_CYCLES] = {"cycles", ROLE_CYCLES, 1},
	[FAKE_INSTRUCTIONS] = {"instructions", ROLE_INSTRUCTIONS, 1},
	[FAKE_REFERENCES] = {"cache-references", ROLE_CACHE_REFERENCES, 1},
	[FAKE_MISSES] = {"cache-misses", ROLE_CACHE_MISSES, 0.25},
};

static const struct dso_info fake_dsos[FAKE_DSOS] = {
	[FAKE_KERNEL] = {.path = "[kernel]", .name = "[kernel]", .kernel = true},
	[FAKE_LIBC] = {.path = "/usr/lib/x86_64-linux-gnu/libc.so.6", .name = "libc.so.6"},
	[FAKE_SHOP] = {.path = "/opt/shop/bin/shopd", .name = "shopd"},
	[FAKE_ODD_DSO] = {.path = "/tmp/a, \"b\"\n\xff.so", .name = "a, \"b\"\n\xff.so", .deleted = true},
	[FAKE_UNKNOWN] = {.path = "[unknown]", .name = "[unknown]", .why = "no mapping covers the address"},
};

static const struct sym_info fake_syms[FAKE_SYMS] = {
	[FAKE_SCHEDULE] = {.dso = FAKE_KERNEL, .name = "schedule", .kernel = true, .origin = ORIGIN_KALLSYMS},
	[FAKE_MEMCPY] = {.dso = FAKE_LIBC, .name = "memcpy", .origin = ORIGIN_DEBUG_FILE, .addr = 0xa0f40},
	[FAKE_PARSE] = {.dso = FAKE_SHOP,
			.name = "_ZN4shop4Cart5parseESsi",
			.pretty = "shop::Cart::parse(std::string, int)"},
	[FAKE_ODD] = {.dso = FAKE_SHOP, .name = "caf\xc3\xa9 \"x\", y"},
	[FAKE_NEWLINE] = {.dso = FAKE_ODD_DSO, .name = "two\nlines\033[2J\x9b\xc3(", .origin = ORIGIN_DYNSYM},
	[FAKE_PENDING] = {.dso = FAKE_LIBC, .name = "[libc.so.6]", .state = SYM_PENDING},
	[FAKE_UNRESOLVED] = {.dso = FAKE_UNKNOWN, .name = "[unresolved]", .state = SYM_NO_DSO},
};

static const struct task_info fake_tasks[FAKE_TASKS] = {
	[FAKE_IDLE] = {.comm = "swapper", .leader = FAKE_IDLE, .threads = 1, .idle = true},
	[FAKE_SHOPD] = {.pid = 4242, .tid = 4242, .leader = FAKE_SHOPD, .uid = 1000, .comm = "shopd", .threads = 3},
	[FAKE_SHOPD_WORKER] =
		{.pid = 4242, .tid = 4243, .leader = FAKE_SHOPD, .uid = 1000, .comm = "shopd-worker", .threads = 1},
	[FAKE_QUOTED] =
		{.pid = 77, .tid = 77, .leader = FAKE_QUOTED, .uid = CATALOG_NONE, .comm = "a,\"b", .threads = 1},
	[FAKE_BAD_UTF8] =
		{.pid = 88, .tid = 88, .leader = FAKE_BAD_UTF8, .comm = "na\xffme", .threads = 1, .exit_ns = 101},
	[FAKE_KWORKER] =
		{.pid = 9, .tid = 9, .leader = FAKE_KWORKER, .comm = "kworker/0:1", .threads = 1, .kernel = true},
};

/* Samples of each event; the weight is this number of millions. */
struct fake_counts {
	unsigned n[FAKE_EVENTS];
};
static const struct fake_counts symbol_counts[FAKE_SYMS + 1] = {
	[FAKE_SCHEDULE] = {{100, 50, 10, 5}}, [FAKE_MEMCPY] = {{200, 600, 100, 50}}, [FAKE_PARSE] = {{400, 800, 40, 1}},
	[FAKE_ODD] = {{150, 300, 0, 0}},      [FAKE_NEWLINE] = {{100, 0, 20, 20}},   [FAKE_PENDING] = {{40, 4, 1, 0}},
	[FAKE_UNRESOLVED] = {{10, 10, 1, 1}}, [FAKE_SYMS] = {{500, 10, 1, 1}},
};
static const struct fake_counts task_counts[FAKE_TASKS] = {
	[FAKE_IDLE] = {{500, 10, 1, 1}},
	[FAKE_SHOPD] = {{700, 1500, 130, 50}},
	[FAKE_SHOPD_WORKER] = {{200, 400, 30, 10}},
	[FAKE_QUOTED] = {{150, 150, 20, 10}},
	[FAKE_BAD_UTF8] = {{100, 100, 12, 12}},
	[FAKE_KWORKER] = {{50, 14, 10, 5}},
};
static const struct fake_counts cpu_counts[FAKE_CPUS] = {{{900, 1200, 100, 50}}, {{600, 574, 73, 28}}};

static const char *fake_pretty(void *ctx, uint32_t sym)
{
	const struct fake_world *w = ctx;
	return w->syms[sym].pretty ? w->syms[sym].pretty : w->syms[sym].name;
}

static const char *fake_user(void *ctx, uint32_t uid)
{
	(void)ctx;
	return uid == 0 ? "root" : uid == 1000 ? "anna" : NULL;
}

static struct sum *set_sums(struct sum *sums, const struct fake_counts *counts)
{
	for (int e = 0; e < FAKE_EVENTS; e++) {
		unsigned n = counts->n[e];
		sums[e] = random_sum(n, MEGA);
	}
	return sums;
}

static void make_source(struct fake_world *w)
{
	struct source_info *info = &w->info;
	info->kind = "synthetic";
	info->label = "made-up data";
	info->has_counters = info->has_owners = true;
	info->scope = SCOPE_SYSTEM;
	strcpy(info->host, "tarn");
	strcpy(info->kernel, "6.1.0-fake x86_64");
	strcpy(info->pmu, "fakepmu");
	info->cpus_n = FAKE_CPUS;
	info->rate_hz = 809;
	info->events_n = FAKE_EVENTS;
	for (int e = 0; e < FAKE_EVENTS; e++) {
		strcpy(info->events[e].spec.name, fake_events[e].name);
		info->events[e].spec.role = fake_events[e].role;
		info->events[e].available = true;
		w->roles[e] = fake_events[e].role;
	}
}

static void make_rows(struct fake_world *w)
{
	struct sum(*sums)[FAKE_EVENTS] = w->sums;
	for (uint32_t i = 0; i <= FAKE_SYMS; i++) {
		struct row *row = &w->symbol_rows[i];
		*row = (struct row){.id = i + 1,
				    .ctx = i,
				    .sym = i,
				    .task = CATALOG_NONE,
				    .cpu = CATALOG_NONE,
				    .top = CATALOG_NONE};
		row->sums = set_sums(*sums++, &symbol_counts[i]);
		row->idle = i == FAKE_SYMS;
		row->kernel = i == FAKE_SCHEDULE;
		row->pending = i == FAKE_PENDING;
		row->unresolved = i == FAKE_UNRESOLVED;
	}
	w->symbol_rows[FAKE_SYMS].sym = w->symbol_rows[FAKE_SYMS].ctx = CATALOG_NONE;
	w->symbol_rows[FAKE_SYMS].id = KEY_NONE;
	for (uint32_t i = 0; i < FAKE_TASKS; i++) {
		struct row *row = &w->task_rows[i];
		*row = (struct row){.id = i + 1,
				    .ctx = CATALOG_NONE,
				    .sym = CATALOG_NONE,
				    .task = i,
				    .cpu = CATALOG_NONE,
				    .top = CATALOG_NONE};
		row->sums = set_sums(*sums++, &task_counts[i]);
		row->idle = i == FAKE_IDLE;
		row->kernel = i == FAKE_KWORKER;
		row->cpu_valid = i != FAKE_BAD_UTF8;
		row->cpu_ns = task_counts[i].n[FAKE_CYCLES] * 5e6; /* 1000 samples are 5 s of one CPU */
		row->cpu_estimated = i == FAKE_QUOTED;
	}
	w->task_rows[FAKE_SHOPD].top = FAKE_PARSE;
	w->task_rows[FAKE_SHOPD_WORKER].top = FAKE_MEMCPY;
	w->task_rows[FAKE_QUOTED].top = FAKE_ODD;
	w->task_rows[FAKE_BAD_UTF8].top = FAKE_NEWLINE;
	w->task_rows[FAKE_KWORKER].top = FAKE_SCHEDULE;
	for (uint32_t i = 0; i < FAKE_CPUS; i++) {
		struct row *row = &w->cpu_rows[i];
		*row = (struct row){.id = i + 1,
				    .ctx = CATALOG_NONE,
				    .sym = CATALOG_NONE,
				    .task = CATALOG_NONE,
				    .cpu = i,
				    .top = CATALOG_NONE};
		row->sums = set_sums(*sums++, &cpu_counts[i]);
		w->cpus[i].sums = row->sums;
	}
}

static void set_table_shares(const struct snapshot *s, struct pivot *pivot)
{
	for (size_t i = 0; i < pivot->n; i++) {
		struct row *row = &pivot->rows[i];
		row->share_valid = !row->idle;
		row->share = row->idle ? 0 : row->sums[FAKE_CYCLES].weight / s->busy_weight;
		row->share_error = row->idle ? 0 : sqrt(row->sums[FAKE_CYCLES].var * (1 - row->share)) / s->busy_weight;
	}
}

static void set_shares(struct fake_world *w)
{
	struct snapshot *s = &w->snap;
	set_table_shares(s, &w->pivots[BY_SYMBOL]);
	set_table_shares(s, &w->pivots[BY_PID]);
	/* CPU 0 has 750 of 1000 busy cycles, CPU 1 250; the rest is idle time */
	for (uint32_t i = 0; i < FAKE_CPUS; i++) {
		w->pivots[BY_CPU].rows[i].share_valid = true;
		w->pivots[BY_CPU].rows[i].share = w->cpus[i].busy;
	}
}

static void make_snapshot(struct fake_world *w)
{
	struct snapshot *s = &w->snap;
	s->start_ns = 100000000000u;
	s->end_ns = 105000000000u;
	s->events_n = FAKE_EVENTS;
	s->cpus_n = FAKE_CPUS;
	for (int e = 0; e < FAKE_EVENTS; e++) {
		unsigned n = cpu_counts[0].n[e] + cpu_counts[1].n[e];
		s->events[e] = (struct event_total){.state = COUNT_OK,
						    .samples = n,
						    .weight = n * MEGA,
						    .count = n * MEGA,
						    .running = fake_events[e].running};
		s->units[e] = MEGA;
	}
	for (int c = 0; c < FAKE_CPUS; c++) {
		for (int e = 0; e < FAKE_EVENTS; e++) {
			w->counts[c][e] = cpu_counts[c].n[e] * MEGA;
			w->running[c][e] = fake_events[e].running;
			w->states[c][e] = COUNT_OK;
		}
		w->cpus[c] = (struct cpu_total){.online = true,
						.busy_known = true,
						.busy = c ? 0.25 : 0.75,
						.busy_ns = c ? 1.25e9 : 3.75e9,
						.sums = w->cpu_rows[c].sums,
						.counts = w->counts[c],
						.running = w->running[c],
						.states = w->states[c]};
	}
	s->cpus = w->cpus;
	s->busy_weight = 1000 * MEGA;
	s->busy_ns = 5e9;
	s->busy_known = true;
	s->pivots = w->pivots;
	s->pivots_n = USUAL_PIVOTS;
	w->pivots[BY_SYMBOL] =
		(struct pivot){.query = usual_pivots[BY_SYMBOL], .rows = w->symbol_rows, .n = FAKE_SYMS + 1};
	w->pivots[BY_PID] = (struct pivot){.query = usual_pivots[BY_PID], .rows = w->task_rows, .n = FAKE_TASKS};
	w->pivots[BY_CPU] = (struct pivot){.query = usual_pivots[BY_CPU], .rows = w->cpu_rows, .n = FAKE_CPUS};
	w->names = (struct model_names){.cat = &w->cat, .cpus_n = FAKE_CPUS, .events_n = FAKE_EVENTS};
	set_shares(w);
	snapshot_find_parts(s, &(struct query){.roles = w->roles});
	s->trust = (struct trust){.explained_valid = true,
				  .explained = 1,
				  .running = 0.25,
				  .lost = 3,
				  .lost_share = 0.00125,
				  .throttles = 1,
				  .unresolved = 0.01,
				  .pending = 0.04,
				  .self = 0.005,
				  .samples = 3525};
}

/* Removes the row of the worker thread: by process, both threads of shopd are one row. */
static void hide_worker(struct fake_world *w)
{
	memmove(&w->task_rows[FAKE_SHOPD_WORKER], &w->task_rows[FAKE_SHOPD_WORKER + 1],
		(FAKE_TASKS - FAKE_SHOPD_WORKER - 1) * sizeof(w->task_rows[0]));
	w->pivots[BY_PID].n = FAKE_TASKS - 1;
}

struct fake_world *fake_world_create(void)
{
	struct fake_world *w = calloc(1, sizeof(*w));
	if (!w)
		abort();
	memcpy(w->dsos, fake_dsos, sizeof(w->dsos));
	memcpy(w->syms, fake_syms, sizeof(w->syms));
	memcpy(w->tasks, fake_tasks, sizeof(w->tasks));
	for (uint32_t i = 0; i < FAKE_SYMS; i++)
		w->syms[i].resolved = w->syms[i].row_sym = i;
	w->cat = (struct catalog){.tasks = w->tasks,
				  .syms = w->syms,
				  .dsos = w->dsos,
				  .tasks_n = FAKE_TASKS,
				  .syms_n = FAKE_SYMS,
				  .dsos_n = FAKE_DSOS};
	make_source(w);
	make_rows(w);
	make_snapshot(w);
	hide_worker(w);
	w->in = (struct view_input){.snap = &w->snap,
				    .cat = &w->cat,
				    .names = &w->names,
				    .info = &w->info,
				    .roles = w->roles,
				    .utc_ns = 1795426200250000000, /* 2026-11-23T09:30:00.250Z */
				    .pretty = fake_pretty,
				    .user = fake_user,
				    .ctx = w,
				    .uptime_ns = 65000000000u,
				    .delay_ns = 1000000000u};
	return w;
}

void fake_world_destroy(struct fake_world *w)
{
	free(w);
}

void fake_world_by_thread(struct fake_world *w)
{
	make_rows(w);
	w->pivots[BY_PID].n = FAKE_TASKS;
	/* subtract the worker's samples from the leader's row */
	struct row *leader = &w->task_rows[FAKE_SHOPD];
	for (int e = 0; e < FAKE_EVENTS; e++) {
		unsigned n = task_counts[FAKE_SHOPD].n[e] - task_counts[FAKE_SHOPD_WORKER].n[e];
		leader->sums[e] = random_sum(n, MEGA);
	}
	leader->cpu_ns = leader->sums[FAKE_CYCLES].weight * 5;
	set_shares(w);
	w->pivots[BY_PID].query.dims[0] = DIM_TID;
}

void fake_world_clock_only(struct fake_world *w)
{
	struct source_info *info = &w->info;
	strcpy(info->events[0].spec.name, "cpu-clock");
	info->events[0].spec.role = ROLE_CLOCK;
	w->roles[0] = ROLE_CLOCK;
	info->events_n = w->snap.events_n = 1;
	snapshot_find_parts(&w->snap, &(struct query){.roles = w->roles});
	info->pmu[0] = '\0';
	strcpy(info->notice, "This machine has no hardware counters (most virtual machines have none), so a timer "
			     "samples instead and there are no ratios.");
	strcpy(info->short_notice, "timer sampling");
}

void fake_world_never(struct fake_world *w, enum fake_event event)
{
	struct event_total *total = &w->snap.events[event];
	*total = (struct event_total){.state = COUNT_NEVER};
	for (int c = 0; c < FAKE_CPUS; c++) {
		w->states[c][event] = COUNT_NEVER;
		w->counts[c][event] = 0;
		w->running[c][event] = 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(w->sums); i++)
		w->sums[i][event] = (struct sum){0};
	w->snap.trust.running = 0;
	snapshot_find_parts(&w->snap, &(struct query){.roles = w->roles});
}

void fake_world_counted(struct fake_world *w)
{
	struct event_spec *spec = &w->info.events[FAKE_MISSES].spec;
	strcpy(spec->name, "power/energy-pkg/");
	strcpy(spec->unit, "Joules");
	spec->counted = spec->shared = true;
	spec->scale = 0x1p-32;
	spec->role = w->roles[FAKE_MISSES] = ROLE_OTHER;
	w->states[1][FAKE_MISSES] = COUNT_ABSENT;
	w->counts[0][FAKE_MISSES] = 62.5;
	w->snap.events[FAKE_MISSES].count = 62.5;
	w->snap.events[FAKE_MISSES].running = w->running[0][FAKE_MISSES] = 1;
}
