/* SPDX-License-Identifier: Apache-2.0
 * c5_acked_completes.c - rule C5: what was acknowledged completes. The rule knows that the
 * acknowledgement arrived for a pull, whose data the SUT acknowledged, and for a push over a
 * path that loses nothing and keeps order. That there is no completion is known only after a
 * barrier that was asked for later. */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_c5 = {
    .id = "C5",
    .title = "an acknowledged transaction completes",
    .requirements = FAL_IDS("FTP-6.4-04", "FTP-6.6.2-02", "FTP-8.4.3.2-07", "FTP-8.4.3.3-10",
                            "FTP-9.2.3-05", "FTP-11-27"),
    .role = "initiator",
    .needs = "ulp, barrier",
    .assumes = "base-not-beyond-sent same-packet-on-retransmit one-psn-per-rsn",
    .doc = "Violated when there is no completion at a barrier that was requested after the SUT "
           "acknowledged the data of a pull, or after the acknowledgement of a push arrived "
           "over a path that loses nothing. On an ordered connection earlier transactions "
           "complete first.",
};

enum { DUE_MAX = 128, LOOK_BACK = 512 };

struct due {
    int64_t rsn;
    bool pull;
    uint64_t ready_ns; /* from then on */
    struct fal_at at;  /* what shows it */
};

struct state {
    struct fal_bag due;
};

struct look {
    struct fal_ctx *c;
    const struct fal_seen *seen;
    uint64_t ready_ns;
};

static void add_due(struct fal_ctx *c, const struct due *due)
{
    struct state *state = c->state;
    const struct fal_request *r = fal_track_request(c->track, fal_out(c), (uint32_t)due->rsn);
    struct due *slot;

    if (r == NULL || (r->flags & FAL_REQ_SENT) == 0 ||
        (r->type == FAL_PULL_REQUEST) != due->pull)
        return;
    if (r->deliveries > 0) {
        fal_holds(c);
        return;
    }
    for (unsigned i = 0; i < state->due.num; i++)
        if (FAL_BAG(&state->due, struct due, i)->rsn == due->rsn)
            return;
    slot = fal_bag_add(&state->due, sizeof *slot, DUE_MAX);
    if (slot != NULL)
        *slot = *due;
}

/* The SUT acknowledged data that was sent to it. */
static void visit_data(void *ctx, int64_t x, bool ack)
{
    const struct look *look = ctx;
    const struct fal_sent *sent = fal_stream_sent(fal_in_stream(look->c, FAL_WINDOW_DATA), x);
    const struct fal_request *r;

    if (!ack || sent == NULL || sent->type != FAL_PULL_DATA ||
        (sent->flags & (FAL_SENT_RESYNC | FAL_SENT_DOUBTFUL)) != 0)
        return;
    r = fal_track_request(look->c->track, fal_out(look->c), (uint32_t)sent->rsn);
    /* else it answered nothing, or too much (AMB-25) */
    if (r != NULL && sent->first.index > r->first.index && sent->length <= r->length)
        add_due(look->c, &(struct due){sent->rsn, true, look->ready_ns, look->seen->at});
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct look look = {c, q, q->at.t_ns + c->track->setup.params.pipeline_ns};

    if (c->bench->control)
        fal_stream_news(fal_in_stream(c, FAL_WINDOW_DATA), &q->claim[FAL_WINDOW_DATA],
                        visit_data, &look);
}

/* An acknowledgement is sent for a push of the SUT. */
static void visit_push(void *ctx, int64_t x, bool ack)
{
    const struct look *look = ctx;
    const struct fal_sent *sent = fal_stream_sent(fal_out_stream(look->c, FAL_WINDOW_DATA), x);

    if (ack && sent != NULL && sent->type == FAL_PUSH_DATA)
        add_due(look->c, &(struct due){sent->rsn, false, look->ready_ns, look->seen->at});
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct fal_path path = fal_path_in(c);
    const struct fal_params *params = &c->track->setup.params;
    struct look look = {c, p, 0};
    uint64_t in_ns, out_ns;

    if (!c->bench->control || !path.lossless || !path.in_order || p->doubtful ||
        !fal_round_ns(c, &in_ns, &out_ns))
        return;
    look.ready_ns = p->at.t_ns + in_ns + params->turnaround_ns + params->pipeline_ns;
    fal_stream_news(fal_out_stream(c, FAL_WINDOW_DATA), &p->claim[FAL_WINDOW_DATA], visit_push,
                    &look);
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    int64_t rsn;

    if (event->u.ulp.kind != FAL_ULP_COMPLETION || state->due.num == 0)
        return;
    rsn = fal_track_rsn(c->track, fal_out(c), event->u.ulp.rsn);
    for (unsigned i = 0; i < state->due.num; i++) {
        if (FAL_BAG(&state->due, struct due, i)->rsn != rsn)
            continue;
        fal_bag_remove(&state->due, sizeof(struct due), i);
        fal_holds(c);
        return;
    }
}

/* On an ordered connection an earlier one that is not complete comes first. */
static bool held_up(const struct fal_ctx *c, int64_t rsn)
{
    int64_t first = fal_track_first_rsn(c->track, fal_out(c), rsn, LOOK_BACK);

    for (int64_t n = rsn - 1; n >= first; n--) {
        const struct fal_request *r = fal_ring_at(&c->track->requests[fal_out(c)], n);

        if (r == NULL || r->deliveries == 0)
            return true;
    }
    return false;
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    struct fal_at at = fal_at_event(event);
    unsigned i = 0;

    if (event->u.mark.mark != FAL_MARK_BARRIER)
        return;
    while (i < state->due.num) {
        struct due it = *FAL_BAG(&state->due, struct due, i);
        char number[FAL_NUMBER_MAX];

        if (c->track->barrier_index <= it.at.index || c->track->barrier_ns <= it.ready_ns ||
            (c->track->setup.params.ordered && held_up(c, it.rsn))) {
            i++;
            continue;
        }
        fal_bag_remove(&state->due, sizeof it, i);
        if (c->bench->events_lost)
            fal_undecided(c, FAL_EXCUSE_CONFIG);
        else
            fal_broken(c,
                       &(struct fal_blame){it.pull ? "FTP-8.4.3.2-07" : "FTP-6.6.2-02",
                                           {&it.at},
                                           .effect = &at,
                                           .seen = "no completion at the barrier"},
                       "RSN %s completed, as its %s",
                       fal_rsn_text(c, fal_out(c), (uint32_t)it.rsn, number),
                       it.pull ? "data arrived" : "acknowledgement arrived");
    }
}

static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    fal_undecided_all(c, &state->due, FAL_EXCUSE_CONFIG);
}

const struct fal_rule_impl fal_rule_c5 = {
    .about = &fal_about_c5,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_BASE_SENT | FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .bags = 1,
    .in = in,
    .on_in = FAL_ON_CONTROL,
    .out = out,
    .on_out = FAL_ON_CONTROL,
    .ulp = ulp,
    .mark = mark,
    .finish = finish,
    .release = fal_bag_release,
};
