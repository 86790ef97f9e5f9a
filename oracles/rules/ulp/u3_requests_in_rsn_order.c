/* SPDX-License-Identifier: Apache-2.0
 * u3_requests_in_rsn_order.c - rule U3: on an ordered connection requests reach the upper layer
 * in RSN order, pushes and pulls together. Only first deliveries count: a transaction that got
 * an RNR is delivered again later. The order of events is that of the SUT only where its
 * adapter says so. It is not needed where a lower RSN was not even sent when the event was
 * read. */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_u3 = {
    .id = "U3",
    .title = "requests reach the upper layer in RSN order",
    .requirements = FAL_IDS("FTP-6.6.1-01", "FTP-6.6.6-03", "FTP-8.5.1-04", "FTP-8.5.1-06",
                            "FTP-8.5.2-01", "FTP-8.5.2-02", "FTP-8.5.3.1-05", "FTP-8.5.3.3-05"),
    .role = "target",
    .needs = "ulp, ordered events",
    .assumes = "one-psn-per-rsn",
    .shown = true,
    .doc =
        "On an ordered connection, violated by a first delivery after one with a higher RSN, "
        "where the adapter reports events in their order; and by a delivery while a packet of "
        "a lower RSN, or a Resync for it, had not yet been sent. A repeated delivery after an "
        "RNR does not count.",
};

enum { LOOK_BACK = 512 };

struct state {
    bool started;
    int64_t highest; /* delivered first */
    uint8_t op;
    struct fal_at at;
};

static void broken(struct fal_ctx *c, const struct fal_event *event)
{
    const struct state *state = c->state;
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    struct fal_at at = fal_at_event(event);
    char number[FAL_NUMBER_MAX], other[FAL_NUMBER_MAX];

    fal_broken(c,
               &(struct fal_blame){ulp->op == state->op ? "FTP-8.5.2-01" : "FTP-8.5.2-02",
                                   {&state->at},
                                   .effect = &at,
                                   .seen = "its request event follows the other"},
               "RSN %s delivered before RSN %s, on an ordered connection",
               fal_rsn_text(c, fal_in(c), ulp->rsn, number),
               fal_rsn_text(c, fal_in(c), (uint32_t)state->highest, other));
}

/* The highest of the lower RSNs that surely was not sent so far. False: there is none. */
static bool unsent(const struct fal_ctx *c, int64_t rsn, int64_t *lower)
{
    int64_t first = fal_track_first_rsn(c->track, fal_in(c), rsn, LOOK_BACK);

    if (!c->track->setup.initial_known)
        return false;
    for (*lower = rsn - 1; *lower >= first; --*lower) {
        const struct fal_request *r = fal_ring_at(&c->track->requests[fal_in(c)], *lower);

        if ((r == NULL || (r->flags & (FAL_REQ_SENT | FAL_REQ_RESYNC)) == 0) &&
            !fal_track_request_may(c->track, fal_in(c), (uint32_t)*lower))
            return true;
    }
    return false;
}

static void broken_unsent(struct fal_ctx *c, const struct fal_event *event,
                          const struct fal_request *r, int64_t lower)
{
    struct fal_at at = fal_at_event(event);
    char number[FAL_NUMBER_MAX], other[FAL_NUMBER_MAX];

    fal_broken(
        c,
        &(struct fal_blame){"FTP-8.5.2-01",
                            {r != NULL && (r->flags & FAL_REQ_SENT) != 0 ? &r->first : NULL},
                            .effect = &at,
                            .seen = "its request event"},
        "RSN %s not delivered before RSN %s, of which no packet has been sent",
        fal_rsn_text(c, fal_in(c), event->u.ulp.rsn, number),
        fal_rsn_text(c, fal_in(c), (uint32_t)lower, other));
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    const struct fal_request *r;
    int64_t rsn, lower;

    if (ulp->kind != FAL_ULP_REQUEST || ulp->redelivery || !c->track->setup.params.ordered ||
        !fal_given(c, FAL_PARAM_AT_ordered))
        return;
    rsn = fal_track_rsn(c->track, fal_in(c), ulp->rsn);
    r = fal_track_request(c->track, fal_in(c), ulp->rsn);
    if ((r != NULL && r->deliveries > 0) ||
        fal_track_request_lost(c->track, fal_in(c), ulp->rsn))
        return;
    if (unsent(c, rsn, &lower))
        broken_unsent(c, event, r, lower);
    else if (!c->bench->run.ordered_events || c->bench->events_lost)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (state->started && rsn < state->highest)
        broken(c, event);
    else if (state->started)
        fal_holds(c);
    if (state->started && rsn < state->highest)
        return;
    *state = (struct state){true, rsn, (uint8_t)ulp->op, fal_at_event(event)};
}

const struct fal_rule_impl fal_rule_u3 = {
    .about = &fal_about_u3,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .on_ulp = FAL_ON_REQUEST,
    .ulp = ulp,
};
