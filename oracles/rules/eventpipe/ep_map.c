/* SPDX-License-Identifier: Apache-2.0
 * ep_map.c - EP4: the map of flows and slices [0143-0144]. A flow that is in the map is found
 * there; a slice changes its flow only while it is idle. An idle slice keeps its flow or lets
 * it go, with a `release` line or without. */
#include "oracles/rules/eventpipe/ep_state.h"

/* Checks at the end of this time that the slice `index` was idle at some moment of it. `other`
 * is the flow that loses the slice; NULL: `flow` itself has it and is looked for elsewhere. */
static void expect_idle(struct fal_ep_judge *j, const struct fal_ep_event *event,
                        struct fal_ep_flow *flow, struct fal_ep_flow *other, uint32_t index)
{
    if (j->slices[index].known)
        fal_ep_defer(j, (struct fal_ep_deferred){.check = FAL_EP_CHECK_SLICE,
                                                 .event = event,
                                                 .flow = flow,
                                                 .other = other,
                                                 .index = index});
}

static void judge_idle(struct fal_ep_judge *j, const struct fal_ep_deferred *d)
{
    const struct fal_ep_slice *s = &j->slices[d->index];

    if (s->state == FAL_EP_IDLE || s->idle_ns == d->event->at_ns)
        fal_ep_held(j, EP4);
    else if (d->other != NULL)
        fal_ep_broken(j, EP4, d->event,
                      "slice %u is given to flow %u while it is in state %s for flow %u",
                      (unsigned)d->index, (unsigned)d->flow->id, fal_ep_state_name(s->state),
                      (unsigned)d->other->id);
    else
        fal_ep_broken(j, EP4, d->event,
                      "flow %u has slice %u, which is in state %s: expected that slice, found "
                      "%s",
                      (unsigned)d->flow->id, (unsigned)d->index, fal_ep_state_name(s->state),
                      d->event->act == FAL_EP_MISS ? "a miss" : "another one");
}

static void forget(struct fal_ep_judge *j, struct fal_ep_flow *flow)
{
    if (flow->slice == FAL_EP_NONE)
        return;
    j->slices[flow->slice].flow = NULL;
    flow->last_slice = flow->slice;
    flow->lost_ns = j->now_ns;
    flow->slice = FAL_EP_NONE;
}

/* Events of a flow that loses its slice wait in it no more: each should have been delivered.
 * Those that were merged at this time may be of a new turn of the flow in that slice. */
static void judge_left(struct fal_ep_judge *j, const struct fal_ep_deferred *d)
{
    unsigned n = 0;
    bool overridden = false;

    for (unsigned list = 0; list < FAL_EP_LISTS; list++)
        for (struct fal_ep_item *i = d->flow->lists[list].first; i != NULL; i = i->next)
            if (i->slice == d->index && i->merged_ns < j->now_ns) {
                i->slice = FAL_EP_NONE;
                j->slices[d->index].merged--;
                overridden = overridden || i->overridden;
                n++;
            }
    if (n > 0)
        fal_ep_broken(j, overridden ? EP13 : EP7, d->event,
                      "flow %u loses slice %u while %u event%s of it wait%s there: expected "
                      "that the slice arbitrates again",
                      (unsigned)d->flow->id, (unsigned)d->index, n, n == 1 ? "" : "s",
                      n == 1 ? "s" : "");
    else if ((j->seen & FAL_EP_SAW_MERGE) != 0)
        fal_ep_held(j, EP7);
}

static void expect_none_left(struct fal_ep_judge *j, const struct fal_ep_event *event,
                             struct fal_ep_flow *flow)
{
    fal_ep_defer(
        j, (struct fal_ep_deferred){
               .check = FAL_EP_CHECK_LEFT, .event = event, .flow = flow, .index = flow->slice});
}

/* The flow gets the slice. */
static void give(struct fal_ep_judge *j, const struct fal_ep_event *event,
                 struct fal_ep_flow *flow)
{
    struct fal_ep_slice *s = &j->slices[event->slice];
    struct fal_ep_flow *other = s->flow;

    if (flow->slice == event->slice)
        return;
    if (flow->slice != FAL_EP_NONE)
        expect_idle(j, event, flow, NULL, flow->slice);
    if (other != NULL) {
        expect_idle(j, event, flow, other, event->slice);
        expect_none_left(j, event, other);
        forget(j, other);
    }
    forget(j, flow);
    flow->slice = event->slice;
    s->flow = flow;
}

static void hit(struct fal_ep_judge *j, const struct fal_ep_event *event,
                struct fal_ep_flow *flow)
{
    const struct fal_ep_slice *s = &j->slices[event->slice];

    if (flow->slice == event->slice)
        fal_ep_held(j, EP4);
    else if (s->flow != NULL)
        fal_ep_broken(j, EP4, event, "the map gives flow %u slice %u, which flow %u has",
                      (unsigned)flow->id, (unsigned)event->slice, (unsigned)s->flow->id);
    else if (flow->slice != FAL_EP_NONE)
        fal_ep_broken(j, EP4, event, "the map gives flow %u slice %u: expected slice %u",
                      (unsigned)flow->id, (unsigned)event->slice, (unsigned)flow->slice);
    else if (j->setup.all_points)
        fal_ep_broken(j, EP4, event,
                      "the map gives flow %u slice %u: expected a miss, as the flow has no "
                      "slice",
                      (unsigned)flow->id, (unsigned)event->slice);
}

void fal_ep_map(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    struct fal_ep_flow *flow = fal_ep_flow_of(j, event->flow);

    if (flow == NULL)
        return;
    if (event->act == FAL_EP_MISS) {
        if (flow->slice != FAL_EP_NONE)
            expect_idle(j, event, flow, NULL, flow->slice);
        else
            fal_ep_held(j, EP4);
    } else if (event->slice >= FAL_EP_JUDGED_SLICES) {
        fal_ep_excused(j, EP4, "too-many-slices");
    } else if (event->act == FAL_EP_HIT) {
        hit(j, event, flow);
    } else if (event->act == FAL_EP_WRITE) {
        give(j, event, flow);
    } else if (event->act == FAL_EP_RELEASE && flow->slice == event->slice) {
        expect_none_left(j, event, flow);
        forget(j, flow);
    }
}

/* The map may be written at the same time. */
static void judge_place(struct fal_ep_judge *j, const struct fal_ep_deferred *d)
{
    const struct fal_ep_slice *s = &j->slices[d->index];
    const struct fal_ep_flow *flow = d->flow;

    if (flow == d->other || flow == s->flow ||
        (flow->last_slice == d->index && flow->lost_ns == d->event->at_ns))
        fal_ep_held(j, EP4);
    else
        fal_ep_broken(j, EP4, d->event, "%s slice %u names flow %u, and flow %u has the slice",
                      d->event->point == FAL_EP_MERGE ? "an event that is merged in"
                                                      : "a class event of",
                      (unsigned)d->index, (unsigned)flow->id, (unsigned)d->other->id);
}

void fal_ep_map_expect(struct fal_ep_judge *j, struct fal_ep_flow *flow,
                       const struct fal_ep_event *event)
{
    struct fal_ep_deferred d = {
        .check = FAL_EP_CHECK_MAP, .event = event, .flow = flow, .index = event->slice};

    if (event->slice >= FAL_EP_JUDGED_SLICES)
        return;
    d.other = j->slices[event->slice].flow;
    if (d.other != NULL)
        fal_ep_defer(j, d);
}

void fal_ep_map_check(struct fal_ep_judge *j, const struct fal_ep_deferred *d)
{
    if (d->check == FAL_EP_CHECK_MAP)
        judge_place(j, d);
    else if (d->check == FAL_EP_CHECK_LEFT)
        judge_left(j, d);
    else
        judge_idle(j, d);
}
