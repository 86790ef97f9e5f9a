/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/repeats/repeats.h"

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

struct fal_gap fal_gap_of(const struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_sent *sent = q->prior;
    const struct fal_iv_clock *clock = &c->track->clock[fal_out(c)];
    struct fal_path out = fal_path_out(c);
    struct fal_gap gap = {.why = FAL_EXCUSE_OUT_REORDER};
    uint64_t seen_ns = apart(q->at.t_ns, sent->last_ns), margin;

    if (q->packet->has_iv && sent->last_has_iv && q->packet->iv == sent->last_iv) {
        gap.same = true;
    } else if (q->packet->has_iv && sent->last_has_iv && clock->verified && !clock->refuted) {
        gap.known = true;
        seen_ns = apart(q->packet->iv, sent->last_iv) / 1000;
        gap.min_ns = seen_ns > fal_clock_step_ns(c) ? seen_ns - fal_clock_step_ns(c) : 0;
        gap.max_ns = seen_ns + fal_clock_step_ns(c);
        return gap;
    } else if (!q->packet->has_iv && !out.no_duplicates &&
               (sent->copies > 1 || fal_copy_mark(q) == sent->last_mark)) {
        /* with more than one before, it may be any of them */
        gap.same = true;
    }
    if (gap.same) {
        gap.why = FAL_EXCUSE_OUT_DUP;
        return gap;
    }
    if (c->bench->stepped && sent->last_index < c->bench->step_index) {
        gap.why = FAL_EXCUSE_CLOCK;
        return gap;
    }
    if (!out.jitter_known)
        return gap;
    margin = out.jitter_ns + 2 * c->bench->run.clock_error_ns + 2 * (uint64_t)q->at.error_ns;
    gap.known = margin >= out.jitter_ns && seen_ns + margin >= seen_ns;
    gap.min_ns = seen_ns > margin ? seen_ns - margin : 0;
    gap.max_ns = seen_ns + margin;
    return gap;
}

/* Whether a NACK for x that came before x was seen may have crossed it on the wire or within
 * the subject: the subject had sent x when it processed the NACK. */
static bool crossed(const struct fal_ctx *c, enum fal_window w, int64_t x,
                    const struct fal_sent *sent)
{
    const struct fal_nack *nack =
        fal_nacks_find(&c->track->nacks[fal_out(c)], (unsigned)w, x, 0);
    uint64_t in_ns, out_ns, inside_ns = fal_pipeline_ns(c);

    if (nack == NULL || nack->at.index > sent->first.index)
        return false;
    return !fal_round_ns(c, &in_ns, &out_ns) || sent->first.t_ns <= nack->at.t_ns + in_ns +
                                                                        out_ns + 2 * inside_ns +
                                                                        nack->at.error_ns;
}

bool fal_eack_licenses(const struct fal_ctx *c, enum fal_window w, int64_t x)
{
    const struct fal_stream *stream = fal_out_stream(c, w);
    uint64_t n = (uint64_t)(x - stream->base);

    return x < stream->licensed_below ||
           (n < 128 && fal_u128_test(stream->licensed, (unsigned)n));
}

enum fal_licence fal_licence_of(const struct fal_ctx *c, enum fal_window w, int64_t x)
{
    const struct fal_stream *stream = fal_out_stream(c, w);
    const struct fal_sent *sent = fal_stream_sent(stream, x);

    if (sent == NULL || !stream->based || x < stream->base)
        return FAL_LICENCE_MAYBE; /* forgotten with its number */
    if ((sent->flags & (FAL_SENT_NACKED | FAL_SENT_REFUSED)) != 0)
        return FAL_LICENCE_NACK;
    if (fal_eack_licenses(c, w, x))
        return FAL_LICENCE_EACK;
    if (crossed(c, w, x, sent))
        return FAL_LICENCE_MAYBE;
    return x < stream->doubt || fal_track_may_miss(c->track, fal_in(c), sent->first.index)
               ? FAL_LICENCE_MAYBE
               : FAL_LICENCE_NONE;
}

uint32_t fal_repeated_requests(const struct fal_ctx *c, enum fal_window w, int64_t but)
{
    const struct fal_stream *stream = fal_out_stream(c, w);
    uint32_t n = 0;

    if (fal_stream_leaps(stream)) /* nobody knows what lies between: more than any window */
        return UINT32_MAX / 4;
    for (int64_t x = stream->base; x < stream->next; x++) {
        const struct fal_sent *sent = fal_stream_sent(stream, x);

        n += x != but &&
             (sent == NULL || (!fal_stream_acked(stream, x) && sent->type != FAL_PULL_DATA &&
                               (sent->copies > 1 || (sent->flags & FAL_SENT_RESYNC) != 0)));
    }
    return n;
}

enum fal_rack fal_rack_of(const struct fal_ctx *c)
{
    const struct fal_connection *setup = &c->track->setup;

    if (c->subject == FAL_SUBJECT_TESTER)
        return setup->tester_rack_tlp ? FAL_RACK_CLAIMED : FAL_RACK_DENIED;
    if (!fal_given(c, FAL_PARAM_AT_rack_tlp))
        return FAL_RACK_UNKNOWN;
    return setup->params.rack_tlp ? FAL_RACK_CLAIMED : FAL_RACK_DENIED;
}
