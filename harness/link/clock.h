/* SPDX-License-Identifier: Apache-2.0
 * clock.h - maps kernel time stamps, taken from the wall clock, to the monotonic clock that a
 * run counts from its own start, and bounds the error of the mapping. */
#ifndef TL_HARNESS_LINK_CLOCK_H
#define TL_HARNESS_LINK_CLOCK_H

#include <stdint.h>
#include <time.h>

struct tl_clock {
    uint64_t start_ns;    /* CLOCK_MONOTONIC at the start of the run */
    int64_t offset_ns;    /* CLOCK_REALTIME minus CLOCK_MONOTONIC, as last measured */
    uint64_t measured_ns; /* when it was measured, since the start */
    uint64_t error_ns;    /* the largest possible error of the offset */
};

void tl_clock_init(struct tl_clock *clock);

/* Nanoseconds since the start of the run. */
uint64_t tl_clock_now(const struct tl_clock *clock);

/* Converts a kernel time stamp to nanoseconds since the start; NULL stands for now. Measures
 * the offset again when the last measurement is 100 us old, because the wall clock may be set
 * (a slew moves both clocks alike). The result is never later than now. */
uint64_t tl_clock_at(struct tl_clock *clock, const struct timespec *stamp);

#endif
