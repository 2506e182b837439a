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

static void forget_intervals(struct intervals *list)
{
	for (size_t i = 0; i < list->n; i++)
		interval_destroy(list->data[i]);
	vec_free(list);
	list->bytes = 0;
	list->joined_ns = 0;
}

static void forget_history(struct model *m)
{
	forget_intervals(&m->history);
	forget_intervals(&m->thin);
	m->total_lags = false;
	m->dropped = (struct dropped){0};
}

void model_destroy(struct model *m)
{
	if (!m)
		return;
	forget_history(m);
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

static void widen_list(struct intervals *list, const struct model_config *config)
{
	list->bytes = 0;
	for (size_t i = 0; i < list->n; i++) {
		account_widen(&list->data[i]->account, config);
		list->bytes += interval_bytes(list->data[i], config);
	}
}

void model_add_event(struct model *m)
{
	m->config.events_n++;
	widen_list(&m->history, &m->config);
	widen_list(&m->thin, &m->config);
	account_widen(&m->total_account, &m->config);
}

/* Adds a fact of a closed interval to the total; its further numbers are at index extra_at of `extra`. */
static void add_to_total(struct model *m, const struct fact *f, const struct fact_columns *extra, size_t extra_at)
{
	const struct fact *to = facts_add_closed(&m->total[f->key.cpu], f->key, f, extra, extra_at);
	if (to->samples == LIMIT_FACT_SAMPLES)
		limit_reached(&m->reached, REACHED_FACT_SAMPLES);
}

/* With at least MANY_CPUS CPUs, each interval is sorted when the next one closes: tables then save more time than
 * sorting takes.  With fewer, intervals are sorted only when they are joined. */
enum { MANY_CPUS = 16 };

static void catch_up(struct model *m)
{
	if (!m->total_lags)
		return;
	struct interval *iv = m->history.data[m->history.n - 1];
	for (size_t i = 0; i < iv->facts_n; i++) /* before sorting, which would scatter the facts of a CPU */
		add_to_total(m, &iv->facts[i], &iv->extra, i);
	if (m->config.cpus_n >= MANY_CPUS)
		interval_order(iv);
	m->total_lags = false;
}

/* Returns the index of the first interval that began at `since_ns` or later, among the newest `most`. */
static size_t first_of_newest(const struct intervals *list, uint64_t since_ns, size_t most)
{
	size_t first = list->n;
	while (first && list->n - first < most && list->data[first - 1]->account.start_ns >= since_ns)
		first--;
	return first;
}

uint64_t model_unjoined_ns(const struct model *m)
{
	const struct intervals *list = model_finest(m);
	size_t first = list->n;
	while (first && list->data[first - 1]->refreshes == 1)
		first--;
	return first < list->n ? list->data[first]->account.start_ns : 0;
}

size_t model_newest(const struct model *m, uint64_t since_ns, size_t most, struct snapshot_interval *ret)
{
	const struct intervals *list = model_finest(m);
	size_t first = first_of_newest(list, since_ns, most);
	for (size_t i = first; i < list->n; i++)
		ret[i - first] =
			(struct snapshot_interval){list->data[i]->account.start_ns, list->data[i]->account.end_ns};
	return list->n - first;
}

/* Appends the intervals [first, end) of `list` to `to`, whose model becomes a further user of each. */
static void share(const struct intervals *list, size_t first, size_t end, struct intervals *to)
{
	for (size_t i = first; i < end; i++) {
		list->data[i]->users++;
		vec_push(to) = list->data[i];
	}
}

/* Appends to `to`, as share() does, the intervals that lie wholly in the stretch `s`: at most the newest `most`. */
static void share_stretch(const struct intervals *list, struct stretch s, size_t most, struct intervals *to)
{
	size_t end = list->n;
	while (end && list->data[end - 1]->account.end_ns > s.to_ns)
		end--;
	size_t first = end;
	while (first && end - first < most && list->data[first - 1]->account.start_ns >= s.from_ns)
		first--;
	share(list, first, end, to);
}

struct model *model_copy_stretch(const struct model *m, struct stretch s, size_t most)
{
	struct model *copy = model_create(&m->config);
	struct intervals *finest = m->thin.n ? &copy->thin : &copy->history;
	share_stretch(model_finest(m), s, most, finest);
	if (!finest->n) {
		model_destroy(copy);
		return NULL;
	}
	s.from_ns = finest->data[0]->account.start_ns;
	if (m->thin.n)
		share_stretch(&m->history, s, SIZE_MAX, &copy->history);
	return copy;
}

struct model *model_copy_newest(const struct model *m, uint64_t since_ns, size_t most)
{
	return model_copy_stretch(m, (struct stretch){since_ns, UINT64_MAX}, most);
}

struct model *model_copy(const struct model *m)
{
	struct model *copy = model_create(&m->config);
	share(&m->history, 0, m->history.n, &copy->history);
	share(&m->thin, 0, m->thin.n, &copy->thin);
	copy->history.bytes = m->history.bytes;
	copy->history.joined_ns = m->history.joined_ns;
	copy->thin.bytes = m->thin.bytes;
	copy->thin.joined_ns = m->thin.joined_ns;
	copy->dropped = m->dropped;
	copy->keep_all = m->keep_all;
	copy->total_lags = m->total_lags;
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++)
		for (size_t i = 0; i < m->total[cpu].all.n; i++)
			add_to_total(copy, &m->total[cpu].all.data[i], &m->total[cpu].extra, i);
	account_deinit(&copy->total_account);
	account_copy(&copy->total_account, &m->total_account, &m->config);
	return copy;
}

static inline struct fact_key key_of(const struct model_sample *s)
{
	return (struct fact_key){.task = s->task, .ctx = s->ctx, .cpu = (uint16_t)s->cpu, .event = (uint16_t)s->event};
}

static inline __attribute__((always_inline)) void add(struct model *m, const struct model_sample *s, uint64_t hash)
{
	struct fact *f = facts_at_hash(&m->open[s->cpu], key_of(s), hash);
	f->samples += f->samples < LIMIT_FACT_SAMPLES;
	f->periods = u64_add_sat(f->periods, s->period);
	/* Factors on the squared period for `edges`, see struct sum.  For `far`, a sample is compared only with the
	 * last but one.  A difference is counted twice: as many such pairs of samples begin with this fact as end with
	 * it. */
	static const float edges[4] = {2, [LIKE_PREVIOUS] = 1, [LIKE_NEXT] = 1, [LIKE_PREVIOUS | LIKE_NEXT] = 0};
	float square = (float)s->period * (float)s->period;
	f->edges += edges[s->like & (LIKE_PREVIOUS | LIKE_NEXT)] * square;
	f->far += s->like & LIKE_LAST_BUT_ONE ? 0 : 2 * square;
}

void model_add(struct model *m, uint32_t task, uint32_t ctx, uint32_t cpu, uint32_t event, uint64_t period)
{
	struct model_sample s = {.task = task, .ctx = ctx, .cpu = cpu, .event = event, .period = period};
	add(m, &s, fact_hash(&m->open[cpu].by_key, key_of(&s)));
}

void model_add_cost(struct model *m, const struct model_sample *sample, uint64_t cost)
{
	struct facts *open = &m->open[sample->cpu];
	struct sample_costs one = {1, (double)cost, (double)cost * (double)cost};
	const struct fact_columns with_costs = {.costs = &one};
	if (!cost)
		return;
	size_t at = (size_t)(facts_at(open, key_of(sample)) - open->all.data);
	facts_widen(open, &with_costs);
	open->extra.costs[at] = costs_add(open->extra.costs[at], one);
}

void model_add_row(struct model *m, struct model_sample *samples, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct facts *open = &m->open[samples[i].cpu];
		samples[i].hash = fact_hash(&open->by_key, key_of(&samples[i]));
		facts_prefetch_index(open, samples[i].hash);
	}
	for (size_t i = 0; i < n; i++)
		facts_prefetch(&m->open[samples[i].cpu], samples[i].hash);
	for (size_t i = 0; i < n; i++)
		add(m, &samples[i], samples[i].hash);
}

/* ---- closing an interval: sampled periods become weights ------------------------------ */

/* Returns the factor enabled / running of an event on a CPU.  Returns 1 if the event was not multiplexed, and also if
 * the counter never ran although there are samples. */
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
			.count = (double)d->value * scale_of(d) * (d->scale > 0 ? d->scale : 1),
			.enabled_ns = d->enabled_ns,
			.running_ns = d->running_ns,
			.lost = d->lost,
			.ran_enabled_ns = d->running_ns || b->raw ? d->enabled_ns : 0,
			.throttled_ns = d->throttled_ns,
			.opened = d->opened,
			.estimated = d->estimated,
			.summed = d->summed,
			.untimed = d->untimed,
			.unweighed = d->unweighed,
		};
	}
	for (size_t i = 0; i < config->cpus_n; i++)
		a->cpus[i] = b->cpus[i];
}

/* Copies the further numbers of open facts to the interval, after those of the facts that it has already; `n`: number
 * of facts that it will have in the end. */
static void take_beside(const struct facts *open, struct interval *iv, size_t n)
{
	if (columns_lack(&iv->extra, &open->extra))
		columns_grow(&iv->extra, &open->extra, n, n);
	for (size_t i = 0; i < open->all.n && i < open->extra_cap; i++)
		columns_set(&iv->extra, iv->facts_n + i, &open->extra, i);
}

static void take_open(struct model *m, struct interval *iv)
{
	size_t n = 0;
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++)
		n += m->open[cpu].all.n;
	iv->facts = mem_calloc(n, sizeof(*iv->facts));
	iv->users = iv->refreshes = 1;
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++) {
		if (m->open[cpu].all.n)
			memcpy(iv->facts + iv->facts_n, m->open[cpu].all.data, m->open[cpu].all.n * sizeof(*iv->facts));
		take_beside(&m->open[cpu], iv, n);
		iv->facts_n += m->open[cpu].all.n;
		facts_clear(&m->open[cpu]);
	}
}

void model_keep(struct model *m, size_t bytes)
{
	m->config.keep_bytes = bytes;
	m->keep_all = true;
}

/* Adds a thin copy of the newest interval, if there are thin copies of all intervals before it. */
static void keep_thin(struct model *m, const struct catalog *cat)
{
	bool begins = m->keep_all && m->config.cpus_n >= MANY_CPUS && m->history.n == 1 && cat;
	if (!m->thin.n && !begins)
		return;
	catch_up(m);
	struct interval *thin = interval_thin(m->history.data[m->history.n - 1], cat, &m->config);
	vec_push(&m->thin) = thin;
	m->thin.bytes += interval_bytes(thin, &m->config);
}

void model_close(struct model *m, const struct interval_bounds *bounds)
{
	catch_up(m);
	struct interval *iv = mem_calloc(1, sizeof(*iv));
	fill_account(&iv->account, bounds, &m->config);
	take_open(m, iv);
	for (size_t i = 0; i < iv->facts_n; i++) {
		struct fact *f = &iv->facts[i];
		const struct counter_delta *d = &bounds->counters[f->key.event * (size_t)m->config.cpus_n + f->key.cpu];
		double scale = bounds->raw ? 1 : scale_of(d);
		f->weight = (double)f->periods * scale;
		f->edges *= (float)(scale * scale);
		f->far *= (float)(scale * scale);
	}
	interval_times(iv, bounds, &m->config);
	account_add(&m->total_account, &iv->account, &m->config);
	vec_push(&m->history) = iv;
	m->total_lags = true;
	keep_thin(m, bounds->cat);
	m->history.bytes += interval_bytes(iv, &m->config);
	history_bound(m);
}

/* ---- changing the ids in facts after their symbols were resolved ----------------------------- */

/* Replaces ids in facts by those to which the catalog has resolved them since.  Returns true if any changed: then
 * several facts may have the same key. */
static bool rekey_facts(struct fact *facts, size_t n, const struct catalog *cat)
{
	bool changed = false;
	for (size_t i = 0; i < n; i++) {
		struct fact_key *key = &facts[i].key;
		uint32_t task = catalog_task_settled(cat, key->task, key->ctx),
			 ctx = catalog_ctx_settled(cat, key->ctx);
		changed |= ctx != key->ctx || task != key->task;
		key->task = task;
		key->ctx = ctx;
	}
	return changed;
}

static void fold_key(struct fact_key *key, const struct catalog_fold *fold)
{
	if (key->task < fold->tasks_n && fold->tasks[key->task] != CATALOG_NONE)
		key->task = fold->tasks[key->task];
	uint32_t at = key->ctx & ~CTX_EXTENDED;
	bool extended = key->ctx & CTX_EXTENDED;
	const uint32_t *to = extended ? fold->contexts : fold->syms;
	if (at < (extended ? fold->contexts_n : fold->syms_n) && to[at] != CATALOG_NONE)
		key->ctx = to[at];
}

static void rekey_total(struct model *m, unsigned cpu, const struct catalog *cat, const struct catalog_fold *fold)
{
	struct facts *total = &m->total[cpu];
	size_t n = total->all.n;
	if (!rekey_facts(total->all.data, n, cat) && !fold)
		return;
	total->all.n = 0;
	index_clear(&total->by_key);
	for (size_t i = 0; i < n; i++) { /* in place: adds at most as many facts as it has read */
		struct fact f = total->all.data[i];
		if (fold)
			fold_key(&f.key, fold);
		add_to_total(m, &f, &total->extra, i);
	}
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
		fact_add_samples(t, f->samples);
		t->periods = u64_add_sat(t->periods, f->periods);
		t->edges += f->edges;
		t->far += f->far;
		size_t at = (size_t)(t - m->open[cpu].all.data);
		if (i >= old.extra_cap)
			continue;
		facts_widen(&m->open[cpu], &old.extra);
		columns_add(&m->open[cpu].extra, at, &old.extra, i);
	}
	facts_deinit(&old);
}

/* Joins the facts of an interval whose keys became equal when ids in them were replaced. */
static void join_same(struct interval *iv)
{
	if (!iv->ordered) {
		interval_compact(iv);
		return;
	}
	iv->ordered = false;
	interval_order(iv);
}

/* Replaces the resolved ids in an interval, and joins facts whose keys became the same.  An interval that models share
 * may be changed, because each of them would change it in the same way. */
static void rekey_interval(struct interval *iv, const struct catalog *cat)
{
	if (rekey_facts(iv->facts, iv->facts_n, cat))
		join_same(iv);
}

/* Replaces ids in an interval as `fold` says.  If other models share the interval, this model gets a changed copy. */
static void fold_interval(struct model *m, struct intervals *list, size_t at, const struct catalog_fold *fold)
{
	const struct interval *iv = list->data[at];
	bool changes = false;
	for (size_t i = 0; i < iv->facts_n && !changes; i++) {
		struct fact_key key = iv->facts[i].key;
		fold_key(&key, fold);
		changes = key.task != iv->facts[i].key.task || key.ctx != iv->facts[i].key.ctx;
	}
	if (!changes)
		return;
	struct interval *own = history_own(m, list, at);
	for (size_t i = 0; i < own->facts_n; i++)
		fold_key(&own->facts[i].key, fold);
	join_same(own);
}

static void rekey_list(struct model *m, struct intervals *list, const struct catalog *cat,
		       const struct catalog_fold *fold)
{
	size_t detailed = history_detailed(m, list);
	list->bytes = 0;
	for (size_t i = 0; i < list->n; i++) {
		rekey_interval(list->data[i], cat);
		if (fold && i < detailed)
			fold_interval(m, list, i, fold);
		list->bytes += interval_bytes(list->data[i], &m->config);
	}
}

struct limit_set model_limits(struct model *m)
{
	struct limit_set news = m->reached;
	limit_remove(&news, &m->reported);
	limit_add(&m->reported, &news);
	return news;
}

void model_rekey(struct model *m, const struct catalog *cat, const struct catalog_fold *fold)
{
	if (fold)
		catch_up(m);
	rekey_list(m, &m->history, cat, fold);
	rekey_list(m, &m->thin, cat, fold);
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++) {
		rekey_open(m, cpu, cat);
		rekey_total(m, cpu, cat, fold);
	}
}

static void mark(const struct fact *facts, size_t n, const struct catalog *cat, struct catalog_used *used)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t task = facts[i].key.task, ctx = facts[i].key.ctx, sym = catalog_ctx_sym(cat, ctx);
		if (ctx & CTX_EXTENDED && (ctx & ~CTX_EXTENDED) < used->contexts_n)
			used->contexts[ctx & ~CTX_EXTENDED] = true;
		if (task < used->tasks_n)
			used->tasks[task] = true;
		if (sym < used->syms_n)
			used->syms[sym] = true;
	}
}

static void mark_list(const struct intervals *list, size_t first, const struct catalog *cat, struct catalog_used *used)
{
	for (size_t i = first; i < list->n; i++)
		mark(list->data[i]->facts, list->data[i]->facts_n, cat, used);
}

void model_mark(const struct model *m, const struct catalog *cat, bool all, struct catalog_used *used)
{
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++) {
		mark(m->open[cpu].all.data, m->open[cpu].all.n, cat, used);
		if (all)
			mark(m->total[cpu].all.data, m->total[cpu].all.n, cat, used);
	}
	mark_list(&m->history, all ? 0 : history_detailed(m, &m->history), cat, used);
	mark_list(&m->thin, all ? 0 : history_detailed(m, &m->thin), cat, used);
}

void model_open_tasks(const struct model *m, bool *used, uint32_t n)
{
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++)
		for (size_t i = 0; i < m->open[cpu].all.n; i++)
			if (m->open[cpu].all.data[i].key.task < n)
				used[m->open[cpu].all.data[i].key.task] = true;
}

static void weigh(const struct fact *facts, size_t n, const struct catalog *cat, struct catalog_weights *weights)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t task = facts[i].key.task, sym = catalog_ctx_sym(cat, facts[i].key.ctx);
		uint32_t cgroup = catalog_ctx_cgroup(cat, facts[i].key.ctx);
		if (task < weights->tasks_n)
			weights->tasks[task] += facts[i].samples;
		if (sym < weights->syms_n)
			weights->syms[sym] += facts[i].samples;
		if (cgroup < weights->cgroups_n)
			weights->cgroups[cgroup] += facts[i].samples;
	}
}

void model_weigh(const struct model *m, const struct catalog *cat, struct catalog_weights *weights)
{
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++)
		weigh(m->total[cpu].all.data, m->total[cpu].all.n, cat, weights);
}

uint64_t model_detailed_ns(const struct model *m)
{
	const struct intervals *list = model_finest(m);
	size_t at = history_detailed(m, list);
	return at < list->n ? list->data[at]->account.start_ns : 0;
}

static size_t facts_of(const struct intervals *list)
{
	size_t n = 0;
	for (size_t i = 0; i < list->n; i++)
		n += list->data[i]->facts_n;
	return n;
}

void model_stats_get(const struct model *m, struct model_stats *ret)
{
	size_t facts = facts_of(&m->history) + facts_of(&m->thin), bytes = m->history.bytes + m->thin.bytes;
	*ret = (struct model_stats){
		.intervals = model_finest(m)->n,
		.history_bytes = bytes,
		.dropped = m->dropped,
	};
	for (unsigned cpu = 0; cpu < m->config.cpus_n; cpu++) {
		facts += m->open[cpu].all.n + m->total[cpu].all.n;
		bytes += facts_bytes(&m->open[cpu]) + facts_bytes(&m->total[cpu]);
	}
	ret->facts = facts;
	ret->bytes = bytes;
}
