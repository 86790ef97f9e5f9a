/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/plot/axis.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A linear axis has at most so many steps. */
enum { STEPS = 5, LOG_BITS = 16 };

uint64_t tl_log2(uint64_t value)
{
    unsigned whole = value > 0 ? 63 - (unsigned)__builtin_clzll(value) : 0;
    /* The value as 1.x with 31 bits behind the point. Each square gives one bit. */
    uint64_t x = whole <= 31 ? value << (31 - whole) : value >> (whole - 31);
    uint64_t fraction = 0;

    for (unsigned i = 0; i < LOG_BITS; i++) {
        x = x * x >> 31;
        fraction <<= 1;
        if (x >= UINT64_C(1) << 32) {
            x >>= 1;
            fraction |= 1;
        }
    }
    return (uint64_t)whole << LOG_BITS | fraction;
}

/* The smallest of 1, 2, 5, 10, 20, ... that reaches `least`. */
static uint64_t nice(uint64_t least)
{
    static const unsigned digits[] = {1, 2, 5};
    uint64_t ten = 1;

    for (unsigned i = 0; i < 18; i++, ten *= 10)
        for (unsigned d = 0; d < 3; d++)
            if (digits[d] * ten >= least)
                return digits[d] * ten;
    return ten;
}

struct tl_axis tl_axis_linear(uint64_t most, uint64_t scale, bool whole)
{
    struct tl_axis axis = {.scale = scale};
    uint64_t milli = most > 0 ? (most * 1000 + scale - 1) / scale : 1000;
    uint64_t step = nice((milli + STEPS - 1) / STEPS);

    if (whole && step < 1000)
        step = 1000;
    axis.most = (milli + step - 1) / step * step;
    for (uint64_t tick = 0; tick <= axis.most && axis.n_ticks < TL_AXIS_TICKS_MAX; tick += step)
        axis.ticks[axis.n_ticks++] = tick;
    return axis;
}

struct tl_axis tl_axis_log(uint64_t least, uint64_t most, uint64_t scale)
{
    struct tl_axis axis = {.log = true, .scale = scale};
    uint64_t decade = 1;

    /* A value just below a decade (10/1024 of 0.01) needs no further one. */
    while (decade * 970 * scale <= least * 100000)
        decade *= 10;
    axis.least = decade;
    do {
        axis.ticks[axis.n_ticks++] = decade;
        axis.most = decade;
        decade *= 10;
    } while (axis.most * scale < most * 1000 && axis.n_ticks < TL_AXIS_TICKS_MAX);
    if (axis.n_ticks == 1) {
        axis.most = decade;
        axis.ticks[axis.n_ticks++] = decade;
    }
    return axis;
}

/* In thousandths times `scale`, so that nothing is rounded before the logarithm. Values have 32
 * bits, so no product exceeds 64. */
static uint64_t at(const struct tl_axis *axis, uint64_t value, uint64_t length)
{
    uint64_t least = axis->least * axis->scale, most = axis->most * axis->scale;

    if (value < least)
        value = least;
    if (value > most)
        value = most;
    if (most == least)
        return 0;
    if (!axis->log)
        return (value - least) * length / (most - least);
    return (tl_log2(value) - tl_log2(least)) * length / (tl_log2(most) - tl_log2(least));
}

uint64_t tl_axis_at(const struct tl_axis *axis, uint64_t value, uint64_t length)
{
    return at(axis, value * 1000, length);
}

uint64_t tl_axis_tick_at(const struct tl_axis *axis, unsigned tick, uint64_t length)
{
    return at(axis, axis->ticks[tick] * axis->scale, length);
}

void tl_axis_text(char out[TL_AXIS_TEXT], uint64_t milli)
{
    size_t length;

    if (milli % 1000 == 0) {
        (void)snprintf(out, TL_AXIS_TEXT, "%" PRIu64, milli / 1000);
        return;
    }
    (void)snprintf(out, TL_AXIS_TEXT, "%" PRIu64 ".%03" PRIu64, milli / 1000, milli % 1000);
    for (length = strlen(out); out[length - 1] == '0'; length--)
        out[length - 1] = 0;
}
