/* Computes totals over time from the sums of each interval; facts are not read. */
#include "model/timeline.h"

#include <stdlib.h>
#include <string.h>

struct stretch model_extent(const struct model *m)
{
	const struct intervals *list = model_finest(m);
	if (!list->n)
		return (struct stretch){0};
	return (struct stretch){list->data[0]->account.start_ns, list->data[list->n - 1]->account.end_ns};
}

static void fill_busy(struct timeline_column *to, const struct account *a, const struct model_config *config)
{
	double busy_ns = 0, all_ns = 0, online_ns = 0;
	for (unsigned cpu = 0; cpu < config->cpus_n; cpu++) {
		online_ns += a->cpus[cpu].online ? (double)(a->end_ns - a->start_ns) : 0;
		if (!a->cpus[cpu].known)
			continue;
		busy_ns += (double)a->cpus[cpu].busy_ns;
		all_ns += (double)a->cpus[cpu].busy_ns + (double)a->cpus[cpu].idle_ns;
	}
	if (all_ns <= 0 &&
	    config->time.basis == TIME_BASIS_CLOCK) { /* recordings lack busy times: counts samples outside idle time */
		busy_ns = a->spent_ns < online_ns ? a->spent_ns : online_ns;
		all_ns = online_ns;
	}
	to->busy_known = all_ns > 0;
	to->busy = to->busy_known ? busy_ns / all_ns : 0;
}

static void fill_column(const struct model *m, const struct timeline_query *query, const struct account *a,
			struct timeline_column *to)
{
	struct snapshot *s = snapshot_of_account(m, query->query, a);
	to->measured = true;
	fill_busy(to, a, &m->config);
	if (query->event < s->events_n && s->events[query->event].state == COUNT_OK && a->end_ns > a->start_ns) {
		to->rate_known = true;
		to->rate = snapshot_count(s, query->event) / ((double)(a->end_ns - a->start_ns) / 1e9);
	}
	for (size_t i = 0; i < s->sums.metrics->n; i++)
		to->metrics[i] = total_metric(s, &s->sums.metrics->v[i]);
	snapshot_destroy(s);
}

static void fill(const struct model *m, const struct timeline_query *query, size_t begin, size_t n,
		 struct timeline_column *ret)
{
	const struct intervals *list = model_finest(m);
	size_t at = history_at(list, query->from_ns + begin * query->column_ns);
	for (size_t i = begin; i < n; i++) {
		ret[i] = (struct timeline_column){0};
		uint64_t start_ns = query->from_ns + i * query->column_ns, middle = start_ns + query->column_ns / 2;
		size_t end = at;
		while (end < list->n && interval_middle(list->data[end]) < start_ns + query->column_ns)
			end++;
		size_t first = at, last = end;
		/* no interval has its middle in the column: takes the interval in which the column's middle lies */
		for (size_t k = at ? at - 1 : 0; first == last && k < list->n && k <= at; k++) {
			const struct account *a = &list->data[k]->account;
			if (a->start_ns <= middle && middle < a->end_ns) {
				first = k;
				last = k + 1;
			}
		}
		at = end;
		if (first == last)
			continue;
		struct account sum;
		account_init(&sum, &m->config);
		for (size_t k = first; k < last; k++)
			account_add(&sum, &list->data[k]->account, &m->config);
		fill_column(m, query, &sum, &ret[i]);
		account_deinit(&sum);
	}
}

/* Columns that need not be computed again: column i, in [first, end), gets the value of the old column i + shift. */
struct kept {
	size_t first, end, shift;
};

/* Finds the columns whose values cannot have changed: an interval that began after their end is known, and none of
 * their intervals was joined or dropped. */
static struct kept find_kept(const struct timeline *t, const struct model *m, const struct timeline_query *query,
			     size_t n)
{
	struct stretch extent = model_extent(m);
	uint64_t column_ns = query->column_ns, from_ns = query->from_ns;
	uint64_t joined_ns = model_finest(m)->joined_ns;
	uint64_t settled_ns = joined_ns > extent.from_ns ? joined_ns : extent.from_ns;
	struct kept k = {0};
	if (!t->n || t->event != query->event || t->column_ns != column_ns || from_ns < t->from_ns ||
	    (from_ns - t->from_ns) % column_ns || extent.to_ns < t->extent.to_ns || from_ns >= t->extent.to_ns)
		return k;
	k.shift = (from_ns - t->from_ns) / column_ns;
	k.end = k.shift < t->n ? t->n - k.shift : 0;
	k.end = k.end < n ? k.end : n;
	size_t complete = (t->extent.to_ns - from_ns) / column_ns;
	k.end = k.end < complete ? k.end : complete;
	k.first = settled_ns > from_ns ? (settled_ns - from_ns + column_ns - 1) / column_ns : 0;
	k.first = k.first < k.end ? k.first : k.end;
	return k;
}

void timeline_update(struct timeline *t, const struct model *m, const struct timeline_query *query, size_t n)
{
	struct kept k = find_kept(t, m, query, n);
	if (k.end > k.first)
		memmove(&t->columns[k.first], &t->columns[k.first + k.shift], (k.end - k.first) * sizeof(*t->columns));
	if (n != t->n)
		t->columns = mem_realloc(t->columns, n ? n : 1, sizeof(*t->columns));
	fill(m, query, 0, k.first, t->columns);
	fill(m, query, k.end, n, t->columns);
	t->n = n;
	t->event = query->event;
	t->from_ns = query->from_ns;
	t->column_ns = query->column_ns;
	t->extent = model_extent(m);
}

void timeline_deinit(struct timeline *t)
{
	free(t->columns);
	*t = (struct timeline){0};
}
