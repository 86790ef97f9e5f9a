/* SPDX-License-Identifier: Apache-2.0
 * ends_impl.h - between the files about endpoints in the lab: ends.c plays them, ends_open.c
 * opens them and counts what their algorithm decides. */
#ifndef FAL_ORACLES_LAB_ENDS_IMPL_H
#define FAL_ORACLES_LAB_ENDS_IMPL_H

#include "oracles/lab/ends.h"
#include "oracles/lab/frames.h"
#include "oracles/rng.h"

enum {
    FAL_LAB_END_SENDER,
    FAL_LAB_END_RECEIVER,
    FAL_LAB_END_ULP, /* of the receiver: its timer takes pushes out of the buffer */
    FAL_LAB_END_TIMERS,
    FAL_LAB_END_HELD = 512, /* pushes that it holds at most */
    FAL_LAB_END_PS_PER_NS = 1000,
    FAL_LAB_END_TTL = 64,
};

struct fal_lab_end {
    struct fal_endpoint *ep;
    uint32_t conn;
    uint64_t wake_ps; /* of the timer that is set */
};

struct fal_lab_pair {
    struct fal_lab_ends *ends;
    uint32_t number;
    struct fal_lab_end end[2];
    struct fal_rng rng;
    uint64_t back_ps; /* when the last packet to the sender arrives */
    uint32_t posted, completed;
    uint32_t held[FAL_LAB_END_HELD], first, next; /* RSNs [first, next) wait in the buffer */
    uint64_t busy_ps;    /* until then the FAL_LAB_END_ULP takes what was there before */
    uint32_t path, mask; /* of the last packet; what makes of its first path that of the flow */
    bool has_path, has_sent;
    uint32_t highest; /* PSN of the pushes sent so far */
    bool failed;      /* a push did: it posts no more */
};

struct fal_lab_ends {
    struct fal_lab *lab;
    struct fal_swift *swift;
    struct fal_lab_pair *pairs;
    struct fal_lab_frames frames;
    int rc; /* of the first endpoint that failed */
};

extern const struct fal_lab_ops fal_lab_ends_ops; /* their context is a struct fal_lab_ends */

#endif
