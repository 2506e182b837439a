/* What columns and lines of the screen must know of the session: its events, its metrics, the length of the window. */
#include "view/internal.h"

#include <string.h>

double window_ns(const struct snapshot *snap)
{
	return snap->end_ns > snap->start_ns ? (double)(snap->end_ns - snap->start_ns) : 0;
}

double event_rate(const struct view_input *in, size_t event, double count)
{
	char unit[24];
	double ns = window_ns(in->snap);
	return ns > 0 ? count / ns * 1e9 * event_rate_unit(&in->info->events[event].spec, unit, sizeof(unit)) : 0;
}

size_t event_of_role(const struct view_input *in, enum event_role role)
{
	for (size_t e = 0; e < in->info->events_n && e < EVENTS_MAX; e++) {
		if (in->info->events[e].available && role_of(in, e) == role)
			return e;
	}
	return EVENTS_MAX;
}

size_t primary_event(const struct view_input *in)
{
	return in->snap ? in->snap->primary : 0;
}

const char *view_share_of(const struct view_input *in)
{
	if (in->info->events_n == 0)
		return "cycles";
	enum event_role role = role_of(in, primary_event(in));
	return role == ROLE_CYCLES  ? "cycles"
	       : role == ROLE_CLOCK ? "busy time"
				    : in->info->events[primary_event(in)].spec.name;
}

bool event_has_total(const struct view_input *in, size_t e)
{
	enum event_role role = role_of(in, e);
	return in->info->events[e].available && in->info->scope != SCOPE_PROC &&
	       (role != ROLE_CLOCK || scope_is_of_tasks(in->info->scope));
}

/* Returns true if there is an event with this role that excludes exactly *modes; NULL: any modes. */
static bool role_available(const struct view_input *in, enum event_role role, const uint8_t *modes)
{
	for (size_t e = 0; e < in->info->events_n && e < EVENTS_MAX; e++)
		if (in->info->events[e].available && role_of(in, e) == role &&
		    (!modes || event_modes(&in->info->events[e].spec) == *modes))
			return true;
	return false;
}

/* Returns true if there is an event for each operand.  `modes`: the modes that events of operands without modifiers
 * must exclude; NULL: any. */
static bool operands_available(const struct view_input *in, const struct metric *metric, const uint8_t *modes)
{
	for (size_t i = 0; i < metric->operands_n; i++) {
		enum event_role role = metric->operands[i];
		/* an operand that names an event stands for this very event */
		const uint8_t *own = role < ROLE_COUNT ? &metric->modes[i] : NULL;
		if (!role_available(in, role, metric->own_modes >> i & 1 ? own : modes))
			return false;
	}
	return true;
}

bool metric_events_available(const struct view_input *in, const struct metric *metric)
{
	return operands_available(in, metric, NULL);
}

bool metric_available(const struct view_input *in, const struct metric *metric)
{
	for (size_t e = 0; e < in->info->events_n && e < EVENTS_MAX; e++) {
		uint8_t modes = event_modes(&in->info->events[e].spec);
		if (operands_available(in, metric, &modes))
			return true;
	}
	return false;
}

const struct metric *metric_shown(const struct view_input *in, const char *id)
{
	const struct metric *m = metric_find(metrics_of(in), id);
	return m && in->info->scope != SCOPE_PROC && metric_available(in, m) ? m : NULL;
}

const struct metric *ipc_metric(const struct view_input *in)
{
	return metric_shown(in, "ipc");
}

bool metric_is_in_part(const struct view_input *in, const struct metric *metric)
{
	const struct metric_parts *p = &in->snap->sums.parts[metric - metrics_of(in)->v];
	return p->valid && p->cpus < p->cpus_of;
}

/* Returns true if two events (their indices) are always counted at the same times. */
static bool are_at_once(const struct view_input *in, size_t num, size_t den)
{
	const struct source_event *a = &in->info->events[num], *b = &in->info->events[den];
	bool all = in->snap->events[num].running >= 0.995 && in->snap->events[den].running >= 0.995;
	return all || (a->group && a->group == b->group) || strcmp(a->pmu, b->pmu) != 0;
}

bool metric_takes_turns(const struct view_input *in, const struct metric *metric)
{
	const struct snapshot *s = in->snap;
	if (!s || !in->info->has_counters || in->info->scope == SCOPE_PROC)
		return false; /* recordings do not say which events were scheduled together */
	const struct metric_parts *p = &s->sums.parts[metric - metrics_of(in)->v];
	uint64_t all = p->valid ? parts_all(p) : 0;
	for (size_t a = 0; a < s->sums.n; a++)
		for (size_t b = 0; b < a; b++)
			if (all >> a & all >> b & 1 && s->sums.event[a] != s->sums.event[b] &&
			    !event_is_sibling(&in->info->events[s->sums.event[a]].spec,
					      &in->info->events[s->sums.event[b]].spec) &&
			    !are_at_once(in, s->sums.event[a], s->sums.event[b]))
				return true;
	return false;
}

bool ghz_known(const struct view_input *in)
{
	size_t e = event_of_role(in, ROLE_CYCLES);
	if (e == EVENTS_MAX || in->info->scope != SCOPE_SYSTEM)
		return false;
	const struct event_spec *spec = &in->info->events[e].spec;
	return !spec->exclude_user && !spec->exclude_kernel;
}

const char *without_chains(const struct view_input *in, const char *possible)
{
	return in->info->chains || in->chains_change
		       ? possible
		       : "The samples have no call chains: cyctop record -g or perf record -g writes them.";
}

size_t available_events(const struct source_info *info)
{
	size_t n = 0;
	for (size_t e = 0; e < info->events_n && e < EVENTS_MAX; e++)
		n += info->events[e].available;
	return n;
}
