#include "session/readings.h"

#include "base/alloc.h"

#include <stdlib.h>

void readings_init(struct readings *r, size_t events_n, unsigned cpus_n)
{
	*r = (struct readings){.events_n = events_n, .cpus_n = cpus_n};
}

void readings_deinit(struct readings *r)
{
	free(r->all);
	r->all = NULL;
}

/* Prepares for the first READ record.  All times that were reported before it are the length of the recording so
 * far. */
static void begin(struct readings *r)
{
	size_t n = r->events_n * r->cpus_n;
	r->all = mem_calloc(n, sizeof(*r->all));
	for (size_t i = 0; i < n; i++)
		r->all[i].enabled_ns = r->all[i].running_ns = r->all[i].reported_ns = r->reported_ns;
}

void readings_take(struct readings *r, size_t at, const struct record_read *read, uint64_t time_ns, uint64_t sampled)
{
	if (!r->all)
		begin(r);
	struct reading *one = &r->all[at];
	uint64_t value = record_read_value(read, 0).value;
	if (one->n && time_ns <= one->last_ns)
		return;
	one->counts = value || !sampled;
	bool grows = one->n && one->counts && value >= one->last_value;
	one->base = u64_add_sat(one->base, grows ? value - one->last_value : u64_sub_sat(sampled, one->base_sampled));
	one->base_sampled = sampled;
	if (one->n) {
		uint64_t enabled = u64_sub_sat(read->enabled_ns, one->last_enabled_ns);
		uint64_t running = u64_sub_sat(read->running_ns, one->last_running_ns);
		double passed = (double)(time_ns - one->last_ns);
		one->enabled_ns = u64_add_sat(one->enabled_ns, enabled);
		one->running_ns = u64_add_sat(one->running_ns, running);
		one->enabled_part = (double)enabled / passed;
		one->running_part = (double)running / passed;
		one->fresh = true;
	}
	one->last_ns = time_ns;
	one->last_value = value;
	one->last_enabled_ns = read->enabled_ns;
	one->last_running_ns = read->running_ns;
	one->n = one->n ? 2 : 1;
}

/* Returns a fraction of a time in ns.  A fraction above 1, from damaged records, is taken as 1. */
static uint64_t part_of(uint64_t ns, double part)
{
	return part < 1 ? (uint64_t)((double)ns * part) : ns;
}

static void report(struct reading *one, uint64_t now_ns, uint64_t sampled, struct counter *ret)
{
	uint64_t value = u64_add_sat(one->base, u64_sub_sat(sampled, one->base_sampled));
	uint64_t passed = u64_sub_sat(now_ns, one->reported_ns);
	if (!one->fresh && ret->opened) {
		one->enabled_ns = u64_add_sat(one->enabled_ns, part_of(passed, one->n > 1 ? one->enabled_part : 1));
		one->running_ns = u64_add_sat(one->running_ns, part_of(passed, one->n > 1 ? one->running_part : 1));
	}
	one->fresh = false;
	one->reported_ns = u64_add_sat(one->reported_ns, passed);
	one->value = value > one->value ? value : one->value;
	ret->value = one->value;
	ret->enabled_ns = one->enabled_ns;
	ret->running_ns = one->running_ns;
	if (one->n <= 1 && ret->opened)
		return;
	ret->untimed = false;
	if (one->counts || !ret->opened)
		ret->estimated = ret->summed = false;
}

/* Reports an event on all CPUs.  If only some CPUs have READ records or samples of it, it was not opened on the
 * others. */
static void report_event(struct readings *r, size_t event, uint64_t now_ns, const uint64_t *sampled,
			 struct counter *counters)
{
	struct reading *all = &r->all[event * r->cpus_n];
	bool read = false;
	for (unsigned cpu = 0; cpu < r->cpus_n; cpu++)
		read |= all[cpu].n != 0;
	for (unsigned cpu = 0; cpu < r->cpus_n; cpu++) {
		counters[cpu].opened &= !read || all[cpu].n || sampled[cpu];
		report(&all[cpu], now_ns, sampled[cpu], &counters[cpu]);
	}
}

void readings_report(struct readings *r, uint64_t now_ns, const uint64_t *sampled, struct counter *counters)
{
	r->reported_ns = now_ns;
	for (size_t e = 0; e < r->events_n; e++) {
		size_t at = e * r->cpus_n;
		if (r->all)
			report_event(r, e, now_ns, sampled + at, counters + at);
		else
			for (size_t i = at; i < at + r->cpus_n; i++)
				counters[i].value = sampled[i];
	}
}

void readings_forget(struct readings *r)
{
	for (size_t i = 0; r->all && i < r->events_n * r->cpus_n; i++) {
		struct reading *one = &r->all[i];
		one->n = 0;
		one->fresh = false;
		one->reported_ns = 0;
	}
}
