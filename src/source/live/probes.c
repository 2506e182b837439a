/* Probes on functions.  Each hit of a probe is a sample, with the counts of its CPU's events so far.
 *
 * On each CPU, one group contains all probes and events.  The events count on the CPU, whichever thread runs.  To
 * assign their counts to threads, the group's leader counts context switches, and takes a sample at each.  What is
 * counted between two samples of a CPU belongs to the thread of the second sample. */
#include "source/live/live.h"

#include "base/alloc.h"
#include "os/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { SW_CONTEXT_SWITCHES = 3, SW_DUMMY = 9 };
enum { RINGS_BYTES = 64 << 20, RING_MOST = 8 << 20, RING_LEAST = 256 << 10 };
enum { GROUP_MAX = 1 + 2 * CALLS_FUNCTIONS_MAX + CALLS_EVENTS_MAX };

/* Bit of the stack pointer in attr.sample_regs_intr; 0: not known for this architecture. */
static const uint64_t stack_pointer =
#if defined(__x86_64__) || defined(__i386__)
	1ull << 7;
#elif defined(__aarch64__)
	1ull << 31;
#elif defined(__riscv)
	1ull << 2;
#elif defined(__powerpc__)
	1ull << 1;
#elif defined(__s390__)
	1ull << 15;
#else
	0;
#endif

struct probes_cpu {
	unsigned cpu;
	struct ring ring;
	int fds[GROUP_MAX];		 /* of the leader, probes and events, in this order; -1: not open */
	uint64_t seen[CALLS_EVENTS_MAX]; /* counts of the events in the last sample */
	bool seen_known;		 /* false: no sample yet, or samples were lost since */
	/* for probes_drain(): */
	struct lane lane;
	size_t at;	      /* offset in `lane` of the next record */
	struct calls_hit hit; /* next hit, if `waits` */
	bool waits;
};

struct probes {
	size_t n, events_n, cpus_n, members_n; /* members_n: number of members of each group, with its leader */
	size_t begin_at[CALLS_FUNCTIONS_MAX];  /* [function]: index in its group of the function's entry probe */
	size_t event_at;		       /* index in its group of the first event */
	const uint32_t *pids;		       /* [pids_n], borrowed; see probes_config */
	size_t pids_n;
	struct probes_cpu *cpus;
	struct id_map ids; /* sample id -> 2 * function: entry probe; 2 * function + 1: return probe; 2 * n: leader */
	struct record_layout layout;
	int epoll_fd;
	bool counting;
	uint64_t delivered; /* number of hits so far, also of processes that are not measured */
	uint64_t scratch[RECORD_SIZE_MAX / 8 + 1];
};

/* ---- opening probes and events ----------------------------------------------------------------------- */

struct opening {
	const struct probes_config *config;
	struct probes *p;
	struct probes_cpu *c;
	const struct opener *opener;
	const struct live_env *env;
	size_t ring_bytes;
	struct error *err;
};

static void sample_everything(const struct opening *o, struct perf_attr *a)
{
	a->sample_period = o->config->counting ? 0 : 1;
	a->sample_type = o->config->counting ? 0 : SAMPLE_IDENTIFIER | SAMPLE_TID | SAMPLE_TIME;
	a->read_format = READ_GROUP;
	a->flags &= ~(ATTR_DISABLED | ATTR_FREQ);
	if (o->config->counting)
		return;
	a->sample_type |= (stack_pointer ? SAMPLE_REGS_INTR : 0) | (o->config->events_n ? SAMPLE_READ : 0);
	a->sample_regs_intr = stack_pointer;
	a->flags |= ATTR_WATERMARK;
	a->wakeup = (uint32_t)(o->ring_bytes / 4);
}

static int refuse(const struct opening *o, const struct event_spec *spec, int code)
{
	char why[EVENT_REFUSAL];
	bool probe =
		!spec || *spec->probe; /* without spec: the group's leader, refused for the same reasons as a probe */
	(probe ? advice_probe : advice_event)(o->env, SCOPE_SYSTEM, code, why, sizeof(why));
	return error_set(o->err, code, "%s: %s", spec ? spec->name : "probes", why);
}

/* Adds an event, which is open as `fd`, to the group of the CPU.  `writes`: its samples go to the CPU's ring. */
static int add_to_group(const struct opening *o, const struct event_spec *spec, int fd, bool writes, uint32_t event)
{
	struct probes_cpu *c = o->c;
	uint64_t id;
	if (fd < 0)
		return refuse(o, spec, -fd);
	size_t i = 0;
	while (c->fds[i] >= 0)
		i++;
	c->fds[i] = fd;
	o->p->members_n = i + 1;
	if (!writes)
		return 0;
	int rc = i ? perf_set_output(fd, c->fds[0]) : ring_map(&c->ring, fd, o->ring_bytes);
	if (rc == 0)
		rc = perf_get_id(fd, &id);
	if (rc == 0)
		id_map_add(&o->p->ids, id, event, c->cpu);
	return rc < 0 ? refuse(o, NULL, -rc) : 0;
}

static int open_leader(const struct opening *o)
{
	struct perf_attr a;
	event_sideband_attr(false, 0, &a);
	sample_everything(o, &a);
	a.config = o->config->events_n ? SW_CONTEXT_SWITCHES : SW_DUMMY;
	a.flags = ATTR_DISABLED | ATTR_SAMPLE_ID_ALL | ATTR_USE_CLOCKID | (a.flags & ATTR_WATERMARK);
	if (!o->config->counting)
		a.flags |= ATTR_TASK | ATTR_COMM | ATTR_COMM_EXEC;
	if (o->config->events_n) /* pinned, because a group that has to wait for counters misses hits */
		a.flags |= ATTR_PINNED;
	if (record_layout_init(&o->p->layout, &a) < 0)
		return error_set(o->err, EINVAL, "the layout of samples is unknown");
	return add_to_group(o, NULL, opener_open(o->opener, &a, -1, (int)o->c->cpu), !o->config->counting,
			    (uint32_t)(2 * o->config->n));
}

static int open_probe(const struct opening *o, const struct event_spec *spec, uint32_t event)
{
	struct perf_attr a;
	event_attr(spec, &(struct attr_policy){.default_period = 1}, &a);
	sample_everything(o, &a);
	int fd = opener_join(o->opener, &a, -1, (int)o->c->cpu, o->c->fds[0]);
	return add_to_group(o, spec, fd, !o->config->counting, event);
}

static int open_event(const struct opening *o, const struct event_spec *spec)
{
	struct perf_attr a;
	event_attr(spec, &(struct attr_policy){.default_period = 1}, &a);
	a.sample_period = a.sample_type = 0;
	a.read_format = READ_GROUP;
	a.flags &= ~(ATTR_DISABLED | ATTR_FREQ | 3ull << ATTR_PRECISE_SHIFT);
	int alone = opener_open(o->opener, &a, -1, (int)o->c->cpu); /* finds the attr that the PMU accepts */
	if (alone < 0)
		return refuse(o, spec, -alone);
	fd_close(&alone);
	return add_to_group(o, spec, opener_join(o->opener, &a, -1, (int)o->c->cpu, o->c->fds[0]), false, 0);
}

static int open_cpu(const struct opening *o)
{
	const struct probes_config *config = o->config;
	int rc = open_leader(o);
	for (uint32_t f = 0; rc == 0 && f < config->n; f++) {
		/* the return probe is opened first, so that no call is seen without its end */
		if (!config->counting && *config->ends[f].name)
			rc = open_probe(o, &config->ends[f], 2 * f + 1);
		o->p->begin_at[f] = o->p->members_n;
		if (rc == 0)
			rc = open_probe(o, &config->begins[f], 2 * f);
	}
	o->p->event_at = o->p->members_n;
	for (size_t e = 0; rc == 0 && e < config->events_n; e++)
		rc = open_event(o, &config->events[e]);
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = o->c->cpu};
	if (rc == 0 && !config->counting)
		(void)!epoll_ctl(o->p->epoll_fd, EPOLL_CTL_ADD, o->c->fds[0], &ev);
	return rc;
}

static size_t ring_bytes(size_t cpus)
{
	size_t bytes = RING_MOST;
	while (bytes > RING_LEAST && bytes * cpus > RINGS_BYTES)
		bytes /= 2;
	return bytes;
}

int probes_open(const struct probes_config *config, struct probes **ret, struct error *err)
{
	struct cpu_bits online;
	struct live_env env;
	struct opener opener;
	int rc = cpus_online(&online);
	if (rc < 0)
		return error_set(err, -rc, "the CPUs cannot be found: %s", strerror(-rc));
	env_read(&env);
	opener_init(&opener);
	struct probes *p = mem_calloc(1, sizeof(*p));
	*p = (struct probes){.n = config->n,
			     .events_n = config->events_n,
			     .counting = config->counting,
			     .pids = config->pids,
			     .pids_n = config->pids_n,
			     .epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
	size_t cpus = cpu_bits_count(&online);
	p->cpus = mem_calloc(cpus + 1, sizeof(*p->cpus));
	id_map_init(&p->ids);
	files_reserve(FILES_KEPT + cpus * (1 + 2 * config->n + config->events_n));
	struct opening o = {
		.config = config, .p = p, .opener = &opener, .env = &env, .ring_bytes = ring_bytes(cpus), .err = err};
	for (unsigned cpu = 0; rc == 0 && cpu < cpu_bits_end(&online); cpu++) {
		if (!cpu_bits_has(&online, cpu))
			continue;
		o.c = &p->cpus[p->cpus_n++];
		o.c->cpu = cpu;
		memset(o.c->fds, -1, sizeof(o.c->fds));
		rc = open_cpu(&o);
	}
	if (rc < 0)
		probes_close(p);
	else
		*ret = p;
	return rc;
}

void probes_close(struct probes *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->cpus_n; i++) {
		ring_unmap(&p->cpus[i].ring);
		for (size_t k = GROUP_MAX; k > 0; k--)
			fd_close(&p->cpus[i].fds[k - 1]);
	}
	fd_close(&p->epoll_fd);
	id_map_deinit(&p->ids);
	free(p->cpus);
	free(p);
}

/* ---- reading counts ---------------------------------------------------------------------------------- */

/* Reads the counts of a group into ret[].  Returns false if the group did not get its counters. */
static bool read_group(const struct probes *p, const struct probes_cpu *c, uint64_t ret[static 1 + GROUP_MAX])
{
	size_t want = (1 + p->members_n) * sizeof(*ret);
	return read(c->fds[0], ret, (1 + GROUP_MAX) * sizeof(*ret)) == (ssize_t)want;
}

int probes_start(struct probes *p, struct error *err)
{
	uint64_t values[1 + GROUP_MAX];
	for (size_t i = 0; i < p->cpus_n; i++) {
		int rc = perf_enable(p->cpus[i].fds[0]);
		if (rc < 0)
			return error_set(err, -rc, "probes: %s", strerror(-rc));
		if (!read_group(p, &p->cpus[i], values))
			return error_set(err, EBUSY,
					 "the PMU has no counters left for the events of -e: name fewer, or end what "
					 "else counts");
	}
	return 0;
}

void probes_stop(struct probes *p)
{
	for (size_t i = 0; i < p->cpus_n; i++)
		(void)!perf_disable(p->cpus[i].fds[0]);
}

int probes_fd(const struct probes *p)
{
	return p->epoll_fd;
}

static uint64_t count_of(struct probes *p, size_t member, size_t members)
{
	uint64_t values[1 + GROUP_MAX], sum = 0;
	for (size_t i = 0; i < p->cpus_n; i++)
		if (read_group(p, &p->cpus[i], values))
			for (size_t m = member; m < member + members; m++)
				sum += values[1 + m];
	return sum;
}

uint64_t probes_count(struct probes *p, size_t function)
{
	return count_of(p, p->begin_at[function], 1);
}

uint64_t probes_lost(struct probes *p)
{
	return u64_sub_sat(count_of(p, 1, p->event_at - 1), p->delivered);
}

/* ---- finding hits in the rings --------------------------------------------------------------- */

static void events_to_hit(const struct probes *p, struct probes_cpu *c, const struct record_read *read)
{
	for (size_t e = 0; e < p->events_n; e++) {
		uint64_t value = record_read_value(read, p->event_at + e).value;
		c->hit.events[e] = c->seen_known ? (double)(value - c->seen[e]) : 0;
		c->seen[e] = value;
	}
	c->seen_known = true;
}

static bool is_wanted(const struct probes *p, uint32_t pid)
{
	for (size_t i = 0; i < p->pids_n; i++)
		if (p->pids[i] == pid)
			return true;
	return !p->pids_n;
}

static bool sample_to_hit(struct probes *p, struct probes_cpu *c, const struct record *rec)
{
	const struct id_entry *id = id_map_find(&p->ids, rec->id.id);
	const struct record_sample *s = &rec->u.sample;
	if (!id)
		return false;
	c->hit = (struct calls_hit){.pid = rec->id.pid, .tid = rec->id.tid, .time_ns = rec->id.time_ns};
	if (s->regs_intr.values.n)
		c->hit.sp = record_u64(s->regs_intr.values, 0);
	if (p->events_n && s->read.nr == p->members_n)
		events_to_hit(p, c, &s->read);
	c->hit.function = id->event / 2;
	c->hit.kind = id->event % 2 ? CALLS_END : CALLS_BEGIN;
	if (id->event == 2 * p->n)
		c->hit.kind = CALLS_COUNTED;
	else
		p->delivered++;
	return is_wanted(p, c->hit.pid);
}

/* Converts a record to c->hit.  Returns false if the record is no hit, or of a process that is not measured. */
static bool record_to_hit(struct probes *p, struct probes_cpu *c, const struct record *rec)
{
	switch (rec->type) {
	case RECORD_SAMPLE:
		return sample_to_hit(p, c, rec);
	case RECORD_LOST:
		c->seen_known = false;
		c->hit = (struct calls_hit){.kind = CALLS_LOST, .time_ns = rec->id.time_ns};
		return true;
	case RECORD_EXIT:
		c->hit = (struct calls_hit){
			.kind = CALLS_GONE, .pid = rec->u.task.pid, .tid = rec->u.task.tid, .time_ns = rec->id.time_ns};
		return true;
	case RECORD_COMM:
		c->hit = (struct calls_hit){
			.kind = CALLS_GONE, .pid = rec->u.comm.pid, .tid = rec->u.comm.tid, .time_ns = rec->id.time_ns};
		return rec->misc & MISC_COMM_EXEC;
	default:
		return false;
	}
}

/* Finds a CPU's next hit before `horizon_ns`.  c->waits: there is one, in c->hit. */
static void next_hit(struct probes *p, struct probes_cpu *c, uint64_t horizon_ns)
{
	size_t all = c->lane.a_len + c->lane.b_len;
	struct record rec;
	struct record_header h;
	c->waits = false;
	while (!c->waits && all - c->at >= sizeof(h)) {
		lane_copy(&c->lane, c->at, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > all - c->at) {
			c->at = all; /* the rest of the ring cannot be parsed; probes_lost() counts the hits in it */
			return;
		}
		lane_copy(&c->lane, c->at, p->scratch, h.size);
		bool whole = record_decode(&p->layout, p->scratch, h.size, &rec) == 0;
		if (whole && rec.id.time_ns >= horizon_ns)
			return;
		c->at += h.size;
		c->waits = whole && record_to_hit(p, c, &rec);
	}
}

void probes_drain(struct probes *p, probes_fn *fn, void *ctx)
{
	uint64_t horizon_ns = clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < p->cpus_n; i++) {
		struct probes_cpu *c = &p->cpus[i];
		c->at = 0;
		c->waits = false;
		if (!ring_snapshot(&c->ring, &c->lane))
			c->lane = (struct lane){.a_len = 0};
		next_hit(p, c, horizon_ns);
	}
	for (;;) {
		struct probes_cpu *first = NULL;
		for (size_t i = 0; i < p->cpus_n; i++) {
			struct probes_cpu *c = &p->cpus[i];
			if (c->waits && (!first || c->hit.time_ns < first->hit.time_ns))
				first = c;
		}
		if (!first)
			break;
		fn(ctx, &first->hit);
		next_hit(p, first, horizon_ns);
	}
	for (size_t i = 0; i < p->cpus_n; i++)
		if (p->cpus[i].at)
			ring_release(&p->cpus[i].ring, p->cpus[i].at);
}
