/* The order of the facts of an interval: those of one task, context and event stand together, by CPU.  So tables that
 * do not tell CPUs apart take them as one, and two intervals are joined in one pass. */
#include "base/index.h"
#include "model/history.h"

#include <stdlib.h>
#include <string.h>

/* The facts of one task, context and event. */
struct group {
	struct fact_key key; /* of the first of them, with CPU 0 */
	uint32_t id, n;
};

struct groups {
	VEC(struct group) all; /* [id] until they are sorted */
	struct index by_key;
	uint32_t *of; /* [facts_n]: the id of the group of each fact */
};

static int compare_keys(const struct fact_key *a, const struct fact_key *b)
{
	if (a->ctx != b->ctx)
		return a->ctx < b->ctx ? -1 : 1;
	if (a->task != b->task)
		return a->task < b->task ? -1 : 1;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	return compare_keys(&x->key, &y->key);
}

struct wanted_group {
	const struct group *all;
	struct fact_key key;
};

static bool is_group(const void *ctx, uint32_t pos)
{
	const struct wanted_group *w = ctx;
	return memcmp(&w->all[pos].key, &w->key, sizeof(w->key)) == 0; /* a key has no padding */
}

static uint32_t group_of(struct groups *g, struct fact_key key)
{
	key.cpu = 0;
	uint64_t hash = fact_hash(&g->by_key, key);
	uint32_t id = index_find(&g->by_key, hash, is_group, &(struct wanted_group){g->all.data, key});
	if (id != INDEX_NONE)
		return id;
	id = (uint32_t)g->all.n;
	index_add(&g->by_key, hash, id);
	vec_push(&g->all) = (struct group){.key = key, .id = id};
	return id;
}

static void find_groups(struct groups *g, const struct interval *iv)
{
	*g = (struct groups){.of = mem_calloc(iv->facts_n, sizeof(*g->of))};
	index_init(&g->by_key);
	for (size_t i = 0; i < iv->facts_n; i++) {
		g->of[i] = group_of(g, iv->facts[i].key);
		g->all.data[g->of[i]].n++;
	}
	if (g->all.n)
		qsort(g->all.data, g->all.n, sizeof(*g->all.data), compare_groups);
}

static void groups_deinit(struct groups *g)
{
	vec_free(&g->all);
	index_deinit(&g->by_key);
	free(g->of);
}

static int compare_facts(const void *a, const void *b, void *ctx)
{
	const struct fact *facts = ctx;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int r = compare_keys(&facts[x].key, &facts[y].key);
	return r ? r : (x > y) - (x < y);
}

/* Facts are closed in the order of CPUs, so that a group is sorted as long as no two became one. */
static void sort_group(uint32_t *positions, uint32_t n, struct fact *facts)
{
	for (uint32_t i = 1; i < n; i++)
		if (facts[positions[i - 1]].key.cpu > facts[positions[i]].key.cpu) {
			qsort_r(positions, n, sizeof(*positions), compare_facts, facts);
			return;
		}
}

/* The positions of the facts in their order; the caller frees them. */
static uint32_t *find_order(const struct interval *iv)
{
	struct groups g;
	find_groups(&g, iv);
	uint32_t *next = mem_calloc(g.all.n, sizeof(*next)), *ret = mem_calloc(iv->facts_n, sizeof(*ret)), at = 0;
	for (size_t i = 0; i < g.all.n; i++) {
		next[g.all.data[i].id] = at;
		at += g.all.data[i].n;
	}
	for (uint32_t i = 0; i < iv->facts_n; i++)
		ret[next[g.of[i]]++] = i;
	for (size_t i = 0; i < g.all.n; i++) {
		uint32_t end = next[g.all.data[i].id], n = g.all.data[i].n;
		sort_group(ret + end - n, n, iv->facts);
	}
	free(next);
	groups_deinit(&g);
	return ret;
}

/* ---- facts in their order, of which those with the same key become one ------------------------------ */

static void facts_begin(struct interval *to, size_t most, bool timed)
{
	to->facts_n = 0;
	to->facts = mem_calloc(most, sizeof(*to->facts));
	to->times = timed ? mem_calloc(most, sizeof(*to->times)) : NULL;
}

static inline void facts_append(struct interval *to, const struct interval *from, size_t at)
{
	const struct fact *f = &from->facts[at];
	size_t n = to->facts_n;
	if (n && compare_keys(&to->facts[n - 1].key, &f->key) == 0) {
		fact_add_closed(&to->facts[n - 1], f);
		if (to->times)
			to->times[n - 1] = time_add(to->times[n - 1], from->times[at]);
		return;
	}
	to->facts[n] = *f;
	if (to->times)
		to->times[n] = from->times[at];
	to->facts_n++;
}

/* Gives the facts to `iv` in place of its own. */
static void facts_end(struct interval *iv, struct interval *facts)
{
	free(iv->facts);
	free(iv->times);
	iv->facts_n = facts->facts_n;
	iv->facts = mem_realloc(facts->facts, facts->facts_n, sizeof(*iv->facts));
	iv->times = facts->times ? mem_realloc(facts->times, facts->facts_n, sizeof(*iv->times)) : NULL;
	iv->ordered = true;
}

void interval_order(struct interval *iv)
{
	struct interval to;
	if (iv->ordered)
		return;
	uint32_t *order = find_order(iv);
	facts_begin(&to, iv->facts_n, iv->times != NULL);
	for (size_t i = 0; i < iv->facts_n; i++)
		facts_append(&to, iv, order[i]);
	free(order);
	facts_end(iv, &to);
}

void interval_join(struct interval *iv, struct interval *next, const struct model_config *config)
{
	struct interval to;
	interval_order(iv);
	interval_order(next);
	account_add(&iv->account, &next->account, config);
	facts_begin(&to, iv->facts_n + next->facts_n, iv->times && next->times);
	for (size_t a = 0, b = 0; a < iv->facts_n || b < next->facts_n;) {
		bool first = b == next->facts_n ||
			     (a < iv->facts_n && compare_keys(&iv->facts[a].key, &next->facts[b].key) <= 0);
		if (first)
			facts_append(&to, iv, a++);
		else
			facts_append(&to, next, b++);
	}
	facts_end(iv, &to);
	iv->refreshes += next->refreshes;
	interval_destroy(next);
}
