/* SPDX-License-Identifier: Apache-2.0
 * n3_refused_push_gets_nack.c - rule N3: the upper layer answered a push with RNR or an error.
 * A NACK with that code is due within the turnaround, and again for each copy of a push that
 * ended in an error, as long as no Resync came. An upper layer that answers by itself counts if
 * the time of its answer is known. */
#include "codecs/base/time_text.h"
#include "oracles/rules/facts/answers.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_n3 = {
    .id = "N3",
    .title = "an RNR or an error that the upper layer answers to a push causes a NACK",
    .requirements = FAL_IDS("FTP-6.4-05", "FTP-6.4-07", "FTP-6.6.3-02", "FTP-6.6.5-01",
                            "FTP-7.8-02", "FTP-8.5.3.4-09", "FTP-8.5.3.4-10", "FTP-8.5.3.5-03",
                            "FTP-8.5.3.5-04", "FTP-9.1.7-01", "FTP-11-37", "FTP-11-38"),
    .role = "target",
    .needs = "ulp",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "On a path that loses nothing, violated when the SUT applied an answer, or its upper "
        "layer answered by itself, and no NACK follows within the turnaround; of an RNR that the "
        "upper layer gave by itself the time must be known. Violated, too, when a further copy "
        "of a push that ended in an "
        "error, before its Resync, gets no NACK; a resource NACK for such a copy is excused. Where "
        "packets may be lost, the NACK may have been lost.",
};

enum { DUE_MAX = 64 };

struct due {
    int64_t x;
    uint32_t rsn;
    uint8_t code;
    bool again;        /* for another copy of a push that ended in an error */
    bool held;         /* by the tester; else the upper layer answered by itself */
    bool quiet;        /* that at a time which is not known: only a violation is an instance */
    uint64_t until_ns; /* FAL_NEVER: no bound is known */
    struct fal_at cause; /* the reply, or the copy */
};

struct state {
    struct fal_bag due;
    bool trusted; /* one that the tester held was met */
};

static const char *requirement(const struct due *due)
{
    if (due->again)
        return "FTP-6.6.5-01";
    switch (due->code) {
    case FAL_NACK_RNR: return "FTP-8.5.3.4-10";
    case FAL_NACK_CIE: return "FTP-8.5.3.5-04";
    case FAL_NACK_NRE: return "FTP-11-37";
    default: return "FTP-11-38";
    }
}

static void remove_due(struct state *state, unsigned i)
{
    fal_bag_remove(&state->due, sizeof(struct due), i);
}

/* How long the SUT may take. An undeclared turnaround is judged while it is far shorter than
 * the coalescing timeout, as that of an ACK. */
static bool allowed_ns(const struct fal_ctx *c, uint64_t *ns)
{
    return fal_slack_ns(c, FAL_TIMER_COALESCING, 1, ns);
}

/* By when a NACK that was due at `from_ns` has been seen. */
static uint64_t deadline(const struct fal_ctx *c, uint64_t from_ns, bool copy)
{
    uint64_t in_ns, out_ns, slack_ns;

    if (!fal_path_out(c).lossless || !allowed_ns(c, &slack_ns) ||
        !fal_round_ns(c, &in_ns, &out_ns))
        return FAL_NEVER;
    return from_ns + (copy ? in_ns : 0) + out_ns + slack_ns;
}

static void add_due(struct fal_ctx *c, struct due due)
{
    struct state *state = c->state;
    struct due *slot;

    if (c->track->dead)
        return;
    slot = fal_bag_add(&state->due, sizeof *slot, DUE_MAX);
    if (slot == NULL) {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
        return;
    }
    *slot = due;
    fal_wake(c, due.until_ns);
}

/* The NACK came before the answer was known: ends an instance. */
static void met_before(struct fal_ctx *c, bool held)
{
    struct state *state = c->state;

    if (held)
        fal_holds(c);
    else
        fal_self_held(c, state->trusted);
    state->trusted = state->trusted || held;
}

/* Whether a NACK is the effect of that answer, and not of an earlier one of the same kind. */
static bool answers(const struct fal_ctx *c, const struct fal_nack *nack,
                    const struct fal_told *told)
{
    int64_t rsn = fal_track_rsn(c->track, fal_in(c), told->rsn);
    const struct fal_answer_given *g;
    uint64_t before = 0; /* index of the answer before it */

    if (nack == NULL || told->held)
        return nack != NULL && nack->at.index > told->written.index;
    for (unsigned i = 0; (g = fal_answers_of(&c->track->answers, rsn, told->answer, i)) != NULL;
         i++)
        if (g->at.index < told->known.index)
            before = g->at.index;
    return nack->at.index > before &&
           nack->at.t_ns + nack->at.error_ns + c->bench->run.clock_error_ns >= told->since_ns;
}

/* An error that the upper layer gave by itself, at a time that is not known. The SUT sends the
 * event no later than the NACK that it causes, and it is read no sooner. So the NACK may come
 * before the event, but not later after it than after an answer of the tester. A push ends in
 * an error once. */
static void told_quietly(struct fal_ctx *c, const struct fal_told *told,
                         const struct fal_request *r, unsigned code)
{
    uint64_t until_ns = deadline(c, told->known.t_ns, false);

    if (code == FAL_NACK_RNR || until_ns == FAL_NEVER ||
        c->track->gap_index[fal_out(c)] > r->first.index ||
        fal_nacks_find(&c->track->nacks[fal_in(c)], FAL_WINDOW_DATA, r->psn, code) != NULL)
        return;
    add_due(c, (struct due){.x = r->psn,
                            .rsn = told->rsn,
                            .code = (uint8_t)code,
                            .quiet = true,
                            .until_ns = until_ns,
                            .cause = told->known});
}

static void told(struct fal_ctx *c, const struct fal_told *told)
{
    const struct fal_request *r = fal_track_request(c->track, fal_in(c), told->rsn);
    unsigned code = fal_nack_of_answer(told->answer);
    const struct fal_nack *nack;

    if (code == 0 || r == NULL || (r->flags & FAL_REQ_SENT) == 0 || r->type != FAL_PUSH_DATA ||
        (r->flags & (FAL_REQ_RESYNC | FAL_REQ_CLAIMED)) != 0 ||
        fal_may_be_reclaimed(c, r, told->known.t_ns))
        return;
    if (!told->held && !told->timed) {
        told_quietly(c, told, r, code);
        return;
    }
    nack = fal_nacks_find(&c->track->nacks[fal_in(c)], FAL_WINDOW_DATA, r->psn, code);
    if (answers(c, nack, told)) {
        met_before(c, told->held);
        return;
    }
    /* The NACK may have gone unseen; of an event that stands late, before the event. */
    if (c->track->gap_index[fal_out(c)] > (told->held ? told->written.index : r->first.index)) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    add_due(c, (struct due){.x = r->psn,
                            .rsn = told->rsn,
                            .code = (uint8_t)code,
                            .held = told->held,
                            .until_ns = deadline(c, told->known.t_ns, false),
                            .cause = told->known});
}

/* Another copy of a push that ended in an error, over a path on which it must arrive. */
static void copied(struct fal_ctx *c, const struct fal_seen *p)
{
    static const enum fal_answer errors[] = {FAL_ANSWER_CIE, FAL_ANSWER_NRE, FAL_ANSWER_CID};
    const struct fal_stream *stream = fal_in_stream(c, FAL_WINDOW_DATA);

    if (!fal_path_in(c).lossless || p->request == NULL || p->doubtful || p->packet->truncated ||
        (p->request->flags & (FAL_REQ_RESYNC | FAL_REQ_CLAIMED)) != 0 || p->x < stream->base ||
        p->x >= stream->base + FAL_RX_WINDOW_DATA ||
        fal_may_be_reclaimed(c, p->request, p->at.t_ns))
        return; /* or it may have forgotten the answer */
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        const struct fal_answer_given *g =
            fal_answers_of(&c->track->answers, p->rsn, errors[i], 0);

        if (g == NULL || (g->held ? !g->applied : !g->timed))
            continue;
        add_due(c, (struct due){.x = p->x,
                                .rsn = p->falcon->rsn,
                                .code = (uint8_t)fal_nack_of_answer(errors[i]),
                                .again = true,
                                .held = g->held,
                                .until_ns = deadline(c, p->at.t_ns, true),
                                .cause = p->at});
        return;
    }
}

/* A Resync ends the duty: it may arrive first. */
static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    unsigned i = 0;

    if (!p->reliable || p->type != FAL_PUSH_DATA)
        return;
    if (p->falcon->packet_type == FAL_PUSH_DATA) {
        copied(c, p);
        return;
    }
    while (i < state->due.num) {
        if (FAL_BAG(&state->due, struct due, i)->x == p->x)
            remove_due(state, i);
        else
            i++;
    }
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    struct fal_stream *stream = &c->track->stream[fal_in(c)][FAL_WINDOW_DATA];
    int64_t x;
    uint64_t slack_ns = 0;
    unsigned i = 0;

    if (q->falcon->packet_type != FAL_NACK || q->falcon->window != FAL_WINDOW_DATA ||
        !stream->started)
        return;
    x = fal_stream_extend(stream, q->falcon->nack_psn);
    while (i < state->due.num) {
        const struct due *due = FAL_BAG(&state->due, struct due, i);

        if (due->x == x && due->again && q->falcon->nack_code == FAL_NACK_RESOURCE) {
            fal_excused(c, FAL_EXCUSE_RESOURCE_DROP); /* the copy may need resources anew */
            remove_due(state, i);
            continue;
        }
        if (due->x != x || due->code != q->falcon->nack_code) {
            i++;
            continue;
        }
        if (due->quiet) {
            remove_due(state, i);
            continue;
        }
        if (due->until_ns == FAL_NEVER || !allowed_ns(c, &slack_ns))
            slack_ns = 0; /* no bound is known */
        if (due->held || state->trusted)
            fal_met(c, q->at.t_ns, due->until_ns, slack_ns); /* and the copies before it */
        else
            fal_self_held(c, false);
        state->trusted = state->trusted || due->held;
        remove_due(state, i);
    }
}

/* Tells the duties that are overdue, all those before the event `before` if it is given. */
static void overdue(struct fal_ctx *c, const struct fal_event *before)
{
    struct state *state = c->state;
    uint64_t slack_ns = 0;
    bool bounded = allowed_ns(c, &slack_ns);
    unsigned i = 0;

    while (i < state->due.num) {
        const struct due *due = FAL_BAG(&state->due, struct due, i);
        bool late = c->now_ns > due->until_ns;
        struct fal_at effect = due->cause;
        char number[FAL_NUMBER_MAX];

        if (before != NULL)
            late = bounded && before->t_ns > due->cause.t_ns + slack_ns;
        if (!late) {
            fal_wake(c, due->until_ns);
            i++;
            continue;
        }
        if (c->track->gap_index[fal_out(c)] > due->cause.index)
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        else
            fal_broken(c,
                       &(struct fal_blame){requirement(due),
                                           {&due->cause},
                                           .effect = &effect,
                                           .seen = "no such NACK, on a path that loses "
                                                   "nothing"},
                       "NACK code %u for push RSN %s within the turnaround of %s", due->code,
                       fal_rsn_text(c, fal_in(c), due->rsn, number),
                       fal_time_text(slack_ns).text);
        remove_due(state, i);
    }
}

static void wake(struct fal_ctx *c)
{
    overdue(c, NULL);
}

/* What the SUT sent until the counters were read has all been seen. */
static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (event->u.mark.mark == FAL_MARK_LOSSLESS_OUT)
        overdue(c, event);
    if (event->u.mark.mark == FAL_MARK_CLOCK_STEP) /* times mean nothing across it */
        fal_undecided_all(c, &state->due, FAL_EXCUSE_CLOCK);
}

static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;
    unsigned i = 0;

    while (i < state->due.num)
        if (FAL_BAG(&state->due, struct due, i)->quiet)
            remove_due(state, i);
        else
            i++;
    fal_out_lost_or_undecided(c, &state->due);
}

const struct fal_rule_impl fal_rule_n3 = {
    .about = &fal_about_n3,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .bags = 1,
    .in = in,
    .on_in = FAL_ON_ARRIVES | FAL_ON_RESYNC,
    .out = out,
    .on_out = FAL_ON_NACK,
    .told = told,
    .mark = mark,
    .wake = wake,
    .cm = fal_forget_when_dead,
    .finish = finish,
    .release = fal_bag_release,
};
