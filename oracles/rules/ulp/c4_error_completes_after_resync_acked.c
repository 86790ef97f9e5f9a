/* SPDX-License-Identifier: Apache-2.0
 * c4_error_completes_after_resync_acked.c - rule C4: a push that a NACK ended completes once
 * its Resync was acknowledged. One that completes before that acknowledgement was sent takes
 * the other reading of AMB-47. */
#include "oracles/rules/judge/report.h"

#include <string.h>

const struct fal_rule fal_about_c4 = {
    .id = "C4",
    .title = "an error completes once the Resync is acknowledged",
    .requirements = FAL_IDS("FTP-6.6.5-04"),
    .role = "initiator",
    .needs = "ulp",
    .assumes = "base-not-beyond-sent",
    .doc = "The rule only warns: an error completion before the tester sent the "
           "acknowledgement of the Resync is the other reading of AMB-47.",
};

struct state {
    bool dead; /* what is under way ends with the connection: no Resync is acknowledged then */
};

static void cm(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    state->dead |= strcmp(event->u.cm.what, "fatal") == 0;
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    const struct state *state = c->state;
    struct fal_at at = fal_at_event(event);
    const struct fal_request *r;
    unsigned set;

    if (ulp->kind != FAL_ULP_COMPLETION ||
        (ulp->code != 0x1 && ulp->code != 0x3 && ulp->code != 0x4 && ulp->code != 0xd))
        return;
    r = fal_track_request(c->track, fal_out(c), ulp->rsn);
    if (r == NULL || (r->flags & FAL_REQ_SENT) == 0 || r->type != FAL_PUSH_DATA ||
        fal_track_may_miss(c->track, fal_in(c), r->first.index)) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    if (state->dead && (r->flags & FAL_REQ_CLAIMED) == 0) {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
        return;
    }
    set = (r->flags & FAL_REQ_CLAIMED) != 0 ? FAL_READ_ANY : FAL_READ_OTHER;
    if (!fal_read_as(c, FAL_AMB_47, set, &at))
        fal_broken(
            c,
            &(struct fal_blame){"FTP-6.6.5-04",
                                {&r->first, fal_read_by(c, FAL_AMB_47)},
                                .effect = &at,
                                .seen = "an error completion before that acknowledgement"},
            "the completion after the acknowledgement of the Resync, as before (AMB-47)");
}

const struct fal_rule_impl fal_rule_c4 = {
    .about = &fal_about_c4,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .on_ulp = FAL_ON_COMPLETION,
    .ulp = ulp,
    .cm = cm,
};
