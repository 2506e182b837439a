/* The kernel's generic events: names of perf-list(1), numbers of perf_event.h. */
#include <cyctop/event.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

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
};

/* PERF_TYPE_HW_CACHE: config = cache | op << 8 | result << 16 */
static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
static const char *const cache_ops[][2] = {{"load", "loads"}, {"store", "stores"}, {"prefetch", "prefetches"}};

/* "dTLB-load-misses", "LLC-loads" */
static bool parse_cache(const char *name, struct event_spec *ret)
{
	for (size_t c = 0; c < ARRAY_LEN(caches); c++) {
		size_t n = strlen(caches[c]);
		if (strncasecmp(name, caches[c], n) != 0 || name[n] != '-')
			continue;
		for (size_t op = 0; op < ARRAY_LEN(cache_ops); op++) {
			char miss[24];
			snprintf(miss, sizeof(miss), "%s-misses", cache_ops[op][0]);
			bool is_miss = strcasecmp(name + n + 1, miss) == 0;
			if (!is_miss && strcasecmp(name + n + 1, cache_ops[op][1]) != 0)
				continue;
			ret->type = ABI_TYPE_HW_CACHE;
			ret->config = c | op << 8 | (uint64_t)is_miss << 16;
			return true;
		}
	}
	return false;
}

static bool parse_generic(const char *name, struct event_spec *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(generics); i++) {
		const struct generic *g = &generics[i];
		if (strcasecmp(name, g->name) != 0 && !(g->alias && strcasecmp(name, g->alias) == 0))
			continue;
		ret->type = g->type;
		ret->config = g->config;
		return true;
	}
	return parse_cache(name, ret);
}

/* Adds the modifiers at the end of `name` to *ret.  Returns the length of the name without them. */
static size_t take_modifiers(const char *name, struct event_spec *ret)
{
	const char *colon = strrchr(name, ':');
	if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "ukhp")])
		return strlen(name);
	bool user = strchr(colon, 'u'), kernel = strchr(colon, 'k');
	/* h adds the hypervisor, which is never left out here */
	if (strchr(colon, 'h') && !user && !kernel)
		return strlen(name);
	ret->exclude_kernel |= user && !kernel;
	ret->exclude_user |= kernel && !user;
	for (const char *c = colon + 1; *c; c++)
		ret->precise = (uint8_t)(ret->precise + (*c == 'p'));
	return (size_t)(colon - name);
}

static int look_up(const char *name, event_lookup_fn *more, void *ctx, struct event_spec *ret, struct error *err)
{
	struct event_spec modified = {0};
	char stem[sizeof(ret->name)];
	snprintf(stem, sizeof(stem), "%.*s", (int)take_modifiers(name, &modified), name);
	if (parse_generic(stem, &modified)) {
		*ret = modified;
		return 0;
	}
	if (!more)
		return error_set(err, ENOENT, "unknown event '%s'", name);
	int rc = more(ctx, name, ret, err);
	if (rc == -ENOENT && strcmp(stem, name) != 0 && more(ctx, stem, ret, NULL) == 0) {
		take_modifiers(name, ret); /* remove the modifiers, because libpfm4 does not know 'p' */
		rc = 0;
	}
	return rc;
}

int event_parse(const char *name, event_lookup_fn *more, void *ctx, struct event_spec *ret, struct error *err)
{
	struct event_spec spec = {0};
	size_t n = strlen(name);
	if (n == 0)
		return error_set(err, EINVAL, "an event name is empty; try -e cycles,instructions");
	if (n >= sizeof(spec.name))
		return error_set(err, EINVAL, "the event name '%.40s...' is longer than %zu characters", name,
				 sizeof(spec.name) - 1);
	int rc = look_up(name, more, ctx, &spec, err);
	if (rc < 0)
		return rc;
	if (spec.precise > 3)
		return error_set(err, EINVAL, "event '%s': ppp (precise=3) is the highest precision", name);
	if (spec.precise && (spec.type == ABI_TYPE_SOFTWARE || spec.type == ABI_TYPE_TRACEPOINT))
		return error_set(err, EINVAL, "event '%s': only a PMU takes precise samples, not software", name);
	memcpy(spec.name, name, n + 1);
	spec.role = event_role_of(spec.type, spec.config, name);
	*ret = spec;
	return 0;
}

int event_parse_list(const char *list, event_lookup_fn *more, void *ctx, struct event_spec specs[EVENTS_MAX],
		     size_t *n_ret, struct error *err)
{
	size_t n = 0;
	for (const char *p = list;;) {
		size_t len = strcspn(p, ",");
		char name[sizeof(specs[0].name) + 1];
		snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name) - 1), p);
		if (n == EVENTS_MAX)
			return error_set(err, E2BIG, "more than %d events; the rest would only be multiplexed away",
					 EVENTS_MAX);
		int rc = event_parse(name, more, ctx, &specs[n], err);
		if (rc < 0)
			return rc;
		for (size_t i = 0; i < n; i++)
			if (strcmp(specs[i].name, specs[n].name) == 0)
				return error_set(err, EINVAL, "the event '%s' is named twice", name);
		n++;
		if (p[len] == '\0')
			break;
		p += len + 1;
	}
	*n_ret = n;
	return 0;
}

size_t event_defaults(struct event_spec specs[EVENTS_MAX])
{
	static const char *const names[] = {"cycles", "instructions", "cache-references", "cache-misses"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (event_parse(names[i], NULL, NULL, &specs[i], NULL) < 0)
			return i;
	return ARRAY_LEN(names);
}

void event_clock(struct event_spec *ret)
{
	*ret = (struct event_spec){.name = "cpu-clock", .role = ROLE_CLOCK, .type = ABI_TYPE_SOFTWARE, .config = 0};
}

/* ---- hybrid machines ------------------------------------------------------------- */

/* The upper half of a generic event's config is the number of the PMU. */
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

bool event_is_sibling(const struct event_spec *a, const struct event_spec *b)
{
	uint32_t on_a = event_pmu(a), on_b = event_pmu(b);
	return on_a && on_b && on_a != on_b && a->type == b->type && (uint32_t)a->config == (uint32_t)b->config &&
	       a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel && a->precise == b->precise;
}
