/* Adds up, copies and frees the sums and facts of closed intervals. */
#include "model/history.h"

#include <stdlib.h>
#include <string.h>

void account_init(struct account *a, const struct model_config *config)
{
	*a = (struct account){
		.counted = mem_calloc(config->events_n * config->cpus_n, sizeof(*a->counted)),
		.cpus = mem_calloc(config->cpus_n, sizeof(*a->cpus)),
		.events_n = config->events_n,
	};
}

void account_widen(struct account *a, const struct model_config *config)
{
	size_t had = a->events_n * config->cpus_n, n = config->events_n * config->cpus_n;
	if (had >= n)
		return;
	a->counted = mem_realloc(a->counted, n, sizeof(*a->counted));
	for (size_t i = had; i < n; i++) {
		const struct counted *first = &a->counted[i % config->cpus_n];
		a->counted[i] = (struct counted){.enabled_ns = first->enabled_ns, .opened = first->opened};
	}
	a->events_n = config->events_n;
}

void account_deinit(struct account *a)
{
	free(a->counted);
	free(a->cpus);
	*a = (struct account){0};
}

void account_add(struct account *a, const struct account *b, const struct model_config *config)
{
	bool first = a->end_ns == 0;
	if (first)
		a->start_ns = b->start_ns;
	a->end_ns = b->end_ns;
	for (size_t i = 0; i < config->events_n * config->cpus_n; i++) {
		struct counted *to = &a->counted[i];
		const struct counted *from = &b->counted[i];
		to->count += from->count;
		to->enabled_ns = u64_add_sat(to->enabled_ns, from->enabled_ns);
		to->running_ns = u64_add_sat(to->running_ns, from->running_ns);
		to->lost = u64_add_sat(to->lost, from->lost);
		to->ran_enabled_ns = u64_add_sat(to->ran_enabled_ns, from->ran_enabled_ns);
		to->throttled_ns = u64_add_sat(to->throttled_ns, from->throttled_ns);
		to->opened |= from->opened;
		to->estimated |= from->estimated;
		to->summed |= from->summed;
		to->untimed = from->untimed && (first || to->untimed);
		to->unweighed |= from->unweighed;
	}
	for (size_t i = 0; i < config->cpus_n; i++) {
		a->cpus[i].busy_ns += b->cpus[i].busy_ns;
		a->cpus[i].idle_ns += b->cpus[i].idle_ns;
		a->cpus[i].step_ns = b->cpus[i].step_ns;
		a->cpus[i].known |= b->cpus[i].known;
		a->cpus[i].online = b->cpus[i].online;
	}
	a->lost_records += b->lost_records;
	a->malformed += b->malformed;
	a->throttles += b->throttles;
	a->self_cpu_ns += b->self_cpu_ns;
	a->spent_ns += b->spent_ns;
	a->spent_var += b->spent_var;
}

void account_copy(struct account *to, const struct account *from, const struct model_config *config)
{
	account_init(to, config);
	struct counted *counted = to->counted;
	struct cpu_delta *cpus = to->cpus;
	memcpy(counted, from->counted, config->events_n * config->cpus_n * sizeof(*counted));
	memcpy(cpus, from->cpus, config->cpus_n * sizeof(*cpus));
	*to = *from;
	to->events_n = config->events_n;
	to->counted = counted;
	to->cpus = cpus;
}

struct interval *interval_copy(const struct interval *iv, const struct model_config *config)
{
	struct interval *copy = mem_calloc(1, sizeof(*copy));
	account_copy(&copy->account, &iv->account, config);
	copy->users = 1;
	copy->refreshes = iv->refreshes;
	copy->ordered = iv->ordered;
	copy->facts_n = iv->facts_n;
	copy->facts = mem_calloc(iv->facts_n, sizeof(*copy->facts));
	if (iv->facts_n)
		memcpy(copy->facts, iv->facts, iv->facts_n * sizeof(*copy->facts));
	copy->extra = columns_make(&iv->extra, &iv->extra, iv->facts_n);
	for (size_t i = 0; i < iv->facts_n; i++)
		columns_set(&copy->extra, i, &iv->extra, i);
	return copy;
}

void interval_destroy(struct interval *iv)
{
	if (--iv->users)
		return;
	account_deinit(&iv->account);
	free(iv->facts);
	columns_free(&iv->extra);
	free(iv);
}

size_t interval_bytes(const struct interval *iv, const struct model_config *config)
{
	return sizeof(*iv) + iv->facts_n * (sizeof(*iv->facts) + columns_bytes(&iv->extra)) +
	       config->cpus_n * (sizeof(struct cpu_delta) + config->events_n * sizeof(struct counted));
}

void fact_add_closed(struct fact *to, const struct fact *f)
{
	fact_add_samples(to, f->samples);
	to->weight += f->weight;
	to->edges += f->edges;
	to->far += f->far;
}

struct fact *facts_add_closed(struct facts *to, struct fact_key key, const struct fact *f,
			      const struct fact_columns *extra, size_t at)
{
	size_t n = to->all.n;
	struct fact *ret = facts_at(to, key);
	size_t ret_at = (size_t)(ret - to->all.data);
	fact_add_closed(ret, f);
	facts_widen(to, extra);
	if (ret_at == n)
		columns_set(&to->extra, ret_at, extra, at);
	else
		columns_add(&to->extra, ret_at, extra, at);
	return ret;
}

void interval_compact(struct interval *iv)
{
	struct index kept;
	size_t n = 0;
	index_init(&kept);
	index_reserve(&kept, iv->facts_n);
	for (size_t i = 0; i < iv->facts_n; i++) {
		const struct fact f = iv->facts[i];
		uint64_t hash = fact_hash(&kept, f.key);
		uint32_t pos = index_find(&kept, hash, fact_is, &(struct fact_wanted){iv->facts, f.key});
		if (pos != INDEX_NONE) {
			fact_add_closed(&iv->facts[pos], &f);
			columns_add(&iv->extra, pos, &iv->extra, i);
			continue;
		}
		index_add(&kept, hash, (uint32_t)n);
		columns_set(&iv->extra, n, &iv->extra, i);
		iv->facts[n++] = f;
	}
	index_deinit(&kept);
	iv->facts_n = n;
	iv->facts = mem_realloc(iv->facts, n, sizeof(*iv->facts));
	columns_resize(&iv->extra, n);
}
