/* SPDX-License-Identifier: Apache-2.0
 * engine_rate.c - rates as integers of several precisions [S1 4, B]. */
#include "oracles/logic/engine.h"

static const uint64_t bits_ns = 8000000000; /* of a byte a nanosecond, as bits a second */

enum { SHIFT_STEP = 10, SHIFT_MOST = 30, ENOUGH = 1 << 14 };

struct fal_logic_rate fal_logic_rate_of(uint64_t bps, uint32_t cycle_ns, bool coarse)
{
    struct fal_logic_rate rate = {.bytes = bps * cycle_ns / bits_ns};

    if (coarse)
        return rate;
    while (rate.bytes < ENOUGH && rate.shift < SHIFT_MOST) {
        uint64_t whole = bps * cycle_ns / bits_ns, rest = bps * cycle_ns % bits_ns;

        rate.shift += SHIFT_STEP;
        rate.bytes = (whole << rate.shift) + (rest << rate.shift) / bits_ns;
    }
    return rate;
}

uint64_t fal_logic_rate_wait(struct fal_logic_rate rate, uint64_t missing)
{
    return rate.bytes == 0 ? UINT64_MAX : (missing + rate.bytes - 1) / rate.bytes;
}
