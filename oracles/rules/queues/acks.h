/* SPDX-License-Identifier: Apache-2.0
 * acks.h - the ACKs and NACKs that were sent to the SUT, to find the cause of an event for its
 * Rate Update Engine. An event has the times of its packet: t1, t2, and the departure t3
 * (10.1), each as the low 24 bits of a count of 131.072 ns. */
#ifndef FAL_ORACLES_RULES_QUEUES_ACKS_H
#define FAL_ORACLES_RULES_QUEUES_ACKS_H

#include "oracles/rules/judge/rule.h"

enum { FAL_ACKS_MAX = 256, FAL_ACK_TICKS_MASK = FAL_CC_TIME_MAX };

struct fal_ack_in {
    struct fal_at at;
    uint32_t t1, t2, t3; /* t3: with has_iv */
    uint32_t
        sut_ticks; /* the newest IV of the SUT that was seen before it; with has_sut_ticks */
    uint16_t ecn;
    uint8_t type, nack_code, hops, level; /* type: enum fal_packet_type */
    bool has_iv, has_sut_ticks;
    bool hole; /* the bitmaps of an EACK show a number missing below a received one */
    bool used; /* an event was made of it */
    /* The SUT surely discards it: both bases, or one of them (AMB-23), are older than those of
     * an ACK that it had before (9.2.3). */
    bool stale, half_stale;
};

/* The front of a rule's state. Older packets than these are forgotten. */
struct fal_acks {
    struct fal_bag bag; /* struct fal_ack_in, the newest last */
    bool missed; /* ACKs were sent that are not in the list, and may still cause events */
    bool forgot; /* some left the list to make room; */
    uint32_t forgot_t2; /* the newest t2 of them */
    bool has_sut_ticks;
    uint32_t sut_ticks; /* the newest IV of the SUT; */
    uint64_t sut_ns;    /* when it was seen */
    bool based;         /* an ACK came before; its newest bases: */
    int64_t base[FAL_WINDOWS];
};

/* A packet to the SUT, or of the SUT: adds what events may be about. */
void fal_acks_in(struct fal_acks *acks, const struct fal_ctx *c, const struct fal_seen *p);
void fal_acks_out(struct fal_acks *acks, const struct fal_ctx *c, const struct fal_seen *q);
/* The packet of an event for an ACK or NACK: two of its times agree at least. Of several, that
 * which agrees best; one that no event is known of comes before others. NULL: there is none. */
struct fal_ack_in *fal_acks_of(struct fal_acks *acks, const struct fal_cc_event *event);

/* a - b of times with 24 bits. */
static inline uint32_t fal_sub24(uint32_t a, uint32_t b)
{
    return (a - b) & FAL_CC_TIME_MAX;
}

/* Whether the event may be of a packet that was forgotten: t2 grows from packet to packet. */
static inline bool fal_acks_forgot(const struct fal_acks *acks,
                                   const struct fal_cc_event *event)
{
    return acks->forgot && fal_sub24(acks->forgot_t2, event->t2) <= FAL_CC_TIME_MAX / 2;
}

#endif
