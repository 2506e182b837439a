#include "compare_load.h"

#include <cyctop/base.h>

#include <math.h>

/* xoroshiro128+ */
static uint64_t next(struct compare_run *run)
{
	uint64_t a = run->random[0], b = run->random[1], r = a + b;
	b ^= a;
	run->random[0] = (a << 55 | a >> 9) ^ b ^ (b << 14);
	run->random[1] = b << 36 | b >> 28;
	return r;
}

double compare_random(struct compare_run *run)
{
	return ((double)(next(run) >> 11) + 0.5) / 9007199254740992.0;
}

double compare_normal(struct compare_run *run)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += compare_random(run);
	return sum;
}

/* Where to begin to look for the row of a number in 0..1. */
struct guide {
	double until[ROWS_MAX]; /* the sum of the weights up to and with this row */
	size_t first[256];
};

static void guide_init(struct guide *g, const double *weights, size_t n)
{
	double sum = 0;
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		sum += weights[i];
		g->until[i] = i == n - 1 ? 1 : sum;
		for (; k < ARRAY_LEN(g->first) && (double)k / (double)ARRAY_LEN(g->first) < g->until[i]; k++)
			g->first[k] = i;
	}
}

static size_t draw(struct compare_run *run, const struct guide *g)
{
	double x = compare_random(run);
	size_t i = g->first[(size_t)(x * (double)ARRAY_LEN(g->first))];
	while (x >= g->until[i])
		i++;
	return i;
}

void compare_run_start(struct compare_run *run, const struct compare_load *load, uint64_t seed)
{
	*run = (struct compare_run){
		{seed * UINT64_C(0x9e3779b97f4a7c15) + 1, seed ^ UINT64_C(0xdeadbeefcafef00d)}, 0, 0};
	for (int i = 0; i < 20; i++)
		next(run);
	run->phase = (size_t)(compare_random(run) * (double)load->phases);
	struct guide guide;
	guide_init(&guide, load->weights[run->phase], load->rows);
	run->row = draw(run, &guide);
}

void compare_run_interval(struct compare_run *run, const struct compare_load *load, double seconds, double *counts)
{
	double step = 1 / load->hz;
	struct guide guides[PHASES_MAX];
	for (size_t p = 0; p < load->phases; p++)
		guide_init(&guides[p], load->weights[p], load->rows);
	double same_turn = exp(-step / load->turn_s), same_phase = load->phases > 1 ? exp(-step / load->phase_s) : 1;
	for (size_t i = (size_t)(load->hz * seconds + compare_random(run)); i > 0; i--) {
		if (load->phases > 1 && compare_random(run) > same_phase) {
			run->phase = (size_t)(compare_random(run) * (double)load->phases);
			run->row = draw(run, &guides[run->phase]); /* a phase ends a turn */
		} else if (compare_random(run) > same_turn)
			run->row = draw(run, &guides[run->phase]);
		counts[run->row]++;
	}
}
