/* SPDX-License-Identifier: Apache-2.0
 * ep_context.c - the store of contexts: EP12 (what is read was written last) and the second
 * part of EP4 (it is written before it is read again) [0054-0055, 0077-0079]. A context is
 * known by the digest of its contents. After an eviction the flow may get its context back, or
 * be new. */
#include "oracles/rules/eventpipe/ep_state.h"

static void wrote(struct fal_ep_flow *flow, const struct fal_ep_event *event)
{
    if (flow->written_ns != event->at_ns || !flow->written)
        flow->before = flow->written ? flow->digest : event->digest;
    flow->digest = event->digest;
    flow->written_ns = event->at_ns;
    flow->written = true;
    flow->kept = true;
    flow->evicted = false;
    if (flow->reads_open > 0)
        flow->reads_open--;
    flow->override_since_read = false;
}

static void read(struct fal_ep_judge *j, struct fal_ep_flow *flow,
                 const struct fal_ep_event *event)
{
    struct fal_ep_deferred d = {
        .check = FAL_EP_CHECK_READ, .event = event, .flow = flow, .digest = flow->digest};

    flow->reads_open++;
    if (flow->written)
        fal_ep_defer(j, d);
    d.check = FAL_EP_CHECK_OPEN;
    fal_ep_defer(j, d);
}

void fal_ep_context_check(struct fal_ep_judge *j, const struct fal_ep_deferred *d)
{
    struct fal_ep_flow *flow = d->flow;
    const struct fal_ep_event *e = d->event;

    if (d->check == FAL_EP_CHECK_READ) {
        if (e->digest == d->digest || e->digest == flow->digest ||
            (flow->written_ns == e->at_ns && e->digest == flow->before))
            fal_ep_held(j, EP12);
        else
            fal_ep_broken(j, EP12, e,
                          "expected the context that was written at %llu ns, digest "
                          "%llu, found digest %llu",
                          (unsigned long long)flow->written_ns,
                          (unsigned long long)flow->digest, (unsigned long long)e->digest);
        return;
    }
    if (flow->reads_open <= 1) {
        fal_ep_held(j, EP4);
        return;
    }
    flow->reads_open = 1;
    if (flow->override_since_read)
        fal_ep_excused(j, EP4, "override");
    else
        fal_ep_broken(j, EP4, e, "its context is read again before it was written");
    flow->override_since_read = false;
}

/* A flow is new if it never had a context, or lost it by eviction. */
static void is_new(struct fal_ep_judge *j, struct fal_ep_flow *flow,
                   const struct fal_ep_event *event)
{
    if (flow->kept && !flow->evicted)
        fal_ep_broken(j, EP12, event,
                      "expected the context that was written at %llu ns, found a new "
                      "one, and no eviction before it",
                      (unsigned long long)flow->written_ns);
    flow->written = event->digest != 0;
    flow->digest = flow->before = event->digest;
    flow->kept = flow->evicted = false;
    fal_ep_new_flow(j, flow);
}

void fal_ep_context(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    struct fal_ep_flow *flow = fal_ep_flow_of(j, event->flow);

    if (flow == NULL)
        return;
    if (event->act == FAL_EP_WRITE) {
        wrote(flow, event);
    } else if (event->act == FAL_EP_READ) {
        read(j, flow, event);
    } else if (event->act == FAL_EP_NEW) {
        is_new(j, flow, event);
    } else if (event->act == FAL_EP_EVICT) {
        if (event->digest != 0 && flow->written && event->digest != flow->digest)
            fal_ep_broken(j, EP12, event,
                          "expected the evicted context to have digest %llu, found "
                          "%llu",
                          (unsigned long long)flow->digest, (unsigned long long)event->digest);
        flow->evicted = true;
    }
}
