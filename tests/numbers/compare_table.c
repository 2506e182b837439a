#include "compare_table.h"

#include <math.h>
#include <string.h>

/* So many samples, or none where they are fewer. */
static double count_of(struct compare_run *run, double mean)
{
	return fmax(floor(mean + compare_normal(run) * sqrt(mean) + 0.5), 0);
}

void table_fill_many(struct table *t, size_t moved, unsigned seed)
{
	static const struct compare_load unused = {.rows = 1, .phases = 1, .weights = {{1}}};
	static const double per_s = 64 * 999;
	struct compare_run run;
	double sum = 0;
	compare_run_start(&run, &unused, seed);
	for (size_t r = 0; r < t->rows; r++)
		sum += pow((double)r + 10, -1.1);
	for (size_t r = 0; r < t->rows; r++) {
		double mean = per_s * pow((double)r + 10, -1.1) / sum, factor = 1.1 + 0.4 * compare_random(&run);
		for (size_t i = 0; i < t->n[0]; i++)
			t->num[0][r][i] = count_of(&run, mean);
		for (size_t i = 0; i < t->n[1]; i++)
			t->num[1][r][i] = count_of(&run, mean * (r < moved ? factor : 1));
	}
}

static void weights(const struct table *t, int side, double *ret)
{
	for (size_t r = 0; r < t->rows; r++) {
		ret[r] = 0;
		for (size_t i = 0; i < t->n[side]; i++)
			ret[r] += t->num[side][r][i];
	}
}

static double whole(const struct table *t, int side, const bool *carries, double *den)
{
	double sum = 0;
	for (size_t i = 0; i < t->n[side]; i++) {
		den[i] = t->unit == UNIT_SECOND;
		for (size_t r = 0; r < t->rows && t->unit != UNIT_SECOND; r++)
			den[i] += carries[r] ? t->num[side][r][i] : 0;
		sum += den[i];
	}
	return t->unit == UNIT_SECOND ? 0 : sum / t->weight_of_sample;
}

static struct compare_series series_of(const struct table *t, int side, size_t row, double sum)
{
	return (struct compare_series){
		.num = t->num[side][row],
		.n = t->n[side],
		.num_samples = (uint64_t)(sum / t->weight_of_sample + 0.5),
	};
}

enum { BUNDLES_MAX = 200 }; /* of half a percent */

/* Leaves in carries[] the rows that carry the reference; all: there is none. */
static void find_reference(struct table *t, double sums[2][ROWS_MAX], bool *carries)
{
	static double nums[2][BUNDLES_MAX][INTERVALS_MAX];
	static int bundle[ROWS_MAX];
	struct compare_series s[2][BUNDLES_MAX] = {0};
	bool left[BUNDLES_MAX];
	compare_reference(sums[0], sums[1], t->rows, bundle, &t->reference);
	memset(nums, 0, sizeof(nums));
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < t->reference.bundles; i++)
			s[side][i] = (struct compare_series){.num = nums[side][i], .n = t->n[side]};
		for (size_t r = 0; r < t->rows && t->reference.bundles; r++) {
			if (bundle[r] < 0)
				continue;
			s[side][bundle[r]].num_samples += (uint64_t)(sums[side][r] / t->weight_of_sample + 0.5);
			for (size_t i = 0; i < t->n[side]; i++)
				nums[side][bundle[r]][i] += t->num[side][r][i];
		}
	}
	if (t->reference.bundles)
		compare_reference_narrow(s[0], s[1], t->paired, left, &t->reference);
	for (size_t r = 0; r < t->rows; r++)
		carries[r] = t->unit != UNIT_REFERENCE || !t->reference.bundles || (bundle[r] >= 0 && left[bundle[r]]);
}

void table_compare(struct table *t)
{
	static double sums[2][ROWS_MAX];
	static struct compare_series s[2][ROWS_MAX];
	static bool carries[ROWS_MAX];
	double den[2][INTERVALS_MAX], den_samples[2];
	weights(t, 0, sums[0]);
	weights(t, 1, sums[1]);
	find_reference(t, sums, carries);
	for (int side = 0; side < 2; side++)
		den_samples[side] = whole(t, side, carries, den[side]);
	for (int side = 0; side < 2; side++)
		for (size_t r = 0; r < t->rows; r++) {
			s[side][r] = series_of(t, side, r, sums[side][r]);
			s[side][r].den = den[side];
			s[side][r].den_samples = (uint64_t)(den_samples[side] + 0.5);
		}
	if (!t->paired)
		compare_rows(s[0], s[1], t->rows, t->changes);
	for (size_t r = 0; r < t->rows && t->paired; r++)
		compare_paired(&s[0][r], &s[1][r], &t->changes[r]);
	t->summary = compare_judge(t->changes, t->rows, 0.05, 0.01);
}
