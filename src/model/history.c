#include "model/history.h"

#include <stdlib.h>
#include <string.h>

struct model *model_create(const struct model_config *config)
{
	struct model *m = mem_calloc(1, sizeof(*m));
	m->config = *config;
	m->open = mem_calloc(config->cpus_n, sizeof(*m->open));
	m->total = mem_calloc(config->cpus_n, sizeof(*m->total));
	for (unsigned cpu = 0; cpu < config->cpus_n; cpu++) {
		facts_init(&m->open[cpu]);
		facts_init(&m->total[cpu]);
	}
	account_init(&m->total_account, config);
	return m;
}

static void interval_destroy(struct interval *iv)
{
	account_deinit(&iv->account);
	free(iv->facts);
	free(iv);
}

static void forget_history(struct model *m)
{
	for (size_t i = 0; i < m->history.n; i++)
		interval_destroy(m->history.data[i]);
	m->history.n = 0;
	m->history_bytes = 0;
	m->total_lags = false;
}

void model_destroy(struct model *m)
{
	if (!m)
		return;
	forget_history(m);
	vec_free(&m->history);
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++) {
		facts_deinit(&m->open[cpu]);
		facts_deinit(&m->total[cpu]);
	}
	free(m->open);
	free(m->total);
	account_deinit(&m->total_account);
	free(m);
}

void model_reset(struct model *m)
{
	forget_history(m);
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++) {
		facts_clear(&m->open[cpu]);
		facts_clear(&m->total[cpu]);
	}
	account_deinit(&m->total_account);
	account_init(&m->total_account, &m->config);
}

static void add_closed(struct fact *to, const struct fact *f)
{
	to->samples = to->samples > UINT32_MAX - f->samples ? UINT32_MAX : to->samples + f->samples;
	to->weight += f->weight;
	to->var += f->var;
}

static void add_to_total(struct model *m, const struct fact *f)
{
	add_closed(facts_at(&m->total[f->key.cpu], f->key), f);
}

static void catch_up(struct model *m)
{
	const struct interval *iv = model_behind(m);
	for (size_t i = 0; iv && i < iv->facts_n; i++)
		add_to_total(m, &iv->facts[i]);
	m->total_lags = false;
}

static void account_copy(struct account *to, const struct account *from, const struct model_config *config)
{
	account_init(to, config);
	struct counted *counted = to->counted;
	struct cpu_delta *cpus = to->cpus;
	memcpy(counted, from->counted, config->events_n * config->cpus_n * sizeof(*counted));
	memcpy(cpus, from->cpus, config->cpus_n * sizeof(*cpus));
	*to = *from;
	to->counted = counted;
	to->cpus = cpus;
}

struct model *model_copy(const struct model *m)
{
	struct model *copy = model_create(&m->config);
	for (size_t i = 0; i < m->history.n; i++) {
		const struct interval *from = m->history.data[i];
		struct interval *to = mem_calloc(1, sizeof(*to));
		account_copy(&to->account, &from->account, &m->config);
		to->facts = mem_calloc(from->facts_n, sizeof(*to->facts));
		memcpy(to->facts, from->facts, from->facts_n * sizeof(*to->facts));
		to->facts_n = from->facts_n;
		vec_push(&copy->history) = to;
	}
	copy->history_bytes = m->history_bytes;
	copy->total_lags = m->total_lags;
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++)
		for (size_t i = 0; i < m->total[cpu].all.n; i++)
			add_to_total(copy, &m->total[cpu].all.data[i]);
	account_deinit(&copy->total_account);
	account_copy(&copy->total_account, &m->total_account, &m->config);
	return copy;
}

static inline struct fact_key key_of(const struct model_sample *s)
{
	return (struct fact_key){.task = s->task, .sym = s->sym, .cpu = (uint16_t)s->cpu, .event = (uint16_t)s->event};
}

static inline void add(struct model *m, const struct model_sample *s, uint64_t hash)
{
	struct fact *f = facts_at_hash(&m->open[s->cpu], key_of(s), hash);
	f->samples++;
	f->periods = u64_add_sat(f->periods, s->period);
	f->var += (double)s->period * (double)s->period;
}

void model_add(struct model *m, uint32_t task, uint32_t sym, uint32_t cpu, uint32_t event, uint64_t period)
{
	struct model_sample s = {.task = task, .sym = sym, .cpu = cpu, .event = event, .period = period};
	add(m, &s, fact_hash(key_of(&s)));
}

void model_add_row(struct model *m, struct model_sample *samples, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		samples[i].hash = fact_hash(key_of(&samples[i]));
		facts_prefetch_index(&m->open[samples[i].cpu], samples[i].hash);
	}
	for (size_t i = 0; i < n; i++)
		facts_prefetch(&m->open[samples[i].cpu], samples[i].hash);
	for (size_t i = 0; i < n; i++)
		add(m, &samples[i], samples[i].hash);
}

/* ---- accounts ---------------------------------------------------------------- */

void account_init(struct account *a, const struct model_config *config)
{
	*a = (struct account){
		.counted = mem_calloc(config->events_n * config->cpus_n, sizeof(*a->counted)),
		.cpus = mem_calloc(config->cpus_n, sizeof(*a->cpus)),
	};
}

void account_deinit(struct account *a)
{
	free(a->counted);
	free(a->cpus);
	*a = (struct account){0};
}

void account_add(struct account *a, const struct account *b, const struct model_config *config)
{
	if (a->end_ns == 0)
		a->start_ns = b->start_ns;
	a->end_ns = b->end_ns;
	for (size_t i = 0; i < config->events_n * config->cpus_n; i++) {
		struct counted *to = &a->counted[i];
		const struct counted *from = &b->counted[i];
		to->count += from->count;
		to->enabled_ns = u64_add_sat(to->enabled_ns, from->enabled_ns);
		to->running_ns = u64_add_sat(to->running_ns, from->running_ns);
		to->lost = u64_add_sat(to->lost, from->lost);
		to->opened |= from->opened;
	}
	for (size_t i = 0; i < config->cpus_n; i++) {
		a->cpus[i].busy_ns += b->cpus[i].busy_ns;
		a->cpus[i].idle_ns += b->cpus[i].idle_ns;
		a->cpus[i].known |= b->cpus[i].known;
		a->cpus[i].online = b->cpus[i].online;
	}
	a->lost_records += b->lost_records;
	a->malformed += b->malformed;
	a->throttles += b->throttles;
	a->self_cpu_ns += b->self_cpu_ns;
}

/* ---- closing ------------------------------------------------------------------ */

/* enabled/running of an event on a CPU; 1 where it was not multiplexed, and where
 * the counters are silent but samples came all the same. */
static double scale_of(const struct counter_delta *d)
{
	return d->running_ns && d->enabled_ns > d->running_ns ? (double)d->enabled_ns / (double)d->running_ns : 1;
}

static void fill_account(struct account *a, const struct interval_bounds *b, const struct model_config *config)
{
	account_init(a, config);
	a->start_ns = b->start_ns;
	a->end_ns = b->end_ns;
	a->lost_records = b->lost_records;
	a->malformed = b->malformed;
	a->throttles = b->throttles;
	a->self_cpu_ns = b->self_cpu_ns;
	for (size_t i = 0; i < config->events_n * config->cpus_n; i++) {
		const struct counter_delta *d = &b->counters[i];
		a->counted[i] = (struct counted){
			.count = (double)d->value * scale_of(d),
			.enabled_ns = d->enabled_ns,
			.running_ns = d->running_ns,
			.lost = d->lost,
			.opened = d->opened,
		};
	}
	for (size_t i = 0; i < config->cpus_n; i++)
		a->cpus[i] = b->cpus[i];
}

static size_t interval_bytes(const struct model *m, const struct interval *iv)
{
	return sizeof(*iv) + iv->facts_n * sizeof(*iv->facts) +
	       m->config.cpus_n * (sizeof(struct cpu_delta) + m->config.events_n * sizeof(struct counted));
}

static void drop_old(struct model *m)
{
	size_t drop = 0;
	uint64_t newest = m->history.data[m->history.n - 1]->account.end_ns;
	while (drop + 1 < m->history.n) {
		struct interval *iv = m->history.data[drop];
		bool old = newest - iv->account.end_ns > m->config.keep_ns && newest > iv->account.end_ns;
		if (!old && m->history_bytes <= m->config.keep_bytes)
			break;
		m->history_bytes -= interval_bytes(m, iv);
		interval_destroy(iv);
		drop++;
	}
	for (size_t i = drop; i < m->history.n; i++)
		m->history.data[i - drop] = m->history.data[i];
	m->history.n -= drop;
}

static void take_open(struct model *m, struct interval *iv)
{
	size_t n = 0;
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++)
		n += m->open[cpu].all.n;
	iv->facts = mem_calloc(n, sizeof(*iv->facts));
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++) {
		if (m->open[cpu].all.n)
			memcpy(iv->facts + iv->facts_n, m->open[cpu].all.data, m->open[cpu].all.n * sizeof(*iv->facts));
		iv->facts_n += m->open[cpu].all.n;
		facts_clear(&m->open[cpu]);
	}
}

void model_close(struct model *m, const struct interval_bounds *bounds)
{
	catch_up(m);
	struct interval *iv = mem_calloc(1, sizeof(*iv));
	fill_account(&iv->account, bounds, &m->config);
	take_open(m, iv);
	for (size_t i = 0; i < iv->facts_n; i++) {
		struct fact *f = &iv->facts[i];
		double scale = scale_of(&bounds->counters[f->key.event * (size_t)m->config.cpus_n + f->key.cpu]);
		f->weight = (double)f->periods * scale;
		f->var *= scale * scale;
	}
	account_add(&m->total_account, &iv->account, &m->config);
	vec_push(&m->history) = iv;
	m->total_lags = true;
	m->history_bytes += interval_bytes(m, iv);
	drop_old(m);
}

/* ---- re-keying ------------------------------------------------------------------ */

static uint32_t settled(const struct catalog *cat, uint32_t sym)
{
	return sym < cat->syms_n && !cat->syms[sym].provisional ? cat->syms[sym].canonical : sym;
}

/* true: any of them changed; two of them may have the same key then. */
static bool rekey_facts(struct fact *facts, size_t n, const struct catalog *cat)
{
	bool changed = false;
	for (size_t i = 0; i < n; i++) {
		uint32_t sym = settled(cat, facts[i].key.sym);
		changed |= sym != facts[i].key.sym;
		facts[i].key.sym = sym;
	}
	return changed;
}

static void rekey_total(struct model *m, unsigned cpu, const struct catalog *cat, const uint32_t *fold)
{
	struct facts old = m->total[cpu];
	if (!rekey_facts(old.all.data, old.all.n, cat) && !fold)
		return;
	facts_init(&m->total[cpu]);
	for (size_t i = 0; i < old.all.n; i++) {
		struct fact f = old.all.data[i];
		if (fold && f.key.task < cat->tasks_n && fold[f.key.task] != CATALOG_NONE)
			f.key.task = fold[f.key.task];
		add_to_total(m, &f);
	}
	facts_deinit(&old);
}

static void rekey_open(struct model *m, unsigned cpu, const struct catalog *cat)
{
	struct facts old = m->open[cpu];
	if (!rekey_facts(old.all.data, old.all.n, cat))
		return;
	facts_init(&m->open[cpu]);
	for (size_t i = 0; i < old.all.n; i++) {
		const struct fact *f = &old.all.data[i];
		struct fact *t = facts_at(&m->open[cpu], f->key);
		t->samples += f->samples;
		t->periods = u64_add_sat(t->periods, f->periods);
		t->var += f->var;
	}
	facts_deinit(&old);
}

/* Samples that waited for a name were facts of their own. */
static void rekey_interval(struct model *m, struct interval *iv, const struct catalog *cat)
{
	if (!rekey_facts(iv->facts, iv->facts_n, cat))
		return;
	m->history_bytes -= interval_bytes(m, iv);
	struct index kept;
	size_t n = 0;
	index_init(&kept);
	for (size_t i = 0; i < iv->facts_n; i++) {
		const struct fact f = iv->facts[i];
		uint64_t hash = fact_hash(f.key);
		uint32_t pos = index_find(&kept, hash, fact_is, &(struct fact_wanted){iv->facts, f.key});
		if (pos != INDEX_NONE) {
			add_closed(&iv->facts[pos], &f);
			continue;
		}
		index_add(&kept, hash, (uint32_t)n);
		iv->facts[n++] = f;
	}
	index_deinit(&kept);
	iv->facts_n = n;
	iv->facts = mem_realloc(iv->facts, n, sizeof(*iv->facts));
	m->history_bytes += interval_bytes(m, iv);
}

void model_rekey(struct model *m, const struct catalog *cat, const uint32_t *fold)
{
	if (fold)
		catch_up(m);
	for (size_t i = 0; i < m->history.n; i++)
		rekey_interval(m, m->history.data[i], cat);
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++) {
		rekey_open(m, cpu, cat);
		rekey_total(m, cpu, cat, fold);
	}
}

static void mark(const struct fact *facts, size_t n, bool *used, uint32_t used_n)
{
	for (size_t i = 0; i < n; i++)
		if (facts[i].key.task < used_n)
			used[facts[i].key.task] = true;
}

void model_mark_tasks(const struct model *m, bool *used, uint32_t n)
{
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++) {
		mark(m->open[cpu].all.data, m->open[cpu].all.n, used, n);
		mark(m->total[cpu].all.data, m->total[cpu].all.n, used, n);
	}
	for (size_t i = 0; i < m->history.n; i++)
		mark(m->history.data[i]->facts, m->history.data[i]->facts_n, used, n);
}

uint64_t model_oldest_ns(const struct model *m)
{
	return m->history.n ? m->history.data[0]->account.start_ns : 0;
}

void model_stats_get(const struct model *m, struct model_stats *ret)
{
	size_t facts = 0, bytes = m->history_bytes;
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++) {
		facts += m->open[cpu].all.n + m->total[cpu].all.n;
		bytes += facts_bytes(&m->open[cpu]) + facts_bytes(&m->total[cpu]);
	}
	for (size_t i = 0; i < m->history.n; i++)
		facts += m->history.data[i]->facts_n;
	*ret = (struct model_stats){
		.bytes = bytes,
		.intervals = m->history.n,
		.facts = facts,
	};
}
