#include "model/select.h"

#include <stdlib.h>

void selection_init(struct selection *sel, const struct model *m, const struct query *query)
{
	const struct model_config *config = &m->config;
	*sel = (struct selection){0};
	account_init(&sel->account, config);
	if (query->window == WINDOW_TOTAL) {
		for (unsigned cpu = 0; cpu < config->cpus_n; cpu++)
			vec_push(&sel->spans) = (struct span){m->total[cpu].all.data, m->total[cpu].all.n};
		const struct interval *behind = model_behind(m);
		if (behind)
			vec_push(&sel->spans) = (struct span){behind->facts, behind->facts_n};
		account_add(&sel->account, &m->total_account, config);
		return;
	}
	size_t first = m->history.n;
	while (first > 0) {
		const struct interval *iv = m->history.data[first - 1];
		const struct interval *last = m->history.data[m->history.n - 1];
		/* Half an interval of tolerance: timers do not fire to the nanosecond. */
		uint64_t tolerance = (iv->account.end_ns - iv->account.start_ns) / 2;
		bool within = query->window == WINDOW_SLIDING &&
			      last->account.end_ns - iv->account.start_ns <= query->sliding_ns + tolerance;
		if (!within && first < m->history.n)
			break;
		first--;
	}
	for (size_t i = first; i < m->history.n; i++) {
		const struct interval *iv = m->history.data[i];
		vec_push(&sel->spans) = (struct span){iv->facts, iv->facts_n};
		account_add(&sel->account, &iv->account, config);
	}
}

void selection_deinit(struct selection *sel)
{
	account_deinit(&sel->account);
	vec_free(&sel->spans);
}

struct place place_of(const struct catalog *cat, const struct fact *f)
{
	struct place p = {.sym = f->key.sym, .task = f->key.task, .leader = f->key.task};
	if (p.sym < cat->syms_n)
		p.sym = cat->syms[p.sym].canonical;
	if (p.sym < cat->syms_n) {
		const struct sym_info *sym = &cat->syms[p.sym];
		p.kernel = sym->kernel;
		/* One row for a DSO, not one for each address that waits for a name. */
		if (sym->state == SYM_PENDING && sym->dso < cat->dsos_n && cat->dsos[sym->dso].pending)
			p.sym = cat->dsos[sym->dso].pending - 1;
		if (sym->state == SYM_UNRESOLVED && sym->dso < cat->dsos_n && cat->dsos[sym->dso].nameless)
			p.sym = cat->dsos[sym->dso].nameless - 1;
		p.pending = sym->state == SYM_PENDING;
		p.unresolved = sym->state == SYM_UNRESOLVED || sym->state == SYM_NO_DSO;
	}
	if (p.task < cat->tasks_n) {
		const struct task_info *task = &cat->tasks[p.task];
		p.leader = task->leader < cat->tasks_n ? task->leader : p.task;
		p.idle = task->idle;
		p.self = task->self;
		p.kernel_task = task->kernel;
	}
	return p;
}

size_t query_kin(const struct query *query, size_t events_n, struct event_kin kin[EVENTS_MAX], bool primary[EVENTS_MAX])
{
	for (size_t e = 0; e < events_n; e++)
		kin[e] = query->kin ? query->kin[e] : (struct event_kin){0};
	size_t first = query->primary < events_n ? query->primary : 0;
	if (kin[first].pmu && kin[first].first < events_n)
		first = kin[first].first;
	for (size_t e = 0; e < events_n; e++)
		primary[e] = e == first || (kin[first].pmu && kin[e].pmu && kin[e].first == first);
	return first;
}
