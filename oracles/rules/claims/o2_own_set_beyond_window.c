/* SPDX-License-Identifier: Apache-2.0
 * o2_own_set_beyond_window.c - rule O2: OWN is set for a packet beyond the window. Where the
 * state of an ACK is provably younger than the packet, and its base still has the packet beyond
 * the window, that ACK must carry OWN, unless an EACK carried it since the packet was sent. */
#include "oracles/rules/claims/edge.h"
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_o2 = {
    .id = "O2",
    .title = "OWN is set for a packet beyond the window",
    .requirements = FAL_IDS("FTP-7.7.1-17", "FTP-7.8-02", "FTP-9-05", "FTP-9-06",
                            "FTP-9.1.7-01", "FTP-9.2.2.4-02", "FTP-9.2.2.4-03"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "",
    .doc =
        "On a path that loses nothing, a packet arrived before the state of an ACK whose base "
        "still has it beyond the window. That ACK must be an EACK with the OWN bit of the "
        "window, unless an EACK since the packet was sent carried the bit, or may have "
        "carried it and was lost. Swapped bits give a warning (AMB-06).",
};

struct state {
    struct fal_bag beyond; /* struct fal_beyond */
    uint64_t epoch[FAL_WINDOWS];
};

static struct fal_beyond *item_at(const struct state *state, unsigned i)
{
    return FAL_BAG(&state->beyond, struct fal_beyond, i);
}

static void drop(struct state *state, unsigned i)
{
    fal_bag_remove(&state->beyond, sizeof(struct fal_beyond), i);
}

/* Takes all items of a window out; whether there were any. */
static bool settle(struct state *state, enum fal_window w)
{
    bool any = false;

    for (unsigned i = 0; i < state->beyond.num;) {
        if (item_at(state, i)->window == (uint8_t)w) {
            drop(state, i);
            any = true;
        } else {
            i++;
        }
    }
    return any;
}

static bool has(const struct state *state, enum fal_window w)
{
    for (unsigned i = 0; i < state->beyond.num; i++)
        if (item_at(state, i)->window == (uint8_t)w)
            return true;
    return false;
}

/* Whether the OWN of a window had to be in that ACK. */
static bool due_in(const struct fal_ctx *c, const struct state *state, enum fal_window w,
                   const struct fal_seen *q)
{
    for (unsigned i = 0; i < state->beyond.num; i++)
        if (item_at(state, i)->window == (uint8_t)w && fal_path_in(c).lossless &&
            fal_edge_refused(c, item_at(state, i), q))
            return true;
    return false;
}

/* Both windows may have been overrun, and one bit came: with the bits the other way round
 * (AMB-06) it reported the window that is left. */
static void doubt(struct state *state)
{
    for (unsigned i = 0; i < state->beyond.num; i++)
        item_at(state, i)->doubt = true;
}

/* An EACK with OWN covers, or may cover, everything that was sent before it. */
static void take_own(struct fal_ctx *c, struct state *state, const struct fal_seen *q)
{
    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        enum fal_window other = w == FAL_WINDOW_REQ ? FAL_WINDOW_DATA : FAL_WINDOW_REQ;
        unsigned bit = w == FAL_WINDOW_REQ ? FAL_OWN_REQ : FAL_OWN_DATA;
        bool due;

        if ((q->falcon->own & bit) == 0)
            continue;
        due = due_in(c, state, w, q);
        if (settle(state, w)) {
            fal_holds(c);
            if (!due && (q->falcon->own & ~bit) == 0)
                doubt(state);
        } else if ((q->falcon->own & ~bit) == 0 && has(state, other)) {
            (void)settle(state, other); /* the bits the other way round (AMB-06) */
            fal_excused(c, FAL_EXCUSE_READING);
        }
    }
}

static void broken(struct fal_ctx *c, const struct fal_beyond *item, const struct fal_at *ack,
                   const struct fal_ev_packet *packet)
{
    enum fal_window w = (enum fal_window)item->window;
    char x[FAL_NUMBER_MAX];

    fal_broken(c,
               &(struct fal_blame){
                   .requirement = w == FAL_WINDOW_REQ ? "FTP-9.2.2.4-02" : "FTP-9.2.2.4-03",
                   .cause = {&item->copy},
                   .effect = ack,
                   .packet = packet,
                   .seen = "an ACK without the bit, and no EACK that carried it before"},
               "an EACK with the OWN bit of the %s window: PSN %s arrived beyond it",
               fal_window_word(w), fal_psn_text(fal_in_stream(c, w), item->x, x));
}

/* q showed no OWN, which was due. */
static void missing(struct fal_ctx *c, struct state *state, unsigned i,
                    const struct fal_seen *q)
{
    struct fal_beyond *item = item_at(state, i);
    struct fal_path out = fal_path_out(c);
    uint64_t in_ns, out_ns, pipeline = fal_pipeline_ns(c);

    if (item->doubt) {
        fal_undecided(c, FAL_EXCUSE_READING);
    } else if (!out.lossless) {
        fal_excused(c, FAL_EXCUSE_OUT_LOSS);
    } else if (out.in_order && pipeline == 0) {
        broken(c, item, &q->at, q->packet);
        (void)settle(state, (enum fal_window)item->window);
        return;
    } else if (fal_round_ns(c, &in_ns, &out_ns)) {
        item->refused = true;
        item->claim = q->at;
        item->until_ns = q->at.t_ns + out_ns + pipeline;
        fal_wake(c, item->until_ns);
        return;
    } else {
        fal_excused(c, out.in_order ? FAL_EXCUSE_PIPELINE : FAL_EXCUSE_OUT_REORDER);
    }
    (void)settle(state, (enum fal_window)item->window);
}

static void take_ack(struct fal_ctx *c, struct state *state, const struct fal_seen *q)
{
    for (unsigned i = 0; i < state->beyond.num;) {
        const struct fal_beyond *item = item_at(state, i);
        unsigned num = state->beyond.num;

        if (item->refused) {
            i++;
        } else if (item->x < q->claim[item->window].base +
                                 (int64_t)fal_window_size((enum fal_window)item->window)) {
            drop(state, i); /* it may have been inside when it came */
        } else if (fal_path_in(c).lossless && fal_edge_refused(c, item, q)) {
            missing(c, state, i, q);
            i = state->beyond.num < num ? 0 : i + 1;
        } else {
            i++;
        }
    }
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        uint64_t epoch = fal_in_stream(c, (enum fal_window)w)->epoch;

        if (state->epoch[w] != epoch)
            fal_bag_free(&state->beyond);
        state->epoch[w] = epoch;
    }
    if (q->falcon->packet_type != FAL_BACK && q->falcon->packet_type != FAL_EACK)
        return; /* no others carry OWN */
    if (q->falcon->packet_type == FAL_EACK)
        take_own(c, state, q);
    take_ack(c, state, q);
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;

    fal_edge_sent(c, &state->beyond, p);
}

static void wake(struct fal_ctx *c)
{
    struct state *state = c->state;

    for (unsigned i = 0; i < state->beyond.num;) {
        const struct fal_beyond item = *item_at(state, i);

        if (!item.refused) {
            i++;
        } else if (c->now_ns <= item.until_ns) {
            fal_wake(c, item.until_ns);
            i++;
        } else {
            broken(c, &item, &item.claim, NULL);
            (void)settle(state, (enum fal_window)item.window);
            i = 0;
        }
    }
}

static void forget(struct fal_ctx *c)
{
    struct state *state = c->state;

    if (state->beyond.num > 0)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    fal_bag_free(&state->beyond);
}

/* The EACK that carried it may have gone unseen; times mean nothing across a step. */
static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    if (fal_marks_gap(event, fal_out(c)) || event->u.mark.mark == FAL_MARK_CLOCK_STEP)
        forget(c);
}

/* A connection that failed drops everything. */
static void cm(struct fal_ctx *c, const struct fal_event *event)
{
    if (fal_connection_failed(event))
        forget(c);
}

const struct fal_rule_impl fal_rule_o2 = {
    .about = &fal_about_o2,
    .power = 1,
    .state_size = sizeof(struct state),
    .bags = 1,
    .out = out,
    .on_out = FAL_ON_BACK | FAL_ON_EACK,
    .in = in,
    .on_in = FAL_ON_BEYOND | FAL_ON_WAITING,
    .wake = wake,
    .mark = mark,
    .cm = cm,
    .release = fal_bag_release,
};
