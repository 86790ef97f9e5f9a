/* SPDX-License-Identifier: Apache-2.0
 * proportion.c - see proportion.h. */
#include "oracles/rules/roce/proportion.h"

#include <math.h>

enum { HALVINGS = 60, FRACTION_MAX = 400 };

/* ln(gamma(x)), x > 0, by Stirling's series after a shift; the error is below 1e-12. */
static double log_gamma(double x)
{
    double shift = 0, square;

    while (x < 15)
        shift -= log(x++);
    square = x * x;
    return shift + (x - 0.5) * log(x) - x + log(2 * M_PI) / 2 +
           (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / (1680 * square)) / square) / square) /
               x;
}

/* The continued fraction of the incomplete beta function, by Lentz's method (Abramowitz and
 * Stegun 26.5.8). */
static double fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), product;

    d = 1 / (fabs(d) < tiny ? tiny : d);
    product = d;
    for (int m = 1; m < FRACTION_MAX * 50; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step;

        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        product *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        step = d * c;
        product *= step;
        if (fabs(step - 1) < 1e-14)
            break;
    }
    return product;
}

/* The regularized incomplete beta function: the probability that at least a of a + b - 1 trials
 * with probability x hit. */
static double beta(double x, double a, double b)
{
    double front;

    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * fraction(x, a, b) / a
                                     : 1 - front * fraction(1 - x, b, a) / b;
}

/* The x for which beta is `value`. */
static double inverse(double value, double a, double b)
{
    double lo = 0, hi = 1;

    for (int i = 0; i < HALVINGS; i++) {
        double x = (lo + hi) / 2;

        if (beta(x, a, b) < value)
            lo = x;
        else
            hi = x;
    }
    return (lo + hi) / 2;
}

struct fal_roce_band fal_rj_proportion(uint64_t hits, uint64_t trials, double alarm)
{
    double k = (double)hits, n = (double)trials;
    struct fal_roce_band band = {0, 1};

    if (trials == 0 || hits > trials)
        return band;
    if (hits > 0)
        band.lo = inverse(alarm / 2, k, n - k + 1);
    if (hits < trials)
        band.hi = inverse(1 - alarm / 2, k + 1, n - k);
    return band;
}
