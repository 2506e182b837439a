/* Changes of rows, the rows that carry the reference, and the verdict over a table. */
#include <cyctop/compare.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static bool near(double value, double wanted, double most)
{
	return fabs(value - wanted) <= most;
}

enum { N = 30 };

/* A row with `num` +- `noise` of 1000 in each interval, whose deviations hang together for `phase` intervals. */
struct load {
	double num[N], den[N];
};

static void load_fill(struct load *l, double num, double noise, unsigned phase, unsigned seed)
{
	/* a fixed walk of signs: as many up as down, in an order without a pattern */
	static const double walk[N] = {0.3, -1.1, 0.8,	0.1,  -0.6, 1.4,  -0.2, -0.9, 0.5,  -1.3,
				       1.0, 0.2,  -0.4, 0.9,  -0.8, -0.1, 1.2,	-0.5, -1.0, 0.6,
				       0.0, 1.1,  -0.7, -0.3, 0.7,  -1.2, 0.4,	1.3,  -1.4, 0.0};
	for (unsigned i = 0; i < N; i++) {
		l->num[i] = num * (1 + noise * walk[(i / phase + seed * 7) % N]);
		l->den[i] = 1000;
	}
}

static struct compare_series series_of(const struct load *l, size_t n, double per_sample)
{
	struct compare_series s = {.num = l->num, .den = l->den, .n = n};
	double num = 0, den = 0;
	for (size_t i = 0; i < n; i++) {
		num += l->num[i];
		den += l->den[i];
	}
	s.num_samples = (uint64_t)(num / per_sample);
	s.den_samples = (uint64_t)(den / per_sample);
	return s;
}

static struct compare_change change_of(const struct load *before, const struct load *after, size_t n)
{
	struct compare_series b = series_of(before, n, 1), a = series_of(after, n, 1);
	struct compare_change c;
	compare_change(&b, &a, &c);
	return c;
}

static void a_change_beyond_the_spread(void **state)
{
	(void)state;
	struct load before, after;
	load_fill(&before, 100, 0.05, 1, 0);
	load_fill(&after, 120, 0.05, 1, 1);
	struct compare_change c = change_of(&before, &after, N);
	assert_int_equal(c.state, CHANGE_OK);
	assert_true(c.tested && near(c.change, 1.2, 0.01));
	assert_true(c.low > 1.15 && c.low < c.change && c.high > c.change && c.high < 1.25);
	assert_true(c.p < 1e-6 && c.df > 10 && c.effective > 8 && c.effective <= N);
	/* symmetric: the way back is the same change */
	struct compare_change back = change_of(&after, &before, N);
	assert_true(near(back.change * c.change, 1, 1e-9) && near(back.low * c.high, 1, 1e-9) &&
		    near(back.p, c.p, 1e-12));
	/* the same numbers in ten times the spread prove nothing */
	load_fill(&before, 100, 0.5, 1, 0);
	load_fill(&after, 120, 0.5, 1, 1);
	struct compare_change noisy = change_of(&before, &after, N);
	assert_true(noisy.p > 0.05 && noisy.low < 1 && noisy.high > 1 && noisy.smallest > 1.3);
}

static void phases_widen_the_interval(void **state)
{
	(void)state;
	struct load before, after;
	double width[4], effective[4];
	static const unsigned phases[] = {1, 2, 5, 15};
	for (int i = 0; i < 4; i++) {
		load_fill(&before, 100, 0.05, phases[i], 0);
		load_fill(&after, 120, 0.05, phases[i], 1);
		struct compare_change c = change_of(&before, &after, N);
		width[i] = log(c.high / c.low);
		effective[i] = c.effective;
	}
	/* twice as long, half as many: wider by the root of two at least */
	assert_true(width[1] > 1.2 * width[0] && width[2] > 1.2 * width[1]);
	assert_true(effective[2] < COMPARE_EFFECTIVE_MIN && effective[3] < COMPARE_EFFECTIVE_MIN && effective[0] > 8);
}

/* A row that by chance shows no phases is not more certain than the others. */
static void a_table_knows_its_phases(void **state)
{
	(void)state;
	struct load loads[2][8];
	struct compare_series s[2][8];
	struct compare_change rows[8], alone;
	for (unsigned i = 0; i < 8; i++)
		for (unsigned side = 0; side < 2; side++) {
			load_fill(&loads[side][i], side ? 110 : 100, 0.05, i ? 5 : 1, i + side);
			s[side][i] = series_of(&loads[side][i], N, 1);
		}
	compare_rows(s[0], s[1], 8, rows);
	compare_change(&s[0][0], &s[1][0], &alone);
	assert_true(rows[0].state == CHANGE_OK && rows[0].change == alone.change);
	assert_true(rows[0].effective < COMPARE_EFFECTIVE_MIN && alone.effective > 8 && rows[0].p > alone.p);
	assert_true(rows[0].low < alone.low && rows[0].high > alone.high);
	assert_true(compare_judge(rows, 8, 0.05, 0.01).low_sensitivity);
	/* rows without a spread do not take part in it, and have their own verdicts */
	s[0][1].num_samples = s[1][1].num_samples = 3;
	compare_rows(s[0], s[1], 2, rows);
	assert_int_equal(rows[1].state, CHANGE_FEW_SAMPLES);
	assert_true(rows[0].effective > 8);
	compare_rows(s[0], s[1], 0, rows);
}

/* Three intervals are compared with many, as one of the stretches of three that those consist of. */
static void a_short_side_borrows_the_spread(void **state)
{
	(void)state;
	struct load before, after;
	load_fill(&before, 100, 0.05, 1, 0);
	load_fill(&after, 150, 0.05, 1, 1);
	struct compare_series b = series_of(&before, N, 1), a = series_of(&after, 3, 1);
	struct compare_change c, back, full = change_of(&before, &after, N);
	compare_change(&b, &a, &c);
	assert_true(c.state == CHANGE_OK && c.tested && c.borrowed && !full.borrowed && c.p < 1e-4);
	assert_true(c.low > 1.2 && c.high < 1.9 && c.high / c.low > full.high / full.low);
	compare_change(&a, &b, &back);
	assert_true(back.borrowed && near(back.change * c.change, 1, 1e-9) && near(back.high * c.low, 1, 1e-9));
	/* a row that fell is known from fewer samples */
	load_fill(&after, 25, 0.05, 1, 1);
	a = series_of(&after, 3, 1);
	compare_change(&b, &a, &back);
	assert_true(back.high / back.low > c.high / c.low && back.p < 1e-4);
	/* and if none are left: three intervals without one, of 100 each before */
	load_fill(&after, 0, 0, 1, 0);
	a = series_of(&after, 3, 1);
	compare_change(&b, &a, &c);
	assert_true(c.state == CHANGE_VANISHED && c.tested && c.borrowed && c.p < 0.01 && c.high < 0.5);
	/* four of thirty are too many, and a burst in one of three proves nothing */
	load_fill(&after, 150, 0.05, 1, 1);
	a = series_of(&after, 4, 1);
	compare_change(&b, &a, &c);
	assert_true(c.state == CHANGE_FEW_INTERVALS && !c.tested);
	after.num[0] = after.num[1] = 0;
	a = series_of(&after, 3, 1);
	compare_change(&b, &a, &c);
	assert_true(c.state == CHANGE_FEW_INTERVALS && !c.tested);
}

static void what_is_not_tested(void **state)
{
	(void)state;
	struct load before, after, zero = {{0}, {0}}, bursts;
	load_fill(&before, 100, 0.05, 1, 0);
	load_fill(&after, 120, 0.05, 1, 1);
	/* too few intervals: the interval is that of the samples, and never a verdict */
	static const size_t few[] = {1, 2, 7};
	for (size_t i = 0; i < ARRAY_LEN(few); i++) {
		struct compare_change c = change_of(&before, &after, few[i]);
		assert_int_equal(c.state, CHANGE_FEW_INTERVALS);
		assert_true(!c.tested && c.p == 1 && c.change > 1.1 && c.low > 0 && c.low < c.high);
		assert_int_equal(compare_judge(&c, 1, 1, 0).real, 0);
	}
	/* no intervals, no denominator, nothing on either side */
	assert_int_equal(change_of(&before, &after, 0).state, CHANGE_NONE);
	assert_int_equal(change_of(&zero, &after, N).state, CHANGE_NONE);
	load_fill(&zero, 0, 0, 1, 0);
	assert_int_equal(change_of(&zero, &zero, N).state, CHANGE_NONE);
	/* few samples on both sides */
	struct compare_series b = series_of(&before, N, 300), a = series_of(&after, N, 300);
	struct compare_change c;
	compare_change(&b, &a, &c);
	assert_int_equal(c.state, CHANGE_FEW_SAMPLES);
	assert_false(c.tested);
	/* many samples in few intervals */
	bursts = zero;
	bursts.num[3] = bursts.num[4] = 900;
	assert_int_equal(change_of(&bursts, &after, N).state, CHANGE_FEW_INTERVALS);
	c = change_of(&zero, &bursts, N);
	assert_true(c.state == CHANGE_NEW && !c.tested);
	c = change_of(&bursts, &zero, N);
	assert_true(c.state == CHANGE_VANISHED && !c.tested);
	/* numbers that are none */
	static const double bad[] = {NAN, INFINITY, -1};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct load broken = after;
		broken.num[5] = bad[i];
		b = series_of(&before, N, 1);
		a = (struct compare_series){broken.num, broken.den, N, 1000, 1000};
		compare_change(&b, &a, &c);
		assert_true(c.state == CHANGE_NONE && c.change == 1 && c.p == 1);
	}
}

static void new_and_vanished_rows(void **state)
{
	(void)state;
	struct load none, some, more;
	load_fill(&none, 0, 0, 1, 0);
	load_fill(&some, 1, 0.4, 1, 0); /* 30 samples in 30 intervals */
	struct compare_change c = change_of(&none, &some, N);
	assert_int_equal(c.state, CHANGE_NEW);
	assert_true(c.tested && isinf(c.change) && isinf(c.high) && c.p < 0.01);
	/* at most 3.7 samples were due, of 30, if samples were independent and 30 were certain */
	assert_true(c.low > 2 && c.low < 30 / 3.69);
	struct compare_change gone = change_of(&some, &none, N);
	assert_int_equal(gone.state, CHANGE_VANISHED);
	assert_true(gone.change == 0 && gone.low == 0 && near(gone.high * c.low, 1, 1e-9) && gone.p == c.p);
	/* where each sample stands for as much as half of the row, none there says little; one that stands for less
	 * than here says no more */
	struct compare_series from = series_of(&some, N, 1), to = series_of(&none, N, 1);
	to.num_weight = 15;
	compare_change(&from, &to, &c);
	assert_true(c.state == CHANGE_VANISHED && c.tested && c.p > 0.1 && c.high > 1);
	to.num_weight = 0.5;
	compare_change(&from, &to, &c);
	assert_true(c.p == gone.p && c.high == gone.high);
	/* few samples are not none */
	load_fill(&none, 0.1, 0, 1, 0);
	c = change_of(&none, &some, N);
	assert_int_equal(c.state, CHANGE_BOUNDED);
	assert_true(c.tested && near(c.change, 10, 1e-6) && c.low > 1.5 && c.high > 20 && isfinite(c.high) &&
		    c.p < 0.05);
	/* the longer side saw nothing of a row of which little was due on the shorter one */
	load_fill(&none, 0, 0, 1, 0);
	load_fill(&more, 0.8, 0.4, 1, 0);
	struct compare_series b = series_of(&more, N, 1), a = series_of(&none, 8, 1);
	b.num_samples = 24;
	compare_change(&b, &a, &c);
	assert_true(c.state == CHANGE_VANISHED && c.tested && c.p < 0.2 && c.p > 0.001);
	for (int i = 0; i < N; i++)
		none.den[i] = 100; /* 2.4 samples were due */
	a = series_of(&none, N, 1);
	compare_change(&b, &a, &c);
	assert_true(c.p > 0.05 && c.high > 1);
}

/* Equal in each interval: known to a period at the ends of the stretch, not to nothing at all. */
static void perfect_regularity(void **state)
{
	(void)state;
	struct load before, after;
	load_fill(&before, 10, 0, 1, 0);
	load_fill(&after, 10, 0, 1, 0);
	struct compare_change c = change_of(&before, &after, N);
	assert_true(c.change == 1 && c.p == 1 && c.low < 1 && c.high > 1);
	after.num[0] += 1; /* one sample more of 300 */
	c = change_of(&before, &after, N);
	assert_true(c.p > 0.05);
	/* the whole of the table */
	load_fill(&before, 1000, 0, 1, 0);
	load_fill(&after, 1000, 0, 1, 0);
	c = change_of(&before, &after, N);
	assert_true(c.change == 1 && c.p == 1);
}

static void a_reference_of_what_moved_alike(void **state)
{
	(void)state;
	/* 30 % more load, one row besides; one row too small, one new, one vanished */
	double before[] = {260, 130, 83, 60, 47, 38, 3, 0, 20}, after[9];
	for (int i = 0; i < 9; i++)
		after[i] = before[i] * (1.3 + 0.003 * (i % 3));
	after[0] *= 1.5;
	after[7] = 30;
	after[8] = 0;
	int bundle[9];
	struct compare_reference ref;
	compare_reference(before, after, 9, bundle, &ref);
	/* the new one and the one that vanished share a bundle, which moved */
	static const int wanted[9] = {-1, 0, 1, 2, 3, 4, -1, -1, -1};
	for (int i = 0; i < 9; i++)
		assert_int_equal(bundle[i], wanted[i]);
	assert_int_equal(ref.bundles, 5);
	assert_true(near(ref.change, 1.303, 0.0031) && near(ref.share[0], 358 / 641.0, 1e-3));
	/* nobody knows which one of two moved: shares */
	compare_reference(before, after, 2, bundle, &ref);
	assert_true(ref.bundles == 0 && ref.alike == 0 && ref.change == 1);
	compare_reference(before, after, 0, bundle, &ref);
	assert_int_equal(ref.bundles, 0);
}

/* Rows too small to be asked alone are most of the weight: what they did together counts. */
static void small_rows_are_asked_together(void **state)
{
	(void)state;
	enum { ROWS = 1000, LARGE = 5 };
	double before[ROWS], after[ROWS];
	int bundle[ROWS];
	struct compare_reference ref;
	for (int i = 0; i < ROWS; i++) {
		before[i] = i < LARGE ? 60 : 10;
		after[i] = i < LARGE ? 90 : 10;
	}
	compare_reference(before, after, ROWS, bundle, &ref);
	assert_true(ref.bundles > 100 && ref.bundles <= 200 && near(ref.change, 1, 1e-9) && ref.share[1] > 0.9);
	for (int i = 0; i < LARGE; i++)
		assert_int_equal(bundle[i], -1);
	/* a few that are light: nobody knows whether they moved, or the large one did */
	before[0] = after[0] = 2000;
	for (int i = 1; i < 4; i++) {
		before[i] = 60;
		after[i] = 90;
	}
	compare_reference(before, after, 4, bundle, &ref);
	assert_true(ref.bundles == 0 && ref.alike == 3 && ref.change == 1 && ref.share[0] < 0.1);
	/* many that are light: the large one */
	for (int i = 1; i < 20; i++) {
		before[i] = 20;
		after[i] = 30;
	}
	compare_reference(before, after, 20, bundle, &ref);
	assert_true(ref.bundles == 19 && bundle[0] == -1 && near(ref.change, 1.5, 1e-9));
}

/* Benjamini and Hochberg (1995), section 3.1: four of fifteen at 5 %. */
static void the_verdict_of_a_textbook(void **state)
{
	(void)state;
	static const double p[15] = {0.0278, 0.0001, 0.0344, 0.0298, 0.0004, 0.0459, 1.0000, 0.0201,
				     0.0019, 0.3240, 0.0095, 0.4262, 0.5719, 0.7590, 0.6528};
	struct compare_change c[17];
	for (int i = 0; i < 17; i++)
		c[i] = (struct compare_change){.change = 1.1,
					       .p = i < 15 ? p[i] : 1,
					       .tested = i < 15,
					       .df = 20,
					       .error = 0.02,
					       .effective = i < 15 ? i + 1 : 0};
	struct compare_summary s = compare_judge(c, 17, 0.05, 0.01);
	assert_true(s.tested == 15 && s.real == 4 && s.threshold == 0.0095 && s.effective == 8 && !s.low_sensitivity);
	assert_true(c[1].real && c[4].real && c[8].real && c[10].real && !c[0].real && !c[15].real);
	/* a small change is none, up and down */
	c[1].change = 1.009;
	c[4].change = 0.991;
	c[8].change = 0.99;
	s = compare_judge(c, 17, 0.05, 0.01);
	assert_true(s.real == 2 && !c[1].real && !c[4].real && c[8].real);
	/* it takes more in a table than alone */
	struct compare_change alone = c[0];
	compare_judge(&alone, 1, 0.05, 0.01);
	assert_true(alone.smallest > 1.04 && alone.smallest < c[0].smallest);
	assert_true(c[0].real == false && alone.real);
	s = compare_judge(NULL, 0, 0.05, 0.01);
	assert_true(s.tested == 0 && s.real == 0 && s.threshold == 0);
}

/* What phases hide from stretches, turns show. */
static void turns_are_compared_in_pairs(void **state)
{
	(void)state;
	struct load before, after;
	load_fill(&before, 100, 0.3, 5, 0);
	load_fill(&after, 110, 0.3, 5, 0);
	for (int i = 0; i < N; i++)
		after.num[i] *= i % 3 ? 1.01 : 0.98;
	struct compare_change c = change_of(&before, &after, N);
	assert_true(c.p > 0.05);
	struct compare_series b = series_of(&before, N, 1), a = series_of(&after, N, 1);
	compare_paired(&b, &a, &c);
	assert_true(c.state == CHANGE_OK && c.tested && near(c.change, 1.1, 0.01) && c.low > 1.08 && c.high < 1.12);
	assert_true(c.df == N - 1 && c.effective == N && c.p < 1e-6);
	b.n = 4;
	b.num_samples = 400;
	compare_paired(&b, &a, &c);
	assert_int_equal(c.state, CHANGE_FEW_INTERVALS);
	struct load none;
	load_fill(&none, 0, 0, 1, 0);
	load_fill(&before, 10, 0.1, 1, 0);
	b = series_of(&before, N, 1);
	a = series_of(&none, N, 1);
	compare_paired(&b, &a, &c);
	assert_true(c.state == CHANGE_VANISHED && c.tested && c.p < 0.001);
}

/* Whatever comes in, numbers come out. */
static void no_number_is_nan(void **state)
{
	(void)state;
	static const double values[] = {0, 0, 1, 1, 2, 1000, 1e-50, 1e50, 1e-300, 1e300, 5e-324};
	static const uint64_t samples[] = {0, 1, 19, 20, 1000, UINT64_MAX};
	uint64_t random = 1;
	double num[2][40], den[2][40];
	for (int round = 0; round < 20000; round++) {
		struct compare_series s[2];
		size_t kinds = 2 + (size_t)round % (ARRAY_LEN(values) - 1);
		for (int side = 0; side < 2; side++) {
			for (int i = 0; i < 40; i++) {
				random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
				num[side][i] = values[(random >> 33) % kinds];
				den[side][i] = values[(random >> 48) % kinds];
			}
			s[side] = (struct compare_series){num[side], den[side], (random >> 20) % 41,
							  samples[(random >> 40) % ARRAY_LEN(samples)],
							  samples[(random >> 50) % ARRAY_LEN(samples)]};
		}
		struct compare_change c[3];
		compare_change(&s[0], &s[1], &c[0]);
		compare_rows(&s[0], &s[1], 1, &c[1]);
		compare_paired(&s[0], &s[1], &c[2]);
		struct compare_summary summary = compare_judge(c, 3, 0.05, 0.01);
		assert_false(isnan(summary.threshold) || isnan(summary.effective));
		for (int i = 0; i < 3; i++) {
			assert_false(isnan(c[i].change) || isnan(c[i].low) || isnan(c[i].high) ||
				     isnan(c[i].smallest) || isnan(c[i].error) || isnan(c[i].df) ||
				     isnan(c[i].effective));
			assert_true(c[i].p >= 0 && c[i].p <= 1 && c[i].low <= c[i].high);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_beyond_the_spread),
		cmocka_unit_test(phases_widen_the_interval),
		cmocka_unit_test(a_table_knows_its_phases),
		cmocka_unit_test(a_short_side_borrows_the_spread),
		cmocka_unit_test(what_is_not_tested),
		cmocka_unit_test(new_and_vanished_rows),
		cmocka_unit_test(perfect_regularity),
		cmocka_unit_test(a_reference_of_what_moved_alike),
		cmocka_unit_test(small_rows_are_asked_together),
		cmocka_unit_test(the_verdict_of_a_textbook),
		cmocka_unit_test(turns_are_compared_in_pairs),
		cmocka_unit_test(no_number_is_nan),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
