/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/copies.h"

#include <string.h>

enum {
    WINDOW_UNKNOWN = 8192
}; /* A transmit window that is not configured is at least this large. */

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

static uint64_t mix_at(uint64_t h, const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return mix(h, word);
}

/* A hash of FAL_HEADER_MAX bytes, without a loop: most packets need it. */
static uint64_t long_hash(const uint8_t *bytes)
{
    uint64_t h = mix_at(FAL_HEADER_MAX, bytes);

    h = mix_at(h, bytes + 8);
    h = mix_at(h, bytes + 16);
    h = mix_at(h, bytes + 24);
    h = mix_at(h, bytes + 32);
    h = mix_at(h, bytes + 40);
    h = mix_at(h, bytes + 48);
    h = mix_at(h, bytes + 56);
    return mix_at(h, bytes + 64);
}
_Static_assert(FAL_HEADER_MAX == 9 * sizeof(uint64_t), "long_hash takes nine words");

/* Of fewer bytes. */
static uint64_t short_hash(const uint8_t *bytes, size_t len)
{
    uint64_t h = len, word = 0;
    size_t at = 0;

    for (; len - at >= sizeof word; at += sizeof word)
        h = mix_at(h, bytes + at);
    if (at == len)
        return h;
    memcpy(&word, bytes + at, len - at);
    return mix(h, word);
}

uint32_t fal_copy_mark(const struct fal_seen *seen)
{
    const struct fal_ev_packet *packet = seen->packet;

    return (uint32_t)(packet->len >= FAL_HEADER_MAX ? long_hash(packet->bytes)
                                                    : short_hash(packet->bytes, packet->len));
}

struct fal_at fal_last_copy(const struct fal_sent *sent)
{
    return (struct fal_at){
        .index = sent->last_index,
        .t_ns = sent->last_ns,
        .frame = sent->last_frame,
        .step = -1,
        .origin = (sent->flags & FAL_SENT_STEPPED) != 0 ? FAL_ORIGIN_STEP : sent->first.origin};
}

bool fal_stream_acked(const struct fal_stream *stream, int64_t x)
{
    uint64_t n = (uint64_t)(x - stream->base);

    return stream->based &&
           (x < stream->base || (n < 128 && fal_u128_test(stream->acked, (unsigned)n)));
}

void fal_copies_add(struct fal_sent *sent, const struct fal_seen *seen)
{
    const struct fal_ev_packet *packet = seen->packet;

    if (packet->origin == FAL_ORIGIN_STEP && seen->dir == FAL_TO_SUT)
        sent->flags |= FAL_SENT_STEPPED;
    if (sent->flags != 0 && packet->has_iv && sent->last_has_iv && packet->iv < sent->last_iv)
        return; /* it left before the newest */
    sent->last_ns = seen->at.t_ns;
    sent->last_index = seen->at.index;
    sent->last_frame = seen->at.frame;
    sent->last_has_iv = packet->has_iv;
    sent->last_iv = packet->iv;
    sent->last_mark = packet->has_iv ? 0 : fal_copy_mark(seen);
}

void fal_copies_uncount(struct fal_stream *stream, struct fal_sent *sent)
{
    if (sent == NULL || (sent->flags & FAL_SENT_COUNTED) == 0)
        return;
    sent->flags &= (uint16_t)~FAL_SENT_COUNTED;
    stream->requests--;
}

/* A Resync takes the place of the request (9.1.8). */
void fal_copies_count(struct fal_stream *stream, const struct fal_seen *seen,
                      struct fal_sent *sent)
{
    if (seen->falcon->packet_type == FAL_RESYNC) {
        fal_copies_uncount(stream, sent);
    } else if (sent->copies == 1 && (sent->flags & FAL_SENT_RESYNC) == 0 &&
               seen->type != FAL_PULL_DATA && !fal_stream_acked(stream, seen->x)) {
        sent->flags |= FAL_SENT_COUNTED;
        stream->requests++;
    }
}

/* Numbers that the EACK shows missing, clearly below the highest that it shows received (9.1.4,
 * AMB-55); in terms of the stream's base. */
static fal_u128 missing(const struct fal_stream *stream, const struct fal_claim *claim,
                        enum fal_window w, uint32_t threshold)
{
    int top = fal_u128_top(claim->received);
    uint32_t least = threshold > 0 ? threshold : 1;
    int64_t up = stream->base - claim->base;
    fal_u128 bits = 0;

    if (top < 0 || (uint32_t)top < least || up >= fal_window_size(w) || up < 0)
        return bits;
    bits = (fal_u128_ones((unsigned)top - least + 1) & ~claim->received);
    return fal_u128_shr(bits, (unsigned)up);
}

static bool given(const struct fal_connection *setup, enum fal_param_at param)
{
    return (setup->unknown_params >> param & 1) == 0;
}

/* A sender goes at most this far beyond its base. */
static int64_t window_limit(const struct fal_connection *setup, enum fal_window w)
{
    const struct fal_params *p = &setup->params;
    bool req = w == FAL_WINDOW_REQ;
    int64_t limit = WINDOW_UNKNOWN;

    if (given(setup, req ? FAL_PARAM_AT_tx_window_req : FAL_PARAM_AT_tx_window_data))
        limit = (int64_t)(req ? p->tx_window_req : p->tx_window_data) + 1; /* AMB-10 */
    if (given(setup, FAL_PARAM_AT_fcwnd) && p->fcwnd < limit)
        limit = p->fcwnd > 0 ? p->fcwnd : 1;
    return limit;
}

void fal_copies_claim(struct fal_track *track, const struct fal_seen *seen, enum fal_window w)
{
    struct fal_stream *stream = &track->stream[fal_dir_other(seen->dir)][w];
    bool known = given(&track->setup, FAL_PARAM_AT_ooo_threshold), restates;
    fal_u128 bits;

    /* The claims are younger than all packets that went unseen. Claims of a step, or claims
     * below earlier ones, may be of any age. */
    restates = (track->in_order[seen->dir] && seen->packet->origin != FAL_ORIGIN_STEP &&
                seen->claim[w].base >= stream->base) ||
               (seen->has_witness && seen->witness > track->gap_index[seen->dir]);

    stream->base_unsure = stream->base_unsure && !restates;
    if (!seen->claim[w].snapshot)
        return;
    stream->bits_unsure = stream->bits_unsure && !restates;
    bits = missing(stream, &seen->claim[w], w, known ? track->setup.params.ooo_threshold : 0);
    if (bits != 0) {
        stream->licensed = stream->licensed | bits;
        stream->licence = seen->at;
    }
    /* Either bit may be meant: AMB-06 is not settled. An OWN bit covers everything that was
     * sent when it arrives, unless the base had moved on by then: then it is discarded with the
     * old ACK. */
    if (seen->falcon->own != 0) {
        int64_t below = seen->claim[w].base + window_limit(&track->setup, w);

        if (below > stream->licensed_below)
            stream->licensed_below = below;
        stream->licence = seen->at;
    }
}

void fal_copies_gap(struct fal_stream *stream)
{
    stream->base_unsure = stream->bits_unsure = true;
}
