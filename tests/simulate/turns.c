#include "turns.h"

#include "base/index.h"

double turns_uniform(struct turns_random *r)
{
	r->state += 0x9e3779b97f4a7c15ull;
	return ((double)(hash_u64(r->state) >> 11) + 0.5) / 9007199254740992.0; /* 2^53 */
}

/* Von Neumann's method: only comparisons, so that no machine's logarithm changes a digit.  A run of falling
 * uniform numbers has an odd length with probability exp(-first). */
static double turns_exponential(struct turns_random *r)
{
	for (double whole = 0;; whole += 1) {
		double first = turns_uniform(r), last = first, next;
		unsigned n = 1;
		while ((next = turns_uniform(r)) < last) {
			last = next;
			n++;
		}
		if (n % 2)
			return whole + first;
	}
}

/* Mean 1.  A mixture of exponential lengths, each three times as long and a quarter as frequent as the one
 * before: P(longer than x) falls like x to the power of -1.26. */
static double heavy(struct turns_random *r)
{
	enum { LEVELS = 8 };
	static const double mean = 2.7331; /* sum of 3/4 (3/4)^k for k below 7, and (3/4)^7 */
	double length = 1;
	for (int k = 1; k < LEVELS && turns_uniform(r) < 0.25; k++)
		length *= 3;
	return turns_exponential(r) * length / mean;
}

/* In turns of different lengths, a function's part of the turns is its part of the time over its length. */
static double chance(const struct turns_row *row)
{
	return row->weight / row->length_ns;
}

static size_t draw_row(struct turns *t, const struct turns_mix *mix)
{
	double all = 0;
	for (size_t i = 0; i < mix->rows_n; i++)
		all += chance(&mix->rows[i]);
	double x = turns_uniform(&t->random) * all;
	size_t row = 0;
	while (row + 1 < mix->rows_n && (x -= chance(&mix->rows[row])) > 0)
		row++;
	return row;
}

static double ordered_length(const struct turns_config *config, const struct turns_mix *mix, size_t row)
{
	double all = 0;
	for (size_t i = 0; i < mix->rows_n; i++)
		all += mix->rows[i].weight;
	return config->round_ns * mix->rows[row].weight / all;
}

static void next_phase(struct turns *t, const struct turns_config *config)
{
	if (config->mixes_n < 2 || t->turn_end_ns < t->phase_end_ns)
		return;
	size_t mix = (size_t)(turns_uniform(&t->random) * (double)config->mixes_n);
	t->mix = mix < config->mixes_n ? mix : config->mixes_n - 1;
	t->phase_end_ns = t->turn_end_ns + turns_exponential(&t->random) * config->phase_ns;
	t->row = SIZE_MAX; /* ordered turns begin with the first row */
}

void turns_next(struct turns *t, const struct turns_config *config)
{
	next_phase(t, config);
	const struct turns_mix *mix = &config->mixes[t->mix];
	double length = 0;
	switch (config->kind) {
	case TURNS_RANDOM:
		t->row = draw_row(t, mix);
		length = turns_exponential(&t->random) * mix->rows[t->row].length_ns;
		break;
	case TURNS_HEAVY:
		t->row = draw_row(t, mix);
		length = heavy(&t->random) * mix->rows[t->row].length_ns;
		break;
	case TURNS_CYCLE:
		t->row = t->row + 1 < mix->rows_n ? t->row + 1 : 0;
		length = ordered_length(config, mix, t->row);
		break;
	case TURNS_GAMMA:
		t->row = t->row + 1 < mix->rows_n ? t->row + 1 : 0;
		for (int i = 0; i < 4; i++)
			length += turns_exponential(&t->random) / 4;
		length *= ordered_length(config, mix, t->row);
		break;
	}
	t->turn_end_ns += length;
	if (config->mixes_n > 1 && t->turn_end_ns > t->phase_end_ns)
		t->turn_end_ns = t->phase_end_ns;
}

void turns_init(struct turns *t, const struct turns_config *config, uint64_t seed)
{
	*t = (struct turns){.random = {.state = hash_u64(seed + 1)}, .row = SIZE_MAX};
	turns_next(t, config);
	if (config->kind != TURNS_CYCLE && config->kind != TURNS_GAMMA)
		return;
	double skip = turns_uniform(&t->random) * config->round_ns; /* begin anywhere in a round */
	while (skip >= t->turn_end_ns)
		turns_next(t, config);
	t->turn_end_ns -= skip;
	t->phase_end_ns -= skip;
}
