/* Implements source_ops by perf events, for all scopes. */
#include "source/live/live.h"
#include "source/live/sieve.h"

#include "base/alloc.h"
#include "os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
	EVENTS_DEFAULT = 4,	       /* number of events that are measured by default */
	MAINTAIN_APART_NS = 400000000, /* shortest time in ns between two runs of live_maintain() */
};

static const struct source_info *live_info(struct source *src)
{
	return &((struct live *)src)->info;
}

static uint64_t live_now_ns(struct source *src)
{
	(void)src;
	return clock_ns(CLOCK_MONOTONIC);
}

static void live_read_counters(struct source *src, struct counter *counters, struct cpu_time *times)
{
	struct live *l = (struct live *)src;
	if (l->tasks)
		tasks_read(l, counters);
	else
		system_read(l, counters);
	groups_watch(l, counters);
	if (l->sieve)
		sieve_estimate(l, counters);
	stat_reader_read(&l->stat, times, l->cpus_n);
	for (unsigned cpu = 0; cpu < l->cpus_n && l->target.some_cpus; cpu++)
		if (!cpu_bits_has(&l->target.cpus, cpu))
			times[cpu].known = times[cpu].online = false;
}

/* Stops polling events whose CPU went offline, which would be readable for ever.  epoll_wait() also resets the
 * readiness of other events; nothing is lost, since the drain that follows reads all rings. */
static void drop_hung_up(struct live *l)
{
	struct epoll_event ev[64];
	int n = l->epoll_fd >= 0 ? epoll_wait(l->epoll_fd, ev, ARRAY_LEN(ev), 0) : 0;
	for (int i = 0; i < n; i++)
		if (ev[i].events & (EPOLLHUP | EPOLLERR))
			(void)!epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, ev[i].data.fd, NULL);
}

static void add_lane(struct live *l, struct ring *ring, bool sideband)
{
	struct lane *lane = &l->lanes[l->lanes_n];
	if (!ring_snapshot(ring, lane))
		return;
	lane->sideband = sideband;
	lane->mixed = !sideband && (l->info.switches || l->info.deferred);
	l->lane_rings[l->lanes_n++] = ring;
}

static size_t live_begin(struct source *src, struct lane **ret)
{
	struct live *l = (struct live *)src;
	drop_hung_up(l);
	l->lanes_n = 0;
	*ret = l->lanes;
	if (l->sieve) {
		sieve_begin(l);
		return l->lanes_n;
	}
	/* Heads of data rings are loaded first: a mapping's record was written before the samples that need it, so the
	 * sideband heads, which are loaded later, include that record. */
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++)
		add_lane(l, &l->cpus[cpu].data, false);
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		size_t before = l->lanes_n;
		add_lane(l, &l->cpus[cpu].sideband, true);
		if (l->tasks && l->lanes_n > before)
			tasks_peek(l, cpu, &l->lanes[before]);
	}
	return l->lanes_n;
}

static size_t live_ahead(struct source *src, struct lane **ret)
{
	struct live *l = (struct live *)src;
	size_t n = 0;
	*ret = l->ahead;
	if (l->sieve)
		return sieve_ahead(l);
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++)
		if (ring_snapshot(&l->cpus[cpu].sideband, &l->ahead[n]))
			l->ahead[n++].sideband = true;
	return n;
}

static void live_end(struct source *src)
{
	struct live *l = (struct live *)src;
	if (l->sieve)
		sieve_end(l);
	for (size_t i = 0; i < l->lanes_n; i++) {
		const struct lane *lane = &l->lanes[i];
		size_t all = lane->a_len + lane->b_len;
		if (lane->used)
			ring_release(l->lane_rings[i], lane->used < all ? lane->used : all);
	}
	l->lanes_n = 0;
}

static bool live_identify(struct source *src, uint64_t id, uint32_t *event_ret, uint32_t *cpu_ret)
{
	const struct id_entry *e = id_map_find(&((struct live *)src)->ids, id);
	if (!e)
		return false;
	*event_ret = e->event;
	*cpu_ret = e->cpu;
	return true;
}

static int live_wake_fd(struct source *src)
{
	return ((struct live *)src)->epoll_fd;
}

static void live_maintain(struct source *src)
{
	struct live *l = (struct live *)src;
	uint64_t now_ns = live_now_ns(src);
	/* not between begin() and end(), when the rings must stay mapped; nor in every tick, if ticks are short */
	if (l->lanes_n || now_ns - l->maintained_ns < MAINTAIN_APART_NS)
		return;
	l->maintained_ns = now_ns;
	if (l->tasks)
		tasks_maintain(l);
	else
		system_maintain(l);
	if (l->sieve)
		sieve_maintain(l);
}

static bool live_finished(struct source *src)
{
	return ((struct live *)src)->over;
}

static void live_advance(struct source *src)
{
	struct live *l = (struct live *)src;
	l->over = l->over || (l->tasks && tasks_over(l)) || (l->sieve && sieve_over(l)) || cgroups_over(l);
}

static void live_close(struct source *src)
{
	struct live *l = (struct live *)src;
	tasks_close(l);
	sieve_close(l);
	who_deinit(&l->who);
	groups_deinit(l);
	system_close(l);
	cgroups_close(l);
	for (unsigned cpu = 0; l->cpus && cpu < l->cpus_n; cpu++)
		rings_close_cpu(l, cpu);
	fd_close(&l->epoll_fd);
	stat_reader_deinit(&l->stat);
	id_map_deinit(&l->ids);
	for (size_t i = 0; i < l->formats.n; i++)
		free(l->formats.data[i]);
	vec_free(&l->formats);
	free(l->cpus);
	free(l->lanes);
	free(l->ahead);
	free(l->lane_rings);
	free(l->places);
	free(l);
}

static const struct source_ops perf_ops = {
	.info = live_info,
	.advance = live_advance,
	.now_ns = live_now_ns,
	.read_counters = live_read_counters,
	.processes = live_processes,
	.task_times = live_task_times,
	.begin = live_begin,
	.end = live_end,
	.ahead = live_ahead,
	.identify = live_identify,
	.stream = live_stream,
	.open_event = live_open_event,
	.close_event = live_close_event,
	.pause_event = live_pause_event,
	.set_chains = live_set_chains,
	.set_rate = live_set_rate,
	.wake_fd = live_wake_fd,
	.maintain = live_maintain,
	.finished = live_finished,
	.close = live_close,
};

void info_machine(struct source_info *info)
{
	struct utsname u;
	if (uname(&u) < 0)
		return;
	snprintf(info->host, sizeof(info->host), "%.64s", u.nodename);
	snprintf(info->kernel, sizeof(info->kernel), "%.63s %.30s", u.release, u.machine);
}

/* Finds the CPUs of the target that are online, and all that are present. */
static int find_cpus(struct live *l, struct cpu_bits *present, struct error *err)
{
	int rc = cpus_online(&l->online);
	if (rc)
		return error_set(err, -rc, "neither /sys/devices/system/cpu/online nor /proc/stat can be read");
	cpus_present(&l->online, present);
	for (unsigned cpu = 0; cpu < CPUS_MAX && l->target.some_cpus; cpu++)
		if (cpu_bits_has(&l->target.cpus, cpu) && !cpu_bits_has(present, cpu))
			return error_set(err, ENODEV, "there is no CPU %u: those of this machine are 0 to %u", cpu,
					 cpu_bits_end(present) - 1);
	rc = cpus_online_of(&l->target, &l->online);
	if (!rc && !cpu_bits_count(&l->online))
		return error_set(err, ENODEV, "none of the CPUs asked for is online");
	return rc;
}

static int allocate(struct live *l, const struct live_config *config, struct error *err)
{
	struct cpu_bits present;
	int rc = find_cpus(l, &present, err);
	if (rc)
		return rc;
	l->cpus_n = l->info.cpus_n = cpu_bits_end(&present);
	l->cpus = mem_calloc(l->cpus_n, sizeof(l->cpus[0]));
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++)
		l->cpus[cpu].holder = l->cpus[cpu].tracker = -1;
	l->lanes = mem_calloc(2 * (size_t)l->cpus_n, sizeof(l->lanes[0]));
	l->ahead = mem_calloc((size_t)l->cpus_n + 1, sizeof(l->ahead[0]));
	l->lane_rings = mem_calloc(2 * (size_t)l->cpus_n, sizeof(struct ring *));
	unsigned online = cpu_bits_count(&l->online);
	size_t copies = l->cgroups_n ? l->cgroups_n : 1;
	files_reserve(online * ((config->events_n + EVENTS_DEFAULT) * copies + FILES_PER_CPU) + copies + FILES_KEPT);
	rc = stat_reader_init(&l->stat, l->cpus_n, err);
	if (rc)
		return rc;
	l->info.ring_bytes = rings_wanted_bytes(config, online);
	if (config->ring_bytes) { /* the size is rounded up to a power of two, up to 256 MiB */
		size_t bytes = 4096;
		while (bytes < config->ring_bytes && bytes < (size_t)1 << 28)
			bytes *= 2;
		l->info.ring_bytes = bytes;
	}
	l->side_least = online > 64 ? 32 * 1024 : 64 * 1024;
	l->side_bytes = rings_side_bytes(online);
	/* sideband records contain no copies of stacks, so their rings need not be larger for them */
	size_t kept = config->stack_bytes ? rings_default_bytes(online) : l->info.ring_bytes;
	if (config->keep && l->side_bytes < kept)
		l->side_bytes = kept;
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return 0;
}

static int open_all(struct live *l, const struct live_config *config, struct error *err)
{
	int rc = attrs_probe(l, config, err);
	if (rc)
		return rc;
	rc = setup_events(l, config, err);
	if (!rc)
		groups_init(l);
	if (!rc && l->target.kind != TARGET_ALL)
		rc = who_init(&l->who, &l->target, l->user_only, err);
	if (!rc && live_of_cgroups(l))
		rc = cgroups_settle(l, err);
	if (!rc)
		rc = live_of_tasks(l) ? tasks_open(l, err) : system_open(l, err);
	if (!rc && l->info.filtered)
		rc = sieve_open(l, config->from_exec, err);
	/* the kernel has permitted the scope, so an error must not look as if it had refused it */
	return rc == -EACCES || rc == -EPERM || rc == -ENOSYS ? -ECANCELED : rc;
}

int perf_source_open(const struct live_config *config, const struct live_env *env, const struct live_rung *rung,
		     struct source **ret, struct error *err)
{
	char text[400];
	if (env->other_proc && scope_is_of_tasks(rung->scope)) {
		advice_namespace(env, rung->scope, text, sizeof(text));
		return error_set(err, EACCES, "processes cannot be told apart: %s", text);
	}
	struct live *l = mem_calloc(1, sizeof(*l));
	l->ops = perf_ops;
	l->source.ops = &l->ops;
	l->epoll_fd = -1;
	l->config = *config;
	l->env = *env;
	l->info.kind = "live";
	l->info.live = l->info.has_counters = l->info.has_files = l->info.stays_at_end = true;
	l->info.has_owners = !env->other_proc;
	l->info.namespaced = env->pid_ns;
	l->info.other_proc = env->other_proc;
	l->info.scope = rung->scope;
	l->info.filtered = rung->filtered;
	l->filter_code = rung->filter_code;
	l->user_only = config->user_only;
	l->target = config->target;
	if (rung->scope == SCOPE_OWN || rung->scope == SCOPE_OWN_USER) {
		l->target.kind = TARGET_USER;
		l->target.uid = geteuid();
		snprintf(l->target.user, sizeof(l->target.user), "%u", (unsigned)l->target.uid);
	}
	id_map_init(&l->ids);
	opener_init(&l->opener);
	info_machine(&l->info);
	int rc = live_of_cgroups(l) ? cgroups_open(l, err) : 0;
	if (!rc)
		rc = allocate(l, config, err);
	if (!rc)
		rc = open_all(l, config, err);
	if (rc) {
		live_close(&l->source);
		return rc;
	}
	l->info.places = l->places = topology_read(l->cpus_n);
	for (size_t e = 0; e < l->info.events_n; e++)
		topology_pmu_name(&l->info.events[e].spec, l->info.events[e].pmu, sizeof(l->info.events[e].pmu));
	const char *comm = config->name ? config->name : l->target.ids_n == 1 ? l->who.named[0].then.comm : "";
	target_text(&config->target, comm, l->info.target, sizeof(l->info.target));
	setup_notices(l, rung->code);
	*ret = &l->source;
	return 0;
}
