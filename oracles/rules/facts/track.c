/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/track.h"

#include "oracles/rules/facts/copies.h"
#include "oracles/rules/facts/rdma.h"

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
    fal_lanes_init(&track->lanes[FAL_TO_SUT]);
    fal_lanes_init(&track->lanes[FAL_FROM_SUT]);
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

void fal_track_undeclared(struct fal_track *track, bool undeclared)
{
    track->undeclared = undeclared;
    for (unsigned d = 0; d < FAL_DIRS; d++)
        track->rsn_doubt[d] = track->rsn_doubt[d] || undeclared;
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
    fal_rdma_free(track->rdma);
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
    to->rdma = fal_rdma_copy(from->rdma, &ok);
    return fal_answers_copy(&to->answers, &from->answers) && ok;
}

static void each_ring(struct fal_track *track, void (*act)(struct fal_ring *ring))
{
    for (unsigned d = 0; d < FAL_DIRS; d++) {
        for (unsigned w = 0; w < FAL_WINDOWS; w++)
            act(&track->stream[d][w].sent);
        act(&track->echoes[d].ring);
        act(&track->requests[d]);
        if (track->rdma != NULL)
            act(&track->rdma->requests[d]);
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
        if (track->rdma != NULL)
            bytes += fal_ring_bytes(&track->rdma->requests[d]);
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
        oom = oom || (track->rdma != NULL && fal_ring_oom(&track->rdma->requests[d]));
    }
    return oom;
}

bool fal_track_blind(const struct fal_track *track, enum fal_dir dir)
{
    return !track->foreign[dir] && !track->own[dir] &&
           (track->foreign[fal_dir_other(dir)] || track->complete);
}

bool fal_track_deaf(const struct fal_track *track, enum fal_dir dir)
{
    return !track->complete && fal_track_blind(track, dir);
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

bool fal_track_may_miss(const struct fal_track *track, enum fal_dir dir, uint64_t since)
{
    return track->undeclared || track->foreign[dir] || fal_track_blind(track, dir) ||
           track->gap_index[dir] > since || track->nacks[fal_dir_other(dir)].lost;
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
        if (track->rdma != NULL)
            fal_ring_reset(&track->rdma->requests[dir]);
        track->rsn_started[dir] = false;
    }
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

struct fal_request *fal_track_request_reach(struct fal_track *track, enum fal_dir space,
                                            int64_t rsn)
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
    return fal_track_request_reach(track, space, fal_track_rsn(track, space, rsn));
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
