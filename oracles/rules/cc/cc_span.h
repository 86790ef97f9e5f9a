/* SPDX-License-Identifier: Apache-2.0
 * cc_span.h - intervals of real numbers, and arcs of the clock of 24 bits. Each operation
 * rounds outward by one unit in the last place, unless an error term shows that the result is
 * exact: add by the two-sum of Knuth, product, quotient and root by fma. So the true value
 * always lies inside, and integers keep a width of zero. */
#ifndef FAL_ORACLES_RULES_CC_CC_SPAN_H
#define FAL_ORACLES_RULES_CC_CC_SPAN_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct fal_cc_span {
    double lo, hi;
};

static inline struct fal_cc_span fal_span_of(double value)
{
    return (struct fal_cc_span){value, value};
}

static inline double fal_down(double value, double error)
{
    return error == 0 ? value : nextafter(value, -INFINITY);
}

static inline double fal_up(double value, double error)
{
    return error == 0 ? value : nextafter(value, INFINITY);
}

/* The error of rounding a + b. */
static inline double fal_sum_error(double a, double b)
{
    double sum = a + b, part = sum - a;

    return (a - (sum - part)) + (b - part);
}

static inline struct fal_cc_span fal_span_add(struct fal_cc_span a, struct fal_cc_span b)
{
    return (struct fal_cc_span){fal_down(a.lo + b.lo, fal_sum_error(a.lo, b.lo)),
                                fal_up(a.hi + b.hi, fal_sum_error(a.hi, b.hi))};
}

static inline struct fal_cc_span fal_span_sub(struct fal_cc_span a, struct fal_cc_span b)
{
    return fal_span_add(a, (struct fal_cc_span){-b.hi, -b.lo});
}

static inline struct fal_cc_span fal_span_mul(struct fal_cc_span a, struct fal_cc_span b)
{
    double x[4] = {a.lo, a.lo, a.hi, a.hi}, y[4] = {b.lo, b.hi, b.lo, b.hi};
    struct fal_cc_span out = {INFINITY, -INFINITY};

    for (int i = 0; i < 4; i++) {
        double product = x[i] * y[i], error = fma(x[i], y[i], -product);

        out.lo = fmin(out.lo, fal_down(product, error));
        out.hi = fmax(out.hi, fal_up(product, error));
    }
    return out;
}

/* b lies above zero. */
static inline struct fal_cc_span fal_span_div(struct fal_cc_span a, struct fal_cc_span b)
{
    double x[4] = {a.lo, a.lo, a.hi, a.hi}, y[4] = {b.lo, b.hi, b.lo, b.hi};
    struct fal_cc_span out = {INFINITY, -INFINITY};

    for (int i = 0; i < 4; i++) {
        double quotient = x[i] / y[i], error = fma(quotient, y[i], -x[i]);

        out.lo = fmin(out.lo, fal_down(quotient, error));
        out.hi = fmax(out.hi, fal_up(quotient, error));
    }
    return out;
}

static inline struct fal_cc_span fal_span_sqrt(struct fal_cc_span a)
{
    double lo = sqrt(a.lo), hi = sqrt(a.hi);

    return (struct fal_cc_span){fal_down(lo, fma(lo, lo, -a.lo)),
                                fal_up(hi, fma(hi, hi, -a.hi))};
}

static inline struct fal_cc_span fal_span_max(struct fal_cc_span a, struct fal_cc_span b)
{
    return (struct fal_cc_span){fmax(a.lo, b.lo), fmax(a.hi, b.hi)};
}

static inline struct fal_cc_span fal_span_clamp(struct fal_cc_span a, double min, double max)
{
    return (struct fal_cc_span){fmin(fmax(a.lo, min), max), fmin(fmax(a.hi, min), max)};
}

static inline struct fal_cc_span fal_span_hull(struct fal_cc_span a, struct fal_cc_span b)
{
    return (struct fal_cc_span){fmin(a.lo, b.lo), fmax(a.hi, b.hi)};
}

/* The integers that any rounding to a neighbour gives. */
static inline struct fal_cc_span fal_span_rounded(struct fal_cc_span a)
{
    return (struct fal_cc_span){floor(a.lo), ceil(a.hi)};
}

static inline bool fal_span_has(struct fal_cc_span a, double value)
{
    return a.lo <= value && value <= a.hi;
}

/* Times from `from` to `from` + `len`, modulo 2^24. */
struct fal_arc {
    uint32_t from, len;
};
#define FAL_ARC_MASK UINT32_C(0xffffff)

static inline struct fal_arc fal_arc_of(uint32_t time)
{
    return (struct fal_arc){time & FAL_ARC_MASK, 0};
}

static inline bool fal_arc_has(struct fal_arc arc, uint32_t time)
{
    return ((time - arc.from) & FAL_ARC_MASK) <= arc.len;
}

/* How long after `from` the arc lies. All times, if it contains `from` and wraps there. */
static inline struct fal_cc_span fal_arc_since(struct fal_arc arc, uint32_t from)
{
    uint32_t least = (arc.from - from) & FAL_ARC_MASK;

    if (arc.len > FAL_ARC_MASK - least)
        return (struct fal_cc_span){0, FAL_ARC_MASK};
    return (struct fal_cc_span){least, least + arc.len};
}

/* The arc, earlier by a time of `by` ticks, in whole ticks. */
static inline struct fal_arc fal_arc_before(struct fal_arc arc, struct fal_cc_span by)
{
    struct fal_cc_span whole = fal_span_clamp(fal_span_rounded(by), 0, FAL_ARC_MASK);
    uint32_t most = (uint32_t)whole.hi, len = arc.len + most - (uint32_t)whole.lo;

    return (struct fal_arc){(arc.from - most) & FAL_ARC_MASK,
                            len > FAL_ARC_MASK ? FAL_ARC_MASK : len};
}

#endif
