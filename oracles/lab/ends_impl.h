/* SPDX-License-Identifier: Apache-2.0
 * ends_impl.h - between the files about endpoints in the lab: ends.c plays them, ends_open.c
 * opens them and counts what their algorithm decides. */
#ifndef FAL_ORACLES_LAB_ENDS_IMPL_H
#define FAL_ORACLES_LAB_ENDS_IMPL_H

#include "oracles/lab/ends.h"
#include "oracles/lab/foreign.h"
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
    FAL_LAB_END_BACKLOG = 256, /* pushes that the ULP has posted and not seen complete */
    FAL_LAB_END_LENGTH = 4042, /* of a push: with headers, it is a packet of the lab */
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
    void *foreign; /* the sender, in place of end[FAL_LAB_END_SENDER].ep; NULL: built in */
    uint64_t departs_ps; /* of a foreign sender: when its NIC is free */
    bool sealed;
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
    const struct fal_lab_foreign *foreign; /* NULL: all senders are built in */
    struct fal_lab_pair *pairs;
    struct fal_lab_frames frames;
    int rc; /* of the first endpoint that failed */
};

/* The number of the timer at whose end a frame is at that side; at the receiver: at the fabric
 * before it. */
static inline uint32_t fal_lab_frame_timer(const struct fal_lab *lab, uint32_t frame,
                                           unsigned side)
{
    return (1 + FAL_LAB_END_TIMERS) * lab->n_flows + 2 * frame + side;
}
/* Sets the timer of an end, unless it is set to an earlier time. */
void fal_lab_end_timer(struct fal_lab_pair *pair, unsigned side, uint64_t due_ns);

/* ends_foreign.c. Opens the sender of a pair; FAL_ERR_IO. */
int fal_lab_foreign_begin(struct fal_lab_pair *pair, const struct fal_lab_foreign_order *order,
                          struct fal_lab_foreign_opened *opened);
void fal_lab_foreign_tick(struct fal_lab_pair *pair);
void fal_lab_foreign_arrive(struct fal_lab_pair *pair, const struct fal_lab_frame *frame);

extern const struct fal_lab_ops fal_lab_ends_ops; /* their context is a struct fal_lab_ends */

#endif
