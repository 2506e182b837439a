/* Compares the runs of two commands: their metrics, and their functions. */
#include "base/alloc.h"

#include <cyctop/comparison.h>

#include <math.h>
#include <stdlib.h>

/* ---- comparing metrics ----------------------------------------------------------------------------- */

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double wall(const struct command_run *run)
{
	return (double)run->wall_ns / 1e9;
}

static double user(const struct command_run *run)
{
	return seconds(run->usage.ru_utime);
}

static double kernel(const struct command_run *run)
{
	return seconds(run->usage.ru_stime);
}

static double cpu(const struct command_run *run)
{
	return user(run) + kernel(run);
}

static double peak_rss(const struct command_run *run)
{
	return (double)run->usage.ru_maxrss * 1024;
}

static double page_faults(const struct command_run *run)
{
	return (double)run->usage.ru_minflt + (double)run->usage.ru_majflt;
}

static double switches(const struct command_run *run)
{
	return (double)run->usage.ru_nvcsw + (double)run->usage.ru_nivcsw;
}

/* Metrics of a run that come from wait4(), without perf events.  A new metric is a new row. */
static const struct {
	const char *name;
	enum runs_unit unit;
	double (*value)(const struct command_run *run);
} of_usage[] = {
	{"wall", RUNS_SECONDS, wall},
	{"cpu", RUNS_SECONDS, cpu},
	{"user", RUNS_SECONDS, user},
	{"system", RUNS_SECONDS, kernel},
	{"peak-rss", RUNS_BYTES, peak_rss},
	{"page-faults", RUNS_EVENTS, page_faults},
	{"context-switches", RUNS_EVENTS, switches},
};

static bool all_above_0(double *const values[DIFF_SIDES], size_t n)
{
	bool all = true;
	for (size_t i = 0; i < n; i++)
		all &= values[DIFF_BEFORE][i] > 0 && values[DIFF_AFTER][i] > 0;
	return all;
}

static void compare_values(double *const values[DIFF_SIDES], size_t n, struct runs_metric *m)
{
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		m->side[side] = compare_middle(values[side], n);
	/* no ratio if a value is 0: leaving out these pairs would be misleading */
	compare_runs(values[DIFF_BEFORE], values[DIFF_AFTER], all_above_0(values, n) ? n : 0, &m->ratio);
}

/* Puts an event's counts in the pairs of runs in which both runs counted it into ret[side][pair]; returns the number of
 * these pairs. */
static size_t take_counts(const struct compare_runs_made *made, size_t event, double *const ret[DIFF_SIDES])
{
	size_t n = 0;
	for (size_t k = 0; k < made->n; k++) {
		const struct tally_count *a = &made->pairs[2 * k]->counts[event];
		const struct tally_count *b = &made->pairs[2 * k + 1]->counts[event];
		if (!a->known || !b->known)
			continue;
		ret[DIFF_BEFORE][n] = a->count;
		ret[DIFF_AFTER][n++] = b->count;
	}
	return n;
}

/* Returns true if an event with this name was counted in some run: it has a row of its own. */
static bool is_counted(const struct compare_runs_made *made, const char *name)
{
	for (size_t e = 0; e < made->events_n; e++)
		for (size_t k = 0; strcmp(made->events[e].name, name) == 0 && k < 2 * made->n; k++)
			if (made->pairs[k]->counts[e].known)
				return true;
	return false;
}

size_t compare_metrics(const struct compare_runs_made *made, struct runs_metric *ret)
{
	size_t n = 0;
	double *values[DIFF_SIDES];
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		values[side] = mem_calloc(made->n + 1, sizeof(double));
	_Static_assert(ARRAY_LEN(of_usage) + EVENTS_MAX <= COMPARE_METRICS_MAX, "room for all metrics");
	for (size_t i = 0; i < ARRAY_LEN(of_usage); i++) {
		if (is_counted(made, of_usage[i].name))
			continue;
		for (size_t k = 0; k < 2 * made->n; k++)
			values[k % 2][k / 2] = of_usage[i].value(made->pairs[k]);
		ret[n] = (struct runs_metric){.name = of_usage[i].name, .unit = of_usage[i].unit};
		compare_values(values, made->n, &ret[n++]);
	}
	for (size_t e = 0; e < made->events_n; e++) {
		size_t counted = take_counts(made, e, values);
		if (!counted)
			continue;
		ret[n] = (struct runs_metric){.name = made->events[e].name, .unit = RUNS_EVENTS};
		compare_values(values, counted, &ret[n++]);
	}
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		free(values[side]);
	return n;
}

/* ---- finding outliers ---------------------------------------------------------------------------------- */

static double farness(const struct runs_outlier *o)
{
	return o->middle > 0 ? fabs(log(fmax(o->value, 1e-9) / o->middle)) : 0;
}

static int farthest_first(const void *a, const void *b)
{
	double x = farness(a), y = farness(b);
	return x > y ? -1 : x < y;
}

size_t compare_outliers(const struct compare_runs_made *made, const size_t *numbers, struct runs_outlier *ret)
{
	enum { TIMES = 2 }; /* wall and cpu: the first rows of of_usage */
	double *values[TIMES], middle[TIMES], far[TIMES];
	size_t found = 0, n = made->n;
	if (n < COMPARE_OUTLIERS_OF)
		return 0;
	for (size_t t = 0; t < TIMES; t++)
		values[t] = mem_calloc(n, sizeof(double));
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		for (size_t t = 0; t < TIMES; t++) {
			for (size_t k = 0; k < n; k++)
				values[t][k] = of_usage[t].value(made->pairs[2 * k + side]);
			middle[t] = compare_far(values[t], n, &far[t]);
		}
		for (size_t k = 0; k < n; k++) {
			size_t t = 0;
			while (t < TIMES && fabs(values[t][k] - middle[t]) <= far[t])
				t++;
			if (t < TIMES)
				ret[found++] = (struct runs_outlier){side, numbers[k], of_usage[t].name, values[t][k],
								     middle[t]};
		}
	}
	for (size_t t = 0; t < TIMES; t++)
		free(values[t]);
	qsort(ret, found, sizeof(*ret), farthest_first);
	return found;
}

/* ---- comparing functions of the runs ----------------------------------------------------------------- */

enum { DIMS = 2 };
static const enum dimension_id dims[DIMS] = {DIM_DSO, DIM_SYMBOL};

static struct diff_table *make_side(size_t runs)
{
	double *ones = mem_calloc(runs + 1, sizeof(*ones));
	const struct pmu_sibling siblings[1] = {{0}};
	const struct row_sums sums = {.n = 1};
	for (size_t i = 0; i < runs; i++)
		ones[i] = 1; /* each interval is one run, so that rates per second are values per run */
	struct diff_table *t = diff_table_empty(&(struct diff_shape){
		.dims = dims,
		.dims_n = DIMS,
		.events_n = 1,
		.intervals_n = runs,
		.seconds = ones,
		.siblings = siblings,
		.sums = &sums,
	});
	free(ones);
	return t;
}

/* Returns a row's number of samples, and sets *weight_ret to its weight, both summed over the event and its siblings
 * (same event of other PMUs). */
static uint64_t sum_of(const struct diff_table *t, uint32_t row, double *weight_ret)
{
	struct diff_shape shape = diff_table_shape(t);
	double *series = mem_calloc(shape.intervals_n + 1, sizeof(*series));
	uint64_t samples = 0;
	for (size_t e = 0; e < shape.events_n; e++)
		samples += diff_table_sum(t, row, e, series);
	*weight_ret = 0;
	for (size_t i = 0; i < shape.intervals_n; i++)
		*weight_ret += series[i];
	free(series);
	return samples;
}

static uint32_t add_to(struct diff_table *side, const struct key_value names[DIMS], size_t run, uint64_t samples,
		       double weight, double *series)
{
	uint32_t row = diff_table_row(side, names);
	series[run] = weight;
	diff_table_add(side, row, 0, samples, series);
	series[run] = 0;
	return row;
}

static void add_run(const struct compare_functions *f, size_t at, struct diff_table *side, double *series)
{
	static const struct key_value nowhere[DIMS] = {{.kind = KEY_UNKNOWN},
						       {.kind = KEY_TEXT, .text = "[without samples]"}};
	static const struct key_value in_kernel[DIMS] = {{.kind = KEY_TEXT, .text = "[kernel]"},
							 {.kind = KEY_TEXT, .text = "[not sampled]"}};
	const struct diff_table *t = f->tables[at];
	size_t rows = t ? diff_table_rows(t) : 0;
	double sampled = 0, weight;
	for (uint32_t r = 0; r < rows; r++) {
		sum_of(t, r, &weight);
		sampled += weight;
	}
	double times = f->wholes && sampled > 0 ? f->wholes[at] / sampled : 1;
	for (uint32_t r = 0; r < rows && sampled * times > 0; r++) {
		struct key_value names[DIMS];
		uint64_t samples = sum_of(t, r, &weight);
		diff_table_names(t, r, names);
		diff_table_add_names_of(side, add_to(side, names, at / 2, samples, weight * times, series), t, r);
	}
	if (f->wholes && !(sampled > 0))
		add_to(side, nowhere, at / 2, 0, f->wholes[at], series);
	if (f->unsampled)
		add_to(side, in_kernel, at / 2, 0, f->unsampled[at], series);
}

struct diff *compare_functions_create(const struct compare_functions *f)
{
	struct diff_table *sides[DIFF_SIDES] = {make_side(f->n), make_side(f->n)};
	double *series = mem_calloc(f->n + 1, sizeof(*series));
	for (size_t at = 0; at < 2 * f->n; at++)
		add_run(f, at, sides[at % 2], series);
	free(series);
	struct diff *d = diff_create(sides[DIFF_BEFORE], sides[DIFF_AFTER],
				     &(struct diff_config){
					     .unit = DIFF_UNIT_RATE,
					     .fdr = f->fdr,
					     .min_change = f->min_change,
					     .paired = true,
					     .rebuilt = f->rebuilt,
					     .rebuilt_ctx = f->rebuilt_ctx,
				     });
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		diff_table_destroy(sides[side]);
	return d;
}

static double difference(const struct diff_row *row)
{
	return fabs(row->value.value[DIFF_AFTER] - row->value.value[DIFF_BEFORE]);
}

static int by_difference(const void *pa, const void *pb)
{
	const struct diff_row *a = *(const struct diff_row *const *)pa, *b = *(const struct diff_row *const *)pb;
	if (difference(a) != difference(b))
		return difference(a) > difference(b) ? -1 : 1;
	return a < b ? -1 : a > b; /* rows with equal differences keep their order */
}

const struct diff_row **compare_functions_order(const struct diff *d)
{
	const struct diff_row **rows = mem_calloc(d->n + 1, sizeof(const struct diff_row *));
	for (size_t i = 0; i < d->n; i++)
		rows[i] = &d->rows[i];
	if (d->n)
		qsort(rows, d->n, sizeof(const struct diff_row *), by_difference);
	return rows;
}
