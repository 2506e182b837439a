#include "compare/verdict.h"

#include "compare/distribution.h"

#include <math.h>

static const double log_max = 700; /* exp() is finite up to about here */
static const double smallest_max = 100;

struct compare_change change_unknown(enum change_state state)
{
	return (struct compare_change){
		.state = state,
		.change = state == CHANGE_NEW	     ? INFINITY
			  : state == CHANGE_VANISHED ? 0
						     : 1,
		.low = 0,
		.high = INFINITY,
		.smallest = INFINITY,
		.p = 1,
	};
}

double change_factor(double log_change)
{
	return log_change > log_max ? INFINITY : exp(log_change);
}

double change_smallest(double error, double df, double threshold)
{
	if (!(df > 0) || !(threshold > 0))
		return INFINITY;
	threshold = threshold < 1 ? threshold : 1;
	double growth = (t_quantile(1 - threshold / 2, df) + t_quantile(0.8, df)) * error;
	return growth < log(smallest_max) ? exp(growth) : INFINITY;
}

void change_fill(struct compare_change *c, double log_change, double error, double df)
{
	double t = t_quantile(0.975, df);
	c->change = change_factor(log_change);
	c->low = change_factor(log_change - t * error);
	c->high = change_factor(log_change + t * error);
	c->error = error;
	c->df = df;
	c->smallest = change_smallest(error, df, 0.05);
	c->p = error > 0 ? t_two_sided(log_change / error, df) : fabs(log_change) > 0 ? 0 : 1;
	c->tested = true;
}
