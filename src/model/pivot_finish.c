/* Finishes the rows of a pivot when all facts are added: shares, errors, CPU times, and the order of rows. */
#include "model/pivot_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets row.top of each row to its heaviest key.  Of keys with equal weights takes the lowest id, so that the result
 * does not depend on the order of facts. */
static void find_top(struct pivot_build *b)
{
	double *best = mem_calloc(b->rows.n + 1, sizeof(*best));
	for (size_t i = 0; i < b->pairs.n; i++) {
		const struct pair *pair = &b->pairs.data[i];
		struct row *row = &b->rows.data[pair->row];
		uint32_t id = classes_id(b->top, pair->class);
		bool better = pair->weight > best[pair->row] || (pair->weight == best[pair->row] && id < row->top);
		if (row->top != CATALOG_NONE && !better)
			continue;
		best[pair->row] = pair->weight;
		row->top = id;
	}
	free(best);
}

/* Returns the standard error of a row's share.  row->share must still be the sum of weights. */
static double share_error(const struct pivot_build *b, const struct row *row, double whole_weight)
{
	if (!(row->share > 0))
		return b->whole->samples ? b->whole->weight / (double)b->whole->samples / whole_weight : 0;
	const struct snapshot *s = b->world->snap;
	struct sum part = {.weight = row->share};
	struct sum whole = {.samples = b->whole->samples, .weight = whole_weight};
	double running = 1, gap = 0;
	for (size_t e = 0; e < s->events_n; e++) {
		if (!b->whole->events[e] || !row->sums[e].samples)
			continue;
		part.var += row->sums[e].var;
		part.edges += row->sums[e].edges;
		part.far += row->sums[e].far;
		running = fmin(running, s->events[e].running);
		gap = fmax(gap, s->events[e].gap);
	}
	return sqrt(sum_variance(&part, &whole, running, gap)) / whole_weight;
}

/* A row's CPU time is marked as an estimate if more than this fraction of it is estimated. */
static const double estimate_shown = 0.01;

/* Returns true if part of a row's CPU time is missing: on some CPU no time event ever got a counter. */
static bool lacks_time(const struct pivot_build *b, const struct row *row, double estimated_ns)
{
	if (!b->world->snap->time_uncounted)
		return false;
	return b->of_tasks ? estimated_ns > estimate_shown * row->cpu_ns : !b->of_cpus || !(row->cpu_ns > 0);
}

/* Returns true if a row's CPU time, an estimate, is more than twice the time of all CPUs: the window is so short that a
 * single sample stands for more. */
static bool exceeds_all_time(const struct pivot_build *b, const struct row *row)
{
	const struct snapshot *s = b->world->snap;
	return row->cpu_ns > 2 * (double)(s->end_ns - s->start_ns) * s->cpus_n;
}

/* Returns the standard error of a row's CPU time in ns: its estimated part has the relative error of the row's
 * weight. */
static double cpu_error_ns(const struct pivot_build *b, const struct row *row, double estimated_ns)
{
	bool tells = b->world->time->events >> b->world->snap->primary & 1;
	if (!row->cpu_estimated || !tells || !(row->share > 0))
		return 0;
	return (b->of_tasks ? estimated_ns : row->cpu_ns) * row->share_error / row->share;
}

/* Adds the CPU time of interrupts on idle CPUs, which no event samples, to the row of interrupts. */
static void add_interrupts(struct pivot_build *b)
{
	const struct catalog *cat = b->world->names->cat;
	struct row_key key = {.class = {CLASS_NONE, CLASS_NONE, CLASS_NONE, CLASS_NONE}, .idle = IDLE_INTERRUPTS};
	uint32_t idle = 0;
	while (idle < cat->tasks_n && !cat->tasks[idle].idle)
		idle++;
	bool hidden = b->world->query->hide_kernel || b->world->query->only_n;
	if (!b->interrupts_row || !b->of_tasks || hidden || !(b->world->interrupts_ns > 0) || idle == cat->tasks_n)
		return;
	key.class[PART_TASK] = classes_of(b->parts[PART_TASK], idle);
	uint32_t at = pivot_row_of_key(b, &key);
	b->rows.data[at].cpu_ns += b->world->interrupts_ns;
	b->estimated.data[at] += b->world->interrupts_ns;
}

/* Returns the share of `part` in `whole`, which includes `part`, with the standard error. */
static struct ratio latency_share(const struct latency *part, const struct latency *whole)
{
	if (!(part->weight > 0) || !(whole->weight > 0))
		return (struct ratio){0};
	double share = part->weight / whole->weight, others = fmax(whole->var - part->var, 0);
	double var = (1 - share) * (1 - share) * part->var + share * share * others;
	return (struct ratio){.value = share, .error = sqrt(var) / whole->weight, .valid = true};
}

/* Computes shares and CPU time of a row, whose `share` still is the sum of weights.  `whole`, `latency`: denominators
 * of the shares; estimated_ns: the estimated part of the row's CPU time. */
static void finish_row(const struct pivot_build *b, struct row *row, double whole, const struct latency *latency,
		       double estimated_ns)
{
	row->latency_share = latency_share(&row->latency, latency);
	row->share_valid = !row->idle && whole > 0 && !(row->interrupts && !(row->share > 0));
	row->share_error = row->share_valid ? share_error(b, row, whole) : 0;
	row->share = row->share_valid ? row->share / whole : 0;
	if (b->world->time->basis == TIME_BASIS_NONE && !(row->cpu_ns > 0))
		row->cpu_valid = false; /* nothing says that the row ran */
	row->cpu_valid &= !lacks_time(b, row, estimated_ns);
	row->cpu_estimated =
		row->cpu_valid && row->cpu_ns > 0 && (!b->of_tasks || estimated_ns > estimate_shown * row->cpu_ns);
	if (row->cpu_estimated && exceeds_all_time(b, row))
		row->cpu_valid = row->cpu_estimated = false;
	row->cpu_error_ns = cpu_error_ns(b, row, estimated_ns);
}

/* Computes shares and CPU times of all rows; returns the fraction of the window's whole weight that is in the rows. */
static double finish_rows(struct pivot_build *b)
{
	size_t sums_n = b->world->snap->sums.n;
	double all = b->query->by_name ? b->whole->weight : b->whole->busy_weight, shown = 0;
	struct latency latency = {0};
	for (size_t i = 0; i < b->rows.n; i++) {
		shown += b->rows.data[i].share;
		latency_add(&latency, b->rows.data[i].latency.weight, b->rows.data[i].latency.var, 1);
	}
	double whole = b->query->relative ? shown : all;
	if (!b->query->relative)
		latency = b->world->snap->latency;
	for (size_t i = 0; i < b->rows.n; i++) {
		b->rows.data[i].sums = &b->sums.data[i * sums_n];
		finish_row(b, &b->rows.data[i], whole, &latency, b->estimated.data[i]);
	}
	for (size_t i = 0; b->trees && i < b->rows.n; i++) {
		b->trees[i].sums = &b->sums.data[(b->rows.n + i) * sums_n];
		finish_row(b, &b->trees[i], whole, &latency, b->estimated.data[b->rows.n + i]);
	}
	if (b->query->top)
		find_top(b);
	for (size_t i = 0; b->trees && b->hottest && i < b->rows.n; i++)
		b->trees[i].top = b->rows.data[b->hottest[i]].top;
	free(b->hottest);
	return all > 0 ? shown / all : 0;
}

static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct row *x = pa, *y = pb;
	const struct pivot_build *b = ctx;
	if (x->total && x->total->share != y->total->share)
		return x->total->share > y->total->share ? -1 : 1;
	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	for (size_t e = 0; e < b->world->snap->events_n; e++)
		if (x->sums[e].weight != y->sums[e].weight)
			return x->sums[e].weight > y->sums[e].weight ? -1 : 1;
	int r = 0;
	for (size_t i = 0; i < b->query->dims_n && r == 0; i++) {
		enum dimension_id dim = b->query->dims[i];
		uint32_t idx = row_part(x, dimensions[dim].part), idy = row_part(y, dimensions[dim].part);
		if (idx == idy)
			continue;
		struct key_value vx = dimension_value(b->world->names, dim, idx);
		struct key_value vy = dimension_value(b->world->names, dim, idy);
		r = key_value_compare(&vx, &vy);
	}
	return r;
}

/* Makes b->trees of the totals with callees, and appends the sums of these totals to b->sums. */
static void keep_totals(struct pivot_build *b)
{
	size_t n = b->rows.n, sums_n = b->world->snap->sums.n;
	vec_reserve(&b->sums, 2 * n * sums_n);
	vec_reserve(&b->estimated, 2 * n);
	for (size_t i = 0; i < n; i++)
		b->estimated.data[n + i] = b->estimated.data[i];
	if (n)
		memcpy(&b->sums.data[n * sums_n], b->total_sums.data, n * sums_n * sizeof(*b->sums.data));
	b->trees = b->totals.data;
}

/* Sets row.total of each row.  Must be called before b->rows is sorted, because b->trees keeps the former order. */
static void point_to_totals(struct pivot_build *b)
{
	for (size_t i = 0; i < b->rows.n; i++)
		b->rows.data[i].total = b->trees[i].total = &b->trees[i];
}

void pivot_finish_rows(struct pivot_build *b, struct pivot *ret)
{
	add_interrupts(b);
	if (b->query->tree)
		pivot_make_tree(b);
	else if (b->query->callees)
		keep_totals(b);
	ret->share = finish_rows(b);
	if (b->query->callees)
		point_to_totals(b);
	if (b->rows.n && ret->query.by_name)
		qsort_r(b->rows.data, b->rows.n, sizeof(*b->rows.data), compare_rows, b);
}
