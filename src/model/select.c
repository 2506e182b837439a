#include "model/select.h"

#include <stdlib.h>

static void find_scales(struct selection *sel, const struct model_config *config)
{
	size_t n = config->events_n * config->cpus_n;
	for (size_t i = 0; i < n; i++) {
		double scale = counted_scale(&sel->account.counted[i]);
		if (scale == 1)
			continue;
		if (!sel->scales) {
			sel->scales = mem_calloc(n, sizeof(*sel->scales));
			for (size_t k = 0; k < n; k++)
				sel->scales[k] = 1;
		}
		sel->scales[i] = scale;
	}
}

/* ---- choosing the full or the thin history, by the tables of the query ----------------------- */

/* What the tables of a query tell apart.  ids: single tasks or functions, not only kinds of them (interval_thin.c). */
struct needs {
	bool ids, cpus;
};

static void add_need(struct needs *n, enum dimension_id dim)
{
	if (dim == DIM_NONE)
		return;
	enum fact_part part = dimensions[dim].part;
	n->cpus |= part == PART_CPU;
	n->ids |= part == PART_TASK || (part == PART_CONTEXT && dim != DIM_MODE);
}

bool pivot_crosses_cpus(const struct pivot_query *q, const struct filter *only, size_t only_n)
{
	struct needs needs = {.ids = false};
	for (size_t i = 0; i < q->dims_n; i++)
		add_need(&needs, q->dims[i]);
	for (size_t i = 0; i < q->filters_n; i++)
		add_need(&needs, q->filters[i].dim);
	for (size_t i = 0; i < only_n; i++)
		add_need(&needs, only[i].dim);
	add_need(&needs, q->top);
	return needs.cpus && needs.ids;
}

static bool crosses_cpus(const struct query *query)
{
	bool found = false;
	for (size_t p = 0; p < query->pivots_n; p++)
		found |= pivot_crosses_cpus(&query->pivots[p], query->only, query->only_n);
	return found;
}

/* Intervals [first, end) of a list. */
struct range {
	size_t first, end;
};

static struct range window_range(const struct intervals *list, const struct query *query)
{
	size_t first = list->n;
	while (first > 0) {
		const struct interval *iv = list->data[first - 1];
		const struct interval *last = list->data[list->n - 1];
		/* half an interval of tolerance, because timers are not exact */
		uint64_t tolerance = (iv->account.end_ns - iv->account.start_ns) / 2;
		bool sliding = query->window == WINDOW_SLIDING;
		bool within = sliding && last->account.end_ns - iv->account.start_ns <= query->sliding_ns + tolerance;
		if (!within && first < list->n)
			break;
		if (sliding && iv->account.start_ns < query->since_ns)
			break;
		first--;
	}
	return (struct range){first, list->n};
}

static struct range stretch_range(const struct intervals *list, const struct stretch *s)
{
	size_t first = history_at(list, s->from_ns), end = history_at(list, s->to_ns);
	if (first < end || !list->n)
		return (struct range){first, end};
	/* the stretch lies within one (joined) interval */
	uint64_t middle = s->from_ns + (s->to_ns > s->from_ns ? (s->to_ns - s->from_ns) / 2 : 0);
	size_t at = 0;
	while (at + 1 < list->n && list->data[at]->account.end_ns <= middle)
		at++;
	return (struct range){at, at + 1};
}

static void select_total(struct selection *sel, const struct model *m)
{
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++)
		vec_push(&sel->spans) =
			(struct span){m->total[cpu].all.data, m->total[cpu].all.n, m->total[cpu].extra, false};
	const struct interval *behind = model_behind(m);
	if (behind)
		vec_push(&sel->spans) = (struct span){behind->facts, behind->facts_n, behind->extra, false};
	account_add(&sel->account, &m->total_account, &m->config);
}

static void select_facts(struct selection *sel, const struct model *m, const struct query *query)
{
	if (query->window == WINDOW_TOTAL && !query->stretch.to_ns) {
		select_total(sel, m);
		return;
	}
	const struct intervals *list = crosses_cpus(query) ? &m->history : model_finest(m);
	struct range range = query->stretch.to_ns ? stretch_range(list, &query->stretch) : window_range(list, query);
	sel->intervals_n = range.end - range.first;
	sel->intervals = sel->intervals_n ? list->data + range.first : NULL;
	for (size_t i = range.first; i < range.end; i++) {
		const struct interval *iv = list->data[i];
		vec_push(&sel->spans) = (struct span){iv->facts, iv->facts_n, iv->extra, list == &m->thin};
		account_add(&sel->account, &iv->account, &m->config);
	}
}

void selection_init(struct selection *sel, const struct model *m, const struct query *query)
{
	*sel = (struct selection){0};
	account_init(&sel->account, &m->config);
	select_facts(sel, m, query);
	find_scales(sel, &m->config);
}

void selection_deinit(struct selection *sel)
{
	account_deinit(&sel->account);
	free(sel->scales);
	vec_free(&sel->spans);
}

size_t query_siblings(const struct query *query, size_t events_n, struct pmu_sibling siblings[EVENTS_MAX],
		      bool primary[EVENTS_MAX])
{
	for (size_t e = 0; e < events_n; e++)
		siblings[e] = query->siblings ? query->siblings[e] : (struct pmu_sibling){0};
	size_t first = query->primary < events_n ? query->primary : 0;
	if (siblings[first].pmu && siblings[first].first < events_n)
		first = siblings[first].first;
	for (size_t e = 0; e < events_n; e++)
		primary[e] = e == first || (siblings[first].pmu && siblings[e].pmu && siblings[e].first == first);
	return first;
}
