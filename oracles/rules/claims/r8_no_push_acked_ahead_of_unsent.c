/* SPDX-License-Identifier: Apache-2.0
 * r8_no_push_acked_ahead_of_unsent.c - rule R8: on an ordered connection the upper layer
 * accepts requests in RSN order. So a push cannot be acknowledged while a transaction with a
 * lower RSN has not been sent. Packets alone decide this rule. */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_r8 = {
    .id = "R8",
    .title = "on an ordered connection no push is acknowledged before every lower RSN was sent",
    .requirements = FAL_IDS("FTP-8.5.2-01", "FTP-8.5.2-02", "FTP-8.1-06"),
    .role = "target",
    .needs = "wire+initial",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "The upper layer of an ordered connection accepts transactions in RSN order, and a "
        "push is acknowledged once it was accepted. Violated by the acknowledgement of a push "
        "while some lower RSN has had no copy and no Resync. A Resync of the push is "
        "acknowledged without its upper layer.",
};

struct state {
    bool started, lost; /* lost: facts that it stands on are no more */
    int64_t frontier;   /* the first RSN of which neither copy nor Resync was sent */
};

/* Moves on over what was sent meanwhile. */
static void advance(struct fal_ctx *c, struct state *state)
{
    const struct fal_ring *requests = &c->track->requests[fal_in(c)];
    const struct fal_request *request;

    if (!state->started) {
        state->started = true;
        state->frontier = c->track->rsn_next[fal_in(c)];
        state->lost = !c->track->setup.initial_known;
    }
    while ((request = fal_ring_at(requests, state->frontier)) != NULL &&
           (request->flags & (FAL_REQ_SENT | FAL_REQ_RESYNC)) != 0)
        state->frontier++;
    state->lost = state->lost || fal_ring_forgot(requests, state->frontier);
}

/* One packet under examination. */
struct look {
    struct fal_ctx *c;
    struct state *state;
    unsigned held, open;
    const struct fal_sent *early; /* the first push that was acknowledged too early */
    int64_t x;
};

static void visit(void *ctx, int64_t x, bool ack)
{
    struct look *look = ctx;
    struct fal_ctx *c = look->c;
    const struct fal_sent *sent = fal_stream_sent(fal_in_stream(c, FAL_WINDOW_DATA), x);

    if (!ack || sent == NULL || sent->type != FAL_PUSH_DATA ||
        (sent->flags & FAL_SENT_ORIGINAL) == 0 || (sent->flags & FAL_SENT_RESYNC) != 0)
        return; /* a Resync acknowledges by itself (9.2.5) */
    if (look->state->lost) {
        look->open++;
    } else if (sent->rsn <= look->state->frontier) {
        look->held++; /* every lower RSN was seen before, whatever else went unseen */
    } else if (c->track->foreign[fal_in(c)] ||
               fal_track_request_may(c->track, fal_in(c), (uint32_t)look->state->frontier)) {
        look->open++;
    } else if (look->early == NULL) {
        look->early = sent;
        look->x = x;
    }
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct look look = {.c = c, .state = c->state};
    char psn[FAL_NUMBER_MAX], rsn[FAL_NUMBER_MAX], missing[FAL_NUMBER_MAX];

    if (!fal_track_ordered(c->track))
        return;
    advance(c, look.state);
    fal_stream_news(fal_in_stream(c, FAL_WINDOW_DATA), &q->claim[FAL_WINDOW_DATA], visit,
                    &look);
    if (look.early != NULL) {
        fal_broken(c,
                   &(struct fal_blame){.requirement = "FTP-8.5.2-01",
                                       .cause = {&look.early->first},
                                       .effect = &q->at,
                                       .packet = q->packet},
                   "push PSN %s (RSN %s) not acknowledged before RSN %s was sent: an ordered "
                   "connection delivers in RSN order",
                   fal_psn_text(fal_in_stream(c, FAL_WINDOW_DATA), look.x, psn),
                   fal_rsn_text(c, fal_in(c), (uint32_t)look.early->rsn, rsn),
                   fal_rsn_text(c, fal_in(c), (uint32_t)look.state->frontier, missing));
        return;
    }
    for (; look.held > 0; look.held--)
        fal_holds(c);
    for (; look.open > 0; look.open--)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
}

/* From the first packet on, so that the first RSN is known. */
static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    (void)p;
    if (fal_track_ordered(c->track))
        advance(c, c->state);
}

const struct fal_rule_impl fal_rule_r8 = {
    .about = &fal_about_r8,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_ORDERED,
    .in = in,
    .on_in = FAL_ON_ORDERED,
};
