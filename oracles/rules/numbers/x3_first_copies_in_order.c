/* SPDX-License-Identifier: Apache-2.0
 * x3_first_copies_in_order.c - rule X3: the first copies of a window are sent in PSN order, and
 * those of an ordered connection's transactions in RSN order across both windows. The rule is
 * violated when, of two first copies, the one with the higher number was provably sent first.
 * The order of sight is the order of sending only where nothing is lost, and once nothing older
 * can still appear.
 * Second copies: each packet has a timer of its own, and the specification gives timers no
 * accuracy. Two packets of one kind that were first sent in the same moment must be repeated in
 * order if both were surely due when the first of the two copies left, that is if both copies
 * left in the same moment, too (AMB-58). */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/repeats/repeats.h"

#include <string.h>

const struct fal_rule fal_about_x3 = {
    .id = "X3",
    .title = "first copies are sent in order",
    .requirements = FAL_IDS("FTP-7.5-06", "FTP-8.2.1.1-01", "FTP-8.3-04", "FTP-8.4.1-04",
                            "FTP-8.4.1-06", "FTP-8.4.3.1-03", "FTP-8.4.3.3-03", "FTP-9.1.3-03",
                            "FTP-9.1.3-04", "FTP-9.1.5-05", "FTP-9.1.5-06"),
    .role = "transmitter",
    .needs = "wire",
    .assumes = "base-not-beyond-sent",
    .doc =
        "Violated when, of two first copies in a window, the one with the higher PSN was "
        "provably sent first, or, on an ordered connection, of two transactions in either "
        "window the one with the higher RSN. Decided when no older copy of the other can "
        "still appear, and only where nothing is lost. On an ordered connection a missing "
        "RSN is also a violation, where the path keeps order; it is a warning if its "
        "transaction may have been given up before it was sent (AMB-74). Retransmissions are "
        "compared "
        "where two packets of a kind were first sent at the same moment, only their timers "
        "repeat them, and both copies left at the same moment (AMB-58): timers that were "
        "started together may expire one after the other.",
};

enum {
    HIGHS_MAX = 3,
    WAITING_MAX = 16,
    LANES = FAL_WINDOWS + 1,
    LANE_RSN = FAL_WINDOWS,
    GONE_MAX = 1024
};

/* A first copy whose number was higher than all before; lower ones first. */
struct high {
    int64_t number;
    struct fal_point point;
};

/* An inversion that holds unless an older copy of the late one appears. */
struct waiting {
    int lane;
    int64_t number; /* in its lane */
    enum fal_window window;
    int64_t x;
    struct fal_point early;
    struct fal_at late;
};

struct state {
    struct fal_bag waiting; /* first, for fal_bag_release */
    uint64_t epoch[FAL_WINDOWS];
    struct high highs[LANES][HIGHS_MAX];
    unsigned num[LANES];
    /* the highest transaction seen of an ordered connection */
    bool has_rsn;
    int64_t rsn;
    struct fal_at rsn_at;
    /* RSNs that were left out, perhaps because their transactions were given up: from one of
     * them to below the other. */
    int64_t gone_from, gone_to;
};

static void broken(struct fal_ctx *c, const struct waiting *w)
{
    const struct fal_stream *stream = fal_out_stream(c, w->window);
    char number[FAL_NUMBER_MAX];
    bool by_rsn = w->lane == LANE_RSN;
    struct fal_blame blame = {.requirement = by_rsn ? "FTP-9.1.3-03" : "FTP-9.1.3-04",
                              .cause = {&w->early.at},
                              .effect = &w->late,
                              .seen = "it was sent after one with a higher number"};

    if (by_rsn)
        (void)fal_rsn_text(c, fal_out(c), (uint32_t)w->number, number);
    else
        (void)fal_psn_text(stream, w->number, number);
    fal_broken(c, &blame, "the first copy of %s%s %s before those of higher ones",
               by_rsn ? "" : fal_window_word(w->window), by_rsn ? "RSN" : " PSN", number);
}

/* Whether the first copy seen was surely the first one sent, save for what may still appear. */
static bool first_is_first(const struct fal_ctx *c, const struct fal_seen *q,
                           enum fal_excuse *why)
{
    *why = FAL_EXCUSE_OUT_LOSS;
    if (!fal_path_out(c).lossless)
        return false;
    *why = FAL_EXCUSE_CAPTURE_GAP;
    return q->x >= fal_out_stream(c, q->window)->doubt && !c->track->foreign[fal_out(c)];
}

static void settle(struct fal_ctx *c, struct state *state)
{
    for (unsigned i = 0; i < state->waiting.num;) {
        const struct waiting *w = FAL_BAG(&state->waiting, struct waiting, i);

        if (fal_path_out(c).in_order || fal_out_settled(c, &w->late)) {
            broken(c, w);
            fal_bag_remove(&state->waiting, sizeof *w, i);
        } else {
            i++;
        }
    }
}

static void wait_for_it(struct fal_ctx *c, struct state *state, const struct waiting *new)
{
    struct waiting *slot = fal_bag_add(&state->waiting, sizeof *new, WAITING_MAX);

    if (slot == NULL)
        fal_undecided(c, FAL_EXCUSE_OUT_REORDER);
    else
        *slot = *new;
}

static void add_high(struct state *state, int lane, int64_t number,
                     const struct fal_point *point)
{
    struct high *list = state->highs[lane];

    if (state->num[lane] == HIGHS_MAX) {
        memmove(&list[0], &list[1], (HIGHS_MAX - 1) * sizeof list[0]);
        state->num[lane]--;
    }
    list[state->num[lane]++] = (struct high){number, *point};
}

/* Holds a first copy against those of higher numbers. */
static void check(struct fal_ctx *c, struct state *state, const struct fal_seen *q, int lane,
                  int64_t number)
{
    const struct fal_point *point = fal_point_of(q);
    unsigned n = state->num[lane];
    enum fal_excuse why, unknown = FAL_EXCUSE_COUNT;

    if (n == 0 || number > state->highs[lane][n - 1].number) {
        add_high(state, lane, number, point);
        fal_holds(c);
        return;
    }
    if (!first_is_first(c, q, &why)) {
        if (why == FAL_EXCUSE_OUT_LOSS)
            fal_excused(c, why);
        else
            fal_undecided(c, why);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        struct high *high = &state->highs[lane][i];

        if (high->number <= number)
            continue;
        switch (fal_surely_before(c, &high->point, point, &why)) {
        case FAL_BEFORE:
            wait_for_it(c, state,
                        &(struct waiting){lane, number, q->window, q->x, high->point, q->at});
            return;
        case FAL_ORDER_UNKNOWN: unknown = why; break;
        case FAL_NOT_BEFORE: unknown = FAL_EXCUSE_PIPELINE; break;
        }
    }
    if (unknown != FAL_EXCUSE_COUNT)
        fal_excused(c, unknown);
}

/* An older copy of one that waits shows that it was not late; a second one is no matter. */
static void older_copy(struct fal_ctx *c, struct state *state, const struct fal_seen *q)
{
    const struct fal_point *point = fal_point_of(q);

    for (unsigned i = 0; i < state->waiting.num;) {
        const struct waiting *w = FAL_BAG(&state->waiting, struct waiting, i);
        enum fal_excuse why;

        if (w->window != q->window || w->x != q->x ||
            fal_surely_before(c, &w->early, point, &why) == FAL_BEFORE) {
            i++;
            continue;
        }
        fal_excused(c, FAL_EXCUSE_OUT_REORDER);
        fal_bag_remove(&state->waiting, sizeof *w, i);
    }
}

/* ---- second copies ---- */

static bool plain(const struct fal_ctx *c, const struct fal_seen *q, int64_t x,
                  const struct fal_sent *sent)
{
    return (sent->flags & (FAL_SENT_RESYNC | FAL_SENT_STEPPED)) == 0 &&
           !fal_stream_acked(fal_out_stream(c, q->window), x) &&
           fal_licence_of(c, q->window, x) == FAL_LICENCE_NONE;
}

/* Whether q's neighbour, one number higher, was repeated before it. */
static void check_repeat(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_sent *next = fal_stream_sent(fal_out_stream(c, q->window), q->x + 1);
    const struct fal_sent *sent = q->prior;
    struct fal_path out = fal_path_out(c);

    if (sent->copies != 1 || next == NULL || next->type != sent->type ||
        next->first.t_ns != sent->first.t_ns || !plain(c, q, q->x, sent) ||
        !plain(c, q, q->x + 1, next) || !out.lossless || !out.in_order || !out.no_duplicates ||
        fal_pipeline_ns(c) > 0 || fal_rack_of(c) == FAL_RACK_CLAIMED ||
        c->track->gap_index[fal_out(c)] > sent->first.index)
        return;
    if (next->copies > 1) {
        struct fal_at early = fal_last_copy(next);
        char number[FAL_NUMBER_MAX];

        if (early.t_ns != q->at.t_ns)
            return; /* the timer of q may have expired after the other's */
        fal_broken(c,
                   &(struct fal_blame){.requirement = "FTP-9.1.5-06",
                                       .cause = {&sent->first, &early},
                                       .effect = &q->at,
                                       .packet = q->packet},
                   "%s PSN %s retransmitted before the next: both were first sent together",
                   fal_window_word(q->window),
                   fal_psn_text(fal_out_stream(c, q->window), q->x, number));
    } else {
        fal_holds(c);
    }
}

static uint32_t first_rsn(const struct fal_ctx *c)
{
    const struct fal_connection *setup = &c->track->setup;

    return fal_out(c) == FAL_TO_SUT ? setup->tester.rsn : setup->sut.rsn;
}

/* Whether packets are seen as they were sent, all of them. */
static bool faithful(const struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_track *track = c->track;
    struct fal_path path = fal_path_out(c);

    return path.lossless && path.in_order && fal_pipeline_ns(c) == 0 &&
           (q->packet->origin != FAL_ORIGIN_FOREIGN || track->complete) &&
           !track->foreign[fal_out(c)] && !track->rsn_doubt[fal_out(c)];
}

/* Whether the subject may have given up those transactions in its scheduler (AMB-74). They
 * began after the run did. */
static bool may_be_gone(const struct fal_ctx *c, int64_t from, int64_t to)
{
    return to - from <= GONE_MAX && fal_may_time_out(c, c->bench->start_ns, c->now_ns);
}

static void out_of_turn(struct fal_ctx *c, const struct state *state, const struct fal_seen *q,
                        int64_t due)
{
    char number[FAL_NUMBER_MAX], now[FAL_NUMBER_MAX];

    fal_broken(
        c,
        &(struct fal_blame){.requirement = "FTP-9.1.3-03",
                            .cause = {state->has_rsn ? &state->rsn_at : NULL},
                            .effect = &q->at,
                            .packet = q->packet},
        "RSN %s before RSN %s", fal_rsn_text(c, fal_out(c), (uint32_t)due, number),
        fal_rsn_text(c, fal_out(c), due < q->rsn ? q->falcon->rsn : (uint32_t)state->rsn, now));
}

/* There a transaction of an ordered connection that was left out was not sent in its turn. */
static void check_turn(struct fal_ctx *c, struct state *state, const struct fal_seen *q)
{
    int64_t due = state->rsn + 1;

    if (!state->has_rsn)
        due = c->track->setup.initial_known ? q->rsn - (int32_t)(q->falcon->rsn - first_rsn(c))
                                            : q->rsn;
    if (q->rsn == due) {
        fal_holds(c);
    } else if (q->rsn > due && may_be_gone(c, due, q->rsn) &&
               fal_read_as(c, FAL_AMB_74, FAL_READ_OTHER, &q->at)) {
        state->gone_from = due;
        state->gone_to = q->rsn;
    } else if (q->rsn > due) {
        out_of_turn(c, state, q, due);
    } else if (q->rsn >= state->gone_from && q->rsn < state->gone_to &&
               (q->request == NULL || (q->request->flags & FAL_REQ_PLACED) == 0)) {
        out_of_turn(c, state, q, q->rsn); /* it was not given up */
    }
}

static void check_rsn(struct fal_ctx *c, struct state *state, const struct fal_seen *q)
{
    if (faithful(c, q))
        check_turn(c, state, q);
    else if (q->falcon->packet_type != FAL_RESYNC)
        check(c, state, q, LANE_RSN, q->rsn);
    if (!state->has_rsn || q->rsn > state->rsn) {
        state->has_rsn = true;
        state->rsn = q->rsn;
        state->rsn_at = q->at;
    }
}

static bool ordered(const struct fal_ctx *c)
{
    return c->track->setup.params.ordered && fal_given(c, FAL_PARAM_AT_ordered);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    uint64_t epoch;

    if (!q->reliable)
        return;
    epoch = fal_out_stream(c, q->window)->epoch;
    if (state->epoch[q->window] != epoch) {
        state->epoch[q->window] = epoch;
        state->num[q->window] = state->num[LANE_RSN] = 0;
        state->has_rsn = false;
        fal_bag_free(&state->waiting);
    }
    if (q->prior != NULL) {
        older_copy(c, state, q);
        if (q->falcon->packet_type != FAL_RESYNC)
            check_repeat(c, q);
    } else if (q->falcon->packet_type != FAL_RESYNC) {
        check(c, state, q, (int)q->window, q->x);
    }
    if (q->prior == NULL && ordered(c) && q->type != FAL_PULL_DATA)
        check_rsn(c, state, q);
    settle(c, state);
}

static void drop(struct fal_ctx *c, struct state *state, enum fal_excuse why)
{
    for (; state->waiting.num > 0;
         fal_bag_remove(&state->waiting, sizeof(struct waiting), state->waiting.num - 1))
        fal_undecided(c, why);
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    bool to_sut = fal_out(c) == FAL_TO_SUT;

    settle(c, state);
    if (event->u.mark.mark == (to_sut ? FAL_MARK_GAP_IN : FAL_MARK_GAP_OUT))
        drop(c, state, FAL_EXCUSE_CAPTURE_GAP); /* the first copy may be in the gap */
}

static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    settle(c, state);
    drop(c, state, FAL_EXCUSE_OUT_REORDER);
}

const struct fal_rule_impl fal_rule_x3 = {
    .about = &fal_about_x3,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .bags = 1,
    .out = out,
    .on_out = FAL_ON_RELIABLE,
    .mark = mark,
    .finish = finish,
    .release = fal_bag_release,
};
