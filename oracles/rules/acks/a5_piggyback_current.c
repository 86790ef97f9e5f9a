/* SPDX-License-Identifier: Apache-2.0
 * a5_piggyback_current.c - rule A5: a reliable packet carries the newest bases. So its base is
 * not a number that the SUT provably acknowledged before, by evidence other than an
 * acknowledgement. Rule R3 checks bases that an older packet carried. */
#include "oracles/rules/claims/accepted.h"

const struct fal_rule fal_about_a5 = {
    .id = "A5",
    .title = "the bases in a reliable packet are current",
    .requirements = FAL_IDS("FTP-7.2-20", "FTP-7.2-21", "FTP-8.4.3.1-06", "FTP-8.4.3.3-06",
                            "FTP-8.5.3.2-06", "FTP-9.1.6-04"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc = "A reliable packet carries the newest bases. Violated when its base is one that "
           "was provably acknowledged before: an event, an applied answer or the data of a "
           "pull is the proof. Rule R3 checks whether a base is lower than in an older "
           "packet.",
};

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct fal_accepted word;

    if (fal_falcon_reliable(q->falcon->packet_type))
        fal_accepted_check(c, c->state, q);
    if (fal_accepted_by_packet(c, q, &word))
        fal_accepted_add(c, c->state, &word);
}

const struct fal_rule_impl fal_rule_a5 = {
    .about = &fal_about_a5,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct fal_accepted_list),
    .bags = 1,
    .out = out,
    .on_out = FAL_ON_RELIABLE | FAL_ON_NACK,
    .ulp = fal_accepted_ulp,
    .told = fal_accepted_told,
    .mark = fal_accepted_mark,
    .release = fal_bag_release,
};
