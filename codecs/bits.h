/* SPDX-License-Identifier: Apache-2.0
 * bits.h - big-endian bit ranges of a byte buffer. Bit 0 is the most significant bit of byte 0,
 * as the specification's figures count (chapter 7).
 *
 * With constant `off` and `width` every branch folds away: expanded from a header's field list
 * these are the straight-line decoder. The caller has checked that the bits are there. */
#ifndef FAL_CODECS_BITS_H
#define FAL_CODECS_BITS_H

#include "codecs/u128.h"

#include <endian.h>
#include <string.h>

/* Without the attribute a compiler that finds a header's many calls too long calls a function
 * for each field, and nothing folds. */
#define FAL_STRAIGHT static inline __attribute__((always_inline))

/* `n` bytes (1..8), big-endian. Loads of 4 and 2 bytes rather than a loop: compilers turn these
 * into one load and a byte swap, a loop of four they leave alone. */
FAL_STRAIGHT uint64_t fal_bytes_get(const uint8_t *b, unsigned n)
{
    uint64_t v = 0;
    uint32_t v32;
    uint16_t v16;

    for (; n >= 4; n -= 4, b += 4) {
        memcpy(&v32, b, sizeof v32);
        v = v << 32 | be32toh(v32);
    }
    if (n >= 2) {
        memcpy(&v16, b, sizeof v16);
        v = v << 16 | be16toh(v16);
        n -= 2;
        b += 2;
    }
    return n == 0 ? v : v << 8 | *b;
}

/* `width` bits (1..64) from bit offset `off`. */
FAL_STRAIGHT uint64_t fal_bits_get(const uint8_t *p, unsigned off, unsigned width)
{
    const uint8_t *b = p + off / 8;
    unsigned span = off % 8 + width; /* bits from the start of *b, 1..71 */
    uint64_t v;

    if (span <= 64) {
        unsigned n = (span + 7) / 8;

        v = fal_bytes_get(b, n) >> (n * 8 - span);
    } else {
        v = fal_bytes_get(b, 8) << (span - 64) | (uint64_t)b[8] >> (72 - span);
    }
    return width == 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

/* Writes the low `width` bits (1..64) of `v` at bit offset `off`; other bits keep their value.
 */
static inline void fal_bits_set(uint8_t *p, unsigned off, unsigned width, uint64_t v)
{
    unsigned bit =
        off + width; /* one past the last; bytes are filled from the last to the first */

    while (bit > off) {
        unsigned last = (bit - 1) / 8, first_bit = last * 8 > off ? last * 8 : off;
        unsigned n = bit - first_bit, shift = (last + 1) * 8 - bit;
        uint8_t mask = (uint8_t)(((1u << n) - 1) << shift);

        p[last] = (uint8_t)((p[last] & ~mask) | ((uint8_t)(v << shift) & mask));
        v >>= n;
        bit = first_bit;
    }
}

/* The same for widths of 65..128 bits. */
FAL_STRAIGHT fal_u128 fal_bits_get_wide(const uint8_t *p, unsigned off, unsigned width)
{
    return (fal_u128){.hi = fal_bits_get(p, off, width - 64),
                      .lo = fal_bits_get(p, off + width - 64, 64)};
}

static inline void fal_bits_set_wide(uint8_t *p, unsigned off, unsigned width, fal_u128 v)
{
    fal_bits_set(p, off, width - 64, v.hi);
    fal_bits_set(p, off + width - 64, 64, v.lo);
}

/* `width` bits (32 or 64) whose low half comes first, each half big-endian. */
FAL_STRAIGHT uint64_t fal_bits_get_swapped(const uint8_t *p, unsigned off, unsigned width)
{
    return fal_bits_get(p, off + width / 2, width / 2) << width / 2 |
           fal_bits_get(p, off, width / 2);
}

static inline void fal_bits_set_swapped(uint8_t *p, unsigned off, unsigned width, uint64_t v)
{
    fal_bits_set(p, off, width / 2, v);
    fal_bits_set(p, off + width / 2, width / 2, v >> width / 2);
}

#endif
