/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/queues/acks.h"

#include "oracles/rules/judge/order.h"

#include <stddef.h>

/* Below half of the time after which 24 bits wrap (2.2 s): an IV that is older tells nothing.
 */
#define FRESH_NS (FAL_S / 2)

/* Whether some bit is 0 below one that is 1. */
static bool has_hole(fal_u128 bits)
{
    return (bits & (bits + 1)) != 0;
}

static uint32_t ticks_of(uint64_t iv)
{
    return (uint32_t)(iv >> FAL_T1_SHIFT) & FAL_CC_TIME_MAX;
}

/* Whether the SUT has surely sent everything below the base: it may discard an ACK that claims
 * more. */
static bool claims_sent(const struct fal_ctx *c, enum fal_window w, int64_t base)
{
    const struct fal_stream *stream = fal_out_stream(c, w);

    return stream->started &&
           ((stream->known && base == stream->first) ||
            fal_track_was_sent(c->track, fal_out(c), w, base - 1) == FAL_WAS_SENT);
}

/* How many bases are surely older than those of an ACK that the SUT had before, and did not
 * discard. */
static unsigned older_bases(struct fal_acks *acks, const struct fal_ctx *c,
                            const struct fal_seen *p)
{
    const struct fal_path in = fal_path_in(c);
    unsigned older = 0;
    bool sent = !p->doubtful;

    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        sent = sent && claims_sent(c, w, p->claim[w].base);
        older += acks->based && p->claim[w].base < acks->base[w];
    }
    for (unsigned w = 0; w < FAL_WINDOWS && sent && older == 0; w++)
        acks->base[w] = p->claim[w].base;
    acks->based |= sent && older == 0;
    return in.lossless && in.in_order && in.no_duplicates && fal_pipeline_ns(c) == 0 ? older
                                                                                     : 0;
}

static void forget(struct fal_acks *acks, unsigned i)
{
    uint32_t t2 = FAL_BAG(&acks->bag, struct fal_ack_in, i)->t2;

    if (!acks->forgot || fal_sub24(t2, acks->forgot_t2) <= FAL_CC_TIME_MAX / 2)
        acks->forgot_t2 = t2;
    acks->forgot = true;
    fal_bag_remove(&acks->bag, sizeof(struct fal_ack_in), i);
}

/* The oldest that an event was made of; else the oldest of all. */
static void forget_one(struct fal_acks *acks)
{
    for (unsigned i = 0; i < acks->bag.num; i++) {
        if (FAL_BAG(&acks->bag, struct fal_ack_in, i)->used) {
            forget(acks, i);
            return;
        }
    }
    forget(acks, 0);
}

void fal_acks_in(struct fal_acks *acks, const struct fal_ctx *c, const struct fal_seen *p)
{
    const struct fal_engine *engine = &c->bench->engine;
    const struct fal_falcon *f = p->falcon;
    struct fal_ack_in *ack;
    unsigned older;

    if (!fal_falcon_is_ack(f->packet_type) || !c->track->setup.rue.known)
        return;
    older = older_bases(acks, c, p);
    if (!engine->traced && !engine->tester && !engine->unsure) {
        acks->missed = true; /* Nobody asked for entries yet. */
        return;
    }
    if (acks->bag.num == FAL_ACKS_MAX)
        forget_one(acks);
    ack = fal_bag_add(&acks->bag, sizeof *ack, FAL_ACKS_MAX);
    if (ack == NULL) {
        acks->missed = true;
        return;
    }
    *ack = (struct fal_ack_in){
        .at = p->at,
        .t1 = f->t1 & FAL_CC_TIME_MAX,
        .t2 = f->t2 & FAL_CC_TIME_MAX,
        .t3 = ticks_of(p->packet->iv),
        .has_iv = p->packet->has_iv,
        .has_sut_ticks =
            acks->has_sut_ticks &&
            p->at.t_ns - acks->sut_ns<FRESH_NS, .sut_ticks = acks->sut_ticks,
                                      .ecn = f->ecn_rx_count, .type = (uint8_t)f->packet_type,
                                      .hops = f->hop_count, .level = f->rx_buffer_occupancy,
                                      .stale = older == FAL_WINDOWS, .half_stale = older> 0};
    if (f->packet_type == FAL_NACK)
        ack->nack_code = f->nack_code;
    if (f->packet_type == FAL_EACK)
        ack->hole = has_hole(f->data_rx_bitmap) || has_hole(f->data_ack_bitmap) ||
                    has_hole(f->data_rx_bitmap | f->data_ack_bitmap) || has_hole(f->req_bitmap);
}

void fal_acks_out(struct fal_acks *acks, const struct fal_ctx *c, const struct fal_seen *q)
{
    uint32_t ticks = ticks_of(q->packet->iv);

    if (!q->packet->has_iv || !c->track->setup.rue.known ||
        !c->track->clock[fal_out(c)].verified)
        return;
    if (!acks->has_sut_ticks || q->at.t_ns - acks->sut_ns >= FRESH_NS ||
        fal_sub24(ticks, acks->sut_ticks) <= FAL_CC_TIME_MAX / 2)
        acks->sut_ticks = ticks;
    acks->has_sut_ticks = true;
    acks->sut_ns = q->at.t_ns;
}

static unsigned agreeing(const struct fal_ack_in *ack, const struct fal_cc_event *event)
{
    unsigned times = (ack->t1 == event->t1) + (unsigned)(ack->t2 == event->t2);

    return ack->has_iv ? times + (ack->t3 == event->t3) : times;
}

/* How well the packet agrees with the event; 0: it is another one's. */
static unsigned score_of(const struct fal_ack_in *ack, const struct fal_cc_event *event)
{
    unsigned times = agreeing(ack, event);
    bool same_type = (ack->type == FAL_NACK) == (event->event_type == FAL_CC_NACK) &&
                     (ack->type != FAL_NACK || ack->nack_code == event->nack_code);
    bool same_eack = (ack->type == FAL_EACK) == (event->eack != 0);
    bool same_peer = ack->hops == event->forward_hops && ack->level == event->rx_buffer_level &&
                     ack->ecn == event->ecn_accumulated;

    /* A copy of a packet may make a second event, so fields count more than `used`. */
    return times < 2
               ? 0
               : 16 * times + (same_type ? 8 : 0) + (same_eack ? 4 : 0) + (same_peer ? 2 : 0);
}

/* Of packets that agree equally well, which comes first: one that no event was made of, and of
 * those one that the SUT surely took. */
static unsigned rank_of(const struct fal_ack_in *ack)
{
    return (ack->used ? 0U : 2U) + !ack->half_stale;
}

struct fal_ack_in *fal_acks_of(struct fal_acks *acks, const struct fal_cc_event *event)
{
    struct fal_ack_in *best = NULL, *holed = NULL;
    unsigned best_score = 0;

    for (unsigned i = 0; i < acks->bag.num; i++) {
        struct fal_ack_in *ack = FAL_BAG(&acks->bag, struct fal_ack_in, i);
        unsigned score = score_of(ack, event);

        if (score == 0 || score < best_score)
            continue;
        if (score > best_score)
            best = holed = NULL;
        best_score = score;
        if (best == NULL || rank_of(ack) > rank_of(best))
            best = ack;
        if (ack->hole && (holed == NULL || rank_of(ack) > rank_of(holed)))
            holed = ack;
    }
    /* Of packets that agree in all else, the event may be about the one with the hole; then an
     * earlier event was about the other. */
    if (best != NULL && event->eack_drop && !best->hole && holed != NULL) {
        if (!holed->used)
            return holed;
        best->hole = true;
        holed->hole = false;
    }
    return best;
}
