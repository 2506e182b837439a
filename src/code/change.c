/* Computes how the shares of instructions changed from one build or recording to another, and which changes are
 * significant. */
#include "base/alloc.h"

#include <cyctop/code.h>
#include <cyctop/compare.h>

#include <math.h>

/* Returns the sampling variance of the share part/all.  A share of 0 or 1 would have no variance: one sample of mean
 * weight is then assumed in the part, or in the rest, that has none. */
static double share_variance(const struct code_count *part, const struct code_count *all)
{
	double share = part->weight / all->weight;
	double mean = all->weight / (double)all->samples, squares = part->samples ? part->squares : mean * mean;
	double others = part->samples < all->samples ? all->squares - part->squares : mean * mean;
	return ((1 - share) * (1 - share) * squares + share * share * (others > 0 ? others : 0)) / all->weight /
	       all->weight;
}

static bool has_samples(const struct code_listing *l, size_t event)
{
	return l->total[event].samples && l->total[event].weight > 0;
}

double code_share_error(const struct code_listing *l, size_t instruction, size_t event)
{
	const struct code_count *part = &l->counts[instruction * l->events_n + event];
	return has_samples(l, event) ? sqrt(share_variance(part, &l->total[event])) : 0;
}

static void change_of(const struct code_listing *const listings[CODE_BUILDS], const struct code_pair *pair,
		      size_t event, struct code_change *ret)
{
	double var = 0;
	bool sampled = false;
	*ret = (struct code_change){.known = true};
	for (enum code_side side = 0; side < CODE_BUILDS; side++) {
		const struct code_listing *l = listings[side];
		const size_t at = pair->at[side];
		ret->known &= has_samples(l, event);
		if (at == SIZE_MAX || !has_samples(l, event))
			continue;
		double error = code_share_error(l, at, event);
		ret->share[side] = code_share(l, at, event);
		sampled |= l->counts[at * l->events_n + event].samples > 0;
		var += error * error;
	}
	ret->known &= sampled;
	ret->change = ret->share[CODE_AFTER] - ret->share[CODE_BEFORE];
	ret->error = sqrt(var);
}

size_t code_changes(const struct code_listing *const listings[CODE_BUILDS], const struct code_pairs *pairs,
		    size_t event, double fdr, struct code_change *ret)
{
	struct compare_change *judged = mem_calloc(pairs->n + 1, sizeof(*judged));
	for (size_t i = 0; i < pairs->n; i++) {
		struct code_change *c = &ret[i];
		change_of(listings, &pairs->rows[i], event, c);
		judged[i] = (struct compare_change){.change = 1, .p = 1};
		if (c->known && c->error > 0)
			judged[i] = (struct compare_change){.state = CHANGE_OK,
							    .tested = true,
							    .change = 1,
							    .p = erfc(fabs(c->change / c->error) / sqrt(2))};
	}
	struct compare_summary sum = compare_judge(judged, pairs->n, fdr, 0);
	for (size_t i = 0; i < pairs->n; i++)
		ret[i].real = judged[i].real;
	free(judged);
	return sum.real;
}
