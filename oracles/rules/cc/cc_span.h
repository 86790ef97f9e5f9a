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
#include <string.h>

struct fal_cc_span {
    double lo, hi;
};

static inline struct fal_cc_span fal_span_of(double value)
{
    return (struct fal_cc_span){value, value};
}

/* The library's functions treat NaN, which does not occur here, and so cost a call each. */
static inline double fal_least(double a, double b)
{
    return a < b ? a : b;
}

static inline double fal_most(double a, double b)
{
    return a > b ? a : b;
}

static inline double fal_floor(double value)
{
    double whole;

    if (!(fabs(value) < 0x1p52))
        return value; /* it has no fraction */
    whole = (double)(int64_t)value;
    return whole > value ? whole - 1 : whole;
}

static inline double fal_ceil(double value)
{
    return -fal_floor(-value);
}

/* The next double that is larger in magnitude, or smaller; value is neither zero nor infinite.
 * The bits of doubles of one sign have the order of their magnitudes. */
static inline double fal_beside(double value, bool larger)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    bits += larger ? 1 : UINT64_MAX;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

static inline double fal_down(double value, double error)
{
    if (error == 0)
        return value;
    if (value == 0 || !isfinite(value))
        return nextafter(value, -INFINITY);
    return fal_beside(value, value < 0);
}

static inline double fal_up(double value, double error)
{
    if (error == 0)
        return value;
    if (value == 0 || !isfinite(value))
        return nextafter(value, INFINITY);
    return fal_beside(value, value > 0);
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

static inline bool fal_span_is_point(struct fal_cc_span a)
{
    return a.lo == a.hi;
}

/* From the least to the most of a product or quotient: each is rounded away from the other. */
static inline struct fal_cc_span fal_span_outward(double lo, double lo_error, double hi,
                                                  double hi_error)
{
    return (struct fal_cc_span){fal_down(lo, lo_error), fal_up(hi, hi_error)};
}

/* Without a sign the ends of the factors give the ends of the product. */
static inline struct fal_cc_span fal_span_mul_plain(struct fal_cc_span a, struct fal_cc_span b)
{
    double lo = a.lo * b.lo, hi, error = fma(a.lo, b.lo, -lo);

    if (fal_span_is_point(a) && fal_span_is_point(b))
        return fal_span_outward(lo, error, lo, error);
    hi = a.hi * b.hi;
    return fal_span_outward(lo, error, hi, fma(a.hi, b.hi, -hi));
}

static inline struct fal_cc_span fal_span_mul(struct fal_cc_span a, struct fal_cc_span b)
{
    double x[4] = {a.lo, a.lo, a.hi, a.hi}, y[4] = {b.lo, b.hi, b.lo, b.hi};
    struct fal_cc_span out = {INFINITY, -INFINITY};

    if (a.lo >= 0 && b.lo >= 0)
        return fal_span_mul_plain(a, b);
    for (int i = 0; i < 4; i++) {
        double product = x[i] * y[i], error = fma(x[i], y[i], -product);

        out.lo = fal_least(out.lo, fal_down(product, error));
        out.hi = fal_most(out.hi, fal_up(product, error));
    }
    return out;
}

static inline struct fal_cc_span fal_span_div_plain(struct fal_cc_span a, struct fal_cc_span b)
{
    double lo = a.lo / b.hi, hi, error = fma(lo, b.hi, -a.lo);

    if (fal_span_is_point(a) && fal_span_is_point(b))
        return fal_span_outward(lo, error, lo, error);
    hi = a.hi / b.lo;
    return fal_span_outward(lo, error, hi, fma(hi, b.lo, -a.hi));
}

/* b lies above zero. */
static inline struct fal_cc_span fal_span_div(struct fal_cc_span a, struct fal_cc_span b)
{
    double x[4] = {a.lo, a.lo, a.hi, a.hi}, y[4] = {b.lo, b.hi, b.lo, b.hi};
    struct fal_cc_span out = {INFINITY, -INFINITY};

    if (a.lo >= 0)
        return fal_span_div_plain(a, b);
    for (int i = 0; i < 4; i++) {
        double quotient = x[i] / y[i], error = fma(quotient, y[i], -x[i]);

        out.lo = fal_least(out.lo, fal_down(quotient, error));
        out.hi = fal_most(out.hi, fal_up(quotient, error));
    }
    return out;
}

static inline struct fal_cc_span fal_span_sqrt(struct fal_cc_span a)
{
    double lo = sqrt(a.lo), hi = fal_span_is_point(a) ? lo : sqrt(a.hi);

    return fal_span_outward(lo, fma(lo, lo, -a.lo), hi, fma(hi, hi, -a.hi));
}

static inline struct fal_cc_span fal_span_max(struct fal_cc_span a, struct fal_cc_span b)
{
    return (struct fal_cc_span){fal_most(a.lo, b.lo), fal_most(a.hi, b.hi)};
}

static inline struct fal_cc_span fal_span_clamp(struct fal_cc_span a, double min, double max)
{
    return (struct fal_cc_span){fal_least(fal_most(a.lo, min), max),
                                fal_least(fal_most(a.hi, min), max)};
}

static inline struct fal_cc_span fal_span_hull(struct fal_cc_span a, struct fal_cc_span b)
{
    return (struct fal_cc_span){fal_least(a.lo, b.lo), fal_most(a.hi, b.hi)};
}

/* The integers that any rounding to a neighbour gives. */
static inline struct fal_cc_span fal_span_rounded(struct fal_cc_span a)
{
    return (struct fal_cc_span){fal_floor(a.lo), fal_ceil(a.hi)};
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
