/* Finds out which events the CPU can count at the same time, by opening them for a moment as a pinned group.  The
 * kernel refuses a member for which the PMU has no counter.  It puts the group into error state if others, such as the
 * NMI watchdog, hold a counter for good.  For these microseconds, other events that are not pinned lose their
 * counters. */
#include "source/live/live.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static const uint64_t seldom = 1 << 30; /* a sampling period that is never reached, so that no sample is taken */

/* Opens an event in the group of `leader_fd`, or as the leader if that is -1.  Returns an fd, or -errno. */
static int open_member(const struct live *l, size_t event, int cpu, int leader_fd)
{
	struct perf_attr a = l->attrs[event];
	a.flags &= ~(ATTR_DISABLED | ATTR_ENABLE_ON_EXEC | ATTR_INHERIT | ATTR_FREQ | ATTR_EXCLUSIVE | ATTR_PINNED);
	a.flags |= leader_fd < 0 ? ATTR_PINNED : 0;
	a.sample_period = seldom;
	return opener_join(&l->opener, &a, live_pid(l), cpu, leader_fd);
}

/* Returns true if a pinned event is in error state, as it got no counter: reading it then returns 0 bytes. */
static bool gave_up(int fd)
{
	uint64_t values[8]; /* more than an event without a group returns in any read_format */
	return read(fd, values, sizeof(values)) == 0;
}

/* Returns how many of the events, taken in order, can count together on a CPU (-1: where this process runs); n if the
 * first does not open there.  *code_ret: why the next event does not fit: EINVAL, or EBUSY if another program holds its
 * counter; 0: all fit. */
static size_t fit_on(const struct live *l, const uint32_t *events, size_t n, int cpu, int *code_ret)
{
	int fds[EVENTS_MAX];
	size_t opened = 0;
	*code_ret = 0;
	while (opened < n && !*code_ret) {
		int fd = open_member(l, events[opened], cpu, opened ? fds[0] : -1);
		*code_ret = fd < 0 ? -fd : 0;
		if (fd >= 0)
			fds[opened++] = fd;
		if (fd >= 0 && gave_up(fds[0]))
			*code_ret = EBUSY;
	}
	for (size_t i = 0; i < opened; i++)
		fd_close(&fds[i]);
	if (*code_ret == EBUSY)
		return opened - 1;
	return *code_ret == EINVAL && opened ? opened : n;
}

size_t fit_together(const struct live *l, const uint32_t *events, size_t n, int *code_ret)
{
	size_t least = n;
	int code = 0;
	*code_ret = 0;
	for (size_t i = 0; i == 0 || (i < l->opener.pmus_n && !live_of_tasks(l)); i++) {
		const struct cpu_bits *cpus = &l->opener.pmus[i].cpus;
		bool any = !l->opener.pmus_n || !cpu_bits_count(cpus);
		unsigned cpu = 0;
		while (cpu < l->cpus_n && !(cpu_bits_has(&l->online, cpu) && (any || cpu_bits_has(cpus, cpu))))
			cpu++;
		if (cpu == l->cpus_n)
			continue;
		size_t fit = fit_on(l, events, n, live_of_tasks(l) ? -1 : (int)cpu, &code);
		if (fit < least)
			*code_ret = code;
		least = fit < least ? fit : least;
	}
	return least;
}

/* Writes the name of a group, such as "{cycles,instructions}".  A name that is too long ends in "...}". */
static void name_group(const struct live *l, const uint32_t *events, size_t n, char *buf, size_t cap)
{
	size_t at = 0;
	for (size_t i = 0; i < n && at < cap; i++)
		at += (size_t)snprintf(buf + at, cap - at, "%s%s", i ? "," : "{", l->info.events[events[i]].spec.name);
	size_t end = at + sizeof("}") <= cap ? at : cap - sizeof("...}");
	snprintf(buf + end, cap - end, "%s}", end < at ? "..." : "");
}

static bool is_of_core(const struct live *l, uint32_t type)
{
	size_t i = 0;
	while (i < l->opener.pmus_n && l->opener.pmus[i].type != type)
		i++;
	return type == ABI_TYPE_RAW || i < l->opener.pmus_n;
}

/* Returns true if both events use counters of the same PMU.  Events of no particular PMU use that of the CPU. */
static bool share_counters(const struct live *l, uint32_t a, uint32_t b)
{
	const struct event_spec *first = &l->info.events[a].spec, *second = &l->info.events[b].spec;
	uint32_t first_pmu = event_pmu_type(first), second_pmu = event_pmu_type(second);
	if (!event_takes_counter(first) || !event_takes_counter(second))
		return false;
	return first_pmu == second_pmu || ((first_pmu == ABI_TYPE_RAW || second_pmu == ABI_TYPE_RAW) &&
					   is_of_core(l, first_pmu) && is_of_core(l, second_pmu));
}

static bool of_several_pmus(const struct live *l, const uint32_t *events, size_t n)
{
	size_t first = 0;
	while (first < n && !event_takes_counter(&l->info.events[events[first]].spec))
		first++;
	for (size_t i = first; i < n; i++)
		if (event_takes_counter(&l->info.events[events[i]].spec) &&
		    !share_counters(l, events[first], events[i]))
			return true;
	return false;
}

/* If not all events of a group fit, leaves out those for which the PMU has no counter; or dissolves the group, if it
 * has :W or events of several PMUs.  Adds a notice. */
static void check_group(struct live *l, const uint32_t *events, size_t n)
{
	char text[400], names[160];
	int code = 0;
	size_t fit = fit_together(l, events, n, &code);
	bool apart = l->info.events[events[0]].spec.weak;
	if (fit == n)
		return;
	name_group(l, events, n, names, sizeof(names));
	if (of_several_pmus(l, events, n)) { /* the kernel has no groups over several PMUs; perf splits them */
		code = EXDEV;
		apart = true;
	} else if (fit < l->groups.most) { /* groups that are made for metrics must not be larger, either */
		l->groups.most = fit ? fit : 1;
	}
	for (size_t i = 0; i < n; i++) {
		struct source_event *ev = &l->info.events[events[i]];
		ev->spec.group = apart ? 0 : ev->spec.group;
		if (apart || i < fit || !i) /* the first event stays: it may get a counter later */
			continue;
		ev->available = false;
		l->codes[events[i]] = ENOSPC;
		snprintf(ev->why, sizeof(ev->why), "it cannot be counted together with those before it in its group");
	}
	advice_group(names, n, fit, code, apart, text, sizeof(text));
	notice_add(l->info.notice, sizeof(l->info.notice), text);
}

void fit_groups(struct live *l)
{
	for (uint32_t first = 0; first < l->info.events_n; first++) {
		uint32_t members[EVENTS_MAX], group = l->info.events[first].spec.group;
		size_t n = 0;
		for (uint32_t e = first; e < l->info.events_n && group; e++)
			if (l->info.events[e].spec.group == group && l->info.events[e].available &&
			    !l->info.events[e].spec.counted)
				members[n++] = e;
		if (n > 1 && members[0] == first)
			check_group(l, members, n);
	}
}

bool fit_admit(struct live *l, size_t event, size_t n)
{
	struct source_event *ev = &l->info.events[event];
	uint32_t together[EVENTS_MAX];
	size_t beside = 0;
	int code = 0;
	if (!l->config.no_mux || !ev->available || ev->spec.counted || !event_takes_counter(&ev->spec))
		return true;
	for (uint32_t e = 0; e < n; e++)
		if (e != event && l->info.events[e].available && !l->info.events[e].spec.counted &&
		    share_counters(l, e, (uint32_t)event))
			together[beside++] = e;
	together[beside] = (uint32_t)event;
	if (fit_together(l, together, beside + 1, &code) > beside)
		return true;
	ev->available = false;
	l->codes[event] = ENOSPC;
	snprintf(ev->why, sizeof(ev->why), "no counter is left beside the %zu events before it (--no-mux)", beside);
	return false;
}

void fit_all(struct live *l)
{
	char text[400];
	int at = 0;
	for (size_t e = 1; e < l->info.events_n; e++)
		if (!fit_admit(l, e, e) && at < (int)sizeof(text))
			at += snprintf(text + at, sizeof(text) - (size_t)at, "%s%s",
				       at ? ", "
					  : "left out, since they would have to take turns on counters (--no-mux): ",
				       l->info.events[e].spec.name);
	if (at)
		notice_add(l->info.notice, sizeof(l->info.notice), text);
}
