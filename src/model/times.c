/* Computes the CPU times of facts when an interval is closed.
 *
 * The CPU time that the scheduler counted for a task is divided among the task's facts by their weights of the time
 * event.  Each interval is divided by itself, so that a window is right even if frequency and load change in it.  If
 * the scheduler's time of a task is not known (it has ended, or the source has none), its facts get an estimate:
 *
 *   clock    the weight itself
 *   cycles   weight * nanoseconds per cycle of its CPU in this interval
 *
 * Time that a process used beyond its sampled threads becomes a fact without samples, so that rows by process are
 * complete. */
#include "model/history.h"
#include "model/parts.h"

#include <stdlib.h>

/* Sums of a task.  The entry of a thread-group leader also has the sums of its process. */
struct task_sums {
	double weight;				/* weight of the time events */
	double own_ns;				/* the scheduler's time of this thread */
	double process_ns, threads_ns;		/* CPU time of the whole process; of its threads whose time is known */
	double rest_weight;			/* weight of the process's threads whose time is not known */
	double given_ns;			/* the part of process_ns that was given to facts */
	bool own_known, process_known, counted; /* counted: the task's weight is in rest_weight of its process */
};

struct cpu_sums {
	double known_ns, known_weight, unknown_weight;
};

struct times {
	struct interval *iv;
	const struct interval_bounds *bounds;
	const struct model_config *config;
	const struct catalog *cat;
	struct task_sums *tasks; /* [tasks_n] */
	uint32_t tasks_n;
	struct cpu_sums *cpus; /* [cpus_n] */
};

/* Tolerances in comparing the CPU time of a process with the sum of its threads'.  The two are read at different times,
 * and the sum lags by up to a scheduler tick for each running thread. */
static const double together = 0.9, behind_ns = 10e6;
/* smaller differences of CPU times are rounding errors */
static const double nothing_ns = 1000;
/* The busy time less all known times is used only if it is this long, because busy times advance in steps of 10 ms. */
static const double remainder_ns = 100e6;

static fact_time *time_of(const struct times *t, const struct fact *f)
{
	return &t->iv->extra.times[f - t->iv->facts];
}

static bool is_time_event(const struct times *t, const struct fact *f)
{
	return t->config->time.events >> f->key.event & 1;
}

static bool is_idle(const struct times *t, const struct fact *f)
{
	return t->cat && f->key.task < t->cat->tasks_n && t->cat->tasks[f->key.task].idle;
}

/* Returns true if a fact of the idle task is an interrupt's code, not idle time. */
static bool is_interrupt(const struct times *t, const struct fact *f)
{
	return is_idle(t, f) && context_flags(t->cat, f->key.ctx) & ID_INTERRUPT;
}

static struct task_sums *leader_of(const struct times *t, uint32_t task)
{
	uint32_t leader = t->cat && task < t->cat->tasks_n ? t->cat->tasks[task].leader : task;
	return &t->tasks[leader < t->tasks_n ? leader : task];
}

static uint32_t ids_end(const struct times *t)
{
	const struct interval_bounds *b = t->bounds;
	uint32_t end = t->cat ? t->cat->tasks_n : 0;
	for (size_t i = 0; i < t->iv->facts_n; i++)
		end = t->iv->facts[i].key.task >= end ? t->iv->facts[i].key.task + 1 : end;
	for (size_t i = 0; i < b->processes_n; i++)
		end = b->processes[i].task >= end ? b->processes[i].task + 1 : end;
	for (size_t i = 0; i < b->threads_n; i++)
		end = b->threads[i].task >= end ? b->threads[i].task + 1 : end;
	return end;
}

static void sum_tasks(struct times *t)
{
	const struct interval_bounds *b = t->bounds;
	for (size_t i = 0; i < t->iv->facts_n; i++) {
		const struct fact *f = &t->iv->facts[i];
		if (is_time_event(t, f) && !is_idle(t, f))
			t->tasks[f->key.task].weight += f->weight;
	}
	for (size_t i = 0; i < b->processes_n; i++) {
		struct task_sums *p = &t->tasks[b->processes[i].task];
		p->process_known = true;
		p->process_ns = (double)b->processes[i].cpu_ns;
	}
	for (size_t i = 0; i < b->threads_n; i++) {
		struct task_sums *own = &t->tasks[b->threads[i].task];
		own->own_known = true;
		own->own_ns = (double)b->threads[i].cpu_ns;
		leader_of(t, b->threads[i].task)->threads_ns += own->own_ns;
	}
	for (size_t i = 0; i < t->iv->facts_n; i++) {
		uint32_t task = t->iv->facts[i].key.task;
		struct task_sums *own = &t->tasks[task];
		if (own->own_known || own->counted)
			continue;
		own->counted = true;
		leader_of(t, task)->rest_weight += own->weight;
	}
}

/* Finds the CPU time that the scheduler counted for a task.  Returns false if it is not known. */
static bool task_time(const struct times *t, uint32_t task, double *ns_ret, enum time_mark *mark_ret)
{
	const struct task_sums *own = &t->tasks[task], *p = leader_of(t, task);
	*mark_ret = TIME_EXACT;
	*ns_ret = own->own_ns;
	if (!p->process_known)
		return own->own_known;
	if (own->own_known) {
		bool all = !(p->rest_weight > 0) && p->threads_ns >= together * p->process_ns - behind_ns;
		if (p->threads_ns > 0 && (all || p->threads_ns > p->process_ns))
			*ns_ret *= p->process_ns / p->threads_ns;
		return true;
	}
	double rest = p->process_ns > p->threads_ns ? p->process_ns - p->threads_ns : 0;
	*ns_ret = p->rest_weight > 0 ? rest * (own->weight / p->rest_weight) : 0;
	bool alone = own == p && own->weight >= p->rest_weight && !(p->threads_ns > 0) &&
		     !(t->cat && task < t->cat->tasks_n && t->cat->tasks[task].threads > 1);
	*mark_ret = alone ? TIME_EXACT : TIME_DIVIDED;
	return true;
}

/* Divides each task's known CPU time among its facts; sums, by CPU, the weights of tasks whose time is not known. */
static void divide_known(struct times *t)
{
	for (size_t i = 0; i < t->iv->facts_n; i++) {
		struct fact *f = &t->iv->facts[i];
		struct cpu_sums *cpu = &t->cpus[f->key.cpu];
		double ns;
		enum time_mark mark;
		*time_of(t, f) = time_make(0, TIME_UNKNOWN);
		if (!is_time_event(t, f)) {
			if (task_time(t, f->key.task, &ns, &mark))
				/* the facts of the task's time event get all of its time */
				*time_of(t, f) = time_make(0, TIME_EXACT);
			continue;
		}
		if (is_idle(t, f)) {
			cpu->unknown_weight += is_interrupt(t, f) ? f->weight : 0;
			continue;
		}
		if (!task_time(t, f->key.task, &ns, &mark)) {
			cpu->unknown_weight += f->weight;
			continue;
		}
		const struct task_sums *own = &t->tasks[f->key.task];
		ns = own->weight > 0 ? ns * (f->weight / own->weight) : 0;
		*time_of(t, f) = time_make(ns, mark);
		leader_of(t, f->key.task)->given_ns += ns;
		cpu->known_ns += ns;
		cpu->known_weight += f->weight;
		t->iv->account.spent_ns += ns;
	}
}

/* ---- estimating times from samples ------------------------------------------------------ */

/* Returns ns per cycle of a CPU, from counters that run only while measured tasks do; < 0: no such counter. */
static double factor_of_counts(const struct times *t, unsigned cpu)
{
	double ns = 0, count = 0;
	for (size_t e = 0; e < t->config->events_n; e++) {
		const struct counter_delta *d = &t->bounds->counters[e * t->config->cpus_n + cpu];
		if (!(t->config->time.events >> e & 1) || d->estimated)
			continue;
		ns += (double)d->running_ns;
		count += (double)d->value;
	}
	return t->config->time.counted_on_task && ns > 0 && count > 0 ? ns / count : -1;
}

/* Returns ns per cycle of a CPU, for tasks whose CPU time is not known; < 0: unknown.  `all`: the sums of all CPUs. */
static double cycle_factor(const struct times *t, unsigned cpu, const struct cpu_sums *all)
{
	const struct cpu_sums *s = &t->cpus[cpu];
	const struct cpu_delta *d = &t->bounds->cpus[cpu];
	double by_counts = factor_of_counts(t, cpu);
	/* if only one mode (:u) is sampled, its cycles cannot be compared with CPU times, which include all modes */
	if (by_counts >= 0 || t->config->time.modes_differ)
		return by_counts;
	bool busy_known = t->config->time.all_tasks && d->known && s->unknown_weight > 0;
	double remainder = busy_known ? (double)d->busy_ns - s->known_ns : 0;
	double by_busy = remainder > 0 ? remainder / s->unknown_weight : 0;
	if (busy_known && (remainder >= remainder_ns || !(all->known_weight > 0)))
		return by_busy;
	double factor = s->known_weight > 0	? s->known_ns / s->known_weight
			: all->known_weight > 0 ? all->known_ns / all->known_weight
						: -1;
	/* the estimates must not exceed the busy time of the CPU */
	bool over = busy_known && factor * s->unknown_weight > (double)d->busy_ns;
	return over ? (double)d->busy_ns / s->unknown_weight : factor;
}

/* Returns [cpu]: ns per unit of weight, for facts without a known CPU time; < 0: unknown.  The caller frees the
 * array. */
static double *estimate_factors(const struct times *t)
{
	struct cpu_sums all = {0};
	double *factors = mem_calloc(t->config->cpus_n, sizeof(*factors));
	for (unsigned cpu = 0; cpu < t->config->cpus_n; cpu++) {
		all.known_ns += t->cpus[cpu].known_ns;
		all.known_weight += t->cpus[cpu].known_weight;
	}
	for (unsigned cpu = 0; cpu < t->config->cpus_n; cpu++) {
		switch (t->config->time.basis) {
		case TIME_BASIS_CLOCK:
			factors[cpu] = 1;
			break;
		case TIME_BASIS_CYCLES:
			factors[cpu] = cycle_factor(t, cpu, &all);
			break;
		default:
			factors[cpu] = -1;
		}
	}
	return factors;
}

static void estimate_others(struct times *t)
{
	double *factors = estimate_factors(t);
	struct account *a = &t->iv->account;
	for (size_t i = 0; i < t->iv->facts_n; i++) {
		struct fact *f = &t->iv->facts[i];
		double factor = factors[f->key.cpu];
		if (!is_time_event(t, f) || time_mark(*time_of(t, f)) != TIME_UNKNOWN || factor < 0)
			continue;
		/* idle time gets a CPU time, too: its code may turn out to be an interrupt's when its name becomes
		 * known */
		*time_of(t, f) = time_make(f->weight * factor, TIME_ESTIMATED);
		if (is_idle(t, f) && !is_interrupt(t, f))
			continue;
		a->spent_ns += f->weight * factor;
		a->spent_var += fact_var(f) * factor * factor;
	}
	free(factors);
}

/* ---- adding facts for CPU time without samples ----------------------------------------------- */

/* Adds a fact without samples; iv->facts must have room.  Its CPU is arbitrary: it is not known where the task ran. */
static void add_unsampled(struct times *t, uint32_t task, double ns, enum time_mark mark)
{
	unsigned cpu = 0, event = (unsigned)__builtin_ctz(t->config->time.events);
	while (cpu + 1 < t->config->cpus_n && !t->bounds->cpus[cpu].online)
		cpu++;
	struct fact *f = &t->iv->facts[t->iv->facts_n++];
	*f = (struct fact){.key = {.task = task, .ctx = CATALOG_NONE, .cpu = (uint16_t)cpu, .event = (uint16_t)event}};
	*time_of(t, f) = time_make(ns, mark);
	leader_of(t, task)->given_ns += ns;
	t->iv->account.spent_ns += ns;
}

static void add_unsampled_all(struct times *t)
{
	const struct interval_bounds *b = t->bounds;
	struct interval *iv = t->iv;
	size_t most = iv->facts_n + b->processes_n + b->threads_n;
	iv->facts = mem_realloc(iv->facts, most, sizeof(*iv->facts));
	columns_grow(&iv->extra, &iv->extra, iv->facts_n, most);
	for (size_t i = 0; i < b->threads_n; i++) {
		double ns;
		enum time_mark mark;
		uint32_t task = b->threads[i].task;
		if (t->tasks[task].weight > 0 || !task_time(t, task, &ns, &mark) || ns < nothing_ns)
			continue;
		add_unsampled(t, task, ns, mark);
	}
	for (size_t i = 0; i < b->processes_n; i++) {
		const struct task_sums *p = &t->tasks[b->processes[i].task];
		double left = p->process_ns - p->given_ns;
		bool several = p->threads_ns > 0 || p->rest_weight > p->weight;
		if (left >= nothing_ns)
			add_unsampled(t, b->processes[i].task, left, several ? TIME_DIVIDED : TIME_EXACT);
	}
	iv->facts = mem_realloc(iv->facts, iv->facts_n, sizeof(*iv->facts));
	columns_resize(&iv->extra, iv->facts_n);
}

/* ---- computing the CPU times of an interval -------------------------------------------------- */

/* Takes weights of the time event as CPU times: with TIME_BASIS_TASKS they are times that the scheduler counted. */
static void take_weights(struct interval *iv, const struct model_config *config)
{
	for (size_t i = 0; i < iv->facts_n; i++) {
		const struct fact *f = &iv->facts[i];
		bool time = config->time.events >> f->key.event & 1;
		iv->extra.times[i] = time_make(time ? f->weight : 0, time ? TIME_EXACT : TIME_UNKNOWN);
		iv->account.spent_ns += time ? f->weight : 0;
	}
}

void interval_times(struct interval *iv, const struct interval_bounds *bounds, const struct model_config *config)
{
	if (!config->time.events)
		return;
	iv->extra.times = mem_calloc(iv->facts_n, sizeof(*iv->extra.times));
	if (config->time.basis == TIME_BASIS_TASKS) {
		take_weights(iv, config);
		return;
	}
	struct times t = {.iv = iv, .bounds = bounds, .config = config, .cat = bounds->cat};
	t.tasks_n = ids_end(&t);
	t.tasks = mem_calloc(t.tasks_n, sizeof(*t.tasks));
	t.cpus = mem_calloc(config->cpus_n, sizeof(*t.cpus));
	iv->account.spent_ns = (double)bounds->unlisted_cpu_ns;
	sum_tasks(&t);
	divide_known(&t);
	estimate_others(&t);
	if (bounds->processes_n + bounds->threads_n)
		add_unsampled_all(&t);
	free(t.tasks);
	free(t.cpus);
}
