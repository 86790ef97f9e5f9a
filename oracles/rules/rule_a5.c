/* SPDX-License-Identifier: Apache-2.0
 * rule_a5.c - a piggyback is current: a reliable packet carries the newest bases, so its base
 * is not a number that the subject's own words, other than a claim, say it had acknowledged
 * before (a base that an older packet claimed is rule R3's). */
#include "oracles/rules/accepted.h"

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct fal_accepted word;

    if (fal_falcon_reliable(q->falcon->packet_type))
        fal_accepted_check(c, c->state, q);
    if (fal_accepted_by_packet(c, q, &word))
        fal_accepted_add(c, c->state, &word);
}

const struct fal_rule_impl fal_rule_a5 = {.id = "A5",
                                          .power = 1,
                                          .assumes =
                                              FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
                                          .state_size = sizeof(struct fal_accepted_list),
                                          .out = out,
                                          .ulp = fal_accepted_ulp,
                                          .told = fal_accepted_told,
                                          .mark = fal_accepted_mark,
                                          .release = fal_bag_release};
