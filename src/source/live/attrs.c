/* Makes the attrs of events, with the features that this kernel accepts. */
#include "source/live/live.h"

#include <errno.h>

static bool inherits(const struct live *l)
{
	return live_of_tasks(l) && l->target.kind != TARGET_THREADS;
}

/* Returns true if switch records are needed.  Off-CPU time of a target needs them: the switch away from one of its
 * threads is sampled, but the switch back to it is a sample of the thread that ran before. */
static bool records_switches(const struct live *l, const struct live_config *config)
{
	return config->parallelism || (config->off_cpu && l->target.kind != TARGET_ALL);
}

/* Asks the kernel to wake the reader when a ring is half full: a watermark of 0 means half of the ring, whatever its
 * size. */
static void half_ring_watermark(struct perf_attr *attr)
{
	attr->flags |= ATTR_WATERMARK;
	attr->wakeup = 0;
}

static bool opens(const struct perf_attr *attr, pid_t pid, int cpu)
{
	int fd = perf_open(attr, pid, cpu);
	bool opened = fd >= 0;
	fd_close(&fd);
	return opened;
}

/* Asks for TEXT_POKE records, which say how the kernel changed its own code.  Only tools that disassemble the code of a
 * recording need them.  ftrace may cause tens of thousands at once.  So they go to the data ring: in the sideband ring
 * they could displace mmap records. */
static void ask_for_text_pokes(struct live *l, int cpu)
{
	struct perf_attr a = l->holder_attr;
	a.flags |= ATTR_TEXT_POKE;
	if (!live_of_tasks(l) && !scope_is_of_user_space(l->info.scope) &&
	    opens(&a, -1, cpu)) /* works since Linux 5.9, with privilege */
		l->holder_attr = a;
}

/* Finds out whether the kernel (6.19 or later) can defer call chains of user code.  It then walks a user stack once for
 * several samples, when the thread returns to user code, and can read paged-out parts of the stack.  Not for
 * recordings: older readers do not know CALLCHAIN_DEFERRED records.  These may be as many as samples, so they go to the
 * data ring. */
static void ask_for_deferred(struct live *l, const struct live_config *config, int cpu)
{
	struct perf_attr a = l->holder_attr;
	a.sample_type |= SAMPLE_CALLCHAIN;
	a.flags |= ATTR_DEFER_CALLCHAIN | ATTR_DEFER_OUTPUT;
	bool stacks = config->stack_bytes && config->chains_chosen;
	l->defers = !config->keep && !stacks && opens(&a, live_pid(l), cpu);
	if (l->defers && !live_of_tasks(l) && !live_of_cgroups(l))
		l->holder_attr.flags |= ATTR_DEFER_OUTPUT;
}

/* Asks for SAMPLE_CGROUP, if the kernel has it (since 5.7, with CONFIG_CGROUP_PERF).  All events get it, because all
 * records must have the same layout. */
static void ask_for_cgroups(struct live *l, int cpu)
{
	struct perf_attr a = l->tracker_attr;
	a.sample_type |= SAMPLE_CGROUP;
	l->info.cgroups = opens(&a, live_pid(l), cpu);
	if (l->info.cgroups)
		l->tracker_attr = a;
}

/* Asks for PERF_SAMPLE_WEIGHT_STRUCT (three values), since Linux 5.12; if refused, for PERF_SAMPLE_WEIGHT (one). */
static void ask_for_weights(struct live *l, int cpu)
{
	static const uint64_t kinds[] = {SAMPLE_WEIGHT_STRUCT, SAMPLE_WEIGHT};
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct perf_attr a = l->tracker_attr;
		a.sample_type |= kinds[i];
		if (opens(&a, live_pid(l), cpu)) {
			l->tracker_attr = a;
			return;
		}
	}
}

/* Asks for the memory fields of samples, `fields`; but for physical addresses only if they are permitted. */
static void ask_for_memory(struct live *l, uint64_t fields, int cpu)
{
	struct perf_attr a = l->tracker_attr;
	l->tracker_attr.sample_type |= fields & ~(uint64_t)SAMPLE_PHYS_ADDR;
	a.sample_type |= fields;
	if (fields & SAMPLE_PHYS_ADDR && opens(&a, live_pid(l), cpu))
		l->tracker_attr = a;
}

int attrs_probe(struct live *l, const struct live_config *config, struct error *err)
{
	char text[400];
	const uint64_t task_flags = ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM | ATTR_COMM_EXEC | ATTR_TASK | ATTR_CGROUP;
	const uint64_t kernel_flags = ATTR_KSYMBOL | ATTR_BPF_EVENT;
	event_sideband_attr(scope_is_of_user_space(l->info.scope), 0, &l->tracker_attr);
	half_ring_watermark(&l->tracker_attr);
	l->tracker_attr.flags &= ~ATTR_DISABLED;

	unsigned cpu = 0;
	while (cpu < l->cpus_n && !cpu_bits_has(&l->online, cpu))
		cpu++;
	int fd = opener_probe(&l->opener, &l->tracker_attr, live_pid(l), (int)cpu);
	if (fd < 0) {
		advice_refused(&l->env, -fd, text, sizeof(text));
		return error_set(err, -fd, "%s", text);
	}
	fd_close(&fd);
	l->tracker_attr.flags &= ~l->opener.no_flags;
	l->tracker_attr.read_format &= ~l->opener.no_read;
	ask_for_cgroups(l, (int)cpu);
	if (config->weights)
		ask_for_weights(l, (int)cpu);
	if (config->memory)
		ask_for_memory(l, config->memory, (int)cpu);
	for (size_t e = 0; (config->keep || config->tracepoints) && e < config->events_n; e++)
		if (config->events[e].type ==
		    /* SAMPLE_RAW has the fields of tracepoints, for cyctop or for other readers of a recording */
		    ABI_TYPE_TRACEPOINT)
			l->tracker_attr.sample_type |= SAMPLE_RAW;
	l->kernel_attr = l->tracker_attr;
	l->kernel_attr.flags &= ~task_flags;
	l->holder_attr = l->kernel_attr;
	l->holder_attr.flags &= ~kernel_flags;
	ask_for_text_pokes(l, (int)cpu);
	ask_for_deferred(l, config, (int)cpu);
	/* Switch records go to the data ring: in the sideband ring they could displace mmap records.  With tasks or
	 * cgroups, ask_of_first() asks for them. */
	if (records_switches(l, config) && !live_of_tasks(l) && !live_of_cgroups(l))
		l->holder_attr.flags |= ATTR_CONTEXT_SWITCH;
	/* perf needs the mappings of data, too, to find unwind tables and data objects */
	if (config->keep && (config->stack_bytes || config->memory))
		l->tracker_attr.flags |= ATTR_MMAP_DATA;
	if (live_of_tasks(l)) /* events on tasks get no records on the kernel */
		l->tracker_attr.flags &= ~(kernel_flags | ATTR_CGROUP);
	if (inherits(l))
		l->tracker_attr.flags |= ATTR_INHERIT;
	return 0;
}

bool attrs_deferred(const struct live *l)
{
	return l->config.chains && !l->config.stack_bytes && !l->config.call_stacks && l->defers;
}

void attrs_chains(const struct live *l, struct perf_attr *attr)
{
	bool chains = l->config.chains, stacks = chains && l->config.stack_bytes;
	attr->sample_type &= ~(uint64_t)(SAMPLE_CALLCHAIN | SAMPLE_REGS_USER | SAMPLE_STACK_USER);
	attr->sample_type |= chains ? SAMPLE_CALLCHAIN : 0;
	attr->sample_type |= stacks ? SAMPLE_REGS_USER | SAMPLE_STACK_USER : 0;
	attr->flags &= ~(ATTR_EXCLUDE_CALLCHAIN_USER | ATTR_DEFER_CALLCHAIN);
	/* not for tracepoints: after a switch a thread may take long to return to user code, where its chain is read */
	if (attrs_deferred(l) && attr->type != ABI_TYPE_TRACEPOINT)
		attr->flags |= ATTR_DEFER_CALLCHAIN;
	attr->flags |= stacks ? ATTR_EXCLUDE_CALLCHAIN_USER : 0;
	attr->sample_regs_user = stacks ? event_stack_registers() : 0;
	attr->sample_stack_user = stacks ? l->config.stack_bytes : 0;
	if (!l->config.call_stacks)
		return;
	attr->sample_type &= ~(uint64_t)SAMPLE_BRANCH_STACK;
	attr->sample_type |= chains ? SAMPLE_BRANCH_STACK : 0;
	attr->branch_sample_type = chains ? EVENT_CALL_STACKS : 0;
}

void attrs_make(struct live *l, const struct live_config *config, size_t event)
{
	struct attr_policy policy = {
		.default_freq = config->freq ? config->freq : EVENT_RATE_DEFAULT,
		.default_period = config->period,
		.user_only = scope_is_of_user_space(l->info.scope),
		.branches = source_is_of_branches(&l->info, event) ? 0 : config->branches,
	};
	struct perf_attr *a = &l->attrs[event];
	event_attr(&l->info.events[event].spec, &policy, a);
	half_ring_watermark(a);
	attr_clamp_rate(a);
	a->flags &= ~ATTR_DISABLED;
	if (config->from_exec && live_of_tasks(l))
		a->flags |= ATTR_DISABLED | ATTR_ENABLE_ON_EXEC;
	if (l->info.events[event].spec.filter)
		a->flags |= ATTR_DISABLED; /* groups_open() enables it after setting the filter */
	/* all records must have one layout; only branch stacks and call chains may differ, since they are at the end of
	 * samples */
	a->sample_type = l->tracker_attr.sample_type | (a->sample_type & SAMPLE_BRANCH_STACK);
	attrs_chains(l, a);
	if (inherits(l))
		a->flags |= ATTR_INHERIT;
}

/* Makes the first event write switch and CALLCHAIN_DEFERRED records, if events are on tasks or cgroups: these have no
 * dummy event (holder) that writes to the data ring. */
static void ask_of_first(struct live *l)
{
	if (!live_of_tasks(l) && !live_of_cgroups(l))
		return;
	if (l->info.switches)
		l->attrs[0].flags |= ATTR_CONTEXT_SWITCH;
	if (l->defers)
		l->attrs[0].flags |= ATTR_DEFER_OUTPUT;
}

void attrs_make_again(struct live *l, size_t event)
{
	const uint64_t optional = ATTR_EXCLUDE_GUEST | ATTR_EXCLUDE_IDLE | ATTR_EXCLUDE_HV;
	uint64_t refused = ~l->attrs[event].flags & optional; /* optional flags that the PMU refused before */
	attrs_make(l, &l->config, event);
	l->attrs[event].flags &= ~refused;
	ask_of_first(l);
}

void attrs_settle(struct live *l, const struct live_config *config)
{
	l->info.switches = records_switches(l, config);
	l->info.chains = config->chains;
	l->info.stack_bytes = config->stack_bytes;
	l->info.deferred = attrs_deferred(l);
	l->info.memory = config->memory != 0;
	ask_of_first(l);
}
