/* SPDX-License-Identifier: Apache-2.0
 * o2_own_set_beyond_window.c - rule O2: OWN is set for a packet beyond the window. Where the
 * state of an ACK is provably younger than the packet, and its base still has the packet beyond
 * the window, that ACK must carry OWN, unless an EACK carried it since the packet was sent.
 * AMB-06: which of the two bits that is can be read in two ways (rule O1). */
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
        "carried it and was lost. Bits that are swapped throughout the run give a warning "
        "(AMB-06).",
};

/* An instance at an event that takes no reading (fal_ctx.takes), of which only some readings
 * remain possible. It is judged again at the next ACK, and when the connection ends. The first
 * for each reading is enough: others say nothing more of the set. */
struct open {
    unsigned readings; /* 0: there is none */
    struct fal_beyond item;
};

struct state {
    struct fal_bag beyond; /* struct fal_beyond */
    uint64_t epoch[FAL_WINDOWS];
    struct open open[2]; /* that only the default reading explains, and only the other one */
};

static struct fal_beyond *item_at(const struct state *state, unsigned i)
{
    return FAL_BAG(&state->beyond, struct fal_beyond, i);
}

static void drop(struct state *state, unsigned i)
{
    fal_bag_remove(&state->beyond, sizeof(struct fal_beyond), i);
}

/* Takes all items of a window out. */
static void settle(struct state *state, enum fal_window w)
{
    for (unsigned i = 0; i < state->beyond.num;)
        if (item_at(state, i)->window == (uint8_t)w)
            drop(state, i);
        else
            i++;
}

/* The readings of its bits under which an EACK carries the OWN of a window. */
static unsigned told_of(const struct fal_seen *q, enum fal_window w)
{
    unsigned own = q->falcon->own, req = w == FAL_WINDOW_REQ;
    unsigned plain = req ? FAL_OWN_REQ : FAL_OWN_DATA, other = req ? FAL_OWN_DATA : FAL_OWN_REQ;

    return ((own & plain) != 0 ? FAL_READ_DEFAULT : 0U) |
           ((own & other) != 0 ? FAL_READ_OTHER : 0U);
}

/* An EACK with OWN covers, or may cover, everything that was sent before it. */
static void take_own(struct fal_ctx *c, struct state *state, const struct fal_seen *q)
{
    unsigned left = fal_read_left(c, FAL_AMB_6);
    unsigned best = (left & FAL_READ_DEFAULT) != 0 ? FAL_READ_DEFAULT : FAL_READ_OTHER;

    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        unsigned told = told_of(q, w);
        bool any = false;

        for (unsigned i = 0; i < state->beyond.num;) {
            struct fal_beyond *item = item_at(state, i);

            if (item->window != (uint8_t)w) {
                i++;
                continue;
            }
            any = any || (told & best & ~(unsigned)item->told) != 0;
            item->told |= (uint8_t)told;
            if ((item->told & left) == left)
                drop(state, i);
            else
                i++;
        }
        if (any && best == FAL_READ_DEFAULT)
            fal_holds(c);
        else if (any)
            fal_excused(c, FAL_EXCUSE_READING);
    }
}

static void broken(struct fal_ctx *c, const struct fal_beyond *item,
                   const struct fal_ev_packet *packet)
{
    enum fal_window w = (enum fal_window)item->window;
    char x[FAL_NUMBER_MAX];

    fal_broken(c,
               &(struct fal_blame){
                   .requirement = w == FAL_WINDOW_REQ ? "FTP-9.2.2.4-02" : "FTP-9.2.2.4-03",
                   .cause = {&item->copy},
                   .effect = &item->claim,
                   .packet = packet,
                   .seen = "an ACK without the bit, and no EACK that carried it before"},
               "an EACK with the OWN bit of the %s window: PSN %s arrived beyond it",
               fal_window_word(w), fal_psn_text(fal_in_stream(c, w), item->x, x));
}

/* The items of the windows whose OWN was due by now, as that reading has the bits. */
static void broken_under(struct fal_ctx *c, unsigned reading,
                         const struct fal_ev_packet *packet)
{
    struct state *state = c->state;
    bool said[FAL_WINDOWS] = {false};

    for (unsigned i = 0; i < state->beyond.num; i++) {
        const struct fal_beyond *item = item_at(state, i);

        if (!item->ripe || (item->told & reading) != 0 || said[item->window])
            continue;
        said[item->window] = true;
        broken(c, item, packet);
    }
}

/* Keeps an instance that only one reading explains, with an item that has no OWN under the
 * other. */
static void keep_open(struct state *state, unsigned possible)
{
    struct open *open = &state->open[possible == FAL_READ_DEFAULT ? 0 : 1];

    for (unsigned i = 0; open->readings == 0 && i < state->beyond.num; i++) {
        const struct fal_beyond *item = item_at(state, i);

        if (item->ripe && (item->told & FAL_READ_ANY & ~possible) == 0)
            *open = (struct open){possible, *item};
    }
}

/* Judges the instance that was left open again: it is violated if none of its readings remains.
 * At an event that takes readings it eliminates the others. */
static void judge_again(struct fal_ctx *c)
{
    struct state *state = c->state;

    for (size_t i = 0; i < sizeof state->open / sizeof *state->open; i++) {
        struct open open = state->open[i];
        unsigned left = open.readings != 0 ? fal_read_left(c, FAL_AMB_6) : 0;

        if (open.readings == 0 || ((left & open.readings) != 0 && !c->takes))
            continue;
        state->open[i].readings = 0;
        if ((left & open.readings) == 0)
            broken(c, &open.item, NULL);
        else if (left != open.readings && fal_read_take(c, FAL_AMB_6, open.readings,
                                                        &open.item.claim) == FAL_READING_OTHER)
            fal_excused(c, FAL_EXCUSE_READING);
    }
}

/* OWN was due for the items that are ripe. A reading under which it did not come for each of
 * them is eliminated; if none remains, the rule is violated. */
static void decide(struct fal_ctx *c, const struct fal_at *at,
                   const struct fal_ev_packet *packet)
{
    struct state *state = c->state;
    unsigned told = FAL_READ_ANY, some = 0, left, possible;

    for (unsigned i = 0; i < state->beyond.num; i++) {
        if (!item_at(state, i)->ripe)
            continue;
        told &= item_at(state, i)->told;
        some |= item_at(state, i)->told;
    }
    left = some != 0 ? fal_read_left(c, FAL_AMB_6) : FAL_READ_ANY;
    possible = left & told;
    if (possible == 0) {
        broken_under(c, (left & FAL_READ_DEFAULT) != 0 ? FAL_READ_DEFAULT : FAL_READ_OTHER,
                     packet);
    } else if (possible != left && c->takes) {
        if (fal_read_take(c, FAL_AMB_6, possible, at) == FAL_READING_OTHER)
            fal_excused(c, FAL_EXCUSE_READING);
        /* else its bit came before, and was counted */
    } else if (possible != left) {
        keep_open(state, possible);
        if (possible == FAL_READ_OTHER)
            fal_undecided(c, FAL_EXCUSE_READING);
    }
    for (unsigned i = 0; i < state->beyond.num;)
        if (item_at(state, i)->ripe) {
            settle(state, (enum fal_window)item_at(state, i)->window);
            i = 0;
        } else {
            i++;
        }
}

/* q showed no OWN, which was due. Returns whether the item is ripe. */
static bool missing(struct fal_ctx *c, struct fal_beyond *item, const struct fal_seen *q)
{
    struct fal_path out = fal_path_out(c);
    uint64_t in_ns, out_ns, pipeline = fal_pipeline_ns(c);
    bool counted = (item->told & FAL_READ_DEFAULT) != 0;
    struct state *state = c->state;

    item->claim = q->at;
    if (out.lossless && out.in_order && pipeline == 0) {
        item->ripe = true;
        return true;
    }
    if (out.lossless && fal_round_ns(c, &in_ns, &out_ns)) {
        item->refused = true;
        item->until_ns = q->at.t_ns + out_ns + pipeline;
        fal_wake(c, item->until_ns);
        return false;
    }
    if (!counted)
        fal_excused(c, !out.lossless  ? FAL_EXCUSE_OUT_LOSS
                       : out.in_order ? FAL_EXCUSE_PIPELINE
                                      : FAL_EXCUSE_OUT_REORDER);
    settle(state, (enum fal_window)item->window);
    return false;
}

static void take_ack(struct fal_ctx *c, struct state *state, const struct fal_seen *q)
{
    bool ripe = false;

    for (unsigned i = 0; i < state->beyond.num;) {
        struct fal_beyond *item = item_at(state, i);
        unsigned num = state->beyond.num;

        if (item->refused || item->ripe) {
            i++;
        } else if (item->x < q->claim[item->window].base +
                                 (int64_t)fal_window_size((enum fal_window)item->window)) {
            drop(state, i); /* it may have been inside when it came */
        } else if (fal_path_in(c).lossless && fal_edge_refused(c, item, q)) {
            ripe = missing(c, item, q) || ripe;
            i = state->beyond.num < num ? 0 : i + 1;
        } else {
            i++;
        }
    }
    if (ripe)
        decide(c, &q->at, q->packet);
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
    judge_again(c);
    if (q->falcon->packet_type == FAL_EACK && q->falcon->own != 0 && state->beyond.num > 0)
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
    struct fal_at at = {.index = c->now_index, .t_ns = c->now_ns, .step = -1};
    bool ripe = false;

    for (unsigned i = 0; i < state->beyond.num; i++) {
        struct fal_beyond *item = item_at(state, i);

        if (!item->refused)
            continue;
        item->ripe = c->now_ns > item->until_ns;
        ripe = ripe || item->ripe;
        if (item->ripe)
            at = item->claim;
        else
            fal_wake(c, item->until_ns);
    }
    if (ripe)
        decide(c, &at, NULL);
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
    .finish = judge_again,
    .release = fal_bag_release,
};
