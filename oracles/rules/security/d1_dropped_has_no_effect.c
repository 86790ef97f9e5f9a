/* SPDX-License-Identifier: Apache-2.0
 * d1_dropped_has_no_effect.c - rule D1: a packet that its receiver must drop has no effect. The
 * packet carries a PSN, an RSN or a t1 that no good packet has, and none of them may appear.
 * The rule holds only when the packet provably arrived, and the SUT then accepts the same PSN
 * well-formed. */
#include "oracles/rules/judge/report.h"

#include <stdio.h>

const struct fal_rule fal_about_d1 = {
    .id = "D1",
    .title = "a packet that must be dropped has no effect",
    .requirements =
        FAL_IDS("FTP-6.5-06", "FTP-6.5-07", "FTP-7.1-04", "FTP-9.2.1-17", "FTP-9.2.2.1-01",
                "FTP-9.2.2.1-03", "FTP-9.2.2.1-04", "FTP-9.2.2.1-05", "FTP-9.2.2.2-03",
                "FTP-9.2.2.3-01", "FTP-9.2.2.3-03", "FTP-9.2.2.3-09", "FTP-9.2.2.3-11",
                "FTP-9.2.2.3-12", "FTP-9.2.2.3-13", "FTP-9.2.2.3-14", "FTP-9.2.2.3-15",
                "FTP-9.2.2.3-16", "FTP-11-15"),
    .role = "receiver",
    .needs = "wire, why it must be dropped",
    .assumes = "",
    .doc =
        "Violated when a PSN, RSN or t1 that only such a packet carries appears in an "
        "acknowledgement, a NACK, an echo or a request event. The rule holds when the packet "
        "provably arrived and the same PSN was then accepted in a valid packet. Without the "
        "first proof the rule is excused, without the second undecided.",
};

enum { MARKED_MAX = 64, TICK_SHIFT = 17 /* picoseconds to the unit of t1 */ };

struct marked {
    enum fal_bad bad; /* FAL_BAD_NOT: malformed */
    bool reliable, has_t1;
    bool arrived; /* or would have: the path loses nothing */
    enum fal_window window;
    int64_t x;
    uint32_t rsn, t1;
    struct fal_at at;
};

struct state {
    struct fal_bag marked;
    bool has_t1;
    uint32_t t1; /* of the newest good packet */
};

static const char *reason(const struct marked *m)
{
    static const char *const words[] = {
        [FAL_BAD_NOT] = "malformed",
        [FAL_BAD_CHECKSUM] = "with a wrong checksum",
        [FAL_BAD_LENGTH] = "with a wrong UDP length",
        [FAL_BAD_SEAL] = "that cannot be decrypted or authenticated",
        [FAL_BAD_SPI] = "with a wrong SPI",
        [FAL_BAD_PCID] = "with a wrong PCID",
        [FAL_BAD_REPLAY] = "that is a replay",
    };

    return words[m->bad];
}

static uint32_t t1_of(const struct fal_ev_packet *packet)
{
    return (uint32_t)(packet->iv >> TICK_SHIFT);
}

static void remove_marked(struct state *state, unsigned i)
{
    fal_bag_remove(&state->marked, sizeof(struct marked), i);
}

/* ---- packets that must be dropped, and good ones ---- */

static void raw_in(struct fal_ctx *c, const struct fal_event *event, enum fal_fit fit)
{
    struct state *state = c->state;
    const struct fal_ev_packet *p = &event->u.packet;
    const struct fal_falcon *f = &p->falcon;
    struct marked m = {.bad = p->bad, .at = fal_at_event(event)}, *slot;
    struct fal_stream *stream;
    bool unsent = true;

    if ((fit != FAL_BAD && fit != FAL_MALFORMED) || p->header_len <= 0 || c->track == NULL)
        return;
    m.arrived = fal_path_in(c).lossless;
    (void)fal_echo_find(&c->track->echoes[fal_in(c)], t1_of(p), TICK_SHIFT, &unsent, NULL);
    m.has_t1 = p->has_iv && unsent && !(state->has_t1 && state->t1 == t1_of(p)) &&
               !fal_track_may_miss(c->track, fal_in(c), 0); /* a good one with the same t1 */
    m.t1 = t1_of(p);
    if (fal_falcon_reliable(f->packet_type)) {
        m.window = fal_falcon_window(f);
        stream = &c->track->stream[fal_in(c)][m.window];
        if (stream->started) {
            m.x = fal_stream_extend(stream, f->psn);
            /* what the base is past already, every ACK claims */
            m.reliable = !(stream->based && m.x < stream->base) &&
                         fal_track_was_sent(c->track, fal_in(c), m.window, m.x) == FAL_NOT_SENT;
            m.rsn = f->rsn;
        }
    }
    if (!m.reliable && !m.has_t1)
        return;
    slot = fal_bag_add(&state->marked, sizeof *slot, MARKED_MAX);
    if (slot != NULL)
        *slot = m;
    else
        fal_undecided(c, FAL_EXCUSE_CONFIG);
}

/* A good packet takes the marks that it shares. */
static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;

    if (!p->packet->has_iv)
        return;
    state->has_t1 = true;
    state->t1 = t1_of(p->packet);
    for (unsigned i = state->marked.num; i-- > 0;) {
        struct marked *m = FAL_BAG(&state->marked, struct marked, i);

        if (m->t1 == state->t1)
            m->has_t1 = false;
        if (!m->reliable && !m->has_t1)
            remove_marked(state, i);
    }
}

/* ---- what the SUT shows ---- */

static bool good_copy(struct fal_ctx *c, const struct marked *m)
{
    return fal_track_was_sent(c->track, fal_in(c), m->window, m->x) != FAL_NOT_SENT;
}

/* Its RSN came in a good packet too, whatever the PSN of that. */
static bool good_rsn(struct fal_ctx *c, uint32_t rsn)
{
    const struct fal_request *r = fal_track_request(c->track, fal_in(c), rsn);

    return r != NULL && (r->flags & FAL_REQ_SENT) != 0;
}

/* Which mark a packet shows; NULL: none. */
static const char *shown(struct fal_ctx *c, const struct fal_seen *q, const struct marked *m)
{
    const struct fal_claim *claim = &q->claim[m->window];
    int64_t n = m->x - claim->base;

    if (m->reliable && !good_copy(c, m)) {
        if (fal_claim_acks(claim, m->x) ||
            (claim->snapshot && n < 128 && fal_u128_test(claim->received, (unsigned)n)))
            return "its PSN is acknowledged";
        if (q->falcon->packet_type == FAL_NACK && q->falcon->nack_psn == (uint32_t)m->x &&
            (q->falcon->window & 1) == (unsigned)m->window)
            return "its PSN is NACKed";
    }
    if (m->has_t1 && fal_falcon_is_ack(q->falcon->packet_type) && q->falcon->t1 == m->t1 &&
        !fal_track_may_miss(c->track, fal_in(c), m->at.index))
        return "its t1 is echoed";
    return NULL;
}

static void broken(struct fal_ctx *c, const struct marked *m, const struct fal_at *effect,
                   const struct fal_ev_packet *packet, const char *mark)
{
    fal_broken(c,
               &(struct fal_blame){fal_bad_requirement(m->bad),
                                   {&m->at},
                                   .effect = effect,
                                   .packet = packet,
                                   .seen = mark},
               "no effect of a packet %s; %s", reason(m), mark);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    unsigned i = 0;

    while (i < state->marked.num) {
        const struct marked m = *FAL_BAG(&state->marked, struct marked, i);
        const char *mark = shown(c, q, &m);

        if (mark != NULL) {
            remove_marked(state, i);
            broken(c, &m, &q->at, q->packet, mark);
        } else if (m.reliable && good_copy(c, &m) && fal_claim_acks(&q->claim[m.window], m.x)) {
            remove_marked(state, i);
            if (m.arrived)
                fal_holds(c); /* it came, and the good one was taken after it */
            else
                fal_excused(c, FAL_EXCUSE_IN_LOSS);
        } else {
            i++;
        }
    }
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    struct fal_at at = fal_at_event(event);

    for (unsigned i = 0; ulp->kind == FAL_ULP_REQUEST && i < state->marked.num; i++) {
        const struct marked m = *FAL_BAG(&state->marked, struct marked, i);

        if (!m.reliable || m.rsn != ulp->rsn || good_copy(c, &m) || good_rsn(c, ulp->rsn) ||
            fal_track_request_may(c->track, fal_in(c), ulp->rsn))
            continue;
        remove_marked(state, i);
        broken(c, &m, &at, NULL, "its RSN is delivered");
        return;
    }
}

static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    fal_undecided_all(c, &state->marked,
                      FAL_EXCUSE_CONFIG); /* the same PSN was not taken afterwards */
}

const struct fal_rule_impl fal_rule_d1 = {
    .about = &fal_about_d1,
    .power = 1,
    .state_size = sizeof(struct state),
    .bags = 1,
    .raw_in = raw_in,
    .on_raw_in = FAL_ON_BAD,
    .in = in,
    .on_in = FAL_ON_IV,
    .out = out,
    .on_out = FAL_ON_WAITING,
    .on_ulp = FAL_ON_REQUEST,
    .ulp = ulp,
    .finish = finish,
    .release = fal_bag_release,
};
