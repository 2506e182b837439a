/* Makes the feature TRACING_DATA: the kernel's description of the fields of each recorded tracepoint, without which
 * perf reads no recording of tracepoints. */
#include "recorder/describe.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 16 };

struct tracing {
	const struct pd_info *info;
	struct event_files files;
	const char *system;	  /* the tracepoint system (such as "sched") that is being listed */
	uint32_t events_n;	  /* number of recorded events of this system */
	uint32_t systems_n;	  /* number of systems with recorded events */
	struct pd_buffer formats; /* formats of this system's recorded events */
	struct pd_buffer systems;
	char *text; /* [FILE_MAX]: content of one file */
};

static bool is_recorded(const struct tracing *t, uint64_t id)
{
	for (size_t i = 0; i < t->info->events_n; i++)
		if (t->info->events[i].attr.type == ABI_TYPE_TRACEPOINT && t->info->events[i].attr.config == id)
			return true;
	return false;
}

/* Appends the content of a file, preceded by its size; for a file that cannot be read, the size 0. */
static void add_file(struct tracing *t, const char *path, struct pd_buffer *out)
{
	int n = t->files.read(t->files.ctx, path, t->text, FILE_MAX);
	uint64_t size = n > 0 ? (uint64_t)n : 0;
	pd_buffer_u64(out, size);
	pd_buffer_add(out, t->text, size);
}

static void add_event(void *ctx, const char *name)
{
	struct tracing *t = ctx;
	char path[256], id[32];
	snprintf(path, sizeof(path), "%.90s/%.100s/id", t->system, name);
	if (t->files.read(t->files.ctx, path, id, sizeof(id)) < 0 || !is_recorded(t, strtoull(id, NULL, 10)))
		return;
	snprintf(path, sizeof(path), "%.90s/%.100s/format", t->system, name);
	add_file(t, path, &t->formats);
	t->events_n++;
}

static void add_system(void *ctx, const char *system)
{
	struct tracing *t = ctx;
	t->system = system;
	t->events_n = 0;
	t->formats.n = 0;
	(void)t->files.each(t->files.ctx, system, add_event, t);
	if (!t->events_n)
		return;
	t->systems_n++;
	pd_buffer_add(&t->systems, system, strlen(system) + 1);
	pd_buffer_u32(&t->systems, t->events_n);
	pd_buffer_add(&t->systems, t->formats.data, t->formats.n);
}

static void add_header(struct tracing *t, struct pd_buffer *out)
{
	static const char magic[] = {23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g'}, version[] = "0.6";
	const uint8_t machine[] = {0 /* little endian */, sizeof(long)};
	pd_buffer_add(out, magic, sizeof(magic));
	pd_buffer_add(out, version, sizeof(version));
	pd_buffer_add(out, machine, sizeof(machine));
	pd_buffer_u32(out, (uint32_t)sysconf(_SC_PAGESIZE));
	pd_buffer_add(out, "header_page", sizeof("header_page"));
	add_file(t, "header_page", out);
	pd_buffer_add(out, "header_event", sizeof("header_event"));
	add_file(t, "header_event", out);
	pd_buffer_u32(out, 0); /* number of ftrace's own events that follow */
}

bool describe_tracepoints(const struct pd_info *info, struct pd_buffer *out)
{
	struct event_files pmus;
	struct tracing t = {.info = info};
	bool any = false;
	for (size_t i = 0; i < info->events_n; i++)
		any |= info->events[i].attr.type == ABI_TYPE_TRACEPOINT;
	if (!any)
		return false;
	event_files_here(&pmus, &t.files);
	t.text = mem_calloc(FILE_MAX, 1);
	add_header(&t, out);
	(void)t.files.each(t.files.ctx, "", add_system, &t);
	pd_buffer_u32(out, t.systems_n);
	pd_buffer_add(out, t.systems.data, t.systems.n);
	/* sizes of data that perf stores for other tools */
	pd_buffer_u32(out, 0); /* kallsyms */
	pd_buffer_u32(out, 0); /* printk formats */
	pd_buffer_u64(out, 0); /* command lines */
	free(t.text);
	free(t.formats.data);
	free(t.systems.data);
	return true;
}
