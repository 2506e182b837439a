/* Options that choose events and metrics. */
#include "options/rows.h"

#include <errno.h>
#include <string.h>

/* The first -e or --preset replaces the default events, later ones add events. */
static void leave_defaults(struct options *o)
{
	if (!o->live.events_given)
		o->event_first = o->live.events_n = 0;
	o->live.events_given = true;
}

int option_events(struct options *o, const char *arg, struct error *err)
{
	struct event_world_here here;
	leave_defaults(o);
	o->event_first = o->live.events_n;
	known_world(&here);
	return event_parse_list(arg, &here.world, o->live.events, &o->live.events_n, err);
}

/* --event-filter: sets the filter of the tracepoints in the -e before it. */
int option_event_filter(struct options *o, const char *arg, struct error *err)
{
	if (!o->live.events_given)
		return error_set(err, EINVAL,
				 "--event-filter without an -e before it: it is about the fields of its tracepoints");
	if (!arg[strspn(arg, " \t\n")])
		return error_set(err, EINVAL, "--event-filter takes a condition on fields, \"prev_state == 1\"");
	for (size_t e = o->event_first; e < o->live.events_n; e++) {
		struct event_spec *spec = &o->live.events[e];
		if (spec->type != ABI_TYPE_TRACEPOINT)
			return error_set(err, EINVAL,
					 "--event-filter: '%s' is no tracepoint and has no fields; give it a -e of its "
					 "own, after the filter",
					 spec->name);
		if (spec->filter)
			return error_set(err, EINVAL, "--event-filter is given twice for '%s'; join both by &&",
					 spec->name);
		spec->filter = arg;
	}
	return 0;
}

int option_metric(struct options *o, const char *arg, struct error *err)
{
	struct metric_set *set = NULL;
	if (o->metrics_n == METRICS_MAX)
		return error_set(err, E2BIG, "--metric is given too often");
	o->metrics[o->metrics_n++] = arg;
	int rc = metric_set_create(o->metrics, o->metrics_n, &set, err);
	metric_set_destroy(set);
	return rc;
}

/* Adds the event that a formula names, unless it is already in the list of events. */
static int add_event(struct options *o, const struct metric_word *word, struct error *err)
{
	struct event_world_here here;
	for (size_t e = 0; e < o->live.events_n; e++)
		if (metric_word_is(word, &o->live.events[e]))
			return 0;
	known_world(&here);
	return event_parse_list(word->name, &here.world, o->live.events, &o->live.events_n, err);
}

/* Adds the events of a preset, except those that an option before it named: presets have events in common. */
static int add_preset(struct options *o, const char *words, struct error *err)
{
	struct event_world_here here;
	struct event_spec specs[EVENTS_MAX];
	size_t n = 0;
	known_world(&here);
	int rc = event_parse_list(words, &here.world, specs, &n, err);
	leave_defaults(o);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		size_t e = 0;
		while (e < o->live.events_n && strcmp(o->live.events[e].name, specs[i].name) != 0)
			e++;
		if (e == EVENTS_MAX)
			return error_set(err, E2BIG, "more than %d events with those of --preset", EVENTS_MAX);
		if (e == o->live.events_n)
			o->live.events[o->live.events_n++] = specs[i];
	}
	return rc;
}

static void list_presets(struct strbuf *ret)
{
	for (size_t i = 0; i < event_presets_n; i++)
		strbuf_addf(ret, "%s, ", event_presets[i].name);
	strbuf_addf(ret, "%s, %s", PRESET_TOPDOWN, PRESET_MEM);
}

/* --preset topdown: adds the events and metrics of this machine's CPU. */
static int use_topdown(struct options *o, struct error *err)
{
	const struct event_topdown *t = known_topdown();
	if (!t)
		return error_set(err, ENOTSUP,
				 "--preset topdown: for this CPU no formulas over events with samples are known "
				 "(doc/events.md has the list); --preset stalls is what most CPUs count");
	int rc = add_preset(o, t->events, err);
	for (size_t i = 0; rc == 0 && t->metrics[i]; i++)
		rc = option_metric(o, t->metrics[i], err);
	return rc;
}

/* --preset mem: adds those events of this machine whose samples describe memory accesses, and requests that their
 * samples have addresses, data sources and latencies. */
static int use_memory(struct options *o, struct error *err)
{
	struct strbuf words = {0};
	struct event_world_here here;
	known_world(&here);
	event_preset_mem(here.world.pmus, &words);
	int rc =
		words.n ? option_events(o, words.data, err)
			: error_set(err, ENOTSUP,
				    "--preset mem: no event of this machine takes samples that tell of memory accesses "
				    "(/sys/bus/event_source/devices has neither Intel's mem-loads nor AMD's ibs_op)");
	strbuf_deinit(&words);
	o->live.weights = true;
	o->live.memory |= SAMPLE_ADDR | SAMPLE_DATA_SRC;
	return rc;
}

int option_preset(struct options *o, const char *arg, struct error *err)
{
	const struct event_preset *preset = event_preset(arg);
	if (strcmp(arg, PRESET_TOPDOWN) == 0)
		return use_topdown(o, err);
	if (strcmp(arg, PRESET_MEM) == 0)
		return use_memory(o, err);
	return preset ? add_preset(o, preset->events, err)
		      : option_refuse(o, "--preset", arg, list_presets, WORD_PRESET, err);
}

int option_metric_events(struct options *o, struct error *err)
{
	struct metric_set *set = NULL;
	int rc = o->metrics_n ? metric_set_create(o->metrics, o->metrics_n, &set, err) : 0;
	for (size_t i = 0; rc == 0 && set && i < set->words_n; i++)
		rc = add_event(o, &set->words[i], err);
	metric_set_destroy(set);
	return rc < 0 ? -EINVAL : 0;
}
