/* The kernel's generic events: their names as in perf-list(1), and their numbers in perf_event.h. */
#include "event/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct generic {
	const char *name, *alias;
	uint32_t type;
	uint64_t config;
};

static const struct generic generics[] = {
	{"cycles", "cpu-cycles", ABI_TYPE_HARDWARE, 0},
	{"instructions", NULL, ABI_TYPE_HARDWARE, 1},
	{"cache-references", NULL, ABI_TYPE_HARDWARE, 2},
	{"cache-misses", NULL, ABI_TYPE_HARDWARE, 3},
	{"branches", "branch-instructions", ABI_TYPE_HARDWARE, 4},
	{"branch-misses", NULL, ABI_TYPE_HARDWARE, 5},
	{"bus-cycles", NULL, ABI_TYPE_HARDWARE, 6},
	{"stalled-cycles-frontend", "idle-cycles-frontend", ABI_TYPE_HARDWARE, 7},
	{"stalled-cycles-backend", "idle-cycles-backend", ABI_TYPE_HARDWARE, 8},
	{"ref-cycles", NULL, ABI_TYPE_HARDWARE, 9},
	{"cpu-clock", NULL, ABI_TYPE_SOFTWARE, 0},
	{"task-clock", NULL, ABI_TYPE_SOFTWARE, 1},
	{"page-faults", "faults", ABI_TYPE_SOFTWARE, 2},
	{"context-switches", "cs", ABI_TYPE_SOFTWARE, 3},
	{"cpu-migrations", "migrations", ABI_TYPE_SOFTWARE, 4},
	{"minor-faults", NULL, ABI_TYPE_SOFTWARE, 5},
	{"major-faults", NULL, ABI_TYPE_SOFTWARE, 6},
	{"alignment-faults", NULL, ABI_TYPE_SOFTWARE, 7},
	{"emulation-faults", NULL, ABI_TYPE_SOFTWARE, 8},
	{"cgroup-switches", NULL, ABI_TYPE_SOFTWARE, 11},
};

bool event_parse_generic(struct event_text name, struct event_spec *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(generics); i++) {
		const struct generic *g = &generics[i];
		if (!event_text_is(name, g->name) && !(g->alias && event_text_is(name, g->alias)))
			continue;
		ret->type = g->type;
		ret->config = g->config;
		return true;
	}
	return event_parse_cache(name, ret);
}

void event_each_generic(void (*fn)(void *ctx, const char *name), void *ctx)
{
	for (size_t i = 0; i < ARRAY_LEN(generics); i++) {
		fn(ctx, generics[i].name);
		if (generics[i].alias)
			fn(ctx, generics[i].alias);
	}
}

int event_list_add(struct event_list *list, const struct event_spec *spec, struct error *err)
{
	if (list->n == EVENTS_MAX && strncmp(spec->name, "syscalls:sys_", 13) == 0)
		return error_set(err, E2BIG,
				 "more than %d events: raw_syscalls:sys_enter is all system calls in one, told apart "
				 "by --fields id or, in tables, --sort id",
				 EVENTS_MAX);
	if (list->n == EVENTS_MAX)
		return error_set(err, E2BIG, "more than %d events: so many are measured at once", EVENTS_MAX);
	if (spec->precise && (spec->type == ABI_TYPE_SOFTWARE || spec->type == ABI_TYPE_TRACEPOINT || *spec->probe))
		return error_set(err, EINVAL, "event '%s': only a PMU takes precise samples, not software", spec->name);
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->specs[i].name, spec->name) == 0)
			return error_set(err, EINVAL, "the event '%s' is named twice", spec->name);
	list->specs[list->n++] = *spec;
	return 0;
}

size_t event_defaults(struct event_spec specs[EVENTS_MAX])
{
	static const char *const names[] = {"cycles", "instructions", "cache-references", "cache-misses"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		specs[i] = (struct event_spec){0};
		snprintf(specs[i].name, sizeof(specs[i].name), "%s", names[i]);
		(void)event_parse_generic((struct event_text){names[i], strlen(names[i])}, &specs[i]);
		specs[i].role = event_role_of(specs[i].type, specs[i].config, names[i]);
	}
	return ARRAY_LEN(names);
}

void event_clock(struct event_spec *ret)
{
	*ret = (struct event_spec){.name = "cpu-clock", .role = ROLE_CLOCK, .type = ABI_TYPE_SOFTWARE, .config = 0};
}

/* ---- generic events of one PMU of a hybrid machine ------------------------------------------- */

/* Returns the attr.type of the PMU, which is the upper half of a generic event's config; 0 if the config names no
 * PMU. */
uint32_t event_pmu(const struct event_spec *spec)
{
	bool generic = spec->type == ABI_TYPE_HARDWARE || spec->type == ABI_TYPE_HW_CACHE;
	return generic ? (uint32_t)(spec->config >> 32) : 0;
}

uint32_t event_pmu_type(const struct event_spec *spec)
{
	if (spec->type != ABI_TYPE_HARDWARE && spec->type != ABI_TYPE_HW_CACHE)
		return spec->type;
	return event_pmu(spec) ? event_pmu(spec) : ABI_TYPE_RAW;
}

bool event_takes_counter(const struct event_spec *spec)
{
	return spec->type != ABI_TYPE_SOFTWARE && spec->type != ABI_TYPE_TRACEPOINT &&
	       spec->type != ABI_TYPE_BREAKPOINT && !*spec->probe;
}

const char *event_pmu_name(uint32_t type)
{
	static const char *const names[] = {
		[ABI_TYPE_SOFTWARE] = "software",
		[ABI_TYPE_TRACEPOINT] = "tracepoint",
		[ABI_TYPE_RAW] = "cpu",
		[ABI_TYPE_BREAKPOINT] = "breakpoint",
	};
	return type < ARRAY_LEN(names) ? names[type] : NULL;
}

uint32_t event_kind_of_cpu(const struct event_spec *spec)
{
	bool of_pmu = spec->type >= ABI_TYPE_RAW && spec->type != ABI_TYPE_BREAKPOINT && strchr(spec->name, '/');
	bool known = spec->role > ROLE_OTHER && spec->role < ROLE_COUNT && !spec->counted;
	return of_pmu && known ? spec->type : event_pmu(spec);
}

bool event_is_sibling(const struct event_spec *a, const struct event_spec *b)
{
	uint32_t on_a = event_kind_of_cpu(a), on_b = event_kind_of_cpu(b);
	bool generic = event_pmu(a) && event_pmu(b);
	bool same = generic ? a->type == b->type && (uint32_t)a->config == (uint32_t)b->config : a->role == b->role;
	return on_a && on_b && on_a != on_b && same && a->exclude_user == b->exclude_user &&
	       a->exclude_kernel == b->exclude_kernel && a->precise == b->precise;
}
