/* The panel of the key O: which machine is measured, and with which events. */
#include "view/screen.h"

#include <inttypes.h>

/* Adds a line about an event, with the events that were counted together with it (recordings do not tell which). */
static void add_event(const struct source_info *info, size_t e, struct strbuf *b)
{
	const struct source_event *event = &info->events[e];
	const char *before = ": counted together with ";
	bool alone = true;
	strbuf_add(b, event->spec.name);
	if (event->pmu[0])
		strbuf_addf(b, " of the PMU %s", event->pmu);
	for (size_t i = 0; event->group && i < info->events_n; i++) {
		if (i == e || !info->events[i].available || info->events[i].group != event->group)
			continue;
		strbuf_addf(b, "%s%s", before, info->events[i].spec.name);
		before = " and ";
		alone = false;
	}
	strbuf_add(b, event->spec.counted	    ? ": only counted, for CPUs, not sampled.\n"
		      : alone && info->has_counters ? ": counted alone.\n"
						    : ".\n");
}

static void about_text(struct view_state *st, const struct view_input *in, struct strbuf *b)
{
	const struct source_info *info = in->info;
	(void)st;
	strbuf_addf(b, "%s%s%s, %s, %u CPU%s: %s.\n", info->label ? info->label : "", info->label ? ": " : "",
		    info->host[0] ? info->host : "a machine without a name",
		    info->kernel[0] ? info->kernel : "unknown kernel", info->cpus_n, info->cpus_n == 1 ? "" : "s",
		    info->target[0] ? info->target : "all tasks on all CPUs");
	if (info->rate_hz)
		strbuf_addf(b, "Each counter takes about %" PRIu64 " samples a second while it counts.\n",
			    info->rate_hz);
	else if (info->period)
		strbuf_addf(b, "Each counter takes a sample every %" PRIu64 " events.\n", info->period);
	for (size_t e = 0; e < info->events_n; e++)
		if (info->events[e].available)
			add_event(info, e, b);
}

const struct view_ops about_view = {
	.place = PLACE_PANEL,
	.open = {.keys = {'O'},
		 .names = "O",
		 .help = "about: the machine that is measured, the sampling, and the events",
		 .opens = &about_view},
	.title = "About this measurement",
	.text = about_text,
};
