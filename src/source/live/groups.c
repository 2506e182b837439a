/* Opens groups of events, which the kernel schedules together.  Each event of a group takes its own samples, except
 * with :S.  If a group does not open, or never gets all its counters although its events alone might, groups are made
 * smaller, and all events are opened again. */
#include "source/live/live.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4, PAIR = 2 }; /* limits on the number of events in a group: MOST, PAIR, then 1 is tried */

static const uint64_t starving_ns = 2000000000; /* enabled for this long without running: the group does not fit */

static const struct metric_set *metrics_of(const struct live *l)
{
	return l->config.metrics ? l->config.metrics : &metrics_builtin;
}

/* Changes the attr of an event for a group with :S.  The leader's samples contain the counts of all its events
 * (SAMPLE_READ); the other events take no samples. */
static void shape(struct live *l, size_t event)
{
	struct perf_attr *a = &l->attrs[event];
	if (l->groups.leaders[event] == event) {
		a->sample_type |= SAMPLE_READ;
		a->read_format |= READ_GROUP;
	} else {
		a->flags &= ~ATTR_FREQ;
		a->sample_period = 0;
	}
}

/* Implements source_ops.layout.  Samples of leaders of groups with :S have another layout; the sample's id tells. */
static const struct record_layout *layout_of(struct source *src, const uint8_t *bytes, size_t size)
{
	const struct live *l = (const struct live *)src;
	struct record_header header;
	uint64_t id;
	size_t at = (size_t)l->layout.identifier;
	if (size < at + sizeof(id))
		return &l->layout;
	memcpy(&header, bytes, sizeof(header));
	memcpy(&id, bytes + at, sizeof(id));
	const struct id_entry *e = header.type == RECORD_SAMPLE ? id_map_find(&l->ids, id) : NULL;
	return e && e->reads ? &l->groups.reads_layout : &l->layout;
}

void groups_add_id(struct live *l, uint64_t id, size_t event, unsigned cpu)
{
	id_map_add(&l->ids, id, (uint32_t)event, cpu);
	l->ids.data[l->ids.n - 1].reads = l->attrs[event].sample_type & SAMPLE_READ;
}

/* Sets two layouts: of samples without, and with, the counts of a group (SAMPLE_READ).  The counts come after all
 * fields that must be at the same offset in both. */
void groups_layouts(struct live *l)
{
	struct perf_attr a = l->attrs[0];
	a.sample_type &= ~(uint64_t)SAMPLE_READ;
	(void)!record_layout_init(&l->layout, &a);
	a.sample_type |= SAMPLE_READ;
	a.read_format |= READ_GROUP;
	(void)!record_layout_init(&l->groups.reads_layout, &a);
}

/* Returns true if the samples of this leader may contain the counts of its group.  Before Linux 6.12 the kernel refuses
 * that for events that are inherited. */
static bool may_read(const struct live *l, size_t leader)
{
	struct perf_attr a = l->attrs[leader];
	a.sample_type |= SAMPLE_READ;
	a.flags |= ATTR_DISABLED;
	int fd = a.flags & ATTR_INHERIT ? opener_join(&l->opener, &a, 0, -1, -1) : -EBADF;
	bool may = fd != -EINVAL;
	fd_close(&fd);
	return may;
}

/* Finds the groups with :S, and changes the attrs of their events. */
static void plan_reads(struct live *l)
{
	struct source_event *events = l->info.events;
	for (size_t e = 0; e < l->info.events_n; e++) {
		if (events[e].leader_sampled)
			attrs_make_again(l, e);
		events[e].leader_sampled = false;
	}
	for (size_t e = 0; e < l->info.events_n; e++) {
		uint32_t leader = l->groups.leaders[e];
		bool asked = leader != e && events[leader].spec.leader_reads;
		l->groups.unread |= asked && !may_read(l, leader);
		events[e].leader_sampled = asked && !l->groups.unread;
		events[leader].leader_sampled |= events[e].leader_sampled;
	}
	for (size_t e = 0; e < l->info.events_n; e++)
		if (events[e].leader_sampled) {
			shape(l, e);
			l->ops.layout = layout_of;
		}
	groups_layouts(l);
}

static void plan(struct live *l)
{
	struct event_spec specs[EVENTS_MAX] = {{.role = ROLE_OTHER}};
	bool usable[EVENTS_MAX] = {false};
	size_t n = l->info.events_n;
	for (size_t e = 0; e < n; e++) {
		specs[e] = l->info.events[e].spec;
		usable[e] = l->info.events[e].available && !specs[e].counted && !specs[e].off_cpu;
		l->info.events[e].group = 0;
	}
	event_groups(specs, usable, n, l->groups.most, metrics_of(l), l->groups.leaders);
	for (uint32_t e = 0; e < n; e++) {
		uint32_t leader = l->groups.leaders[e];
		if (leader != e)
			l->info.events[e].group = l->info.events[leader].group = leader + 1;
	}
	plan_reads(l);
}

bool groups_change(struct live *l, size_t event)
{
	if (!l->info.events[event].spec.group)
		return false;
	plan(l);
	return true;
}

void groups_init(struct live *l)
{
	l->groups.most = MOST;
	l->groups.seen = mem_calloc(EVENTS_MAX * (size_t)l->cpus_n, sizeof(l->groups.seen[0]));
	fit_all(l);
	fit_groups(l);
	plan(l);
}

void groups_deinit(struct live *l)
{
	free(l->groups.seen);
	l->groups.seen = NULL;
}

static int open_event(struct live *l, size_t event, pid_t pid, unsigned cpu, int leader_fd)
{
	bool leads = l->groups.leaders[event] == event;
	int fd = leads || leader_fd < 0 ? -1 : opener_join(&l->opener, &l->attrs[event], pid, (int)cpu, leader_fd);
	if (fd >= 0)
		return fd;
	fd = opener_open(&l->opener, &l->attrs[event], pid, (int)cpu);
	l->groups.refused |= fd >= 0 && !leads && leader_fd >= 0;
	return fd;
}

/* Makes the kernel schedule a running group again, after an event was added to it.  The kernel (6.18) schedules it
 * itself only if the event's PMU is the leader's, but software events belong to several PMUs. */
static void restart(const struct live *l, size_t event, int leader_fd)
{
	size_t leader = l->groups.leaders[event];
	if (leader != event && leader_fd >= 0 && !event_takes_counter(&l->info.events[leader].spec) &&
	    perf_disable(leader_fd) == 0)
		(void)!perf_enable(leader_fd);
}

/* Opens an event.  If it has a filter, keeps it disabled until the filter is set, so that no unfiltered hits are
 * counted. */
int groups_open(struct live *l, size_t event, pid_t pid, unsigned cpu, int leader_fd)
{
	const char *filter = l->info.events[event].spec.filter;
	bool later = l->attrs[event].flags & ATTR_ENABLE_ON_EXEC;
	int fd = open_event(l, event, pid, cpu, leader_fd);
	if (fd < 0)
		return fd;
	int rc = filter ? perf_set_filter(fd, filter) : 0;
	if (!rc && filter && !later)
		rc = perf_enable(fd);
	if (rc)
		fd_close(&fd);
	else if (!later)
		restart(l, event, leader_fd);
	return rc ? rc : fd;
}

static void watch(struct groups *g, size_t at, const struct counter *c)
{
	struct group_seen *s = &g->seen[at];
	if (c->running_ns != s->running_ns || c->enabled_ns < s->enabled_ns)
		s->starved_ns = 0;
	else
		s->starved_ns += c->enabled_ns - s->enabled_ns;
	s->enabled_ns = c->enabled_ns;
	s->running_ns = c->running_ns;
	g->refused |= s->starved_ns >= starving_ns;
}

void groups_watch(struct live *l, const struct counter *counters)
{
	for (size_t e = 0; e < l->info.events_n; e++)
		for (unsigned cpu = 0; cpu < l->cpus_n && l->info.events[e].group; cpu++)
			watch(&l->groups, e * l->cpus_n + cpu, &counters[e * l->cpus_n + cpu]);
}

/* Returns true if all events of the metric are measured, but not all of them in one group. */
static bool is_split(const struct live *l, const struct metric *m)
{
	uint32_t leader = UINT32_MAX;
	bool split = false;
	for (size_t i = 0; i < m->operands_n; i++) {
		size_t e = 0;
		while (e < l->info.events_n && !(l->info.events[e].available &&
						 metric_role(metrics_of(l), &l->info.events[e].spec) == m->operands[i]))
			e++;
		if (e == l->info.events_n)
			return false;
		split |= i > 0 && l->groups.leaders[e] != leader;
		leader = l->groups.leaders[e];
	}
	return split;
}

static void add_notice(struct live *l)
{
	char text[300], names[120] = "";
	size_t at = 0;
	const struct metric_set *set = metrics_of(l);
	for (size_t m = 0; m < set->n && at < sizeof(names); m++)
		if (is_split(l, &set->v[m]))
			at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s", at ? ", " : "", set->v[m].title);
	if (!at)
		return;
	snprintf(
		text, sizeof(text),
		"the events of %s do not count at the same time, so they may be of different phases: name fewer events",
		names);
	notice_add(l->info.notice, sizeof(l->info.notice), text);
}

bool groups_lower(struct live *l)
{
	if (!l->groups.refused || l->groups.most == 1)
		return false;
	l->groups.refused = false;
	l->groups.most = l->groups.most > PAIR ? PAIR : 1;
	memset(l->groups.seen, 0, l->info.events_n * l->cpus_n * sizeof(l->groups.seen[0]));
	plan(l);
	if (l->groups.most == 1)
		add_notice(l);
	return true;
}
