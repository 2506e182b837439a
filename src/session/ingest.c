#include "session/ingest.h"

#include "base/limits.h"
#include "base/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 128, PAGE_BITS = 12 };

/* Parts of a sample that describe a memory access. */
static const uint64_t memory_types = SAMPLE_DATA_SRC | SAMPLE_ADDR | SAMPLE_PHYS_ADDR;

/* Samples that are processed together.  Each step is done for all samples before the next step, so that cache misses of
 * different samples overlap. */
struct sample_row {
	size_t n;
	struct resolver_lookup lookup[ROW];
	struct model_sample sample[ROW];
	struct sample_place place[ROW]; /* set if cgroup, callers, fields or parallelism tell samples apart */
	struct sample_chain chain[ROW]; /* set if `has_chains` */
	bool has_chains;		/* callers tell samples apart */
	uint8_t at[ROW];		/* index of each sample in the bytes that were read */
};

void ingest_deinit(struct ingest *in)
{
	free(in->sampled);
	leader_deinit(&in->leader);
	throttling_deinit(&in->throttling);
	crossing_deinit(&in->crossing);
	readings_deinit(&in->readings);
	parallel_deinit(&in->parallel);
	chains_deinit(&in->chains);
	deferred_deinit(&in->deferred);
	branches_deinit(&in->branches);
	offcpu_deinit(&in->offcpu);
	free(in->switches);
	free(in->fields);
}

void ingest_forget(struct ingest *in)
{
	deferred_forget(&in->deferred);
	leader_deinit(&in->leader);
	leader_init(&in->leader);
	crossing_forget(&in->crossing);
	readings_forget(&in->readings);
	parallel_forget(&in->parallel);
	offcpu_forget(&in->offcpu);
}

/* A recording may have samples of more CPUs than its header says; they count for the last CPU. */
static inline uint16_t known_cpu(const struct ingest *in, uint32_t cpu)
{
	return (uint16_t)(cpu < in->cpus_n ? cpu : in->cpus_n - 1);
}

/* Adds the times off the CPU that were found so far to the model. */
static void add_off_cpu(struct ingest *in)
{
	struct model_sample samples[ROW];
	size_t n;
	while ((n = offcpu_take(&in->offcpu, samples, ROW)))
		ingest_add(in, samples, n, false);
}

void ingest_settle(struct ingest *in)
{
	offcpu_apply(&in->offcpu);
	add_off_cpu(in);
}

void ingest_off_cpu_read(struct ingest *in, struct counter *counters)
{
	struct offcpu *o = &in->offcpu;
	for (unsigned cpu = 0; o->used && in->source->ops->pause_event && o->event && cpu < in->cpus_n; cpu++) {
		struct counter *c = &counters[o->event * (size_t)in->cpus_n + cpu];
		o->switches[cpu] = c->all ? c->all : c->value;
		c->enabled_ns = counters[cpu].enabled_ns; /* of the primary event, which is never paused */
		if (o->pause_intervals)			  /* the last pause began a little after the last reading */
			o->paused_ns[cpu] = c->running_ns - o->running[cpu];
		o->running[cpu] = c->running_ns = c->running_ns - o->paused_ns[cpu];
	}
	ingest_off_cpu_counters(in, counters);
}

void ingest_off_cpu_counters(const struct ingest *in, struct counter *counters)
{
	for (unsigned cpu = 0; in->offcpu.used && cpu < in->cpus_n; cpu++) {
		struct counter *c = &counters[in->offcpu.event * (size_t)in->cpus_n + cpu];
		c->value = in->offcpu.sums[cpu];
		c->summed = true;
		c->untimed = false;
	}
}

void ingest_flush(struct ingest *in, uint64_t now_ns)
{
	struct model_sample samples[ROW];
	size_t n;
	deferred_release(&in->deferred);
	while ((n = crossing_flush(&in->crossing, samples, ROW)))
		model_add_row(in->model, samples, n);
	offcpu_count(&in->offcpu, now_ns);
	add_off_cpu(in);
}

/* Leader sampling, as in perf: adds one sample for each event of the group whose count has grown since the last sample.
 * `at` NULL: adds no sample, but stores the counts. */
static __attribute__((noinline)) void ingest_group(struct ingest *in, const struct record_layout *layout,
						   const uint8_t *bytes, size_t size, const struct model_sample *at)
{
	struct record rec;
	if (record_decode(layout, bytes, size, &rec) < 0) {
		in->malformed++;
		return;
	}
	const struct record_read *read = &rec.u.sample.read;
	uint32_t tid = layout->own_counts ? rec.id.tid : 0;
	for (uint64_t i = 0; i < read->nr; i++) {
		struct read_value v = record_read_value(read, i);
		uint64_t id = read->format & READ_ID ? v.id : rec.id.id;
		uint32_t event, cpu;
		if (!in->source->ops->identify(in->source, id, &event, &cpu) || event >= in->events_n)
			continue;
		uint64_t step = leader_step(&in->leader, id, tid, v.value, in->raw || in->counts_from_open);
		if (!step || !at)
			continue;
		struct model_sample s = *at;
		s.event = event;
		s.period = step;
		ingest_add(in, &s, 1, false);
	}
}

/* Adds a sample's weight field to the cost of its fact (sum of samples).  The whole record must be decoded, because
 * fields of variable size precede the weight. */
static __attribute__((noinline)) void ingest_cost(struct ingest *in, const struct record_layout *layout,
						  const uint8_t *bytes, size_t size, const struct model_sample *at)
{
	struct record rec;
	if (record_decode(layout, bytes, size, &rec) == 0)
		model_add_cost(in->model, at, rec.u.sample.weight);
}

static bool is_frequent(const struct ingest *in, uint32_t event)
{
	return in->source->ops->info(in->source)->events[event].spec.freq;
}

static inline struct ingest_id *id_place(struct ingest *in, uint64_t id)
{
	return &in->ids[id * 0x9e3779b97f4a7c15ull >> (64 - INGEST_ID_BITS)];
}

static __attribute__((noinline)) bool identify(struct ingest *in, uint64_t id)
{
	const struct source_ops *ops = in->source->ops;
	struct ingest_id *ret = id_place(in, id);
	*ret = (struct ingest_id){.id = id};
	ret->known = ops->identify(in->source, id, &ret->event, &ret->cpu) && ret->event < in->events_n;
	if (ret->known && ret->cpu != SOURCE_ANY_CPU && ret->cpu >= in->cpus_n)
		ret->known = false;
	if (ret->known && ops->period)
		ret->period = in->raw && is_frequent(in, ret->event) ? 1 : ops->period(in->source, id);
	return ret->known;
}

typedef char value_text[FIELD_TEXT_MAX];

/* Writes to `text` the tracepoint fields by which samples are told apart; ret[k] points to field k, if present. */
static void take_fields(struct ingest *in, const struct record_layout *layout, const struct record_bytes *raw,
			uint64_t id, value_text *text, const char **ret)
{
	const struct ingest_id *of = id_place(in, id);
	if (!(of->known && of->id == id) && !identify(in, id))
		return;
	const struct event_fields *fields = &in->fields[of->event];
	for (size_t k = 0; k < FIELDS_MAX; k++)
		if (fields->has >> k & 1 &&
		    event_field_text(&fields->of[k], raw->data, raw->size, layout->swap, text[k], sizeof(text[k])))
			ret[k] = text[k];
}

/* Writes to `text` the parts of a memory access by which samples are told apart (`wanted`); ret[k] points to part k, if
 * present. */
static void take_memory(unsigned wanted, uint64_t type, const struct record_sample *s, value_text *text,
			const char **ret)
{
	static const enum data_src_what what[MEMORY_PAGE] = {
		[MEMORY_LEVEL] = DATA_SRC_IS_LEVEL,   [MEMORY_OP] = DATA_SRC_IS_OP,
		[MEMORY_SNOOP] = DATA_SRC_IS_SNOOP,   [MEMORY_TLB] = DATA_SRC_IS_TLB,
		[MEMORY_LOCKED] = DATA_SRC_IS_LOCKED, [MEMORY_BLOCKED] = DATA_SRC_IS_BLOCKED,
	};
	for (size_t k = 0; k < MEMORY_PARTS; k++) {
		uint64_t from = k < MEMORY_PAGE ? SAMPLE_DATA_SRC : k == MEMORY_PAGE ? SAMPLE_ADDR : SAMPLE_PHYS_ADDR;
		uint64_t page = (k == MEMORY_PAGE ? s->addr : s->phys_addr) >> PAGE_BITS;
		if (!(wanted >> k & 1) || !(type & from) || (k >= MEMORY_PAGE && !page))
			continue;
		ret[k] = text[k];
		if (k < MEMORY_PAGE)
			data_src_text(s->data_src, what[k], text[k], sizeof(text[k]));
		else
			snprintf(text[k], sizeof(text[k]), "0x%" PRIx64, page << PAGE_BITS);
	}
}

/* Returns the id of those fields and memory parts by which samples are told apart: see resolver_fields(). */
static __attribute__((noinline)) uint32_t ingest_fields(struct ingest *in, const struct record_layout *layout,
							const uint8_t *bytes, size_t size, uint64_t id)
{
	value_text text[VALUES_MAX];
	const char *values[VALUES_MAX] = {NULL};
	struct record rec;
	if (record_decode(layout, bytes, size, &rec) < 0)
		return 0;
	if (in->fields)
		take_fields(in, layout, &rec.u.sample.raw, id, text, values);
	take_memory(in->memory, layout->sample_type, &rec.u.sample, &text[FIELDS_MAX], &values[FIELDS_MAX]);
	return resolver_fields(in->resolver, values);
}

/* By what samples are told apart besides task and symbol; arrays are indexed by the place in the row. */
struct distinctions {
	uint64_t cgroup[ROW];
	uint32_t fields;
	const struct sample_chain *chain; /* NULL: not by callers */
};

/* Returns the id of the context (symbol with callers, cgroup, ...: see the catalog) of sample i, whose symbol is
 * known. */
static uint32_t context_of(struct ingest *in, struct sample_row *row, size_t i)
{
	const struct resolver_lookup *l = &row->lookup[i];
	struct sample_place *place = &row->place[i];
	const struct chain_leaf leaf = {
		.ip = l->ip, .time_ns = l->time_ns, .task = l->task, .sym = l->sym, .misc = l->misc};
	place->caller = CATALOG_NONE;
	place->inlined = 0;
	place->site = 0;
	if (row->has_chains && (row->chain[i].addresses.n || row->chain[i].stack.size))
		chains_place(&in->chains, in->resolver, &row->chain[i], &leaf, place);
	place->addr = ingest_address(in, l);
	return resolver_context(in->resolver, l->sym, place);
}

/* Looks up event, task and symbol of each sample; drops samples of unknown events.  `own_period`: samples have a
 * period. `by` NULL: only task and symbol tell samples apart.  Inlined, so that this case has no checks for each
 * sample. */
static inline __attribute__((always_inline)) void take_row(struct ingest *in, const struct sample_core *core, size_t n,
							   bool own_period, const struct distinctions *by,
							   struct sample_row *ret)
{
	const uint64_t since_ns = in->since_ns;
	const bool has_cpu = in->layout->cpu != LAYOUT_ABSENT;
	ret->n = 0;
	ret->has_chains = by && by->chain;
	for (size_t i = 0; i < n; i++) {
		const struct sample_core *s = &core[i];
		const struct ingest_id *id = id_place(in, s->id);
		uint32_t parallelism = by ? parallel_sample(&in->parallel, s, has_cpu) : 0;
		if (s->time_ns < since_ns)
			continue;
		if (!(id->known && id->id == s->id) && !identify(in, s->id)) {
			in->malformed++;
			continue;
		}
		uint32_t task = resolver_task(in->resolver, s->pid, s->tid, s->time_ns);
		if (by) {
			ret->place[ret->n] = (struct sample_place){
				.cgroup_id = by->cgroup[i], .parallelism = parallelism, .fields = by->fields};
			if (by->chain)
				ret->chain[ret->n] = by->chain[i];
		}
		ret->at[ret->n] = (uint8_t)i;
		ret->lookup[ret->n] =
			(struct resolver_lookup){.ip = s->ip, .time_ns = s->time_ns, .task = task, .misc = s->misc};
		ret->sample[ret->n++] = (struct model_sample){
			.task = task,
			.cpu = known_cpu(in, id->cpu == SOURCE_ANY_CPU ? s->cpu : id->cpu),
			.event = (uint16_t)id->event,
			.period = own_period ? s->period : id->period,
			.time_ns = s->time_ns,
		};
	}
	resolver_symbols(in->resolver, ret->lookup, ret->n);
	for (size_t i = 0; i < ret->n; i++) {
		ret->sample[i].task = ret->lookup[i].task;
		ret->sample[i].ctx = by ? context_of(in, ret, i) : ret->lookup[i].sym;
	}
}

static inline size_t size_of(const struct record_layout *layout, const uint8_t *bytes)
{
	uint16_t size;
	memcpy(&size, bytes + offsetof(struct record_header, size), sizeof(size));
	return layout->swap ? __builtin_bswap16(size) : size;
}

/* Takes samples that are told apart by more than task and symbol. */
static __attribute__((noinline)) void take_row_of_contexts(struct ingest *in, const struct record_layout *layout,
							   const uint8_t *bytes, const struct sample_core *core,
							   size_t n, bool own_period, uint32_t fields,
							   struct sample_row *ret)
{
	struct distinctions by = {.fields = fields};
	struct sample_chain chain[ROW];
	if (layout->cgroup != LAYOUT_ABSENT && !in->ignores_cgroups)
		record_sample_cgroups(layout, bytes, n, by.cgroup);
	if (in->chains.used && layout->sample_type & SAMPLE_CALLCHAIN) {
		for (size_t i = 0, size; i < n; i++, bytes += size)
			chain_find(layout, bytes, size = size_of(layout, bytes), &chain[i]);
		by.chain = chain;
	}
	take_row(in, core, n, own_period, &by, ret);
}

/* Notes the context switch of a sample; `at`: the sample's task and context. */
static void ingest_switch(struct ingest *in, const struct record_layout *layout, const uint8_t *bytes, size_t size,
			  const struct model_sample *at)
{
	const struct switch_fields *f = in->switches;
	struct record rec;
	uint64_t prev, state, next;
	if (!f)
		return;
	if (record_decode(layout, bytes, size, &rec) < 0 ||
	    !event_field_number(&f->prev_pid, rec.u.sample.raw.data, rec.u.sample.raw.size, layout->swap, &prev) ||
	    !event_field_number(&f->prev_state, rec.u.sample.raw.data, rec.u.sample.raw.size, layout->swap, &state) ||
	    !event_field_number(&f->next_pid, rec.u.sample.raw.data, rec.u.sample.raw.size, layout->swap, &next)) {
		in->malformed++;
		return;
	}
	bool gone = rec.id.tid == UINT32_MAX; /* a thread that has ended has no ids any more */
	struct offcpu_switch s = {
		.time_ns = at->time_ns,
		.tid = in->enters_recorded ? rec.id.tid : (uint32_t)prev,
		.kind = gone || state & f->dead ? OFFCPU_END : OFFCPU_LEAVE,
		.task = at->task,
		.ctx = at->ctx,
		.cpu = at->cpu,
	};
	offcpu_note(&in->offcpu, &s);
	s.tid = (uint32_t)next;
	s.kind = OFFCPU_ENTER;
	if (!in->enters_recorded)
		offcpu_note(&in->offcpu, &s);
}

/* Notes the context switches that the row has samples of, then removes these samples from the row. */
static __attribute__((noinline)) void take_switches(struct ingest *in, const struct record_layout *layout,
						    const uint8_t *bytes, struct sample_row *row)
{
	size_t kept = 0, at = 0;
	for (size_t i = 0; i < row->n; i++) {
		for (; at < row->at[i]; at++)
			bytes += size_of(layout, bytes);
		if (row->sample[i].event == in->offcpu.event)
			ingest_switch(in, layout, bytes, size_of(layout, bytes), &row->sample[i]);
		else
			row->sample[kept++] = row->sample[i];
	}
	row->n = kept;
}

/* Takes successive samples with one layout. */
static void ingest_samples(struct ingest *in, const struct record_layout *layout, const uint8_t *bytes, size_t size)
{
	struct sample_core core[ROW];
	struct sample_row row;
	bool group = layout->sample_type & SAMPLE_READ && (in->sampled || in->counts_from_open);
	bool own_period = layout->period != LAYOUT_ABSENT;
	bool costs = layout->sample_type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT);
	bool values = in->fields || (in->memory && layout->sample_type & memory_types);
	bool branches = in->branches.event && branches_in(layout);
	bool single = group || costs || branches || values;
	while (size) {
		size_t used;
		size_t n = record_sample_cores(layout, bytes, size, core, single ? 1 : ROW, &used);
		if (!n) { /* damaged: smaller than its layout */
			in->malformed++;
			return;
		}
		uint32_t fields = values ? ingest_fields(in, layout, bytes, used, core[0].id) : 0;
		bool chains = in->chains.used && layout->sample_type & SAMPLE_CALLCHAIN;
		bool alike = (layout->cgroup == LAYOUT_ABSENT || in->ignores_cgroups) && !in->parallel.slots &&
			     !fields && !chains && in->annotated.id == CATALOG_NONE;
		if (alike)
			take_row(in, core, n, own_period, NULL, &row);
		else
			take_row_of_contexts(in, layout, bytes, core, n, own_period, fields, &row);
		if (in->offcpu.used)
			take_switches(in, layout, bytes, &row);
		if (costs && row.n)
			ingest_cost(in, layout, bytes, used, row.sample);
		if (branches && row.n)
			branches_take(in, layout, bytes, used, row.sample, alike ? NULL : row.place);
		if (!group)
			ingest_add(in, row.sample, row.n, own_period);
		else
			ingest_group(in, layout, bytes, used, row.n ? row.sample : NULL);
		bytes += used;
		size -= used;
	}
}

/* Takes successive samples whose layouts may differ. */
static void ingest_each(struct ingest *in, const uint8_t *bytes, size_t size)
{
	while (size) {
		size_t n = size_of(in->layout, bytes);
		ingest_samples(in, in->source->ops->layout(in->source, bytes, n), bytes, n);
		bytes += n;
		size -= n;
	}
}

static bool has_times(const struct record_read *read)
{
	const uint64_t times = READ_TIME_ENABLED | READ_TIME_RUNNING;
	return read->nr == 1 && (read->format & times) == times;
}

/* Takes a READ record of an event on a CPU.  READ records that the kernel writes are about a thread that ends, and are
 * ignored. */
static void ingest_reading(struct ingest *in, const struct record *rec)
{
	uint32_t event, cpu;
	if (!in->sampled || rec->u.read.pid != UINT32_MAX || rec->u.read.tid != UINT32_MAX ||
	    !(rec->id.has & SAMPLE_CPU) || !rec->id.time_ns || !has_times(&rec->u.read.read))
		return;
	if (!in->source->ops->identify(in->source, rec->id.id, &event, &cpu) || event >= in->events_n)
		return;
	if (in->offcpu.used && event == in->offcpu.event) /* offcpu.event counts switches, not the time off the CPU */
		return;
	if (in->source->ops->info(in->source)->events[event].counts_threads || rec->id.cpu >= in->cpus_n)
		return;
	size_t at = event * (size_t)in->cpus_n + rec->id.cpu;
	readings_take(&in->readings, at, &rec->u.read.read, rec->id.time_ns, in->sampled[at]);
}

/* Counts a THROTTLE or UNTHROTTLE record.  Copies of an inherited event have the id of the event that was opened, which
 * stands for all of them. */
static void ingest_throttle(struct ingest *in, const struct record *rec)
{
	uint32_t event, cpu;
	bool begins = rec->type == RECORD_THROTTLE;
	in->throttles += begins;
	if (!in->source->ops->identify(in->source, rec->u.throttle.id, &event, &cpu) || event >= in->events_n)
		return;
	throttling_note(&in->throttling, event, known_cpu(in, cpu == SOURCE_ANY_CPU ? rec->id.cpu : cpu),
			rec->u.throttle.time_ns, begins);
}

/* Notes the context switch of a SWITCH record.  If samples of sched_switch tell when threads leave, notes only their
 * return. */
static void note_switch(struct ingest *in, const struct record *rec)
{
	bool leaves = rec->misc & MISC_SWITCH_OUT;
	struct offcpu_switch s = {.time_ns = rec->id.time_ns, .ctx = CATALOG_NONE};
	switch (rec->type) {
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		s.kind = leaves ? OFFCPU_LEAVE : OFFCPU_ENTER;
		s.tid = rec->id.tid;
		break;
	case RECORD_FORK:
	case RECORD_EXIT:
		s.kind = rec->type == RECORD_FORK ? OFFCPU_BEGIN : OFFCPU_END;
		s.tid = rec->u.task.tid;
		break;
	default:
		s.kind = OFFCPU_LOST;
	}
	if (s.kind == OFFCPU_LEAVE && in->switches)
		return;
	if (s.kind != OFFCPU_LOST && in->switches && !in->enters_recorded) /* samples of sched_switch tell both ways */
		return;
	if (s.kind == OFFCPU_LEAVE) {
		s.task = resolver_task(in->resolver, rec->id.pid, rec->id.tid, rec->id.time_ns);
		s.cpu = known_cpu(in, rec->id.cpu);
	}
	offcpu_note(&in->offcpu, &s);
}

static const struct record_layout *layout_of(void *ctx, const uint8_t *bytes, size_t size)
{
	const struct ingest *in = ctx;
	return in->source->ops->layout ? in->source->ops->layout(in->source, bytes, size) : in->layout;
}

/* Counts the samples that a LOST record tells of, unless the counters report them, too (READ_LOST). */
static void ingest_lost(struct ingest *in, const struct record *rec)
{
	note_switch(in, rec);
	if (!(in->layout->read_format & READ_LOST))
		in->lost_records = u64_add_sat(in->lost_records, rec->u.lost.lost);
}

static void ingest_sideband(struct ingest *in, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct record rec;
	if (record_decode(layout_of(in, bytes, size), bytes, size, &rec) < 0) {
		in->malformed++;
		return;
	}
	parallel_record(&in->parallel, &rec);
	switch (rec.type) {
	case RECORD_LOST:
		if (lane->sideband)
			resolver_apply(in->resolver, &rec);
		else
			ingest_lost(in, &rec);
		break;
	case RECORD_LOST_SAMPLES:
		in->lost_records = u64_add_sat(in->lost_records, rec.u.lost_samples.lost);
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		ingest_throttle(in, &rec);
		break;
	case RECORD_READ:
		ingest_reading(in, &rec);
		break;
	case RECORD_FORK:
		if (in->layout->own_counts)
			leader_begin(&in->leader, rec.u.task.tid);
		if (in->times)
			times_fork(in->times, rec.u.task.pid, rec.u.task.tid, rec.u.task.ppid);
		note_switch(in, &rec);
		resolver_apply(in->resolver, &rec);
		break;
	case RECORD_EXIT:
		leader_forget(&in->leader, rec.u.task.tid);
		if (in->times)
			times_exit(in->times, rec.u.task.pid, rec.u.task.tid);
		note_switch(in, &rec);
		resolver_apply(in->resolver, &rec);
		break;
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		if (in->offcpu.used)
			note_switch(in, &rec);
		break;
	default:
		resolver_apply(in->resolver, &rec);
	}
}

static void ingest_ready(struct ingest *in, const struct lane *lane, uint32_t type, const uint8_t *bytes, size_t size)
{
	if (type != RECORD_SAMPLE)
		ingest_sideband(in, lane, bytes, size);
	else if (in->source->ops->layout)
		ingest_each(in, bytes, size);
	else
		ingest_samples(in, in->layout, bytes, size);
}

/* Returns the type of the records at `bytes`. */
static uint32_t type_of(const struct ingest *in, const uint8_t *bytes)
{
	uint32_t type;
	memcpy(&type, bytes, sizeof(type));
	return swap_u32(type, in->layout->swap);
}

static void pass_deferred(void *ctx, const uint8_t *bytes, size_t size)
{
	static const struct lane lane = {0};
	struct ingest *in = ctx;
	ingest_ready(in, &lane, type_of(in, bytes), bytes, size);
}

void ingest_init(struct ingest *in)
{
	in->deferred = (struct deferred){.pass = pass_deferred, .layout = layout_of, .ctx = in};
	deferred_init(&in->deferred);
}

void ingest_records(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct ingest *in = ctx;
	uint32_t type = type_of(in, bytes);
	bool waits = in->chains.used && in->source->ops->info(in->source)->deferred && type != RECORD_LOST;
	in->deferred.swap = in->layout->swap;
	if (!waits) {
		deferred_release(&in->deferred);
		ingest_ready(in, lane, type, bytes, size);
		return;
	}
	for (size_t cut = deferred_take(&in->deferred, type, bytes, size); cut; cut--)
		resolver_reached(in->resolver, limit_only(REACHED_DEFERRED_BYTES));
}
