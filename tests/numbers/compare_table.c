#include "compare_table.h"

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

void table_compare(struct table *t)
{
	double sums[2][ROWS_MAX], den[2][INTERVALS_MAX], den_samples[2];
	bool carries[ROWS_MAX];
	weights(t, 0, sums[0]);
	weights(t, 1, sums[1]);
	compare_reference(sums[0], sums[1], t->rows, carries, &t->reference);
	for (size_t r = 0; r < t->rows && t->unit != UNIT_REFERENCE; r++)
		carries[r] = true;
	for (int side = 0; side < 2; side++)
		den_samples[side] = whole(t, side, carries, den[side]);
	struct compare_series s[2][ROWS_MAX];
	for (int side = 0; side < 2; side++)
		for (size_t r = 0; r < t->rows; r++)
			s[side][r] = (struct compare_series){
				.num = t->num[side][r],
				.den = den[side],
				.n = t->n[side],
				.num_samples = (uint64_t)(sums[side][r] / t->weight_of_sample + 0.5),
				.den_samples = (uint64_t)(den_samples[side] + 0.5),
			};
	if (!t->paired)
		compare_rows(s[0], s[1], t->rows, t->changes);
	for (size_t r = 0; r < t->rows && t->paired; r++)
		compare_paired(&s[0][r], &s[1][r], &t->changes[r]);
	t->summary = compare_judge(t->changes, t->rows, 0.05, 0.01);
}
