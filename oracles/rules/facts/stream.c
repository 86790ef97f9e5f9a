/* SPDX-License-Identifier: Apache-2.0
 * stream.c - the window of one sender: numbers that it sent, numbers that the receiver claimed,
 * and numbers that may have gone unseen. */
#include "oracles/rules/facts/stream.h"

#include <stdlib.h>
#include <string.h>

/* Extended numbers start high enough that nothing before them is negative. */
#define BIAS (INT64_C(1) << 40)

enum {
    STRETCH_MAX = 8192, /* numbers kept of one window */
    FAR_RUN = 16, /* After this many leaps in a row the stream continues at the new place. */
    /* How far beyond a claim unseen packets may be numbered: the largest transmit window
     * assumed for a sender of unknown configuration (AMB-10 leaves the size open), and more,
     * because the claim may be old. */
    UNSEEN_MAX = 4096,
};

void fal_stream_init(struct fal_stream *stream, bool known, uint32_t first)
{
    *stream = (struct fal_stream){.known = known,
                                  .doubt = INT64_MAX,
                                  .first = INT64_MIN,
                                  .taken = INT64_MIN,
                                  .licensed_below = INT64_MIN,
                                  .base_unsure = !known,
                                  .bits_unsure = !known};
    fal_ring_init(&stream->sent, sizeof(struct fal_sent), STRETCH_MAX);
    if (known) {
        stream->started = stream->based = true;
        stream->first = stream->next = stream->base = stream->taken = BIAS + first;
        stream->doubt = INT64_MIN;
    }
}

void fal_stream_free(struct fal_stream *stream)
{
    fal_ring_free(&stream->sent);
    free(stream->far_list);
    stream->far_list = NULL;
    stream->num_far = 0;
}

bool fal_stream_copy(struct fal_stream *to, const struct fal_stream *from)
{
    bool ok;

    *to = *from;
    to->far_list = NULL;
    ok = fal_ring_copy(&to->sent, &from->sent);
    if (from->far_list == NULL)
        return ok;
    to->far_list = calloc(FAL_FAR_MAX, sizeof *to->far_list);
    if (to->far_list == NULL) {
        to->num_far = 0;
        return false;
    }
    memcpy(to->far_list, from->far_list, from->num_far * sizeof *to->far_list);
    return ok;
}

int64_t fal_stream_extend(struct fal_stream *stream, uint32_t psn)
{
    if (!stream->started) {
        stream->started = true;
        stream->next = BIAS + psn;
    }
    return fal_seq_extend(stream->next, psn);
}

/* Forgets the window and starts at x, as at the beginning of a capture. */
static void learn_anew(struct fal_stream *stream, int64_t x)
{
    fal_ring_reset(&stream->sent);
    stream->num_far = stream->far_run = 0;
    stream->far_lost = false;
    stream->known = stream->based = false;
    stream->first = stream->taken = INT64_MIN;
    stream->next = x;
    stream->doubt = INT64_MAX;
    stream->acked = stream->received = stream->licensed = 0;
    stream->licensed_below = INT64_MIN;
    stream->requests = 0;
    stream->epoch++;
}

static struct fal_sent *far_slot(struct fal_stream *stream, int64_t x, bool *oom)
{
    for (unsigned i = 0; i < stream->num_far; i++)
        if (stream->far_list[i].x == x)
            return &stream->far_list[i].sent;
    if (stream->far_list == NULL) {
        stream->far_list = calloc(FAL_FAR_MAX, sizeof *stream->far_list);
        if (stream->far_list == NULL) {
            *oom = true;
            return NULL;
        }
    }
    if (stream->num_far == FAL_FAR_MAX) {
        stream->far_lost = true;
        return NULL;
    }
    stream->far_list[stream->num_far].x = x;
    stream->far_list[stream->num_far].sent = (struct fal_sent){0};
    return &stream->far_list[stream->num_far++].sent;
}

/* Whether x lies a leap away although nothing is kept yet to which it could be compared: the
 * initial number was given. Only hostile packets do so: a window ends before. */
static bool first_leap(const struct fal_stream *stream, int64_t x)
{
    return stream->sent.lo == stream->sent.hi && stream->known &&
           (x >= stream->next + STRETCH_MAX || x + STRETCH_MAX < stream->next);
}

struct fal_sent *fal_stream_reach(struct fal_stream *stream, enum fal_window window, int64_t x,
                                  bool *oom)
{
    int64_t keep =
        stream->based ? stream->base - 2 * (int64_t)fal_window_size(window) : INT64_MIN;
    bool failed = false;
    struct fal_sent *sent =
        first_leap(stream, x) ? NULL : fal_ring_reach(&stream->sent, x, keep, &failed);

    if (sent == NULL && !failed && x >= stream->sent.hi &&
        (stream->doubt == INT64_MAX || ++stream->far_run >= FAR_RUN)) {
        learn_anew(stream, x);
        sent = fal_ring_reach(&stream->sent, x, INT64_MIN, &failed);
    }
    *oom = *oom || failed;
    if (sent == NULL)
        return failed || fal_ring_forgot(&stream->sent, x) ? NULL : far_slot(stream, x, oom);
    stream->far_run = 0;
    if (x >= stream->next)
        stream->next = x + 1;
    return sent;
}

void fal_stream_nacked(struct fal_stream *stream, int64_t x)
{
    struct fal_sent *sent = fal_ring_at(&stream->sent, x);

    if (sent != NULL && sent->flags != 0)
        sent->flags |= FAL_SENT_NACKED;
}

const struct fal_sent *fal_stream_far(const struct fal_stream *stream, int64_t x)
{
    for (unsigned i = 0; i < stream->num_far; i++)
        if (stream->far_list[i].x == x)
            return &stream->far_list[i].sent;
    return NULL;
}

/* The bits of a claim relative to the stream's base; bits below it are cut. */
static fal_u128 align(const struct fal_stream *stream, int64_t base, fal_u128 bits)
{
    int64_t up = stream->base - base;

    if (up < 0)
        return -up < 128 ? fal_u128_shl(bits, (unsigned)-up) : (fal_u128)0;
    return up < 128 ? fal_u128_shr(bits, (unsigned)up) : (fal_u128)0;
}

void fal_stream_claim(struct fal_stream *stream, const struct fal_claim *claim)
{
    bool bits = (claim->ack | claim->received) != 0;

    if (!stream->based) {
        stream->based = true;
        stream->base = claim->base;
    }
    if (claim->base > stream->base) {
        int64_t step = claim->base - stream->base;
        unsigned shift = step < 128 ? (unsigned)step : 128;

        stream->acked = fal_u128_shr(stream->acked, shift);
        stream->received = fal_u128_shr(stream->received, shift);
        stream->licensed = fal_u128_shr(stream->licensed, shift);
        stream->base = claim->base;
    }
    if (stream->next < stream->base)
        stream->next = stream->base; /* sent unseen */
    if (stream->doubt == INT64_MAX)
        stream->doubt = stream->next + UNSEEN_MAX;
    if (!bits)
        return;
    stream->acked |= align(stream, claim->base, claim->ack);
    stream->received = (stream->received | align(stream, claim->base, claim->received));
}

void fal_stream_gap(struct fal_stream *stream, bool anew)
{
    if (anew && stream->started) {
        learn_anew(stream, stream->next);
        stream->started = false;
        /* The next claim may be an old one. */
        stream->base_unsure = stream->bits_unsure = true;
    }
    stream->doubt = INT64_MAX;
}

/* The bits of the stream as a claim with that base has them; bits below the stream's base are
 * 0.
 */
static fal_u128 seen_from(const struct fal_stream *stream, int64_t base, fal_u128 bits)
{
    int64_t up = base - stream->base;

    if (up >= 0)
        return up < 128 ? fal_u128_shr(bits, (unsigned)up) : (fal_u128)0;
    return -up < 128 ? fal_u128_shl(bits, (unsigned)-up) : (fal_u128)0;
}

/* The news in the bitmaps, in the order of their numbers. */
static void news_of_bits(const struct fal_stream *stream, const struct fal_claim *claim,
                         void (*visit)(void *ctx, int64_t x, bool ack), void *ctx)
{
    fal_u128 acked = seen_from(stream, claim->base, stream->acked);
    fal_u128 received = seen_from(stream, claim->base, stream->received) | acked;
    fal_u128 first_ack = claim->ack & ~acked;
    fal_u128 news = first_ack | (claim->received & ~received);
    int64_t below = stream->base - claim->base;

    if (below > 0) /* what lies below the stream's base is old */
        news &= ~fal_u128_ones(below < 128 ? (unsigned)below : 128);
    while (news != 0) {
        unsigned n = fal_u128_low(news);

        news &= news - 1;
        visit(ctx, claim->base + n, fal_u128_test(first_ack, n));
    }
}

void fal_stream_news(const struct fal_stream *stream, const struct fal_claim *claim,
                     void (*visit)(void *ctx, int64_t x, bool ack), void *ctx)
{
    int64_t beyond = stream->next < claim->base ? stream->next : claim->base;

    if (!stream->based || (claim->base <= stream->base && !claim->snapshot))
        return;
    for (int64_t x = stream->base; x < beyond; x++) {
        uint64_t n;

        /* After a leap, most numbers in between were never sent. */
        if (x == stream->base + STRETCH_MAX && beyond - x > STRETCH_MAX)
            x = beyond - STRETCH_MAX;
        n = (uint64_t)(x - stream->base);
        if (n >= 128 || stream->acked == 0 || !fal_u128_test(stream->acked, (unsigned)n))
            visit(ctx, x, true);
    }
    if (beyond < claim->base || !claim->snapshot)
        return; /* the bits are not worth more than the base */
    news_of_bits(stream, claim, visit, ctx);
}
