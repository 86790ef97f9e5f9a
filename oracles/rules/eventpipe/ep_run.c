/* SPDX-License-Identifier: Apache-2.0
 * ep_run.c - runs of processors and their answers: EP1 (an answer has a cause), EP4 (a flow
 * runs on one processor) and EP11 (what a new flow gets) [0047, 0055, 0089-0092, 0157]. */
#include "oracles/rules/eventpipe/ep_state.h"

static void start(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    struct fal_ep_flow *flow = fal_ep_flow_of(j, event->flow);
    struct fal_ep_processor *p = &j->processors[event->processor];

    if (flow == NULL)
        return;
    if (flow->update_is_due)
        fal_ep_warn(j, EP11, event,
                    "the first round trip was measured: expected a rate before the "
                    "flow runs again, found none");
    flow->update_is_due = false;
    if (flow->running && flow->processor != event->processor)
        fal_ep_defer(j, (struct fal_ep_deferred){.check = FAL_EP_CHECK_RUN,
                                                 .event = event,
                                                 .flow = flow,
                                                 .index = flow->processor});
    else if ((j->seen & FAL_EP_SAW_END) != 0)
        fal_ep_held(j, EP4);
    flow->running = true;
    flow->had_start = true;
    flow->unanswered++;
    flow->processor = event->processor;
    if (p->flow != flow)
        p->before = p->flow;
    p->flow = flow;
    if ((j->seen & FAL_EP_SAW_SLICE_ID) != 0)
        fal_ep_map_expect(j, flow, event);
    fal_ep_deliver(j, flow, event);
    if (event->count <= 1)
        fal_ep_stamps(j, event);
}

void fal_ep_run_check(struct fal_ep_judge *j, const struct fal_ep_deferred *d)
{
    const struct fal_ep_flow *flow = d->flow;

    if ((j->seen & FAL_EP_SAW_END) == 0 && !j->setup.all_points) {
        fal_ep_excused(j, EP4, "no-end-of-runs");
        return;
    }
    if (flow->last_processor == d->index && flow->ended_ns == d->event->at_ns)
        fal_ep_held(j, EP4);
    else
        fal_ep_broken(j, EP4, d->event,
                      "flow %u starts on processor %u and still runs on processor %u",
                      (unsigned)flow->id, (unsigned)d->event->processor, (unsigned)d->index);
}

/* The end of a run is known by its processor; its line need not name the flow. */
static void end(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    struct fal_ep_flow *flow = j->processors[event->processor].flow;

    if (flow == NULL)
        return;
    flow->last_processor = event->processor;
    flow->ended_ns = event->at_ns;
    if (flow->processor == event->processor)
        flow->running = false;
}

void fal_ep_ccp(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    if (event->processor >= FAL_EP_JUDGED_SLICES) {
        fal_ep_excused(j, EP4, "too-many-processors");
        return;
    }
    if (event->act == FAL_EP_START)
        start(j, event);
    else if (event->act == FAL_EP_END)
        end(j, event);
}

/* ---- answers ---- */

/* Where the trace tells processors apart, the answer is of the flow that the processor runs, or
 * ran before: the rate FIFO may be late. */
static void judge_cause(struct fal_ep_judge *j, const struct fal_ep_flow *flow,
                        const struct fal_ep_event *event)
{
    bool ids = j->setup.processors == 1 || (j->seen & FAL_EP_SAW_PROCESSOR_ID) != 0,
         runs = (j->seen & FAL_EP_SAW_START) != 0;
    const struct fal_ep_processor *p =
        event->processor < FAL_EP_JUDGED_SLICES ? &j->processors[event->processor] : NULL;

    if ((j->seen & FAL_EP_SAW_SOURCE) != 0 && !flow->had_input)
        fal_ep_broken(j, EP1, event, "an answer, and no event of the flow came in");
    else if (j->setup.rates_without_events)
        fal_ep_held(j, EP1);
    else if (runs && !flow->had_start)
        fal_ep_broken(j, EP1, event, "an answer, and the flow has never run");
    else if (j->setup.rate_per_event && flow->unanswered == 0)
        fal_ep_broken(j, EP1, event, "an answer, and each run of the flow has had one");
    else if (runs && ids && p != NULL && p->flow != NULL && p->flow != flow &&
             p->before != flow)
        fal_ep_broken(j, EP1, event,
                      "processor %u runs flow %u, and its answer is given to flow %u",
                      (unsigned)event->processor, (unsigned)p->flow->id, (unsigned)flow->id);
    else if (runs || (j->seen & FAL_EP_SAW_SOURCE) != 0)
        fal_ep_held(j, EP1);
}

static void judge_first(struct fal_ep_judge *j, struct fal_ep_flow *flow,
                        const struct fal_ep_event *event)
{
    uint64_t rate = j->setup.default_rate_bps;

    flow->owes_default = false;
    if (rate == 0)
        return;
    if (event->rate_bps != rate)
        fal_ep_broken(j, EP11, event,
                      "flow %u is new: expected the default rate of %llu b/s, found %llu b/s",
                      (unsigned)flow->id, (unsigned long long)rate,
                      (unsigned long long)event->rate_bps);
    else if (!event->rtt_request)
        fal_ep_broken(j, EP11, event, "flow %u is new: expected an RTT request, found none",
                      (unsigned)flow->id);
    else
        fal_ep_held(j, EP11);
    flow->owes_update = true;
}

void fal_ep_rate(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    struct fal_ep_flow *flow = fal_ep_flow_of(j, event->flow);

    if (flow == NULL)
        return;
    judge_cause(j, flow, event);
    flow->unanswered -= flow->unanswered > 0;
    if (flow->update_is_due) {
        fal_ep_held(j, EP11);
        flow->update_is_due = false;
    }
    if (flow->owes_default)
        judge_first(j, flow, event);
    if (event->rtt_request && event->rate_bps == j->setup.default_rate_bps)
        flow->default_ns = event->at_ns;
    fal_ep_told(flow, event->rate_bps);
}

void fal_ep_new_flow(struct fal_ep_judge *j, struct fal_ep_flow *flow)
{
    j->seen |= FAL_EP_SAW_NEW;
    flow->owes_default = flow->default_ns != j->now_ns;
    flow->owes_update = !flow->owes_default;
    flow->update_is_due = false;
}

void fal_ep_rtt_delivered(struct fal_ep_flow *flow)
{
    flow->update_is_due = flow->owes_update;
    flow->owes_update = false;
}
