/* Finds known events with names similar to an unknown one, for "did you mean". */
#include "event/internal.h"

#include "base/words.h"

#include <stdio.h>
#include <string.h>

struct search {
	const struct event_files *files; /* PMUs or tracepoints whose names are considered */
	const char *typed;
	const char *before; /* prefix of the names that are being listed: "sched:" */
	bool alone;	    /* only a tracepoint's NAME was typed, not SYSTEM:NAME */
	unsigned distance[EVENT_NEAR_MAX];
	struct event_near *ret;
};

/* Inserts a name into s->ret if it is similar enough.  Skips names with a dot: "energy.unit" is not an event, but the
 * unit of "energy". */
static void consider(void *ctx, const char *name)
{
	struct search *s = ctx;
	struct event_near *ret = s->ret;
	char whole[sizeof(ret->names[0])];
	if (strchr(name, '.'))
		return;
	snprintf(whole, sizeof(whole), "%.60s%.95s", s->before, name);
	const char *compared = s->alone ? name : whole;
	if (!word_is_near(s->typed, compared))
		return;
	unsigned distance = word_distance(s->typed, compared);
	size_t at = ret->n;
	while (at > 0 && distance < s->distance[at - 1])
		at--;
	if (at == EVENT_NEAR_MAX)
		return;
	ret->n += ret->n < EVENT_NEAR_MAX;
	for (size_t i = ret->n - 1; i > at; i--) {
		memcpy(ret->names[i], ret->names[i - 1], sizeof(whole));
		s->distance[i] = s->distance[i - 1];
	}
	memcpy(ret->names[at], whole, sizeof(whole));
	s->distance[at] = distance;
}

static void consider_pmu(void *ctx, const char *pmu)
{
	struct search *s = ctx;
	char dir[128];
	snprintf(dir, sizeof(dir), "%.100s/events", pmu);
	(void)s->files->each(s->files->ctx, dir, consider, s);
}

/* Considers the tracepoints of a system if its name is similar to the typed system, or if no system was typed. */
static void consider_system(void *ctx, const char *name)
{
	struct search *s = ctx;
	char system[64], before[72];
	snprintf(system, sizeof(system), "%.*s", (int)strcspn(s->typed, ":"), s->typed);
	if (!s->alone && !word_is_near(system, name))
		return;
	snprintf(before, sizeof(before), "%.60s:", name);
	s->before = before;
	(void)s->files->each(s->files->ctx, name, consider, s);
	s->before = "";
}

void event_near(const struct event_world *world, const char *typed, struct event_near *ret)
{
	struct search s = {.files = world->pmus, .typed = typed, .before = "", .ret = ret};
	ret->n = 0;
	event_each_generic(consider, &s);
	event_each_cache(consider, &s);
	if (world->pmus)
		(void)world->pmus->each(world->pmus->ctx, "", consider_pmu, &s);
	s.files = world->tracepoints;
	s.alone = !strchr(typed, ':');
	if (world->tracepoints)
		(void)world->tracepoints->each(world->tracepoints->ctx, "", consider_system, &s);
	while (ret->n > 1 && s.distance[ret->n - 1] > s.distance[0] + 1)
		ret->n--;
}
