/* SPDX-License-Identifier: Apache-2.0
 * clock.h - the kernel stamps arrivals with the wall clock; a run counts from its own
 * beginning on the monotonic one. This maps the one to the other, and bounds the error. */
#ifndef TL_HARNESS_LINK_CLOCK_H
#define TL_HARNESS_LINK_CLOCK_H

#include <stdint.h>
#include <time.h>

struct tl_clock {
    uint64_t start_ns; /* CLOCK_MONOTONIC at the beginning of the run */
    int64_t offset_ns; /* CLOCK_REALTIME less CLOCK_MONOTONIC, as last measured */
    uint64_t error_ns; /* at most this far off */
};

void tl_clock_init(struct tl_clock *clock);

/* Nanoseconds since the beginning. */
uint64_t tl_clock_now(const struct tl_clock *clock);

/* When a stamp was taken, in nanoseconds since the beginning, measuring the offset anew (the
 * wall clock may be steered, or set); never later than now. NULL is now. */
uint64_t tl_clock_at(struct tl_clock *clock, const struct timespec *stamp);

#endif
