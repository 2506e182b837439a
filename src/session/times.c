#include "session/times.h"

#include <string.h>

enum {
	RECENT_TICKS = 10, /* ticks (ends of intervals): processes with samples in this time are read in each tick */
	THREAD_TICKS = 3,  /* ticks: threads with samples in this time are read in each tick */
	TURN_TICKS = 4,	   /* ticks: all other processes are read once in this time */
	IN_TURN = 256,	   /* at most this many of the other processes are read in one tick */
	STALE_TICKS = 4,   /* ticks: a reading older than this tells nothing about this interval */
	/* A CPU time is rejected if it exceeds that of all CPUs by more than the two margins, in percent and in ns,
	 * together.  A smaller excess may come from the time that reading takes. */
	MARGIN_PERCENT = 5,
	MARGIN_NS = 100000000,
};

/* ---- choosing the events that CPU times come from -------------------------------------------- */

static size_t find_time_event(const struct source_info *info, enum event_role role)
{
	for (size_t e = 0; e < info->events_n; e++)
		if (info->events[e].available && info->events[e].spec.role == role)
			return e;
	return EVENTS_MAX;
}

void time_config_init(struct time_config *ret, const struct source_info *info)
{
	size_t clock = find_time_event(info, ROLE_CLOCK), cycles = find_time_event(info, ROLE_CYCLES);
	size_t first = clock < EVENTS_MAX ? clock : cycles;
	*ret = (struct time_config){.events = 1, .all_tasks = !scope_is_of_tasks(info->scope)};
	if (!info->events_n)
		ret->events = 0;
	if (first == EVENTS_MAX)
		return;
	const struct event_spec *spec = &info->events[first].spec;
	ret->basis = first == clock ? TIME_BASIS_CLOCK : TIME_BASIS_CYCLES;
	if (info->scope == SCOPE_PROC)
		ret->basis = TIME_BASIS_TASKS;
	ret->events = 0;
	for (size_t e = 0; e < info->events_n; e++)
		if (e == first || event_is_sibling(spec, &info->events[e].spec))
			ret->events |= UINT32_C(1) << e;
	ret->modes_differ = spec->exclude_user || spec->exclude_kernel || scope_is_of_user_space(info->scope);
	ret->counted_on_task = scope_is_of_tasks(info->scope) && info->has_counters && !info->filtered;
}

/* ---- finding and adding processes and threads ------------------------------------------------ */

static uint32_t find(const struct times_table *table, uint32_t id)
{
	return index_find_by(&table->by_id, table->entries.data, id, id);
}

static void drop(struct times_table *table, uint32_t at)
{
	uint32_t last = (uint32_t)table->entries.n - 1;
	struct times_entry *e = table->entries.data;
	index_remove(&table->by_id, index_hash(&table->by_id, e[at].id), at);
	if (at != last) {
		index_remove(&table->by_id, index_hash(&table->by_id, e[last].id), last);
		e[at] = e[last];
		index_add(&table->by_id, index_hash(&table->by_id, e[at].id), at);
	}
	table->entries.n--;
}

/* Finds or adds the entry of a process or thread; returns NULL if the table is full. */
static struct times_entry *enter(struct times *t, struct times_table *table, uint32_t pid, uint32_t id)
{
	uint32_t at = find(table, id);
	if (at == INDEX_NONE) {
		if (table->entries.n >= LIMIT_TASK_TIMES) {
			limit_reached(&t->reached, REACHED_TASK_TIMES);
			return NULL;
		}
		at = (uint32_t)table->entries.n;
		vec_push(&table->entries) = (struct times_entry){.pid = pid, .id = id, .task = CATALOG_REF_NONE};
		index_add(&table->by_id, index_hash(&table->by_id, id), at);
	}
	return &table->entries.data[at];
}

static void table_init(struct times_table *table)
{
	*table = (struct times_table){.next = 0};
	index_init(&table->by_id);
}

static void table_deinit(struct times_table *table)
{
	vec_free(&table->entries);
	index_deinit(&table->by_id);
}

/* ---- reading CPU times ----------------------------------------------------------------- */

/* Returns true if the entry was read so recently that its growth can be put into this interval.  Even if processes are
 * many, each is read at least once in `stale` ticks. */
static bool is_recent(const struct times *t, const struct times_entry *e)
{
	uint64_t stale = STALE_TICKS + 2 * t->processes.entries.n / IN_TURN;
	return e->read_tick && t->tick - e->read_tick <= stale;
}

static void take(struct times *t, const struct task_time *now)
{
	bool thread = now->tid != 0;
	struct times_table *table = thread ? &t->threads : &t->processes;
	uint32_t at = find(table, thread ? now->tid : now->pid);
	if (at == INDEX_NONE)
		return;
	struct times_entry *e = &table->entries.data[at];
	if (!now->known) {
		drop(table, at);
		return;
	}
	bool began = !e->read_tick && e->forked_tick == t->tick;
	uint64_t before = began ? 0 : e->cpu_ns, ticks = began || !e->read_tick ? 1 : t->tick - e->read_tick;
	uint64_t passed = t->read_ns - t->before_ns, cpus = thread ? 1 : t->cpus_n;
	uint64_t most = u64_mul_div(passed, cpus * ticks * (100 + MARGIN_PERCENT), 100);
	if ((began || is_recent(t, e)) && now->cpu_ns >= before &&
	    now->cpu_ns - before <= u64_add_sat(most, cpus * MARGIN_NS)) {
		e->grown_ns = now->cpu_ns - before;
		e->grown_tick = t->tick;
	}
	e->cpu_ns = now->cpu_ns;
	e->read_tick = t->tick;
}

static void ask(struct times *t, const struct times_table *table, const struct times_entry *e)
{
	bool thread = table == &t->threads;
	vec_push(&t->asked) = (struct task_time){.pid = e->pid, .tid = thread ? e->id : 0};
}

static void read_asked(struct times *t)
{
	if (t->asked.n)
		t->source->ops->task_times(t->source, t->asked.data, t->asked.n);
	for (size_t i = 0; i < t->asked.n; i++)
		take(t, &t->asked.data[i]);
	t->asked.n = 0;
}

static bool had_samples(const struct times *t, const struct times_entry *e, unsigned ticks)
{
	return e->sampled_tick && t->tick - e->sampled_tick <= ticks;
}

static void ask_processes(struct times *t)
{
	struct times_table *table = &t->processes;
	size_t others = 0, turn = table->entries.n / TURN_TICKS + 1;
	if (turn > IN_TURN)
		turn = IN_TURN;
	for (size_t i = 0; i < table->entries.n; i++) {
		const struct times_entry *e = &table->entries.data[i];
		if (had_samples(t, e, RECENT_TICKS) || !e->read_tick)
			ask(t, table, e);
	}
	for (size_t i = 0; i < table->entries.n && others < turn; i++) {
		table->next = table->next + 1 < table->entries.n ? table->next + 1 : 0;
		const struct times_entry *e = &table->entries.data[table->next];
		if (had_samples(t, e, RECENT_TICKS) || !e->read_tick)
			continue;
		ask(t, table, e);
		others++;
	}
}

static void ask_threads(struct times *t)
{
	struct times_table *table = &t->threads;
	for (size_t i = table->entries.n; i > 0; i--) {
		const struct times_entry *e = &table->entries.data[i - 1];
		if (had_samples(t, e, THREAD_TICKS))
			ask(t, table, e);
		else if (e->forked_tick != t->tick)
			drop(table, (uint32_t)i - 1);
	}
}

/* Reads tasks that had samples or began in this interval, but were not read by times_read(). */
static void read_late(struct times *t, struct times_table *table)
{
	for (size_t i = 0; i < table->entries.n; i++) {
		const struct times_entry *e = &table->entries.data[i];
		bool baseline = table == &t->processes && !e->read_tick;
		if (e->read_tick != t->tick && (e->sampled_tick == t->tick || baseline))
			ask(t, table, e);
	}
	read_asked(t);
}

static void read_all(struct times *t, uint64_t now_ns)
{
	t->before_ns = t->read_ns;
	t->read_ns = now_ns;
	ask_processes(t);
	ask_threads(t);
	read_asked(t);
}

void times_read(struct times *t, uint64_t now_ns)
{
	if (t->source->ops->task_times)
		read_all(t, now_ns);
}

/* ---- noting which tasks have samples ---------------------------------------------------- */

static void note_process(struct times *t, const struct catalog *cat, uint32_t leader)
{
	const struct task_info *info = &cat->tasks[leader];
	struct times_entry *e = enter(t, &t->processes, (uint32_t)info->pid, (uint32_t)info->pid);
	if (!e)
		return;
	e->task = catalog_task_ref(cat, leader);
	e->sampled_tick = t->tick;
}

static void note_thread(struct times *t, const struct catalog *cat, uint32_t task)
{
	const struct task_info *info = &cat->tasks[task];
	struct times_entry *e = enter(t, &t->threads, (uint32_t)info->pid, (uint32_t)info->tid);
	if (!e)
		return;
	e->task = catalog_task_ref(cat, task);
	e->sampled_tick = t->tick;
}

static void note_samples(struct times *t, const struct model *m, const struct catalog *cat)
{
	size_t threads = 0;
	vec_reserve(&t->sampled, cat->tasks_n + 1u);
	memset(t->sampled.data, 0, cat->tasks_n * sizeof(*t->sampled.data));
	model_open_tasks(m, t->sampled.data, cat->tasks_n);
	for (uint32_t task = 0; task < cat->tasks_n; task++) {
		const struct task_info *info = &cat->tasks[task];
		if (!t->sampled.data[task] || info->idle || info->pid <= 0 || info->exit_ns)
			continue;
		uint32_t leader = info->leader < cat->tasks_n ? info->leader : task;
		note_process(t, cat, leader);
		if (info->tid == info->pid && cat->tasks[leader].threads <= 1)
			continue;
		if (threads < LIMIT_THREAD_TIMES)
			note_thread(t, cat, task);
		else
			limit_reached(&t->reached, REACHED_THREAD_TIMES);
		threads++;
	}
}

static void list_grown(struct times *t, const struct catalog *cat)
{
	t->of_processes.n = t->of_threads.n = 0;
	t->unlisted_ns = 0;
	for (size_t i = 0; i < t->processes.entries.n; i++) {
		const struct times_entry *e = &t->processes.entries.data[i];
		if (e->grown_tick != t->tick)
			continue;
		if (catalog_task_valid(cat, e->task))
			vec_push(&t->of_processes) = (struct task_cpu){e->task.id, e->grown_ns};
		else
			t->unlisted_ns += e->grown_ns;
	}
	for (size_t i = 0; i < t->threads.entries.n; i++) {
		const struct times_entry *e = &t->threads.entries.data[i];
		if (e->grown_tick == t->tick && catalog_task_valid(cat, e->task))
			vec_push(&t->of_threads) = (struct task_cpu){e->task.id, e->grown_ns};
	}
}

void times_finish(struct times *t, const struct model *m, const struct catalog *cat)
{
	if (!t->source->ops->task_times)
		return;
	note_samples(t, m, cat);
	read_late(t, &t->processes);
	read_late(t, &t->threads);
	list_grown(t, cat);
	t->tick++;
}

void times_bounds(const struct times *t, const struct catalog *cat, struct interval_bounds *ret)
{
	ret->cat = cat;
	ret->processes = t->of_processes.data;
	ret->processes_n = t->of_processes.n;
	ret->threads = t->of_threads.data;
	ret->threads_n = t->of_threads.n;
	ret->unlisted_cpu_ns = t->unlisted_ns;
}

struct limit_set times_limits(struct times *t)
{
	struct limit_set news = t->reached;
	limit_remove(&news, &t->reported);
	limit_add(&t->reported, &news);
	t->reached = (struct limit_set){0};
	return news;
}

/* ---- taking FORK and EXIT records ------------------------------------------------------------ */

/* Adds a new process or thread; forgets an earlier one that had the same id. */
void times_fork(struct times *t, uint32_t pid, uint32_t tid, uint32_t ppid)
{
	struct times_table *table = pid == ppid ? &t->threads : &t->processes;
	if (!t->source->ops->task_times)
		return;
	struct times_entry *e = enter(t, table, pid, tid);
	if (!e)
		return;
	*e = (struct times_entry){.pid = pid, .id = tid, .task = CATALOG_REF_NONE, .forked_tick = t->tick};
}

void times_exit(struct times *t, uint32_t pid, uint32_t tid)
{
	uint32_t process = pid == tid ? find(&t->processes, pid) : INDEX_NONE, thread = find(&t->threads, tid);
	if (process != INDEX_NONE)
		drop(&t->processes, process);
	if (thread != INDEX_NONE)
		drop(&t->threads, thread);
}

/* ---- beginning, restarting and ending the readings ------------------------------------------- */

static void add_existing(void *ctx, uint32_t pid)
{
	struct times *t = ctx;
	if (pid)
		(void)enter(t, &t->processes, pid, pid);
}

void times_init(struct times *t, struct source *source, uint64_t now_ns)
{
	const struct source_ops *ops = source->ops;
	*t = (struct times){.source = source, .cpus_n = ops->info(source)->cpus_n, .tick = 1, .read_ns = now_ns};
	table_init(&t->processes);
	table_init(&t->threads);
	if (ops->processes)
		ops->processes(source, add_existing, t);
	times_restart(t, now_ns);
}

void times_deinit(struct times *t)
{
	table_deinit(&t->processes);
	table_deinit(&t->threads);
	vec_free(&t->asked);
	vec_free(&t->sampled);
	vec_free(&t->of_processes);
	vec_free(&t->of_threads);
}

void times_restart(struct times *t, uint64_t now_ns)
{
	if (t->source->ops->task_times)
		read_all(t, now_ns);
	t->tick++;
}
