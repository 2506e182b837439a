#include "compare/distribution.h"

#include <math.h>

/* Returns the logarithm of the gamma function, x > 0, by Lanczos' series (g = 7, nine terms).  Not lgamma(), which sets
 * a global variable. */
static double log_gamma(double x)
{
	static const double c[] = {0.99999999999980993,	 676.5203681218851,	-1259.1392167224028,
				   771.32342877765313,	 -176.61502916214059,	12.507343278686905,
				   -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
	if (x < 0.5) /* reflection formula */
		return log(M_PI / sin(M_PI * x)) - log_gamma(1 - x);
	x -= 1;
	double sum = c[0];
	for (int i = 1; i < 9; i++)
		sum += c[i] / (x + i);
	double t = x + 7.5;
	return 0.5 * log(2 * M_PI) + (x + 0.5) * log(t) - t + log(sum);
}

/* The continued fraction of the incomplete beta function, by Lentz' method. */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < tiny ? tiny : d);
	double f = d;
	/* about sqrt(max(a, b)) terms are needed */
	for (int m = 1; m < 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 + even * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + even / c;
		c = fabs(c) < tiny ? tiny : c;
		f *= d * c;
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 + odd * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + odd / c;
		c = fabs(c) < tiny ? tiny : c;
		f *= d * c;
		if (fabs(d * c - 1) < 1e-14)
			break;
	}
	return f;
}

double beta_cdf(double x, double a, double b)
{
	if (!(x > 0))
		return 0;
	if (!(x < 1))
		return 1;
	double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	/* the continued fraction converges fast for small x; for larger x: I_x(a, b) = 1 - I_(1-x)(b, a) */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double beta_quantile(double p, double a, double b)
{
	double low = 0, high = 1;
	for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
		double middle = (low + high) / 2;
		if (beta_cdf(middle, a, b) < p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

double t_two_sided(double t, double df)
{
	return beta_cdf(df / (df + t * t), df / 2, 0.5);
}

double t_quantile(double p, double df)
{
	double tail = p < 0.5 ? p : 1 - p;
	if (!(tail > 0))
		return p < 0.5 ? -INFINITY : INFINITY;
	double low = 0, high = 1;
	while (high < 1e12 && t_two_sided(high, df) > 2 * tail) {
		low = high;
		high *= 2;
	}
	/* The tail is convex, so that Newton's method, started below the solution, never overshoots. */
	double t = low, scale = exp(log_gamma((df + 1) / 2) - log_gamma(df / 2)) / sqrt(df * M_PI);
	for (int i = 0; i < 100; i++) {
		double density = scale * exp(-(df + 1) / 2 * log1p(t * t / df));
		double step = density > 0 ? (t_two_sided(t, df) - 2 * tail) / (2 * density) : 0;
		t += step;
		if (!(step > 1e-12 * t))
			break;
	}
	return p < 0.5 ? -t : t;
}

void signed_rank_cdf(size_t n, double *ret)
{
	size_t most = n * (n + 1) / 2;
	for (size_t w = 0; w <= most; w++)
		ret[w] = w == 0;
	/* adds one rank after the other: rank r adds r to the sum with probability 1/2 */
	for (size_t r = 1, reached = 0; r <= n; r++) {
		reached += r;
		for (size_t w = reached + 1; w-- > 0;)
			ret[w] = (ret[w] + (w >= r ? ret[w - r] : 0)) / 2;
	}
	for (size_t w = 1; w <= most; w++)
		ret[w] += ret[w - 1];
}
