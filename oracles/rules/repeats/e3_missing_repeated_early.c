/* SPDX-License-Identifier: Apache-2.0
 * e3_missing_repeated_early.c - rule E3: a packet that an EACK shows missing, or for which it
 * asks by OWN, should be sent again before its timer expires. The rule judges only the base of
 * a window, which fcwnd never holds back, while ncwnd is open (9.1.2). It warns when the next
 * copy took a whole timeout, though an EACK that provably arrived long before, and a round trip
 * after the last copy, called for it. It warns as well when no copy has come a quarter of a
 * timeout after that EACK, although the SUT sent other packets. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"
#include "oracles/rules/repeats/held.h"
#include "oracles/rules/repeats/overdue.h"
#include "oracles/rules/repeats/repeats.h"

const struct fal_rule fal_about_e3 = {
    .id = "E3",
    .title = "packets that an EACK shows missing should be retransmitted early",
    .requirements = FAL_IDS("FTP-9-14", "FTP-9.1.4-01", "FTP-9.2.3-13"),
    .role = "transmitter",
    .needs = "wire+config",
    .assumes = "base-not-beyond-sent",
    .doc = "A warning at most: the base of a window was retransmitted only after a whole "
           "timeout, although an EACK that provably arrived long before, and two round trips "
           "after the last copy, showed it missing or asked for it by the OWN bit of its "
           "window; or it was not retransmitted at all, and the SUT sent other packets a "
           "quarter of a timeout after that EACK.",
};

/* The newest EACK that calls for the base of a window, sent well after the base's last copy. */
struct call {
    bool made;
    bool by_own;        /* no bitmap shows it missing, OWN asks for it */
    int64_t x, base[2]; /* base: of the EACK, by window */
    struct fal_at at;
    uint64_t epoch;
};

enum { EARLY_PART = 16 /* a copy so much sooner than the timeout is early */ };

struct state {
    struct call call[FAL_WINDOWS];
    uint64_t told[FAL_WINDOWS]; /* the copy (index) that is known to be the last too long */
    uint64_t since_ns;          /* the oldest packet whose time an ACK or NACK may echo */
    bool answered;              /* an ACK or NACK has come since then */
    uint64_t longest_ns;        /* no sample so far was more, but for the path */
};

static bool lossless(const struct fal_ctx *c)
{
    return c->bench->run.lossless_in && c->bench->run.lossless_out;
}

/* The path both ways; false when unknown, or when an EACK may be lost on it. */
static bool round_ns(const struct fal_ctx *c, uint64_t *ns)
{
    uint64_t in_ns, out_ns;

    /* an ACK echoes the newest packet only where none was lost before it */
    if (!lossless(c) || !fal_path_in(c).lossless || !fal_round_ns(c, &in_ns, &out_ns))
        return false;
    *ns = in_ns + out_ns + fal_pipeline_ns(c) + c->track->setup.params.turnaround_ns;
    return true;
}

/* An ACK or NACK that answers no newer packet echoes the time of the same packet once more. */
static void sample(struct state *state, const struct fal_seen *p)
{
    uint64_t held_ns = p->at.t_ns > state->since_ns ? p->at.t_ns - state->since_ns : 0;

    if (held_ns > state->longest_ns)
        state->longest_ns = held_ns;
    state->answered = true;
}

/* Whether the claim shows x missing by more than the threshold. */
static bool calls_for(const struct fal_ctx *c, const struct fal_claim *claim, int64_t x)
{
    uint64_t n = (uint64_t)(x - claim->base);
    int top = fal_u128_top(claim->received);

    return n < 128 && !fal_u128_test(claim->received, (unsigned)n) && top >= 0 &&
           (uint64_t)top > n + c->track->setup.params.ooo_threshold + 1;
}

/* Whether an OWN bit asks for x, the claim's base (9.1.4). The order of the two bits is that of
 * the default until the subject shows the other one (AMB-06): both would deserve a warning. */
static bool own_asks(struct fal_ctx *c, const struct fal_seen *p, enum fal_window w)
{
    bool of_req = w == FAL_WINDOW_REQ;

    if ((fal_read_left(c, FAL_AMB_6) & FAL_READ_DEFAULT) == 0)
        of_req = !of_req;
    return (p->falcon->own & (of_req ? FAL_OWN_REQ : FAL_OWN_DATA)) != 0 &&
           !fal_u128_test(p->claim[w].received, 0); /* what waits for its ULP has arrived */
}

/* Whether ncwnd surely lets an early retransmission out. A NACK may have lowered it (9.2.4). */
static bool nic_open(const struct fal_ctx *c)
{
    return fal_given(c, FAL_PARAM_AT_ncwnd) && !c->track->nacked &&
           fal_repeated_requests(c, FAL_WINDOW_DATA, INT64_MIN) +
                   fal_repeated_requests(c, FAL_WINDOW_REQ, INT64_MIN) <
               c->track->setup.params.ncwnd;
}

/* Notes that the EACK p calls for the base of a window. False: what it says of the window is
 * not to be believed, and no earlier call counts any more. */
static bool take_call(struct fal_ctx *c, const struct fal_seen *p, enum fal_window w,
                      uint64_t rtt_ns)
{
    struct state *state = c->state;
    const struct fal_stream *stream = fal_out_stream(c, w);
    const struct fal_claim *claim = &p->claim[w];
    const struct fal_sent *sent = fal_stream_sent(stream, claim->base);
    struct call *call = &state->call[w];
    bool by_bits = calls_for(c, claim, claim->base);

    if (!stream->based || !fal_stream_believes(stream, claim))
        return false;
    if (sent == NULL || (!by_bits && !own_asks(c, p, w)) || !nic_open(c) ||
        p->at.t_ns - sent->last_ns < 2 * rtt_ns ||
        (call->made && call->x == claim->base && call->epoch == stream->epoch))
        return true;
    *call = (struct call){.made = true,
                          .by_own = !by_bits,
                          .x = claim->base,
                          .base = {p->claim[0].base, p->claim[1].base},
                          .at = p->at,
                          .epoch = stream->epoch};
    return true;
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    const struct fal_params *params = &c->track->setup.params;
    uint64_t way_ns, rtt_ns;
    bool stale;

    for (unsigned w = 0; w < FAL_WINDOWS; w++)
        if (state->call[w].made &&
            fal_may_overtake(c, &state->call[w].at, state->call[w].base, p))
            state->call[w].made = false; /* the EACK may be stale when it is processed */
    if (fal_falcon_reliable(p->falcon->packet_type))
        return;
    sample(state, p);
    if (p->falcon->packet_type != FAL_EACK || p->doubtful || !round_ns(c, &way_ns))
        return;
    rtt_ns = state->longest_ns + way_ns;
    if (rtt_ns < params->initial_rtt_ns)
        rtt_ns = params->initial_rtt_ns;
    stale = fal_may_be_stale(c, p); /* by either window: then it is discarded whole (AMB-23) */
    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++)
        if (stale || !take_call(c, p, w, rtt_ns))
            state->call[w].made = false;
}

/* Whether the values that bound the answer to a call are known. RACK-TLP (9.1.6) goes by times,
 * not by the threshold of the bitmaps. */
static bool decides(const struct fal_ctx *c, const struct call *call, uint64_t *way_ns,
                    struct fal_timer_bounds *b)
{
    return round_ns(c, way_ns) && fal_rto_judged(c, b) && fal_given(c, FAL_PARAM_AT_fcwnd) &&
           fal_given(c, FAL_PARAM_AT_ooo_threshold) && fal_rack_of(c) == FAL_RACK_DENIED &&
           !(c->bench->stepped && call->at.index < c->bench->step_index);
}

static void broken(struct fal_ctx *c, enum fal_window w, const struct call *call,
                   const struct fal_sent *sent, const struct fal_seen *q)
{
    struct fal_at last = fal_last_copy(sent);
    char number[FAL_NUMBER_MAX];

    fal_broken(c,
               &(struct fal_blame){.requirement = "FTP-9.2.3-13",
                                   .cause = {&last, &call->at},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "%s PSN %s retransmitted when an EACK %s, not %s", fal_window_word(w),
               fal_psn_text(fal_out_stream(c, w), call->x, number),
               call->by_own ? "asked for it by OWN" : "showed it missing",
               q->reliable && q->window == w && q->x == call->x
                   ? "at its timeout"
                   : "still waiting when its sender sent this packet");
}

/* The next copy has come. */
static void judge(struct fal_ctx *c, const struct fal_seen *q, const struct call *call)
{
    struct fal_gap gap = fal_gap_of(c, q);
    struct fal_timer_bounds b;
    uint64_t way_ns;

    if (!gap.known || !decides(c, call, &way_ns, &b)) {
        fal_undecided(c, gap.known ? FAL_EXCUSE_CONFIG : gap.why);
    } else if (gap.max_ns < b.lo_ns - b.lo_ns / EARLY_PART) {
        fal_holds(c);
    } else if (gap.min_ns >= b.hi_ns - b.hi_ns / EARLY_PART &&
               q->at.t_ns - call->at.t_ns > way_ns + b.hi_ns / 4) {
        broken(c, q->window, call, q->prior, q);
    }
}

/* Whether nothing but the subject's choice keeps x, which was called for, from being sent
 * again. */
static bool free_to_go(const struct fal_ctx *c, enum fal_window w, const struct fal_sent *sent,
                       int64_t x)
{
    return sent->copies > 0 && !fal_stream_acked(fal_out_stream(c, w), x) &&
           (sent->flags & (FAL_SENT_NACKED | FAL_SENT_REFUSED | FAL_SENT_RESYNC)) == 0 &&
           fal_path_out(c).lossless && c->track->gap_index[fal_out(c)] <= sent->last_index;
}

/* Another packet, while a call is open: the copy should have come before it. */
static void never(struct fal_ctx *c, const struct fal_seen *q, enum fal_window w)
{
    struct state *state = c->state;
    struct call *call = &state->call[w];
    const struct fal_stream *stream = fal_out_stream(c, w);
    const struct fal_sent *sent = fal_stream_sent(stream, call->x);
    struct fal_path out = fal_path_out(c);
    struct fal_timer_bounds b;
    uint64_t way_ns;

    if (call->epoch != stream->epoch || sent == NULL || c->track->dead ||
        !free_to_go(c, w, sent, call->x)) {
        call->made = false;
        return;
    }
    if (!out.jitter_known || !nic_open(c) || fal_behind_waiting(c, w, call->x) ||
        !decides(c, call, &way_ns, &b))
        return;
    if (q->at.t_ns - call->at.t_ns <= way_ns + b.hi_ns / 4 + fal_rto_slack_ns(c))
        return;
    call->made = false;
    if (state->told[w] == sent->last_index)
        return; /* more EACKs asked for the same copy */
    state->told[w] = sent->last_index;
    broken(c, w, call, sent, q);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    struct call *call;

    if ((state->answered || state->since_ns == 0) && lossless(c)) {
        state->since_ns = q->at.t_ns;
        state->answered = false;
    }
    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ && lossless(c); w++)
        if (state->call[w].made && !(q->reliable && q->window == w && q->x == state->call[w].x))
            never(c, q, w);
    if (!q->reliable || q->prior == NULL)
        return;
    call = &state->call[q->window];
    if (!call->made || call->x != q->x || call->epoch != fal_out_stream(c, q->window)->epoch)
        return;
    call->made = false;
    if (q->falcon->packet_type != FAL_RESYNC && free_to_go(c, q->window, q->prior, q->x) &&
        state->told[q->window] != q->prior->last_index)
        judge(c, q, call);
}

const struct fal_rule_impl fal_rule_e3 = {
    .about = &fal_about_e3,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_LOSSLESS | FAL_ON_AGAIN,
    .in = in,
    .on_in = FAL_ON_ACK | FAL_ON_NEWS,
};
