/* SPDX-License-Identifier: Apache-2.0
 * u128.h - 128-bit values: the widest field on the wire (EACK bitmaps, IPv6 addresses).
 * ISO C has no such integer, and a struct prints, compares and hashes alike on every compiler.
 * As a bitmap, bit n is the bit of weight 2^n (7.7.2: bit n stands for base PSN + n). */
#ifndef FAL_CODECS_U128_H
#define FAL_CODECS_U128_H

#include <stdbool.h>
#include <stdint.h>

typedef struct fal_u128 {
    uint64_t hi, lo;
} fal_u128;

static inline fal_u128 fal_u128_from(uint64_t v)
{
    return (fal_u128){.hi = 0, .lo = v};
}

static inline bool fal_u128_eq(fal_u128 a, fal_u128 b)
{
    return a.hi == b.hi && a.lo == b.lo;
}

static inline bool fal_u128_zero(fal_u128 a)
{
    return (a.hi | a.lo) == 0;
}

static inline fal_u128 fal_u128_and(fal_u128 a, fal_u128 b)
{
    return (fal_u128){.hi = a.hi & b.hi, .lo = a.lo & b.lo};
}

static inline fal_u128 fal_u128_or(fal_u128 a, fal_u128 b)
{
    return (fal_u128){.hi = a.hi | b.hi, .lo = a.lo | b.lo};
}

static inline fal_u128 fal_u128_not(fal_u128 a)
{
    return (fal_u128){.hi = ~a.hi, .lo = ~a.lo};
}

/* Shifts by any count; 128 and more give zero. */
static inline fal_u128 fal_u128_shr(fal_u128 a, unsigned n)
{
    if (n >= 128)
        return fal_u128_from(0);
    if (n >= 64)
        return (fal_u128){.hi = 0, .lo = a.hi >> (n - 64)};
    if (n == 0)
        return a;
    return (fal_u128){.hi = a.hi >> n, .lo = a.lo >> n | a.hi << (64 - n)};
}

static inline fal_u128 fal_u128_shl(fal_u128 a, unsigned n)
{
    if (n >= 128)
        return fal_u128_from(0);
    if (n >= 64)
        return (fal_u128){.hi = a.lo << (n - 64), .lo = 0};
    if (n == 0)
        return a;
    return (fal_u128){.hi = a.hi << n | a.lo >> (64 - n), .lo = a.lo << n};
}

/* Bit n, 0..127; false beyond. */
static inline bool fal_u128_test(fal_u128 a, unsigned n)
{
    if (n >= 128)
        return false;
    return ((n < 64 ? a.lo >> n : a.hi >> (n - 64)) & 1) != 0;
}

/* The value with bit n set; n beyond 127 changes nothing. */
static inline fal_u128 fal_u128_with(fal_u128 a, unsigned n)
{
    return fal_u128_or(a, fal_u128_shl(fal_u128_from(1), n));
}

/* The all-ones value of `width` bits, 0..128. */
static inline fal_u128 fal_u128_ones(unsigned width)
{
    if (width == 0)
        return fal_u128_from(0);
    return fal_u128_shr((fal_u128){.hi = UINT64_MAX, .lo = UINT64_MAX}, 128 - width);
}

/* The position of the highest 1 bit, or -1 when there is none. */
static inline int fal_u128_top(fal_u128 a)
{
    if (a.hi != 0)
        return 127 - __builtin_clzll(a.hi);
    return a.lo != 0 ? 63 - __builtin_clzll(a.lo) : -1;
}

#endif
