/* SPDX-License-Identifier: Apache-2.0
 * r4_accepted_is_reflected.c - rule R4: an ACK or NACK covers what the SUT accepted: numbers
 * that other evidence than an acknowledgement shows as accepted before are covered by its base
 * or its bit. */
#include "oracles/rules/claims/accepted.h"

const struct fal_rule fal_about_r4 = {
    .id = "R4",
    .title = "an ACK or NACK covers every packet that was accepted",
    .requirements =
        FAL_IDS("FTP-7.7.1-07", "FTP-7.7.1-08", "FTP-7.8-06", "FTP-7.8-07", "FTP-9-03",
                "FTP-9.1.6-11", "FTP-9.1.6-12", "FTP-9.1.7-02", "FTP-9.2.1-03", "FTP-9.2.1-06",
                "FTP-9.2.1-08", "FTP-9.2.1-09", "FTP-9.2.2.4-09"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "Events and packets of the SUT, other than acknowledgements, prove that it accepted "
        "a number: a request or completion event, an answer that it applied, a NACK with "
        "code 6, 7 or 8, the data of a pull. Violated when a provably later EACK covers the "
        "number neither by its base nor by its bit; when a later BACK has a base that does "
        "not cover an acknowledged number (an EACK would be due); when a NACK has a base "
        "that was acknowledged. The rx bit of a push may be cleared after a NACK with code 1 "
        "or 2 (AMB-65: warn).",
};

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct fal_accepted word;

    if (fal_falcon_is_ack(q->falcon->packet_type))
        fal_accepted_check(c, c->state, q);
    if (fal_accepted_by_packet(c, q, &word))
        fal_accepted_add(c, c->state, &word);
}

const struct fal_rule_impl fal_rule_r4 = {
    .about = &fal_about_r4,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct fal_accepted_list),
    .bags = 1,
    .out = out,
    .on_out = FAL_ON_ACK | FAL_ON_PULL_DATA,
    .ulp = fal_accepted_ulp,
    .told = fal_accepted_told,
    .mark = fal_accepted_mark,
    .release = fal_bag_release,
};
