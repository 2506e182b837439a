#include "model/metric_parts.h"
#include "model/runs.h"

#include <math.h>

static const double supported_error = 0.2;

bool ratio_supported(struct ratio r)
{
	return r.valid && r.error <= supported_error * fabs(r.value);
}

/* Returns the variance of a part's weight.  If the event is counted all the time, the weight of the whole is known, and
 * only the part's share in it is estimated, with the binomial variance var * (1 - share).  Time without a counter is
 * taken to be like the rest, and adds the fraction 1 - running of the whole's variance.  A part that has every sample
 * may still lack events that are rarer than one sample. */
double sum_variance(const struct sum *part, const struct sum *whole, double running, double gap)
{
	if (!whole->samples || !(whole->weight > 0))
		return part->var;
	double share = part->weight < whole->weight ? part->weight / whole->weight : 1;
	double least = 1 / (double)whole->samples;
	double left = 1 - share * (running < 1 ? running : 1);
	const struct runs runs = {
		.var = part->var,
		.edges = part->edges,
		.far = part->far,
		.share = share,
		.random = part->var * (left > least ? left : least),
		.unit = whole->weight * whole->weight / (double)whole->samples / (double)whole->samples,
		.running = running,
		.gap = gap,
	};
	return runs_variance(&runs);
}

/* ---- adding up the events of an operand of a metric ------------------------------------------ */

static void add_counted(struct sum *to, const struct sum *more, double var)
{
	to->samples += more->samples;
	to->weight += more->weight;
	to->var += var;
}

/* Returns a row's sum over a set of sums, an operand of a metric.  `var` of the result is the variance of its
 * weight. */
static struct sum row_sum(const struct snapshot *s, const struct row *row, uint64_t set)
{
	struct sum sum = {0};
	for (size_t i = 0; i < s->sums.n; i++) {
		if (!(set & SUM_BIT(i)))
			continue;
		const struct sum *own = &row->sums[i];
		double gap = s->events[s->sums.event[i]].gap;
		add_counted(&sum, own, sum_variance(own, &s->wholes[i], s->whole_running[i], gap));
	}
	return sum;
}

/* Returns the mean weight of one sample of the events in `set`: the error of a row's count if the row has no such
 * sample. */
static double unit_of(const struct snapshot *s, uint64_t set)
{
	double weight = 0, count = 0;
	uint64_t samples = 0;
	for (size_t i = 0; i < s->sums.n; i++) {
		if (!(set & SUM_BIT(i)))
			continue;
		const struct event_total *e = &s->events[s->sums.event[i]];
		weight += e->weight;
		samples += e->samples;
		count += e->count;
	}
	return samples ? weight / (double)samples : count;
}

/* The count of an operand of a metric, from counters. */
struct counts {
	double count;
	bool exact;	    /* counted all the time: no counter was multiplexed */
	struct sum samples; /* their `var` is the variance due to time without a counter */
};

static struct counts no_counts(void)
{
	return (struct counts){.exact = true};
}

/* Adds what a CPU counted outside of idle time: its count less the fraction that its samples in idle time have.  (A CPU
 * that polls while idle may count more than a busy one.) */
static void add_cpu(struct counts *c, const struct snapshot *s, unsigned at, uint64_t set)
{
	static const struct sum none;
	const struct cpu_total *cpu = &s->cpus[at];
	for (size_t i = 0; i < s->sums.n; i++) {
		size_t e = s->sums.event[i];
		if (!(set & SUM_BIT(i)) || cpu->states[e] != COUNT_OK)
			continue;
		const struct sum *of_idle = cpu->idle ? &cpu->idle[e] : &none;
		double known = count_known(s, at, e);
		struct sum busy = cpu->sums[e];
		double idle = busy.weight > 0 ? fmin(of_idle->weight / busy.weight, 1) : 0;
		busy.samples -= of_idle->samples;
		busy.weight *= 1 - idle;
		c->count += cpu->counts[e] * (1 - idle);
		c->exact &= known >= 1 && !(idle > 0);
		add_counted(&c->samples, &busy, cpu->sums[e].var * (1 - known + idle * (1 - idle)));
	}
}

static double whole_count(const struct snapshot *s, uint64_t set)
{
	double count = 0;
	for (size_t e = 0; e < s->events_n; e++)
		if (set & SUM_BIT(e) && s->events[e].state == COUNT_OK)
			count += s->events[e].count;
	return count;
}

double snapshot_count(const struct snapshot *s, size_t event)
{
	return whole_count(s, event_siblings(s, event));
}

/* Returns the clock frequency of the CPUs [first, end) while they were busy. */
static struct ratio ghz_over(const struct snapshot *s, unsigned first, unsigned end, size_t event)
{
	struct counts c = no_counts();
	double busy_ns = 0, busy_var = 0;
	for (unsigned cpu = first; cpu < end && cpu < s->cpus_n; cpu++) {
		const struct cpu_total *ct = &s->cpus[cpu];
		if (!ct->busy_known)
			continue;
		add_cpu(&c, s, cpu, event_siblings(s, event));
		busy_ns += ct->busy_ns;
		busy_var += ct->busy_error_ns * ct->busy_error_ns;
	}
	if (!(busy_ns > 0) || !(c.count > 0))
		return (struct ratio){.valid = false};
	double counted = c.exact || !(c.samples.weight > 0) ? 0 : c.samples.var / (c.samples.weight * c.samples.weight);
	double value = c.count / busy_ns; /* its error is that of the counts and of the busy time */
	return (struct ratio){
		.value = value, .error = value * sqrt(counted + busy_var / (busy_ns * busy_ns)), .valid = true};
}

struct ratio snapshot_ghz(const struct snapshot *s, size_t event)
{
	return ghz_over(s, 0, s->cpus_n, event);
}

struct ratio snapshot_cpu_ghz(const struct snapshot *s, unsigned cpu, size_t event)
{
	return ghz_over(s, cpu, cpu + 1, event);
}

double cpu_count_error(const struct snapshot *s, unsigned cpu, size_t event)
{
	const struct sum *sum = &s->cpus[cpu].sums[event];
	double unknown = 1 - count_known(s, cpu, event);
	if (!(unknown > 0) || s->cpus[cpu].states[event] != COUNT_OK)
		return 0;
	return sum->samples ? sqrt(sum->var * unknown) : s->units[event];
}

/* Returns true if another CPU of the same socket is in another NUMA node. */
static bool node_is_part_of_socket(const struct snapshot *s, const struct model_names *names, uint32_t cpu)
{
	uint64_t node = dimension_key(names, DIM_NODE, cpu), socket = dimension_key(names, DIM_SOCKET, cpu);
	for (uint32_t c = 0; c < s->cpus_n; c++)
		if (dimension_key(names, DIM_SOCKET, c) == socket && dimension_key(names, DIM_NODE, c) != node)
			return true;
	return false;
}

bool snapshot_count_there(const struct snapshot *s, const struct model_names *names, enum dimension_id dim,
			  uint32_t cpu, size_t event, bool shared, double *count_ret, double *error_ret)
{
	double count = 0, var = 0;
	bool counted = false;
	if (dim == DIM_NODE && shared && node_is_part_of_socket(s, names, cpu))
		return false;
	for (uint32_t c = 0; s->cpus && cpu < s->cpus_n && c < s->cpus_n; c++) {
		bool there =
			c == cpu || (dim != DIM_CPU && dimension_key(names, dim, c) == dimension_key(names, dim, cpu));
		if (!there || event >= s->events_n || s->cpus[c].states[event] != COUNT_OK)
			continue;
		double error = cpu_count_error(s, c, event);
		counted = true;
		count += s->cpus[c].counts[event];
		var += error * error;
	}
	*count_ret = count;
	*error_ret = sqrt(var);
	return counted;
}

/* ---- computing metrics of rows, CPUs and the machine --------------------------------- */

/* Returns the whole of which a row is a part, for sum_variance(), which takes the weight of the whole as exact.  If the
 * count exceeds the samples' weight (a clock also counts idle time), the whole is scaled up to the count.  If the count
 * itself is an estimate, the whole is made so large that a row's weight keeps its full error. */
static struct sum counted_whole(const struct snapshot *s, size_t event)
{
	static const double tolerance = 1.1, huge = 1e6; /* huge: every row is a small part of the whole */
	struct sum whole = s->wholes[event];
	const struct event_total *e = &s->events[event];
	double times = e->estimated ? huge : whole.weight > 0 ? e->count / whole.weight : 1;
	if (times > tolerance) {
		whole.weight *= times;
		whole.samples = (uint64_t)((double)whole.samples * times);
	}
	return whole;
}

double row_weight_error(const struct snapshot *s, const struct row *row, size_t event)
{
	if (!row->sums[event].samples)
		return s->units[event];
	struct sum whole = counted_whole(s, event);
	return sqrt(sum_variance(&row->sums[event], &whole, s->whole_running[event], s->events[event].gap));
}

/* Returns a metric's operand as estimated from samples.  Without samples it is 0, with the weight of one sample as
 * error. */
static struct metric_count estimate_of(struct sum sum, double unit, double scale)
{
	bool any = sum.samples && sum.weight > 0;
	return (struct metric_count){any ? sum.weight * scale : 0, (any ? sum.var : unit * unit) * scale * scale};
}

static struct ratio value_of(const struct metric *metric, const struct metric_count *counts)
{
	struct ratio r = {.valid = false};
	r.valid = metric_value(metric, counts, &r.value, &r.error);
	return r.valid ? r : (struct ratio){.valid = false};
}

static const struct metric_parts *parts_of(const struct snapshot *s, const struct metric *metric)
{
	return &s->sums.parts[metric - s->sums.metrics->v];
}

/* Estimates a row's metric: samples divide the counts of counters among rows, so that a row with all samples would have
 * the metric of the machine. */
struct ratio row_metric(const struct snapshot *s, const struct row *row, const struct metric *metric)
{
	const struct metric_parts *p = parts_of(s, metric);
	struct metric_count counts[METRIC_OPERANDS_MAX] = {{0}};
	for (size_t i = 0; p->valid && i < metric->operands_n; i++)
		counts[i] = estimate_of(row_sum(s, row, p->sets[i]), unit_of(s, p->sets[i]), p->scales[i]);
	return p->valid ? value_of(metric, counts) : (struct ratio){.valid = false};
}

/* Computes a metric from counts; exact if all counters ran all the time.  Otherwise counts were partly
 * extrapolated; the error of that part is estimated from the samples of the time in which the counters ran. */
static struct ratio counted_metric(const struct snapshot *s, const struct metric *metric,
				   const struct counts of[METRIC_OPERANDS_MAX])
{
	struct metric_count counted[METRIC_OPERANDS_MAX] = {{0}}, sampled[METRIC_OPERANDS_MAX] = {{0}};
	bool exact = true;
	for (size_t i = 0; i < metric->operands_n; i++) {
		counted[i].value = of[i].count;
		sampled[i] = estimate_of(of[i].samples, unit_of(s, parts_of(s, metric)->sets[i]), 1);
		exact &= of[i].exact;
	}
	struct ratio r = value_of(metric, counted);
	if (exact || !r.valid)
		return r;
	struct ratio estimate = value_of(metric, sampled);
	r.error = estimate.valid ? estimate.error : fabs(r.value);
	return r;
}

struct ratio total_metric(const struct snapshot *s, const struct metric *metric)
{
	const struct metric_parts *p = parts_of(s, metric);
	struct counts of[METRIC_OPERANDS_MAX];
	for (size_t i = 0; i < METRIC_OPERANDS_MAX; i++) {
		of[i] = no_counts();
		for (unsigned cpu = 0; p->valid && p->sets[i] && cpu < s->cpus_n; cpu++)
			if (parts_have_cpu(s, p, cpu))
				add_cpu(&of[i], s, cpu, p->sets[i]);
	}
	return p->valid ? counted_metric(s, metric, of) : (struct ratio){.valid = false};
}

struct ratio cpu_metric(const struct snapshot *s, unsigned cpu, const struct metric *metric)
{
	const struct metric_parts *p = parts_of(s, metric);
	struct counts of[METRIC_OPERANDS_MAX];
	if (!p->valid || cpu >= s->cpus_n || !parts_have_cpu(s, p, cpu))
		return (struct ratio){.valid = false};
	for (size_t i = 0; i < METRIC_OPERANDS_MAX; i++) {
		of[i] = no_counts();
		add_cpu(&of[i], s, cpu, p->sets[i]);
	}
	return counted_metric(s, metric, of);
}
