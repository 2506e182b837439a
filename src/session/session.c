#include "base/alloc.h"
#include "session/internal.h"

#include <stdlib.h>
#include <sys/resource.h>

static uint64_t own_cpu_ns(const struct session *s)
{
	struct rusage ru;
	if (!s->info->live || getrusage(RUSAGE_SELF, &ru) < 0)
		return 0;
	uint64_t us = (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000u +
		      (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec);
	return us * 1000;
}

static void read_counters(struct session *s, struct counter *counters, struct cpu_time *times)
{
	s->source->ops->read_counters(s->source, counters, times);
	ingest_off_cpu_read(&s->ingest, counters);
	if (s->ingest.sampled)
		readings_report(&s->ingest.readings, s->source->ops->now_ns(s->source), s->ingest.sampled, counters);
	if (s->info->branches)
		branches_report(&s->ingest.branches, s->info->cpus_n, counters + s->info->branches * s->info->cpus_n);
}

/* Begins the first interval at now_ns.  The rings have been filling since the source was opened.  Samples before now_ns
 * are dropped, so that samples, counters and CPU times are of the same time. */
static void begin_at(struct session *s, uint64_t now_ns)
{
	s->start_ns = s->opened_ns = now_ns;
	s->ingest.since_ns = s->info->has_counters ? now_ns : 0;
}

int session_create(const struct session_config *config, struct session **ret, struct error *err)
{
	struct session *s = mem_calloc(1, sizeof(*s));
	struct resolver *resolver;
	struct resolver_config names = config->names;
	proc_snapshot_init(&s->proc, config->source, &names.proc);
	names.proc = proc_snapshot_ops(&s->proc);
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
	size_t room = s->source->ops->open_event ? EVENTS_MAX : events_n; /* untouched memory costs nothing */
	struct model_config model = {
		.events_n = events_n,
		.cpus_n = s->info->cpus_n,
		.keep_ns = config->keep_ns,
		.keep_bytes = config->keep_bytes,
	};
	time_config_init(&model.time, s->info);
	s->model = model_create(&model);
	s->names = (struct model_names){.places = s->info->places, .cpus_n = s->info->cpus_n, .pmus = s->pmus};
	session_use_metrics(s, NULL);
	s->merger = merger_create();
	s->counters = mem_calloc(room * cpus_n, sizeof(*s->counters));
	s->counters_before = mem_calloc(room * cpus_n, sizeof(*s->counters_before));
	s->deltas = mem_calloc(room * cpus_n, sizeof(*s->deltas));
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
		.times = &s->task_times,
		.counts_from_open = s->info->live,
		.annotated = CATALOG_REF_NONE,
	};
	ingest_init(&s->ingest);
	branches_init(&s->ingest.branches, s->info->branches, s->info->cpus_n);
	leader_init(&s->ingest.leader);
	crossing_init(&s->ingest.crossing, s->info, room);
	parallel_init(&s->ingest.parallel, s->info->switches ? s->info->cpus_n : 0);
	readings_init(&s->ingest.readings, events_n, s->info->cpus_n);
	throttling_init(&s->ingest.throttling, room, s->info->cpus_n);
	if (!s->info->has_counters)
		s->ingest.sampled = mem_calloc(events_n * cpus_n, sizeof(*s->ingest.sampled));
	begin_at(s, s->source->ops->now_ns(s->source));
	s->retired_ns = s->start_ns;
	read_counters(s, s->counters_before, s->times_before);
	times_init(&s->task_times, s->source, s->opened_ns);
	s->self_ns_before = own_cpu_ns(s);
	*ret = s;
	return 0;
}

void session_destroy(struct session *s)
{
	if (!s)
		return;
	times_deinit(&s->task_times);
	/* Symbolizers use s->recording, which uses the source.  If the loader thread hangs (resolver_destroy() fails),
	 * it may use both still, so they are not freed. */
	if (resolver_destroy(s->resolver)) {
		recording_names_destroy(s->recording);
		s->source->ops->close(s->source);
	} else if (!s->recording) {
		s->source->ops->close(s->source);
	}
	merger_destroy(s->merger);
	struct model *models[SESSION_MODELS];
	session_models(s, models);
	for (size_t i = 0; i < SESSION_MODELS; i++)
		model_destroy(models[i]);
	flight_destroy(s->flight);
	read_records_destroy(s->reads);
	free(s->counters);
	free(s->counters_before);
	free(s->deltas);
	free(s->times);
	free(s->times_before);
	free(s->cpu_deltas);
	ingest_deinit(&s->ingest);
	free(s);
}

static void drained(void *ctx, const struct lane *lanes, size_t n, uint64_t horizon_ns)
{
	struct session *s = ctx;
	ingest_settle(&s->ingest);
	if (s->flight)
		flight_take(s->flight, lanes, n, horizon_ns);
	if (s->source->ops->more) /* reading a recording takes long: names are found while it is read */
		resolver_settle(s->resolver, 0);
}

static void ingest(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct session *s = ctx;
	ingest_records(&s->ingest, lane, bytes, size);
}

/* Moves all records before `horizon_ns` to the model.  After the heads of the rings were read, the rings have all
 * records with earlier times, including the sideband records (mappings, ...) that samples depend on. */
static void drain_until(struct session *s, uint64_t horizon_ns)
{
	const struct drain_sink sink = {.records = ingest, .lanes = drained, .ctx = s};
	struct merge_stats stats = {0};
	drain_source(s->source, s->merger, horizon_ns, &sink, &stats);
	s->ingest.malformed += stats.malformed;
}

void session_drain(struct session *s)
{
	drain_until(s, s->source->ops->now_ns(s->source));
}

/* Computes the differences between the last two readings.  An event that was opened again counts from 0. */
static void take_deltas(struct session *s)
{
	for (size_t i = 0; i < s->info->events_n * s->info->cpus_n; i++) {
		const struct counter *now = &s->counters[i], *before = &s->counters_before[i];
		s->deltas[i] = (struct counter_delta){
			.value = u64_sub_sat(now->value, before->value),
			.scale = s->info->events[i / s->info->cpus_n].spec.scale,
			.enabled_ns = u64_sub_sat(now->enabled_ns, before->enabled_ns),
			.running_ns = u64_sub_sat(now->running_ns, before->running_ns),
			.lost = u64_sub_sat(now->lost, before->lost),
			.opened = now->opened,
			.estimated = now->estimated,
			.summed = now->summed,
			.untimed = now->untimed,
			.unweighed = now->unweighed,
		};
		if (s->info->events[i / s->info->cpus_n].closed) /* counts as time without a counter */
			s->deltas[i] = (struct counter_delta){
				.enabled_ns = s->deltas[i % s->info->cpus_n].enabled_ns,
				.opened = s->deltas[i % s->info->cpus_n].opened,
			};
	}
	for (size_t i = 0; i < s->info->cpus_n; i++) {
		const struct cpu_time *now = &s->times[i], *before = &s->times_before[i];
		s->cpu_deltas[i] = (struct cpu_delta){
			.busy_ns = u64_sub_sat(now->busy_ns, before->busy_ns),
			.idle_ns = u64_sub_sat(now->idle_ns, before->idle_ns),
			.step_ns = now->step_ns,
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

static void retire(struct session *s, uint64_t now_ns)
{
	struct retired_from from = {.resolver = s->resolver, .keeps_tasks = s->info->keeps_tasks};
	session_models(s, from.models);
	retire_unused(&from);
	if (s->flight)
		resolver_forget_code(s->resolver, flight_from_ns(s->flight));
	s->retired_ns = now_ns;
}

static int remember_reading(void *ctx, const void *bytes, size_t n)
{
	struct session *s = ctx;
	flight_add(s->flight, false, bytes, n);
	return 0;
}

/* Reads the counters, then drains all samples that are older than the reading; returns its time. */
static uint64_t drain_and_count(struct session *s)
{
	uint64_t now_ns = s->source->ops->now_ns(s->source);
	read_counters(s, s->counters, s->times);
	if (s->reads)
		(void)!read_records_each(s->reads, s->counters, now_ns, remember_reading, s);
	times_read(&s->task_times, now_ns);
	drain_until(s, now_ns);
	ingest_flush(&s->ingest, now_ns); /* adds also a task's only sample, which still waits for its weight */
	ingest_off_cpu_counters(&s->ingest, s->counters);
	times_finish(&s->task_times, s->model, resolver_catalog(s->resolver));
	return now_ns;
}

/* For a source without counters: drains all samples, then sums their periods.  Returns the time up to which there are
 * samples, which is known only then. */
static uint64_t drain_and_sum(struct session *s)
{
	drain_until(s, s->source->ops->now_ns(s->source));
	ingest_flush(&s->ingest, s->source->ops->now_ns(s->source));
	read_counters(s, s->counters, s->times);
	return s->source->ops->now_ns(s->source);
}

/* Stops measuring context switches for some intervals if there were too many. */
static void rest_from_switches(struct session *s, uint64_t interval_ns)
{
	static const double plain_ns = 1100, with_chains_ns = 4000; /* CPU time of a switch: doc/code.md */
	struct offcpu *o = &s->ingest.offcpu;
	bool rests = o->pause_intervals;
	if (!o->used || !o->event || !s->source->ops->pause_event)
		return;
	if (offcpu_rest(o, interval_ns, s->info->chains ? with_chains_ns : plain_ns) != rests &&
	    !s->source->ops->pause_event(s->source, o->event, !rests))
		o->pause_intervals = 0;
	if (o->pause_intervals)
		resolver_reached(s->resolver, limit_only(REACHED_SWITCHES_COST));
}

void session_tick(struct session *s)
{
	if (s->source->ops->advance)
		s->source->ops->advance(s->source);
	uint64_t now_ns = s->info->has_counters ? drain_and_count(s) : drain_and_sum(s);
	take_deltas(s);
	throttling_take(&s->ingest.throttling, s->opened_ns, now_ns, s->deltas, s->info->events_n * s->info->cpus_n);
	uint64_t self_ns = own_cpu_ns(s);
	struct interval_bounds bounds = {
		.start_ns = s->opened_ns,
		.end_ns = now_ns,
		.counters = s->deltas,
		.cpus = s->cpu_deltas,
		.lost_records = s->ingest.lost_records,
		.malformed = s->ingest.malformed,
		.throttles = s->ingest.throttles,
		.self_cpu_ns = u64_sub_sat(self_ns, s->self_ns_before),
		.raw = s->ingest.raw,
	};
	times_bounds(&s->task_times, resolver_catalog(s->resolver), &bounds);
	resolver_reached(s->resolver, times_limits(&s->task_times));
	model_close(s->model, &bounds);
	resolver_reached(s->resolver, model_limits(s->model));
	for (uint64_t n = offcpu_unknown(&s->ingest.offcpu); n > 0; n--)
		resolver_reached(s->resolver, limit_only(REACHED_SWITCHES));
	rest_from_switches(s, now_ns - s->opened_ns);
	s->opened_ns = now_ns;
	s->self_ns_before = self_ns;
	s->ingest.lost_records = s->ingest.malformed = s->ingest.throttles = 0;
	if (s->source->ops->maintain)
		s->source->ops->maintain(s->source);
	resolver_check_processes(s->resolver, now_ns);
	if (s->recording && session_finished(s))
		resolver_build_ids_complete(s->resolver);
	session_collect(s);
	if (resolver_wants_retire(s->resolver, now_ns - s->retired_ns))
		retire(s, now_ns);
}

bool session_collect(struct session *s)
{
	if (!resolver_collect(s->resolver))
		return false;
	struct model *models[SESSION_MODELS];
	session_models(s, models);
	for (size_t i = 0; i < SESSION_MODELS; i++)
		if (models[i])
			model_rekey(models[i], resolver_catalog(s->resolver), NULL);
	crossing_rekey(&s->ingest.crossing, resolver_catalog(s->resolver));
	offcpu_rekey(&s->ingest.offcpu, resolver_catalog(s->resolver));
	return true;
}

/* Restarts the measurement.  Counters that are sums of samples are read after draining, as in drain_and_sum(). */
void session_reset(struct session *s)
{
	const struct source_ops *ops = s->source->ops;
	begin_at(s, ops->now_ns(s->source));
	if (s->info->has_counters)
		read_counters(s, s->counters_before, s->times_before);
	drain_until(s, s->start_ns);
	ingest_flush(&s->ingest, s->start_ns);
	ingest_off_cpu_counters(&s->ingest, s->counters_before);
	model_reset(s->model);
	throttling_reset(&s->ingest.throttling, s->info->events_n);
	if (!s->info->has_counters) {
		read_counters(s, s->counters_before, s->times_before);
		begin_at(s, ops->now_ns(s->source));
	}
	times_restart(&s->task_times, s->start_ns);
}

void session_rewound(struct session *s)
{
	resolver_restart(s->resolver);
	ingest_forget(&s->ingest);
	session_reset(s);
}

void session_raw_weights(struct session *s)
{
	s->ingest.raw = true;
	crossing_deinit(&s->ingest.crossing);
}

void session_annotate(struct session *s, uint32_t sym)
{
	const struct catalog *cat = resolver_catalog(s->resolver);
	s->ingest.annotated = catalog_sym_ref(cat, catalog_sym_row(cat, sym));
}

void session_leave_cgroups(struct session *s)
{
	s->ingest.ignores_cgroups = true;
}

void session_keep(struct session *s, size_t bytes)
{
	model_keep(s->model, bytes);
}

void session_remember(struct session *s, size_t bytes)
{
	flight_destroy(s->flight);
	s->flight = bytes ? flight_create(bytes) : NULL;
	read_records_destroy(s->reads);
	s->reads = bytes && s->source->ops->stream ? read_records_create(s->source) : NULL;
	s->proc.flight = s->flight;
	resolver_keep_code(s->resolver, bytes > 0);
}

struct flight *session_remembered(const struct session *s)
{
	return s->flight ? flight_share(s->flight) : flight_create(0);
}

const enum event_role *session_roles(const struct session *s)
{
	return s->roles;
}

const struct metric_set *session_metrics(const struct session *s)
{
	return s->metrics;
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

void session_learn_event(struct session *s, size_t e)
{
	const struct source_event *events = s->info->events;
	size_t first = 0;
	while (first < e && !event_is_sibling(&events[first].spec, &events[e].spec))
		first++;
	s->siblings[e] = (struct pmu_sibling){.pmu = event_kind_of_cpu(&events[e].spec), .first = (uint32_t)first};
	s->roles[e] = metric_role(s->metrics, &events[e].spec);
	s->modes[e] = event_modes(&events[e].spec);
	s->rates[e] = sample_rate_of(s->info, e);
	s->pmus[e] = events[e].pmu[0] ? events[e].pmu : NULL;
	s->names.events_n = e + 1;
}

void session_use_metrics(struct session *s, const struct metric_set *metrics)
{
	s->metrics = metrics ? metrics : &metrics_builtin;
	for (size_t e = 0; e < s->info->events_n && e < EVENTS_MAX; e++)
		session_learn_event(s, e);
}
