/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/track.h"

#include "oracles/rules/facts/copies.h"

#include <string.h>

#define RSN_BIAS (INT64_C(1) << 40)

enum {
    RSN_MAX = 2048, /* transactions kept of one side */
    RSN_KEPT = 512, /* of them, behind the newest */
    /* Below this share of 12 million packets a second a gap cannot hide 2^31 of them. */
    WRAP_SECONDS = 170,
};

struct fal_at fal_at_event(const struct fal_event *event)
{
    struct fal_at at = {.index = event->index, .t_ns = event->t_ns, .step = -1};

    if (event->kind == FAL_EV_PACKET) {
        const struct fal_ev_packet *packet = &event->u.packet;

        at.frame = packet->frame;
        at.error_ns = packet->error_ns < UINT32_MAX ? (uint32_t)packet->error_ns : UINT32_MAX;
        at.step = packet->step;
        at.origin = packet->dir == FAL_TO_SUT ? (uint8_t)packet->origin : 0;
    }
    return at;
}

static const struct fal_end *end_of(const struct fal_connection *setup, enum fal_dir dir)
{
    return dir == FAL_TO_SUT ? &setup->tester : &setup->sut;
}

void fal_track_init(struct fal_track *track, const struct fal_connection *setup)
{
    *track = (struct fal_track){.setup = *setup, .wake_ns = {FAL_NEVER, FAL_NEVER}};
    for (enum fal_dir d = FAL_TO_SUT; d <= FAL_FROM_SUT; d++) {
        const struct fal_end *end = end_of(setup, d);

        fal_stream_init(&track->stream[d][FAL_WINDOW_REQ], setup->initial_known, end->req_psn);
        fal_stream_init(&track->stream[d][FAL_WINDOW_DATA], setup->initial_known,
                        end->data_psn);
        fal_ring_init(&track->requests[d], sizeof(struct fal_request), RSN_MAX);
        fal_echoes_init(&track->echoes[d], !setup->initial_known);
        track->rsn_started[d] = setup->initial_known;
        track->rsn_next[d] = track->rsn_first[d] = RSN_BIAS + end->rsn;
        track->rsn_doubt[d] = !setup->initial_known;
    }
}

void fal_track_update(struct fal_track *track, const struct fal_connection *setup)
{
    bool known = track->setup.initial_known;

    track->setup = *setup;
    track->setup.initial_known = known; /* What was judged without it is not judged again. */
}

void fal_track_free(struct fal_track *track)
{
    for (unsigned d = 0; d < FAL_DIRS; d++) {
        for (unsigned w = 0; w < FAL_WINDOWS; w++)
            fal_stream_free(&track->stream[d][w]);
        fal_nacks_free(&track->nacks[d]);
        fal_echoes_free(&track->echoes[d]);
        fal_ring_free(&track->requests[d]);
    }
    fal_answers_free(&track->answers);
}

bool fal_track_part(struct fal_track *to, const struct fal_track *from)
{
    bool ok = true;

    *to = *from;
    to->turned = !from->turned;
    for (unsigned d = 0; d < FAL_DIRS; d++) {
        for (unsigned w = 0; w < FAL_WINDOWS; w++)
            ok = fal_stream_copy(&to->stream[d][w], &from->stream[d][w]) && ok;
        ok = fal_nacks_copy(&to->nacks[d], &from->nacks[d]) && ok;
        ok = fal_echoes_copy(&to->echoes[d], &from->echoes[d]) && ok;
        ok = fal_ring_copy(&to->requests[d], &from->requests[d]) && ok;
    }
    return fal_answers_copy(&to->answers, &from->answers) && ok;
}

static void each_ring(struct fal_track *track, void (*act)(struct fal_ring *ring))
{
    for (unsigned d = 0; d < FAL_DIRS; d++) {
        for (unsigned w = 0; w < FAL_WINDOWS; w++)
            act(&track->stream[d][w].sent);
        act(&track->echoes[d].ring);
        act(&track->requests[d]);
    }
}

void fal_track_pack(struct fal_track *track)
{
    each_ring(track, fal_ring_pack);
}

void fal_track_unpack(struct fal_track *track)
{
    each_ring(track, fal_ring_unpack);
}

size_t fal_track_bytes(const struct fal_track *track)
{
    size_t bytes = 0;

    for (unsigned d = 0; d < FAL_DIRS; d++) {
        for (unsigned w = 0; w < FAL_WINDOWS; w++)
            bytes += fal_ring_bytes(&track->stream[d][w].sent);
        bytes += fal_ring_bytes(&track->echoes[d].ring) + fal_ring_bytes(&track->requests[d]);
    }
    return bytes;
}

bool fal_track_oom(const struct fal_track *track)
{
    bool oom = track->oom;

    for (unsigned d = 0; d < FAL_DIRS; d++) {
        for (unsigned w = 0; w < FAL_WINDOWS; w++)
            oom = oom || fal_ring_oom(&track->stream[d][w].sent);
        oom = oom || fal_ring_oom(&track->echoes[d].ring) || fal_ring_oom(&track->requests[d]);
    }
    return oom;
}

bool fal_track_blind(const struct fal_track *track, enum fal_dir dir)
{
    return !track->foreign[dir] && !track->own[dir] && track->foreign[fal_dir_other(dir)];
}

enum fal_was_sent fal_track_was_sent(const struct fal_track *track, enum fal_dir dir,
                                     enum fal_window window, int64_t x)
{
    const struct fal_stream *stream = &track->stream[dir][window];

    if (fal_stream_sent(stream, x) != NULL)
        return FAL_WAS_SENT;
    if (x < stream->doubt || fal_ring_forgot(&stream->sent, x) || stream->far_lost)
        return FAL_MAY_BE_SENT;
    /* A third party's packets: the capture probably missed packets in a hole, and others may
     * send packets too, so that no packet can be denied. */
    if (track->foreign[dir] && (x < stream->next || stream->holes || track->own[dir]))
        return FAL_MAY_BE_SENT;
    return fal_track_blind(track, dir) ? FAL_MAY_BE_SENT : FAL_NOT_SENT;
}

/* ---- transactions ---- */

int64_t fal_track_rsn(struct fal_track *track, enum fal_dir space, uint32_t rsn)
{
    if (!track->rsn_started[space]) {
        track->rsn_started[space] = true;
        track->rsn_next[space] = RSN_BIAS + rsn;
    }
    return fal_seq_extend(track->rsn_next[space], rsn);
}

struct fal_request *fal_track_request(struct fal_track *track, enum fal_dir space, uint32_t rsn)
{
    return fal_ring_at(&track->requests[space], fal_track_rsn(track, space, rsn));
}

int64_t fal_track_first_rsn(const struct fal_track *track, enum fal_dir space, int64_t rsn,
                            int64_t most)
{
    const struct fal_ring *ring = &track->requests[space];
    int64_t first = rsn - most;

    if (ring->floor > first)
        first = ring->floor;
    if (track->setup.initial_known && track->rsn_first[space] > first)
        first = track->rsn_first[space];
    return first;
}

static struct fal_request *request_new(struct fal_track *track, enum fal_dir space, int64_t rsn)
{
    struct fal_request *request = fal_ring_reach(
        &track->requests[space], rsn, track->rsn_next[space] - RSN_KEPT, &track->oom);

    if (request != NULL && rsn >= track->rsn_next[space])
        track->rsn_next[space] = rsn + 1;
    return request;
}

struct fal_request *fal_track_request_new(struct fal_track *track, enum fal_dir space,
                                          uint32_t rsn)
{
    return request_new(track, space, fal_track_rsn(track, space, rsn));
}

bool fal_track_request_lost(struct fal_track *track, enum fal_dir space, uint32_t rsn)
{
    return track->rsn_lost[space] ||
           fal_ring_forgot(&track->requests[space], fal_track_rsn(track, space, rsn));
}

bool fal_track_request_may(struct fal_track *track, enum fal_dir space, uint32_t rsn)
{
    return track->rsn_doubt[space] || fal_track_request_lost(track, space, rsn);
}

/* ---- placing a packet ---- */

/* Whether fal_stream_news may visit a number, or the claim be one of numbers never sent. */
static bool may_be_news(const struct fal_track *track, const struct fal_seen *seen)
{
    const struct fal_stream *stream = track->stream[fal_dir_other(seen->dir)];

    for (unsigned w = 0; w < FAL_WINDOWS; w++, stream++)
        if (!stream->based || seen->claim[w].snapshot || seen->claim[w].base > stream->base)
            return true;
    return false;
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
 * unseen. */
static void witness(struct fal_seen *seen, enum fal_window w, const struct fal_stream *stream,
                    int64_t x)
{
    const struct fal_sent *sent;

    if (x < stream->doubt || stream->holes)
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
                    struct fal_seen *seen)
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
    seen->news = may_be_news(track, seen);
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
}

/* ---- making it a fact ---- */

static unsigned sent_flags(const struct fal_seen *seen)
{
    unsigned flags =
        seen->falcon->packet_type == FAL_RESYNC ? FAL_SENT_RESYNC : FAL_SENT_ORIGINAL;

    if (seen->packet->truncated)
        flags |= FAL_SENT_PARTIAL;
    if (seen->doubtful)
        flags |= FAL_SENT_DOUBTFUL;
    return flags;
}

static void commit_copy(struct fal_track *track, const struct fal_seen *seen)
{
    struct fal_stream *stream = &track->stream[seen->dir][seen->window];
    struct fal_sent *sent = fal_stream_reach(stream, seen->window, seen->x, &track->oom);
    bool resync = seen->falcon->packet_type == FAL_RESYNC;

    if (sent == NULL)
        return;
    if (sent->flags == 0) {
        sent->first = seen->at;
        sent->rsn = seen->rsn;
        sent->type = (uint8_t)seen->type;
        if (seen->falcon->ack_req)
            sent->flags |= FAL_SENT_AR;
        if (!stream->based || seen->x >= stream->base + (int64_t)fal_window_size(seen->window))
            sent->flags |= FAL_SENT_BEYOND;
    } else if (sent->rsn != seen->rsn || sent->type != seen->type) {
        sent->flags |= FAL_SENT_VARIED;
    }
    if (!resync) {
        if (sent->copies == 0) {
            sent->length = seen->length;
            sent->hash = seen->hash;
        } else if (!seen->packet->truncated && (sent->flags & FAL_SENT_PARTIAL) == 0 &&
                   (sent->length != seen->length || sent->hash != seen->hash)) {
            sent->flags |= FAL_SENT_VARIED;
        }
        if (sent->copies < UINT32_MAX)
            sent->copies++;
    }
    fal_copies_count(&track->stream[seen->dir][seen->window], seen, sent);
    fal_copies_add(sent, seen);
    sent->flags |= (uint16_t)sent_flags(seen);
    if ((sent->flags & FAL_SENT_VARIED) != 0)
        track->broken[seen->dir] |= FAL_ASSUME_SAME_PACKET;
}

static unsigned quality(const struct fal_seen *seen, unsigned partial)
{
    return seen->packet->truncated || seen->doubtful ? partial : 0;
}

static void commit_answer(const struct fal_seen *seen, struct fal_request *request)
{
    if ((request->flags & FAL_REQ_ANSWERED) == 0) {
        request->answer = seen->at;
        request->answer_psn = seen->x;
        request->answer_length = seen->length;
        request->answer_hash = seen->hash;
    } else if (request->answer_length != seen->length || request->answer_hash != seen->hash ||
               request->answer_psn != seen->x) {
        request->flags |= FAL_REQ_ANSWER_VARIED;
    }
    request->flags |= (uint16_t)(FAL_REQ_ANSWERED | quality(seen, FAL_REQ_ANSWER_PARTIAL));
}

static void commit_request(struct fal_track *track, const struct fal_seen *seen)
{
    bool resync = seen->falcon->packet_type == FAL_RESYNC;
    struct fal_request *request = request_new(track, seen->space, seen->rsn);

    if (request == NULL) {
        track->rsn_lost[seen->space] = true;
        return;
    }
    if (seen->type == FAL_PULL_DATA) {
        if (resync)
            request->flags |= FAL_REQ_ANSWER_RESYNC;
        else
            commit_answer(seen, request);
        if (request->answer_psn != seen->x && (request->flags & FAL_REQ_ANSWERED) != 0)
            track->broken[seen->dir] |= FAL_ASSUME_RSN_UNIQUE;
        return;
    }
    if ((request->flags & FAL_REQ_PLACED) == 0) {
        request->flags |= FAL_REQ_PLACED;
        request->type = (uint8_t)seen->type;
        request->window = (uint8_t)seen->window;
    } else if (request->psn != seen->x || request->window != seen->window) {
        request->flags |= FAL_REQ_VARIED;
        track->broken[seen->dir] |= FAL_ASSUME_RSN_UNIQUE;
    }
    request->psn = seen->x; /* The newest only: a second number is noticed once. */
    request->window = (uint8_t)seen->window;
    if (resync) {
        request->flags |= FAL_REQ_RESYNC;
        return;
    }
    if ((request->flags & FAL_REQ_SENT) == 0) {
        request->first = seen->at;
        request->type = (uint8_t)seen->type;
        request->length = seen->length;
        request->hash = seen->hash;
    } else if (request->length != seen->length || request->hash != seen->hash ||
               request->type != seen->type) {
        request->flags |= FAL_REQ_VARIED;
    }
    request->flags |= (uint16_t)(FAL_REQ_SENT | quality(seen, FAL_REQ_PARTIAL));
}

/* What a claim acknowledges for the first time becomes a fact about its transaction. */
struct claiming {
    struct fal_track *track;
    const struct fal_seen *seen;
    enum fal_window window;
};

static void commit_acked(void *ctx, int64_t x, bool ack)
{
    const struct claiming *c = ctx;
    enum fal_dir sender = fal_dir_other(c->seen->dir);
    struct fal_stream *stream = &c->track->stream[sender][c->window];
    struct fal_sent *slot = fal_ring_at(&stream->sent, x);
    const struct fal_sent *sent =
        slot != NULL && slot->flags != 0 ? slot : fal_stream_sent(stream, x);
    struct fal_request *request;

    if (sent == NULL && c->track->foreign[sender] && x < stream->next)
        stream->holes = true; /* The packet did arrive: the capture missed it. */
    if (ack && sent != NULL)
        fal_copies_uncount(stream, slot);
    if (!ack || sent == NULL || sent->type == FAL_PULL_DATA)
        return;
    request = fal_ring_at(&c->track->requests[sender], sent->rsn);
    if (request != NULL && (request->flags & FAL_REQ_CLAIMED) == 0) {
        request->flags |= FAL_REQ_CLAIMED;
        request->claimed = c->seen->at;
    }
}

/* An ACK or NACK that is older than another one in at least one window. */
static bool is_mixed(const struct fal_track *track, const struct fal_seen *seen)
{
    bool older = false;

    if (seen->reliable)
        return false;
    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        const struct fal_stream *stream = &track->stream[fal_dir_other(seen->dir)][w];

        older = older || !stream->based || seen->claim[w].base < fal_stream_edge(stream);
    }
    return older;
}

/* One past the highest number that a claim says anything about. */
static int64_t top_of(const struct fal_claim *claim)
{
    return claim->base + fal_u128_top(claim->received) + 1;
}

/* Adds what a claim says of window w. False: it cannot be believed. */
static bool commit_news(struct fal_track *track, const struct fal_seen *seen, enum fal_window w)
{
    struct fal_stream *stream = &track->stream[fal_dir_other(seen->dir)][w];
    const struct fal_claim *claim = &seen->claim[w];
    struct claiming ctx = {track, seen, w};

    if (!fal_stream_believes(stream, claim)) {
        track->broken[seen->dir] |= FAL_ASSUME_BASE_SENT;
        return false;
    }
    /* After a gap a claim may cover packets that went unseen; a claim made by a step need
     * not. */
    if (seen->packet->origin == FAL_ORIGIN_STEP && claim->base > stream->next)
        track->broken[seen->dir] |= FAL_ASSUME_BASE_SENT;
    if (claim->snapshot &&
        !fal_stream_believes(stream, &(struct fal_claim){.base = top_of(claim)}))
        track->broken[seen->dir] |= FAL_ASSUME_BASE_SENT; /* A bit claims it. */
    fal_stream_news(stream, claim, commit_acked, &ctx);
    fal_stream_claim(stream, claim);
    return true;
}

static void commit_claims(struct fal_track *track, const struct fal_seen *seen)
{
    bool mixed = is_mixed(track, seen), restates = fal_copies_restate(track, seen);
    struct fal_stream *stream = track->stream[fal_dir_other(seen->dir)];
    const struct fal_claim *claim = seen->claim;

    for (unsigned w = 0; w < FAL_WINDOWS; w++, stream++, claim++) {
        /* The first claim after a gap bounds the doubt, even if it says nothing new. */
        if ((seen->news || stream->doubt == INT64_MAX) &&
            !commit_news(track, seen, (enum fal_window)w))
            continue;
        if (claim->base > stream->taken && !mixed && !seen->doubtful)
            stream->taken = claim->base;
        if (claim->snapshot || (stream->base_unsure && restates))
            fal_copies_claim(track, seen, (enum fal_window)w);
    }
}

static void note_nack(struct fal_track *track, const struct fal_seen *seen,
                      struct fal_stream *stream)
{
    const struct fal_falcon *f = seen->falcon;
    int64_t x = fal_stream_extend(stream, f->nack_psn);
    struct fal_sent *sent = fal_ring_at(&stream->sent, x);
    unsigned discarded = 0;
    bool stale = false;

    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        const struct fal_stream *claimed = &track->stream[fal_dir_other(seen->dir)][w];

        stale = stale || seen->claim[w].base < claimed->base;
        if (seen->claim[w].base < claimed->taken)
            discarded |= 1u << w;
    }
    if (sent != NULL && sent->flags == 0)
        sent = NULL; /* not seen yet */
    if (sent != NULL)
        sent->flags |= FAL_SENT_REFUSED;
    if (f->nack_code != FAL_NACK_RESOURCE && f->nack_code != FAL_NACK_RNR)
        fal_copies_uncount(stream, sent);
    fal_nacks_note(&track->nacks[fal_dir_other(seen->dir)],
                   &(struct fal_nack){.x = x,
                                      .window = f->window & 1,
                                      .code = f->nack_code,
                                      .ulp_code = f->ulp_nack_code,
                                      .stale = stale,
                                      .discarded = (uint8_t)discarded,
                                      .rnr_ns = fal_rnr_timeout_ns(f->rnr_timeout),
                                      .base = {seen->claim[0].base, seen->claim[1].base},
                                      .copy_ns = sent != NULL ? sent->last_ns : 0,
                                      .at = seen->at});
}

bool fal_track_may_miss(const struct fal_track *track, enum fal_dir dir, uint64_t since)
{
    return track->foreign[dir] || fal_track_blind(track, dir) ||
           track->gap_index[dir] > since || track->nacks[fal_dir_other(dir)].lost;
}

static void commit_nack(struct fal_track *track, const struct fal_seen *seen)
{
    const struct fal_falcon *f = seen->falcon;
    struct fal_stream *stream;

    if (f->packet_type != FAL_NACK)
        return;
    stream = &track->stream[fal_dir_other(seen->dir)][f->window & 1];
    if (stream->started)
        note_nack(track, seen, stream);
    if (f->nack_code == FAL_NACK_RESOURCE || f->nack_code == FAL_NACK_RNR)
        fal_stream_nacked(stream, fal_stream_extend(stream, f->nack_psn));
}

/* The IV is a time in picoseconds (AMB-32) if it keeps pace with the vantage's clock. */
static void commit_clock(struct fal_iv_clock *clock, const struct fal_ev_packet *packet,
                         uint64_t t_ns)
{
    uint64_t span_ns = t_ns - clock->t_ns, span_iv_ns = (packet->iv - clock->iv) / 1000;

    if (!packet->has_iv)
        return;
    if (!clock->started || t_ns < clock->t_ns) {
        clock->started = true;
        clock->iv = packet->iv;
        clock->t_ns = t_ns;
    } else if (span_ns >= 100 * FAL_US) {
        bool steady = span_iv_ns / 2 < span_ns && span_ns / 2 < span_iv_ns;

        clock->verified = clock->verified || steady;
        clock->refuted = clock->refuted || (!steady && span_ns >= FAL_MS);
    }
}

static void commit_echo(struct fal_track *track, const struct fal_seen *seen)
{
    if (seen->packet->has_iv)
        fal_echo_note(&track->echoes[seen->dir],
                      &(struct fal_echo){.iv = seen->packet->iv,
                                         .at = seen->at,
                                         .x = seen->x,
                                         .window = (uint8_t)seen->window,
                                         .type = seen->falcon->packet_type,
                                         .reliable = seen->reliable,
                                         .fresh = seen->reliable && seen->prior == NULL},
                      &track->oom);
}

void fal_track_commit(struct fal_track *track, const struct fal_seen *seen)
{
    enum fal_dir d = seen->dir;

    if (d == FAL_TO_SUT)
        *(seen->packet->origin == FAL_ORIGIN_FOREIGN ? &track->foreign[d] : &track->own[d]) =
            true;
    else
        track->foreign[d] = track->foreign[d] || seen->packet->origin == FAL_ORIGIN_FOREIGN;
    if (seen->reliable) {
        commit_copy(track, seen);
        commit_request(track, seen);
    }
    commit_claims(track, seen);
    commit_nack(track, seen);
    commit_clock(&track->clock[d], seen->packet, seen->event->t_ns);
    commit_echo(track, seen);
    track->last_ns[d] = seen->event->t_ns;
}

void fal_track_gap(struct fal_track *track, enum fal_dir dir, uint64_t count, uint64_t t_ns,
                   uint64_t index)
{
    bool anew =
        count > INT32_MAX || (count == 0 && t_ns - track->last_ns[dir] > WRAP_SECONDS * FAL_S);

    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        fal_stream_gap(&track->stream[dir][w], anew);
        fal_copies_gap(&track->stream[fal_dir_other(dir)][w]);
    }
    track->gap_index[dir] = index;
    fal_echoes_gap(&track->echoes[dir]);
    track->rsn_doubt[dir] = true;
    if (anew) {
        fal_ring_reset(&track->requests[dir]);
        track->rsn_started[dir] = false;
    }
}
