/* SPDX-License-Identifier: Apache-2.0
 * s5_error_nack_gets_resync.c - rule S5: after a NACK with code 4, 6, 7 or 8 a Resync is due.
 * The rule knows that the NACK arrived where nothing is lost, or from the error completion that
 * it caused. */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"
#include "oracles/rules/repeats/held.h"
#include "oracles/rules/repeats/repeats.h"

const struct fal_rule fal_about_s5 = {
    .id = "S5",
    .title = "a Resync follows a NACK for an error",
    .requirements = FAL_IDS("FTP-6.6.5-02", "FTP-8.4.3.5-02", "FTP-9.1.8-01", "FTP-9.2.4-10",
                            "FTP-9.2.4-11", "FTP-9.2.4-13", "FTP-9.2.4-15", "FTP-11-10"),
    .role = "transmitter",
    .needs = "wire, RTO, lossless path",
    .assumes = "base-not-beyond-sent",
    .doc = "Violated when the NACK provably arrived (by a path that loses nothing, or by an "
           "error completion), was not stale, names the packet at the base, and no Resync is "
           "sent within an RTO, although the SUT sends something later. A Resync that is sent "
           "later than the SUT needs for an answer, while so many retransmitted requests are "
           "outstanding that ncwnd may hold it back, is the other reading of AMB-53. A "
           "pull_request that is sent again within that RTO, in place of a Resync, is the "
           "other reading of AMB-13 (a warning): a Resync has no PSN of its window then.",
};

enum { WAITING_MAX = 64 };

struct waiting {
    int64_t x, rsn, base[2]; /* base: of the NACK, by window */
    enum fal_window window;
    uint8_t code;
    uint64_t sure_ns;  /* a packet seen later surely left after the NACK was processed */
    uint64_t until_ns; /* FAL_NEVER: no bound is known */
    struct fal_at nack, completion;
    struct fal_at copy; /* of a pull_request, seen after sure_ns */
    bool completed;
    bool copied;
    bool held;  /* it was not the base when its NACK came */
    bool gated; /* ncwnd was used up then */
};

struct state {
    struct fal_bag waiting;
};

static const char *requirement(unsigned nack_code)
{
    switch (nack_code) {
    case FAL_NACK_XLR: return "FTP-9.2.4-10";
    case FAL_NACK_CIE: return "FTP-9.2.4-11";
    case FAL_NACK_NRE: return "FTP-9.2.4-13";
    default: return "FTP-9.2.4-15";
    }
}

/* By when the Resync has been seen, if the NACK has been processed after `from_ns` and `in_ns`
 * at most. */
static void set_deadline(const struct fal_ctx *c, struct waiting *it, uint64_t from_ns,
                         bool nack)
{
    struct fal_path in = fal_path_in(c);
    struct fal_timer_bounds b;
    uint64_t in_ns, out_ns, slack_ns;

    it->sure_ns = it->until_ns = FAL_NEVER;
    /* a NACK that a newer acknowledgement overtakes is stale */
    if ((nack && (!in.lossless || !in.in_order)) || !fal_path_out(c).lossless ||
        !fal_rto_judged(c, &b) || !fal_given(c, FAL_PARAM_AT_fcwnd) ||
        c->track->setup.params.fcwnd == 0 || !fal_slack_ns(c, FAL_TIMER_RTO, 1, &slack_ns) ||
        !fal_round_ns(c, &in_ns, &out_ns))
        return;
    it->sure_ns = from_ns + (nack ? in_ns : 0) + out_ns + slack_ns;
    it->until_ns = it->sure_ns + b.late_ns;
}

/* Codes of the upper layer are not for pulls (chapter 11, AMB-59): a transmitter may do what it
 * likes with one. */
static bool asks_for_resync(unsigned code, enum fal_window w)
{
    return code == FAL_NACK_XLR ||
           (w == FAL_WINDOW_DATA &&
            (code == FAL_NACK_CIE || code == FAL_NACK_NRE || code == FAL_NACK_CID));
}

static void nacked(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    const struct fal_falcon *f = p->falcon;
    enum fal_window w = (enum fal_window)(f->window & 1);
    struct fal_stream *stream = &c->track->stream[fal_out(c)][w];
    const struct fal_sent *sent;
    struct waiting *it;
    int64_t x;

    if (!asks_for_resync(f->nack_code, w) || p->doubtful)
        return; /* no Resync is due, or the NACK may be dropped */
    x = fal_stream_extend(stream, f->nack_psn);
    sent = fal_stream_sent(stream, x);
    if (sent == NULL || (sent->flags & FAL_SENT_RESYNC) != 0 || x < stream->base ||
        (x - stream->base < 128 &&
         fal_u128_test(stream->acked, (unsigned)(x - stream->base))) ||
        fal_may_be_stale(c, p))
        return; /* no Resync is needed, or the NACK may be discarded */
    for (unsigned i = 0; i < state->waiting.num; i++)
        if (FAL_BAG(&state->waiting, struct waiting, i)->x == x &&
            FAL_BAG(&state->waiting, struct waiting, i)->window == w)
            return; /* the first of them counts */
    it = fal_bag_add(&state->waiting, sizeof *it, WAITING_MAX);
    if (it == NULL)
        return;
    *it = (struct waiting){.x = x,
                           .rsn = sent->rsn,
                           .base = {p->claim[0].base, p->claim[1].base},
                           .window = w,
                           .code = f->nack_code,
                           .nack = p->at,
                           .held = x > stream->base,
                           .gated = x == stream->base && fal_given(c, FAL_PARAM_AT_ncwnd) &&
                                    fal_repeated_requests(c, w, INT64_MIN) >=
                                        c->track->setup.params.ncwnd};
    set_deadline(c, it, p->at.t_ns, true);
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    unsigned i = 0;

    while (i < state->waiting.num) {
        struct waiting *it = FAL_BAG(&state->waiting, struct waiting, i);

        if (fal_claim_acks(&p->claim[it->window], it->x) ||
            (!it->completed && fal_may_overtake(c, &it->nack, it->base, p))) {
            fal_bag_remove(&state->waiting, sizeof *it, i);
            continue;
        }
        /* the windows may have held it back until it became the base */
        if (it->held && p->claim[it->window].base == it->x) {
            it->held = false;
            if (it->until_ns != FAL_NEVER)
                set_deadline(c, it, p->at.t_ns, true);
        }
        i++;
    }
    if (p->falcon->packet_type == FAL_NACK && fal_out_stream(c, p->falcon->window & 1)->started)
        nacked(c, p);
}

/* Whether q is a packet with the number of the one that got the NACK. */
static bool same_number(const struct waiting *it, const struct fal_seen *q)
{
    return q->reliable && it->x == q->x && it->window == q->window;
}

static void overdue(struct fal_ctx *c, const struct waiting *it, const struct fal_seen *q)
{
    const struct fal_stream *stream = fal_out_stream(c, it->window);
    char number[FAL_NUMBER_MAX];
    struct fal_timer_bounds rto;

    if (it->x != stream->base)
        fal_undecided(c, FAL_EXCUSE_CC_UNKNOWN); /* the windows may hold it back */
    else if (c->track->gap_index[fal_out(c)] > it->nack.index)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (!fal_rto_judged(c, &rto)) /* it was changed meanwhile */
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (it->window == FAL_WINDOW_REQ && !it->copied &&
             fal_behind_waiting(c, it->window, it->x))
        fal_undecided(c, FAL_EXCUSE_CC_UNKNOWN); /* its copy may wait (AMB-58) */
    else if (!it->copied || (same_number(it, q) && q->falcon->packet_type == FAL_RESYNC) ||
             !fal_read_as(c, FAL_AMB_13, FAL_READ_OTHER, &it->copy))
        fal_broken(c,
                   &(struct fal_blame){
                       requirement(it->code),
                       {&it->nack, it->completed ? &it->completion : NULL},
                       .effect = &q->at,
                       .packet = q->packet,
                       .seen = "no Resync until this packet, on a path that loses nothing"},
                   "a Resync of %s PSN %s after its NACK code %u, by %s",
                   fal_window_word(it->window), fal_psn_text(stream, it->x, number), it->code,
                   fal_time_text(it->until_ns).text);
}

/* The Resync came in time. One that ncwnd may have held back came later than an answer. */
static void in_time(struct fal_ctx *c, const struct waiting *it, const struct fal_seen *q)
{
    uint64_t in_ns, out_ns, slack_ns;

    if (!fal_slack_ns(c, FAL_TIMER_RTO, 1, &slack_ns))
        slack_ns = 0;
    else if (it->gated && it->until_ns != FAL_NEVER && fal_round_ns(c, &in_ns, &out_ns) &&
             q->at.t_ns > it->nack.t_ns + in_ns + out_ns + 2 * slack_ns &&
             fal_read_as(c, FAL_AMB_53, FAL_READ_OTHER, &q->at))
        return;
    fal_met(c, q->at.t_ns, it->until_ns, slack_ns);
}

/* A SUT that sends a packet after the deadline was alive at the deadline. */
static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    unsigned i = 0;

    while (i < state->waiting.num) {
        struct waiting *it = FAL_BAG(&state->waiting, struct waiting, i), one;
        bool late = q->at.t_ns > it->until_ns, same = same_number(it, q);
        bool resync = same && q->falcon->packet_type == FAL_RESYNC;

        if (same && !resync && it->window == FAL_WINDOW_REQ && q->at.t_ns > it->sure_ns &&
            !it->copied) {
            it->copied = true;
            it->copy = q->at;
        }
        if (!late && !resync) {
            i++;
            continue;
        }
        one = *it;
        fal_bag_remove(&state->waiting, sizeof one, i);
        if (late)
            overdue(c, &one, q);
        else
            in_time(c, &one, q);
    }
}

/* The completion code of a transaction that got a NACK with that code (chapter 11). */
static unsigned completion_of(unsigned nack_code)
{
    switch (nack_code) {
    case FAL_NACK_XLR: return 13;
    case FAL_NACK_CIE: return 1;
    case FAL_NACK_NRE: return 3;
    default: return 4;
    }
}

/* A completion with the code of the NACK shows that the NACK came. Other errors have other
 * reasons. */
static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    int64_t rsn;

    if (ulp->kind != FAL_ULP_COMPLETION || ulp->code == 0 || state->waiting.num == 0)
        return;
    rsn = fal_track_rsn(c->track, fal_out(c), ulp->rsn);
    for (unsigned i = 0; i < state->waiting.num; i++) {
        struct waiting *it = FAL_BAG(&state->waiting, struct waiting, i);

        if (it->rsn != rsn || it->until_ns != FAL_NEVER || ulp->code != completion_of(it->code))
            continue;
        it->completed = true;
        it->completion = fal_at_event(event);
        set_deadline(c, it, event->t_ns, false);
    }
}

/* Times mean nothing across a step of the clock. */
static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (event->u.mark.mark == FAL_MARK_CLOCK_STEP)
        fal_undecided_all(c, &state->waiting, FAL_EXCUSE_CLOCK);
}

static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    fal_in_lost_or_undecided(c, &state->waiting);
}

const struct fal_rule_impl fal_rule_s5 = {
    .about = &fal_about_s5,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .bags = 1,
    .in = in,
    .on_in = FAL_ON_NACK | FAL_ON_WAITING,
    .out = out,
    .on_out = FAL_ON_WAITING,
    .on_ulp = FAL_ON_COMPLETION,
    .ulp = ulp,
    .mark = mark,
    .cm = fal_forget_when_dead,
    .finish = finish,
    .release = fal_bag_release,
};
