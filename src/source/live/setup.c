#include "source/live/live.h"
#include "source/live/periods.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void explain(const struct live_env *env, enum source_scope scope, const struct event_spec *spec, int code,
		    char why[static EVENT_REFUSAL])
{
	(event_probe_prefix(spec->name) ? advice_probe : advice_event)(env, scope, code, why, EVENT_REFUSAL);
}

void setup_refused(struct live *l, size_t event, int code)
{
	struct source_event *ev = &l->info.events[event];
	ev->available = false;
	l->codes[event] = code;
	explain(&l->env, l->info.scope, &ev->spec, code, ev->why);
}

/* Only drivers of x86 PMUs check attr.precise_ip; others ignore it, so for them an event with it is refused here. */
#if defined(__x86_64__) || defined(__i386__)
enum { PRECISE_SUPPORTED = true };
#else
enum { PRECISE_SUPPORTED = false };
#endif

static const char event_only_counts[] = "its PMU counts, but takes no samples";

/* Tries to open an event without sampling, after sampling was refused with `code`.  Returns 0, or -errno. */
static int try_counting(const struct opener *o, const struct event_spec *spec, pid_t pid, int cpu, int code)
{
	struct event_spec counted = *spec;
	struct perf_attr a;
	counted.counted = true;
	event_attr(&counted, &(struct attr_policy){0}, &a);
	int fd = code == -EINVAL || code == -EOPNOTSUPP ? opener_open(o, &a, pid, cpu) : code;
	int rc = fd < 0 ? fd : 0;
	fd_close(&fd);
	return rc;
}

/* Sets ev->why to the reason why an event of a PMU with a cpumask is on none of the CPUs that are measured. */
static void refuse_mask(struct live *l, size_t event)
{
	struct source_event *ev = &l->info.events[event];
	const struct cpu_bits *mask = &l->masks[event];
	unsigned cpu = 0;
	while (cpu < CPUS_MAX && !cpu_bits_has(mask, cpu))
		cpu++;
	l->codes[event] = ENODEV;
	if (cpu == CPUS_MAX)
		snprintf(ev->why, sizeof(ev->why), "the kernel names no CPU on which its PMU counts (cpumask)");
	else
		snprintf(ev->why, sizeof(ev->why), "its PMU counts on CPU %u, which is offline, or left out by -C",
			 cpu);
}

/* Marks an event whose PMU cannot sample as counted per CPU.  With a target or in a recording, marks it as unavailable,
 * because such counts belong neither to tasks nor to functions. */
static void setup_counted(struct live *l, const struct live_config *config, size_t event)
{
	struct source_event *ev = &l->info.events[event];
	int rc = -EOPNOTSUPP;
	ev->spec.counted = true;
	ev->spec.role = ROLE_OTHER;
	l->codes[event] = EOPNOTSUPP;
	attrs_make(l, config, event);
	if (ev->spec.shared && !*ev->spec.cpus) {
		topology_pmu_name(&ev->spec, ev->pmu, sizeof(ev->pmu));
		topology_pmu_mask(ev->pmu, &l->masks[event]);
	}
	if (ev->spec.rate) {
		snprintf(ev->why, sizeof(ev->why), "it is only counted, and not sampled: leave period= and freq= out");
		return;
	}
	if (config->keep || scope_is_of_tasks(l->info.scope)) {
		snprintf(ev->why, sizeof(ev->why), "it is only counted, for CPUs and not for %s",
			 config->keep ? "functions or tasks: a recording has samples"
				      : "tasks: measure the whole machine");
		return;
	}
	bool tried = false;
	for (unsigned cpu = 0; cpu < l->cpus_n && rc; cpu++)
		if (live_is_on(l, event, cpu) && cpu_bits_has(&l->online, cpu)) {
			rc = try_counting(&l->opener, &ev->spec, -1, (int)cpu, -EINVAL);
			tried = true;
		}
	ev->available = !rc;
	if (!tried && ev->spec.shared)
		refuse_mask(l, event);
	else if (rc)
		setup_refused(l, event, -rc);
}

static void refuse_precise(struct live *l, size_t event)
{
	struct source_event *ev = &l->info.events[event];
	l->codes[event] = EOPNOTSUPP;
	snprintf(ev->why, sizeof(ev->why),
		 "its PMU takes no samples this precise (precise=%u): use a lower precision, or none",
		 ev->spec.precise);
}

/* Returns true if the event opens with precise_ip 0, but not with the precision that was asked for. */
static bool opens_imprecisely(const struct live *l, size_t event, int cpu)
{
	struct perf_attr a = l->attrs[event];
	a.flags &= ~(3ull << ATTR_PRECISE_SHIFT);
	int fd = a.flags == l->attrs[event].flags ? -EINVAL : opener_open(&l->opener, &a, live_pid(l), cpu);
	bool opened = fd >= 0;
	fd_close(&fd);
	return opened;
}

/* Sets the filter of an open event.  If it is refused, *err is set: without it, the numbers would not be those that
 * were asked for, so the event cannot just be left out. */
static int try_filter(int fd, const struct event_spec *spec, struct error *err)
{
	size_t system = strcspn(spec->name, ":"), name = spec->name[system] ? strcspn(spec->name + system + 1, ":") : 0;
	int rc = spec->filter ? perf_set_filter(fd, spec->filter) : 0;
	if (!rc)
		return 0;
	return error_set(err, -rc,
			 "the kernel refuses the filter '%.100s' of the event %s (%s); its fields are listed in "
			 "/sys/kernel/tracing/events/%.*s/%.*s/format",
			 spec->filter, spec->name, strerror(-rc), name ? (int)system : 6, name ? spec->name : "SYSTEM",
			 name ? (int)name : 4, name ? spec->name + system + 1 : "NAME");
}

/* Reads the kernel's description of a tracepoint's fields into ev->format. */
static void read_format(struct live *l, const struct event_files *tracepoints, struct source_event *ev)
{
	enum { FORMAT_MAX = 1 << 16 };
	const char *name = ev->spec.off_cpu ? EVENT_SWITCHES : ev->spec.name, *colon = strchr(name, ':');
	char path[256], *text = mem_calloc(FORMAT_MAX, 1);
	snprintf(path, sizeof(path), "%.*s/%.*s/format", colon ? (int)(colon - name) : 0, name,
		 colon ? (int)strcspn(colon + 1, ":") : 0, colon ? colon + 1 : "");
	if (tracepoints->read(tracepoints->ctx, path, text, FORMAT_MAX) > 0)
		ev->format = vec_push(&l->formats) = mem_strdup(text);
	free(text);
}

/* Sets l->masks[event] to the CPUs on which the user wants the event (cpu=).  Returns false if none of them is
 * measured; ev->why then gives the reason. */
static bool find_event_cpus(struct live *l, size_t event)
{
	struct source_event *ev = &l->info.events[event];
	struct cpu_bits *cpus = &l->masks[event];
	char list[sizeof(ev->spec.cpus)];
	unsigned cpu = 0;
	if (!*ev->spec.cpus)
		return true;
	(void)cpu_bits_parse(ev->spec.cpus, cpus); /* the list was checked when the event was parsed */
	l->codes[event] = ENODEV;
	if (cpu_bits_end(cpus) > l->cpus_n) {
		snprintf(ev->why, sizeof(ev->why), "there is no CPU %u: those of this machine are 0 to %u",
			 cpu_bits_end(cpus) - 1, l->cpus_n - 1);
		return false;
	}
	while (cpu < l->cpus_n && !(cpu_bits_has(cpus, cpu) && cpu_bits_has(&l->online, cpu)))
		cpu++;
	memcpy(list, ev->spec.cpus, sizeof(list));
	if (cpu == l->cpus_n)
		snprintf(ev->why, sizeof(ev->why), "CPU %.63s is offline, or left out by -C", list);
	return cpu < l->cpus_n;
}

static bool is_of_software(const struct event_spec *spec)
{
	return spec->type == ABI_TYPE_SOFTWARE && spec->role != ROLE_CLOCK && !spec->counted;
}

/* Returns false, with the reason in ev->why, if samples of the event would be missing or another event's: if it occurs
 * in the kernel alone, which is out of reach; or if it is a software event that is sampled already, as the kernel
 * writes the id of one of both to the samples of both. */
static bool is_sampled_right(struct live *l, size_t event)
{
	enum { SW_SWITCHES = 3, SW_MIGRATIONS = 4, SW_CGROUP_SWITCHES = 11 };
	struct source_event *ev = &l->info.events[event];
	const struct event_spec *spec = &ev->spec;
	bool in_kernel = is_of_software(spec) && (spec->config == SW_SWITCHES || spec->config == SW_MIGRATIONS ||
						  spec->config == SW_CGROUP_SWITCHES);
	if (scope_is_of_user_space(l->info.scope) && (spec->exclude_user || in_kernel)) {
		l->codes[event] = EACCES;
		snprintf(ev->why, sizeof(ev->why), "it %s the kernel only, which is out of reach here",
			 in_kernel ? "occurs in" : "counts");
		return false;
	}
	for (size_t e = 0; e < l->info.events_n && is_of_software(spec); e++) {
		const struct source_event *other = &l->info.events[e];
		if (e == event || !other->available || !is_of_software(&other->spec) ||
		    other->spec.config != spec->config)
			continue;
		char name[sizeof(other->spec.name)];
		memcpy(name, other->spec.name, sizeof(name));
		l->codes[event] = EBUSY;
		snprintf(ev->why, sizeof(ev->why),
			 "it is sampled as %.60s already, and the kernel mixes up the samples of both: name one", name);
		return false;
	}
	return true;
}

int setup_event(struct live *l, const struct live_config *config, size_t event, struct error *err)
{
	struct source_event *ev = &l->info.events[event];
	int first = 0;
	*ev = (struct source_event){.spec = ev->spec};
	attrs_make(l, config, event);
	if (config->tracepoints && ev->spec.type == ABI_TYPE_TRACEPOINT)
		read_format(l, config->tracepoints, ev);
	if (!find_event_cpus(l, event))
		return 0;
	if (ev->spec.counted) {
		setup_counted(l, config, event);
		return 0;
	}
	if (!is_sampled_right(l, event))
		return 0;
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		if (!cpu_bits_has(&l->online, cpu) || !live_is_on(l, event, cpu))
			continue;
		int fd = -EOPNOTSUPP;
		if (PRECISE_SUPPORTED || !ev->spec.precise)
			fd = opener_open(&l->opener, &l->attrs[event], live_pid(l), (int)cpu);
		if (fd < 0 && opens_imprecisely(l, event, (int)cpu)) {
			refuse_precise(l, event);
			return 0;
		}
		if (fd >= 0) {
			int rc = try_filter(fd, &ev->spec, err);
			fd_close(&fd);
			ev->available = !rc;
			return rc;
		}
		if (fd == -ENODATA && ev->spec.group) { /* the event opens only in a group, after its auxiliary event */
			ev->available = true;
			return 0;
		}
		/* ENOENT explains the least: the error of another CPU replaces it */
		if (!first || first == -ENOENT)
			first = fd;
	}
	setup_refused(l, event, first ? -first : ENODEV);
	bool of_cpu = ev->spec.type <= ABI_TYPE_BREAKPOINT;
	int rc = try_counting(&l->opener, &ev->spec, 0, -1, first);
	if (rc == -EACCES && !of_cpu) /* the event's PMU cannot exclude the kernel, and counting it is not permitted */
		setup_refused(l, event, -rc);
	if (rc)
		return 0;
	if (!of_cpu)
		setup_counted(l, config, event);
	else /* the PMU of the CPU cannot sample any event */
		snprintf(ev->why, sizeof(ev->why), "%s", event_only_counts);
	return 0;
}

bool live_event_opens(const struct event_spec *spec, char why[static EVENT_REFUSAL])
{
	const struct attr_policy policy = {.default_freq = EVENT_RATE_DEFAULT};
	struct live_env env;
	struct opener opener;
	struct perf_attr attr;
	struct cpu_bits mask = {0};
	char pmu[64];
	why[0] = '\0';
	env_read(&env);
	opener_init(&opener);
	event_attr(spec, &policy, &attr);
	topology_pmu_name(spec, pmu, sizeof(pmu));
	if (spec->shared)
		topology_pmu_mask(pmu, &mask);
	int cpu = spec->shared ? (int)cpu_bits_end(&mask) - 1 : -1;
	int fd = opener_open(&opener, &attr, spec->shared ? -1 : 0, cpu);
	if (fd >= 0 || try_counting(&opener, spec, 0, -1, fd) == 0) {
		fd_close(&fd);
		return true;
	}
	explain(&env, SCOPE_TASKS, spec, -fd, why);
	return false;
}

/* Returns true if no CPU can count cycles, so that there is no PMU. */
static bool lacks_pmu(struct live *l)
{
	const struct attr_policy policy = {.default_freq = 1, .user_only = scope_is_of_user_space(l->info.scope)};
	struct event_spec defaults[EVENTS_MAX];
	struct perf_attr a;
	int fd = -ENOENT;
	(void)event_defaults(defaults); /* the first default event is cycles */
	event_attr(&defaults[0], &policy, &a);
	for (unsigned cpu = 0; cpu < l->cpus_n && fd == -ENOENT; cpu++)
		if (cpu_bits_has(&l->online, cpu))
			fd = opener_open(&l->opener, &a, live_pid(l), (int)cpu);
	bool lacks = fd == -ENOENT;
	fd_close(&fd);
	return lacks;
}

/* If the machine has no PMU, sets this as the reason why hardware events of the user are unavailable. */
static void explain_no_pmu(struct live *l)
{
	bool asked = false;
	for (size_t e = 0; e < l->info.events_n; e++) {
		struct source_event *ev = &l->info.events[e];
		uint32_t type = ev->spec.type;
		if (ev->available || l->codes[e] != ENOENT ||
		    (type != ABI_TYPE_HARDWARE && type != ABI_TYPE_HW_CACHE && type != ABI_TYPE_RAW))
			continue;
		if (!asked && !lacks_pmu(l))
			return;
		asked = true;
		advice_no_pmu(&l->env, true, ev->why, sizeof(ev->why));
	}
}

static void swap_events(struct live *l, size_t a, size_t b)
{
	struct source_event ev = l->info.events[a];
	struct perf_attr attr = l->attrs[a];
	int code = l->codes[a];
	struct cpu_bits mask = l->masks[a];
	l->masks[a] = l->masks[b], l->masks[b] = mask;
	l->info.events[a] = l->info.events[b], l->info.events[b] = ev;
	l->attrs[a] = l->attrs[b], l->attrs[b] = attr;
	l->attrs[a].config1 = event_config1(&l->info.events[a].spec);
	l->attrs[b].config1 = event_config1(&l->info.events[b].spec);
	l->codes[a] = l->codes[b], l->codes[b] = code;
}

static bool takes_samples(const struct source_event *ev)
{
	return ev->available && !ev->spec.counted;
}

/* Adds cpu-clock as the primary event, if none of the user's events can be sampled. */
static int add_clock(struct live *l, const struct live_config *config, struct error *err)
{
	struct source_info *info = &l->info;
	size_t counted = 0;
	while (counted < info->events_n && !info->events[counted].available)
		counted++;
	if (counted < info->events_n && info->events_n == EVENTS_MAX)
		return error_set(err, E2BIG,
				 "all %d events are only counted: name one fewer, for cpu-clock in its place",
				 EVENTS_MAX);
	if (counted == info->events_n)
		return error_set(err, l->codes[0], "event %s: %s", info->events[0].spec.name, info->events[0].why);
	event_clock(&info->events[info->events_n].spec);
	int rc = setup_event(l, config, info->events_n, err);
	for (size_t e = info->events_n++; e > 0 && !rc; e--)
		swap_events(l, e, e - 1);
	snprintf(l->replaced, sizeof(l->replaced), "the CPU clock is sampled, too: %.60s is only counted",
		 info->events[counted + 1].spec.name);
	return rc;
}

static bool is_same(const struct event_spec *a, const struct event_spec *b)
{
	return a->type == b->type && a->config == b->config && event_modes(a) == event_modes(b);
}

/* Makes sure that the primary event, info.events[0], is available and sampled; takes another event if not. */
static int settle_primary(struct live *l, const struct live_config *config, bool given, struct error *err)
{
	struct source_info *info = &l->info;
	if (takes_samples(&info->events[0]))
		return 0;
	if (!given) {
		int code = l->codes[0];
		l->no_pmu = code == ENOENT || code == ENODEV || code == ENXIO || code == EOPNOTSUPP || code == EINVAL;
		if (!l->no_pmu)
			snprintf(l->replaced, sizeof(l->replaced), "sampling the CPU clock in place of %.60s: %s",
				 info->events[0].spec.name, info->events[0].why);
		struct event_spec clock = {.role = ROLE_OTHER};
		event_clock(&clock);
		for (size_t e = 1; e < info->events_n; e++)
			if (takes_samples(&info->events[e]) && is_same(&info->events[e].spec, &clock)) {
				swap_events(l, 0, e); /* `e` may be an event that a formula names */
				return 0;
			}
		info->events[0].spec = clock;
		if (setup_event(l, config, 0, err) == 0 && info->events[0].available)
			return 0;
	}
	for (size_t e = 1; e < info->events_n && given; e++)
		if (takes_samples(&info->events[e])) {
			swap_events(l, 0, e);
			return 0;
		}
	return add_clock(l, config, err);
}

/* Sets info.periods.  All events of the CPU's PMU have the same result, so one is probed that always occurs. */
static void find_periods(struct live *l)
{
	l->info.periods = PERIODS_ELAPSED;
	for (size_t e = 0; e < l->info.events_n; e++) {
		const struct source_event *ev = &l->info.events[e];
		bool steady = ev->spec.role == ROLE_CYCLES || ev->spec.role == ROLE_INSTRUCTIONS;
		if (!steady || !ev->available || !(l->attrs[e].flags & ATTR_FREQ))
			continue;
		(void)periods_probe(&l->opener, &l->attrs[e], &l->info.periods);
		return;
	}
}

/* Sets *err: no event can have branch stacks. */
static int refuse_branches(struct live *l, struct error *err)
{
	int code = l->codes[0] ? l->codes[0] : EOPNOTSUPP;
	bool calls = l->config.call_stacks;
	const char *option = calls ? "-g lbr" : "-j", *instead = calls ? "; -g dwarf needs none" : "";
	if (lacks_pmu(l))
		return error_set(err, code, "%s: no hardware counters here, and only these come with branch stacks%s",
				 option, instead);
	return error_set(err, code,
			 "%s: event %.60s has no samples with branch stacks: the CPU, or what virtualises it, records "
			 "no branches, or none of that kind (%s)%s",
			 option, l->info.events[0].spec.name, strerror(code), instead);
}

/* Adds the events that count entries of branch stacks.  A recording needs none, because it contains the stacks. */
static int add_branches(struct live *l, const struct live_config *config, struct error *err)
{
	if (!config->branches || config->keep)
		return 0;
	if (l->info.events_n + SOURCE_BRANCH_EVENTS > EVENTS_MAX)
		return error_set(err, E2BIG, "-j: %d events are too many, since branches are two more", EVENTS_MAX);
	source_add_branches(&l->info);
	int rc = setup_event(l, config, l->info.branches, err);
	return rc ? rc : setup_event(l, config, l->info.branches + 1, err);
}

int setup_events(struct live *l, const struct live_config *config, struct error *err)
{
	struct source_info *info = &l->info;
	struct event_spec specs[EVENTS_MAX];
	bool given = config->events_given && config->events_n;
	size_t n = config->events_n;
	if (n > EVENTS_MAX)
		n = EVENTS_MAX;
	memcpy(specs, config->events, n * sizeof(specs[0]));
	if (!n)
		n = event_defaults(specs);
	int rc = 0;
	info->events_n = n;
	for (size_t e = 0; e < n && !rc; e++) {
		info->events[e].spec = specs[e];
		rc = setup_event(l, config, e, err);
	}
	if (rc)
		return rc;
	if (given)
		explain_no_pmu(l);
	size_t branching = 0;
	bool wanted = config->branches || config->call_stacks;
	if (config->branches && config->call_stacks)
		return error_set(err, EINVAL,
				 "-g lbr: a sample has one branch stack, and -j, --branches and symbol_to need it for "
				 "branches; -g dwarf goes with them");
	while (wanted && branching < n && !takes_samples(&info->events[branching]))
		branching++;
	if (wanted && branching == n)
		return refuse_branches(l, err);
	rc = settle_primary(l, config, given, err);
	if (rc == 0)
		rc = add_branches(l, config, err);
	if (rc)
		return rc;
	attrs_settle(l, config);
	for (size_t e = 0; l->no_pmu && e < n; e++) /* info.notice gives the reason for all of them */
		if (!info->events[e].available)
			strcpy(info->events[e].why, "There are no hardware counters here.");
	rc = record_layout_init(&l->layout, &l->attrs[0]);
	if (rc)
		return error_set(err, -rc, "the layout of records is not known to this version");
	info->layout = &l->layout;
	*(l->attrs[0].flags & ATTR_FREQ ? &info->rate_hz : &info->period) = l->attrs[0].sample_period;
	if (config->freq > info->rate_hz && info->rate_hz) {
		struct advice a;
		char text[160];
		advice_on_rate(info->rate_hz, config->freq, &a);
		advice_join(&a, text, sizeof(text));
		notice_add(info->notice, sizeof(info->notice), text);
	}
	opener_pmu_name(&l->opener, info->pmu, sizeof(info->pmu));
	if (l->no_pmu)
		info->pmu[0] = '\0';
	find_periods(l);
	return 0;
}
