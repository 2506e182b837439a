/* Computes the variance of a sampled weight.  Samples are taken at regular distances, so all that is uncertain about a
 * long run of samples is where between two samples it began and ended: uniform in a period p, with variance p^2/12 for
 * each end.  If code changes so fast that neighbouring samples are independent, each sample is a draw of its own, with
 * variance p^2 (1 - share) for each sample, that is p^2/2 for each end of a run.
 *
 * Between the two is code whose runs have exponential lengths, so that the correlation of samples falls by a factor
 * of 1 - u from one to the next.  The difference between the sum over regular samples and the integral over time has,
 * for each sample, the variance p^2 share (1 - share) g(u), with
 *
 *     g(u) = (2 - u) / u + 2 / ln(1 - u)       (0 for u = 0, about u/6 for small u, 1 for u = 1)
 *
 * and a sample is the end of a run with probability u (1 - share), so that each end has p^2 g(u) / 2u. */
#include "model/runs.h"

#include <math.h>

/* The largest g, a compromise: samples cannot tell apart stays in the same code of a fifth of a period, where g is
 * 0.61, and infinitely short stays, where g is 1.  In both cases hardly two neighbours belong to one run. */
static const double g_max = 0.85;
/* Factor on u: makes up for runs that chance hides in a window of a thousand samples. */
static const double u_margin = 1.03;

static double fall(double u)
{
	if (u < 1e-3)
		return u / 6;
	if (u > 0.9999)
		return g_max;
	double g = (2 - u) / u + 2 / log1p(-u);
	return g < g_max ? g : g_max;
}

/* Returns the variance, in squared weights, that time without a counter adds for each end of a run.  Times off and on
 * the counter alternate: `gap` samples off, and running / (1 - running) times as many on.  Time off is taken to be like
 * time on.  For runs much longer than `gap` the error is a part of `gap` at each end; short runs average out.  With x =
 * gap / mean length of a run, the variance of a gap is share (1 - share) gap^2 k(x), where k = x/3 for small x and 4/x
 * for large x. */
static double off_counter(double u, const struct runs *r)
{
	if (!(r->running < 1) || !(r->gap > 0))
		return 0;
	double x = -log1p(-(u < 0.9999 ? u : 0.9999)) * r->gap;
	double k = x / 3 / (1 + x * x / 12);
	return r->running * (1 - r->running) * r->gap * k / (2 * u);
}

double runs_variance(const struct runs *r)
{
	/* no two samples are in one run: there are few samples, or their order is unknown */
	if (r->far >= r->edges && r->edges > 1.999 * r->random)
		return r->random;
	double left = r->share < 1 ? 1 - r->share : 0;
	/* edges are summed over facts, even those between the facts: takes at most as many as chance makes */
	double edges = r->edges < 2 * r->random ? r->edges : 2 * r->random;
	double more = 2 * r->share * left * r->unit; /* runs that the ends of the window cut */
	double u = r->edges > 0 ? 2 - r->far / r->edges : 0;
	u = u > 0 ? u * u_margin : 0;
	/* few edges tell little about u: shrinks it towards 1 */
	u = (u * edges + r->unit / 2) / (edges + r->unit / 2);
	u = u < 1 ? u : 1;
	return (edges + more) * (fall(u) / (2 * u) + off_counter(u, r));
}
