/* SPDX-License-Identifier: Apache-2.0
 * psn.h - packet sequence numbers of InfiniBand: 24 bits that wrap. */
#ifndef FAL_ORACLES_ROCE_PSN_H
#define FAL_ORACLES_ROCE_PSN_H

#include <stdbool.h>
#include <stdint.h>

/* How far a is ahead of b; negative when behind. A distance of 2^23 counts as behind. */
static inline int32_t fal_psn_diff(uint32_t a, uint32_t b)
{
    return (int32_t)((a - b) << 8) / 256;
}

static inline uint32_t fal_psn_add(uint32_t psn, uint32_t n)
{
    return (psn + n) & 0xffffff;
}

#endif
