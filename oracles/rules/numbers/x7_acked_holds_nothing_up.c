/* SPDX-License-Identifier: Apache-2.0
 * x7_acked_holds_nothing_up.c - rule X7: once all that the SUT sent is acknowledged and
 * complete, every window is open and every resource is free. So what its upper layer gave it is
 * sent, and a post like one accepted before is accepted again. The rule decides only where no
 * packet can be lost either way. */
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"

#include <stdio.h>
#include <string.h>

const struct fal_rule fal_about_x7 = {
    .id = "X7",
    .title = "acknowledged transactions do not block new requests",
    .requirements = FAL_IDS("FTP-7.3-06", "FTP-8.4.3.1-01", "FTP-8.4.3.3-02", "FTP-8.5.3.2-02",
                            "FTP-9.2.3-03", "FTP-9.2.3-07", "FTP-9.2.3-12", "FTP-9.2.4-05"),
    .role = "transmitter",
    .needs = "ulp, posts of the tester, RTO, lossless path",
    .assumes = "base-not-beyond-sent one-psn-per-rsn",
    .doc = "All packets that the SUT sent are acknowledged and its transactions are complete, "
           "so its windows are open and its resources are free. Violated by a post, or the "
           "answer to a pull, for which no packet is sent within four timeouts; and by a post "
           "that is refused although one of the same length succeeded before. Resources may be "
           "shared with other connections (8.2.2, 8.2.3), so a refused post counts only in "
           "virtual time, and while no other connection is open. A post that is sent only when "
           "the other window has given up a place, although its own had room, shows that both "
           "windows share fcwnd: the other reading of AMB-11.",
};

/* How a refused post is judged: a pool may belong to the whole device (8.2.2), so other
 * connections, and in real time other users of the device, may hold all of it. */

enum { WAITING_MAX = 128, LOOK_BACK = 512, SLACK_RTOS = 4 };

/* What was given to be sent. */
struct waiting {
    int64_t rsn;
    bool answer;       /* data of a pull; else a post */
    uint64_t first_ns; /* an answer: its pull was seen first */
    bool first_seen;   /* and that was its first copy */
    struct fal_at at;
};

/* A packet to the SUT that made room in one window alone, when both together held fcwnd. */
struct freed {
    bool any;
    enum fal_window window;
    struct fal_at at;
};

struct state {
    struct fal_bag waiting;         /* in the order in which they were given */
    struct freed freed;             /* the newest packet that moved a base */
    uint64_t moved_ns[FAL_WINDOWS]; /* the last time that room was made in it */
    uint64_t busy_ns;               /* the last time that something may have held it up */
    uint32_t done[2];        /* by operation: length of the longest that completed well */
    bool any[2], dead, told; /* told: its break was said */
};

/* From when on what waits is overdue; FAL_NEVER: that cannot be known. */
static uint64_t overdue_ns(const struct fal_ctx *c, uint64_t since_ns)
{
    const struct fal_params *params = &c->track->setup.params;
    struct fal_timer_bounds b;
    uint64_t in_ns, out_ns, slack_ns;

    if (!fal_path_in(c).lossless || !fal_path_out(c).lossless || !fal_rto_judged(c, &b) ||
        !fal_given(c, FAL_PARAM_AT_fcwnd) || !fal_slack_ns(c, FAL_TIMER_RTO, 1, &slack_ns) ||
        !fal_round_ns(c, &in_ns, &out_ns))
        return FAL_NEVER;
    return since_ns + in_ns + out_ns + slack_ns +
           (params->fcwnd == 0 ? params->packet_gap_ns : 0) + SLACK_RTOS * b.late_ns;
}

static void wait(struct fal_ctx *c)
{
    const struct state *state = c->state;
    uint64_t due = overdue_ns(c, state->busy_ns);

    if (state->waiting.num > 0 && due != FAL_NEVER)
        fal_wake(c, due);
}

static void busy(struct fal_ctx *c)
{
    struct state *state = c->state;

    if (!fal_ulp_reports(c))
        return; /* nothing is given */
    state->busy_ns = c->now_ns;
    wait(c);
}

/* Every transaction of its own before that RSN is complete. */
static bool complete_before(const struct fal_ctx *c, int64_t rsn)
{
    int64_t first = fal_track_first_rsn(c->track, fal_out(c), rsn, LOOK_BACK);

    for (int64_t n = rsn - 1; n >= first; n--) {
        const struct fal_request *r = fal_ring_at(&c->track->requests[fal_out(c)], n);

        if (r == NULL || r->deliveries == 0)
            return false;
    }
    return true;
}

/* All that it sent in the data window, and of its requests, is acknowledged. */
static bool acknowledged(const struct fal_ctx *c)
{
    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        const struct fal_stream *s = fal_out_stream(c, w);

        if (!s->known || s->base_unsure || (s->started && s->next > s->base))
            return false;
    }
    return true;
}

static bool idle(struct fal_ctx *c, int64_t rsn, bool answer)
{
    return acknowledged(c) && !c->bench->events_lost && (answer || complete_before(c, rsn)) &&
           !fal_track_may_miss(c->track, fal_out(c), 0) &&
           !fal_track_may_miss(c->track, fal_in(c), 0);
}

static void forget(struct fal_ctx *c, int64_t rsn, bool answer, bool holds)
{
    struct state *state = c->state;

    for (unsigned i = 0; i < state->waiting.num; i++) {
        const struct waiting *it = FAL_BAG(&state->waiting, struct waiting, i);

        if (it->rsn != rsn || it->answer != answer)
            continue;
        fal_bag_remove(&state->waiting, sizeof *it, i);
        if (holds)
            fal_holds(c);
        return;
    }
}

static void add(struct fal_ctx *c, const struct waiting *waiting)
{
    struct state *state = c->state;
    struct waiting *slot;

    if (state->dead || overdue_ns(c, 0) == FAL_NEVER)
        return;
    forget(c, waiting->rsn, waiting->answer, false);
    slot = fal_bag_add(&state->waiting, sizeof *slot, WAITING_MAX);
    if (slot != NULL)
        *slot = *waiting;
    busy(c);
}

static void refused(struct fal_ctx *c, const struct fal_at *written, enum fal_ulp_op op,
                    uint32_t length, const char *seen)
{
    struct state *state = c->state;
    struct fal_at at = {.index = c->now_index, .t_ns = c->now_ns, .step = -1};
    uint64_t due = overdue_ns(c, state->busy_ns);
    int64_t next = c->track->rsn_next[fal_out(c)];

    if (c->bench->run.live || c->bench->open > 1)
        return;
    if (state->dead || state->told || state->waiting.num > 0 || !state->any[op] ||
        length > state->done[op] || due == FAL_NEVER || c->now_ns <= due ||
        !idle(c, next, false))
        return;
    state->told = true;
    fal_broken(
        c, &(struct fal_blame){"FTP-9.2.3-12", {written}, .effect = &at, .seen = seen},
        "a %s of %u bytes accepted, as one was before: all packets sent are acknowledged and "
        "their transactions complete",
        op == FAL_OP_PUSH ? "push" : "pull", (unsigned)length);
}

static void posted(struct fal_ctx *c, const struct fal_posted *posted)
{
    const struct fal_request *r;

    if (!posted->ok) {
        refused(c, &posted->written, posted->op, posted->length, "a post that is refused");
        return;
    }
    if (!posted->has_rsn)
        return;
    r = fal_track_request(c->track, fal_out(c), posted->rsn);
    if (r != NULL && ((r->flags & FAL_REQ_PLACED) != 0 || r->deliveries > 0))
        fal_holds(c);
    else
        add(c, &(struct waiting){.rsn = fal_track_rsn(c->track, fal_out(c), posted->rsn),
                                 .at = posted->known});
}

static void told(struct fal_ctx *c, const struct fal_told *told)
{
    const struct fal_request *r = fal_track_request(c->track, fal_in(c), told->rsn);

    if (told->answer != FAL_ANSWER_DATA || r == NULL || r->type != FAL_PULL_REQUEST ||
        (r->flags & FAL_REQ_SENT) == 0)
        return;
    if ((r->flags & FAL_REQ_ANSWERED) != 0)
        fal_holds(c);
    else
        add(c, &(struct waiting){.rsn = fal_track_rsn(c->track, fal_in(c), told->rsn),
                                 .answer = true,
                                 .first_ns = r->first.t_ns,
                                 .first_seen = fal_first_seen(c, r),
                                 .at = told->known});
}

/* Packets of a window that are not acknowledged. */
static uint64_t outstanding(const struct fal_ctx *c, enum fal_window w)
{
    const struct fal_stream *s = fal_out_stream(c, w);
    int64_t edge = fal_stream_edge(s);

    return s->started && s->next > edge ? (uint64_t)(s->next - edge) : 0;
}

static void note_room(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    uint32_t fcwnd = c->track->setup.params.fcwnd;
    uint64_t of[FAL_WINDOWS] = {outstanding(c, FAL_WINDOW_DATA),
                                outstanding(c, FAL_WINDOW_REQ)};
    bool moves[FAL_WINDOWS], full = of[0] + of[1] >= fcwnd && fcwnd > 0;

    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        moves[w] = p->claim[w].base > fal_out_stream(c, w)->base || p->claim[w].snapshot;
        if (moves[w])
            state->moved_ns[w] = p->at.t_ns;
    }
    if (!moves[0] && !moves[1])
        return;
    state->freed =
        (struct freed){.any = full && moves[0] != moves[1] &&
                              of[moves[0] ? FAL_WINDOW_REQ : FAL_WINDOW_DATA] < fcwnd,
                       .window = moves[0] ? FAL_WINDOW_DATA : FAL_WINDOW_REQ,
                       .at = p->at};
}

/* Whether the post waited for room in the other window, although its own had room, and nothing
 * else held it up: the request before it had been sent, and ncwnd and the transmit window were
 * open (AMB-11). */
static bool shares_fcwnd(struct fal_ctx *c, const struct waiting *it, const struct fal_seen *q)
{
    const struct state *state = c->state;
    const struct fal_params *params = &c->track->setup.params;
    const struct fal_stream *s = fal_out_stream(c, q->window);
    const struct fal_request *before =
        fal_track_request(c->track, fal_out(c), (uint32_t)(q->rsn - 1));
    bool req = q->window == FAL_WINDOW_REQ;
    uint64_t in_ns, out_ns, ns, freed_ns = state->freed.at.t_ns;

    if (!state->freed.any || state->freed.window == q->window || it->answer || before == NULL ||
        (before->flags & FAL_REQ_SENT) == 0 || before->first.index > state->freed.at.index ||
        !fal_path_in(c).lossless || !fal_path_out(c).lossless ||
        !fal_given(c, FAL_PARAM_AT_fcwnd) || !fal_given(c, FAL_PARAM_AT_ncwnd) ||
        s->requests >= params->ncwnd ||
        !fal_given(c, req ? FAL_PARAM_AT_tx_window_req : FAL_PARAM_AT_tx_window_data) ||
        outstanding(c, q->window) + 1 >=
            (req ? params->tx_window_req : params->tx_window_data) ||
        !fal_slack_ns(c, FAL_TIMER_RTO, 1, &ns) || !fal_round_ns(c, &in_ns, &out_ns))
        return false;
    ns += in_ns + out_ns;
    return it->at.t_ns + ns < freed_ns && before->first.t_ns + ns < freed_ns &&
           state->moved_ns[q->window] + ns < freed_ns && q->at.t_ns <= freed_ns + ns;
}

static void look_at_fcwnd(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct state *state = c->state;

    for (unsigned i = 0; i < state->waiting.num; i++) {
        const struct waiting *it = FAL_BAG(&state->waiting, struct waiting, i);

        if (it->rsn != q->rsn || it->answer)
            continue;
        if (shares_fcwnd(c, it, q))
            (void)fal_read_as(c, FAL_AMB_11, FAL_READ_OTHER, &q->at);
        return;
    }
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    note_room(c, p);
    if (p->reliable && p->falcon->packet_type == FAL_RESYNC)
        forget(c, p->rsn, true, false); /* its data is no longer awaited */
    busy(c);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    if (q->reliable && q->prior == NULL && q->falcon->packet_type != FAL_RESYNC &&
        q->type != FAL_PULL_DATA)
        look_at_fcwnd(c, q);
    if (q->reliable && state->waiting.num > 0)
        forget(c, q->rsn, q->type == FAL_PULL_DATA, q->falcon->packet_type != FAL_RESYNC);
    if (q->reliable)
        busy(c);
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    const struct fal_request *r;
    enum fal_ulp_op op;

    if (ulp->kind != FAL_ULP_COMPLETION)
        return;
    forget(c, fal_track_rsn(c->track, fal_out(c), ulp->rsn), false, false);
    r = fal_track_request(c->track, fal_out(c), ulp->rsn);
    busy(c);
    if (ulp->code != 0 || r == NULL || (r->flags & FAL_REQ_SENT) == 0)
        return;
    op = r->type == FAL_PUSH_DATA ? FAL_OP_PUSH : FAL_OP_PULL;
    state->any[op] = true;
    if (r->length > state->done[op])
        state->done[op] = r->length;
}

static void wake(struct fal_ctx *c)
{
    struct state *state = c->state;
    struct fal_at at = {.index = c->now_index, .t_ns = c->now_ns, .step = -1};
    struct waiting it;
    char number[FAL_NUMBER_MAX];

    if (state->waiting.num == 0 || state->dead)
        return;
    if (c->now_ns <= overdue_ns(c, state->busy_ns)) {
        wait(c);
        return;
    }
    it = *FAL_BAG(&state->waiting, struct waiting, 0);
    if (it.answer && (!it.first_seen || fal_may_time_out(c, it.first_ns, c->now_ns))) {
        fal_bag_remove(&state->waiting, sizeof it, 0); /* and it is not awaited */
        fal_undecided(c, FAL_EXCUSE_CONFIG);
        wait(c);
        return;
    }
    if (!idle(c, it.rsn, it.answer))
        return;                    /* until something happens */
    fal_bag_free(&state->waiting); /* those behind it wait for it */
    if (state->told)
        return;
    state->told = true;
    fal_broken(c,
               &(struct fal_blame){
                   it.answer ? "FTP-7.3-06" : "FTP-9.2.3-07",
                   {&it.at},
                   .effect = &at,
                   .seen = "no packet, although all packets sent are acknowledged and their "
                           "transactions complete"},
               "a packet for the %s of RSN %s, which its upper layer gave",
               it.answer ? "data" : "request",
               fal_rsn_text(c, it.answer ? fal_in(c) : fal_out(c), (uint32_t)it.rsn, number));
}

static void cm(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (strcmp(event->u.cm.what, "fatal") == 0)
        state->dead = true;
}

/* Times mean nothing across a step of the clock. */
static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (event->u.mark.mark != FAL_MARK_CLOCK_STEP)
        return;
    fal_undecided_all(c, &state->waiting, FAL_EXCUSE_CLOCK);
    state->busy_ns = FAL_NEVER / 2; /* until something happens */
}

static void command(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    const char *verb = event->u.command.verb;

    if (strcmp(verb, "close") == 0 || strcmp(verb, "reset") == 0)
        state->dead = true;
    if (strcmp(verb, "set") == 0) /* credits may be fewer from now on */
        state->any[FAL_OP_PUSH] = state->any[FAL_OP_PULL] = false;
}

const struct fal_rule_impl fal_rule_x7 = {
    .about = &fal_about_x7,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_BASE_SENT | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .bags = 1,
    .posted = posted,
    .told = told,
    .in = in,
    .on_in = FAL_ON_CONTROL | FAL_ON_RESYNC | FAL_ON_NEWS | FAL_ON_EACK,
    .out = out,
    .on_out = FAL_ON_CONTROL | FAL_ON_WAITING,
    .on_ulp = FAL_ON_COMPLETION,
    .ulp = ulp,
    .wake = wake,
    .cm = cm,
    .command = command,
    .mark = mark,
    .release = fal_bag_release,
};
