/* SPDX-License-Identifier: Apache-2.0
 * golden.h - the vectors that a firmware team compares its Rate Update Engine with: events with
 * the time at which they are processed. Every parameter has its default, and the delay is the
 * fabric delay. Each event states everything, and its smoothed values equal its sample. So the
 * results do not depend on the orientation of the averages (AMB-35) or on which round trip the
 * guards use (AMB-41). Their results are those of swift.h with PLB. */
#ifndef FAL_ORACLES_CC_GOLDEN_H
#define FAL_ORACLES_CC_GOLDEN_H

#include "oracles/cc/state.h"

#include <stdbool.h>

struct fal_cc_vector {
    char id[16];
    const char *what; /* it shows */
    uint32_t now;     /* ticks */
    bool keep;        /* the state that the vector before left; else an empty one */
    struct fal_cc_event event;
};

/* Makes the n-th vector, from 0. Returns false when there are no more. */
bool fal_cc_vector(size_t n, struct fal_cc_vector *out);

#endif
