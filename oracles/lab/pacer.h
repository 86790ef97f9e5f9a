/* SPDX-License-Identifier: Apache-2.0
 * pacer.h - congestion control of the model flows of a lab by rates, in place of windows: the
 * flows tell it what becomes of their packets, and ask it for the time between two packets.
 * Times are picoseconds. */
#ifndef FAL_ORACLES_LAB_PACER_H
#define FAL_ORACLES_LAB_PACER_H

#include <stdbool.h>
#include <stdint.h>

enum { FAL_LAB_PACER_WINDOW = 512 }; /* packets in flight at most */

/* A packet, when its acknowledgement is at the sender. */
struct fal_lab_paced {
    uint32_t number;
    uint64_t sent_ps, received_ps, taken_ps, now_ps;
    bool marked, refused; /* ECN; the receiver had no room */
};

struct fal_lab_pacer {
    void *ctx;
    /* A case with so many flows begins. Returns 0 or a negative error. */
    int (*begin)(void *ctx, uint32_t flows, uint64_t seed);
    void (*sent)(void *ctx, uint32_t flow, uint32_t number, uint32_t bytes, uint64_t now_ps);
    void (*acked)(void *ctx, uint32_t flow, const struct fal_lab_paced *packet);
    void (*lost)(void *ctx, uint32_t flow, uint64_t now_ps);
    /* The time from one packet of so many bytes to the next. */
    uint64_t (*gap_ps)(void *ctx, uint32_t flow, uint32_t bytes, uint64_t now_ps);
    /* 0, or what went wrong since the case began; the lab stops then. */
    int (*error)(void *ctx);
};

#endif
