/* SPDX-License-Identifier: Apache-2.0
 * rule_c3.c - the code of a completion fits its cause (11): an error of the target's upper
 * layer needs its NACK, and takes its ULP code along; a push that a NACK ended does not
 * complete without an error; reserved codes are none. Numbers are compared, not names (AMB-50).
 */
#include "oracles/rules/report.h"

#include <stdio.h>

/* Codes that a NACK causes. */
static const struct cause {
    uint8_t completion, nack;
    const char *requirement;
} causes[] = {
    {0x1, FAL_NACK_CIE, "FTP-11-29"},
    {0x3, FAL_NACK_NRE, "FTP-11-30"},
    {0x4, FAL_NACK_CID, "FTP-11-31"},
    {0xd, FAL_NACK_XLR, "FTP-11-28"},
};

static void broken(struct fal_ctx *c, const struct fal_event *event, const char *requirement,
                   const struct fal_at *cause, const char *due)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    struct fal_at at = fal_at_event(event);
    char number[FAL_NUMBER_MAX], seen[80];

    (void)snprintf(seen, sizeof seen, "completion code 0x%lx, ULP code %lu",
                   (unsigned long)ulp->code, (unsigned long)ulp->ulp_nack_code);
    fal_broken(c, &(struct fal_blame){requirement, {cause}, .effect = &at, .seen = seen},
               "RSN %s: %s", fal_rsn_text(c, fal_out(c), ulp->rsn, number), due);
}

/* The newest NACK of that code for the packet of a transaction. */
static const struct fal_nack *nack_of(const struct fal_ctx *c, const struct fal_request *r,
                                      unsigned code)
{
    return fal_nacks_find(&c->track->nacks[fal_out(c)], r->window, r->psn, code);
}

static void in_error(struct fal_ctx *c, const struct fal_event *event,
                     const struct fal_request *r, const struct cause *cause)
{
    const struct fal_nack *nack = nack_of(c, r, cause->nack);

    if (r->type == FAL_PULL_REQUEST && cause->nack != FAL_NACK_CID &&
        cause->nack != FAL_NACK_XLR) {
        broken(c, event, "FTP-11-34", &r->first, "no NACK ends a pull");
    } else if (nack == NULL) {
        if (c->track->nacks[fal_out(c)].lost ||
            r->psn < fal_out_stream(c, (enum fal_window)r->window)->doubt ||
            fal_track_may_miss(c->track, fal_in(c), r->first.index))
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        else
            broken(c, event, cause->requirement, &r->first, "no such code without its NACK");
    } else if (nack->count == 1 && cause->nack != FAL_NACK_XLR &&
               event->u.ulp.ulp_nack_code != nack->ulp_code) {
        broken(c, event, "FTP-7.8-30", &nack->at, "the ULP code of the NACK");
    } else {
        fal_holds(c);
    }
}

/* Code 0: no NACK may have ended it, which a Resync shows to have been processed. */
static void without_error(struct fal_ctx *c, const struct fal_event *event,
                          const struct fal_request *r)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        const struct fal_nack *nack = nack_of(c, r, causes[i].nack);

        if (nack == NULL || (r->flags & FAL_REQ_RESYNC) == 0)
            continue;
        broken(c, event,
               causes[i].nack == FAL_NACK_CIE ? "FTP-8.4.3.5-03" : causes[i].requirement,
               &nack->at, "the code of the NACK that ended it");
        return;
    }
    fal_holds(c);
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    const struct fal_request *r;

    if (ulp->kind != FAL_ULP_COMPLETION)
        return;
    if (ulp->code == 0x2 || (ulp->code >= 0x5 && ulp->code <= 0x7) || ulp->code == 0xe ||
        ulp->code > 0xf) {
        broken(c, event, "FTP-11-54", NULL, "no reserved code");
        return;
    }
    r = fal_track_request(c->track, fal_out(c), ulp->rsn);
    if (r == NULL || (r->flags & FAL_REQ_SENT) == 0) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    if (ulp->code == 0) {
        without_error(c, event, r);
        return;
    }
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        if (causes[i].completion == ulp->code) {
            in_error(c, event, r, &causes[i]);
            return;
        }
    }
    fal_undecided(c, FAL_EXCUSE_CONFIG); /* timeouts, resources, filters: nobody sees them */
}

const struct fal_rule_impl fal_rule_c3 = {.id = "C3",
                                          .power = 1,
                                          .sut_only = true,
                                          .assumes =
                                              FAL_ASSUME_BASE_SENT | FAL_ASSUME_RSN_UNIQUE,
                                          .ulp = ulp};
