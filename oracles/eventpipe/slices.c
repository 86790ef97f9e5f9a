/* SPDX-License-Identifier: Apache-2.0
 * slices.c - the flow map, the slices with their merge entries, and the arbiter [0143-0156]. */
#include "oracles/eventpipe/pipe_impl.h"

#include <string.h>

/* ---- the state machine of a slice ---- */

enum { STAYS = -1 };

/* [0147-0151]. `done` in override is not said: the state stays, or the variant ends it. */
static const int moves[FAL_EP_MORE_B + 1][FAL_EP_BY_FW_RELEASE + 1] = {
    /*                   event            done         grant        fw fw_release */
    [FAL_EP_IDLE] = {FAL_EP_ARB, STAYS, STAYS, FAL_EP_OVERRIDE, STAYS},
    [FAL_EP_ARB] = {FAL_EP_ARB, STAYS, FAL_EP_BUSY, STAYS, STAYS},
    [FAL_EP_BUSY] = {FAL_EP_MORE_A, FAL_EP_IDLE, STAYS, FAL_EP_OVERRIDE, STAYS},
    [FAL_EP_MORE_A] = {FAL_EP_MORE_A, FAL_EP_ARB, STAYS, STAYS, STAYS},
    [FAL_EP_OVERRIDE] = {FAL_EP_MORE_B, STAYS, STAYS, STAYS, FAL_EP_IDLE},
    [FAL_EP_MORE_B] = {FAL_EP_MORE_B, STAYS, STAYS, STAYS, FAL_EP_ARB},
};

static void set_state(struct fal_ep_pipe *pipe, uint32_t number, enum fal_ep_state to,
                      enum fal_ep_cause cause)
{
    struct fal_ep_slice *slice = &pipe->slices[number];

    fal_ep_emit(pipe, (struct fal_ep_event){.point = FAL_EP_SLICE,
                                            .act = FAL_EP_MOVE,
                                            .slice = number,
                                            .flow = slice->flow,
                                            .from = slice->state,
                                            .to = to,
                                            .cause = cause});
    if (slice->state == FAL_EP_ARB)
        pipe->arbitrating--;
    if (to == FAL_EP_ARB)
        pipe->arbitrating++;
    slice->state = to;
    pipe->held_blocked = false;
}

static void move(struct fal_ep_pipe *pipe, uint32_t number, enum fal_ep_cause cause)
{
    int to = moves[pipe->slices[number].state][cause];

    if (to != STAYS)
        set_state(pipe, number, (enum fal_ep_state)to, cause);
}

/* ---- the flow map ---- */

static void map_line(struct fal_ep_pipe *pipe, enum fal_ep_act act, uint32_t flow,
                     uint32_t slice)
{
    fal_ep_emit(pipe, (struct fal_ep_event){
                          .point = FAL_EP_MAP, .act = act, .flow = flow, .slice = slice});
}

static void map_write(struct fal_ep_pipe *pipe, uint32_t flow, uint32_t number)
{
    struct fal_ep_slice *slice = &pipe->slices[number];

    slice->mapped = true;
    slice->flow = flow;
    slice->pending = 0;
    slice->override_waits = slice->release_waits = false;
    pipe->slice_of[flow] = number + 1;
    map_line(pipe, FAL_EP_WRITE, flow, number);
}

static void map_release(struct fal_ep_pipe *pipe, uint32_t number)
{
    struct fal_ep_slice *slice = &pipe->slices[number];

    slice->mapped = false;
    if (pipe->slice_of[slice->flow] == number + 1)
        pipe->slice_of[slice->flow] = 0;
    map_line(pipe, FAL_EP_RELEASE, slice->flow, number);
}

/* A slice at random among the free ones [0144]; the number of slices: none is free. */
static uint32_t free_slice(struct fal_ep_pipe *pipe)
{
    uint32_t n = pipe->config.setup.slices, list[FAL_EP_SLICES_MAX], count = 0;

    for (uint32_t i = 0; i < n; i++)
        if (!pipe->slices[i].mapped)
            list[count++] = i;
    return count > 0 ? list[fal_rng_below(&pipe->map, count)] : n;
}

/* ---- merging ---- */

static void add(struct fal_ep_pipe *pipe, struct fal_ep_event *entry,
                const struct fal_ep_event *event)
{
    entry->kind = event->kind;
    entry->last_seq = event->seq;
    entry->last_ns = event->last_ns;
    entry->count += event->count;
    entry->bytes += event->bytes;
    if (event->t4_ns != 0 || entry->t4_ns == 0) { /* a round trip is not lost */
        entry->t1_ns = event->t1_ns;
        entry->t2_ns = event->t2_ns;
        entry->t3_ns = event->t3_ns;
        entry->t4_ns = event->t4_ns;
    }
    if (fal_ep_fault(pipe, FAL_EP_MERGE_KEEPS_LAST_SN_ONLY))
        entry->seq = event->seq;
    if (fal_ep_fault(pipe, FAL_EP_MERGE_LOSES_BYTES))
        entry->bytes = event->bytes;
    pipe->counts.merged++;
}

static void merge(struct fal_ep_pipe *pipe, uint32_t number, const struct fal_ep_event *event)
{
    struct fal_ep_slice *slice = &pipe->slices[number];
    struct fal_ep_event line = *event;
    bool in_override = slice->state == FAL_EP_OVERRIDE || slice->state == FAL_EP_MORE_B;

    line.point = FAL_EP_MERGE;
    line.act = FAL_EP_NOT;
    line.slice = number;
    fal_ep_emit(pipe, line);
    if (in_override && fal_ep_fault(pipe, FAL_EP_OVERRIDE_DROPS_MERGE))
        return;
    if ((slice->pending >> event->klass & 1) != 0)
        add(pipe, &slice->entries[event->klass], event);
    else
        slice->entries[event->klass] = *event;
    slice->pending |= UINT32_C(1) << event->klass;
}

/* ---- an event is placed ---- */

/* Another slice that works for a flow, or `number`. */
static uint32_t neighbour(const struct fal_ep_pipe *pipe, uint32_t number)
{
    uint32_t n = pipe->config.setup.slices;

    for (uint32_t i = 1; i < n; i++) {
        uint32_t other = (number + i) % n;

        if (pipe->slices[other].state == FAL_EP_BUSY)
            return other;
    }
    return number;
}

static void take_event(struct fal_ep_pipe *pipe, uint32_t number,
                       const struct fal_ep_event *event)
{
    struct fal_ep_slice *slice = &pipe->slices[number];

    merge(pipe, number, event);
    if (slice->state == FAL_EP_BUSY && fal_ep_strikes(pipe, FAL_EP_WAKEUP_LOST, 8))
        return;
    if (slice->state == FAL_EP_IDLE && fal_ep_strikes(pipe, FAL_EP_GRANT_FROM_IDLE, 16)) {
        struct fal_ep_processor *p = fal_ep_processor_for(pipe, number);

        if (p != NULL) {
            set_state(pipe, number, FAL_EP_BUSY, FAL_EP_BY_EVENT);
            fal_ep_processor_start(pipe, p, number); /* of the only class with an event */
            return;
        }
    }
    move(pipe, number, FAL_EP_BY_EVENT);
}

static bool must_wait(const struct fal_ep_pipe *pipe, const struct fal_ep_slice *slice)
{
    return (pipe->config.slices_merge_not && slice->state != FAL_EP_IDLE) ||
           (slice->state == FAL_EP_ARB && fal_ep_variant(pipe, FAL_EP_ARB_WAITS));
}

bool fal_ep_slices_place(struct fal_ep_pipe *pipe, const struct fal_ep_event *event)
{
    uint32_t number = pipe->slice_of[event->flow];
    bool retried = pipe->holding;

    if (number > 0 && !fal_ep_strikes(pipe, FAL_EP_CAM_STALE, 8)) {
        number--;
        if (must_wait(pipe, &pipe->slices[number]))
            return false;
        map_line(pipe, FAL_EP_HIT, event->flow, number);
        pipe->counts.hits++;
        if (pipe->slices[number].state == FAL_EP_BUSY &&
            fal_ep_strikes(pipe, FAL_EP_MERGE_ACROSS_FLOWS, 8))
            number = neighbour(pipe, number);
        take_event(pipe, number, event);
        return true;
    }
    if (!retried) {
        map_line(pipe, FAL_EP_MISS, event->flow, 0);
        pipe->counts.misses++;
    }
    number = free_slice(pipe);
    if (number == pipe->config.setup.slices)
        return false;
    map_write(pipe, event->flow, number);
    take_event(pipe, number, event);
    return true;
}

/* ---- override ---- */

static void override_now(struct fal_ep_pipe *pipe, uint32_t number)
{
    pipe->slices[number].override_waits = false;
    move(pipe, number, FAL_EP_BY_FW);
    pipe->counts.overrides++;
}

bool fal_ep_pipe_override(struct fal_ep_pipe *pipe, uint32_t flow, uint64_t now_ns)
{
    uint32_t number = pipe->slice_of[flow];
    struct fal_ep_slice *slice;

    pipe->now_ns = now_ns;
    if (number == 0) {
        number = free_slice(pipe);
        if (number == pipe->config.setup.slices)
            return false;
        map_write(pipe, flow, number);
    } else {
        number--;
    }
    slice = &pipe->slices[number];
    if (slice->state == FAL_EP_IDLE || slice->state == FAL_EP_BUSY)
        override_now(pipe, number);
    else if (slice->state == FAL_EP_ARB || slice->state == FAL_EP_MORE_A)
        slice->override_waits = true; /* in more_a: not said; it waits for the next grant */
    return true;
}

static void release_now(struct fal_ep_pipe *pipe, uint32_t number)
{
    struct fal_ep_slice *slice = &pipe->slices[number];

    slice->release_waits = false;
    if (slice->state == FAL_EP_MORE_B && fal_ep_fault(pipe, FAL_EP_RELEASE_FORGETS_MORE))
        set_state(pipe, number, FAL_EP_IDLE, FAL_EP_BY_FW_RELEASE);
    else
        move(pipe, number, FAL_EP_BY_FW_RELEASE);
    if (slice->state == FAL_EP_IDLE)
        map_release(pipe, number);
}

void fal_ep_pipe_release(struct fal_ep_pipe *pipe, uint32_t flow, uint64_t now_ns)
{
    uint32_t number = pipe->slice_of[flow];
    struct fal_ep_slice *slice;

    pipe->now_ns = now_ns;
    if (number == 0)
        return;
    slice = &pipe->slices[--number];
    slice->override_waits = false;
    if (slice->state != FAL_EP_OVERRIDE && slice->state != FAL_EP_MORE_B)
        return;
    if (slice->runs)
        slice->release_waits = true;
    else
        release_now(pipe, number);
}

/* ---- grants ---- */

bool fal_ep_slices_ready(const struct fal_ep_pipe *pipe)
{
    if (pipe->arbitrating == 0)
        return false;
    if (pipe->config.setup.slices == pipe->config.setup.processors)
        return true; /* a slice that arbitrates has no processor at work */
    for (uint32_t i = 0; i < pipe->config.setup.processors; i++)
        if (pipe->processors[i].phase == FAL_EP_FREE)
            return true;
    return false;
}

void fal_ep_slices_grant(struct fal_ep_pipe *pipe)
{
    uint32_t n = pipe->config.setup.slices;

    for (uint32_t i = 1; i <= n; i++) {
        uint32_t number = (pipe->granted + i) % n;
        struct fal_ep_processor *p;

        if (pipe->slices[number].state != FAL_EP_ARB)
            continue;
        p = fal_ep_processor_for(pipe, number);
        if (p == NULL)
            return;
        pipe->granted = number;
        move(pipe, number, FAL_EP_BY_GRANT);
        fal_ep_processor_start(pipe, p, number);
        if (pipe->slices[number].pending != 0) /* events of another class are more work */
            move(pipe, number, FAL_EP_BY_EVENT);
        else if (pipe->slices[number].override_waits)
            override_now(pipe, number);
        return;
    }
}

void fal_ep_slices_done(struct fal_ep_pipe *pipe, uint32_t number)
{
    struct fal_ep_slice *slice = &pipe->slices[number];

    slice->runs = false;
    if (fal_ep_variant(pipe, FAL_EP_DONE_ENDS_OVERRIDE) && slice->state == FAL_EP_OVERRIDE)
        set_state(pipe, number, FAL_EP_IDLE, FAL_EP_BY_DONE);
    else if (fal_ep_variant(pipe, FAL_EP_DONE_ENDS_OVERRIDE) && slice->state == FAL_EP_MORE_B)
        set_state(pipe, number, FAL_EP_ARB, FAL_EP_BY_DONE);
    else
        move(pipe, number, FAL_EP_BY_DONE);
    if (slice->state == FAL_EP_IDLE && slice->override_waits)
        override_now(pipe, number);
    else if (slice->state == FAL_EP_IDLE)
        map_release(pipe, number);
    else if (slice->release_waits)
        release_now(pipe, number);
}
