/* SPDX-License-Identifier: Apache-2.0
 * k_live.c - K8: nobody stops while there is work and credit. A stall ends with an event, or
 * with the end of the view. */
#include "oracles/rules/transport/k_sides.h"

#include <inttypes.h>

/* After that many copies a sender may have given up, although no event says so. */
enum { MAY_GIVE_UP = 8 };

static uint64_t latest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static bool has_credit(const struct fal_tp_judge *k, const struct fal_k_flow *f)
{
    if (f->edge_known && f->next >= f->edge)
        return false;
    return k->row.credit != FAL_TP_TOKENS ||
           f->used < fal_k_more(k->row.initial_tokens, f->grant);
}

/* The longest time that the sender may wait now; 0: any. *why says which. */
static uint64_t patience(const struct fal_tp_judge *k, const struct fal_k_flow *f,
                         const char **why)
{
    uint64_t seg;

    if (f->unacked > 0) {
        const struct fal_k_seg *oldest = fal_k_oldest(k, f, &seg);

        if (oldest != NULL && oldest->copies >= MAY_GIVE_UP)
            return 0;
        *why = "segments are not acknowledged";
        return k->row.rto_max_ns;
    }
    if (f->has_posted && f->next < f->posted && has_credit(k, f)) {
        *why = "there are work and credit";
        return k->row.liveness_ns;
    }
    return 0;
}

static void sender(struct fal_tp_judge *k, struct fal_k_flow *f)
{
    const uint64_t since =
        latest(f->last_send_ns, latest(f->last_feedback_ns, f->last_post_ns));
    const char *why = NULL;
    const uint64_t most = patience(k, f, &why);

    if (why == NULL)
        return;
    if (most == 0) {
        fal_k_excused(k, FAL_K8, f->unacked > 0 ? "row:rto_max_ns" : "row:liveness_ns");
        return;
    }
    if (fal_k_less(k->now_ns, since) <= fal_k_more(most, k->view.pipeline_ns)) {
        fal_k_held(k, FAL_K8);
        return;
    }
    if (!k->view.complete || f->unsure || f->unsure_below > f->cum || f->clock_back) {
        fal_k_excused(k, FAL_K8, f->clock_back ? "clock" : "capture-gap");
        return;
    }
    if (!f->stalled)
        fal_k_broken(k, f, FAL_K8,
                     "the sender sent nothing for %" PRIu64
                     " ns while %s (from segment %" PRIu64 "), expected at most %" PRIu64 " ns",
                     fal_k_less(k->now_ns, since), why, f->cum < f->next ? f->cum : f->next,
                     most);
    f->stalled = true;
}

static void receiver(struct fal_tp_judge *k, struct fal_k_flow *f)
{
    if (f->answer_due_ns == 0)
        return;
    if (k->now_ns <= f->answer_due_ns || f->clock_back)
        return;
    if (!k->view.complete || f->unsure || f->unsure_below > f->claim)
        fal_k_excused(k, FAL_K8, "capture-gap");
    else
        fal_k_broken(k, f, FAL_K8,
                     "segment %" PRIu64 " arrived, and the receiver had not answered %" PRIu64
                     " ns later, expected at most %" PRIu64 " ns",
                     f->claim,
                     fal_k_more(fal_k_less(k->now_ns, f->answer_due_ns), k->row.answer_ns),
                     k->row.answer_ns);
    f->answer_due_ns = 0;
}

void fal_k_alive(struct fal_tp_judge *k, struct fal_k_flow *f)
{
    if (f->reset)
        return;
    if (fal_k_at_sender(k) && !f->stalled)
        sender(k, f);
    if (fal_k_at_receiver(k))
        receiver(k, f);
}
