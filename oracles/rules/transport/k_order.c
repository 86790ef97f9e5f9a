/* SPDX-License-Identifier: Apache-2.0
 * k_order.c - K6: lost before new. K9: a retransmission goes back exactly to the segment that
 * is named, or sends exactly the missing ones. */
#include "oracles/rules/transport/k_sides.h"

#include <inttypes.h>

/* ---- K6 ---- */

static uint64_t first_lost(const struct fal_k_flow *f)
{
    for (uint64_t seg = f->low; seg < f->high; seg++)
        if (fal_k_at(f, seg)->lost)
            return seg;
    return f->high;
}

void fal_k_new_in_order(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg)
{
    if (f->lost_count == 0)
        return;
    if (fal_k_less(k->now_ns, f->lost_ns) < k->view.pipeline_ns)
        fal_k_excused(k, FAL_K6, "pipeline");
    else if (fal_k_unsure(k, f, seg))
        fal_k_excused(k, FAL_K6, "capture-gap");
    else
        fal_k_broken(k, f, FAL_K6,
                     "new segment %" PRIu64 " was sent before lost segment %" PRIu64
                     " was sent again",
                     seg, first_lost(f));
}

/* ---- K9, selective ---- */

/* A copy of a segment whose acknowledgement has reached the sender. After a timeout a sender of
 * TCP forgets selective acknowledgements (RFC 2018 8). */
static void acknowledged_before(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg,
                                const struct fal_k_seg *s)
{
    const uint64_t acked_ns = s != NULL ? s->acked_ns : f->cum_ns;
    const bool for_good = seg < f->cum || !k->row.cumulative;

    if (fal_k_less(k->now_ns, acked_ns) < k->view.pipeline_ns)
        fal_k_excused(k, FAL_K9, "pipeline");
    else if (f->clock_back)
        fal_k_excused(k, FAL_K9, "clock");
    else if (f->forgot && s == NULL)
        fal_k_excused(k, FAL_K9, "forgotten");
    else if (!for_good && (fal_k_may_time_out(k, f, s) || seg < f->timeout_high))
        fal_k_held(k, FAL_K9);
    else
        fal_k_broken(k, f, FAL_K9,
                     "segment %" PRIu64 " was sent again %" PRIu64
                     " ns after its acknowledgement had arrived",
                     seg, fal_k_less(k->now_ns, acked_ns));
}

/* Holes that a NACK shows are filled from the lowest on, where segments are acknowledged
 * cumulatively: all that is above it is held back by it. */
static void fills_holes(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg)
{
    const uint64_t lost = f->lost_count > 0 ? first_lost(f) : f->high;

    if (!k->row.cumulative || !k->row.nacks || lost >= seg)
        fal_k_held(k, FAL_K9);
    else if (fal_k_less(k->now_ns, f->lost_ns) < k->view.pipeline_ns)
        fal_k_excused(k, FAL_K9, "pipeline");
    else
        fal_k_broken(k, f, FAL_K9,
                     "segment %" PRIu64 " was sent again, but not segment %" PRIu64
                     " below it, which a NACK had named before",
                     seg, lost);
}

/* ---- K9, go-back-N ---- */

/* Whether a NACK named the segment since the last time that the sender went back. */
static bool named(struct fal_k_flow *f, uint64_t seg)
{
    for (unsigned i = 0; i < f->num_nacks; i++)
        if (f->nacks[i] == seg) {
            f->num_nacks = 0;
            return true;
        }
    return false;
}

/* A segment that is not the one after the segment sent before. */
static void jumps(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg)
{
    if (named(f, seg) || seg == f->cum) {
        fal_k_held(k, FAL_K9);
        return;
    }
    if (fal_k_unsure(k, f, seg))
        fal_k_excused(k, FAL_K9, "capture-gap");
    else if (fal_k_less(k->now_ns, f->cum_ns) < k->view.pipeline_ns)
        fal_k_excused(k, FAL_K9, "pipeline");
    else if (f->num_nacks > 0)
        fal_k_broken(k, f, FAL_K9,
                     "segment %" PRIu64 " was sent after %" PRIu64
                     ", expected to go back to segment %" PRIu64 " that the NACK names",
                     seg, f->prev, f->nacks[f->num_nacks - 1]);
    else
        fal_k_broken(k, f, FAL_K9,
                     "segment %" PRIu64 " was sent after %" PRIu64
                     ", expected the next one, or the oldest that is not acknowledged (%" PRIu64
                     ")",
                     seg, f->prev, f->cum);
}

void fal_k_goes_on(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg)
{
    if (k->row.repair != FAL_TP_GO_BACK_N)
        return;
    if (f->has_prev && seg != f->prev + 1 && seg >= f->cum)
        jumps(k, f, seg);
    f->prev = seg;
    f->has_prev = true;
}

void fal_k_copy_in_order(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg,
                         const struct fal_k_seg *s)
{
    if (s == NULL || s->acked || seg < f->cum)
        acknowledged_before(k, f, seg, s);
    else if (k->row.repair == FAL_TP_SELECTIVE && (k->row.selective || k->row.nacks))
        fills_holes(k, f, seg);
}
