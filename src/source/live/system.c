/* Events on all tasks, one per event and CPU; or on cgroups, one per event, CPU and cgroup, with their counts added
 * up. */
#include "source/live/live.h"

#include "base/alloc.h"
#include "os/file.h"

#include <errno.h>
#include <stdlib.h>

/* Returns how many copies of an event are open on a CPU: one for all tasks, or one per cgroup. */
static size_t copies_of(const struct live *l)
{
	return l->cgroups_n ? l->cgroups_n : 1;
}

/* Returns the slot of an event's first copy on a CPU; copy c is at [c * cpus_n] from there. */
static struct slot *slots_of(const struct live *l, size_t event, unsigned cpu)
{
	return &l->slots[event * copies_of(l) * l->cpus_n + cpu];
}

static int open_slot(struct live *l, size_t event, size_t copy, unsigned cpu)
{
	const struct event_spec *spec = &l->info.events[event].spec;
	if (!live_is_on(l, event, cpu))
		return -ENODEV;
	struct slot *s = slots_of(l, event, cpu) + copy * l->cpus_n;
	const struct slot *leader = slots_of(l, l->groups.leaders[event], cpu) + copy * l->cpus_n;
	int fd = groups_open(l, event, l->cgroups_n ? l->cgroups[copy].fd : -1, cpu, leader->fd);
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
	if (!spec->counted) /* an event that is only counted needs no id */
		groups_add_id(l, s->id, event, cpu);
	return 0;
}

static void close_slot(struct live *l, struct slot *s, bool keep_id)
{
	if (s->fd < 0)
		return;
	(void)counter_read(s->fd, l->attrs[0].read_format, &s->now);
	counter_add(&s->before, &s->now);
	s->now = (struct counter){0};
	(keep_id ? id_map_retire : id_map_remove)(&l->ids, s->id);
	fd_close(&s->fd);
}

/* Closes all copies of an event on a CPU.  `keep_id`: the ring may still contain samples of them. */
static void close_on_cpu(struct live *l, size_t event, unsigned cpu, bool keep_id)
{
	for (size_t copy = 0; copy < copies_of(l); copy++)
		close_slot(l, slots_of(l, event, cpu) + copy * l->cpus_n, keep_id);
}

/* Opens all copies of an event on a CPU, or none if files run out.  Leaves out the copy of a cgroup that was
 * removed. */
static int open_on_cpu(struct live *l, size_t event, unsigned cpu)
{
	int last = 0;
	size_t opened = 0;
	for (size_t copy = 0; copy < copies_of(l) && !os_is_shortage(last); copy++) {
		int rc = open_slot(l, event, copy, cpu);
		opened += rc == 0;
		if (rc)
			last = rc;
	}
	if (os_is_shortage(last))
		close_on_cpu(l, event, cpu, true);
	return opened && !os_is_shortage(last) ? 0 : last;
}

void system_close_event(struct live *l, size_t event)
{
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++)
		close_on_cpu(l, event, cpu, true);
}

void system_pause_event(struct live *l, size_t event, bool paused)
{
	for (size_t i = 0; i < copies_of(l) * l->cpus_n; i++) {
		int fd = slots_of(l, event, 0)[i].fd;
		if (fd >= 0)
			(void)!(paused ? perf_disable(fd) : perf_enable(fd));
	}
}

/* Returns true if the event is open on some CPU. */
static bool is_open(const struct live *l, size_t event)
{
	size_t i = 0, n = copies_of(l) * l->cpus_n;
	while (i < n && slots_of(l, event, 0)[i].fd < 0)
		i++;
	return i < n;
}

/* Opens one event on all CPUs.  Does not move this thread to them: one interrupt costs less than a move. */
void system_open_event(struct live *l, size_t event)
{
	l->codes[event] = ENODEV;
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		int rc = l->cpus[cpu].has_rings ? open_on_cpu(l, event, cpu) : 0;
		if (rc)
			l->codes[event] = -rc;
		if (os_is_shortage(rc)) { /* counts of some CPUs only would mislead: closes it on all */
			system_close_event(l, event);
			break;
		}
	}
	if (!is_open(l, event))
		setup_refused(l, event, l->codes[event]);
}

/* If files or memory ran out, closes the last available event on all CPUs.  So the events that were named first stay,
 * although one CPU gets all its events before the next CPU does.  Returns false if none was closed. */
static bool give_way(struct live *l, int code)
{
	size_t e = l->info.events_n;
	while (e > 0 && !l->info.events[e - 1].available)
		e--;
	if (!e || !os_is_shortage(-code))
		return false;
	system_close_event(l, e - 1);
	setup_refused(l, e - 1, code);
	return true;
}

/* Opens the events of a CPU.  If files or memory run out, closes events on all CPUs, see give_way(). */
static void open_cpu(struct live *l, unsigned cpu)
{
	for (size_t e = 0; e < l->info.events_n; e++) {
		int rc;
		do
			rc = l->info.events[e].available ? open_on_cpu(l, e, cpu) : 0;
		while (give_way(l, -rc));
	}
}

void system_open_again(struct live *l)
{
	struct cpu_tour tour;
	cpu_tour_begin(&tour);
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		cpu_tour_go(&tour, cpu);
		for (size_t e = 0; e < l->info.events_n; e++)
			close_on_cpu(l, e, cpu, true);
		for (size_t e = 0; e < l->info.events_n && l->cpus[cpu].online; e++)
			if (l->info.events[e].available && l->cpus[cpu].has_rings)
				(void)!open_on_cpu(l, e, cpu);
	}
	cpu_tour_end(&tour);
}

void system_add_event(struct live *l, size_t event)
{
	for (size_t i = 0; i < copies_of(l) * l->cpus_n; i++)
		slots_of(l, event, 0)[i].fd = -1;
}

int system_open(struct live *l, struct error *err)
{
	static const struct rings_events events = {open_cpu, system_close_cpu, give_way};
	bool wanted[EVENTS_MAX] = {false};
	l->slots = mem_calloc(EVENTS_MAX * copies_of(l) * l->cpus_n, sizeof(l->slots[0]));
	for (size_t e = 0; e < l->info.events_n; e++) {
		wanted[e] = l->info.events[e].available;
		system_add_event(l, e);
	}
	int rc = rings_open(l, &events, err);
	if (rc)
		return rc;
	/* Tries again to open events that were closed: the files may suffice for an event that needs few CPUs.  For an
	 * event that opens nowhere, this also finds the reason. */
	for (size_t e = 0; e < l->info.events_n; e++)
		if (wanted[e] && !is_open(l, e)) {
			l->info.events[e].available = true;
			l->info.events[e].why[0] = '\0';
			system_open_event(l, e);
		}
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
		close_on_cpu(l, e, cpu, false);
}

void system_close(struct live *l)
{
	for (size_t i = 0; l->slots && i < l->info.events_n * copies_of(l) * l->cpus_n; i++)
		fd_close(&l->slots[i].fd);
	free(l->slots);
	l->slots = NULL;
}

/* Adds to *sum what a slot has counted since the source was opened, including fds that were closed. */
static void read_slot(struct slot *s, uint64_t format, struct counter *sum)
{
	bool opened = sum->opened || s->fd >= 0;
	if (s->fd >= 0)
		(void)counter_read(s->fd, format, &s->now);
	counter_add(sum, &s->before);
	counter_add(sum, &s->now);
	sum->opened = opened; /* a closed event has counts, but is not open */
}

void system_read(struct live *l, struct counter *counters)
{
	for (size_t e = 0; e < l->info.events_n; e++)
		for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
			struct counter *c = &counters[e * l->cpus_n + cpu];
			*c = (struct counter){0};
			for (size_t copy = 0; copy < copies_of(l); copy++)
				read_slot(slots_of(l, e, cpu) + copy * l->cpus_n, l->attrs[e].read_format, c);
			c->opened &= l->cpus[cpu].online; /* on a CPU that went offline, an event counts nothing */
		}
}

/* ---- maintaining events and rings each second -------------------------------- */

/* Opens the rings and events of a CPU again.  When a CPU goes offline, the kernel detaches its events, which then never
 * count again.  Their rings were drained meanwhile. */
static void reopen_cpu(struct live *l, unsigned cpu)
{
	struct live_cpu *c = &l->cpus[cpu];
	system_close_cpu(l, cpu);
	rings_close_cpu(l, cpu);
	c->online = rings_open_cpu(l, cpu) == 0;
	if (!c->online)
		return; /* system_maintain() will try again */
	c->watched_enabled_ns = 0;
	for (size_t e = 0; e < l->info.events_n; e++)
		if (l->info.events[e].available)
			(void)!open_on_cpu(l, e, cpu); /* if this fails, the event's counter has opened == false */
}

/* Returns true if the CPU went offline and online again since the last call, as the enabled time of its events then
 * stands still.  Checks the tracker: events on a cgroup also stand still while none of its tasks runs. */
static bool went_away(struct live *l, unsigned cpu)
{
	struct live_cpu *c = &l->cpus[cpu];
	struct counter tracker;
	if (!counter_read(c->tracker, l->tracker_attr.read_format, &tracker))
		return false;
	bool still = tracker.enabled_ns == c->watched_enabled_ns;
	c->watched_enabled_ns = tracker.enabled_ns;
	return still;
}

/* Lowers the rates of events to the kernel's maximum, because events above it are throttled.  The kernel reduces this
 * maximum if sampling takes too long. */
static void follow_max_rate(struct live *l)
{
	uint64_t max = env_max_rate_hz();
	for (size_t e = 0; e < l->info.events_n; e++) {
		struct perf_attr *a = &l->attrs[e];
		/* not for a clock, which keeps the period with which it was opened */
		bool clock = event_role_of(a->type, a->config, "") == ROLE_CLOCK;
		if (!(a->flags & ATTR_FREQ) || a->sample_period <= max)
			continue;
		a->sample_period = event_rate_within(a->sample_period, max);
		for (size_t i = 0; i < copies_of(l) * l->cpus_n && !clock; i++)
			if (slots_of(l, e, 0)[i].fd >= 0)
				(void)!perf_set_rate(slots_of(l, e, 0)[i].fd, a->sample_period);
		if (e == 0 && !clock)
			l->info.rate_hz = a->sample_period;
	}
}

/* Moves events of PMUs that count for several CPUs to CPUs of the PMU's cpumask: when the CPU of such an event goes
 * offline, the kernel puts another CPU into the mask. */
static void follow_masks(struct live *l)
{
	for (size_t e = 0; e < l->info.events_n; e++) {
		const struct source_event *ev = &l->info.events[e];
		struct cpu_bits mask;
		if (!ev->spec.shared || *ev->spec.cpus || !ev->available)
			continue;
		topology_pmu_mask(ev->pmu, &mask);
		if (!cpu_bits_count(&mask))
			continue;
		l->masks[e] = mask;
		for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
			bool opened = slots_of(l, e, cpu)->fd >= 0, is = cpu_bits_has(&mask, cpu);
			if (opened && !is)
				close_on_cpu(l, e, cpu, false);
			else if (!opened && is && l->cpus[cpu].online && l->cpus[cpu].has_rings)
				(void)!open_on_cpu(l, e, cpu);
		}
	}
}

void system_maintain(struct live *l)
{
	struct cpu_bits online;
	if (groups_lower(l))
		system_open_again(l);
	if (cpus_online_of(&l->target, &online) == 0) {
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
	follow_masks(l);
	follow_max_rate(l);
}
