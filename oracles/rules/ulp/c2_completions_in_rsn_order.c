/* SPDX-License-Identifier: Apache-2.0
 * c2_completions_in_rsn_order.c - rule C2: on an ordered connection completions come in RSN
 * order, pushes and pulls together, including those in error. The order of events is that of
 * the SUT only where its adapter says so. */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_c2 = {
    .id = "C2",
    .title = "transactions complete in RSN order",
    .requirements = FAL_IDS("FTP-8.4.2-01", "FTP-8.4.2-02", "FTP-8.4.3.2-06", "FTP-8.4.3.3-11",
                            "FTP-8.4.3.5-04"),
    .role = "initiator",
    .needs = "ulp, ordered events",
    .assumes = "",
    .shown = true,
    .doc = "On an ordered connection, violated by a completion after one with a higher RSN. "
           "Pushes and pulls count together, with or without an error.",
};

struct state {
    bool started;
    int64_t highest; /* completed */
    uint8_t type;
    struct fal_at at;
};

static const char *requirement(const struct state *state, const struct fal_ev_ulp *ulp,
                               uint8_t type)
{
    if (ulp->code != 0 && type == FAL_PUSH_DATA)
        return "FTP-8.4.3.5-04";
    if (type != state->type)
        return "FTP-8.4.2-02";
    return type == FAL_PUSH_DATA ? "FTP-8.4.3.3-11" : "FTP-8.4.3.2-06";
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    struct fal_at at = fal_at_event(event);
    const struct fal_request *r;
    char number[FAL_NUMBER_MAX], other[FAL_NUMBER_MAX];
    int64_t rsn;

    if (ulp->kind != FAL_ULP_COMPLETION || !c->track->setup.params.ordered ||
        !fal_given(c, FAL_PARAM_AT_ordered))
        return;
    rsn = fal_track_rsn(c->track, fal_out(c), ulp->rsn);
    r = fal_track_request(c->track, fal_out(c), ulp->rsn);
    if (r == NULL || (r->flags & (FAL_REQ_SENT | FAL_REQ_RESYNC)) == 0 || r->deliveries > 0)
        return; /* a case for C1; or one that was never sent: it was refused, and no answer is
                   due */
    if (!c->bench->run.ordered_events || c->bench->events_lost)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (state->started && rsn < state->highest)
        fal_broken(c,
                   &(struct fal_blame){requirement(state, ulp, r->type),
                                       {&state->at},
                                       .effect = &at,
                                       .seen = "its completion follows the other"},
                   "RSN %s completed before RSN %s, on an ordered connection",
                   fal_rsn_text(c, fal_out(c), ulp->rsn, number),
                   fal_rsn_text(c, fal_out(c), (uint32_t)state->highest, other));
    else if (state->started)
        fal_holds(c);
    if (!state->started || rsn > state->highest)
        *state = (struct state){true, rsn, r->type, at};
}

const struct fal_rule_impl fal_rule_c2 = {
    .about = &fal_about_c2,
    .power = 1,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .on_ulp = FAL_ON_COMPLETION,
    .ulp = ulp,
};
