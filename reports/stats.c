#include "reports.h"

#include <math.h>
#include <stdlib.h>

/*
 * The continued fraction of the incomplete beta function (DLMF 8.17.22),
 * evaluated by Lentz's method. It converges in about sqrt(max(a, b)) steps
 * for x below the mean.
 */
static double
beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;
	int m;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (m = 1; m < 100000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) *
		    (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) *
		    (a + 2 * m + 1));
		double step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		f *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		f *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return f;
}

/* Regularised incomplete beta function I_x(a, b). */
static double
beta_below(double a, double b, double x)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
	    b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* Beyond this the normal limit is as good as the fraction, and faster. */
#define NORMAL_FROM 1e8

static double
normal_below(double z)
{
	return 0.5 * erfc(-z / 1.4142135623730951);
}

/* P(X <= x) = I_{1-p}(n-x, x+1) (DLMF 8.17.5), with x and n real. */
double
binomial_below(double x, double n, double p)
{
	if (x < 0)
		return 0;
	if (x >= n || p <= 0)
		return 1;
	if (n > NORMAL_FROM)
		return normal_below((x + 0.5 - n * p) /
		    sqrt(n * p * (1 - p)));
	return beta_below(n - x, x + 1, 1 - p);
}

double
binomial_above(double x, double n, double p)
{
	if (x <= 0 || p >= 1)
		return 1;
	if (x > n)
		return 0;
	if (n > NORMAL_FROM)
		return normal_below((n * p - x + 0.5) /
		    sqrt(n * p * (1 - p)));
	return beta_below(x, n - x + 1, p);
}

/*
 * The conditional test of two Poisson rates (Przyborowski and Wilenski
 * 1940): given their sum, one count is binomial. Counts are first shrunk to
 * those that carry as much information about the logarithm of the ratio as
 * is left beside the noise: 1/x1 + 1/x2 becomes 1/x1 + 1/x2 + noise^2. So
 * small counts are tested exactly, and large ones never mean more than
 * runs repeat.
 */
double
rates_differ(double x1, double n1, double x2, double n2, double noise)
{
	double counting = 1 / (x1 + 0.5) + 1 / (x2 + 0.5);
	double keep = counting / (counting + noise * noise);
	double share = n1 / (n1 + n2), a, b;

	if (x1 + x2 <= 0 || n1 <= 0 || n2 <= 0)
		return 1;
	a = binomial_below(keep * x1, keep * (x1 + x2), share);
	b = binomial_above(keep * x1, keep * (x1 + x2), share);
	return fmin(1, 2 * fmin(a, b));
}

struct ranked { double p; int at; };

static int
by_p(const void *a, const void *b)
{
	const struct ranked *s = a, *t = b;

	if (s->p < t->p || s->p > t->p)
		return s->p < t->p ? -1 : 1;
	return s->at - t->at;
}

void
discovery_rates(const double *p, double *q, int n)
{
	struct arena *a = arena_new();
	struct ranked *list = arena_alloc(a, (size_t)n * sizeof(*list));
	double least = 1;
	int i;

	for (i = 0; i < n; i++)
		list[i] = (struct ranked){p[i], i};
	if (n)
		qsort(list, (size_t)n, sizeof(*list), by_p);
	for (i = n - 1; i >= 0; i--) {
		least = fmin(least, list[i].p * n / (i + 1));
		q[list[i].at] = least;
	}
	arena_free(a);
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double
median_of(double *x, int n)
{
	if (n == 0)
		return NAN;
	qsort(x, (size_t)n, sizeof(*x), by_value);
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}
