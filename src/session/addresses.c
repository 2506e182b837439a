/* Reads a recording a second time to find the address of each sample of a function, which the model did not keep. */
#include "session/internal.h"

#include <errno.h>
#include <string.h>

struct rereading {
	struct session *session;
	uint32_t sym;
	address_fn *fn;
	void *ctx;
	struct leader leader;
	bool stopped;
};

static const struct record_layout *layout_of(const struct session *s, const uint8_t *bytes, size_t n)
{
	return s->source->ops->layout ? s->source->ops->layout(s->source, bytes, n) : s->info->layout;
}

static void pass(struct rereading *r, uint64_t id, double weight, uint64_t cost, const uint64_t *addr)
{
	const struct session *s = r->session;
	uint32_t event, cpu;
	if (s->source->ops->identify(s->source, id, &event, &cpu) && event < s->info->events_n)
		r->stopped |= !r->fn(r->ctx, event, weight, cost, addr);
}

/* Calls r->fn for each branch of a sample.  `weighs`: samples have a weight, so that cycles of branches are not used as
 * cost. */
static void pass_branches(struct rereading *r, const struct record *rec, const struct resolver_lookup *at, bool weighs)
{
	struct session *s = r->session;
	struct branches *b = &s->ingest.branches;
	branches_list(b, s->resolver, &rec->u.sample, at);
	for (size_t i = 0; i < b->flags.n && !r->stopped; i++) {
		uint64_t addr = 0, flags = b->flags.data[i], cost = weighs ? 0 : branch_cycles(flags);
		bool found = resolver_address(s->resolver, &b->lookups.data[2 * i], r->sym, &addr);
		r->stopped |= !r->fn(r->ctx, b->event, 1, cost, found ? &addr : NULL);
		if (flags & BRANCH_MISPREDICTED)
			r->stopped |= !r->fn(r->ctx, b->event + 1, 1, 0, found ? &addr : NULL);
	}
}

/* Calls r->fn for each event of a group whose count has grown since the last sample (leader sampling), as perf does. */
static void pass_group(struct rereading *r, const struct record_layout *layout, const struct record *rec,
		       const uint64_t *addr)
{
	const struct record_read *read = &rec->u.sample.read;
	uint32_t tid = layout->own_counts ? rec->id.tid : 0;
	for (uint64_t i = 0; i < read->nr; i++) {
		struct read_value v = record_read_value(read, i);
		uint64_t id = read->format & READ_ID ? v.id : rec->id.id;
		uint64_t step = leader_step(&r->leader, id, tid, v.value, true);
		if (step)
			pass(r, id, (double)step, rec->u.sample.weight, addr);
	}
}

static void take_sample(struct rereading *r, const struct record_layout *layout, const uint8_t *bytes, size_t n)
{
	struct session *s = r->session;
	const struct source_ops *ops = s->source->ops;
	struct sample_core core;
	struct record rec;
	uint64_t addr = 0;
	bool weighs = layout->sample_type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT);
	bool group = layout->sample_type & SAMPLE_READ && s->ingest.sampled;
	bool branches = s->ingest.branches.event && branches_in(layout), whole = weighs || group || branches;
	if (record_sample_core(layout, bytes, n, &core) < 0)
		return;
	const struct resolver_lookup at = {
		.ip = core.ip,
		.time_ns = core.time_ns,
		.task = resolver_task(s->resolver, core.pid, core.tid, core.time_ns),
		.misc = core.misc,
	};
	const uint64_t *found = resolver_address(s->resolver, &at, r->sym, &addr) ? &addr : NULL;
	bool own = layout->period != LAYOUT_ABSENT || !ops->period;
	if (whole && record_decode(layout, bytes, n, &rec) < 0)
		return;
	if (!group)
		pass(r, core.id, (double)(own ? core.period : ops->period(s->source, core.id)),
		     weighs ? rec.u.sample.weight : 0, found);
	else
		pass_group(r, layout, &rec, found);
	if (branches)
		pass_branches(r, &rec, &at, weighs);
}

static void take_other(struct rereading *r, const struct record_layout *layout, const uint8_t *bytes, size_t n)
{
	struct record rec;
	if (record_decode(layout, bytes, n, &rec) < 0)
		return;
	if (rec.type == RECORD_FORK && layout->own_counts)
		leader_begin(&r->leader, rec.u.task.tid);
	if (rec.type == RECORD_EXIT)
		leader_forget(&r->leader, rec.u.task.tid);
	resolver_apply(r->session->resolver, &rec);
}

static void take_records(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct rereading *r = ctx;
	(void)lane;
	while (size) {
		struct record_header h;
		memcpy(&h, bytes, sizeof(h));
		const struct record_layout *layout = layout_of(r->session, bytes, size);
		size_t n = layout->swap ? __builtin_bswap16(h.size) : h.size;
		uint32_t type = layout->swap ? __builtin_bswap32(h.type) : h.type;
		if (type == RECORD_SAMPLE)
			take_sample(r, layout, bytes, n);
		else
			take_other(r, layout, bytes, n);
		bytes += n;
		size -= n;
	}
}

int session_addresses(struct session *s, uint32_t sym, address_fn *fn, void *ctx)
{
	struct rereading r = {.session = s, .sym = sym, .fn = fn, .ctx = ctx};
	const struct source_ops *ops = s->source->ops;
	const struct drain_sink sink = {.records = take_records, .ctx = &r};
	struct merge_stats stats = {0};
	if (!ops->playback)
		return -ESPIPE;
	int rc = ops->playback->seek(s->source, 0);
	if (rc < 0)
		return rc;
	resolver_restart(s->resolver);
	leader_init(&r.leader);
	do {
		ops->advance(s->source);
		drain_source(s->source, s->merger, 0, &sink, &stats);
	} while (!ops->finished(s->source) && !r.stopped);
	leader_deinit(&r.leader);
	return 0;
}
