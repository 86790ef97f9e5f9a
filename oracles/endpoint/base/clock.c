/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/base/clock.h"

/* So long after the last packet its IV is past, and a smaller one has wrapped round. */
#define CROWD_NS UINT64_C(1000000000)

enum { PS_PER_NS = 1000 /* also in clock.h */, ALPHA_ONE = 1024 };

static uint64_t to_iv(const struct fal_clock *clock, uint64_t ps)
{
    return clock->iv_shift >= FAL_TICK_SHIFT ? ps << (clock->iv_shift - FAL_TICK_SHIFT)
                                             : ps >> (FAL_TICK_SHIFT - clock->iv_shift);
}

void fal_clock_init(struct fal_clock *clock, uint64_t origin_ps, unsigned iv_shift)
{
    *clock = (struct fal_clock){
        .origin_ps = origin_ps,
        .iv_shift = iv_shift >= 1 && iv_shift <= 32 ? iv_shift : FAL_TICK_SHIFT,
    };
    clock->last_iv = to_iv(clock, origin_ps) - 1;
}

uint64_t fal_clock_iv(struct fal_clock *clock, uint64_t now_ns)
{
    uint64_t iv = to_iv(clock, clock->origin_ps + now_ns * PS_PER_NS);

    if (now_ns - clock->last_ns < CROWD_NS && (int64_t)(iv - clock->last_iv) <= 0)
        iv = clock->last_iv + 1;
    clock->last_iv = iv;
    clock->last_ns = now_ns;
    return iv;
}

uint64_t fal_clock_span(const struct fal_clock *clock, uint64_t ns)
{
    return to_iv(clock, ns * PS_PER_NS);
}

uint32_t fal_clock_t1(const struct fal_clock *clock, uint64_t iv)
{
    return (uint32_t)(iv >> clock->iv_shift);
}

uint32_t fal_delay(const struct fal_times *times, enum fal_cc_delay select, unsigned bits)
{
    uint32_t rtt = times->t4 - times->t1, delay = rtt;

    switch (select) {
    case FAL_CC_DELAY_FULL: delay = rtt; break;
    case FAL_CC_DELAY_FABRIC: delay = rtt - (times->t3 - times->t2); break;
    case FAL_CC_DELAY_FORWARD: delay = times->t2 - times->t1; break;
    case FAL_CC_DELAY_REVERSE: delay = times->t4 - times->t3; break;
    }
    return bits < 32 ? delay & ((1u << bits) - 1) : delay;
}

uint64_t fal_smooth(uint64_t smoothed, uint64_t sample, unsigned alpha)
{
    return smoothed - smoothed * alpha / ALPHA_ONE + sample * alpha / ALPHA_ONE;
}

uint64_t fal_ticks_ns(uint64_t ticks)
{
    return ticks * FAL_TICK_PS / PS_PER_NS;
}

uint64_t fal_ns_ticks(uint64_t ns)
{
    return (ns * PS_PER_NS + FAL_TICK_PS - 1) / FAL_TICK_PS;
}
