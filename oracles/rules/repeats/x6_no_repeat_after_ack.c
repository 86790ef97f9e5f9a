/* SPDX-License-Identifier: Apache-2.0
 * x6_no_repeat_after_ack.c - rule X6: no copy of a packet is sent after the SUT received its
 * acknowledgement. Proof that it received it: it sent a number that only a base above x
 * permits, or reported the completion to its upper layer, or the path loses nothing and its
 * longest delay is declared. A copy that was already in flight is allowed (9.1.5). */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"
#include "oracles/rules/repeats/repeats.h"

#include <string.h>

const struct fal_rule fal_about_x6 = {
    .id = "X6",
    .title = "no packet is retransmitted after its acknowledgement was received",
    .requirements = FAL_IDS("FTP-7.7-01", "FTP-9-11", "FTP-9-15", "FTP-9.2.3-01",
                            "FTP-9.2.3-02", "FTP-9.2.3-03", "FTP-9.2.3-04", "FTP-9.2.3-05",
                            "FTP-9.2.3-06", "FTP-9.2.3-09", "FTP-9.2.3-10"),
    .role = "transmitter",
    .needs = "wire",
    .assumes = "base-not-beyond-sent",
    .doc =
        "Violated by a copy of an acknowledged number if the SUT provably had the "
        "acknowledgement when the copy left: it had sent a number that only a higher base "
        "permits, or reported the completion, or the path loses nothing and its longest delay "
        "is declared. Otherwise the copy was in flight, or the ACK was lost.",
};

enum { BASES_MAX = 4, COMPLETIONS_MAX = 16 };

/* A base or snapshot sent to the subject, newest last. */
struct told {
    int64_t base;
    fal_u128 acked;   /* bit n: base + n; only where the path keeps order */
    int64_t bases[2]; /* of the packet, by window */
    struct fal_at at;
};

struct completion {
    enum fal_window window;
    int64_t x;
    struct fal_at at;
};

struct window {
    uint64_t epoch;
    struct told told[BASES_MAX];
    unsigned num;
    bool has_top;
    int64_t top; /* the highest number sent, and its first copy */
    struct fal_point top_point;
};

struct state {
    struct fal_bag completions; /* first, for fal_bag_release */
    struct window window[FAL_WINDOWS];
};

static struct window *window_of(struct fal_ctx *c, enum fal_window w)
{
    struct state *state = c->state;
    struct window *window = &state->window[w];
    uint64_t epoch = fal_out_stream(c, w)->epoch;

    if (window->epoch != epoch)
        *window = (struct window){.epoch = epoch};
    return window;
}

/* ---- acknowledgements on their way ---- */

static bool says_more(const struct window *window, int64_t base, fal_u128 acked)
{
    const struct told *old = window->num > 0 ? &window->told[window->num - 1] : NULL;

    return old == NULL || base > old->base || (base == old->base && (acked & ~old->acked) != 0);
}

/* An instance held: long after the acknowledgement there was no copy of what it covers. */
static void retire(struct fal_ctx *c, struct window *window)
{
    bool given = fal_given(c, FAL_PARAM_AT_rto) || c->track->setup.params.rto_varies;
    struct fal_timer_bounds b;

    if (given && fal_rto_judged(c, &b) && c->now_ns - window->told[0].at.t_ns > 2 * b.late_ns)
        fal_holds(c);
    window->num--;
    memmove(&window->told[0], &window->told[1], window->num * sizeof window->told[0]);
}

/* Another engine of the SUT may process p before an EACK, which is stale then: its bits say
 * nothing. Its base is below that of p, or equal. */
static void overtaken(const struct fal_ctx *c, struct window *window, const struct fal_seen *p)
{
    for (unsigned i = 0; i < window->num; i++)
        if (fal_may_overtake(c, &window->told[i].at, window->told[i].bases, p))
            window->told[i].acked = 0;
}

/* Whether the packet may say more than those before it. */
static bool may_say_more(const struct fal_ctx *c, const struct fal_seen *p)
{
    const struct state *state = c->state;
    const struct fal_stream *streams = c->track->stream[fal_out(c)];

    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        const struct window *window = &state->window[w];

        if (p->claim[w].snapshot || window->num == 0 || window->epoch != streams[w].epoch ||
            p->claim[w].base > window->told[window->num - 1].base)
            return true;
    }
    return false;
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    const struct fal_stream *streams = c->track->stream[fal_out(c)];
    bool stale = false;

    if (!may_say_more(c, p))
        return;
    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++)
        overtaken(c, window_of(c, w), p);
    /* an older ACK than one before is discarded whole, if it does come later (AMB-23) */
    for (unsigned w = 0; w < FAL_WINDOWS; w++)
        stale = stale || !streams[w].based || p->claim[w].base < fal_stream_edge(&streams[w]) ||
                !fal_stream_believes(&streams[w], &p->claim[w]);
    if (stale || p->doubtful)
        return;
    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        struct window *window = window_of(c, w);
        int64_t base = p->claim[w].base;
        fal_u128 acked = p->claim[w].snapshot && fal_path_in(c).in_order ? p->claim[w].ack : 0;

        if (base <= (streams[w].known ? streams[w].first : 0) && acked == 0)
            continue;
        if (!says_more(window, base, acked))
            continue;
        if (window->num == BASES_MAX)
            retire(c, window);
        window->told[window->num++] =
            (struct told){.base = base,
                          .acked = acked,
                          .bases = {p->claim[0].base, p->claim[1].base},
                          .at = p->at};
    }
}

static bool covers(const struct told *told, int64_t x)
{
    uint64_t n = (uint64_t)(x - told->base);

    return x < told->base || (n < 128 && fal_u128_test(told->acked, (unsigned)n));
}

/* A base above x, or its bit, that surely came in time; or NULL. */
static const struct fal_at *by_path(const struct fal_ctx *c, const struct window *window,
                                    const struct fal_seen *q)
{
    uint64_t in_ns, out_ns, margin;

    if (!fal_path_in(c).lossless || !fal_round_ns(c, &in_ns, &out_ns))
        return NULL;
    margin = in_ns + out_ns + 2 * fal_pipeline_ns(c) + c->track->setup.params.turnaround_ns +
             q->at.error_ns;
    for (unsigned i = 0; i < window->num; i++) {
        const struct told *told = &window->told[i];

        if (covers(told, q->x) && q->at.t_ns - told->at.t_ns > margin + told->at.error_ns &&
            !(c->bench->stepped && told->at.index < c->bench->step_index))
            return &told->at;
    }
    return NULL;
}

/* ---- its own words ---- */

/* A number that left surely before q and that only a base above x permits. */
static const struct fal_at *by_window(const struct fal_ctx *c, const struct window *window,
                                      const struct fal_seen *q)
{
    const struct fal_params *params = &c->track->setup.params;
    bool req = q->window == FAL_WINDOW_REQ;
    int64_t limit = INT64_MAX;
    const struct fal_point *point = fal_point_of(q);
    enum fal_excuse why;

    if (fal_given(c, req ? FAL_PARAM_AT_tx_window_req : FAL_PARAM_AT_tx_window_data))
        limit =
            (int64_t)(req ? params->tx_window_req : params->tx_window_data) + 1; /* AMB-10 */
    if (fal_given(c, FAL_PARAM_AT_fcwnd) && params->fcwnd < limit)
        limit = params->fcwnd > 0 ? params->fcwnd : 1;
    if (!window->has_top || window->top - q->x < limit ||
        fal_implied_before(c, &window->top_point, point, &why) != FAL_BEFORE)
        return NULL;
    return &window->top_point.at;
}

static const struct fal_at *by_completion(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct state *state = c->state;
    enum fal_excuse why;

    for (unsigned i = 0; i < state->completions.num; i++) {
        const struct completion *done = FAL_BAG(&state->completions, struct completion, i);

        if (done->window == q->window && done->x == q->x &&
            fal_event_before(c, &done->at, q, &why) == FAL_BEFORE)
            return &done->at;
    }
    return NULL;
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    const struct fal_ev_ulp *u = &event->u.ulp;
    const struct fal_request *request;
    struct completion *done;

    if (u->kind != FAL_ULP_COMPLETION || u->code != 0)
        return;
    request = fal_track_request(c->track, fal_out(c), u->rsn);
    if (request == NULL || (request->flags & FAL_REQ_PLACED) == 0 ||
        (request->flags & FAL_REQ_VARIED) != 0 || request->type != FAL_PUSH_DATA)
        return;
    if (state->completions.num == COMPLETIONS_MAX)
        fal_bag_remove(&state->completions, sizeof *done, 0);
    done = fal_bag_add(&state->completions, sizeof *done, COMPLETIONS_MAX);
    if (done != NULL)
        *done = (struct completion){FAL_WINDOW_DATA, request->psn, fal_at_event(event)};
}

/* ---- copies ---- */

static void check(struct fal_ctx *c, const struct window *window, const struct fal_seen *q)
{
    const struct fal_at *proof = by_window(c, window, q);
    struct fal_at last = fal_last_copy(q->prior);
    char number[FAL_NUMBER_MAX];

    if (proof == NULL)
        proof = by_completion(c, q);
    if (proof == NULL)
        proof = by_path(c, window, q);
    if (proof == NULL) {
        fal_excused(c, fal_path_in(c).lossless ? FAL_EXCUSE_PIPELINE : FAL_EXCUSE_IN_LOSS);
    } else if (fal_gap_of(c, q).same) {
        fal_excused(c, FAL_EXCUSE_OUT_DUP);
    } else {
        fal_broken(
            c,
            &(struct fal_blame){.requirement = "FTP-9-15",
                                .cause = {&last, proof},
                                .effect = &q->at,
                                .packet = q->packet},
            "no copy of %s PSN %s, which was acknowledged: the older event shows that the "
            "SUT had received the acknowledgement",
            fal_window_word(q->window),
            fal_psn_text(fal_out_stream(c, q->window), q->x, number));
    }
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct window *window;

    if (!q->reliable)
        return;
    window = window_of(c, q->window);
    if (q->prior != NULL && fal_stream_acked(fal_out_stream(c, q->window), q->x))
        check(c, window, q);
    if (q->prior == NULL && (!window->has_top || q->x > window->top)) {
        window->has_top = true;
        window->top = q->x;
        window->top_point = *fal_point_of(q);
    }
}

static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    for (unsigned w = 0; w < FAL_WINDOWS; w++)
        while (state->window[w].num > 0)
            retire(c, &state->window[w]);
}

const struct fal_rule_impl fal_rule_x6 = {
    .about = &fal_about_x6,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .bags = 1,
    .out = out,
    .on_out = FAL_ON_RELIABLE,
    .in = in,
    .on_ulp = FAL_ON_COMPLETION,
    .ulp = ulp,
    .finish = finish,
    .release = fal_bag_release,
};
