/* SPDX-License-Identifier: Apache-2.0
 * r3_claims_not_taken_back.c - rule R3: of two acknowledgements of which the first is provably
 * older, the second has no lower base and lacks no bit. Every packet carries bases; only EACKs
 * carry bits. */
#include "oracles/rules/judge/report.h"

#include <string.h>

const struct fal_rule fal_about_r3 = {
    .id = "R3",
    .title = "no acknowledgement is taken back",
    .requirements =
        FAL_IDS("FTP-7.2-20", "FTP-7.2-21", "FTP-7.7.1-07", "FTP-7.7.1-08", "FTP-7.7.2-06",
                "FTP-7.8-06", "FTP-7.8-07", "FTP-9.1.6-04", "FTP-9.1.6-08", "FTP-9.1.7-02",
                "FTP-9.2.1-02", "FTP-9.2.1-05", "FTP-9.2.1-07", "FTP-9.2.1-08", "FTP-9.2.1-09",
                "FTP-9.2.2.4-11", "FTP-9.2.5-04"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "",
    .shown = true,
    .doc = "The rule compares two packets of the SUT, the first provably older. Violated when "
           "the second has a lower base, or is an EACK without a bit that the first had, or "
           "when a base is below the initial one. A packet is provably older by the IVs, by a "
           "path that keeps order, by declared delays, or because the second acknowledges a "
           "packet that was sent after the first was seen. The rx bit of a push may be cleared "
           "after a NACK with code 1 or 2 (AMB-65: warn).",
};

enum { BASES_MAX = 8, SNAPSHOTS_MAX = 6 };

struct snapshot {
    struct fal_point point;
    int64_t base[FAL_WINDOWS];
    fal_u128 ack[FAL_WINDOWS], received[FAL_WINDOWS];
};

/* The first packet that showed a base, for the newest bases of a window; lower ones first. */
struct history {
    struct {
        int64_t base;
        struct fal_point point;
    } list[BASES_MAX];
    unsigned num;
};

struct state {
    uint64_t epoch[FAL_WINDOWS];
    struct history bases[FAL_WINDOWS];
    struct snapshot snapshots[SNAPSHOTS_MAX]; /* oldest first */
    unsigned num_snapshots;
    uint64_t gap_index; /* of the last mark that packets of the subject went unseen; 0: none */
};

/* What became of one packet. */
struct outcome {
    bool compared, broken, excused;
    enum fal_excuse why;
};

static void excuse(struct outcome *o, enum fal_excuse why)
{
    o->excused = true;
    o->why = why;
}

/* ---- bases ---- */

static const char *base_requirement(const struct fal_seen *q)
{
    if (q->falcon->packet_type == FAL_NACK)
        return "FTP-9.1.7-02";
    return fal_falcon_is_ack(q->falcon->packet_type) ? "FTP-9.1.6-08" : "FTP-9.1.6-04";
}

static void base_broken(struct fal_ctx *c, const struct fal_seen *q, enum fal_window w,
                        int64_t due, const struct fal_point *cause)
{
    const struct fal_stream *stream = fal_in_stream(c, w);
    bool initial = cause == NULL;
    const char *init = w == FAL_WINDOW_REQ ? "FTP-9.2.1-02" : "FTP-9.2.1-05";
    struct fal_break b = fal_break_begin(c, initial ? init : base_requirement(q));
    char number[FAL_NUMBER_MAX], line[FAL_LINE_MAX];

    (void)fal_psn_text(stream, due, number);
    if (cause != NULL)
        fal_break_cause(&b, &cause->at);
    fal_break_expected(&b, "%s base %s or more, which %s", fal_window_word(w), number,
                       initial ? "is the initial one" : "an older packet acknowledged");
    fal_break_seen(&b, "%s", fal_line(c, q->packet, line));
    fal_break_end(c, &b, &q->at);
}

static void add_base(struct history *h, int64_t base, const struct fal_point *point)
{
    if (h->num > 0 && base <= h->list[h->num - 1].base)
        return;
    if (h->num == BASES_MAX) {
        memmove(&h->list[0], &h->list[1], (BASES_MAX - 1) * sizeof h->list[0]);
        h->num--;
    }
    h->list[h->num].base = base;
    h->list[h->num++].point = *point;
}

static void check_base(struct fal_ctx *c, struct state *state, const struct fal_seen *q,
                       enum fal_window w, struct outcome *o)
{
    struct history *h = &state->bases[w];
    const struct fal_stream *stream = fal_in_stream(c, w);
    const struct fal_point *point = fal_point_of(q);
    int64_t base = q->claim[w].base;
    enum fal_excuse why = FAL_EXCUSE_OUT_REORDER;

    if (h->num > 0 && h->list[h->num - 1].base == base) { /* most packets */
        o->compared = true;
        return;
    }
    if (stream->known && base < stream->first) {
        base_broken(c, q, w, stream->first, NULL);
        o->broken = true;
        return;
    }
    o->compared = o->compared || h->num > 0;
    for (unsigned i = 0; i < h->num && h->list[h->num - 1].base > base; i++) {
        if (h->list[i].base <= base)
            continue;
        switch (fal_window_before(c, w, &h->list[i].point, point, &why)) {
        case FAL_BEFORE:
            base_broken(c, q, w, h->list[i].base, &h->list[i].point);
            o->broken = true;
            h->num = 0; /* from here on its newest word counts */
            break;
        case FAL_ORDER_UNKNOWN: excuse(o, why); break;
        case FAL_NOT_BEFORE: break;
        }
    }
    add_base(h, base, point);
}

/* ---- bits ---- */

/* Bits of a snapshot at `base`, as they would stand in one at `at`. */
static fal_u128 moved(fal_u128 bits, int64_t base, int64_t at)
{
    int64_t up = at - base;

    if (up >= 0)
        return up < 128 ? fal_u128_shr(bits, (unsigned)up) : (fal_u128)0;
    return -up < 128 ? fal_u128_shl(bits, (unsigned)-up) : (fal_u128)0;
}

/* A missing rx bit of a push is no break if the push was NACKed between the two. */
static bool rx_excused(struct fal_ctx *c, const struct state *state, enum fal_window w,
                       int64_t x, const struct snapshot *old, struct outcome *o)
{
    enum fal_excuse why;

    if (w != FAL_WINDOW_DATA ||
        !fal_rx_may_go(c, x, old->point.at.index, state->gap_index, &why))
        return false;
    excuse(o, why);
    return true;
}

static void bit_broken(struct fal_ctx *c, const struct fal_seen *q, enum fal_window w,
                       int64_t x, bool ack, const struct fal_point *cause)
{
    const char *bitmap = w == FAL_WINDOW_REQ ? "req" : ack ? "dack" : "drx";
    const char *requirement = w == FAL_WINDOW_REQ ? "FTP-9.2.1-07"
                              : ack               ? "FTP-9.2.1-08"
                                                  : "FTP-9.2.1-09";
    struct fal_break b = fal_break_begin(c, requirement);
    char number[FAL_NUMBER_MAX], line[FAL_LINE_MAX];

    fal_break_cause(&b, &cause->at);
    fal_break_expected(&b, "the bit of PSN %s in %s, which an older EACK had set",
                       fal_psn_text(fal_in_stream(c, w), x, number), bitmap);
    fal_break_seen(&b, "%s", fal_line(c, q->packet, line));
    fal_break_end(c, &b, &q->at);
}

/* Holds one window of q against an older snapshot; true when q broke it. */
static bool check_bits(struct fal_ctx *c, const struct state *state, const struct fal_seen *q,
                       enum fal_window w, const struct snapshot *old, struct outcome *o)
{
    const struct fal_claim *claim = &q->claim[w];
    fal_u128 window = fal_u128_ones(fal_window_size(w));
    fal_u128 ack = moved(old->ack[w], old->base[w], claim->base) & window;
    fal_u128 any = moved(old->received[w], old->base[w], claim->base) & window;
    fal_u128 no_ack = ack & ~claim->ack;
    fal_u128 no_rx = any & ~claim->received;
    const struct fal_point *point = fal_point_of(q);
    enum fal_excuse why = FAL_EXCUSE_OUT_REORDER;
    fal_u128 missing = no_ack | no_rx;
    enum fal_order order;

    if (missing == 0)
        return false;
    order = fal_window_before(c, w, &old->point, point, &why);
    if (order == FAL_ORDER_UNKNOWN)
        excuse(o, why);
    if (order != FAL_BEFORE)
        return false;
    for (unsigned n = 0; n < 128; n++) {
        bool is_ack = fal_u128_test(no_ack, n);

        if (!fal_u128_test(missing, n) ||
            (!is_ack && rx_excused(c, state, w, claim->base + n, old, o)))
            continue;
        bit_broken(c, q, w, claim->base + n, is_ack, &old->point);
        return true;
    }
    return false;
}

static void check_snapshot(struct fal_ctx *c, struct state *state, const struct fal_seen *q,
                           struct outcome *o)
{
    struct snapshot *new;
    bool broken = false;

    for (unsigned i = 0; i < state->num_snapshots && !broken; i++) {
        o->compared = true;
        for (unsigned w = 0; w < FAL_WINDOWS && !broken; w++)
            broken = check_bits(c, state, q, (enum fal_window)w, &state->snapshots[i], o);
    }
    if (broken) {
        o->broken = true;
        state->num_snapshots = 0;
    }
    if (state->num_snapshots == SNAPSHOTS_MAX) {
        memmove(&state->snapshots[0], &state->snapshots[1],
                (SNAPSHOTS_MAX - 1) * sizeof state->snapshots[0]);
        state->num_snapshots--;
    }
    new = &state->snapshots[state->num_snapshots++];
    new->point = *fal_point_of(q);
    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        new->base[w] = q->claim[w].base;
        new->ack[w] = q->claim[w].ack;
        new->received[w] = q->claim[w].received;
    }
}

/* Whether a packet shows the bases of the one before it, and nothing else: as most do. */
static bool repeats(const struct state *state, const struct fal_stream *streams,
                    const struct fal_seen *q)
{
    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        const struct history *h = &state->bases[w];

        if (h->num == 0 || h->list[h->num - 1].base != q->claim[w].base ||
            state->epoch[w] != streams[w].epoch)
            return false;
    }
    return q->falcon->packet_type != FAL_EACK;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    const struct fal_stream *streams = c->track->stream[fal_in(c)];
    struct outcome o = {0};

    if (repeats(state, streams, q)) {
        fal_holds(c);
        return;
    }
    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        if (state->epoch[w] != streams[w].epoch) {
            state->epoch[w] = streams[w].epoch;
            state->bases[w].num = 0;
            state->num_snapshots = 0;
        }
    }
    for (unsigned w = 0; w < FAL_WINDOWS; w++)
        check_base(c, state, q, (enum fal_window)w, &o);
    if (q->falcon->packet_type == FAL_EACK)
        check_snapshot(c, state, q, &o);
    if (o.broken)
        return;
    if (o.excused)
        fal_excused_as(c, o.why, FAL_AMB_65, &q->at);
    else if (o.compared)
        fal_holds(c);
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (fal_marks_gap(event, fal_out(c)))
        state->gap_index = event->index;
}

const struct fal_rule_impl fal_rule_r3 = {
    .about = &fal_about_r3,
    .power = 1,
    .state_size = sizeof(struct state),
    .out = out,
    .mark = mark,
};
