/* SPDX-License-Identifier: Apache-2.0
 * track_commit.c - adds a packet to the facts, after the rules have judged it. */
#include "oracles/rules/facts/track.h"

#include "oracles/rules/facts/copies.h"
#include "oracles/rules/facts/rdma.h"

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
    int64_t next = stream->next;
    struct fal_sent *sent = fal_stream_reach(stream, seen->window, seen->x, &track->oom);
    bool resync = seen->falcon->packet_type == FAL_RESYNC;

    if (seen->x > next)
        fal_missed_skip(track, seen, next);
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
    struct fal_request *request = fal_track_request_reach(track, seen->space, seen->rsn);

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

/* A number that a claim acknowledges for the first time becomes a fact about its transaction.
 */
struct claiming {
    struct fal_track *track;
    const struct fal_seen *seen;
    enum fal_window window;
};

static void commit_acked(void *ctx, const struct fal_new *fresh)
{
    const struct claiming *c = ctx;
    enum fal_dir sender = fal_dir_other(c->seen->dir);
    struct fal_stream *stream = &c->track->stream[sender][c->window];
    const struct fal_sent *sent = fresh->sent;
    struct fal_request *request;

    if (sent == NULL && c->track->foreign[sender] && fresh->x < stream->next)
        stream->holes = true; /* The packet did arrive: the capture missed it. */
    if (sent == NULL)
        fal_missed_claim(c->track, c->seen, c->window, fresh->x);
    if (!fresh->ack || sent == NULL)
        return;
    fal_copies_uncount(stream, fal_ring_at(&stream->sent, fresh->x));
    if (sent->type == FAL_PULL_DATA)
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
        fal_missed_base(track, seen, w);
        return false;
    }
    /* After a gap a claim may cover packets that went unseen; a claim made by a step need
     * not. */
    if (seen->packet->origin == FAL_ORIGIN_STEP && claim->base > stream->next)
        track->broken[seen->dir] |= FAL_ASSUME_BASE_SENT;
    if (claim->snapshot &&
        !fal_stream_believes(stream, &(struct fal_claim){.base = top_of(claim)}))
        track->broken[seen->dir] |= FAL_ASSUME_BASE_SENT; /* A bit claims it. */
    fal_track_news(track, seen, w, commit_acked, &ctx);
    fal_stream_claim(stream, claim);
    return true;
}

/* Adds the bases of a packet to what its receiver surely has. The claims are no facts yet. */
static void commit_lanes(struct fal_track *track, const struct fal_seen *seen, bool mixed)
{
    enum fal_dir back = fal_dir_other(seen->dir);
    struct fal_lanes *lanes = &track->lanes[seen->dir];
    struct fal_lane_step step = {
        .t_ns = seen->at.t_ns, .rises = seen->news, .counts = !mixed && !seen->doubtful};

    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        const struct fal_stream *stream = &track->stream[back][w];

        if (stream->taken == INT64_MIN) /* nothing is known, or it was learned anew */
            fal_lanes_init(lanes);
        step.base[w] = seen->claim[w].base;
        step.rises = step.rises || !stream->based || seen->claim[w].base > stream->base;
        step.counts = step.counts && fal_stream_believes(stream, &seen->claim[w]);
    }
    fal_lanes_note(lanes, &step);
    if (step.rises)
        fal_nacks_overtaken(&track->nacks[back], seen->at.t_ns, lanes->within_ns, step.base);
}

static void commit_claims(struct fal_track *track, const struct fal_seen *seen)
{
    bool mixed = is_mixed(track, seen), restates = fal_copies_restate(track, seen);
    struct fal_stream *stream = track->stream[fal_dir_other(seen->dir)];
    const struct fal_claim *claim = seen->claim;

    if (track->lanes[seen->dir].kept)
        commit_lanes(track, seen, mixed);
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
    bool stale = seen->doubtful, unsettled = false;

    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        const struct fal_stream *claimed = &track->stream[fal_dir_other(seen->dir)][w];

        stale = stale || seen->claim[w].base < fal_stream_edge(claimed);
        if (seen->claim[w].base < claimed->taken)
            discarded |= 1u << w;
        unsettled = unsettled ||
                    (track->lanes[seen->dir].kept && seen->claim[w].base < claimed->taken &&
                     seen->claim[w].base >= track->lanes[seen->dir].settled[w]);
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
                                      .unsettled = unsettled,
                                      .rnr_ns = fal_rnr_timeout_ns(f->rnr_timeout),
                                      .base = {seen->claim[0].base, seen->claim[1].base},
                                      .copy_ns = sent != NULL ? sent->last_ns : 0,
                                      .at = seen->at});
}

static void commit_nack(struct fal_track *track, const struct fal_seen *seen)
{
    const struct fal_falcon *f = seen->falcon;
    struct fal_stream *stream;

    if (f->packet_type != FAL_NACK)
        return;
    track->nacked = true;
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

    if (seen->packet->origin == FAL_ORIGIN_FOREIGN && !track->complete)
        track->foreign[d] = true;
    else if (d == FAL_TO_SUT || track->complete)
        track->own[d] = true;
    if (seen->reliable) {
        commit_copy(track, seen);
        commit_request(track, seen);
        fal_rdma_commit(track, seen);
    }
    commit_claims(track, seen);
    commit_nack(track, seen);
    commit_clock(&track->clock[d], seen->packet, seen->event->t_ns);
    commit_echo(track, seen);
    track->last_ns[d] = seen->event->t_ns;
}
