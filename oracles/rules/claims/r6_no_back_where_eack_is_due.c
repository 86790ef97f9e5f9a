/* SPDX-License-Identifier: Apache-2.0
 * r6_no_back_where_eack_is_due.c - rule R6: the SUT sends a BACK only where no EACK is due. An
 * EACK is due after an acknowledged number above the base was shown, and after a received
 * number above one that was never sent, as long as it is not sent. */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_r6 = {
    .id = "R6",
    .title = "no BACK is sent where an EACK is due",
    .requirements =
        FAL_IDS("FTP-6.1.2-05", "FTP-9.1.6-11", "FTP-9.1.6-12", "FTP-9.1.6-13", "FTP-9.1.6-17"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "",
    .shown = true,
    .doc =
        "Violated by a BACK that is provably younger than an EACK, if that EACK showed an "
        "acknowledged number above the base of the BACK, or a received number above one that "
        "was not sent before the BACK arrived: such a gap cannot have been filled. Where the "
        "receiver supports RACK-TLP no gap is needed. Rule L1 checks the OWN bits in a BACK.",
};

enum { FACTS_MAX = 8 };

/* A bit that an EACK showed. */
struct fact {
    int64_t x;
    int64_t hole; /* rx: a number below x of which no copy had been sent */
    bool rx;
    bool rack;              /* rx: where RACK-TLP is supported, no hole is needed */
    struct fal_point point; /* the EACK */
};

struct state {
    /* By window: the first EACK that showed each of the newest highest bits, lower ones first;
     * and those of received numbers above a hole. */
    struct fal_bag acked[FAL_WINDOWS], holes;
    struct fal_bag received; /* any bit of received data, where RACK-TLP is supported */
    uint64_t epoch[FAL_WINDOWS];
};

static struct fact *fact_at(const struct fal_bag *bag, unsigned i)
{
    return FAL_BAG(bag, struct fact, i);
}

static void add(struct fal_ctx *c, struct fal_bag *bag, const struct fact *fact)
{
    struct fact *new;

    if (bag->num > 0 && fact_at(bag, bag->num - 1)->x >= fact->x &&
        fact_at(bag, bag->num - 1)->hole >= fact->hole)
        return;
    if (bag->num == FACTS_MAX)
        fal_bag_remove(bag, sizeof *fact, 0);
    new = fal_bag_add(bag, sizeof *fact, FACTS_MAX);
    if (new == NULL)
        c->track->oom = true;
    else
        *new = *fact;
}

/* What a base has passed says no more about bits. */
static void forget_below(struct fal_bag *bag, int64_t base)
{
    for (unsigned i = 0; i < bag->num;) {
        struct fact *fact = fact_at(bag, i);

        if (fact->x < base || (fact->rx && !fact->rack && fact->hole < base))
            fal_bag_remove(bag, sizeof *fact, i);
        else
            i++;
    }
}

/* The highest number below the top received one that was surely never sent; or base - 1. */
static int64_t unsent_hole(const struct fal_ctx *c, const struct fal_claim *claim, int top)
{
    for (int n = top - 1; n >= 0 && !c->track->undeclared; n--)
        if (!fal_u128_test(claim->received, (unsigned)n) &&
            fal_track_was_sent(c->track, fal_in(c), FAL_WINDOW_DATA, claim->base + n) ==
                FAL_NOT_SENT)
            return claim->base + n;
    return claim->base - 1;
}

/* The receiver's word that it supports the extension (9.1.6, AMB-20). */
static bool supports_rack(const struct fal_ctx *c)
{
    return c->subject == FAL_SUBJECT_SUT && fal_given(c, FAL_PARAM_AT_rack_tlp) &&
           c->track->setup.params.rack_tlp;
}

static void take_eack(struct fal_ctx *c, struct state *state, const struct fal_seen *q)
{
    const struct fal_claim *data = &q->claim[FAL_WINDOW_DATA];
    int top = fal_u128_top(data->received);
    struct fact fact = {.hole = INT64_MIN, .point = *fal_point_of(q)};
    bool due = false;

    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        int highest = fal_u128_top(q->claim[w].ack);

        if (highest < 0)
            continue;
        due = true;
        fact.x = q->claim[w].base + highest;
        add(c, &state->acked[w], &fact);
    }
    if (top > 0 && (data->received & fal_u128_ones((unsigned)top + 1)) !=
                       fal_u128_ones((unsigned)top + 1)) {
        due = true;
        fact.rx = true;
        fact.x = data->base + top;
        fact.hole = unsent_hole(c, data, top);
        if (fact.hole >= data->base)
            add(c, &state->holes, &fact);
    }
    if (top >= 0 && supports_rack(c)) {
        due = true;
        fact.rx = fact.rack = true;
        fact.x = data->base + top;
        fact.hole = INT64_MIN;
        add(c, &state->received, &fact);
    }
    if (due)
        fal_holds(c);
}

/* How one BACK fares. */
struct outcome {
    bool compared, broken, excused;
    enum fal_excuse why;
};

static void excuse(struct outcome *o, enum fal_excuse why)
{
    o->excused = true;
    o->why = why;
}

static void broken(struct fal_ctx *c, const struct fal_seen *q, const struct fact *fact,
                   enum fal_window w)
{
    const struct fal_stream *stream = fal_in_stream(c, w);
    char x[FAL_NUMBER_MAX], hole[FAL_NUMBER_MAX];
    struct fal_blame blame = {
        .requirement = fact->rack            ? "FTP-9.1.6-17"
                       : fact->rx            ? "FTP-9.1.6-13"
                       : w == FAL_WINDOW_REQ ? "FTP-9.1.6-11"
                                             : "FTP-9.1.6-12",
        .cause = {&fact->point.at},
        .effect = &q->at,
        .packet = q->packet,
    };

    (void)fal_psn_text(stream, fact->x, x);
    if (fact->rack)
        fal_broken(
            c, &blame,
            "an EACK, as RACK-TLP is supported: an older packet shows that data PSN %s was received",
            x);
    else if (fact->rx)
        fal_broken(
            c, &blame,
            "an EACK: an older packet shows that data PSN %s was received, and %s below it was never sent",
            x, fal_psn_text(stream, fact->hole, hole));
    else
        fal_broken(c, &blame, "an EACK: %s PSN %s above the base was acknowledged before",
                   fal_window_word(w), x);
}

static void hold(struct fal_ctx *c, struct outcome *o, const struct fal_seen *q,
                 const struct fact *fact, enum fal_window w)
{
    int64_t base = q->claim[w].base;
    const struct fal_point *point = fal_point_of(q);
    enum fal_excuse why = FAL_EXCUSE_OUT_REORDER;

    o->compared = true;
    if (fact->x < base ||
        (fact->rx && !fact->rack &&
         (fact->hole < base ||
          fal_track_was_sent(c->track, fal_in(c), w, fact->hole) != FAL_NOT_SENT)))
        return;
    switch (fal_window_before(c, w, &fact->point, point, &why)) {
    case FAL_NOT_BEFORE: break;
    case FAL_ORDER_UNKNOWN: excuse(o, why); break;
    case FAL_BEFORE:
        if (fact->rx && fal_rx_may_go(c, fact->x, fact->point.at.index,
                                      c->track->gap_index[fal_out(c)], &why)) {
            excuse(o, why);
        } else if (!o->broken) {
            broken(c, q, fact, w);
            o->broken = true;
        }
        break;
    }
}

static void take_back(struct fal_ctx *c, const struct state *state, const struct fal_seen *q)
{
    struct outcome o = {0};

    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++)
        for (unsigned i = 0; i < state->acked[w].num; i++)
            hold(c, &o, q, fact_at(&state->acked[w], i), w);
    for (unsigned i = 0; i < state->holes.num; i++)
        hold(c, &o, q, fact_at(&state->holes, i), FAL_WINDOW_DATA);
    for (unsigned i = 0; i < state->received.num; i++)
        hold(c, &o, q, fact_at(&state->received, i), FAL_WINDOW_DATA);
    if (o.broken)
        return;
    if (o.excused)
        fal_excused_as(c, o.why, FAL_AMB_65, &q->at);
    else if (o.compared)
        fal_holds(c);
}

static void release(void *p)
{
    struct state *state = p;

    fal_bag_free(&state->acked[FAL_WINDOW_DATA]);
    fal_bag_free(&state->acked[FAL_WINDOW_REQ]);
    fal_bag_free(&state->holes);
    fal_bag_free(&state->received);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    bool ack = q->falcon->packet_type == FAL_BACK || q->falcon->packet_type == FAL_EACK;

    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        const struct fal_stream *stream = fal_in_stream(c, w);

        if (state->epoch[w] != stream->epoch)
            release(state);
        state->epoch[w] = stream->epoch;
        if (!ack)
            continue;
        /* a base that is claimed now, or was before, by a packet that is here */
        if (stream->based) {
            forget_below(&state->acked[w], stream->base);
            if (w == FAL_WINDOW_DATA) {
                forget_below(&state->holes, stream->base);
                forget_below(&state->received, stream->base);
            }
        }
    }
    if (q->falcon->packet_type == FAL_EACK)
        take_eack(c, state, q);
    else if (q->falcon->packet_type == FAL_BACK)
        take_back(c, state, q);
}

const struct fal_rule_impl fal_rule_r6 = {
    .about = &fal_about_r6,
    .power = 1,
    .state_size = sizeof(struct state),
    .bags = 4,
    .out = out,
    .on_out = FAL_ON_BACK | FAL_ON_EACK,
    .release = release,
};
