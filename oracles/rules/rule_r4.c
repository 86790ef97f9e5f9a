/* SPDX-License-Identifier: Apache-2.0
 * rule_r4.c - an ACK or NACK reflects what the subject accepted: numbers that its own words,
 * other than a claim, say it had accepted before, are covered by its base or its bit. */
#include "oracles/rules/accepted.h"

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct fal_accepted word;

    if (fal_falcon_is_ack(q->falcon->packet_type))
        fal_accepted_check(c, c->state, q);
    if (fal_accepted_by_packet(c, q, &word))
        fal_accepted_add(c, c->state, &word);
}

const struct fal_rule_impl fal_rule_r4 = {.id = "R4",
                                          .power = 1,
                                          .assumes =
                                              FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
                                          .state_size = sizeof(struct fal_accepted_list),
                                          .out = out,
                                          .ulp = fal_accepted_ulp,
                                          .told = fal_accepted_told,
                                          .mark = fal_accepted_mark,
                                          .release = fal_bag_release};
