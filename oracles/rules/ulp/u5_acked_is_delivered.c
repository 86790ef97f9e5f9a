/* SPDX-License-Identifier: Apache-2.0
 * u5_acked_is_delivered.c - rule U5: what the SUT acknowledged reaches its upper layer. That
 * there is no event is known only after a barrier that was asked for after the acknowledgement.
 * A push is delivered before it is acknowledged, so it is due once it was received. On an
 * ordered connection a pull may wait for earlier transactions; those that a Resync replaced
 * delay nothing (AMB-48). */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_u5 = {
    .id = "U5",
    .title = "acknowledged requests reach the upper layer",
    .requirements = FAL_IDS("FTP-8.5.2-03", "FTP-8.5.3.1-06", "FTP-8.5.3.3-06", "FTP-9.2.2-01",
                            "FTP-9.2.5-07", "FTP-11-20"),
    .role = "target",
    .needs = "ulp, barrier",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc = "Violated when a push or pull_request was acknowledged and no request event of it "
           "was read before a barrier requested afterwards. A Resync delivers nothing, and "
           "delays no later RSN (AMB-48). On an unordered connection nothing waits for a lower "
           "RSN.",
};

/* Half of the numbers of 32 bits. */
static const int64_t HALF_OF_RSNS = INT64_C(1) << 31;

/* What is only received leaves room for what is acknowledged. */
enum { MISSING_MAX = 256, RECEIVED_MAX = 128, LOOK_BACK = 512 };

struct missing {
    int64_t rsn;
    uint8_t type;
    bool received; /* a push that waits for its upper layer: not acknowledged yet */
    bool its_turn; /* acknowledged, not held up by an earlier one, and not given up before */
    int64_t x;
    struct fal_at claimed;
};

struct state {
    struct fal_bag missing;
};

struct look {
    struct fal_ctx *c;
    const struct fal_seen *q;
    enum fal_window window;
};

/* Whether an earlier transaction may hold up that one: not acknowledged, or a pull that its
 * upper layer RNRed. *resynced: one was replaced by a Resync. */
static bool held_up(const struct fal_ctx *c, int64_t rsn, bool *resynced)
{
    int64_t first = fal_track_first_rsn(c->track, fal_in(c), rsn, LOOK_BACK);

    *resynced = false;
    if (rsn < first)
        return true; /* before the first of all: its turn never comes */
    for (int64_t n = rsn - 1; n >= first; n--) {
        const struct fal_request *r = fal_ring_at(&c->track->requests[fal_in(c)], n);

        if (r == NULL || (r->flags & FAL_REQ_CLAIMED) == 0)
            return true;
        if (r->type == FAL_PULL_REQUEST && r->rnrs > 0)
            return true;
        *resynced = *resynced || (r->flags & FAL_REQ_RESYNC) != 0;
    }
    return false;
}

static void visit(void *ctx, int64_t x, bool ack)
{
    const struct look *look = ctx;
    struct fal_ctx *c = look->c;
    struct state *state = c->state;
    const struct fal_sent *sent = fal_stream_sent(fal_in_stream(c, look->window), x);
    const struct fal_request *r;
    struct missing *it;

    if (sent == NULL || sent->type == FAL_PULL_DATA || (!ack && sent->type != FAL_PUSH_DATA) ||
        (sent->flags & (FAL_SENT_RESYNC | FAL_SENT_DOUBTFUL)) != 0)
        return;
    r = fal_track_request(c->track, fal_in(c), (uint32_t)sent->rsn);
    if (r == NULL)
        return;
    if (r->deliveries > 0) {
        if (ack)
            fal_holds(c);
        return;
    }
    for (unsigned i = 0; i < state->missing.num; i++) {
        it = FAL_BAG(&state->missing, struct missing, i);
        if (it->rsn == sent->rsn) { /* received before, and acknowledged now */
            it->received = it->received && !ack;
            return;
        }
    }
    if (!c->track->setup.initial_known && x < fal_in_stream(c, look->window)->doubt) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* it may have been before the capture */
        return;
    }
    it = fal_bag_add(&state->missing, sizeof *it, ack ? MISSING_MAX : RECEIVED_MAX);
    if (it != NULL)
        *it = (struct missing){
            .rsn = sent->rsn,
            .type = sent->type,
            .received = !ack,
            .x = x,
            .claimed = look->q->at,
        };
}

/* Whose turn has come by now. */
static void look_for_turns(struct fal_ctx *c, uint64_t now_ns)
{
    struct state *state = c->state;

    for (unsigned i = 0; i < state->missing.num; i++) {
        struct missing *it = FAL_BAG(&state->missing, struct missing, i);
        const struct fal_request *r;
        bool resynced;

        if (it->its_turn || it->received || held_up(c, it->rsn, &resynced) || resynced)
            continue;
        r = fal_track_request(c->track, fal_in(c), (uint32_t)it->rsn);
        it->its_turn = !fal_may_be_reclaimed(c, r, now_ns);
    }
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct look look = {c, q, FAL_WINDOW_DATA};

    if (!fal_ulp_reports(c))
        return;
    fal_stream_news(fal_in_stream(c, FAL_WINDOW_DATA), &q->claim[FAL_WINDOW_DATA], visit,
                    &look);
    look.window = FAL_WINDOW_REQ;
    fal_stream_news(fal_in_stream(c, FAL_WINDOW_REQ), &q->claim[FAL_WINDOW_REQ], visit, &look);
    look_for_turns(c, q->at.t_ns);
}

static void forget(struct fal_ctx *c, int64_t rsn, bool holds)
{
    struct state *state = c->state;

    for (unsigned i = 0; i < state->missing.num; i++) {
        if (FAL_BAG(&state->missing, struct missing, i)->rsn != rsn)
            continue;
        fal_bag_remove(&state->missing, sizeof(struct missing), i);
        if (holds)
            fal_holds(c);
        return;
    }
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    const struct state *state = c->state;

    if (event->u.ulp.kind == FAL_ULP_REQUEST && state->missing.num > 0)
        forget(c, fal_track_rsn(c->track, fal_in(c), event->u.ulp.rsn), true);
}

/* A Resync, even a late one, may have been what the claim acknowledged. */
static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    if (p->reliable && p->falcon->packet_type == FAL_RESYNC && p->type != FAL_PULL_DATA)
        forget(c, p->rsn, false);
}

static void broken(struct fal_ctx *c, const struct missing *it, const struct fal_event *event,
                   bool resynced, bool overtakes)
{
    struct fal_at at = fal_at_event(event);
    const struct fal_request *r = fal_track_request(c->track, fal_in(c), (uint32_t)it->rsn);
    char number[FAL_NUMBER_MAX];

    fal_broken(c,
               &(struct fal_blame){resynced                    ? "FTP-9.2.5-07"
                                   : overtakes                 ? "FTP-8.5.2-03"
                                   : it->type == FAL_PUSH_DATA ? "FTP-8.5.3.3-06"
                                                               : "FTP-8.5.3.1-06",
                                   {r != NULL ? &r->first : NULL, &it->claimed},
                                   .effect = &at,
                                   .seen = "no request event at the barrier"},
               "RSN %s delivered, as it was acknowledged",
               fal_rsn_text(c, fal_in(c), (uint32_t)it->rsn, number));
}

/* An acknowledged pull may be on its way to the upper layer for as long as P. */
static bool before_barrier(const struct fal_ctx *c, const struct missing *it)
{
    const struct fal_track *track = c->track;

    return track->barrier_index > it->claimed.index &&
           ((it->type == FAL_PUSH_DATA && !it->received) ||
            track->barrier_ns > it->claimed.t_ns + track->setup.params.pipeline_ns);
}

/* The receiver let go of a push that it had received (AMB-65), or may have. */
static bool refused(const struct fal_ctx *c, const struct missing *it)
{
    const struct fal_sent *sent = fal_stream_sent(fal_in_stream(c, FAL_WINDOW_DATA), it->x);

    return sent == NULL ||
           (sent->flags & (FAL_SENT_REFUSED | FAL_SENT_NACKED | FAL_SENT_RESYNC)) != 0 ||
           !fal_path_out(c).lossless || c->track->gap_index[fal_out(c)] > 0;
}

/* What was acknowledged may have been a Resync that went unseen. */
static bool unseen(const struct fal_ctx *c, const struct missing *it)
{
    const struct fal_request *r = fal_track_request(c->track, fal_in(c), (uint32_t)it->rsn);

    return c->bench->run.may_miss || r == NULL ||
           c->track->gap_index[fal_in(c)] > r->first.index;
}

/* What waited for its turn may have been given up before that came. */
static bool given_up(const struct fal_ctx *c, const struct missing *it)
{
    const struct fal_request *r = fal_track_request(c->track, fal_in(c), (uint32_t)it->rsn);

    return (it->type == FAL_PULL_REQUEST || it->received) && !it->its_turn &&
           c->track->setup.params.ordered && fal_may_be_reclaimed(c, r, c->now_ns);
}

/* An RSN below the first of all names no transaction of a conforming peer: the receiver may
 * take it for one that is over. Of an RSN that is 2^31 above the first, nobody can say whether
 * it is above or below. */
static bool never_due(const struct fal_ctx *c, int64_t rsn)
{
    int64_t first = c->track->rsn_first[fal_in(c)];

    return c->track->setup.initial_known && (rsn < first || rsn - first >= HALF_OF_RSNS);
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    unsigned i = 0;

    if (event->u.mark.mark != FAL_MARK_BARRIER)
        return;
    while (i < state->missing.num) {
        struct missing it = *FAL_BAG(&state->missing, struct missing, i);
        bool resynced = false, ordered = c->track->setup.params.ordered;
        bool behind =
            (it.type == FAL_PULL_REQUEST || it.received) && held_up(c, it.rsn, &resynced);

        if (!before_barrier(c, &it) || (ordered && behind) || never_due(c, it.rsn)) {
            i++;
            continue;
        }
        fal_bag_remove(&state->missing, sizeof it, i);
        if (it.received && refused(c, &it))
            continue;
        if (c->bench->events_lost || given_up(c, &it))
            fal_undecided(c, FAL_EXCUSE_CONFIG);
        else if (unseen(c, &it))
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        else
            broken(c, &it, event, ordered && resynced, !ordered && behind);
    }
}

static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    fal_undecided_all(c, &state->missing, FAL_EXCUSE_CONFIG);
}

const struct fal_rule_impl fal_rule_u5 = {
    .about = &fal_about_u5,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .bags = 1,
    .in = in,
    .on_in = FAL_ON_RESYNC,
    .out = out,
    .on_out = FAL_ON_CONTROL,
    .on_ulp = FAL_ON_REQUEST,
    .ulp = ulp,
    .mark = mark,
    .finish = finish,
    .release = fal_bag_release,
};
