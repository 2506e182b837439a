#include "base/alloc.h"
#include "os/file.h"

#include <cyctop/options.h>
#include <cyctop/resolve.h>

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void known_world(struct event_world_here *ret)
{
	event_files_here(&ret->pmus, &ret->tracepoints);
	ret->world = (struct event_world){&ret->pmus, &ret->tracepoints, pfm_lookup, NULL, function_offset};
}

const struct event_topdown *known_topdown(void)
{
	char cpuinfo[8192] = ""; /* a longer file is cut, but only the lines of the first CPU matter */
	return os_read("/proc/cpuinfo", cpuinfo, sizeof(cpuinfo)) < 0 ? NULL : event_topdown(cpuinfo);
}

const char *known_preset(const char *name)
{
	const struct event_preset *preset = event_preset(name);
	const struct event_topdown *topdown = strcmp(name, PRESET_TOPDOWN) == 0 ? known_topdown() : NULL;
	return preset ? preset->events : topdown ? topdown->events : NULL;
}

struct reading {
	const char *pattern;
	struct known_events *to;
};

static bool matches(const char *pattern, const struct event_known *e)
{
	char around[256];
	snprintf(around, sizeof(around), "*%.250s*", pattern);
	return fnmatch(around, e->name, FNM_CASEFOLD) == 0 || fnmatch(around, e->means, FNM_CASEFOLD) == 0 ||
	       fnmatch(pattern, e->source, FNM_CASEFOLD) == 0;
}

void known_add(struct known_events *to, const struct event_known *e)
{
	vec_push(to) = (struct event_known){
		.source = mem_strdup(e->source), .name = mem_strdup(e->name), .means = mem_strdup(e->means)};
}

static void add(void *ctx, const struct event_known *e)
{
	const struct reading *r = ctx;
	if (!r->pattern || matches(r->pattern, e))
		known_add(r->to, e);
}

void known_read(struct event_world_here *here, const char *pattern, struct known_events *ret)
{
	struct reading r = {pattern, ret};
	event_each_known(&here->world, add, &r);
	pfm_each(add, &r);
}

void known_free(struct known_events *events)
{
	for (size_t i = 0; i < events->n; i++) {
		free((void *)events->data[i].source);
		free((void *)events->data[i].name);
		free((void *)events->data[i].means);
	}
	vec_free(events);
}

int known_off_cpu(struct live_config *config, struct error *err)
{
	struct event_world_here here;
	struct event_spec spec;
	if (!config->off_cpu)
		return 0;
	if (config->events_n == EVENTS_MAX)
		return error_set(err, E2BIG, "--off-cpu is one event more than the %d that can be measured",
				 EVENTS_MAX);
	known_world(&here);
	int rc = event_parse(EVENT_SWITCHES, &here.world, &spec, err);
	if (rc < 0)
		return rc;
	spec.freq = false;
	spec.rate = 1;
	/* while recording, only the context switches are kept; the time off the CPU is computed when the recording is
	 * read */
	if (!config->keep) {
		spec.off_cpu = true;
		snprintf(spec.name, sizeof(spec.name), "%s", EVENT_OFF_CPU);
	}
	config->events[config->events_n++] = spec;
	return 0;
}
