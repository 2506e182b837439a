/* Facts of a window -> totals and tables.  Two passes: the first finds what shares
 * and CPU times refer to, the second fills the rows. */
#include "base/alloc.h"
#include "model/group.h"
#include "model/select.h"

#include <stdlib.h>

struct build {
	struct snapshot *snap;
	const struct model *model;
	const struct catalog *cat;
	const struct query *query;
	struct selection sel;
	bool primary[EVENTS_MAX]; /* the primary event and its kin */
	double *busy_weight;	  /* [cpu], primary event, idle left out */
	double *cpu_factor;	  /* [cpu], nanoseconds per weight of the primary; < 0: unknown */
	double unresolved, pending;
	struct group symbols, tasks, cpus;
	struct facts task_syms; /* (row of task, symbol) -> weight, for top_sym */
};

typedef void fact_fn(struct build *b, const struct fact *f, const struct place *p);

static void for_facts(struct build *b, fact_fn *fn)
{
	for (size_t i = 0; i < b->sel.spans.n; i++) {
		const struct span *span = &b->sel.spans.data[i];
		for (size_t k = 0; k < span->n; k++) {
			const struct fact *f = &span->facts[k];
			struct place p = place_of(b->cat, f);
			fn(b, f, &p);
		}
	}
}

/* ---- first pass: totals ------------------------------------------------------------ */

static void sum_totals(struct build *b, const struct fact *f, const struct place *p)
{
	struct event_total *e = &b->snap->events[f->key.event];
	e->samples += f->samples;
	e->weight += f->weight;
	if (!b->primary[f->key.event] || p->idle)
		return;
	b->snap->busy_weight += f->weight;
	b->busy_weight[f->key.cpu] += f->weight;
	if (p->unresolved)
		b->unresolved += f->weight;
	if (p->pending)
		b->pending += f->weight;
}

/* Of no time at all, as of tasks that sleep, nothing was missed. */
static double running_of(uint64_t enabled_ns, uint64_t running_ns)
{
	return enabled_ns ? (double)running_ns / (double)enabled_ns : 1;
}

static enum count_state state_of(bool opened, uint64_t enabled_ns, uint64_t running_ns)
{
	if (!opened)
		return COUNT_ABSENT;
	return enabled_ns && !running_ns ? COUNT_NEVER : COUNT_OK;
}

static void fill_cpu(struct build *b, unsigned cpu)
{
	struct snapshot *s = b->snap;
	const struct cpu_delta *d = &b->sel.account.cpus[cpu];
	struct cpu_total *c = &s->cpus[cpu];
	uint64_t all_ns = d->busy_ns + d->idle_ns;
	c->online = d->online;
	c->busy_known = d->known && all_ns > 0;
	c->busy = c->busy_known ? (double)d->busy_ns / (double)all_ns : 0;
	if (d->known) {
		s->busy_known = true;
		s->busy_ns += (double)d->busy_ns;
	}
	c->counts = mem_calloc(s->events_n, sizeof(*c->counts));
	c->running = mem_calloc(s->events_n, sizeof(*c->running));
	c->states = mem_calloc(s->events_n, sizeof(*c->states));
	for (size_t e = 0; e < s->events_n; e++) {
		const struct counted *n = &b->sel.account.counted[e * s->cpus_n + cpu];
		c->counts[e] = n->count;
		c->running[e] = running_of(n->enabled_ns, n->running_ns);
		c->states[e] = state_of(n->opened, n->enabled_ns, n->running_ns);
	}
}

static void fill_event(struct build *b, size_t event)
{
	struct snapshot *s = b->snap;
	struct event_total *t = &s->events[event];
	uint64_t enabled_ns = 0, running_ns = 0;
	bool opened = false;
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++) {
		const struct counted *n = &b->sel.account.counted[event * s->cpus_n + cpu];
		t->count += n->count;
		t->lost = u64_add_sat(t->lost, n->lost);
		enabled_ns = u64_add_sat(enabled_ns, n->enabled_ns);
		running_ns = u64_add_sat(running_ns, n->running_ns);
		opened |= n->opened;
	}
	t->running = running_of(enabled_ns, running_ns);
	t->state = state_of(opened, enabled_ns, running_ns);
	/* Not one sample: whatever was counted stayed below one sample's worth. */
	s->units[event] = t->samples ? t->weight / (double)t->samples : t->count;
}

/* How much CPU time a unit of the primary event stands for.  A clock's unit is the
 * nanosecond; any other event is spread over the CPU's busy time. */
static double cpu_factor(const struct build *b, unsigned cpu)
{
	if (b->query->roles[b->snap->primary] == ROLE_CLOCK)
		return 1;
	const struct cpu_delta *d = &b->sel.account.cpus[cpu];
	return d->known && b->busy_weight[cpu] > 0 ? (double)d->busy_ns / b->busy_weight[cpu] : -1;
}

/* CPU times come in steps of USER_HZ: of less than 20 steps nothing can be said. */
static const double cpu_time_step_ns = 10e6;

static void fill_trust(struct build *b)
{
	struct snapshot *s = b->snap;
	const struct account *a = &b->sel.account;
	struct trust *t = &s->trust;
	t->running = 1;
	t->lost = a->lost_records;
	for (size_t e = 0; e < s->events_n; e++) {
		t->samples += s->events[e].samples;
		t->lost = u64_add_sat(t->lost, s->events[e].lost);
		if (s->events[e].state == COUNT_OK && s->events[e].running < t->running)
			t->running = s->events[e].running;
	}
	t->lost_share = t->lost ? (double)t->lost / ((double)t->lost + (double)t->samples) : 0;
	t->throttles = a->throttles;
	t->malformed = a->malformed;
	double wall_ns = (double)(a->end_ns - a->start_ns);
	t->self = wall_ns > 0 ? (double)a->self_cpu_ns / wall_ns : 0;
	if (s->busy_weight > 0) {
		t->unresolved = b->unresolved / s->busy_weight;
		t->pending = b->pending / s->busy_weight;
	}
	/* A clock counts idle time, too, which is not sampled: hold it against the
	 * busy time, where all of that is what is sampled. */
	if (b->query->roles[s->primary] == ROLE_CLOCK) {
		t->explained_valid =
			!b->query->partial && s->busy_known && s->busy_ns >= 20 * cpu_time_step_ns * (double)s->cpus_n;
		t->explained = t->explained_valid ? s->busy_weight / s->busy_ns : 0;
	} else if (s->events[s->primary].state == COUNT_OK && snapshot_count(s, s->primary) > 0) {
		double weight = 0;
		for (size_t e = 0; e < s->events_n; e++)
			weight += b->primary[e] ? s->events[e].weight : 0;
		t->explained_valid = true;
		t->explained = weight / snapshot_count(s, s->primary);
	}
}

/* ---- second pass: rows --------------------------------------------------------------- */

static void add_to_row(struct build *b, struct row *row, const struct fact *f, const struct place *p)
{
	struct sum *sum = &row->sums[f->key.event];
	sum->samples += f->samples;
	sum->weight += f->weight;
	sum->var += f->var;
	if (!b->primary[f->key.event] || p->idle)
		return;
	if (b->cpu_factor[f->key.cpu] < 0)
		row->cpu_valid = false;
	else
		row->cpu_ns += f->weight * b->cpu_factor[f->key.cpu];
}

static bool task_matches(const struct build *b, const struct place *p)
{
	uint32_t only = b->query->only_task;
	return only == CATALOG_NONE || only == p->task || (!b->query->by_thread && only == p->leader);
}

static void add_symbol(struct build *b, const struct fact *f, const struct place *p)
{
	const struct query *q = b->query;
	if (p->sym >= b->cat->syms_n || !task_matches(b, p))
		return;
	/* Looking at the idle task itself shows what interrupts it. */
	bool idle = p->idle && q->only_task == CATALOG_NONE;
	if (!idle && ((p->kernel && q->hide_kernel) || (!p->kernel && q->hide_user)))
		return;
	bool fresh;
	struct row *row = group_row(&b->symbols, idle ? b->cat->syms_n : p->sym, &fresh);
	if (fresh) {
		row->sym = idle ? CATALOG_NONE : p->sym;
		row->idle = idle;
		row->kernel = p->kernel;
		row->pending = p->pending;
		row->unresolved = p->unresolved;
		row->cpu_valid = true;
	}
	add_to_row(b, row, f, p);
}

static void add_task(struct build *b, const struct fact *f, const struct place *p)
{
	const struct query *q = b->query;
	uint32_t id = q->by_thread ? p->task : p->leader;
	if (id >= b->cat->tasks_n || (q->only_sym != CATALOG_NONE && q->only_sym != p->sym))
		return;
	if (!p->idle && ((p->kernel_task && q->hide_kernel) || (!p->kernel_task && q->hide_user)))
		return;
	bool fresh;
	struct row *row = group_row(&b->tasks, id, &fresh);
	if (fresh) {
		row->task = id;
		row->idle = p->idle;
		row->kernel = p->kernel_task;
		row->cpu_valid = true;
	}
	add_to_row(b, row, f, p);
	if (!b->primary[f->key.event])
		return;
	struct fact *ts = facts_at(&b->task_syms, (struct fact_key){.task = id, .sym = p->sym});
	ts->weight += f->weight;
}

static void add_cpu(struct build *b, const struct fact *f, const struct place *p)
{
	bool fresh;
	struct row *row = group_row(&b->cpus, f->key.cpu, &fresh);
	row->cpu = f->key.cpu;
	row->cpu_valid = true;
	add_to_row(b, row, f, p);
}

static void add_rows(struct build *b, const struct fact *f, const struct place *p)
{
	add_cpu(b, f, p);
	if ((p->self && b->query->hide_self) || b->query->totals_only)
		return;
	add_symbol(b, f, p);
	add_task(b, f, p);
}

static void find_top_symbols(struct build *b)
{
	double *best = mem_calloc(b->tasks.table.n, sizeof(*best));
	for (size_t i = 0; i < b->task_syms.all.n; i++) {
		const struct fact *f = &b->task_syms.all.data[i];
		size_t at = b->tasks.row_of[f->key.task] - 1;
		struct row *row = &b->tasks.table.rows[at];
		bool better = f->weight > best[at] || (f->weight == best[at] && f->key.sym < row->top_sym);
		if (row->top_sym != CATALOG_NONE && !better)
			continue;
		best[at] = f->weight;
		row->top_sym = f->key.sym;
	}
	free(best);
}

static void fill_shares(const struct build *b, struct table *t)
{
	const struct snapshot *s = b->snap;
	for (size_t i = 0; i < t->n; i++) {
		struct row *row = &t->rows[i];
		double weight = 0;
		for (size_t e = 0; e < s->events_n; e++)
			weight += b->primary[e] ? row->sums[e].weight : 0;
		row->share_valid = !row->idle && s->busy_weight > 0;
		row->share = row->share_valid ? weight / s->busy_weight : 0;
	}
}

/* A CPU's share is of what is not idle, like any other row's. */
static void fill_cpu_shares(const struct build *b, struct table *t)
{
	const struct snapshot *s = b->snap;
	for (size_t i = 0; i < t->n; i++) {
		t->rows[i].share_valid = s->busy_weight > 0;
		t->rows[i].share = s->busy_weight > 0 ? b->busy_weight[t->rows[i].cpu] / s->busy_weight : 0;
	}
}

/* Every online CPU has a row, also one that took no sample. */
static void add_silent_cpus(struct build *b)
{
	for (unsigned cpu = 0; cpu < b->snap->cpus_n; cpu++) {
		bool fresh;
		if (!b->snap->cpus[cpu].online)
			continue;
		struct row *row = group_row(&b->cpus, cpu, &fresh);
		row->cpu = cpu;
		row->cpu_valid = true;
	}
}

/* ---- the whole ------------------------------------------------------------------------ */

struct snapshot *snapshot_create(const struct model *m, const struct catalog *cat, const struct query *query)
{
	struct snapshot *s = mem_calloc(1, sizeof(*s));
	struct build b = {.snap = s, .model = m, .cat = cat, .query = query};
	s->events_n = m->config.events_n;
	s->cpus_n = m->config.cpus_n;
	s->primary = query_kin(query, s->events_n, s->kin, b.primary);
	s->cpus = mem_calloc(s->cpus_n, sizeof(*s->cpus));
	b.busy_weight = mem_calloc(s->cpus_n, sizeof(*b.busy_weight));
	b.cpu_factor = mem_calloc(s->cpus_n, sizeof(*b.cpu_factor));
	selection_init(&b.sel, m, query);
	s->start_ns = b.sel.account.start_ns;
	s->end_ns = b.sel.account.end_ns;

	for_facts(&b, sum_totals);
	for (size_t e = 0; e < s->events_n; e++)
		fill_event(&b, e);
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++) {
		fill_cpu(&b, cpu);
		b.cpu_factor[cpu] = cpu_factor(&b, cpu);
	}
	fill_trust(&b);

	group_init(&b.symbols, cat->syms_n + 1, s->events_n);
	group_init(&b.tasks, cat->tasks_n, s->events_n);
	group_init(&b.cpus, s->cpus_n, s->events_n);
	facts_init(&b.task_syms);
	for_facts(&b, add_rows);
	add_silent_cpus(&b);
	find_top_symbols(&b);
	s->symbols = group_finish(&b.symbols);
	s->tasks = group_finish(&b.tasks);
	s->by_cpu = group_finish(&b.cpus);
	fill_shares(&b, &s->symbols);
	fill_shares(&b, &s->tasks);
	fill_cpu_shares(&b, &s->by_cpu);

	facts_deinit(&b.task_syms);
	free(b.busy_weight);
	free(b.cpu_factor);
	selection_deinit(&b.sel);
	return s;
}

void snapshot_destroy(struct snapshot *s)
{
	if (!s)
		return;
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++) {
		free(s->cpus[cpu].counts);
		free(s->cpus[cpu].running);
		free(s->cpus[cpu].states);
	}
	free(s->cpus);
	table_deinit(&s->symbols);
	table_deinit(&s->tasks);
	table_deinit(&s->by_cpu);
	free(s);
}
