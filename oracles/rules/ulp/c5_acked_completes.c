/* SPDX-License-Identifier: Apache-2.0
 * c5_acked_completes.c - rule C5: what was acknowledged completes. The rule knows that the
 * acknowledgement arrived for a pull, whose data the SUT acknowledged, and for a push over a
 * path that loses nothing and keeps order. That there is no completion is known only after a
 * barrier that was asked for later.
 * An ACK or NACK of which one base is older than one before is discarded whole (AMB-23). So it
 * completes nothing; a SUT that takes its newer base gets a warning. */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_c5 = {
    .id = "C5",
    .title = "an acknowledged transaction completes",
    .requirements = FAL_IDS("FTP-6.4-04", "FTP-6.6.2-02", "FTP-8.4.3.2-07", "FTP-8.4.3.3-10",
                            "FTP-9.2.3-05", "FTP-11-27"),
    .role = "initiator",
    .needs = "ulp, barrier",
    .assumes = "base-not-beyond-sent same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "Violated when there is no completion at a barrier that was requested after the SUT "
        "acknowledged the data of a pull, or after the acknowledgement of a push arrived "
        "over a path that loses nothing. Earlier transactions may complete first, also on an "
        "unordered connection (8.4.2). An ACK or NACK with one older base may be discarded whole, and "
        "need not complete anything; a completion that it alone explains is a warning "
        "(AMB-23). So is a pull that never completes, or times out, because its data was "
        "shorter than it asked for, but not empty (AMB-25).",
};

enum { DUE_MAX = 128, LOOK_BACK = 512, TIMED_OUT = 0x8 /* the completion code (11) */ };

struct due {
    int64_t rsn, x; /* x: of a push */
    bool pull;
    bool shorter;      /* its data is shorter than the pull asked for, and not empty */
    bool mixed;        /* only an ACK that must be discarded acknowledged it: nothing is due */
    uint64_t ready_ns; /* from then on */
    int64_t base[2];   /* of the packet that shows it, by window; of a push */
    struct fal_at at;  /* what shows it */
};

struct state {
    struct fal_bag due;
};

struct look {
    struct fal_ctx *c;
    const struct fal_seen *seen;
    uint64_t ready_ns;
    bool mixed;
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
        if (!due->mixed)
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
        add_due(look->c, &(struct due){.rsn = sent->rsn,
                                       .pull = true,
                                       .shorter = sent->length > 0 && sent->length < r->length,
                                       .ready_ns = look->ready_ns,
                                       .at = look->seen->at});
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_params *params = &c->track->setup.params;
    struct look look = {c, q, q->at.t_ns + params->turnaround_ns + params->pipeline_ns, false};

    if (fal_ulp_reports(c))
        fal_stream_news(fal_in_stream(c, FAL_WINDOW_DATA), &q->claim[FAL_WINDOW_DATA],
                        visit_data, &look);
}

/* What an ACK or NACK does that has an older base than packets before it. */
enum effect { APPLIES, MAY_BE_DISCARDED, IS_DISCARDED };

static enum effect effect_of(const struct fal_ctx *c, const struct fal_seen *p)
{
    if (p->reliable || !fal_may_be_stale(c, p))
        return APPLIES; /* each base of a reliable packet counts for itself */
    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++)
        if (p->claim[w].base < fal_taken(c, w))
            return IS_DISCARDED;
    return MAY_BE_DISCARDED;
}

/* An acknowledgement is sent for a push of the SUT. */
static void visit_push(void *ctx, int64_t x, bool ack)
{
    const struct look *look = ctx;
    const struct fal_sent *sent = fal_stream_sent(fal_out_stream(look->c, FAL_WINDOW_DATA), x);

    if (ack && sent != NULL && sent->type == FAL_PUSH_DATA)
        add_due(look->c,
                &(struct due){.rsn = sent->rsn,
                              .x = x,
                              .mixed = look->mixed,
                              .ready_ns = look->ready_ns,
                              .base = {look->seen->claim[0].base, look->seen->claim[1].base},
                              .at = look->seen->at});
}

/* The acknowledgement of a push may be stale when it is processed, if p overtakes it: then p
 * counts, if it acknowledges the push, too. */
static void overtaken(const struct fal_ctx *c, const struct fal_seen *p, uint64_t ready_ns)
{
    struct state *state = c->state;
    unsigned i = 0;

    while (i < state->due.num) {
        struct due *it = FAL_BAG(&state->due, struct due, i);

        if (!it->pull && fal_may_overtake(c, &it->at, it->base, p)) {
            if (!fal_claim_acks(&p->claim[FAL_WINDOW_DATA], it->x)) {
                fal_bag_remove(&state->due, sizeof *it, i);
                continue;
            }
            it->ready_ns = ready_ns;
            it->at = p->at;
            it->base[0] = p->claim[0].base;
            it->base[1] = p->claim[1].base;
        }
        i++;
    }
}

/* A later acknowledgement that applies makes those due that a discarded one named. */
static void restate(struct state *state, const struct fal_seen *p, uint64_t ready_ns)
{
    for (unsigned i = 0; i < state->due.num; i++) {
        struct due *it = FAL_BAG(&state->due, struct due, i);

        if (!it->mixed || !fal_claim_acks(&p->claim[FAL_WINDOW_DATA], it->x))
            continue;
        it->mixed = false;
        it->ready_ns = ready_ns;
        it->at = p->at;
    }
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct fal_path path = fal_path_in(c);
    const struct fal_params *params = &c->track->setup.params;
    struct look look = {c, p, 0, false};
    uint64_t in_ns, out_ns;
    enum effect effect;

    if (!fal_ulp_reports(c) || !path.lossless || !path.in_order || p->doubtful ||
        !fal_round_ns(c, &in_ns, &out_ns))
        return;
    overtaken(c, p, p->at.t_ns + in_ns + params->turnaround_ns + params->pipeline_ns);
    effect = effect_of(c, p);
    if (effect == MAY_BE_DISCARDED)
        return;
    look.ready_ns = p->at.t_ns + in_ns + params->turnaround_ns + params->pipeline_ns;
    look.mixed = effect == IS_DISCARDED;
    if (!look.mixed)
        restate(c->state, p, look.ready_ns);
    fal_stream_news(fal_out_stream(c, FAL_WINDOW_DATA), &p->claim[FAL_WINDOW_DATA], visit_push,
                    &look);
}

static void completed(struct fal_ctx *c, const struct due *it, const struct fal_event *event)
{
    struct fal_at at = fal_at_event(event);

    if (!it->mixed && it->shorter && event->u.ulp.code == TIMED_OUT)
        (void)fal_read_as(c, FAL_AMB_25, FAL_READ_OTHER, &at);
    else if (!it->mixed)
        fal_holds(c);
    else if (event->u.ulp.code == 0)
        (void)fal_read_as(c, FAL_AMB_23, FAL_READ_OTHER, &it->at);
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    int64_t rsn;

    if (event->u.ulp.kind != FAL_ULP_COMPLETION || state->due.num == 0)
        return;
    rsn = fal_track_rsn(c->track, fal_out(c), event->u.ulp.rsn);
    for (unsigned i = 0; i < state->due.num; i++) {
        struct due it = *FAL_BAG(&state->due, struct due, i);

        if (it.rsn != rsn)
            continue;
        fal_bag_remove(&state->due, sizeof it, i);
        completed(c, &it, event);
        return;
    }
}

/* An earlier one that is not complete may come first: a connection without order has no
 * requirement for the order of completions (FTP-8.4.2-03). */
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

static void missing(struct fal_ctx *c, const struct due *it, const struct fal_at *barrier)
{
    char number[FAL_NUMBER_MAX];

    if (c->bench->events_lost)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (it->shorter)
        (void)fal_read_as(c, FAL_AMB_25, FAL_READ_OTHER, &it->at);
    else
        fal_broken(c,
                   &(struct fal_blame){it->pull ? "FTP-8.4.3.2-07" : "FTP-6.6.2-02",
                                       {&it->at},
                                       .effect = barrier,
                                       .seen = "no completion at the barrier"},
                   "RSN %s completed, as its %s",
                   fal_rsn_text(c, fal_out(c), (uint32_t)it->rsn, number),
                   it->pull ? "data arrived" : "acknowledgement arrived");
}

/* Whether nothing can hold the completion back any more. */
static bool overdue(const struct fal_ctx *c, const struct due *it)
{
    return !it->mixed && c->track->barrier_index > it->at.index &&
           c->track->barrier_ns > it->ready_ns && !held_up(c, it->rsn);
}

/* Whether the connection was alive when the transaction was to complete: the SUT sent a packet
 * after that. */
static bool was_alive(const struct fal_ctx *c, const struct due *it)
{
    uint64_t in_ns, out_ns;

    return fal_round_ns(c, &in_ns, &out_ns) &&
           it->ready_ns + out_ns < c->track->last_ns[fal_out(c)];
}

/* The connection has ended: what was to complete afterwards need not. */
static void end(struct fal_ctx *c, struct state *state)
{
    for (unsigned i = 0; i < state->due.num;) {
        const struct due *it = FAL_BAG(&state->due, struct due, i);

        if (!it->mixed && was_alive(c, it)) {
            i++;
            continue;
        }
        if (!it->mixed)
            fal_undecided(c, FAL_EXCUSE_CONFIG);
        fal_bag_remove(&state->due, sizeof *it, i);
    }
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    struct fal_at at = fal_at_event(event);
    unsigned i = 0;

    if (event->u.mark.mark != FAL_MARK_BARRIER)
        return;
    if (c->track->dead)
        end(c, state);
    while (i < state->due.num) {
        struct due it = *FAL_BAG(&state->due, struct due, i);

        if (overdue(c, &it)) {
            fal_bag_remove(&state->due, sizeof it, i);
            missing(c, &it, &at);
        } else {
            i++;
        }
    }
}

static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    for (unsigned i = 0; i < state->due.num; i++)
        if (!FAL_BAG(&state->due, struct due, i)->mixed)
            fal_undecided(c, FAL_EXCUSE_CONFIG);
    fal_bag_free(&state->due);
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
    .on_ulp = FAL_ON_COMPLETION,
    .ulp = ulp,
    .mark = mark,
    .finish = finish,
    .release = fal_bag_release,
};
