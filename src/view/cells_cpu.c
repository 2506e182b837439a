/* Computes the cells of the columns of CPUs. */
#include "view/columns.h"

#include <stdio.h>

static const struct cpu_total *cpu_of(const struct view_input *in, const struct row *row)
{
	return in->snap->cpus && row->cpu < in->snap->cpus_n ? &in->snap->cpus[row->cpu] : NULL;
}

struct cell online_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct cpu_total *ct = cpu_of(in, row);
	return ct ? bool_cell(ct->online) : cell_absent();
}

struct cell busy_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct cpu_total *ct = cpu_of(in, row);
	if (!ct || !ct->busy_known || (!ct->online && !in->for_files))
		return cell_absent();
	return (struct cell){.kind = CELL_PERCENT, .v = ct->busy};
}

/* Returns which was counted on this CPU, `event` or its sibling on another PMU; snap->events_n: neither. */
static size_t counted_there(const struct view_input *in, const struct cpu_total *ct, size_t event)
{
	const struct source_event *events = in->info->events;
	size_t e = 0, n = event < in->snap->events_n ? in->snap->events_n : 0;
	while (e < n &&
	       (ct->states[e] != COUNT_OK || (e != event && !event_is_sibling(&events[e].spec, &events[event].spec))))
		e++;
	return e < n ? e : in->snap->events_n;
}

struct cell ghz_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct cpu_total *ct = cpu_of(in, row);
	size_t e = ct ? counted_there(in, ct, event_of_role(in, ROLE_CYCLES)) : in->snap->events_n;
	if (!ct || e >= in->snap->events_n || ct->busy_ns < 1e6)
		return cell_absent();
	struct ratio r = snapshot_cpu_ghz(in->snap, row->cpu, e);
	return (struct cell){.kind = r.valid ? CELL_RATIO : CELL_ABSENT, .r = r};
}

/* A ratio of a CPU, computed from its counters rather than from samples. */
struct cell cpu_metric_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	struct ratio r = {0};
	if (cpu_of(in, row))
		r = cpu_metric(in->snap, row->cpu, col->metric);
	return (struct cell){.kind = r.valid ? CELL_RATIO : CELL_ABSENT, .r = r};
}

/* Makes the cell of a rate; with decimals if the event has a scale, because its unit may be large (Joules). */
static struct cell rate_cell(const struct view_input *in, size_t event, double count, double error)
{
	double v = event_rate(in, event, count);
	error = event_rate(in, event, error);
	return in->info->events[event].spec.scale > 0
		       ? (struct cell){.kind = CELL_RATIO, .r = {.value = v, .error = error, .valid = true}}
		       : (struct cell){.kind = CELL_RATE, .v = v, .error = error};
}

void view_rate_text(const struct view_input *in, size_t event, char *buf, size_t cap)
{
	const struct event_total *t = &in->snap->events[event];
	struct cell cell = t->state == COUNT_OK ? rate_cell(in, event, t->count, 0) : cell_absent();
	char rate[32], unit[24];
	if (t->state == COUNT_NEVER) {
		snprintf(buf, cap, "never counted");
		return;
	}
	cell_format(&(struct column){.title = ""}, &cell, 0, rate, sizeof(rate));
	(void)event_rate_unit(&in->info->events[event].spec, unit, sizeof(unit));
	snprintf(buf, cap, "%s%s", rate, unit);
}

struct cell count_rate_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	double count, error;
	return !row->idle && snapshot_count_there(in->snap, in->names, col->counted_on, row->cpu, col->event,
						  in->info->events[col->event].spec.shared, &count, &error)
		       ? rate_cell(in, col->event, count, error)
		       : cell_absent();
}
