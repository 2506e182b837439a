/* Opens, closes and changes events while a session runs. */
#include "source/live/live.h"

#include <errno.h>
#include <string.h>

/* Returns the index of the event that has this name, or had it before it was closed; info.events_n if there is none. */
static size_t index_of(const struct live *l, const struct event_spec *spec)
{
	size_t e = 0;
	while (e < l->info.events_n && strcmp(l->info.events[e].spec.name, spec->name) != 0)
		e++;
	return e;
}

static void add_event(struct live *l, size_t event)
{
	l->groups.leaders[event] = (uint32_t)event;
	if (!l->tasks)
		system_add_event(l, event);
	l->info.events_n++;
}

/* If events are on tasks, closes all of them: they can only be opened all at once. */
static void detach(struct live *l)
{
	if (!l->tasks)
		return;
	tasks_enable_at_once(l);
	tasks_detach_all(l);
}

/* Opens all events again, after detach(). */
static void open_all(struct live *l)
{
	if (l->tasks)
		tasks_attach_all(l);
	else
		system_open_again(l);
}

/* Opens events after detach(), when one event was added or closed.  If events are on CPUs, change() opens or closes
 * this event alone; but if the groups have changed, all events are opened again. */
static void open_again(struct live *l, size_t event, void (*change)(struct live *l, size_t event))
{
	if (groups_change(l, event) || l->tasks)
		open_all(l);
	else
		change(l, event);
}

int live_open_event(struct source *src, const struct event_spec *spec, struct error *err)
{
	struct live *l = (struct live *)src;
	struct live_config config = l->config;
	size_t event = index_of(l, spec);
	if (event == EVENTS_MAX)
		return error_set(err, E2BIG, "%s is one event too many: at most %d are measured at once", spec->name,
				 EVENTS_MAX);
	struct source_event *ev = &l->info.events[event];
	bool is_new = event == l->info.events_n;
	if (!is_new && ev->available)
		return (int)event;
	config.from_exec = false;
	ev->spec = *spec;
	int rc = setup_event(l, &config, event, err);
	if (rc)
		return rc;
	topology_pmu_name(spec, ev->pmu, sizeof(ev->pmu));
	(void)fit_admit(l, event, l->info.events_n);
	if (ev->available)
		detach(l);
	if (ev->available && is_new)
		add_event(l, event);
	if (ev->available)
		open_again(l, event, system_open_event);
	ev->closed = !ev->available;
	bool given_up = *spec->probe && (l->codes[event] == EACCES || l->codes[event] == EPERM);
	return ev->available
		       ? (int)event
		       : error_set(err, l->codes[event], "%s: %s", spec->name,
				   given_up ? "only root may set probes, and cyctop gives that privilege up once it "
					      "measures: name it with -e"
					    : ev->why);
}

/* Opens all events again, because PERF_EVENT_IOC_PERIOD would not change the events that child tasks inherited, and a
 * clock event keeps the period with which it was opened. */
uint64_t live_set_rate(struct source *src, uint64_t hz)
{
	struct live *l = (struct live *)src;
	if (!l->info.rate_hz || !hz)
		return 0;
	hz = event_rate_within(hz, env_max_rate_hz());
	for (size_t e = 0; e < l->info.events_n; e++)
		if (l->attrs[e].flags & ATTR_FREQ && !l->info.events[e].spec.rate)
			l->attrs[e].sample_period = hz;
	detach(l);
	open_all(l);
	l->config.freq = hz; /* for events that are opened later */
	return l->info.rate_hz = l->attrs[0].sample_period;
}

void live_set_chains(struct source *src, bool chains, uint32_t stack_bytes, void (*drain)(void *ctx), void *ctx)
{
	struct live *l = (struct live *)src;
	detach(l);
	for (size_t e = 0; !l->tasks && e < l->info.events_n; e++)
		system_close_event(l, e);
	drain(ctx);
	l->info.chains = l->config.chains = chains;
	l->info.stack_bytes = l->config.stack_bytes = stack_bytes;
	l->info.deferred = attrs_deferred(l);
	rings_resize(l);
	for (size_t e = 0; e < l->info.events_n; e++)
		attrs_chains(l, &l->attrs[e]);
	groups_layouts(l); /* the new layouts differ only in the members of call chains */
	open_all(l);
}

void live_close_event(struct source *src, size_t event)
{
	struct live *l = (struct live *)src;
	struct source_event *ev = &l->info.events[event];
	if (!event || event >= l->info.events_n || !ev->available)
		return;
	detach(l);
	ev->available = false;
	ev->closed = true;
	open_again(l, event, system_close_event);
}

/* Returns false if events are on tasks, where children would inherit a paused event. */
bool live_pause_event(struct source *src, size_t event, bool paused)
{
	struct live *l = (struct live *)src;
	if (!l->tasks)
		system_pause_event(l, event, paused);
	return !l->tasks;
}
