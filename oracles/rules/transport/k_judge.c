/* SPDX-License-Identifier: Apache-2.0
 * k_judge.c - see transport_judge.h: hands each event to the rules that it concerns. */
#include "oracles/rules/transport/k_sides.h"

#include <assert.h>
#include <stdlib.h>

struct fal_tp_judge *fal_tp_judge_new(const struct fal_tp_row *row,
                                      const struct fal_tp_view *view, struct fal_tally *tally)
{
    struct fal_tp_judge *k = calloc(1, sizeof *k);

    assert(tally->num_rules == FAL_K_RULES);
    if (k == NULL)
        return NULL;
    k->row = *row;
    k->view = *view;
    k->tally = tally;
    return k;
}

void fal_tp_judge_free(struct fal_tp_judge *judge)
{
    if (judge == NULL)
        return;
    fal_k_flows_free(judge);
    free(judge);
}

#define SEES(kind) (1U << (kind))

/* Which kinds of events each vantage shows. */
static bool visible(enum fal_tp_vantage vantage, enum fal_tp_kind kind)
{
    static const unsigned always = SEES(FAL_TP_RESET) | SEES(FAL_TP_LOST_VIEW);
    static const unsigned seen[] = {
        [FAL_TP_BOTH] = ~0U,
        [FAL_TP_SENDER] = SEES(FAL_TP_POST) | SEES(FAL_TP_SEND) | SEES(FAL_TP_FEEDBACK) |
                          SEES(FAL_TP_TIMEOUT) | SEES(FAL_TP_DONE),
        [FAL_TP_RECEIVER] = SEES(FAL_TP_ARRIVE) | SEES(FAL_TP_REPLY) | SEES(FAL_TP_DELIVER),
        [FAL_TP_MIDDLE] = SEES(FAL_TP_SEND) | SEES(FAL_TP_REPLY),
    };

    return (unsigned)kind <= FAL_TP_LOST_VIEW && (unsigned)vantage <= FAL_TP_MIDDLE &&
           ((seen[vantage] | always) & SEES(kind)) != 0;
}

static void lost_view(struct fal_k_flow *f)
{
    f->unsure = true;
    f->has_prev = false;
    f->has_deliver_next = false;
    f->answer_due_ns = 0;
    f->num_nacks = 0;
}

static void posted(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t end)
{
    if (end > f->posted && end < FAL_K_SEG_END)
        f->posted = end;
    f->has_posted = true;
    f->last_post_ns = k->now_ns;
    f->stalled = false;
}

static int take(struct fal_tp_judge *k, struct fal_k_flow *f, const struct fal_tp_event *e)
{
    switch (e->kind) {
    case FAL_TP_POST: posted(k, f, e->seg); return 0;
    case FAL_TP_SEND: return fal_k_send(k, f, e);
    case FAL_TP_ARRIVE: return fal_k_arrive(k, f, e);
    case FAL_TP_REPLY: fal_k_reply(k, f, e); return 0;
    case FAL_TP_FEEDBACK: fal_k_feedback(k, f, e); return 0;
    case FAL_TP_DELIVER: return fal_k_deliver(k, f, e);
    case FAL_TP_TIMEOUT: fal_k_timeout(k, f); return 0;
    case FAL_TP_DONE: fal_k_done(k, f); return 0;
    case FAL_TP_RESET: f->reset = true; return 0;
    case FAL_TP_LOST_VIEW: lost_view(f); return 0;
    }
    return 0;
}

int fal_tp_judge_event(struct fal_tp_judge *k, const struct fal_tp_event *e)
{
    struct fal_k_flow *f;
    int found;

    if (!visible(k->view.vantage, e->kind))
        return 0;
    found = fal_k_flow_of(k, e->flow, &f);
    if (found == 0)
        fal_k_excused(k, FAL_K1, "forgotten");
    if (found <= 0)
        return found;
    k->order++;
    k->number = e->number;
    if (e->at_ns < f->now_ns)
        f->clock_back = true;
    else
        f->now_ns = e->at_ns;
    k->now_ns = f->now_ns;
    if (f->reset)
        return 0;
    if (e->kind != FAL_TP_LOST_VIEW) /* the gap is before it */
        fal_k_alive(k, f);
    return take(k, f, e);
}

static void end_flow(struct fal_tp_judge *k, struct fal_k_flow *f)
{
    fal_k_alive(k, f);
    fal_k_delivered_at_end(k, f);
}

void fal_tp_judge_end_flow(struct fal_tp_judge *k, uint32_t flow, uint64_t at_ns)
{
    struct fal_k_flow *f = fal_k_flow_find(k, flow);

    if (f == NULL)
        return;
    k->now_ns = at_ns > f->now_ns ? at_ns : f->now_ns;
    k->number = 0;
    end_flow(k, f);
    fal_k_flow_clear(f);
}

void fal_tp_judge_end(struct fal_tp_judge *k, uint64_t at_ns)
{
    uint64_t end = at_ns;

    for (size_t i = 0; i < k->slots; i++)
        if (k->flows[i] != NULL && k->flows[i]->now_ns > end)
            end = k->flows[i]->now_ns;
    k->now_ns = end;
    k->number = 0;
    for (size_t i = 0; i < k->slots; i++)
        if (k->flows[i] != NULL)
            end_flow(k, k->flows[i]);
}
