/* Makes the headings of the columns of events: their names, cut so that they differ. */
#include "view/columns.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NUMBER_CELLS = 3 }; /* width of a number such as "#31" */

/* Ways to shorten names, tried in this order until all results differ; the results of the last one always do. */
enum cut {
	CUT_END,    /* the beginning: "branch-load-misses" -> "branch-l" */
	CUT_COMMON, /* without the beginning that other names share: "sched:sched_switch" -> "switch" */
	CUT_WIDER,  /* like CUT_COMMON, but with up to `most` cells */
	CUT_MIDDLE, /* the beginning and the end: "core/i..tions/" */
	CUT_PMU,    /* the end of the PMU's name and the event's: "core/instruct" */
	CUT_NUMBER, /* the beginning and a number: "core/in#2" */
};

struct names {
	const struct source_info *info;
	/* the names from which headings are made, see read_name() */
	char text[EVENTS_MAX][sizeof(((struct event_spec *)0)->name)];
	size_t n, cells, most;
	bool alike[EVENTS_MAX]; /* another name has the same first `cells` characters */
	/* length of the beginning, up to a separator, that the name shares with other names, see `alike` */
	size_t common[EVENTS_MAX];
};

static const char *name_of(const struct names *names, size_t event)
{
	return names->text[event];
}

/* Returns true if another event has the name `of_pmu` behind its PMU ("cpu_core/", "cpu_atom/"), as on hybrid CPUs. */
static bool has_twin(const struct source_info *info, size_t event, const char *of_pmu)
{
	for (size_t i = 0; i < info->events_n; i++) {
		const char *slash = strchr(info->events[i].spec.name, '/');
		if (i != event && slash && strcmp(slash + 1, of_pmu) == 0)
			return true;
	}
	return false;
}

/* Takes the part of an event's name that tells users most: for a probe the function; for a counted event the name
 * without its PMU, unless another event has the same name on another PMU. */
static void read_name(struct names *names, size_t event)
{
	const struct event_spec *spec = &names->info->events[event].spec;
	const char *name = strlen(spec->name) > names->cells ? event_short_name(spec->name) : spec->name,
		   *slash = spec->counted ? strchr(name, '/') : NULL;
	slash = slash && slash[1] && !has_twin(names->info, event, slash + 1) ? slash : NULL;
	size_t skip = slash ? (size_t)(slash + 1 - name) : event_probe_prefix(name), n = strlen(name + skip);
	n -= slash && n > 1 && name[skip + n - 1] == '/';
	snprintf(names->text[event], sizeof(names->text[event]), "%.*s", (int)n, name + skip);
}

static size_t common_of(const char *a, const char *b)
{
	size_t n = 0, word = 0;
	for (; a[n] && a[n] == b[n]; n++)
		if (!isalnum((unsigned char)a[n]))
			word = n + 1;
	return a[word] && b[word] ? word : 0;
}

/* Marks the names that begin with the first common[like] bytes of name `like`, which are cut off from all of them. */
static void add_like(struct names *names, size_t like)
{
	size_t n = names->common[like];
	for (size_t i = 0; i < names->n && n; i++) {
		if (names->alike[i] || strncmp(name_of(names, i), name_of(names, like), n) != 0 ||
		    !name_of(names, i)[n])
			continue;
		names->alike[i] = true;
		names->common[i] = n;
	}
}

static void find_alike(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		for (size_t k = 0; k < names->n; k++) {
			const char *a = name_of(names, i), *b = name_of(names, k);
			if (i == k || strncmp(a, b, names->cells) != 0)
				continue;
			size_t common = common_of(a, b);
			if (!names->alike[i] || common < names->common[i])
				names->common[i] = common;
			names->alike[i] = true;
		}
	for (size_t i = 0; i < names->n; i++)
		if (names->alike[i])
			add_like(names, i);
}

/* Returns the length of a tracepoint's system in its name: of "sched:sched_" in "sched:sched_switch", of "irq:" in
 * "irq:softirq_entry".  0: the event is no tracepoint. */
static size_t system_length(const struct names *names, size_t event)
{
	const char *name = name_of(names, event), *colon = strchr(name, ':');
	size_t n = colon ? (size_t)(colon - name) : 0;
	if (names->info->events[event].spec.type != ABI_TYPE_TRACEPOINT || !n || !colon[1])
		return 0;
	bool again = strncmp(colon + 1, name, n) == 0 && colon[1 + n] == '_' && colon[2 + n];
	return n + 1 + (again ? n + 1 : 0);
}

static void cut_pmu(const char *name, size_t most, char ret[COLUMN_TITLE_MAX])
{
	const char *slash = strchr(name, '/'), *pmu = slash;
	while (pmu > name && pmu[-1] != '_')
		pmu--;
	int n = snprintf(ret, COLUMN_TITLE_MAX, "%.*s%.*s", (int)(slash + 1 - pmu), pmu, (int)most, slash + 1);
	size_t len = n < (int)most ? (size_t)n : most;
	ret[len - (len > 1 && ret[len - 1] == '/')] = '\0';
}

static void cut_name(const struct names *names, size_t event, enum cut cut, char ret[COLUMN_TITLE_MAX])
{
	const char *name = name_of(names, event), *rest = name + names->common[event];
	size_t n = strlen(rest), most = names->most, head = (most - 2) / 2, tail = most - 2 - head;
	if (cut == CUT_END && !names->alike[event])
		snprintf(ret, COLUMN_TITLE_MAX, "%.*s", (int)names->cells, name + system_length(names, event));
	else if (cut == CUT_END || !names->alike[event])
		snprintf(ret, COLUMN_TITLE_MAX, "%.*s", (int)names->cells, name);
	else if (cut == CUT_NUMBER)
		snprintf(ret, COLUMN_TITLE_MAX, "%.*s#%u", (int)names->cells - NUMBER_CELLS, name,
			 (unsigned)(event % EVENTS_MAX) + 1);
	else if (cut == CUT_PMU && strchr(name, '/'))
		cut_pmu(name, most, ret);
	else if (cut == CUT_MIDDLE && n > most)
		snprintf(ret, COLUMN_TITLE_MAX, "%.*s..%s", (int)head, rest, rest + n - tail);
	else
		snprintf(ret, COLUMN_TITLE_MAX, "%.*s", (int)(cut == CUT_COMMON ? names->cells : most), rest);
}

/* Cuts all names in the way `cut`.  Returns false if two of the results are equal. */
static bool cut_all(const struct names *names, enum cut cut, char ret[EVENTS_MAX][COLUMN_TITLE_MAX])
{
	bool differ = true;
	for (size_t i = 0; i < names->n; i++) {
		cut_name(names, i, cut, ret[i]);
		for (size_t k = 0; k < i && differ; k++)
			differ = strcasecmp(ret[i], ret[k]) != 0;
	}
	return differ;
}

void event_headings(const struct source_info *info, size_t cells, size_t most, char ret[EVENTS_MAX][COLUMN_TITLE_MAX])
{
	struct names names = {.info = info, .cells = cells, .most = most};
	names.n = info->events_n < EVENTS_MAX ? info->events_n : EVENTS_MAX;
	for (size_t e = 0; e < names.n; e++)
		read_name(&names, e);
	find_alike(&names);
	enum cut cut = CUT_END;
	while (!cut_all(&names, cut, ret) && cut < CUT_NUMBER)
		cut++;
}

/* Returns true if `name` begins with the first `n` bytes of `word` or, with `anywhere`, contains them. */
static bool is_like(const char *name, const char *word, size_t n, bool anywhere)
{
	if (!anywhere)
		return strncasecmp(name, word, n) == 0 || strncasecmp(event_short_name(name), word, n) == 0;
	while (*name && strncasecmp(name, word, n) != 0)
		name++;
	return *name;
}

size_t view_events_like(const struct view_input *in, const char *word, const char **ret)
{
	size_t n = strlen(word), found = 0;
	n -= n > 2 && strcmp(word + n - 2, "/s") == 0 ? 2 : 0;
	for (int anywhere = 0; anywhere < 2 && !found; anywhere++)
		for (size_t e = 0; e < in->info->events_n && e < EVENTS_MAX; e++) {
			const char *name = in->info->events[e].spec.name;
			if (is_like(name, word, n, anywhere))
				ret[found++] = name;
		}
	return found;
}
