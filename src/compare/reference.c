#include "base/alloc.h"
#include "base/sorted.h"

#include <cyctop/compare.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row with a smaller fraction of the weight is too noisy to be compared alone, so it shares a bundle with others. */
static const double share_min = 0.005;
static const double spread_min = 0.01, spreads_max = 2.5;
enum { BUNDLES_MIN = 3 }; /* with only one or two bundles, nothing tells which of them changed */
/* Fewer than FEW alike bundles are a reference (rows that are taken as unchanged) only if they have this fraction of
 * the weight: with less, it may be these bundles that changed, not the other rows. */
static const double light = 0.15;
enum { FEW = 5 };

/* A row that is to be put into a bundle. */
struct member {
	size_t row;
	double weight[2], size; /* fractions of the weight of all rows; size: mean of both sides */
};

static int larger_first(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

struct bundle {
	double weight[2]; /* before and after: the bundle's fraction of the weight of all rows */
	double log_change;
	size_t rows;
	bool alike;
};

struct bundles {
	struct bundle *all;
	size_t n;
	double whole[2]; /* weight of all rows */
};

static bool is_enough(const double weight[2])
{
	return weight[0] >= share_min && weight[1] >= share_min;
}

static double sum_of(const double *values, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += values[i] > 0 ? values[i] : 0;
	return sum;
}

/* Lists the rows that have weight, the largest first; returns their number. */
static size_t list_members(const double *before, const double *after, size_t n, const double whole[2],
			   struct member *ret)
{
	size_t found = 0;
	if (!(whole[0] > 0 && whole[1] > 0 && isfinite(whole[0]) && isfinite(whole[1])))
		return 0;
	for (size_t i = 0; i < n; i++) {
		struct member m = {.row = i, .weight = {fmax(before[i], 0) / whole[0], fmax(after[i], 0) / whole[1]}};
		m.size = m.weight[0] + m.weight[1];
		if (m.size > 0)
			ret[found++] = m;
	}
	if (found)
		qsort(ret, found, sizeof(*ret), larger_first);
	return found;
}

/* Sets bundle[row]: a large row has its own bundle, small rows of similar size share one; -1: rows left over at the
 * end. */
static struct bundles make_bundles(const double *before, const double *after, size_t n, int *bundle)
{
	struct member *members = mem_calloc(n + 1, sizeof(*members));
	struct bundles ret = {
		.all = mem_calloc(n + 1, sizeof(*ret.all)),
		.whole = {sum_of(before, n), sum_of(after, n)},
	};
	size_t members_n = list_members(before, after, n, ret.whole, members);
	struct bundle small = {0};
	size_t first = 0; /* index in members[] of the first small row that is in no bundle yet */
	for (size_t i = 0; i < n; i++)
		bundle[i] = -1;
	for (size_t i = 0; i < members_n; i++) {
		const struct member *m = &members[i];
		if (is_enough(m->weight)) {
			bundle[m->row] = (int)ret.n;
			ret.all[ret.n++] = (struct bundle){{m->weight[0], m->weight[1]}, 0, 1, false};
			continue;
		}
		small.weight[0] += m->weight[0];
		small.weight[1] += m->weight[1];
		if (!is_enough(small.weight))
			continue;
		for (; first <= i; first++)
			if (!is_enough(members[first].weight)) {
				bundle[members[first].row] = (int)ret.n;
				small.rows++;
			}
		ret.all[ret.n++] = small;
		small = (struct bundle){0};
	}
	free(members);
	return ret;
}

/* Marks as `alike` the bundles that changed by about the same factor. */
static void find_alike(struct bundles *b, struct compare_reference *ret)
{
	double *sorted = mem_calloc(b->n + 1, sizeof(*sorted));
	for (size_t i = 0; i < b->n; i++)
		sorted[i] = b->all[i].log_change = log(b->all[i].weight[1] / b->all[i].weight[0]);
	sort_values(sorted, b->n);
	double middle = sorted_median(sorted, b->n);
	for (size_t i = 0; i < b->n; i++)
		sorted[i] = fabs(sorted[i] - middle);
	sort_values(sorted, b->n);
	/* 1.4826: ratio of standard deviation to median absolute deviation in a normal distribution */
	double spread = 1.4826 * sorted_median(sorted, b->n);
	spread = spread > spread_min ? spread : spread_min;
	for (size_t i = 0; i < b->n; i++)
		b->all[i].alike = fabs(b->all[i].log_change - middle) <= spreads_max * spread;
	ret->change = exp(middle) * b->whole[1] / b->whole[0];
	ret->spread = spread;
	free(sorted);
}

/* Decides whether the alike bundles are a reference: there must be at least FEW, or they must have the fraction `light`
 * of the weight on both sides.  Otherwise there is no reference (r->bundles 0, r->change 1). */
static void weigh(struct compare_reference *r)
{
	bool enough = r->alike >= FEW || (r->share[0] >= light && r->share[1] >= light);
	r->bundles = enough ? r->alike : 0;
	r->change = enough ? r->change : 1;
}

void compare_reference(const double *before, const double *after, size_t n, int *bundle, struct compare_reference *ret)
{
	struct bundles b = make_bundles(before, after, n, bundle);
	*ret = (struct compare_reference){.change = 1, .share = {1, 1}};
	if (b.n >= BUNDLES_MIN) {
		int *number = mem_calloc(b.n, sizeof(*number));
		find_alike(&b, ret);
		ret->share[0] = ret->share[1] = 0;
		for (size_t i = 0; i < b.n; i++) {
			number[i] = b.all[i].alike ? (int)ret->alike++ : -1;
			for (int side = 0; side < 2 && b.all[i].alike; side++)
				ret->share[side] += b.all[i].weight[side];
		}
		for (size_t i = 0; i < n; i++)
			if (bundle[i] >= 0)
				bundle[i] = number[bundle[i]];
		free(number);
		weigh(ret);
	}
	free(b.all);
}

/* The carriers: bundles whose weights add up to the reference.  Carriers that differ from the others are dropped. */
struct carriers {
	struct compare_series *series[2];
	double *sum[2]; /* [interval]: weight of the reference, before and after */
	double weight[2];
	struct compare_change *changes;
	size_t *number; /* index of each carrier in the caller's array of bundles */
	size_t n;
};

static struct carriers carriers_init(const struct compare_series *const sides[2], size_t n)
{
	struct carriers c = {
		.changes = mem_calloc(n + 1, sizeof(*c.changes)),
		.number = mem_calloc(n + 1, sizeof(*c.number)),
		.n = n,
	};
	for (int side = 0; side < 2; side++) {
		c.series[side] = mem_calloc(n + 1, sizeof(*c.series[side]));
		c.sum[side] = mem_calloc(n ? sides[side][0].n + 1 : 1, sizeof(double));
		for (size_t i = 0; i < n; i++)
			c.series[side][i] = sides[side][i];
	}
	for (size_t i = 0; i < n; i++)
		c.number[i] = i;
	return c;
}

static void carriers_deinit(struct carriers *c)
{
	for (int side = 0; side < 2; side++) {
		free(c->series[side]);
		free(c->sum[side]);
	}
	free(c->changes);
	free(c->number);
}

/* Sums the carriers' weights by interval, and makes the sum the denominator of each carrier. */
static void carriers_add_up(struct carriers *c)
{
	for (int side = 0; side < 2; side++) {
		size_t intervals = c->n ? c->series[side][0].n : 0;
		uint64_t samples = 0;
		c->weight[side] = 0;
		for (size_t k = 0; k < intervals; k++) {
			c->sum[side][k] = 0;
			for (size_t i = 0; i < c->n; i++)
				c->sum[side][k] += c->series[side][i].num[k];
			c->weight[side] += c->sum[side][k];
		}
		for (size_t i = 0; i < c->n; i++)
			samples += c->series[side][i].num_samples;
		for (size_t i = 0; i < c->n; i++) {
			c->series[side][i].den = c->sum[side];
			c->series[side][i].den_samples = samples;
		}
	}
}

static void carriers_compare(struct carriers *c, bool paired)
{
	if (!paired)
		compare_rows(c->series[0], c->series[1], c->n, c->changes);
	for (size_t i = 0; paired && i < c->n; i++)
		compare_paired(&c->series[0][i], &c->series[1][i], &c->changes[i]);
}

/* Returns the carrier with the smallest p-value of at most `p`; c->n: there is none. */
static size_t find_apart(const struct carriers *c, double p)
{
	size_t ret = c->n;
	for (size_t i = 0; i < c->n; i++) {
		if (!c->changes[i].tested || c->changes[i].p > p)
			continue;
		p = c->changes[i].p;
		ret = i;
	}
	return ret;
}

static void carriers_drop(struct carriers *c, size_t i)
{
	size_t last = --c->n;
	c->number[i] = c->number[last];
	c->changes[i] = c->changes[last];
	for (int side = 0; side < 2; side++)
		c->series[side][i] = c->series[side][last];
}

/* Drops the carriers that differ most from the others: of many carriers several at once, of few only one, because the
 * others may be alike without it.  Returns false if none differs. */
static bool drop_some(struct carriers *c, bool paired)
{
	static const double chance = 0.01; /* probability of dropping a carrier although none differs */
	enum { AT_ONCE = 16 };		   /* of n carriers, n / AT_ONCE + 1 are dropped at once */
	size_t n = c->n;
	double p = chance / (double)n;
	carriers_compare(c, paired);
	for (size_t drops = n / AT_ONCE + 1; drops && c->n > BUNDLES_MIN; drops--) {
		size_t apart = find_apart(c, p);
		if (apart == c->n)
			break;
		carriers_drop(c, apart);
	}
	carriers_add_up(c);
	return c->n < n;
}

void compare_reference_narrow(const struct compare_series *before, const struct compare_series *after, bool paired,
			      bool *carries, struct compare_reference *ret)
{
	struct carriers c = carriers_init((const struct compare_series *const[]){before, after}, ret->bundles);
	carriers_add_up(&c);
	double first[2] = {c.weight[0], c.weight[1]};
	while (c.n > BUNDLES_MIN && drop_some(&c, paired))
		;
	memset(carries, 0, ret->bundles * sizeof(*carries));
	for (size_t i = 0; i < c.n; i++)
		carries[c.number[i]] = true;
	if (c.n < ret->bundles) {
		ret->alike = c.n;
		ret->change = c.weight[1] / c.weight[0];
		for (int side = 0; side < 2; side++)
			ret->share[side] *= c.weight[side] / first[side];
		weigh(ret);
	}
	carriers_deinit(&c);
}
