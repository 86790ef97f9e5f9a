/* SPDX-License-Identifier: Apache-2.0
 * time_text.h - times as people read them, with the unit that fits: "8 us". Messages and
 * reports write times so; the notation of packets ("@8us") has no space, because a program
 * reads it. */
#ifndef FAL_CODECS_BASE_TIME_TEXT_H
#define FAL_CODECS_BASE_TIME_TEXT_H

#include <stdint.h>

struct fal_time_text {
    char text[32];
};

/* Exact: "0 ns", "131 ns", "5.250525 ms", "2178.039042997 s". */
struct fal_time_text fal_time_text(uint64_t ns);
/* Rounded down to thousandths of the unit, and from a minute on to two units: "5.25 ms",
 * "36 min 18 s", "2 h 5 min". */
struct fal_time_text fal_time_rounded(uint64_t ns);

#endif
