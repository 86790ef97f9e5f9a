/* SPDX-License-Identifier: Apache-2.0
 * track_read.c - places a packet among the facts, before the rules judge it. */
#include "oracles/rules/facts/rdma.h"
#include "oracles/rules/facts/track.h"

#include <string.h>

/* Whether fal_stream_news may visit a number, or the claim be one of numbers never sent. */
static bool may_be_news(const struct fal_track *track, const struct fal_seen *seen)
{
    const struct fal_stream *stream = track->stream[fal_dir_other(seen->dir)];

    for (unsigned w = 0; w < FAL_WINDOWS; w++, stream++)
        if (!stream->based || seen->claim[w].snapshot || seen->claim[w].base > stream->base)
            return true;
    return false;
}

/* While the news of a claim are listed. */
struct listing {
    const struct fal_stream *stream;
    struct fal_news *news;
};

static void list_new(void *ctx, int64_t x, bool ack)
{
    struct listing *l = ctx;

    if (l->news->num < FAL_NEWS_MAX)
        l->news->list[l->news->num] = (struct fal_new){x, fal_stream_sent(l->stream, x), ack};
    l->news->num++;
}

static void read_news(const struct fal_track *track, struct fal_seen *seen)
{
    seen->news = may_be_news(track, seen);
    seen->fresh[0].num = seen->fresh[1].num = 0;
    for (unsigned w = 0; seen->news && w < FAL_WINDOWS; w++) {
        struct listing l = {&track->stream[fal_dir_other(seen->dir)][w], &seen->fresh[w]};

        fal_stream_news(l.stream, &seen->claim[w], list_new, &l);
    }
}

/* fal_track_news of more than a list holds. */
struct visiting {
    const struct fal_stream *stream;
    void (*visit)(void *ctx, const struct fal_new *fresh);
    void *ctx;
};

static void visit_one(void *ctx, int64_t x, bool ack)
{
    const struct visiting *v = ctx;

    v->visit(v->ctx, &(struct fal_new){x, fal_stream_sent(v->stream, x), ack});
}

void fal_track_news(const struct fal_track *track, const struct fal_seen *seen,
                    enum fal_window w, void (*visit)(void *ctx, const struct fal_new *fresh),
                    void *ctx)
{
    const struct fal_news *news = &seen->fresh[w];
    struct visiting all = {&track->stream[fal_dir_other(seen->dir)][w], visit, ctx};

    if (news->num > FAL_NEWS_MAX) {
        fal_stream_news(all.stream, &seen->claim[w], visit_one, &all);
        return;
    }
    for (unsigned i = 0; i < news->num; i++)
        visit(ctx, &news->list[i]);
}

static void read_claims(struct fal_track *track, struct fal_seen *seen)
{
    const struct fal_falcon *f = seen->falcon;
    enum fal_dir sender = fal_dir_other(seen->dir);
    struct fal_claim *data = &seen->claim[FAL_WINDOW_DATA], *req = &seen->claim[FAL_WINDOW_REQ];

    data->base =
        fal_stream_extend(&track->stream[sender][FAL_WINDOW_DATA], f->recv_data_base_psn);
    req->base = fal_stream_extend(&track->stream[sender][FAL_WINDOW_REQ], f->recv_req_base_psn);
    data->snapshot = req->snapshot = f->packet_type == FAL_EACK;
    data->ack = data->received = req->ack = req->received = 0;
    if (f->packet_type != FAL_EACK)
        return;
    data->ack = f->data_ack_bitmap;
    data->received = f->data_ack_bitmap | f->data_rx_bitmap;
    req->ack = req->received = f->req_bitmap;
}

/* The first copy that was seen of x is the first that was sent only if no packet can have gone
 * unseen. Every base acknowledges what lies below the initial number, whether it arrived or
 * not.
 */
static void witness(struct fal_seen *seen, enum fal_window w, const struct fal_stream *stream,
                    int64_t x)
{
    const struct fal_sent *sent;

    if (x < stream->doubt || stream->holes || (stream->known && x < stream->first))
        return;
    sent = fal_stream_sent(stream, x);
    if (sent == NULL)
        return;
    if (!seen->has_witness || sent->first.index > seen->witness) {
        seen->has_witness = true;
        seen->witness_window = w;
        seen->witness = sent->first.index;
        seen->witness_ns = sent->first.t_ns;
    }
}

/* First transmissions leave in order, so the highest claimed numbers are the youngest. */
static void find_witness(const struct fal_track *track, struct fal_seen *seen)
{
    const struct fal_stream *stream = track->stream[fal_dir_other(seen->dir)];
    const struct fal_claim *claim = seen->claim;

    if (track->undeclared) /* A copy before it may have gone unseen. */
        return;
    for (unsigned w = 0; w < FAL_WINDOWS; w++, stream++, claim++) {
        if (!fal_stream_believes(stream, claim))
            continue;
        witness(seen, (enum fal_window)w, stream, claim->base - 1);
        if (claim->received != 0)
            witness(seen, (enum fal_window)w, stream,
                    claim->base + fal_u128_top(claim->received));
    }
}

/* Whether its receiver may have dropped it: for an error, and, if it is the SUT, for a reserved
 * bit (AMB-27). */
static bool is_doubtful(const struct fal_ev_packet *packet, bool to_sut)
{
    const struct fal_issues *issues = &packet->issues;

    for (size_t i = 0; i < issues->count; i++)
        if (issues->list[i].severity == FAL_ERROR ||
            (to_sut && strcmp(issues->list[i].code, "reserved-not-zero") == 0))
            return true;
    return issues->dropped > 0;
}

bool fal_track_parts(const struct fal_ev_packet *packet)
{
    return packet->issues.count > 0 && is_doubtful(packet, true) != is_doubtful(packet, false);
}

static void read_reliable(struct fal_track *track, struct fal_seen *seen)
{
    const struct fal_falcon *f = seen->falcon;

    seen->reliable = true;
    seen->type = f->packet_type == FAL_RESYNC ? f->resync_packet_type : f->packet_type;
    seen->window = fal_falcon_window(f);
    seen->x = fal_stream_extend(&track->stream[seen->dir][seen->window], f->psn);
    seen->space = seen->type == FAL_PULL_DATA ? fal_dir_other(seen->dir) : seen->dir;
    seen->rsn = fal_track_rsn(track, seen->space, f->rsn);
    seen->length =
        f->packet_type == FAL_PULL_REQUEST ? f->request_length : seen->packet->payload_len;
    seen->hash = seen->packet->payload_hash;
    seen->prior = fal_stream_sent(&track->stream[seen->dir][seen->window], seen->x);
    seen->request = fal_ring_at(&track->requests[seen->space], seen->rsn);
}

/* A packet without a number of its own. */
static void read_other(struct fal_seen *seen)
{
    seen->reliable = false;
    seen->window = FAL_WINDOW_DATA;
    seen->space = FAL_TO_SUT;
    seen->x = seen->rsn = 0;
    seen->type = seen->length = 0;
    seen->hash = 0;
    seen->prior = NULL;
    seen->request = NULL;
}

/* A sealed packet shows how far the path reorders. */
static void read_seal(struct fal_track *track, const struct fal_ev_packet *packet)
{
    const struct fal_echoes *echoes = &track->echoes[packet->dir];
    const struct fal_echo *last;
    bool given = (track->setup.unknown_params >> FAL_PARAM_AT_replay_margin & 1) == 0;
    uint64_t margin_ps = given ? track->setup.params.replay_margin_ns * 1000 : 0;
    int64_t behind_ps;

    if (packet->spi == 0 || !packet->has_iv)
        return;
    last = fal_ring_at(&echoes->ring, echoes->ring.hi - 1);
    behind_ps = last != NULL ? (int64_t)(last->highest - packet->iv) : 0;
    track->sealed[packet->dir] = true;
    if (last != NULL && behind_ps >= 0 && (uint64_t)behind_ps >= margin_ps)
        track->overtaken[packet->dir] = true;
}

void fal_track_read(struct fal_track *track, const struct fal_event *event,
                    const struct fal_ulp *ulp, struct fal_seen *seen)
{
    seen->event = event;
    seen->packet = &event->u.packet;
    seen->falcon = &event->u.packet.falcon;
    seen->dir = event->u.packet.dir;
    seen->at = fal_at_event(event);
    seen->doubtful = is_doubtful(seen->packet, (seen->dir == FAL_TO_SUT) != track->turned);
    seen->has_witness = false;
    seen->witness = seen->witness_ns = 0;
    seen->witness_window = FAL_WINDOW_DATA;
    read_seal(track, seen->packet);
    read_claims(track, seen);
    read_news(track, seen);
    find_witness(track, seen);
    seen->point = (struct fal_point){.at = seen->at,
                                     .has_iv = seen->packet->has_iv,
                                     .iv = seen->packet->iv,
                                     .has_witness = seen->has_witness,
                                     .witness = seen->witness,
                                     .witness_ns = seen->witness_ns,
                                     .witness_window = (uint8_t)seen->witness_window};
    if (fal_falcon_reliable(seen->falcon->packet_type))
        read_reliable(track, seen);
    else
        read_other(seen);
    seen->nvme = NULL;
    fal_rdma_say(track, seen, seen->reliable ? ulp : NULL);
}
