#include "session/branches.h"

#include "session/ingest.h"

#include <stdlib.h>

void branches_init(struct branches *b, size_t event, unsigned cpus_n)
{
	*b = (struct branches){.event = (uint32_t)event};
	if (event)
		b->sums = mem_calloc((size_t)SOURCE_BRANCH_EVENTS * cpus_n, sizeof(*b->sums));
}

void branches_report(const struct branches *b, unsigned cpus_n, struct counter *counters)
{
	for (size_t i = 0; i < (size_t)SOURCE_BRANCH_EVENTS * cpus_n; i++) {
		counters[i].value = b->sums[i];
		counters[i].estimated = counters[i].summed = true;
		if (i >= cpus_n && !b->predicted) /* older CPUs do not say whether a branch was predicted */
			counters[i].opened = false;
	}
}

void branches_deinit(struct branches *b)
{
	free(b->sums);
	vec_free(&b->flags);
	vec_free(&b->lookups);
	vec_free(&b->samples);
}

/* Returns the lookup of an address in a branch stack, whose entries have no cpumode: addresses in the upper half are
 * the kernel's. */
static struct resolver_lookup lookup_of(uint64_t ip, uint32_t task, uint64_t time_ns)
{
	return (struct resolver_lookup){
		.ip = ip, .time_ns = time_ns, .task = task, .misc = ip >> 63 ? MISC_KERNEL : MISC_USER};
}

/* Skips entries without addresses: unused places of the branch stack. */
void branches_list(struct branches *b, struct resolver *r, const struct record_sample *s,
		   const struct resolver_lookup *at)
{
	b->lookups.n = b->flags.n = 0;
	for (uint64_t i = 0; i < s->branch.nr; i++) {
		struct branch_entry e = record_branch(s, i);
		if (!e.from && !e.to)
			continue;
		vec_push(&b->flags) = e.flags;
		vec_push(&b->lookups) = lookup_of(e.from, at->task, at->time_ns);
		vec_push(&b->lookups) = lookup_of(e.to, at->task, at->time_ns);
	}
	resolver_symbols(r, b->lookups.data, b->lookups.n);
}

static int by_place(const void *va, const void *vb)
{
	const struct model_sample *a = va, *b = vb;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return a->ctx < b->ctx ? -1 : a->ctx > b->ctx;
}

/* Merges equal branches of one stack into one sample, whose period is their number.  As separate samples, branches of
 * one moment would count as independent, and errors, which follow from the squared periods, would be too small. */
static void join(struct branches *b)
{
	struct model_sample *v = b->samples.data;
	size_t n = 0;
	if (b->samples.n)
		qsort(v, b->samples.n, sizeof(*v), by_place);
	for (size_t i = 0; i < b->samples.n; i++)
		if (n && by_place(&v[n - 1], &v[i]) == 0)
			v[n - 1].period++;
		else
			v[n++] = v[i];
	b->samples.n = n;
}

void branches_take(struct ingest *in, const struct record_layout *layout, const uint8_t *bytes, size_t size,
		   const struct model_sample *at, const struct sample_place *place)
{
	struct branches *b = &in->branches;
	struct sample_place of = place ? *place : (struct sample_place){0};
	struct record rec;
	if (record_decode(layout, bytes, size, &rec) < 0)
		return;
	bool weighs = layout->sample_type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT);
	branches_list(b, in->resolver, &rec.u.sample,
		      &(struct resolver_lookup){.task = at->task, .time_ns = rec.id.time_ns});
	b->samples.n = 0;
	of.caller = CATALOG_NONE;
	of.inlined = 0;
	of.site = 0;
	for (size_t i = 0; i < b->flags.n; i++) {
		const struct resolver_lookup *from = &b->lookups.data[2 * i], *to = from + 1;
		uint64_t flags = b->flags.data[i];
		of.addr = ingest_address(in, from);
		of.to = to->sym + 1;
		struct model_sample branch = {
			.task = at->task,
			.ctx = resolver_context(in->resolver, from->sym, &of),
			.cpu = at->cpu,
			.event = (uint16_t)b->event,
			.period = 1,
		};
		vec_push(&b->samples) = branch;
		if (!weighs) /* the cycles since the branch before: the cost of the basic block that this branch ends */
			model_add_cost(in->model, &branch, branch_cycles(flags));
		b->predicted |= (flags & (BRANCH_MISPREDICTED | BRANCH_PREDICTED)) != 0;
		branch.event++;
		if (flags & BRANCH_MISPREDICTED)
			vec_push(&b->samples) = branch;
	}
	join(b);
	for (size_t i = 0; i < b->samples.n; i++)
		b->sums[(b->samples.data[i].event - b->event) * in->cpus_n + at->cpu] += b->samples.data[i].period;
	ingest_add(in, b->samples.data, b->samples.n, false);
}
