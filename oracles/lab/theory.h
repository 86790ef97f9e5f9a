/* SPDX-License-Identifier: Apache-2.0
 * theory.h - where Swift comes to rest when N equal flows share a bottleneck. In the rest the
 * delay of each flow is its target T(w), and the N windows fill the bottleneck: w = T(w) * C /
 * (N * S). The lab does not use it; it is compared with the lab. */
#ifndef FAL_ORACLES_LAB_THEORY_H
#define FAL_ORACLES_LAB_THEORY_H

#include "oracles/cc/swift.h"

struct fal_lab_case {
    uint32_t flows, bytes;
    uint64_t rate_bps, base_ps; /* base_ps: round trip of an empty fabric, without S / C */
    unsigned hops;
};

struct fal_lab_rest {
    double window;   /* packets */
    double queue_ps; /* waiting, without the time of the packet itself */
    bool interior;   /* neither the window nor the queue is at a limit */
};

struct fal_lab_rest fal_lab_theory(const struct fal_swift *swift, const struct fal_lab_case *c);

#endif
