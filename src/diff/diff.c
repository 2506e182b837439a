/* Matches the rows of two tables, and compares each pair of rows in the unit that was asked for. */
#include "diff/parts.h"
#include "diff/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const diff_unit_names[DIFF_UNITS] = {
	[DIFF_UNIT_REFERENCE] = "reference",	   [DIFF_UNIT_SHARE] = "share", [DIFF_UNIT_RATE] = "rate",
	[DIFF_UNIT_INSTRUCTIONS] = "instructions", [DIFF_UNIT_EVENT] = "event",
};

/* A row of the result: the index of the row in each side's table; INDEX_NONE: the table lacks it. */
struct pair {
	uint32_t at[DIFF_SIDES];
	bool not_compared;
};

struct build {
	const struct diff_table *tables[DIFF_SIDES];
	const struct diff_config *config;
	VEC(struct pair) pairs;
	struct diff *d;
	struct table_sum unit[DIFF_SIDES];  /* the denominator of shares or rates */
	struct table_sum whole[DIFF_SIDES]; /* the sum of all rows */
	struct compare_change *changes;	    /* [pairs]: changes of the number that is being compared now */
	double num_weights[DIFF_SIDES];	    /* [side]: see compare_series.num_weight */
};

/* Which number of each row is compared: the index of a metric; or NUMBER_EVENT: the event's weight, divided by the
 * unit's denominator. */
enum { NUMBER_EVENT = METRICS_MAX };

static const char *key_of(const struct diff_table *t, uint32_t row, size_t *n_ret)
{
	*n_ret = t->rows.data[row].key_n;
	return t->keys.data + t->rows.data[row].key_at;
}

static bool is_incomparable(struct build *b, const char *key, size_t n)
{
	struct key_value names[DIM_COUNT];
	struct diff *d = b->d;
	key_names(key, n, d->dims_n, names);
	bool not_compared = row_is_incomparable(b->config, d->dims, names, d->dims_n, d->not_compared_file,
						sizeof(d->not_compared_file));
	d->not_compared += not_compared;
	return not_compared;
}

static void find_pairs(struct build *b)
{
	const struct diff_table *before = b->tables[DIFF_BEFORE], *after = b->tables[DIFF_AFTER];
	for (uint32_t i = 0; i < before->rows.n; i++) {
		size_t n;
		const char *key = key_of(before, i, &n);
		bool not_compared = is_incomparable(b, key, n);
		vec_push(&b->pairs) =
			(struct pair){{i, not_compared ? INDEX_NONE : table_find(after, key, n)}, not_compared};
	}
	for (uint32_t i = 0; i < after->rows.n; i++) {
		size_t n;
		const char *key = key_of(after, i, &n);
		bool not_compared = is_incomparable(b, key, n);
		if (not_compared || table_find(before, key, n) == INDEX_NONE)
			vec_push(&b->pairs) = (struct pair){{INDEX_NONE, i}, not_compared};
	}
}

/* Lists the aliases of each row of the result, from both sides; an empty string ends each list. */
static void list_aliases(const struct build *b)
{
	struct strbuf all = {0};
	size_t *at = mem_calloc(b->d->n + 1, sizeof(*at));
	for (size_t i = 0; i < b->d->n; i++) {
		at[i] = all.n;
		for (enum diff_side side = 0; side < DIFF_SIDES; side++)
			if (b->pairs.data[i].at[side] != INDEX_NONE)
				table_list_names(b->tables[side], b->pairs.data[i].at[side], &all);
		strbuf_add_bytes(&all, "", 1);
	}
	b->d->aliases = all.data;
	for (size_t i = 0; i < b->d->n; i++)
		b->d->rows[i].aliases = all.data + at[i];
	free(at);
}

static void name_rows(struct build *b)
{
	struct diff *d = b->d;
	size_t bytes = b->tables[DIFF_BEFORE]->keys.n, at = 0;
	bytes += b->tables[DIFF_AFTER]->keys.n;
	d->text = mem_calloc(bytes + 1, 1);
	for (size_t i = 0; i < d->n; i++) {
		const struct pair *p = &b->pairs.data[i];
		enum diff_side side = p->at[DIFF_BEFORE] != INDEX_NONE ? DIFF_BEFORE : DIFF_AFTER;
		size_t n;
		const char *key = key_of(b->tables[side], p->at[side], &n);
		memcpy(d->text + at, key, n);
		d->rows[i].names = mem_calloc(d->dims_n, sizeof(struct key_value));
		memcpy(d->rows[i].at, p->at, sizeof(p->at));
		d->rows[i].not_compared = p->not_compared;
		key_names(d->text + at, n, d->dims_n, d->rows[i].names);
		at += n;
	}
}

/* ---- adding up weights of rows --------------------------------------------------------------- */

static void add_event(const struct build *b, size_t pair, enum diff_side side, size_t event, struct table_sum *to)
{
	uint32_t row = pair < b->pairs.n ? b->pairs.data[pair].at[side] : INDEX_NONE;
	if (row != INDEX_NONE)
		table_add_event(b->tables[side], row, event, to);
}

static struct table_sum sum_init(const struct diff_table *t)
{
	return (struct table_sum){.series = mem_calloc(t->intervals_n + 1, sizeof(double))};
}

static void find_wholes(struct build *b)
{
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		b->whole[side] = sum_init(b->tables[side]);
		for (size_t i = 0; i < b->d->n; i++) {
			struct diff_row *row = &b->d->rows[i];
			struct table_sum own = {0};
			add_event(b, i, side, b->config->event[side], &own);
			add_event(b, i, side, b->config->event[side], &b->whole[side]);
			row->samples[side] = own.samples;
			row->weights[side] = own.weight;
		}
		b->d->weights[side] = b->whole[side].weight;
	}
}

static struct compare_series series_of(const struct build *b, enum diff_side side, const struct table_sum *num,
				       const struct table_sum *den)
{
	return (struct compare_series){
		.num = num->series,
		.den = den->series,
		.n = b->tables[side]->intervals_n,
		.num_samples = num->samples,
		.den_samples = den->samples,
		.num_weight = b->num_weights[side],
		.parts = b->tables[side]->parts_at.data,
		.parts_n = b->tables[side]->parts_at.n,
	};
}

static struct table_sum clear_sum(double *series, const struct diff_table *t)
{
	memset(series, 0, t->intervals_n * sizeof(*series));
	return (struct table_sum){.series = series};
}

/* Returns true if the row's weight is part of the denominator. */
static bool is_of_unit(const struct diff *d, const struct diff_row *row)
{
	return d->unit != DIFF_UNIT_REFERENCE || !d->reference.bundles || row->carries;
}

static void sum_units(struct build *b)
{
	struct diff *d = b->d;
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		const struct diff_table *t = b->tables[side];
		struct table_sum *unit = &b->unit[side];
		*unit = clear_sum(unit->series, t);
		bool per = d->unit == DIFF_UNIT_INSTRUCTIONS || d->unit == DIFF_UNIT_EVENT;
		size_t event = per ? b->config->per[side] : b->config->event[side];
		for (size_t i = 0; d->unit != DIFF_UNIT_RATE && i < d->n; i++)
			if (is_of_unit(d, &d->rows[i]))
				add_event(b, i, side, event, unit);
		for (size_t k = 0; d->unit == DIFF_UNIT_RATE && k < t->intervals_n; k++) {
			unit->series[k] = t->seconds[k];
			unit->weight += t->seconds[k];
		}
	}
}

/* ---- computing the change of each row ----------------------------------------------------------- */

/* Adds numerator and denominator of a row's number (NUMBER_EVENT, or a metric) to *num and *den.  `den` NULL: adds only
 * the numerator. */
static void add_number(const struct build *b, size_t number, size_t pair, enum diff_side side, struct table_sum *num,
		       struct table_sum *den)
{
	const struct diff_table *t = b->tables[side];
	uint32_t row = pair < b->pairs.n ? b->pairs.data[pair].at[side] : INDEX_NONE;
	if (row == INDEX_NONE)
		return;
	if (number == NUMBER_EVENT) {
		table_add_event(t, row, b->config->event[side], num);
		return;
	}
	const struct metric_parts *p = &t->sums.parts[number];
	table_add_sums(t, row, p->sets[0], num);
	if (den)
		table_add_sums(t, row, p->sets[1], den);
}

/* Returns true if a row has enough samples on at least one side.  Changes of other rows are not tested, and their
 * series tell nothing about the noise of the table. */
static bool can_be_tested(const struct build *b, size_t number, size_t pair)
{
	bool any = false;
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		struct table_sum num = {0};
		add_number(b, number, pair, side, &num, NULL);
		any |= num.samples >= COMPARE_SAMPLES_MIN;
	}
	return any;
}

/* Weights by interval of several rows on one side, as compare_rows() takes them (struct compare_series). */
struct side_series {
	/* [row * intervals_n + interval]: numerators and denominators; dens NULL: all rows have the same denominator,
	 * that of the unit */
	double *nums, *dens;
	struct compare_series *of;
};

static struct side_series side_series_init(const struct build *b, size_t number, enum diff_side side, size_t rows)
{
	size_t n = rows * b->tables[side]->intervals_n + 1;
	return (struct side_series){
		.nums = mem_calloc(n, sizeof(double)),
		.dens = number == NUMBER_EVENT ? NULL : mem_calloc(n, sizeof(double)),
		.of = mem_calloc(rows + 1, sizeof(struct compare_series)),
	};
}

static void side_series_deinit(struct side_series *s)
{
	free(s->nums);
	free(s->dens);
	free(s->of);
}

static void fill_series(const struct build *b, size_t number, size_t pair, enum diff_side side, struct side_series *s,
			size_t at)
{
	const struct diff_table *t = b->tables[side];
	struct table_sum num = clear_sum(s->nums + at * t->intervals_n, t), den = b->unit[side];
	if (s->dens)
		den = clear_sum(s->dens + at * t->intervals_n, t);
	add_number(b, number, pair, side, &num, s->dens ? &den : NULL);
	s->of[at] = series_of(b, side, &num, &den);
}

/* Returns the weights by interval of the number `number` on one side, for the rows at[0..n). */
static struct side_series side_series_of(const struct build *b, size_t number, enum diff_side side, const size_t *at,
					 size_t n)
{
	struct side_series s = side_series_init(b, number, side, n);
	for (size_t r = 0; r < n; r++)
		fill_series(b, number, at[r], side, &s, r);
	return s;
}

static double weight_of_a_sample(const struct build *b, size_t number, enum diff_side side)
{
	struct table_sum all = {0};
	for (size_t i = 0; i < b->d->n; i++)
		add_number(b, number, i, side, &all, NULL);
	return all.samples ? all.weight / (double)all.samples : 0;
}

static void find_num_weights(struct build *b, size_t number)
{
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		b->num_weights[side] = weight_of_a_sample(b, number, side);
}

/* Fills in b->changes for tables whose intervals are pairs of turns of A and B; each row is compared by itself. */
static void find_paired_changes(struct build *b, size_t number)
{
	struct side_series one[DIFF_SIDES];
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		one[side] = side_series_init(b, number, side, 1);
	for (size_t i = 0; i < b->d->n; i++) {
		for (enum diff_side side = 0; side < DIFF_SIDES; side++)
			fill_series(b, number, i, side, &one[side], 0);
		compare_paired(one[DIFF_BEFORE].of, one[DIFF_AFTER].of, &b->changes[i]);
	}
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		side_series_deinit(&one[side]);
}

/* Fills in b->changes.  Rows that can be tested are compared in one call, which estimates the noise from all of them;
 * the other rows, often very many, are compared one by one. */
static void find_changes(struct build *b, size_t number)
{
	if (b->config->paired) {
		find_paired_changes(b, number);
		return;
	}
	find_num_weights(b, number);
	size_t rows = 0, *at = mem_calloc(b->d->n + 1, sizeof(*at)); /* indices of the rows that can be tested */
	struct side_series all[DIFF_SIDES], one[DIFF_SIDES];
	for (size_t i = 0; i < b->d->n; i++)
		if (can_be_tested(b, number, i))
			at[rows++] = i;
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		all[side] = side_series_of(b, number, side, at, rows);
		one[side] = side_series_init(b, number, side, 1);
	}
	struct compare_change *changes = mem_calloc(rows + 1, sizeof(*changes));
	compare_rows(all[DIFF_BEFORE].of, all[DIFF_AFTER].of, rows, changes);
	for (size_t i = 0, r = 0; i < b->d->n; i++) {
		if (r < rows && at[r] == i) {
			b->changes[i] = changes[r++];
			continue;
		}
		for (enum diff_side side = 0; side < DIFF_SIDES; side++)
			fill_series(b, number, i, side, &one[side], 0);
		compare_change(one[DIFF_BEFORE].of, one[DIFF_AFTER].of, &b->changes[i]);
	}
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		side_series_deinit(&all[side]);
		side_series_deinit(&one[side]);
	}
	free(changes);
	free(at);
}

/* Converts the ratio of two sides' sums to a ratio of rates per second, because the sides may differ in length. */
static double per_second(const struct build *b, double change)
{
	double seconds[DIFF_SIDES] = {0};
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		for (size_t k = 0; k < b->tables[side]->intervals_n; k++)
			seconds[side] += b->tables[side]->seconds[k];
	bool known = seconds[DIFF_BEFORE] > 0 && seconds[DIFF_AFTER] > 0;
	return known ? change * seconds[DIFF_BEFORE] / seconds[DIFF_AFTER] : change;
}

/* Returns the weights by interval of each bundle (rows that are compared as one) of the reference: see compare.h. */
static struct side_series sum_bundles(const struct build *b, enum diff_side side, const int *bundle)
{
	const struct diff *d = b->d;
	size_t n = d->reference.bundles;
	struct side_series s = side_series_init(b, NUMBER_EVENT, side, n);
	struct table_sum *sums = mem_calloc(n + 1, sizeof(*sums));
	for (size_t k = 0; k < n; k++)
		sums[k].series = s.nums + k * b->tables[side]->intervals_n;
	for (size_t i = 0; i < d->n && n; i++)
		if (bundle[i] >= 0)
			add_number(b, NUMBER_EVENT, i, side, &sums[bundle[i]], NULL);
	for (size_t k = 0; k < n; k++)
		s.of[k] = series_of(b, side, &sums[k], &b->unit[side]);
	free(sums);
	return s;
}

static void find_reference(struct build *b)
{
	struct diff *d = b->d;
	double *weights[DIFF_SIDES];
	struct side_series sums[DIFF_SIDES];
	int *bundle = mem_calloc(d->n + 1, sizeof(*bundle));
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		weights[side] = mem_calloc(d->n + 1, sizeof(double));
		for (size_t i = 0; i < d->n; i++)
			weights[side][i] = d->rows[i].weights[side];
	}
	compare_reference(weights[DIFF_BEFORE], weights[DIFF_AFTER], d->n, bundle, &d->reference);
	find_num_weights(b, NUMBER_EVENT);
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		sums[side] = sum_bundles(b, side, bundle);
	bool *carries = mem_calloc(d->reference.bundles + 1, sizeof(*carries));
	if (d->reference.bundles)
		compare_reference_narrow(sums[DIFF_BEFORE].of, sums[DIFF_AFTER].of, b->config->paired, carries,
					 &d->reference);
	for (size_t i = 0; i < d->n && d->reference.bundles; i++) {
		d->rows[i].carries = bundle[i] >= 0 && carries[bundle[i]];
		d->reference_rows += d->rows[i].carries;
	}
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		side_series_deinit(&sums[side]);
		free(weights[side]);
	}
	free(bundle);
	free(carries);
}

static void find_units(struct build *b)
{
	struct diff *d = b->d;
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		b->unit[side] = sum_init(b->tables[side]);
	if (d->unit == DIFF_UNIT_REFERENCE)
		find_reference(b);
	sum_units(b);
	d->reference.change = per_second(b, d->reference.change);
}

/* ---- filling in the numbers of rows ----------------------------------------------------------------- */

/* Returns the factor by which weight / unit is multiplied to get a share; the reference then has the same share on both
 * sides, its share before. */
static double scale_of(const struct build *b)
{
	double whole = b->whole[DIFF_BEFORE].weight;
	if (b->d->unit != DIFF_UNIT_REFERENCE || !(whole > 0))
		return 1;
	return b->unit[DIFF_BEFORE].weight / whole;
}

static void set_value(const struct diff_row *row, struct diff_value *v, enum diff_side side, double factor,
		      const struct table_sum *num, const struct table_sum *den)
{
	v->known[side] = den->weight > 0 && !(row->not_compared && row->at[side] == INDEX_NONE);
	v->value[side] = v->known[side] ? factor * num->weight / den->weight : 0;
}

/* Decides which changes are real, and whether the sides are long enough.  Time ranges must be longer than the phases of
 * the load; pairs of turns need not be, because the two turns of a pair follow each other. */
static struct compare_summary judge(const struct build *b)
{
	for (size_t i = 0; i < b->d->n; i++)
		if (b->d->rows[i].not_compared)
			b->changes[i] = (struct compare_change){.state = CHANGE_NONE, .change = 1, .p = 1};
	struct compare_summary s = compare_judge(b->changes, b->d->n, b->config->fdr, b->config->min_change);
	s.low_sensitivity &= !b->config->paired;
	return s;
}

static void compare_in_unit(struct build *b)
{
	struct diff *d = b->d;
	double scale = scale_of(b);
	for (size_t i = 0; i < d->n; i++) {
		for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
			struct table_sum own = {0};
			add_event(b, i, side, b->config->event[side], &own);
			set_value(&d->rows[i], &d->rows[i].value, side, scale, &own, &b->unit[side]);
		}
	}
	find_changes(b, NUMBER_EVENT);
	d->summary = judge(b);
	for (size_t i = 0; i < d->n; i++)
		d->rows[i].value.change = b->changes[i];
}

static void compare_metric(struct build *b, size_t m)
{
	struct diff *d = b->d;
	for (size_t i = 0; i < d->n; i++) {
		for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
			struct table_sum num = {0}, den = {0};
			add_number(b, m, i, side, &num, &den);
			set_value(&d->rows[i], &d->rows[i].metrics[m], side, metric_ratio(&d->set->v[m]), &num, &den);
		}
	}
	find_changes(b, m);
	d->metrics[m] = judge(b);
	for (size_t i = 0; i < d->n; i++)
		d->rows[i].metrics[m].change = b->changes[i];
}

static void compare_metrics(struct build *b)
{
	const struct metric_set *before = b->tables[DIFF_BEFORE]->sums.metrics;
	const struct metric_set *after = b->tables[DIFF_AFTER]->sums.metrics;
	b->d->set = before && before == after ? before : &metrics_builtin; /* every set begins with the built-in ones */
	for (size_t m = 0; m < METRICS_MAX; m++) {
		b->d->has_metric[m] = m < b->d->set->n && metric_ratio(&b->d->set->v[m]) > 0 &&
				      b->tables[DIFF_BEFORE]->sums.parts[m].valid &&
				      b->tables[DIFF_AFTER]->sums.parts[m].valid;
		for (size_t i = 0; !b->d->has_metric[m] && i < b->d->n; i++)
			b->d->rows[i].metrics[m].change.state = CHANGE_NONE;
		if (b->d->has_metric[m])
			compare_metric(b, m);
	}
}

bool diff_difference(const struct diff_value *v, double *ret, double *error_ret)
{
	if (!v->known[DIFF_BEFORE] || !v->known[DIFF_AFTER])
		return false;
	*ret = v->value[DIFF_AFTER] - v->value[DIFF_BEFORE];
	/* after = before * factor, and change.error is the error of the factor's logarithm */
	*error_ret = v->change.error > 0 ? v->value[DIFF_AFTER] * v->change.error : -1;
	return true;
}

/* ---- sorting rows ---------------------------------------------------------------------------------- */

static double moved(const struct diff_value *v)
{
	double by, error;
	return v->change.real && diff_difference(v, &by, &error) ? fabs(by) : 0;
}

static double size_of(const struct diff_row *row)
{
	return fmax(row->value.value[DIFF_BEFORE], row->value.value[DIFF_AFTER]);
}

static bool any_ratio_is_real(const struct diff_row *row)
{
	bool any = false;
	for (size_t m = 0; m < METRICS_MAX; m++)
		any |= row->metrics[m].change.real;
	return any;
}

static int compare_names(const struct key_value *a, const struct key_value *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind == KEY_NUMBER)
		return a->number < b->number ? -1 : a->number > b->number;
	return a->kind == KEY_TEXT ? strcmp(a->text, b->text) : 0;
}

/* Compares two rows for sorting: first rows with a real change of the event, the biggest first; then rows with a real
 * change of a metric; then all others. */
static int in_order(const void *pa, const void *pb, void *ctx)
{
	const struct diff_row *a = pa, *b = pb;
	const struct diff *d = ctx;
	if (a->value.change.real != b->value.change.real)
		return a->value.change.real ? -1 : 1;
	if (moved(&a->value) != moved(&b->value))
		return moved(&a->value) > moved(&b->value) ? -1 : 1;
	if (any_ratio_is_real(a) != any_ratio_is_real(b))
		return any_ratio_is_real(a) ? -1 : 1;
	if (size_of(a) != size_of(b))
		return size_of(a) > size_of(b) ? -1 : 1;
	int r = 0;
	for (size_t i = 0; i < d->dims_n && r == 0; i++)
		r = compare_names(&a->names[i], &b->names[i]);
	return r;
}

/* ---- comparing two tables: diff_create() ------------------------------------------------------------- */

struct diff *diff_create(const struct diff_table *before, const struct diff_table *after,
			 const struct diff_config *config)
{
	struct diff *d = mem_calloc(1, sizeof(*d));
	struct build b = {.tables = {before, after}, .config = config, .d = d};
	memcpy(d->dims, before->dims, sizeof(d->dims));
	d->dims_n = before->dims_n;
	d->unit = config->unit;
	find_pairs(&b);
	d->n = b.pairs.n;
	d->rows = mem_calloc(d->n + 1, sizeof(*d->rows));
	b.changes = mem_calloc(d->n + 1, sizeof(*b.changes));
	name_rows(&b);
	list_aliases(&b);
	find_wholes(&b);
	find_units(&b);
	compare_in_unit(&b);
	compare_metrics(&b);
	if (d->n)
		qsort_r(d->rows, d->n, sizeof(*d->rows), in_order, d);
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		free(b.unit[side].series);
		free(b.whole[side].series);
	}
	free(b.changes);
	vec_free(&b.pairs);
	return d;
}

void diff_destroy(struct diff *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n; i++)
		free(d->rows[i].names);
	functions_destroy(d->functions);
	free(d->rows);
	free(d->text);
	free(d->aliases);
	free(d);
}
