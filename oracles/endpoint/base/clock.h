/* SPDX-License-Identifier: Apache-2.0
 * clock.h - the clock of an endpoint as its packets show it: IVs, and the ticks of 131.072 ns
 * that t1 to t4 are counted in (7.7.1, 10.1), with the delays worked out from them. Pure.
 *
 * An IV is a time in picoseconds, 64 bits, of which t1 is 32: IV >> 17 (AMB-32). Where the
 * position is configured otherwise, the IV is that time shifted so that the ticks begin there.
 * All counts wrap round. */
#ifndef FAL_ORACLES_ENDPOINT_BASE_CLOCK_H
#define FAL_ORACLES_ENDPOINT_BASE_CLOCK_H

#include "codecs/header/ccqueue.h"
#include "codecs/header/falcon.h"

#include <stdint.h>

enum { FAL_TICK_SHIFT = 17 }; /* 131.072 ns is 2^17 ps */

struct fal_clock {
    uint64_t origin_ps; /* what it shows at time 0 */
    uint64_t last_iv;   /* of all packets sent: no IV is used twice under a key */
    uint64_t last_ns;   /* when that was */
    unsigned iv_shift;  /* where the ticks begin in an IV */
};

/* `iv_shift`: 1..32; anything else is FAL_TICK_SHIFT. */
void fal_clock_init(struct fal_clock *clock, uint64_t origin_ps, unsigned iv_shift);

/* The time in ticks, mod 2^32. */
static inline uint32_t fal_clock_ticks(const struct fal_clock *clock, uint64_t now_ns)
{
    return (uint32_t)((clock->origin_ps + now_ns * 1000) >> FAL_TICK_SHIFT);
}

/* The IV of a packet that leaves now: the time, and larger than every one before it. */
uint64_t fal_clock_iv(struct fal_clock *clock, uint64_t now_ns);

/* A span of time in units of an IV. */
uint64_t fal_clock_span(const struct fal_clock *clock, uint64_t ns);

/* t1 of a packet with that IV. */
uint32_t fal_clock_t1(const struct fal_clock *clock, uint64_t iv);

/* The four times of a packet and its ACK, in ticks (10.1). */
struct fal_times {
    uint32_t t1, t2, t3, t4;
};

/* A delay of 10.1 in ticks, mod 2^bits; the one-way delays mean something only where both
 * clocks are synchronised. */
uint32_t fal_delay(const struct fal_times *times, enum fal_cc_delay select, unsigned bits);

/* 10.1: (1 - alpha) * smoothed + alpha * sample, alpha in 1/1024; 1024 gives the sample. */
uint64_t fal_smooth(uint64_t smoothed, uint64_t sample, unsigned alpha);

/* Ticks to nanoseconds and back, rounding down and up. */
uint64_t fal_ticks_ns(uint64_t ticks);
uint64_t fal_ns_ticks(uint64_t ns);

#endif
