/* SPDX-License-Identifier: Apache-2.0
 * o1_own_only_beyond_window.c - rule O1: OWN is set without a cause, or never cleared. Each
 * EACK that carries a window's OWN bit clears it, so k such EACKs that provably follow each
 * other need k packets beyond the window. A packet is beyond the window when its number is a
 * window above the highest base that was seen when it was sent: the base at its arrival was no
 * lower.
 * AMB-06: which of the two bits belongs to the request window can be read in two ways. The
 * rule follows both readings, until a packet that violates the requirement under one of them
 * eliminates that one for the run. */
#include "oracles/rules/judge/report.h"

#include <string.h>

const struct fal_rule fal_about_o1 = {
    .id = "O1",
    .title = "OWN is set only for a packet beyond the window, and cleared once sent",
    .requirements = FAL_IDS("FTP-7.7.1-17", "FTP-9.2.1-10", "FTP-9.2.1-11"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "",
    .doc =
        "Each EACK that carries the OWN bit of a window clears it. So for each EACK that "
        "carried the bit, one more packet beyond that window must have been sent, each "
        "provably after the EACK before. A packet is beyond the window if its number is at "
        "least a window above the highest base seen when it was sent. Duplicates made by the "
        "network excuse each EACK after the first. A SUT that always swaps the two bits gets "
        "a warning (AMB-06).",
};

/* After packets went unseen, and no longest delay is declared, one of them may still overrun
 * the window, or its EACK be under way, for so long. */
#define UNSEEN_NS FAL_S

enum { GROUPS_MAX = 8 };

/* Packets beyond the window that may still set OWN: neighbours in time, known by the newest of
 * them. */
struct group {
    uint64_t count;
    struct fal_at newest;
};

/* One window, if the bits are read in one way. */
struct window {
    struct group groups[GROUPS_MAX]; /* oldest first */
    unsigned num;
    bool carried;          /* an EACK with OWN was counted */
    struct fal_point last; /* it */
};

enum { READINGS = 2 }; /* bit n of a set of readings is reading n */

struct state {
    struct window window[READINGS][FAL_WINDOWS];
    struct {
        bool any;             /* there was a packet beyond the window */
        struct fal_at newest; /* of them all */
    } beyond[FAL_WINDOWS];
    /* Overruns may have gone unseen: until the time is over, and then until an EACK, which told
     * what was left of them. */
    bool unseen, told;
    uint64_t unseen_until_ns;
    struct fal_point tale; /* that EACK, when told */
    bool started;
};

/* How an EACK's bit ends the instance, if the bits are read in one way. */
struct ended {
    enum fal_window window; /* that the bit then stands for */
    enum fal_instance end;
    enum fal_excuse why;
    struct fal_at last; /* the EACK that carried it before */
};

/* ---- what may set OWN ---- */

static void add_cause(struct window *window, const struct fal_at *at)
{
    if (window->num == GROUPS_MAX) { /* the two oldest become one, as young as the younger */
        window->groups[1].count += window->groups[0].count;
        window->num--;
        memmove(&window->groups[0], &window->groups[1], window->num * sizeof window->groups[0]);
    }
    window->groups[window->num++] = (struct group){.count = 1, .newest = *at};
}

static void drop_oldest(struct window *window)
{
    window->num--;
    memmove(&window->groups[0], &window->groups[1], window->num * sizeof window->groups[0]);
}

/* q carried OWN and cleared it: with it goes what had surely arrived, or the oldest, which may
 * have. */
static bool take_cause(const struct fal_ctx *c, struct window *window, const struct fal_seen *q)
{
    bool taken = false;

    while (window->num > 0 && fal_surely_arrived(c, &window->groups[0].newest, q)) {
        drop_oldest(window);
        taken = true;
    }
    if (taken || window->num == 0)
        return taken;
    if (--window->groups[0].count == 0)
        drop_oldest(window);
    return true;
}

/* ---- the rule ---- */

static unsigned own_bit(enum fal_window w)
{
    return w == FAL_WINDOW_REQ ? FAL_OWN_REQ : FAL_OWN_DATA;
}

/* Overruns that were not observed: before the capture began, or in a gap. */
static void unseen(struct fal_ctx *c, struct state *state)
{
    const struct fal_ev_run *run = &c->bench->run;
    uint64_t span = run->delay_max_ns < UNSEEN_NS
                        ? 2 * run->delay_max_ns + fal_pipeline_ns(c) + 2 * run->clock_error_ns
                        : UNSEEN_NS;

    state->unseen = true;
    state->told = false;
    state->unseen_until_ns = c->now_ns + span >= span ? c->now_ns + span : UINT64_MAX;
}

static void start(struct fal_ctx *c, struct state *state)
{
    if (!state->started && !c->track->setup.initial_known)
        unseen(c, state);
    state->started = true;
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    const struct fal_stream *stream;

    start(c, state);
    if (!p->reliable)
        return;
    stream = fal_in_stream(c, p->window);
    if (!stream->based) {
        unseen(c, state); /* it cannot be known whether it is beyond the window */
        return;
    }
    if (p->x < stream->base + (int64_t)fal_window_size(p->window))
        return;
    state->beyond[p->window].any = true;
    state->beyond[p->window].newest = p->at;
    for (unsigned r = 0; r < READINGS; r++)
        add_cause(&state->window[r][p->window], &p->at);
}

static void broken(struct fal_ctx *c, const struct fal_seen *q, const struct ended *ended,
                   unsigned r)
{
    const struct state *state = c->state;
    enum fal_window w = ended->window;
    const char *requirement = w == FAL_WINDOW_REQ ? "FTP-9.2.1-10" : "FTP-9.2.1-11";
    const char *swapped = r == 0 ? "" : ", with the bits swapped as before (AMB-06)";
    struct fal_break b = fal_break_begin(c, requirement);
    char line[FAL_LINE_MAX];

    if (!state->beyond[w].any) {
        fal_break_expected(&b, "no OWN of the %s window%s: no packet beyond it was sent",
                           fal_window_word(w), swapped);
    } else {
        fal_break_cause(&b, &state->beyond[w].newest);
        fal_break_cause(&b, &ended->last);
        fal_break_expected(&b,
                           "no OWN of the %s window%s: an EACK was sent for each packet beyond "
                           "it before, and cleared it",
                           fal_window_word(w), swapped);
    }
    fal_break_seen(&b, "%s", fal_line(c, q->packet, line));
    fal_break_end(c, &b, &q->at);
}

/* An EACK carried the OWN of a window. */
static struct ended carried(struct fal_ctx *c, enum fal_window w, struct window *window,
                            const struct fal_seen *q)
{
    const struct fal_point *point = fal_point_of(q);
    enum fal_excuse why = FAL_EXCUSE_OUT_REORDER;
    enum fal_order order = FAL_BEFORE;
    struct ended ended = {.end = FAL_HOLDS, .last = window->last.at};

    if (window->carried)
        order = fal_window_before(c, w, &window->last, point, &why);
    if (order != FAL_BEFORE && window->num == 0) { /* the last one again, or the same state */
        ended.end = FAL_EXCUSED;
        ended.why = order == FAL_NOT_BEFORE ? FAL_EXCUSE_PIPELINE : why;
    } else if (order == FAL_BEFORE && !take_cause(c, window, q)) {
        ended.end = fal_path_in(c).no_duplicates ? FAL_BROKEN : FAL_EXCUSED;
        ended.why = FAL_EXCUSE_IN_DUP;
    }
    if (order == FAL_BEFORE) {
        window->carried = true;
        window->last = *point;
    }
    return ended;
}

/* Whether what q tells may be left of something unseen. */
static bool may_be_unseen(const struct fal_ctx *c, struct state *state,
                          const struct fal_seen *q)
{
    const struct fal_point *point = fal_point_of(q);
    enum fal_excuse why;

    if (!state->unseen)
        return false;
    if (state->told) {
        state->unseen = fal_surely_before(c, &state->tale, point, &why) != FAL_BEFORE;
    } else if (c->now_ns > state->unseen_until_ns) {
        state->told = true;
        state->tale = *point;
    }
    return state->unseen;
}

/* How the bits of q end, if they are read in that way. Returns how many there are. */
static unsigned read_bits(struct fal_ctx *c, unsigned r, const struct fal_seen *q,
                          struct ended list[FAL_WINDOWS])
{
    struct state *state = c->state;
    unsigned num = 0;

    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        enum fal_window other = w == FAL_WINDOW_REQ ? FAL_WINDOW_DATA : FAL_WINDOW_REQ;

        if ((q->falcon->own & own_bit(r == 0 ? w : other)) == 0)
            continue;
        list[num] = (struct ended){.end = FAL_BROKEN};
        if (state->beyond[w].any)
            list[num] = carried(c, w, &state->window[r][w], q);
        list[num++].window = w;
    }
    return num;
}

static bool any_broken(const struct ended list[FAL_WINDOWS], unsigned num)
{
    for (unsigned i = 0; i < num; i++)
        if (list[i].end == FAL_BROKEN)
            return true;
    return false;
}

/* Reports the bits of q as that reading has them. */
static void report(struct fal_ctx *c, const struct fal_seen *q, unsigned r,
                   const struct ended list[FAL_WINDOWS], unsigned num)
{
    for (unsigned i = 0; i < num; i++) {
        if (list[i].end == FAL_BROKEN)
            broken(c, q, &list[i], r);
        else if (list[i].end == FAL_EXCUSED)
            fal_excused(c, list[i].why);
        else if (r > 0)
            fal_excused(c, FAL_EXCUSE_READING);
        else
            fal_holds(c);
    }
}

/* The bits of q under each reading that remains. */
static void judge(struct fal_ctx *c, const struct fal_seen *q)
{
    struct ended list[READINGS][FAL_WINDOWS];
    unsigned left = fal_read_left(c, FAL_AMB_6), possible = 0, num = 0, r;

    for (r = 0; r < READINGS; r++) {
        if ((left >> r & 1) == 0)
            continue;
        num = read_bits(c, r, q, list[r]);
        if (!any_broken(list[r], num))
            possible |= 1u << r;
    }
    if (possible != 0 && possible != left)
        (void)fal_read_take(c, FAL_AMB_6, possible, &q->at);
    if (possible == 0)
        possible = left;
    r = (possible & FAL_READ_DEFAULT) != 0 ? 0 : 1;
    report(c, q, r, list[r], num);
}

/* Whether packets beyond a window may have gone unseen. */
static bool may_miss(const struct fal_ctx *c)
{
    enum fal_dir in = fal_in(c);

    return fal_track_blind(c->track, in) ||
           (c->track->foreign[in] && (fal_in_stream(c, FAL_WINDOW_DATA)->holes ||
                                      fal_in_stream(c, FAL_WINDOW_REQ)->holes));
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    bool unseen_before;

    start(c, state);
    if (q->falcon->packet_type != FAL_EACK)
        return; /* BACKs carry none (lint), others have no field for it */
    unseen_before = may_be_unseen(c, state, q);
    if (q->falcon->own == 0)
        return;
    if (!unseen_before && !may_miss(c)) {
        judge(c, q);
        return;
    }
    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++)
        if ((q->falcon->own & own_bit(w)) != 0)
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    if (fal_marks_gap(event, fal_in(c)))
        unseen(c, c->state);
}

const struct fal_rule_impl fal_rule_o1 = {
    .about = &fal_about_o1,
    .power = 1,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_EACK,
    .in = in,
    .on_in = FAL_ON_BEYOND,
    .mark = mark,
};
