#include <cyctop/event.h>

#include <ctype.h>
#include <string.h>

#define RATE_HELP(what) what " per second: of CPUs as counted, elsewhere estimated from samples"
#define ROLE_ROW(id, word, ...) [ROLE_##id] = {word, __VA_ARGS__, RATE_HELP(word)},
static const struct role_info roles[ROLE_COUNT] = {
	[ROLE_OTHER] = {.name = "other",
			.type = UINT32_MAX,
			.pmu_names = "",
			.help = RATE_HELP("the event whose name the heading is short for")},
	EVENT_ROLES(ROLE_ROW)};
#undef ROLE_ROW
#undef RATE_HELP

const struct role_info *role_info(enum event_role role)
{
	return &roles[(unsigned)role < ROLE_COUNT ? role : ROLE_OTHER];
}

#define PERF_MODIFIERS "ukhpPGHISDWeb" /* modifiers after the last colon of an event's name: perf-list(1) */

/* Sets *name to the part of a name that identifies the event, and returns its length: "INST_RETIRED:ANY" of
 * "skl::INST_RETIRED:ANY", "instructions" of "cpu/instructions/u" and of "instructions:u". */
static size_t stem(const char **name)
{
	const char *s = *name, *slash = strchr(s, '/'), *pmu = strstr(s, "::");
	if (slash)
		s = slash + 1;
	else if (pmu)
		s = pmu + 2;
	*name = s;
	size_t n = slash ? strcspn(s, "/") : strlen(s);
	const char *colon = memchr(s, ':', n) ? strrchr(s, ':') : NULL;
	if (!slash && colon && strspn(colon + 1, PERF_MODIFIERS) == strlen(colon + 1))
		n = (size_t)(colon - s);
	return n;
}

/* Maps a character of libpfm4's names to perf's spelling: INST_RETIRED:ANY is inst_retired.any. */
static char plain(char c)
{
	return c == ':' ? '.' : c == '-' ? '_' : (char)tolower((unsigned char)c);
}

/* Returns true if s[0..n) is a word of `list`, in perf's or libpfm4's spelling. */
static bool is_word(const char *list, const char *s, size_t n)
{
	for (; *list; list += strspn(list, " ")) {
		size_t len = strcspn(list, " "), i = 0;
		while (len == n && i < n && plain(list[i]) == plain(s[i]))
			i++;
		if (len == n && i == n)
			return true;
		list += len;
	}
	return false;
}

enum event_role event_role_of(uint32_t type, uint64_t config, const char *name)
{
	/* the upper half of a generic event's config names the PMU on hybrid machines: ignored */
	if (type == ABI_TYPE_HARDWARE || type == ABI_TYPE_HW_CACHE)
		config = (uint32_t)config;
	bool of_pmu = type >= ABI_TYPE_RAW && type != ABI_TYPE_BREAKPOINT;
	/* built-in ratios take no event on some CPUs (cpu=): the other event of the ratio would be on all CPUs */
	if (strstr(name, "/cpu=") || strstr(name, ",cpu="))
		return ROLE_OTHER;
	size_t n = stem(&name);
	for (unsigned r = ROLE_OTHER + 1; r < ROLE_COUNT; r++) {
		const struct role_info *role = &roles[r];
		if (type == role->type && config >= role->config_first && config <= role->config_last)
			return (enum event_role)r;
		if (of_pmu && (is_word(role->name, name, n) || is_word(role->pmu_names, name, n)))
			return (enum event_role)r;
	}
	return ROLE_OTHER;
}

const char *event_short_name(const char *name)
{
	static const struct {
		const char *name, *brief;
	} rows[] = {
		{"page-faults", "faults"},
		{"minor-faults", "minor"},
		{"major-faults", "major"},
		{"context-switches", "ctxsw"},
		{"cpu-migrations", "migr"},
		{"cgroup-switches", "cgroupsw"},
		{"alignment-faults", "align"},
		{"emulation-faults", "emul"},
		{"L1-dcache-loads", "L1D-ld"},
		{"L1-dcache-load-misses", "L1D-miss"},
		{"L1-icache-load-misses", "L1I-miss"},
		{"LLC-loads", "LLC-ld"},
		{"LLC-load-misses", "LLC-miss"},
		{"LLC-stores", "LLC-st"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].brief;
	return name;
}
