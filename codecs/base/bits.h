/* SPDX-License-Identifier: Apache-2.0
 * bits.h - big-endian bit ranges of a byte buffer. Bit 0 is the most significant bit of byte 0,
 * as the specification's figures count (chapter 7).
 *
 * With constant `off` and `width` every branch folds away: expanded from a header's field list
 * these are the straight-line decoder. The caller has checked that the bits are there. */
#ifndef FAL_CODECS_BASE_BITS_H
#define FAL_CODECS_BASE_BITS_H

#include "codecs/base/u128.h"

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

/* The low bytes of `v`, `n` of them (0..8), big-endian. */
FAL_STRAIGHT void fal_bytes_set(uint8_t *b, unsigned n, uint64_t v)
{
    uint32_t v32;
    uint16_t v16;

    for (; n >= 4; n -= 4, b += 4) {
        v32 = htobe32((uint32_t)(v >> (n * 8 - 32)));
        memcpy(b, &v32, sizeof v32);
    }
    if (n >= 2) {
        v16 = htobe16((uint16_t)(v >> (n * 8 - 16)));
        memcpy(b, &v16, sizeof v16);
        n -= 2;
        b += 2;
    }
    if (n > 0)
        *b = (uint8_t)v;
}

/* The low `width` bits (1..8) of `v` into a byte, `shift` bits above its lowest. */
FAL_STRAIGHT void fal_byte_set(uint8_t *b, unsigned width, unsigned shift, uint64_t v)
{
    unsigned mask = ((1u << width) - 1) << shift;

    *b = (uint8_t)((*b & ~mask) | ((unsigned)(v << shift) & mask));
}

/* Writes the low `width` bits (1..64) of `v` at bit offset `off`; other bits keep their value.
 * Only bytes that are shared with other fields are read. */
FAL_STRAIGHT void fal_bits_set(uint8_t *p, unsigned off, unsigned width, uint64_t v)
{
    uint8_t *b = p + off / 8;
    unsigned head = (8 - off % 8) % 8; /* bits to the next whole byte */
    unsigned tail;

    if (head >= width && head > 0) {
        fal_byte_set(b, width, head - width, v);
        return;
    }
    if (head > 0) {
        width -= head;
        fal_byte_set(b++, head, 0, v >> width);
    }
    tail = width % 8;
    fal_bytes_set(b, width / 8, v >> tail);
    if (tail > 0)
        fal_byte_set(b + width / 8, tail, 8 - tail, v);
}

/* The same for widths of 65..128 bits. */
FAL_STRAIGHT fal_u128 fal_bits_get_wide(const uint8_t *p, unsigned off, unsigned width)
{
    return fal_u128_halves(fal_bits_get(p, off, width - 64),
                           fal_bits_get(p, off + width - 64, 64));
}

FAL_STRAIGHT void fal_bits_set_wide(uint8_t *p, unsigned off, unsigned width, fal_u128 v)
{
    fal_bits_set(p, off, width - 64, fal_u128_hi(v));
    fal_bits_set(p, off + width - 64, 64, fal_u128_lo(v));
}

/* `width` bits (32 or 64) whose low half comes first, each half big-endian. */
FAL_STRAIGHT uint64_t fal_bits_get_swapped(const uint8_t *p, unsigned off, unsigned width)
{
    return fal_bits_get(p, off + width / 2, width / 2) << width / 2 |
           fal_bits_get(p, off, width / 2);
}

FAL_STRAIGHT void fal_bits_set_swapped(uint8_t *p, unsigned off, unsigned width, uint64_t v)
{
    fal_bits_set(p, off, width / 2, v);
    fal_bits_set(p, off + width / 2, width / 2, v >> width / 2);
}

#endif
