/* Parses the statements below `tick`, each of which says what happens in an interval (a sample, a fork, a load...). */
#include "source/synth/parse.h"
#include "source/synth/synth.h"

#include <errno.h>

#define AT(m) offsetof(struct stmt, m)

enum {
	SAMPLE_CPUS,
	SAMPLE_TASK,
	SAMPLE_EVENT,
	SAMPLE_SYM,
	SAMPLE_ADDRESS,
	SAMPLE_MODE,
	SAMPLE_COUNT,
	SAMPLE_WEIGHS,
	SAMPLE_AT,
	SAMPLE_OFF,
	SAMPLE_SPREAD,
	SAMPLE_CGROUP_ID,
	SAMPLE_CALLERS,
	SAMPLE_DATA,
	SAMPLE_SOURCE,
	SAMPLE_COST
};

/* If a statement names no cgroup, gives it the cgroup with which its task was declared. */
static void choose_cgroup(struct script *s, struct stmt *st)
{
	for (size_t i = 0; s->info.cgroups && i < s->tasks.n && !st->cgroup; i++)
		if (s->tasks.data[i].pid == st->pid && s->tasks.data[i].tid == st->tid)
			st->cgroup = s->tasks.data[i].cgroup;
	s->info.cgroups |= st->cgroup != 0;
}

static int do_sample(struct parser *p, struct stmt *st, struct error *err)
{
	const struct event_spec *spec = &p->s->info.events[st->event].spec;
	bool sym = stmt_has(st, SAMPLE_SYM);
	if (sym == stmt_has(st, SAMPLE_ADDRESS))
		return error_set(err, EINVAL, "a sample is at sym= or at ip=");
	if (sym && stmt_has(st, SAMPLE_MODE))
		return error_set(err, EINVAL, "mode= goes with ip=; a symbol's DSO says whose code it is");
	if (!sym) {
		st->sym = INDEX_NONE;
		if (!stmt_has(st, SAMPLE_MODE))
			st->mode = MISC_USER;
	} else if (st->off >= p->s->syms.data[st->sym].size) {
		return error_set(err, EINVAL, "off= is beyond the end of the symbol");
	}
	choose_cgroup(p->s, st);
	p->s->info.memory |= stmt_has(st, SAMPLE_DATA) || stmt_has(st, SAMPLE_SOURCE) || stmt_has(st, SAMPLE_COST);
	st->timed = stmt_has(st, SAMPLE_AT);
	if (!stmt_has(st, SAMPLE_COUNT))
		st->n = 1;
	if (st->n > SCRIPT_SAMPLES_MAX)
		return error_set(err, EINVAL, "n= is at most %llu", SCRIPT_SAMPLES_MAX);
	if (!stmt_has(st, SAMPLE_WEIGHS)) {
		if (spec->freq)
			return error_set(err, EINVAL, "a sample of an event with a frequency needs period=");
		st->period = spec->rate;
	}
	return 0;
}

static int do_load(struct parser *p, struct stmt *st, struct error *err)
{
	const struct script_profile *profile = &p->s->profiles.data[st->profile];
	if (!profile->weight)
		return error_set(err, EINVAL, "the profile '%.60s' has no row with a weight", profile->name);
	if (profile->idles)
		return error_set(err, EINVAL, "a load has no idle time in its profile; busy= says how much there is");
	choose_cgroup(p->s, st);
	p->s->cpu_times = true;
	return 0;
}

/* Returns true if all turns last at least 1 us: with shorter ones the simulation would take very long. */
static bool turns_last(const struct stmt *st, const struct script_profile *profile)
{
	bool ordered = st->turns == TURNS_CYCLE || st->turns == TURNS_GAMMA;
	for (size_t i = 0; i < profile->rows.n; i++) {
		const struct profile_row *row = &profile->rows.data[i];
		uint64_t own = row->turn_ns ? row->turn_ns : st->turn_ns;
		if ((ordered ? u64_mul_div(st->turn_ns, row->weight, profile->weight) : own) < 1000)
			return false;
	}
	return true;
}

static int do_simulate(struct parser *p, struct stmt *st, struct error *err)
{
	struct script *s = p->s;
	if (!simulate_generate)
		return error_set(err, ENOSYS, "simulations are for the tests of cyctop");
	for (uint32_t i = 0; i < st->maps_n; i++) {
		const struct script_profile *profile = &s->profiles.data[s->lists.data[st->maps_first + i]];
		if (!profile->weight)
			return error_set(err, EINVAL, "the profile '%.60s' has no row with a weight", profile->name);
		if (!turns_last(st, profile))
			return error_set(err, EINVAL, "the turns of '%.60s' are shorter than 1us", profile->name);
	}
	if (st->maps_n > 1 && st->phase_ns < 1000)
		return error_set(err, EINVAL, "several profiles need phase=, 1us or more");
	choose_cgroup(s, st);
	s->cpu_times = true;
	if (s->info.periods == PERIODS_APART) /* a simulation makes `periods` optional */
		s->info.periods = s->sampling.next_period ? PERIODS_AHEAD : PERIODS_ELAPSED;
	st->simulation = s->simulations++;
	return 0;
}

static int do_busy(struct parser *p, struct stmt *st, struct error *err)
{
	(void)st, (void)err;
	p->s->cpu_times = true;
	return 0;
}

enum { COUNT_CPUS, COUNT_EVENT, COUNT_VALUE, COUNT_ENABLED, COUNT_RUNNING };

static int do_count(struct parser *p, struct stmt *st, struct error *err)
{
	uint64_t interval = p->s->interval_ns;
	st->valued = stmt_has(st, COUNT_VALUE);
	if (!stmt_has(st, COUNT_ENABLED))
		st->enabled_ns = interval;
	if (!stmt_has(st, COUNT_RUNNING))
		st->running_ns = u64_mul_div(st->enabled_ns, p->s->events[st->event].mux_ppm, PPM);
	if (st->enabled_ns > interval || st->running_ns > st->enabled_ns)
		return error_set(err, EINVAL, "running <= enabled <= the interval does not hold");
	return 0;
}

static int do_raw(struct parser *p, struct stmt *st, struct error *err)
{
	(void)p;
	if (!st->bytes_n)
		return error_set(err, EINVAL, "no bytes");
	return 0;
}

static int do_switch(struct parser *p, struct stmt *st, struct error *err)
{
	(void)st, (void)err;
	p->s->info.switches = true;
	return 0;
}

enum { EXIT_TASK, EXIT_AT, EXIT_CPU };

static int do_exit(struct parser *p, struct stmt *st, struct error *err)
{
	(void)err;
	if (!stmt_has(st, EXIT_AT))
		st->at_ns = p->s->interval_ns - 1;
	return 0;
}

static int do_map(struct parser *p, struct stmt *st, struct error *err)
{
	if (st->addr & 0xfff)
		return error_set(err, EINVAL, "a mapping begins at a multiple of 0x1000");
	if (!st->addr)
		st->addr = p->s->dsos.data[st->dso].base;
	return 0;
}

const struct directive tick_directives[] = {
	{.name = "sample",
	 .kind = STMT_SAMPLE,
	 .handle = do_sample,
	 .fields = {[SAMPLE_CPUS] = {"cpu", VALUE_CPUS, AT(cpu_first), true},
		    [SAMPLE_TASK] = {"task", VALUE_TASK, AT(pid), true},
		    [SAMPLE_EVENT] = {"event", VALUE_EVENT, AT(event), true},
		    [SAMPLE_SYM] = {"sym", VALUE_SYM, AT(sym), false},
		    [SAMPLE_ADDRESS] = {"ip", VALUE_COUNT, AT(ip), false},
		    [SAMPLE_MODE] = {"mode", VALUE_MODE, AT(mode), false},
		    [SAMPLE_COUNT] = {"n", VALUE_COUNT, AT(n), false},
		    [SAMPLE_WEIGHS] = {"period", VALUE_COUNT, AT(period), false},
		    [SAMPLE_AT] = {"at", VALUE_AT, AT(at_ns), false},
		    [SAMPLE_OFF] = {"off", VALUE_COUNT, AT(off), false},
		    [SAMPLE_SPREAD] = {"spread", VALUE_FLAG, AT(spread), false},
		    [SAMPLE_CGROUP_ID] = {"cgroup", VALUE_COUNT, AT(cgroup), false},
		    [SAMPLE_CALLERS] = {"callers", VALUE_SYMS, AT(maps_first), false},
		    [SAMPLE_DATA] = {"data", VALUE_COUNT, AT(addr), false},
		    [SAMPLE_SOURCE] = {"source", VALUE_COUNT, AT(value), false},
		    [SAMPLE_COST] = {"latency", VALUE_COUNT, AT(size), false}}},
	{.name = "load",
	 .kind = STMT_LOAD,
	 .handle = do_load,
	 .fields = {{"cpu", VALUE_CPUS, AT(cpu_first), true},
		    {"task", VALUE_TASK, AT(pid), true},
		    {"profile", VALUE_PROFILE, AT(profile), true},
		    {"busy", VALUE_PART, AT(part_ppm), true},
		    {"wave", VALUE_WAVE, AT(wave_ppm), false},
		    {"cgroup", VALUE_COUNT, AT(cgroup), false}}},
	{.name = "simulate",
	 .kind = STMT_SIMULATE,
	 .handle = do_simulate,
	 .fields = {{"cpu", VALUE_CPUS, AT(cpu_first), true},
		    {"task", VALUE_TASK, AT(pid), true},
		    {"profiles", VALUE_PROFILES, AT(maps_first), true},
		    {"turns", VALUE_TURNS, AT(turns), false},
		    {"turn", VALUE_TIME, AT(turn_ns), false},
		    {"phase", VALUE_TIME, AT(phase_ns), false},
		    {"cgroup", VALUE_COUNT, AT(cgroup), false}}},
	{.name = "count",
	 .kind = STMT_COUNT,
	 .handle = do_count,
	 .fields = {[COUNT_CPUS] = {"cpu", VALUE_CPUS, AT(cpu_first), true},
		    [COUNT_EVENT] = {"event", VALUE_EVENT, AT(event), true},
		    [COUNT_VALUE] = {"value", VALUE_COUNT, AT(value), false},
		    [COUNT_ENABLED] = {"enabled", VALUE_TIME, AT(enabled_ns), false},
		    [COUNT_RUNNING] = {"running", VALUE_TIME, AT(running_ns), false}}},
	{.name = "busy",
	 .kind = STMT_BUSY,
	 .handle = do_busy,
	 .fields = {{"cpu", VALUE_CPUS, AT(cpu_first), true}, {NULL, VALUE_PART, AT(part_ppm), true}}},
	{.name = "ran",
	 .kind = STMT_RAN,
	 .fields = {{NULL, VALUE_TASK, AT(pid), true}, {NULL, VALUE_TIME, AT(value), true}}},
	{.name = "lost",
	 .kind = STMT_LOST,
	 .fields = {{"cpu", VALUE_CPUS, AT(cpu_first), true},
		    {"event", VALUE_EVENT, AT(event), true},
		    {"n", VALUE_COUNT, AT(n), true},
		    {"at", VALUE_AT, AT(at_ns), false},
		    {"silent", VALUE_FLAG, AT(silent), false}}},
	{.name = "lost-samples",
	 .kind = STMT_LOST_SAMPLES,
	 .fields = {{"cpu", VALUE_CPUS, AT(cpu_first), true},
		    {"event", VALUE_EVENT, AT(event), true},
		    {"n", VALUE_COUNT, AT(n), true},
		    {"at", VALUE_AT, AT(at_ns), false}}},
	{.name = "throttle",
	 .kind = STMT_THROTTLE,
	 .fields = {{"cpu", VALUE_CPUS, AT(cpu_first), true},
		    {"event", VALUE_EVENT, AT(event), true},
		    {"at", VALUE_AT, AT(at_ns), false}}},
	{.name = "unthrottle",
	 .kind = STMT_UNTHROTTLE,
	 .fields = {{"cpu", VALUE_CPUS, AT(cpu_first), true},
		    {"event", VALUE_EVENT, AT(event), true},
		    {"at", VALUE_AT, AT(at_ns), false}}},
	{.name = "raw",
	 .kind = STMT_RAW,
	 .handle = do_raw,
	 .fields = {{"cpu", VALUE_CPUS, AT(cpu_first), true},
		    {NULL, VALUE_HEX, AT(bytes_n), true},
		    {"at", VALUE_AT, AT(at_ns), false},
		    {"sideband", VALUE_FLAG, AT(sideband), false}}},
	{.name = "fork",
	 .kind = STMT_FORK,
	 .fields = {{NULL, VALUE_TASK, AT(pid), true},
		    {"child", VALUE_CHILD, AT(child_pid), true},
		    {"at", VALUE_AT, AT(at_ns), false},
		    {"cpu", VALUE_CPU, AT(cpu_first), false}}},
	{.name = "exec",
	 .kind = STMT_EXEC,
	 .fields = {{NULL, VALUE_TASK, AT(pid), true},
		    {NULL, VALUE_NAME, AT(name), true},
		    {"maps", VALUE_MAPS, AT(maps_first), false},
		    {"at", VALUE_AT, AT(at_ns), false},
		    {"cpu", VALUE_CPU, AT(cpu_first), false}}},
	{.name = "comm",
	 .kind = STMT_COMM,
	 .fields = {{NULL, VALUE_TASK, AT(pid), true},
		    {NULL, VALUE_NAME, AT(name), true},
		    {"at", VALUE_AT, AT(at_ns), false},
		    {"cpu", VALUE_CPU, AT(cpu_first), false}}},
	{.name = "exit",
	 .kind = STMT_EXIT,
	 .handle = do_exit,
	 .fields = {[EXIT_TASK] = {NULL, VALUE_TASK, AT(pid), true},
		    [EXIT_AT] = {"at", VALUE_AT, AT(at_ns), false},
		    [EXIT_CPU] = {"cpu", VALUE_CPU, AT(cpu_first), false}}},
	{.name = "map",
	 .kind = STMT_MAP,
	 .handle = do_map,
	 .fields = {{NULL, VALUE_TASK, AT(pid), true},
		    {NULL, VALUE_DSO, AT(dso), true},
		    {"addr", VALUE_COUNT, AT(addr), false},
		    {"at", VALUE_AT, AT(at_ns), false},
		    {"cpu", VALUE_CPU, AT(cpu_first), false}}},
	{.name = "cgroup",
	 .kind = STMT_CGROUP,
	 .fields = {{NULL, VALUE_COUNT, AT(cgroup), true},
		    {NULL, VALUE_NAME, AT(name), true},
		    {"at", VALUE_AT, AT(at_ns), false},
		    {"cpu", VALUE_CPU, AT(cpu_first), false}}},
	{.name = "switch",
	 .kind = STMT_SWITCH,
	 .handle = do_switch,
	 .fields = {{NULL, VALUE_TASK, AT(pid), true},
		    {"out", VALUE_FLAG, AT(out), false},
		    {"at", VALUE_AT, AT(at_ns), false},
		    {"cpu", VALUE_CPU, AT(cpu_first), false}}},
	{.name = "ksymbol",
	 .kind = STMT_KSYMBOL,
	 .fields = {{NULL, VALUE_NAME, AT(name), true},
		    {NULL, VALUE_COUNT, AT(addr), true},
		    {NULL, VALUE_COUNT, AT(size), true},
		    {"unregister", VALUE_FLAG, AT(unregister), false},
		    {"at", VALUE_AT, AT(at_ns), false},
		    {"cpu", VALUE_CPU, AT(cpu_first), false}}},
};
const size_t tick_directives_n = ARRAY_LEN(tick_directives);
