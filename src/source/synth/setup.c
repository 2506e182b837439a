/* Parses the statements before the first tick: the machine, its events, code, tasks and profiles. */
#include "source/synth/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define AT(m) offsetof(struct stmt, m)

static int set_text(char *buf, size_t cap, const char *text, struct error *err)
{
	if (strlen(text) >= cap)
		return error_set(err, EINVAL, "'%.40s...' is longer than %zu bytes", text, cap - 1);
	memcpy(buf, text, strlen(text) + 1);
	return 0;
}

static int do_cpus(struct parser *p, struct stmt *st, struct error *err)
{
	struct script *s = p->s;
	/* events and tasks may name CPUs, which are checked against the number that is known then */
	if (s->info.events_n || s->tasks.n)
		return error_set(err, EINVAL, "'cpus' comes before events and tasks");
	if (st->n < 1 || st->n > SCRIPT_CPUS_MAX)
		return error_set(err, EINVAL, "the number of CPUs is from 1 to %d", SCRIPT_CPUS_MAX);
	s->info.cpus_n = (unsigned)st->n;
	free(s->offline);
	s->offline = mem_calloc(st->n, sizeof(*s->offline));
	return 0;
}

static int do_host(struct parser *p, struct stmt *st, struct error *err)
{
	return set_text(p->s->info.host, sizeof(p->s->info.host), st->name, err);
}

static int do_kernel(struct parser *p, struct stmt *st, struct error *err)
{
	return set_text(p->s->info.kernel, sizeof(p->s->info.kernel), st->name, err);
}

static int do_pmu(struct parser *p, struct stmt *st, struct error *err)
{
	return set_text(p->s->info.pmu, sizeof(p->s->info.pmu), st->name, err);
}

static int do_cpuid(struct parser *p, struct stmt *st, struct error *err)
{
	return set_text(p->s->info.cpuid, sizeof(p->s->info.cpuid), st->name, err);
}

static int do_notice(struct parser *p, struct stmt *st, struct error *err)
{
	struct source_info *info = &p->s->info;
	int rc = set_text(info->notice, sizeof(info->notice), st->name, err);
	return rc < 0 || !st->text ? rc : set_text(info->short_notice, sizeof(info->short_notice), st->text, err);
}

static int do_scope(struct parser *p, struct stmt *st, struct error *err)
{
	static const char *const names[] = {
		[SCOPE_SYSTEM] = "system", [SCOPE_SYSTEM_USER] = "system-user",
		[SCOPE_TASKS] = "tasks",   [SCOPE_TASKS_USER] = "tasks-user",
		[SCOPE_OWN] = "own",	   [SCOPE_OWN_USER] = "own-user",
		[SCOPE_PROC] = "proc",
	};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(names[i], st->name) == 0) {
			p->s->info.scope = (enum source_scope)i;
			return 0;
		}
	}
	return error_set(err, EINVAL,
			 "no scope '%.40s'; system, system-user, tasks, tasks-user, own, own-user and proc are",
			 st->name);
}

static int do_periods(struct parser *p, struct stmt *st, struct error *err)
{
	static const char *const names[] = {
		[PERIODS_APART] = "apart", [PERIODS_ELAPSED] = "elapsed", [PERIODS_AHEAD] = "ahead"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(names[i], st->name) == 0) {
			p->s->info.periods = (enum source_periods)i;
			return 0;
		}
	}
	return error_set(err, EINVAL, "no periods '%.40s'; apart, elapsed and ahead are", st->name);
}

static int do_interval(struct parser *p, struct stmt *st, struct error *err)
{
	if (st->at_ns < 1000 || st->at_ns > 3600 * 1000000000ull)
		return error_set(err, EINVAL, "an interval lasts from 1us to 3600s");
	p->s->interval_ns = st->at_ns;
	return 0;
}

static int do_start(struct parser *p, struct stmt *st, struct error *err)
{
	/* time 0 would mean "no time" in a record */
	if (st->at_ns < 1 || st->at_ns > 1ull << 60)
		return error_set(err, EINVAL, "the start is from 1ns to 36 years");
	p->s->start_ns = st->at_ns;
	return 0;
}

static int do_seed(struct parser *p, struct stmt *st, struct error *err)
{
	(void)err;
	p->s->seed = st->n;
	return 0;
}

static int do_jitter(struct parser *p, struct stmt *st, struct error *err)
{
	(void)err;
	p->s->jitter_ppm = st->part_ppm;
	return 0;
}

static bool ring_size_ok(uint64_t n)
{
	return n >= 4096 && n <= 1ull << 30 && (n & (n - 1)) == 0;
}

static int do_ring(struct parser *p, struct stmt *st, struct error *err)
{
	if (!ring_size_ok(st->n) || (st->size && !ring_size_ok(st->size)))
		return error_set(err, EINVAL, "a ring is a power of two from 4Ki to 1Gi");
	p->s->info.ring_bytes = st->n;
	if (st->size)
		p->s->sideband_bytes = st->size;
	return 0;
}

static int do_offline(struct parser *p, struct stmt *st, struct error *err)
{
	(void)err;
	for (uint32_t i = st->cpu_first; i <= st->cpu_last; i++)
		p->s->offline[i] = true;
	return 0;
}

static int event_role(const char *name, enum event_role *ret, struct error *err)
{
	for (int r = 0; r < ROLE_COUNT; r++) {
		if (strcmp(role_info((enum event_role)r)->name, name) == 0) {
			*ret = (enum event_role)r;
			return 0;
		}
	}
	return error_set(err, EINVAL, "no role '%.40s'; cycles and instructions are, for instance", name);
}

enum { EVENT_NAME, EVENT_FREQ, EVENT_PERIOD, EVENT_MUX, EVENT_SPEED, EVENT_CPUS, EVENT_ROLE, EVENT_WHY, EVENT_GROUP };

static int do_event(struct parser *p, struct stmt *st, struct error *err)
{
	struct script *s = p->s;
	uint32_t at;
	if (s->info.events_n == EVENTS_MAX)
		return error_set(err, EINVAL, "more than %d events", EVENTS_MAX);
	if (find_event(s, st->name, &at, NULL) == 0)
		return error_set(err, EINVAL, "the event '%.60s' is declared twice", st->name);
	if (stmt_has(st, EVENT_FREQ) && stmt_has(st, EVENT_PERIOD))
		return error_set(err, EINVAL, "an event has freq= or period=, not both");
	struct source_event ev = {.available = !stmt_has(st, EVENT_WHY)};
	/* an unknown name is accepted, too: the event gets ROLE_OTHER */
	int rc = event_parse(st->name, NULL, &ev.spec, err);
	if (rc == -ENOENT)
		ev.spec = (struct event_spec){.type = ABI_TYPE_RAW, .config = s->info.events_n + 1};
	else if (rc < 0)
		return rc;
	memcpy(ev.spec.name, st->name, strlen(st->name) + 1); /* fits: event_parse() refuses longer names */
	if (st->role) {
		rc = event_role(st->role, &ev.spec.role, err);
		if (rc < 0)
			return rc;
	}
	ev.spec.freq = !stmt_has(st, EVENT_PERIOD);
	ev.spec.rate = stmt_has(st, EVENT_PERIOD) ? st->period : stmt_has(st, EVENT_FREQ) ? st->n : EVENT_RATE_DEFAULT;
	if (ev.spec.rate < 1 || (ev.spec.freq && ev.spec.rate > 1000000))
		return error_set(err, EINVAL, "the rate is 1 or more, and a frequency at most 1M");
	if (st->text) {
		rc = set_text(ev.why, sizeof(ev.why), st->text, err);
		if (rc < 0)
			return rc;
	}
	s->events[s->info.events_n] = (struct script_event){
		.mux_ppm = stmt_has(st, EVENT_MUX) ? st->part_ppm : PPM,
		.speed_hz = stmt_has(st, EVENT_SPEED) ? st->value : 1000000000,
		.cpu_first = st->cpu_first,
		.cpu_last = stmt_has(st, EVENT_CPUS) ? st->cpu_last : UINT32_MAX,
		.group = stmt_has(st, EVENT_GROUP) ? s->events[st->event].group : (uint32_t)s->info.events_n,
	};
	if (stmt_has(st, EVENT_GROUP))
		ev.group = s->info.events[st->event].group = s->events[s->info.events_n].group + 1;
	if (s->info.events_n == 0)
		*(ev.spec.freq ? &s->info.rate_hz : &s->info.period) = ev.spec.rate;
	s->info.events[s->info.events_n++] = ev;
	return 0;
}

static int do_counters(struct parser *p, struct stmt *st, struct error *err)
{
	if (st->n < 1)
		return error_set(err, EINVAL, "a CPU has one counter or more");
	p->s->sampling.counters = st->n;
	return 0;
}

enum { SAMPLING_TICK, SAMPLING_ROTATION, SAMPLING_SKID, SAMPLING_THROTTLE, SAMPLING_NEXT };

static int do_sampling(struct parser *p, struct stmt *st, struct error *err)
{
	struct script_sampling *to = &p->s->sampling;
	if (stmt_has(st, SAMPLING_TICK))
		to->tick_ns = st->at_ns;
	if (stmt_has(st, SAMPLING_ROTATION))
		to->rotation_ns = st->addr;
	if (to->tick_ns < 100000 || to->rotation_ns < 100000)
		return error_set(err, EINVAL, "tick= and rotation= are 100us or more");
	to->skid_ns = st->size;
	to->throttle = st->n;
	to->next_period = st->next_period;
	return 0;
}

/* ---- parsing the statements dso and sym ------------------------------------------- */

static int do_dso(struct parser *p, struct stmt *st, struct error *err)
{
	struct script *s = p->s;
	uint32_t at;
	if (find_dso(s, st->name, &at, NULL) == 0)
		return error_set(err, EINVAL, "the DSO '%.60s' is declared twice", st->name);
	for (size_t i = 0; i < s->dsos.n; i++)
		if (strcmp(s->dsos.data[i].path, st->text) == 0)
			return error_set(err, EINVAL, "the path '%.200s' is declared twice", st->text);
	if (strchr(st->name, ':') || strchr(st->name, ',') || strlen(st->name) > 60)
		return error_set(err, EINVAL, "a DSO's short name has no ':' or ',' and at most 60 bytes");
	if (st->addr & 0xfff || st->size > 1ull << 40)
		return error_set(err, EINVAL, "a DSO is mapped at a multiple of 0x1000, with at most 1 TiB");
	/* 1 GiB apart, so that mappings of DSOs do not overlap */
	uint64_t base = st->addr ? st->addr : 0x7f0000000000ull + s->dsos.n * 0x40000000ull;
	vec_push(&s->dsos) = (struct script_dso){
		.alias = st->name,
		.path = st->text,
		.base = base,
		.size = st->size,
		.kernel = st->kernel || strcmp(st->text, "[kernel]") == 0,
	};
	return 0;
}

static int do_sym(struct parser *p, struct stmt *st, struct error *err)
{
	struct script *s = p->s;
	const char *colon = strchr(st->name, ':');
	struct script_sym sym = {.addr = st->addr, .size = st->size};
	if (!colon || !colon[1])
		return error_set(err, EINVAL, "'%.60s' is no symbol; DSO:NAME is", st->name);
	char *alias = mem_strdup(st->name);
	alias[colon - st->name] = '\0';
	int rc = find_dso(s, alias, &sym.dso, err);
	free(alias);
	if (rc < 0)
		return rc;
	uint32_t at;
	if (find_sym(s, st->name, &at, NULL) == 0)
		return error_set(err, EINVAL, "the symbol '%.80s' is declared twice", st->name);
	if (sym.size < 1 || sym.size > 1ull << 32 || sym.addr + sym.size < sym.addr)
		return error_set(err, EINVAL, "a symbol has a size from 1 to 4 GiB");
	sym.name = intern_string(s->strings, colon + 1);
	index_add(&s->sym_index, index_hash_text(&s->sym_index, st->name), (uint32_t)s->syms.n);
	vec_push(&s->syms) = sym;
	return 0;
}

/* ---- parsing the statements task, map and cgroup ---------------------------------- */

static int do_task(struct parser *p, struct stmt *st, struct error *err)
{
	struct script *s = p->s;
	(void)err;
	vec_push(&s->tasks) = (struct script_task){st->pid, st->tid, st->cpu_first, st->name, st->cgroup};
	s->info.cgroups |= st->cgroup != 0;
	for (uint32_t i = 0; i < st->maps_n; i++) {
		uint32_t dso = s->lists.data[st->maps_first + i];
		vec_push(&s->maps) = (struct script_map){st->pid, dso, s->dsos.data[dso].base};
	}
	return 0;
}

static int do_map(struct parser *p, struct stmt *st, struct error *err)
{
	struct script *s = p->s;
	if (st->addr & 0xfff)
		return error_set(err, EINVAL, "a mapping begins at a multiple of 0x1000");
	uint64_t addr = st->addr ? st->addr : s->dsos.data[st->dso].base;
	vec_push(&s->maps) = (struct script_map){st->pid, st->dso, addr};
	return 0;
}

static int do_cgroup(struct parser *p, struct stmt *st, struct error *err)
{
	(void)err;
	p->s->info.cgroups = true;
	vec_push(&p->s->cgroups) = (struct script_cgroup){st->n, st->name};
	return 0;
}

/* ---- parsing the statements profile, row and idle --------------------------------- */

static int do_profile(struct parser *p, struct stmt *st, struct error *err)
{
	struct script *s = p->s;
	for (size_t i = 0; i < s->profiles.n; i++)
		if (strcmp(s->profiles.data[i].name, st->name) == 0)
			return error_set(err, EINVAL, "the profile '%.60s' is declared twice", st->name);
	p->profile = (uint32_t)s->profiles.n;
	vec_push(&s->profiles) = (struct script_profile){.name = st->name};
	return 0;
}

enum { ROW_SYM, ROW_WEIGHT, ROW_TURN, ROW_TASK, ROW_CALLERS };

static int do_row(struct parser *p, struct stmt *st, struct error *err)
{
	struct script *s = p->s;
	if (p->profile == UINT32_MAX)
		return error_set(err, EINVAL, "a row comes behind its 'profile'");
	struct profile_row row = {.sym = st->sym, .weight = st->value, .turn_ns = st->turn_ns};
	row.callers = (struct script_list){st->maps_first, st->maps_n};
	row.tasked = stmt_has(st, ROW_TASK);
	row.pid = st->pid;
	row.tid = st->tid;
	row.factor[0] = PPM;
	for (size_t i = 1; i < p->line.n; i++) {
		const struct word *w = &p->line.words[i];
		uint32_t event;
		if (!w->key || strcmp(w->key, "turn") == 0 || strcmp(w->key, "task") == 0 ||
		    strcmp(w->key, "callers") == 0)
			continue;
		int rc = find_event(s, w->key, &event, err);
		if (rc == 0)
			rc = event ? lex_ratio(w->text, &row.factor[event], err)
				   : error_set(err, EINVAL, "ratios are to the first event, '%.60s'", w->key);
		if (rc < 0)
			return rc;
	}
	struct script_profile *profile = &s->profiles.data[p->profile];
	profile->weight += row.weight;
	vec_push(&profile->rows) = row;
	return 0;
}

static int do_idle(struct parser *p, struct stmt *st, struct error *err)
{
	if (p->profile == UINT32_MAX)
		return error_set(err, EINVAL, "idle time comes behind its 'profile'");
	struct script_profile *profile = &p->s->profiles.data[p->profile];
	profile->weight += st->value;
	profile->idles = true;
	vec_push(&profile->rows) = (struct profile_row){.sym = INDEX_NONE, .weight = st->value, .turn_ns = st->turn_ns};
	return 0;
}

const struct directive setup_directives[] = {
	{.name = "cpus", .handle = do_cpus, .fields = {{NULL, VALUE_COUNT, AT(n), true}}},
	{.name = "host", .handle = do_host, .fields = {{NULL, VALUE_NAME, AT(name), true}}},
	{.name = "kernel", .handle = do_kernel, .fields = {{NULL, VALUE_NAME, AT(name), true}}},
	{.name = "pmu", .handle = do_pmu, .fields = {{NULL, VALUE_NAME, AT(name), true}}},
	{.name = "cpuid", .handle = do_cpuid, .fields = {{NULL, VALUE_NAME, AT(name), true}}},
	{.name = "notice",
	 .handle = do_notice,
	 .fields = {{NULL, VALUE_NAME, AT(name), true}, {"short", VALUE_NAME, AT(text), false}}},
	{.name = "scope", .handle = do_scope, .fields = {{NULL, VALUE_NAME, AT(name), true}}},
	{.name = "periods", .handle = do_periods, .fields = {{NULL, VALUE_NAME, AT(name), true}}},
	{.name = "interval", .handle = do_interval, .fields = {{NULL, VALUE_TIME, AT(at_ns), true}}},
	{.name = "start", .handle = do_start, .fields = {{NULL, VALUE_TIME, AT(at_ns), true}}},
	{.name = "seed", .handle = do_seed, .fields = {{NULL, VALUE_COUNT, AT(n), true}}},
	{.name = "jitter", .handle = do_jitter, .fields = {{NULL, VALUE_PART, AT(part_ppm), true}}},
	{.name = "ring",
	 .handle = do_ring,
	 .fields = {{NULL, VALUE_COUNT, AT(n), true}, {"sideband", VALUE_COUNT, AT(size), false}}},
	{.name = "offline", .handle = do_offline, .fields = {{NULL, VALUE_CPUS, AT(cpu_first), true}}},
	{.name = "event",
	 .handle = do_event,
	 .fields = {[EVENT_NAME] = {NULL, VALUE_NAME, AT(name), true},
		    [EVENT_FREQ] = {"freq", VALUE_COUNT, AT(n), false},
		    [EVENT_PERIOD] = {"period", VALUE_COUNT, AT(period), false},
		    [EVENT_MUX] = {"mux", VALUE_PART, AT(part_ppm), false},
		    [EVENT_SPEED] = {"speed", VALUE_COUNT, AT(value), false},
		    [EVENT_CPUS] = {"cpus", VALUE_CPUS, AT(cpu_first), false},
		    [EVENT_ROLE] = {"role", VALUE_NAME, AT(role), false},
		    [EVENT_WHY] = {"unavailable", VALUE_NAME, AT(text), false},
		    [EVENT_GROUP] = {"group", VALUE_EVENT, AT(event), false}}},
	{.name = "dso",
	 .handle = do_dso,
	 .fields = {{NULL, VALUE_NAME, AT(name), true},
		    {NULL, VALUE_NAME, AT(text), true},
		    {"base", VALUE_COUNT, AT(addr), false},
		    {"size", VALUE_COUNT, AT(size), false},
		    {"kernel", VALUE_FLAG, AT(kernel), false}}},
	{.name = "sym",
	 .handle = do_sym,
	 .fields = {{NULL, VALUE_NAME, AT(name), true},
		    {NULL, VALUE_COUNT, AT(addr), true},
		    {NULL, VALUE_COUNT, AT(size), true}}},
	{.name = "task",
	 .handle = do_task,
	 .fields = {{NULL, VALUE_TASK, AT(pid), true},
		    {NULL, VALUE_NAME, AT(name), true},
		    {"maps", VALUE_MAPS, AT(maps_first), false},
		    {"cpu", VALUE_CPU, AT(cpu_first), false},
		    {"cgroup", VALUE_COUNT, AT(cgroup), false}}},
	{.name = "cgroup",
	 .handle = do_cgroup,
	 .fields = {{NULL, VALUE_COUNT, AT(n), true}, {NULL, VALUE_NAME, AT(name), true}}},
	{.name = "map",
	 .handle = do_map,
	 .fields = {{NULL, VALUE_TASK, AT(pid), true},
		    {NULL, VALUE_DSO, AT(dso), true},
		    {"addr", VALUE_COUNT, AT(addr), false}}},
	{.name = "profile", .handle = do_profile, .fields = {{NULL, VALUE_NAME, AT(name), true}}},
	{.name = "row",
	 .extra = true,
	 .handle = do_row,
	 .fields = {[ROW_SYM] = {NULL, VALUE_SYM, AT(sym), true},
		    [ROW_WEIGHT] = {NULL, VALUE_RATIO, AT(value), true},
		    [ROW_TURN] = {"turn", VALUE_TIME, AT(turn_ns), false},
		    [ROW_TASK] = {"task", VALUE_TASK, AT(pid), false},
		    [ROW_CALLERS] = {"callers", VALUE_SYMS, AT(maps_first), false}}},
	{.name = "idle",
	 .handle = do_idle,
	 .fields = {{NULL, VALUE_RATIO, AT(value), true}, {"turn", VALUE_TIME, AT(turn_ns), false}}},
	{.name = "counters", .handle = do_counters, .fields = {{NULL, VALUE_COUNT, AT(n), true}}},
	{.name = "sampling",
	 .handle = do_sampling,
	 .fields = {[SAMPLING_TICK] = {"tick", VALUE_TIME, AT(at_ns), false},
		    [SAMPLING_ROTATION] = {"rotation", VALUE_TIME, AT(addr), false},
		    [SAMPLING_SKID] = {"skid", VALUE_TIME, AT(size), false},
		    [SAMPLING_THROTTLE] = {"throttle", VALUE_COUNT, AT(n), false},
		    [SAMPLING_NEXT] = {"next-period", VALUE_FLAG, AT(next_period), false}}},
};
const size_t setup_directives_n = ARRAY_LEN(setup_directives);
