/* Lists all named events of this machine, for cyctop list. */
#include "event/internal.h"

#include <stdio.h>
#include <string.h>

struct listing {
	const struct event_files *files;
	event_known_fn *fn;
	void *ctx;
	const char *of; /* PMU or tracepoint system whose directory is being read */
};

static void tell(const struct listing *l, const char *source, const char *name, const char *means)
{
	l->fn(l->ctx, &(struct event_known){.source = source, .name = name, .means = means});
}

static bool read_terms(const struct listing *l, const char *pmu, const char *name, char *buf, size_t cap)
{
	char path[256];
	snprintf(path, sizeof(path), "%.90s/events/%.100s", pmu, name);
	if (!l->files || l->files->read(l->files->ctx, path, buf, cap) < 0)
		return false;
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

/* Lists a generic event, with the terms of the CPU's event that the kernel uses for it. */
static void add_generic(void *ctx, const char *name)
{
	const struct listing *l = ctx;
	struct event_spec spec = {0};
	char terms[256], means[300] = "";
	(void)event_parse_generic((struct event_text){name, strlen(name)}, &spec);
	const char *file = spec.type == ABI_TYPE_HARDWARE && strcmp(name, "cycles") == 0     ? "cpu-cycles"
			   : spec.type == ABI_TYPE_HARDWARE && strcmp(name, "branches") == 0 ? "branch-instructions"
											     : name;
	if (spec.type == ABI_TYPE_HARDWARE && read_terms(l, "cpu", file, terms, sizeof(terms)))
		snprintf(means, sizeof(means), "cpu/%s/", terms);
	tell(l,
	     spec.type == ABI_TYPE_HARDWARE   ? "hardware"
	     : spec.type == ABI_TYPE_SOFTWARE ? "software"
					      : "cache",
	     name, means);
}

/* Lists a named event of a PMU, from its file in events/.  Skips names with a dot: "energy.unit" is not an event, but
 * the unit of "energy". */
static void add_alias(void *ctx, const char *name)
{
	const struct listing *l = ctx;
	char terms[256], whole[256];
	if (strchr(name, '.') || !read_terms(l, l->of, name, terms, sizeof(terms)))
		return;
	snprintf(whole, sizeof(whole), "%.90s/%.100s/", l->of, name);
	tell(l, l->of, whole, terms);
}

static void add_term(void *ctx, const char *name)
{
	char *terms = ctx;
	size_t n = strlen(terms);
	if (n + strlen(name) + 3 < 256)
		snprintf(terms + n, 256 - n, "%s%s", n ? ", " : "", name);
}

static void add_pmu(void *ctx, const char *pmu)
{
	struct listing *l = ctx;
	char dir[128], terms[256] = "", name[128], means[300];
	snprintf(dir, sizeof(dir), "%.100s/format", pmu);
	(void)l->files->each(l->files->ctx, dir, add_term, terms);
	snprintf(name, sizeof(name), "%.100s/.../", pmu);
	snprintf(means, sizeof(means), "terms: %s", terms);
	if (*terms)
		tell(l, pmu, name, means);
	l->of = pmu;
	snprintf(dir, sizeof(dir), "%.100s/events", pmu);
	(void)l->files->each(l->files->ctx, dir, add_alias, l);
}

static void add_tracepoint(void *ctx, const char *name)
{
	const struct listing *l = ctx;
	char whole[256], path[256], id[32];
	snprintf(path, sizeof(path), "%.90s/%.100s/id", l->of, name);
	if (l->files->read(l->files->ctx, path, id, sizeof(id)) < 0)
		return;
	snprintf(whole, sizeof(whole), "%.90s:%.100s", l->of, name);
	tell(l, "tracepoint", whole, "");
}

static void add_system(void *ctx, const char *system)
{
	struct listing *l = ctx;
	l->of = system;
	(void)l->files->each(l->files->ctx, system, add_tracepoint, l);
}

void event_each_known(const struct event_world *world, event_known_fn *fn, void *ctx)
{
	struct listing l = {world->pmus, fn, ctx, NULL};
	event_each_generic(add_generic, &l);
	event_each_cache(add_generic, &l);
	tell(&l, "raw", "rNNN", "the code of an event of the CPU in hexadecimal");
	tell(&l, "breakpoint", "mem:ADDRESS[/LENGTH][:rwx]", "accesses to memory, by reading, writing or executing");
	tell(&l, "uprobe", "uprobe:/PATH:FUNCTION[+N|%return]", "each time a program's function begins, or returns");
	tell(&l, "uprobe", "uprobe:/PATH:0xOFFSET", "each time the code at an offset in a file runs");
	tell(&l, "kprobe", "kprobe:FUNCTION[+N|%return]", "each time a function of the kernel begins, or returns");
	tell(&l, "kprobe", "kprobe:0xADDRESS", "each time the code at an address of the kernel runs");
	if (l.files)
		(void)l.files->each(l.files->ctx, "", add_pmu, &l);
	l.files = world->tracepoints;
	if (l.files)
		(void)l.files->each(l.files->ctx, "", add_system, &l);
}
