/* SPDX-License-Identifier: Apache-2.0
 * u4_taken_before_acked_by_stamps.c - rule U4: a push is delivered and accepted before it is
 * acknowledged, where the upper layer answers by itself. Its answer carries a time in the clock
 * of the SUT's packets, and the acknowledgement left at the time in its IV. Without stamps the
 * order is unknown. Rule R7 judges answers that the tester holds. */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"

#include <stdio.h>

const struct fal_rule fal_about_u4 = {
    .id = "U4",
    .title = "by its timestamp, a push is accepted before it is acknowledged",
    .requirements = FAL_IDS("FTP-8.1-06"),
    .role = "target",
    .needs = "ulp stamps, IV",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "An upper layer that answers by itself gives its answer a timestamp in the clock "
        "of the SUT's packets. Violated by an acknowledgement whose IV is older than that "
        "timestamp by more than the pipeline allowance, the steps of the SUT's clock and the "
        "error of the timestamp.",
};

/* Few, until an answer has been observed. */
enum { WAITING_MAX = 64, WAITING_MUTE = 8 };

/* One half of a pair: the claim, or the answer. */
struct half {
    uint32_t rsn;
    bool claim;
    uint64_t ns, error_ns;
    struct fal_at at;
};

struct state {
    struct fal_bag halves;
};

static void compare(struct fal_ctx *c, const struct half *claim, const struct half *answer)
{
    const struct fal_iv_clock *clock = &c->track->clock[fal_out(c)];
    uint64_t margin = fal_pipeline_ns(c) + fal_clock_step_ns(c) + answer->error_ns;
    bool early = claim->ns < answer->ns && answer->ns - claim->ns > margin;
    const struct fal_at *last = claim->at.index > answer->at.index ? &claim->at : &answer->at;
    char number[FAL_NUMBER_MAX], seen[96];

    if (!clock->verified || clock->refuted) {
        fal_undecided(c, FAL_EXCUSE_CLOCK);
        return;
    }
    if (!early) {
        fal_held(c, claim->ns + answer->error_ns >= answer->ns);
        return;
    }
    (void)snprintf(seen, sizeof seen, "answered %s after the acknowledgement left the SUT",
                   fal_time_text(answer->ns - claim->ns).text);
    fal_broken(c, &(struct fal_blame){"FTP-8.1-06", {&claim->at}, .effect = last, .seen = seen},
               "push RSN %s acknowledged after its upper layer accepted it",
               fal_rsn_text(c, fal_in(c), claim->rsn, number));
}

/* Pairs it with its other half, or keeps it; the oldest gives way. */
static void take(struct fal_ctx *c, const struct half *new)
{
    struct state *state = c->state;
    unsigned max = fal_ulp_reports(c) ? WAITING_MAX : WAITING_MUTE;
    struct half *slot;

    for (unsigned i = 0; i < state->halves.num; i++) {
        struct half old = *FAL_BAG(&state->halves, struct half, i);

        if (old.rsn != new->rsn)
            continue;
        if (old.claim == new->claim)
            return; /* the first counts */
        fal_bag_remove(&state->halves, sizeof old, i);
        compare(c, new->claim ? new : &old, new->claim ? &old : new);
        return;
    }
    if (state->halves.num >= max)
        fal_bag_remove(&state->halves, sizeof *slot, 0);
    slot = fal_bag_add(&state->halves, sizeof *slot, max);
    if (slot != NULL)
        *slot = *new;
}

struct look {
    struct fal_ctx *c;
    const struct fal_seen *q;
};

static void visit(void *ctx, int64_t x, bool ack)
{
    const struct look *look = ctx;
    const struct fal_sent *sent = fal_stream_sent(fal_in_stream(look->c, FAL_WINDOW_DATA), x);
    struct half claim = {.claim = true, .ns = look->q->packet->iv / 1000, .at = look->q->at};

    if (!ack || sent == NULL || sent->type != FAL_PUSH_DATA ||
        (sent->flags & FAL_SENT_RESYNC) != 0 ||
        look->c->track->gap_index[fal_in(look->c)] >
            sent->first.index) /* one may have gone unseen */
        return;                /* a Resync acknowledges by itself */
    claim.rsn = (uint32_t)sent->rsn;
    take(look->c, &claim);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct look look = {c, q};

    if (q->packet->has_iv)
        fal_stream_news(fal_in_stream(c, FAL_WINDOW_DATA), &q->claim[FAL_WINDOW_DATA], visit,
                        &look);
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;

    if (ulp->kind != FAL_ULP_ACK || ulp->answer != FAL_ANSWER_ACK)
        return;
    if (!ulp->has_stamp && !ulp->has_within) /* else R7 compares the times of the capture */
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (ulp->has_stamp)
        take(c, &(struct half){.rsn = ulp->rsn,
                               .ns = ulp->stamp_ns,
                               .error_ns = ulp->stamp_error_ns,
                               .at = fal_at_event(event)});
}

const struct fal_rule_impl fal_rule_u4 = {
    .about = &fal_about_u4,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .bags = 1,
    .out = out,
    .on_out = FAL_ON_IV,
    .on_ulp = FAL_ON_ULP_ACK,
    .ulp = ulp,
    .release = fal_bag_release,
};
