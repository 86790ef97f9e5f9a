/* SPDX-License-Identifier: Apache-2.0
 * c1_completes_once_after_ack.c - rule C1: each transaction of the SUT completes once, and
 * without an error only after the tester sent what completes it: a base or ack bit beyond a
 * push, or the data of a pull. */
#include "oracles/rules/judge/control.h"
#include "oracles/rules/judge/report.h"

#include <stdio.h>

const struct fal_rule fal_about_c1 = {
    .id = "C1",
    .title = "a transaction completes once, and not before it is acknowledged",
    .requirements = FAL_IDS("FTP-6.1.1.1-01", "FTP-6.1.1.2-01", "FTP-6.4-01", "FTP-8.1-04",
                            "FTP-8.1-05", "FTP-8.4.3.2-01", "FTP-8.4.3.2-02", "FTP-8.4.3.3-10",
                            "FTP-9.2.3-01", "FTP-9.2.3-11"),
    .role = "initiator",
    .needs = "ulp",
    .assumes = "base-not-beyond-sent one-psn-per-rsn",
    .shown = true,
    .doc = "Violated by a second completion; and by a completion without an error before the "
           "tester sent a base or ack bit for the push, or data for the pull.",
};

enum { DEAD_CONNECTION = 0xa };

static void broken(struct fal_ctx *c, const struct fal_event *event,
                   const struct fal_request *r, const char *requirement, const char *due)
{
    struct fal_at at = fal_at_event(event);
    char number[FAL_NUMBER_MAX], seen[64];

    (void)snprintf(seen, sizeof seen, "a completion with code %lu",
                   (unsigned long)event->u.ulp.code);
    fal_broken(c,
               &(struct fal_blame){requirement,
                                   {(r->flags & FAL_REQ_SENT) != 0 ? &r->first : NULL},
                                   .effect = &at,
                                   .seen = seen},
               "RSN %s %s", fal_rsn_text(c, fal_out(c), event->u.ulp.rsn, number), due);
}

/* What overtook it on its way here was acknowledged before it was seen. */
static bool claimed_unseen(const struct fal_ctx *c, const struct fal_request *r)
{
    const struct fal_stream *stream = fal_out_stream(c, (enum fal_window)r->window);
    int64_t n = r->psn - stream->base;

    return stream->based &&
           (n < 0 || (n < FAL_RX_WINDOW_DATA && fal_u128_test(stream->acked, (unsigned)n)));
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    const struct fal_request *r;
    bool pull;

    if (ulp->kind != FAL_ULP_COMPLETION || fal_code_gives_back(ulp->code))
        return;
    r = fal_track_request(c->track, fal_out(c), ulp->rsn);
    if (r == NULL || (r->flags & FAL_REQ_PLACED) == 0) {
        if (r != NULL && r->deliveries > 0 && ulp->code == DEAD_CONNECTION)
            fal_undecided(c, FAL_EXCUSE_CONFIG); /* posts that come too late may share an RSN */
        else if (r != NULL && r->deliveries > 0)
            broken(c, event, r, "FTP-6.1.1.1-01", "completed once");
        else
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* its packet was not seen */
        return;
    }
    pull = r->type == FAL_PULL_REQUEST;
    if (r->deliveries > 0)
        broken(c, event, r, pull ? "FTP-8.1-04" : "FTP-6.1.1.1-01", "completed once");
    else if (ulp->code != 0 || (r->flags & (pull ? FAL_REQ_ANSWERED : FAL_REQ_CLAIMED)) != 0)
        fal_holds(c);
    else if (!pull && claimed_unseen(c, r))
        fal_holds(c);
    else if (fal_track_request_may(c->track, fal_out(c), ulp->rsn) ||
             fal_track_may_miss(c->track, fal_in(c), r->first.index))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (pull)
        broken(c, event, r, "FTP-6.1.1.2-01", "not completed before data was sent for it");
    else
        broken(c, event, r, "FTP-8.4.3.3-10", "not completed before it was acknowledged");
}

const struct fal_rule_impl fal_rule_c1 = {
    .about = &fal_about_c1,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_BASE_SENT | FAL_ASSUME_RSN_UNIQUE,
    .on_ulp = FAL_ON_COMPLETION,
    .ulp = ulp,
};
