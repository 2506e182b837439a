#include "base/alloc.h"
#include "session/flight.h"
#include "session/ingest.h"
#include "session/told.h"

#include <cyctop/session.h>

#include <stdlib.h>
#include <sys/resource.h>

enum { RETIRE_EVERY = 32 /* ticks */ };

struct session {
	struct source *source;
	struct resolver *resolver;
	struct recording_names *recording; /* of a file, else NULL */
	struct model *model;
	struct model *frozen;  /* a copy, while frozen; else NULL */
	struct flight *flight; /* NULL: nothing is remembered */
	struct told told;
	struct merger *merger;
	const struct source_info *info;
	struct ingest ingest;
	uint64_t keep_ns;
	enum event_role roles[EVENTS_MAX];
	struct event_kin kin[EVENTS_MAX];
	/* Cumulative readings of the last two ticks, and what lies between them. */
	struct counter *counters, *counters_before;
	struct cpu_time *times, *times_before;
	struct counter_delta *deltas;
	struct cpu_delta *cpu_deltas;
	uint64_t self_ns_before;
	uint64_t start_ns, opened_ns; /* of the measurement; of the open interval */
	uint64_t ticks;
};

static uint64_t own_cpu_ns(const struct session *s)
{
	struct rusage ru;
	if (s->info->kind != SOURCE_LIVE || getrusage(RUSAGE_SELF, &ru) < 0)
		return 0;
	uint64_t us = (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000u +
		      (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec);
	return us * 1000;
}

static void read_counters(struct session *s, struct counter *counters, struct cpu_time *times)
{
	s->source->ops->read_counters(s->source, counters, times);
	for (size_t i = 0; s->ingest.sampled && i < s->info->events_n * s->info->cpus_n; i++)
		counters[i].value = s->ingest.sampled[i];
}

static void find_kin(struct session *s)
{
	const struct source_event *events = s->info->events;
	for (size_t e = 0; e < s->info->events_n; e++) {
		size_t first = 0;
		while (first < e && !event_is_kin(&events[first].spec, &events[e].spec))
			first++;
		s->kin[e] = (struct event_kin){.pmu = event_pmu(&events[e].spec), .first = (uint32_t)first};
	}
}

int session_create(const struct session_config *config, struct session **ret, struct error *err)
{
	struct session *s = mem_calloc(1, sizeof(*s));
	struct resolver *resolver;
	struct resolver_config names = config->names;
	told_init(&s->told, config->source, &names.proc);
	names.proc = told_ops(&s->told);
	int rc = resolver_create(&names, &resolver, err);
	if (rc < 0) {
		free(s);
		recording_names_destroy(config->recording);
		config->source->ops->close(config->source);
		return rc;
	}
	s->source = config->source;
	s->resolver = resolver;
	s->recording = config->recording;
	s->keep_ns = config->keep_ns;
	s->info = s->source->ops->info(s->source);
	size_t events_n = s->info->events_n, cpus_n = s->info->cpus_n;
	for (size_t e = 0; e < events_n; e++)
		s->roles[e] = s->info->events[e].spec.role;
	find_kin(s);
	struct model_config model = {
		.events_n = events_n,
		.cpus_n = s->info->cpus_n,
		.keep_ns = config->keep_ns,
		.keep_bytes = config->keep_bytes,
	};
	s->model = model_create(&model);
	s->merger = merger_create();
	s->counters = mem_calloc(events_n * cpus_n, sizeof(*s->counters));
	s->counters_before = mem_calloc(events_n * cpus_n, sizeof(*s->counters_before));
	s->deltas = mem_calloc(events_n * cpus_n, sizeof(*s->deltas));
	s->times = mem_calloc(cpus_n, sizeof(*s->times));
	s->times_before = mem_calloc(cpus_n, sizeof(*s->times_before));
	s->cpu_deltas = mem_calloc(cpus_n, sizeof(*s->cpu_deltas));
	s->ingest = (struct ingest){
		.source = s->source,
		.resolver = s->resolver,
		.model = s->model,
		.layout = s->info->layout,
		.events_n = events_n,
		.cpus_n = s->info->cpus_n,
	};
	leader_init(&s->ingest.leader);
	if (s->info->kind == SOURCE_FILE)
		s->ingest.sampled = mem_calloc(events_n * cpus_n, sizeof(*s->ingest.sampled));
	read_counters(s, s->counters_before, s->times_before);
	s->start_ns = s->opened_ns = s->source->ops->now_ns(s->source);
	s->self_ns_before = own_cpu_ns(s);
	*ret = s;
	return 0;
}

void session_destroy(struct session *s)
{
	if (!s)
		return;
	told_deinit(&s->told);
	resolver_destroy(s->resolver); /* its symbolizers may lean on the source */
	recording_names_destroy(s->recording);
	s->source->ops->close(s->source);
	merger_destroy(s->merger);
	model_destroy(s->model);
	model_destroy(s->frozen);
	flight_destroy(s->flight);
	free(s->counters);
	free(s->counters_before);
	free(s->deltas);
	free(s->times);
	free(s->times_before);
	free(s->cpu_deltas);
	ingest_deinit(&s->ingest);
	free(s);
}

/* What is stamped before `horizon_ns` was published before the heads are loaded:
 * whatever a sample depends on happened before it, and was in a ring before it. */
static void drain_until(struct session *s, uint64_t horizon_ns)
{
	const struct source_ops *ops = s->source->ops;
	do {
		struct lane *lanes;
		size_t n = ops->begin(s->source, &lanes);
		struct merge_stats stats = {0};
		if (ops->horizon)
			horizon_ns = ops->horizon(s->source);
		merger_run(s->merger, s->info->layout, lanes, n, horizon_ns, ingest_records, &s->ingest, &stats);
		s->ingest.malformed += stats.malformed;
		if (s->flight)
			flight_take(s->flight, lanes, n);
		ops->end(s->source);
		if (ops->more) /* a long way: what is known by now need not wait for its end */
			resolver_settle(s->resolver, 0);
	} while (ops->more && ops->more(s->source));
}

void session_drain(struct session *s)
{
	drain_until(s, s->source->ops->now_ns(s->source));
}

static uint64_t grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0; /* an event that was opened anew starts at 0 */
}

static void take_deltas(struct session *s)
{
	for (size_t i = 0; i < s->info->events_n * s->info->cpus_n; i++) {
		const struct counter *now = &s->counters[i], *before = &s->counters_before[i];
		s->deltas[i] = (struct counter_delta){
			.value = grown(now->value, before->value),
			.enabled_ns = grown(now->enabled_ns, before->enabled_ns),
			.running_ns = grown(now->running_ns, before->running_ns),
			.lost = grown(now->lost, before->lost),
			.opened = now->opened,
		};
	}
	for (size_t i = 0; i < s->info->cpus_n; i++) {
		const struct cpu_time *now = &s->times[i], *before = &s->times_before[i];
		s->cpu_deltas[i] = (struct cpu_delta){
			.busy_ns = grown(now->busy_ns, before->busy_ns),
			.idle_ns = grown(now->idle_ns, before->idle_ns),
			.known = now->known && before->known,
			.online = now->online,
		};
	}
	struct counter *counters = s->counters;
	s->counters = s->counters_before;
	s->counters_before = counters;
	struct cpu_time *times = s->times;
	s->times = s->times_before;
	s->times_before = times;
}

/* Tasks that ended before the history begins live on in the total alone: there they
 * become one entry a command, and their ids are free again. */
static void retire_tasks(struct session *s)
{
	const struct catalog *cat = resolver_catalog(s->resolver);
	uint32_t n = cat->tasks_n;
	uint64_t oldest_ns = model_oldest_ns(s->model);
	uint32_t *fold = mem_calloc(n, sizeof(*fold));
	bool any = false;
	for (uint32_t id = 0; id < n; id++) {
		cat = resolver_catalog(s->resolver); /* grows with each new entry */
		const struct task_info *t = &cat->tasks[id];
		bool over = t->exit_ns && t->exit_ns < oldest_ns;
		fold[id] = over ? resolver_ended(s->resolver, t->comm) : CATALOG_NONE;
		any |= over;
	}
	if (any) {
		cat = resolver_catalog(s->resolver);
		fold = mem_realloc(fold, cat->tasks_n, sizeof(*fold));
		for (uint32_t id = n; id < cat->tasks_n; id++)
			fold[id] = CATALOG_NONE;
		model_rekey(s->model, cat, fold);
		bool *used = mem_calloc(cat->tasks_n, sizeof(*used));
		model_mark_tasks(s->model, used, cat->tasks_n);
		resolver_retire(s->resolver, used);
		free(used);
	}
	free(fold);
}

void session_tick(struct session *s)
{
	if (s->source->ops->advance)
		s->source->ops->advance(s->source);
	uint64_t now_ns = s->source->ops->now_ns(s->source);
	if (!s->ingest.sampled)
		read_counters(s, s->counters, s->times);
	drain_until(s, now_ns);
	if (s->ingest.sampled) { /* how far a recording got, and what was in it, shows only now */
		now_ns = s->source->ops->now_ns(s->source);
		read_counters(s, s->counters, s->times);
	}
	take_deltas(s);
	uint64_t self_ns = own_cpu_ns(s);
	struct interval_bounds bounds = {
		.start_ns = s->opened_ns,
		.end_ns = now_ns,
		.counters = s->deltas,
		.cpus = s->cpu_deltas,
		.lost_records = s->ingest.lost_records,
		.malformed = s->ingest.malformed,
		.throttles = s->ingest.throttles,
		.self_cpu_ns = grown(self_ns, s->self_ns_before),
	};
	model_close(s->model, &bounds);
	s->opened_ns = now_ns;
	s->self_ns_before = self_ns;
	s->ingest.lost_records = s->ingest.malformed = s->ingest.throttles = 0;
	s->source->ops->maintain(s->source);
	if (s->recording && session_finished(s))
		resolver_build_ids_told(s->resolver);
	session_collect(s);
	/* A recording ends, and its report has a row for each pid to the last. */
	if (++s->ticks % RETIRE_EVERY == 0 && !s->frozen && s->info->kind != SOURCE_FILE)
		retire_tasks(s);
}

bool session_collect(struct session *s)
{
	if (!resolver_collect(s->resolver))
		return false;
	model_rekey(s->model, resolver_catalog(s->resolver), NULL);
	if (s->frozen)
		model_rekey(s->frozen, resolver_catalog(s->resolver), NULL);
	return true;
}

void session_reset(struct session *s)
{
	session_drain(s);
	model_reset(s->model);
	read_counters(s, s->counters_before, s->times_before);
	s->start_ns = s->opened_ns = s->source->ops->now_ns(s->source);
}

void session_rewound(struct session *s)
{
	resolver_restart(s->resolver);
	leader_deinit(&s->ingest.leader);
	leader_init(&s->ingest.leader);
	session_reset(s);
}

void session_remember(struct session *s, size_t bytes)
{
	flight_destroy(s->flight);
	s->flight = bytes ? flight_create(bytes) : NULL;
	s->told.flight = s->flight;
}

int session_remembered(const struct session *s, int (*fn)(void *ctx, const void *bytes, size_t n), void *ctx)
{
	return s->flight ? flight_each(s->flight, fn, ctx) : 0;
}

void session_freeze(struct session *s, bool frozen)
{
	if (frozen == (s->frozen != NULL))
		return;
	model_destroy(s->frozen);
	s->frozen = frozen ? model_copy(s->model) : NULL;
}

/* Of a recording the first event that has samples: another may have been multiplexed away,
 * or be of CPUs on which nothing ran. */
static size_t primary_of(const struct session *s)
{
	size_t n = s->info->events_n * s->info->cpus_n;
	for (size_t i = 0; s->ingest.sampled && i < n; i++)
		if (s->ingest.sampled[i])
			return i / s->info->cpus_n;
	return 0;
}

static struct query complete(const struct session *s, const struct query *query)
{
	struct query q = *query;
	q.roles = s->roles;
	q.kin = s->kin;
	q.primary = primary_of(s);
	q.partial = s->info->scope != SCOPE_SYSTEM;
	return q;
}

struct snapshot *session_snapshot(struct session *s, const struct query *query)
{
	struct query q = complete(s, query);
	return snapshot_create(s->frozen ? s->frozen : s->model, resolver_catalog(s->resolver), &q);
}

struct report *session_report(struct session *s, const struct query *query, const struct report_keys *keys)
{
	struct query q = complete(s, query);
	return report_create(s->frozen ? s->frozen : s->model, resolver_catalog(s->resolver), &q, keys);
}

const enum event_role *session_roles(const struct session *s)
{
	return s->roles;
}

const struct source_info *session_info(const struct session *s)
{
	return s->info;
}

const struct catalog *session_catalog(const struct session *s)
{
	return resolver_catalog(s->resolver);
}

struct resolver *session_resolver(struct session *s)
{
	return s->resolver;
}

struct source *session_source(struct session *s)
{
	return s->source;
}

uint64_t session_now_ns(const struct session *s)
{
	return s->opened_ns;
}

uint64_t session_uptime_ns(const struct session *s)
{
	return s->opened_ns - s->start_ns;
}

bool session_finished(const struct session *s)
{
	return s->source->ops->finished(s->source);
}

int session_wake_fd(const struct session *s)
{
	return s->source->ops->wake_fd(s->source);
}

int session_resolver_fd(const struct session *s)
{
	return resolver_fd(s->resolver);
}
