/* SPDX-License-Identifier: Apache-2.0
 * rn3_rnr_wait_is_no_attempt.c - rule RN3: waiting for an RNR is not a failed attempt. A Resync
 * for too many attempts needs that many timeouts besides the RNRs (AMB-15 allows counting
 * them). */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_rn3 = {
    .id = "RN3",
    .title = "waiting for an RNR is not a failed attempt",
    .requirements = FAL_IDS("FTP-11-07"),
    .role = "initiator",
    .needs = "wire, max attempts",
    .assumes = "base-not-beyond-sent",
    .doc = "On paths that lose nothing, violated by a Resync for too many attempts (code 3) of "
           "a push that had fewer copies than the allowed attempts. If counting the RNRs as "
           "attempts explains the Resync, the rule warns (AMB-15).",
};

static void exhausted(struct fal_ctx *c, const struct fal_seen *q, const struct fal_nack *n)
{
    uint32_t attempts = c->track->setup.params.max_attempts;

    if (!fal_given(c, FAL_PARAM_AT_max_attempts)) {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    } else if (q->prior->copies >= attempts + n->count) {
        fal_holds(c);
    } else if (!fal_path_out(c).lossless || q->x < fal_out_stream(c, q->window)->doubt) {
        fal_excused(c, FAL_EXCUSE_OUT_LOSS);
    } else if (!fal_path_in(c).lossless) {
        fal_excused(c, FAL_EXCUSE_IN_LOSS); /* the NACKs may have been lost */
    } else if (q->prior->copies >= attempts) {
        (void)fal_read_as(c, FAL_AMB_15, FAL_READ_OTHER, &q->at);
    } else {
        fal_broken(
            c,
            &(struct fal_blame){
                "FTP-11-07", {&q->prior->first, &n->at}, .effect = &q->at, .packet = q->packet},
            "no Resync for too many attempts after %u copies, of %u allowed, and %u RNRs",
            (unsigned)q->prior->copies, (unsigned)attempts, (unsigned)n->count);
    }
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nack *n;

    if (!q->reliable || q->prior == NULL || (q->prior->flags & FAL_SENT_REFUSED) == 0 ||
        (q->prior->flags & FAL_SENT_RESYNC) != 0)
        return;
    n = fal_nacks_find(&c->track->nacks[fal_out(c)], q->window, q->x, FAL_NACK_RNR);
    if (n == NULL)
        return;
    if (q->falcon->packet_type != FAL_RESYNC) {
        if (n->count > c->track->setup.params.max_attempts &&
            fal_given(c, FAL_PARAM_AT_max_attempts))
            fal_holds(c); /* it goes on */
    } else if (q->falcon->resync_code == FAL_RESYNC_EXHAUSTED) {
        exhausted(c, q, n);
    }
}

const struct fal_rule_impl fal_rule_rn3 = {
    .about = &fal_about_rn3,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .out = out,
    .on_out = FAL_ON_AGAIN,
};
