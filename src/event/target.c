/* Targets: the tasks and CPUs that are measured, as options of the command line name them. */
#include <cyctop/event.h>

#include "base/fmt.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

unsigned cpu_bits_count(const struct cpu_bits *bits)
{
	unsigned n = 0;
	for (size_t i = 0; i < ARRAY_LEN(bits->words); i++)
		n += (unsigned)__builtin_popcountll(bits->words[i]);
	return n;
}

unsigned cpu_bits_end(const struct cpu_bits *bits)
{
	for (size_t i = ARRAY_LEN(bits->words); i-- > 0;)
		if (bits->words[i])
			return (unsigned)(i * 64 + 64 - (size_t)__builtin_clzll(bits->words[i]));
	return 0;
}

void cpu_place_core(struct cpu_place *place, uint32_t core)
{
	snprintf(place->core, sizeof(place->core), "%d:%" PRIu32, place->socket < 0 ? 0 : place->socket, core);
}

bool cpu_bits_parse(const char *text, struct cpu_bits *ret)
{
	struct cpu_bits bits = {0};
	const char *s = text;
	while (*s && *s != '\n') {
		uint64_t first, last;
		if (!text_u64(&s, &first))
			return false;
		last = first;
		if (*s == '-') {
			s++;
			if (!text_u64(&s, &last))
				return false;
		}
		if (last < first || last >= CPUS_MAX)
			return false;
		for (uint64_t cpu = first; cpu <= last; cpu++)
			cpu_bits_add(&bits, (unsigned)cpu);
		if (*s == ',')
			s++;
		else if (*s && *s != '\n')
			return false;
	}
	*ret = bits;
	return true;
}

static bool has_id(const struct target *target, uint32_t id)
{
	for (size_t i = 0; i < target->ids_n; i++)
		if (target->ids[i] == id)
			return true;
	return false;
}

/* Sets the error for a text that is no list of ids; suggests pgrep if it may be a name. */
static int refuse_ids(const char *list, struct error *err)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
	if (*list && list[strspn(list, word)] == '\0' && !isdigit((unsigned char)*list) && *list != '-')
		return error_set(err, EINVAL,
				 "'%.60s' is not a list of ids such as 17,4242: \"$(pgrep -d, %.60s)\" is that of the "
				 "programs of that name",
				 list, list);
	return error_set(err, EINVAL, "'%.60s' is not a list of ids such as 17,4242", list);
}

int target_add_ids(struct target *target, const char *list, struct error *err)
{
	for (const char *s = list;; s++) {
		uint64_t id;
		if (!text_u64(&s, &id) || !id || id > INT32_MAX || (*s && *s != ','))
			return refuse_ids(list, err);
		if (!has_id(target, (uint32_t)id)) {
			if (target->ids_n == TARGET_IDS_MAX)
				return error_set(err, E2BIG,
						 "more than %d ids; measure all of a user (-u), or everything",
						 TARGET_IDS_MAX);
			target->ids[target->ids_n++] = (uint32_t)id;
		}
		if (!*s)
			return 0;
	}
}

int target_set_cgroups(struct target *target, const char *list, struct error *err)
{
	size_t names = 0, n;
	for (const char *s = list;; s += n + 1) {
		n = strcspn(s, ",");
		if (!n)
			return error_set(
				err, EINVAL,
				"'%.60s' is not a list of cgroups such as system.slice,user.slice: a name is empty",
				list);
		if (++names > TARGET_IDS_MAX)
			return error_set(err, E2BIG, "more than %d cgroups; name one that they are below of",
					 TARGET_IDS_MAX);
		if (!s[n])
			break;
	}
	target->kind = TARGET_CGROUPS;
	target->cgroups = list;
	return 0;
}

int target_set_cpus(struct target *target, const char *list, struct error *err)
{
	struct cpu_bits cpus;
	size_t n = strlen(list);
	if (!n || list[n - 1] == ',' || strchr(list, '\n') || !cpu_bits_parse(list, &cpus))
		return error_set(err, EINVAL, "'%.60s' is not a list of CPUs such as 0-3,7", list);
	for (size_t i = 0; i < ARRAY_LEN(cpus.words); i++)
		target->cpus.words[i] |= cpus.words[i];
	target->some_cpus = true;
	return 0;
}

/* ---- writing a target as text ---------------------------------------------------- */

struct text {
	char *buf;
	size_t n, cap;
};

/* Appends `s` if it fits; if not, appends "..." and ignores all later calls. */
static void add(struct text *t, const char *s)
{
	size_t n = strlen(s);
	if (t->n + n + sizeof("...") <= t->cap) {
		memcpy(t->buf + t->n, s, n + 1);
		t->n += n;
	} else if (t->n + sizeof("...") <= t->cap) {
		memcpy(t->buf + t->n, "...", sizeof("..."));
		t->n = t->cap;
	}
}

static void add_ids(struct text *t, const struct target *target, const char *word, const char *plural)
{
	char number[16];
	add(t, target->ids_n == 1 ? word : plural);
	for (size_t i = 0; i < target->ids_n; i++) {
		snprintf(number, sizeof(number), "%s%u", i ? "," : " ", target->ids[i]);
		add(t, number);
	}
}

static void add_cpus(struct text *t, const struct target *target)
{
	char number[32];
	add(t, t->n ? " on CPU" : "CPU");
	add(t, cpu_bits_count(&target->cpus) == 1 ? " " : "s ");
	bool any = false;
	for (unsigned cpu = 0, last; cpu < CPUS_MAX; cpu = last + 1) {
		last = cpu;
		if (!cpu_bits_has(&target->cpus, cpu))
			continue;
		while (cpu_bits_has(&target->cpus, last + 1))
			last++;
		int n = snprintf(number, sizeof(number), "%s%u", any ? "," : "", cpu);
		if (last > cpu)
			snprintf(number + n, sizeof(number) - (size_t)n, "-%u", last);
		add(t, number);
		any = true;
	}
}

/* Appends names of cgroups.  Too long names lose their beginning, since cgroups often share their first directories. */
static void add_cgroups(struct text *t, const char *names)
{
	enum { LEAST = 8, MARK = sizeof("...") - 1 };
	add(t, strchr(names, ',') ? "cgroups " : "cgroup ");
	size_t n = strlen(names), room = t->n + LEAST + MARK < t->cap ? t->cap - t->n - LEAST : 0;
	if (room && n > room) {
		add(t, "...");
		names += n - (room - MARK);
		while (((unsigned char)*names & 0xC0) == 0x80) /* do not start inside a UTF-8 character */
			names++;
	}
	add(t, names);
}

void target_text(const struct target *target, const char *comm, char *buf, size_t cap)
{
	struct text t = {.buf = buf, .cap = cap};
	buf[0] = '\0';
	if (target->kind == TARGET_PROCESSES)
		add_ids(&t, target, "process", "processes");
	if (target->kind == TARGET_THREADS)
		add_ids(&t, target, "thread", "threads");
	if (target->ids_n == 1 && *comm) {
		add(&t, " (");
		add(&t, comm);
		add(&t, ")");
	}
	if (target->kind == TARGET_USER) {
		add(&t, "user ");
		add(&t, target->user);
	}
	if (target->kind == TARGET_CGROUPS)
		add_cgroups(&t, target->cgroups);
	if (target->some_cpus)
		add_cpus(&t, target);
}
