/* SPDX-License-Identifier: Apache-2.0
 * ep_queue.c - events from where they come into being to their slice: sources, WRED, FIFOs and
 * the register of the firmware, the entry they are merged into. Arbitration (EP6) [0129-0130].
 */
#include "oracles/rules/eventpipe/ep_state.h"

/* "a waiting source is served within 3 grants" */
enum { GRANTS = 3 };

void fal_ep_source(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    struct fal_ep_flow *flow = fal_ep_flow_of(j, event->flow);

    if (flow != NULL)
        fal_ep_item_add(j, flow, event);
    fal_ep_stamps(j, event);
}

/* A line names an event that is nowhere. */
static void unknown(struct fal_ep_judge *j, const struct fal_ep_flow *flow,
                    const struct fal_ep_event *event, const char *what)
{
    if (flow->lost_track || flow->unsure || (j->seen & FAL_EP_SAW_SOURCE) == 0)
        return;
    fal_ep_broken(j, EP1, event,
                  "a %s with sequence number %llu %s, but no such event of the flow "
                  "came before",
                  fal_ep_kind_name(event->kind), (unsigned long long)event->seq, what);
}

/* WRED stands before the FIFO: of equal events the newest is dropped that is not in it. */
static struct fal_ep_item *dropped(const struct fal_ep_flow *flow,
                                   const struct fal_ep_event *event)
{
    const struct fal_ep_list *list = &flow->lists[fal_ep_queue_of(event->kind)];
    struct fal_ep_item *item = list->last;

    while (item != NULL &&
           !(item->kind == event->kind && item->seq == event->seq &&
             (event->bytes == 0 || item->bytes == event->bytes) && !item->queued))
        item = item->prev;
    if (item == NULL)
        item = fal_ep_item_find(list, event);
    return item != NULL ? item : fal_ep_item_find(&flow->lists[FAL_EP_READY], event);
}

void fal_ep_drop(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    struct fal_ep_flow *flow = fal_ep_flow_of(j, event->flow);
    struct fal_ep_item *item;

    fal_ep_wred_drop(j, event);
    if (flow == NULL)
        return;
    item = dropped(flow, event);
    if (item == NULL) {
        unknown(j, flow, event, "is dropped");
        return;
    }
    fal_ep_item_remove(j, item);
}

/* ---- the register of the firmware ---- */

static void goes_into_register(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    struct fal_ep_register *reg = &j->reg;

    reg->crowded = reg->crowded || reg->num == FAL_EP_REGISTERED;
    if (reg->crowded)
        return;
    reg->events[reg->num].flow = event->flow;
    reg->events[reg->num++].seq = event->seq;
    j->sources[FAL_EP_FW_REGISTER].len = reg->num;
}

/* Removes the first `n` events. */
static void forget_registered(struct fal_ep_judge *j, uint32_t n)
{
    struct fal_ep_register *reg = &j->reg;

    reg->num -= n;
    for (uint32_t i = 0; i < reg->num; i++)
        reg->events[i] = reg->events[i + n];
    j->sources[FAL_EP_FW_REGISTER].len = reg->num;
}

/* The register has one event, so those that went in before the one that leaves were written
 * over. Their number at the end of a time does not show it (fal_ep_fifo_moment) when the last
 * one leaves at the time at which it went in. */
static void leaves_register(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    const struct fal_ep_register *reg = &j->reg;
    uint32_t at = 0;

    if (reg->crowded)
        return;
    while (at < reg->num &&
           (reg->events[at].flow != event->flow || reg->events[at].seq != event->seq))
        at++;
    if (at == reg->num) { /* the one that went in last was lost in place of this */
        forget_registered(j, reg->num);
        return;
    }
    for (uint32_t i = 0; i < at; i++)
        fal_ep_broken(j, EP6, event,
                      "expected one event of the firmware at a time, found that of flow %u "
                      "with sequence number %llu written over by one that came later",
                      (unsigned)reg->events[i].flow, (unsigned long long)reg->events[i].seq);
    forget_registered(j, at + 1);
}

/* ---- FIFOs ---- */

static void goes_in(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    struct fal_ep_flow *flow = fal_ep_flow_of(j, event->flow);
    struct fal_ep_source *source = &j->sources[event->queue];
    struct fal_ep_item *item;

    fal_ep_wred_pass(j, event);
    if (source->len == 0) {
        source->since_ns = event->at_ns;
        source->passed_over = 0;
    }
    if (event->queue == FAL_EP_FW_REGISTER)
        goes_into_register(j, event);
    else
        source->len++;
    if (flow == NULL)
        return;
    item = flow->lists[fal_ep_queue_of(event->kind)].first;
    while (item != NULL &&
           (item->queued || item->kind != event->kind || item->seq != event->seq))
        item = item->next;
    if (item != NULL)
        item->queued = true;
    else
        unknown(j, flow, event, "goes into its queue");
}

/* Events that went into the FIFO before one that leaves it must have left it, too. */
static void lose_earlier(struct fal_ep_judge *j, struct fal_ep_item *item,
                         const struct fal_ep_event *event)
{
    struct fal_ep_item *earlier = item->prev;

    while (earlier != NULL) {
        struct fal_ep_item *next = earlier->prev;

        if (earlier->queued) {
            fal_ep_lost(j, earlier, 1, event);
            if (event->queue != FAL_EP_FW_REGISTER && j->sources[event->queue].len > 0)
                j->sources[event->queue].len--;
            fal_ep_item_remove(j, earlier);
        }
        earlier = next;
    }
}

/* Each other source that has waited since before the last grant is passed over. */
static void grant(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    static const char *const names[FAL_EP_QUEUES] = {"TX FIFO", "RX FIFO",
                                                     "register of the firmware"};

    for (unsigned q = 0; q < FAL_EP_QUEUES && j->setup.round_robin; q++) {
        struct fal_ep_source *other = &j->sources[q];

        if (q == event->queue || other->len == 0 || !j->had_grant ||
            other->since_ns >= j->grant_ns)
            continue;
        if (++other->passed_over >= GRANTS) {
            fal_ep_broken(j, EP6, event,
                          "the %s has waited since %llu ns: expected it served within %d "
                          "grants, found %u to others",
                          names[q], (unsigned long long)other->since_ns, GRANTS,
                          (unsigned)other->passed_over);
            other->passed_over = 0;
        }
    }
    if (j->setup.round_robin)
        fal_ep_held(j, EP6);
    j->had_grant = true;
    j->grant_ns = event->at_ns;
}

static void goes_out(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    struct fal_ep_flow *flow = fal_ep_flow_of(j, event->flow);
    struct fal_ep_source *source = &j->sources[event->queue];
    struct fal_ep_item *item;

    if (event->queue == FAL_EP_FW_REGISTER)
        leaves_register(j, event);
    else if (source->len > 0)
        source->len--;
    source->passed_over = 0;
    if ((j->seen & FAL_EP_SAW_IN) != 0)
        grant(j, event);
    if (flow == NULL)
        return;
    item = fal_ep_item_find(&flow->lists[fal_ep_queue_of(event->kind)], event);
    if (item == NULL) {
        unknown(j, flow, event, "leaves its queue");
        return;
    }
    lose_earlier(j, item, event);
    item->writes = fal_ep_class_writes(j, item->kind);
    fal_ep_item_move(item, FAL_EP_READY);
}

void fal_ep_fifo(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    if (event->act == FAL_EP_IN)
        goes_in(j, event);
    else if (event->act == FAL_EP_OUT)
        goes_out(j, event);
}

void fal_ep_fifo_moment(struct fal_ep_judge *j)
{
    if (j->reg.crowded)
        forget_registered(j, j->reg.num);
    j->reg.crowded = false;
    if (j->reg.num <= 1)
        return;
    if (j->setup.all_points || (j->seen & FAL_EP_SAW_OUT) != 0)
        fal_ep_broken(j, EP6, NULL,
                      "expected one event of the firmware at a time, found another written "
                      "over one that waits since %llu ns",
                      (unsigned long long)j->sources[FAL_EP_FW_REGISTER].since_ns);
    forget_registered(j, j->reg.num - 1);
}

/* ---- merging ---- */

static struct fal_ep_item *not_merged(const struct fal_ep_list *list,
                                      const struct fal_ep_event *event)
{
    uint64_t seq = event->count > 1 ? event->last_seq : event->seq;
    struct fal_ep_item *item = list->first;

    while (item != NULL && (item->kind != event->kind || item->slice != FAL_EP_NONE ||
                            item->class_fixed || item->seq != seq))
        item = item->next;
    return item;
}

void fal_ep_merge(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    struct fal_ep_flow *flow = fal_ep_flow_of(j, event->flow);
    struct fal_ep_item *item;
    unsigned set;

    if (flow == NULL)
        return;
    item = not_merged(&flow->lists[FAL_EP_READY], event);
    if (item == NULL && (j->seen & FAL_EP_SAW_OUT) == 0)
        item = not_merged(&flow->lists[fal_ep_queue_of(event->kind)], event);
    if (item == NULL) {
        unknown(j, flow, event, "is merged");
        return;
    }
    set = fal_ep_class_set(j, item);
    if (!fal_ep_has_class(set, event->klass))
        fal_ep_broken(j, EP8, event,
                      "a %s is merged as class %u, and the table gives its kind "
                      "another class",
                      fal_ep_kind_name(event->kind), (unsigned)event->klass);
    else if (j->classes[event->kind].writes > 0)
        fal_ep_held(j, EP8);
    if (event->klass < 1U << FAL_EP_CLASS_BITS) {
        item->class_fixed = true;
        item->klass = event->klass;
    }
    fal_ep_map_expect(j, flow, event);
    fal_ep_slice_waits(j, item, event->slice);
}
