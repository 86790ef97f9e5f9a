/* SPDX-License-Identifier: Apache-2.0
 * numbers.h - which numbers of the SUT's end a case needs as it wishes them, and which it only
 * gives as an example: then it plays with those that the SUT has chosen. */
#ifndef TL_HARNESS_PLAY_NUMBERS_H
#define TL_HARNESS_PLAY_NUMBERS_H

#include "harness/scenario/scenario.h"

/* Values that the steps use as they are, rather than relative to the initial numbers ("3r"). */
struct tl_absolute {
    bool sequence; /* a PSN or RSN */
    bool address;  /* the CID or function of packets to the SUT */
};

struct tl_absolute tl_absolute_of(const struct tl_scenario *scenario);

/* Whether an initial PSN or RSN is one for which a case is made: 0, or shortly before the
 * numbers wrap around, or change their sign. */
bool tl_number_is_edge(uint32_t number);

#endif
