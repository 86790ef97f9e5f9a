/* SPDX-License-Identifier: Apache-2.0
 * seq.h - serial-number arithmetic mod 2^32 (AMB-09: a signed 32-bit difference) and sequence
 * numbers extended to 64 bits, in which a wrap needs no code of its own (judging.md, section
 * 2). */
#ifndef FAL_ORACLES_SEQ_H
#define FAL_ORACLES_SEQ_H

#include <stdbool.h>
#include <stdint.h>

/* How far a is ahead of b; negative when behind. Distance 2^31 counts as behind. */
static inline int32_t fal_seq_diff(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b);
}

static inline bool fal_seq_lt(uint32_t a, uint32_t b)
{
    return fal_seq_diff(a, b) < 0;
}

static inline bool fal_seq_le(uint32_t a, uint32_t b)
{
    return a == b || fal_seq_lt(a, b);
}

static inline uint32_t fal_seq_max(uint32_t a, uint32_t b)
{
    return fal_seq_lt(a, b) ? b : a;
}

/* The extended number of `seq` that is nearest to `ref`. Starting references should lie well
 * above 2^32, so that nothing before them goes below zero. */
static inline int64_t fal_seq_extend(int64_t ref, uint32_t seq)
{
    return ref + (int32_t)(seq - (uint32_t)ref);
}

#endif
