/* SPDX-License-Identifier: Apache-2.0
 * u128.h - 128-bit values: the widest field on the wire (EACK bitmaps, IPv6 addresses).
 * ISO C has no such integer; gcc and clang have, on every 64-bit target.
 * As a bitmap, bit n is the bit of weight 2^n (7.7.2: bit n stands for base PSN + n). */
#ifndef FAL_CODECS_BASE_U128_H
#define FAL_CODECS_BASE_U128_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 fal_u128;

static inline fal_u128 fal_u128_halves(uint64_t hi, uint64_t lo)
{
    return (fal_u128)hi << 64 | lo;
}

static inline uint64_t fal_u128_hi(fal_u128 a)
{
    return (uint64_t)(a >> 64);
}

static inline uint64_t fal_u128_lo(fal_u128 a)
{
    return (uint64_t)a;
}

/* Shifts by any count; 128 and more give zero. */
static inline fal_u128 fal_u128_shr(fal_u128 a, unsigned n)
{
    return n < 128 ? a >> n : 0;
}

static inline fal_u128 fal_u128_shl(fal_u128 a, unsigned n)
{
    return n < 128 ? a << n : 0;
}

/* Bit n, 0..127; false beyond. */
static inline bool fal_u128_test(fal_u128 a, unsigned n)
{
    return (fal_u128_shr(a, n) & 1) != 0;
}

/* The value with bit n set; n beyond 127 changes nothing. */
static inline fal_u128 fal_u128_with(fal_u128 a, unsigned n)
{
    return a | fal_u128_shl(1, n);
}

/* The all-ones value of `width` bits, 0..128. */
static inline fal_u128 fal_u128_ones(unsigned width)
{
    return width == 0 ? 0 : fal_u128_shr(~(fal_u128)0, 128 - width);
}

/* The position of the highest 1 bit, or -1 when there is none. */
static inline int fal_u128_top(fal_u128 a)
{
    if (fal_u128_hi(a) != 0)
        return 127 - __builtin_clzll(fal_u128_hi(a));
    return a != 0 ? 63 - __builtin_clzll(fal_u128_lo(a)) : -1;
}

/* The position of the lowest 1 bit, or 128 when there is none. */
static inline unsigned fal_u128_low(fal_u128 a)
{
    if (fal_u128_lo(a) != 0)
        return (unsigned)__builtin_ctzll(fal_u128_lo(a));
    return a != 0 ? 64 + (unsigned)__builtin_ctzll(fal_u128_hi(a)) : 128;
}

#endif
