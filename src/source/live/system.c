/* Opens events in system-wide scopes: one per CPU, for all tasks. */
#include "source/live/live.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>

static struct slot *slot_of(struct live *l, size_t event, unsigned cpu)
{
	return &l->slots[event * l->cpus_n + cpu];
}

static int open_slot(struct live *l, size_t event, unsigned cpu)
{
	struct slot *s = slot_of(l, event, cpu);
	const struct event_spec *spec = &l->info.events[event].spec;
	if (spec->shared && !cpu_bits_has(&l->masks[event], cpu))
		return -ENODEV;
	int fd = groups_open(l, event, -1, cpu, slot_of(l, l->groups.leaders[event], cpu)->fd);
	if (fd < 0)
		return fd;
	int rc = spec->counted ? 0 : perf_set_output(fd, l->cpus[cpu].holder);
	if (!rc)
		rc = perf_get_id(fd, &s->id);
	if (rc) {
		fd_close(&fd);
		return rc;
	}
	s->fd = fd;
	if (!spec->counted) /* there are no records of it */
		id_map_add(&l->ids, s->id, (uint32_t)event, cpu);
	return 0;
}

/* Closes an event on a CPU.  `keep_id`: there may be samples of it in the ring. */
static void close_slot(struct live *l, struct slot *s, bool keep_id)
{
	if (s->fd < 0)
		return;
	(void)counter_read(s->fd, l->attrs[0].read_format, &s->now);
	counter_add(&s->before, &s->now);
	s->now = (struct counter){0};
	if (!keep_id)
		id_map_remove(&l->ids, s->id);
	fd_close(&s->fd);
}

void system_close_event(struct live *l, size_t event)
{
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++)
		close_slot(l, slot_of(l, event, cpu), true);
}

/* Returns true for errors that other CPUs will have, too: the event is given up, since counts of some CPUs mislead. */
static bool out_of_something(int rc)
{
	return rc == -EMFILE || rc == -ENFILE || rc == -ENOMEM;
}

void system_open_event(struct live *l, size_t event)
{
	int last = -ENODEV;
	unsigned opened = 0;
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		if (!l->cpus[cpu].has_rings)
			continue;
		int rc = open_slot(l, event, cpu);
		if (out_of_something(rc)) {
			system_close_event(l, event);
			setup_refused(l, event, -rc);
			return;
		}
		opened += rc == 0;
		if (rc)
			last = rc;
	}
	if (!opened)
		setup_refused(l, event, -last);
}

void system_open_again(struct live *l)
{
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		for (size_t e = 0; e < l->info.events_n; e++)
			close_slot(l, slot_of(l, e, cpu), true);
		for (size_t e = 0; e < l->info.events_n && l->cpus[cpu].online; e++)
			if (l->info.events[e].available && l->cpus[cpu].has_rings)
				(void)!open_slot(l, e, cpu);
		l->cpus[cpu].watched_enabled_ns = 0;
	}
}

int system_open(struct live *l, struct error *err)
{
	l->slots = mem_calloc(EVENTS_MAX * (size_t)l->cpus_n, sizeof(l->slots[0]));
	for (size_t i = 0; i < l->info.events_n * l->cpus_n; i++)
		l->slots[i].fd = -1;
	for (size_t e = 0; e < l->info.events_n; e++)
		if (l->info.events[e].available)
			system_open_event(l, e);
	while (groups_lower(l))
		system_open_again(l);
	const struct source_event *primary = &l->info.events[0];
	if (!primary->available)
		return error_set(err, l->codes[0], "event %s: %s", primary->spec.name, primary->why);
	return 0;
}

void system_close_cpu(struct live *l, unsigned cpu)
{
	for (size_t e = 0; e < l->info.events_n; e++)
		close_slot(l, slot_of(l, e, cpu), false);
}

void system_close(struct live *l)
{
	for (size_t i = 0; l->slots && i < l->info.events_n * l->cpus_n; i++)
		fd_close(&l->slots[i].fd);
	free(l->slots);
	l->slots = NULL;
}

void system_read(struct live *l, struct counter *counters)
{
	for (size_t e = 0; e < l->info.events_n; e++) {
		uint64_t format = l->attrs[e].read_format;
		for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
			struct slot *s = slot_of(l, e, cpu);
			if (s->fd >= 0)
				(void)counter_read(s->fd, format, &s->now);
			struct counter *c = &counters[e * l->cpus_n + cpu];
			*c = s->before;
			counter_add(c, &s->now);
			c->opened = s->fd >= 0; /* its counts so far are known, but it does not count now */
		}
	}
}

/* ---- maintaining the events each second -------------------------------------- */

/* Opens the rings and events of a CPU again.  When a CPU goes offline, the kernel detaches its events, which never
 * count again.  Its old rings were drained while it was offline. */
static void reopen_cpu(struct live *l, unsigned cpu)
{
	struct live_cpu *c = &l->cpus[cpu];
	system_close_cpu(l, cpu);
	rings_close_cpu(l, cpu);
	c->online = rings_open_cpu(l, cpu) == 0;
	if (!c->online)
		return; /* the next call tries again */
	c->watched_enabled_ns = 0;
	for (size_t e = 0; e < l->info.events_n; e++)
		if (l->info.events[e].available)
			(void)!open_slot(l, e, cpu); /* its counter then reads "not opened" */
}

/* Returns true if the CPU went offline and online between two calls: its events then count no time. */
static bool went_away(struct live *l, unsigned cpu)
{
	struct live_cpu *c = &l->cpus[cpu];
	uint64_t enabled = 0;
	for (size_t e = 0; e < l->info.events_n && !enabled; e++)
		enabled = slot_of(l, e, cpu)->now.enabled_ns;
	bool still = enabled && enabled == c->watched_enabled_ns && l->counters_read;
	c->watched_enabled_ns = enabled;
	return still;
}

/* Lowers the rates of events with the kernel's maximum rate, which it lowers when sampling takes too long; it
 * throttles events above that. */
static void follow_max_rate(struct live *l)
{
	uint64_t max = env_max_rate_hz();
	for (size_t e = 0; e < l->info.events_n; e++) {
		struct perf_attr *a = &l->attrs[e];
		/* the kernel turned the frequency of a clock into a period when it was opened */
		bool clock = l->info.events[e].spec.role == ROLE_CLOCK;
		if (!(a->flags & ATTR_FREQ) || a->sample_period <= max)
			continue;
		a->sample_period = event_rate_within(a->sample_period, max);
		for (unsigned cpu = 0; cpu < l->cpus_n && !clock; cpu++)
			if (slot_of(l, e, cpu)->fd >= 0)
				(void)!perf_set_rate(slot_of(l, e, cpu)->fd, a->sample_period);
		if (e == 0 && !clock)
			l->info.rate_hz = a->sample_period;
	}
}

void system_maintain(struct live *l)
{
	struct cpu_bits online;
	if (groups_lower(l))
		system_open_again(l);
	if (live_online(l, &online) == 0) {
		for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
			struct live_cpu *c = &l->cpus[cpu];
			bool is = cpu_bits_has(&online, cpu);
			if (is && (!c->online || went_away(l, cpu)))
				reopen_cpu(l, cpu);
			else if (!is)
				c->online = false;
		}
		l->online = online;
	}
	follow_max_rate(l);
}
