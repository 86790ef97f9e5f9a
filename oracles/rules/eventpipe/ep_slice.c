/* SPDX-License-Identifier: Apache-2.0
 * ep_slice.c - the states of the slices [0146-0151]: EP5 (each transition), EP7 (no lost
 * wake-up) and EP13 (override by firmware).
 *
 * A slice that is idle while an event waits in it sleeps over that event. A pipeline may take
 * some time to tell a slice of an event, so this is judged only where the setup declares that
 * time (pipeline_ns), where another flow takes the slice, or at the end of a trace that is
 * declared to end at rest. */
#include "oracles/rules/eventpipe/ep_state.h"

enum { NEVER = -1, CAUSES = FAL_EP_BY_FW_RELEASE + 1, STATES = FAL_EP_MORE_B + 1 };

/* The state after each cause. NEVER: no such transition; the signal may still come and change
 * nothing. Columns: event, done, grant, fw-override, fw-release. A done under override is not
 * said, nor an override in more_a (not_said()). */
static const int next[STATES][CAUSES] = {
    [FAL_EP_IDLE] = {FAL_EP_ARB, NEVER, NEVER, FAL_EP_OVERRIDE, NEVER},
    [FAL_EP_ARB] = {FAL_EP_ARB, NEVER, FAL_EP_BUSY, NEVER, NEVER},
    [FAL_EP_BUSY] = {FAL_EP_MORE_A, FAL_EP_IDLE, NEVER, FAL_EP_OVERRIDE, NEVER},
    [FAL_EP_MORE_A] = {FAL_EP_MORE_A, FAL_EP_ARB, NEVER, NEVER, NEVER},
    [FAL_EP_OVERRIDE] = {FAL_EP_MORE_B, NEVER, NEVER, NEVER, FAL_EP_IDLE},
    [FAL_EP_MORE_B] = {FAL_EP_MORE_B, NEVER, NEVER, NEVER, FAL_EP_ARB},
};

static bool is_overridden(enum fal_ep_state state)
{
    return state == FAL_EP_OVERRIDE || state == FAL_EP_MORE_B;
}

/* The paragraphs give no transition and exclude none. */
static bool not_said(const struct fal_ep_event *e)
{
    if (e->cause == FAL_EP_BY_DONE)
        return is_overridden(e->from);
    return e->from == FAL_EP_MORE_A && e->cause == FAL_EP_BY_FW &&
           (e->to == FAL_EP_MORE_A || is_overridden(e->to));
}

static const char *const causes[CAUSES] = {"an event", "done", "a grant", "fw-override",
                                           "fw-release"};

static void judge_transition(struct fal_ep_judge *j, const struct fal_ep_event *e)
{
    int expected = next[e->from][e->cause];

    if (not_said(e)) {
        fal_ep_excused(
            j, EP5, e->cause == FAL_EP_BY_DONE ? "done-under-override" : "override-in-more-a");
        return;
    }
    if ((int)e->to == (expected == NEVER ? (int)e->from : expected)) {
        fal_ep_held(j, EP5);
        return;
    }
    fal_ep_broken(j, EP5, e, "slice %u: from %s by %s: expected %s, found %s",
                  (unsigned)e->slice, fal_ep_state_name(e->from), causes[e->cause],
                  fal_ep_state_name(expected == NEVER ? e->from : (enum fal_ep_state)expected),
                  fal_ep_state_name(e->to));
}

/* An event that came while the processor was busy must bring the slice back to arbitration. */
static void judge_wake_up(struct fal_ep_judge *j, const struct fal_ep_event *e)
{
    if (e->from == FAL_EP_BUSY && e->cause == FAL_EP_BY_EVENT && e->to == FAL_EP_BUSY)
        fal_ep_broken(j, EP7, e,
                      "slice %u: an event came in busy: expected more_a, found that the slice "
                      "took no note of it",
                      (unsigned)e->slice);
    if (e->from != FAL_EP_MORE_A || e->cause != FAL_EP_BY_DONE)
        return;
    if (e->to == FAL_EP_ARB)
        fal_ep_held(j, EP7);
    else
        fal_ep_broken(j, EP7, e,
                      "slice %u: an event came in busy: expected arb after done, found %s",
                      (unsigned)e->slice, fal_ep_state_name(e->to));
}

static void judge_release(struct fal_ep_judge *j, const struct fal_ep_event *e)
{
    if (e->from == FAL_EP_OVERRIDE && e->cause == FAL_EP_BY_EVENT && e->to == FAL_EP_OVERRIDE)
        fal_ep_broken(j, EP13, e,
                      "slice %u: an event came under override: expected more_b, found that the "
                      "slice took no note of it",
                      (unsigned)e->slice);
    if (e->from != FAL_EP_MORE_B || e->cause != FAL_EP_BY_FW_RELEASE)
        return;
    if (e->to == FAL_EP_ARB)
        fal_ep_held(j, EP13);
    else
        fal_ep_broken(j, EP13, e,
                      "slice %u: an event came under override: expected arb after the release, "
                      "found %s",
                      (unsigned)e->slice, fal_ep_state_name(e->to));
}

/* ---- slices that sleep over an event ---- */

static void suspect(struct fal_ep_judge *j, uint32_t index)
{
    struct fal_ep_slice *s = &j->slices[index];

    if (!s->known || s->state != FAL_EP_IDLE || s->merged == 0)
        return;
    s->since_ns = j->now_ns;
    if (!s->suspect)
        j->suspects[j->num_suspects++] = index;
    s->suspect = true;
}

/* Marks the events of the slice's flow that wait in it. */
static void mark_overridden(struct fal_ep_judge *j, uint32_t index)
{
    struct fal_ep_flow *flow = j->slices[index].flow;

    for (unsigned list = 0; flow != NULL && list < FAL_EP_LISTS; list++)
        for (struct fal_ep_item *i = flow->lists[list].first; i != NULL; i = i->next)
            if (i->slice == index)
                i->overridden = true;
    if (flow != NULL)
        flow->override_since_read = true;
}

static void sleeps(struct fal_ep_judge *j, uint32_t index)
{
    const struct fal_ep_slice *s = &j->slices[index];
    const struct fal_ep_flow *flow = s->flow;
    bool overridden = false;

    for (unsigned list = 0; flow != NULL && list < FAL_EP_LISTS; list++)
        for (struct fal_ep_item *i = flow->lists[list].first; i != NULL; i = i->next)
            overridden = overridden || (i->slice == index && i->overridden);
    fal_ep_broken(j, overridden ? EP13 : EP7, NULL,
                  "slice %u is idle since %llu ns, and %u event%s of its flow wait%s in it",
                  (unsigned)index, (unsigned long long)s->since_ns, (unsigned)s->merged,
                  s->merged == 1 ? "" : "s", s->merged == 1 ? "s" : "");
}

void fal_ep_slice_moment(struct fal_ep_judge *j)
{
    for (uint32_t i = j->num_suspects; i-- > 0;) {
        struct fal_ep_slice *s = &j->slices[j->suspects[i]];
        bool still = s->state == FAL_EP_IDLE && s->merged > 0,
             late = still && j->setup.pipeline_ns > 0 &&
                    j->now_ns - s->since_ns > j->setup.pipeline_ns;

        if (late)
            sleeps(j, j->suspects[i]);
        if (still && !late)
            continue;
        s->suspect = false;
        j->suspects[i] = j->suspects[--j->num_suspects];
    }
}

void fal_ep_slice_end(struct fal_ep_judge *j)
{
    if (!j->setup.ends_at_rest)
        return;
    for (uint32_t i = 0; i < j->num_suspects; i++)
        if (j->slices[j->suspects[i]].state == FAL_EP_IDLE &&
            j->slices[j->suspects[i]].merged > 0)
            sleeps(j, j->suspects[i]);
}

void fal_ep_slice_waits(struct fal_ep_judge *j, struct fal_ep_item *item, uint32_t slice)
{
    if (slice >= FAL_EP_JUDGED_SLICES)
        return;
    item->slice = slice;
    item->merged_ns = j->now_ns;
    item->overridden = is_overridden(j->slices[slice].state);
    j->slices[slice].merged++;
    suspect(j, slice);
}

/* ---- */

void fal_ep_slice(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    struct fal_ep_slice *s;

    if (event->slice >= FAL_EP_JUDGED_SLICES) {
        fal_ep_excused(j, EP5, "too-many-slices");
        return;
    }
    s = &j->slices[event->slice];
    if (s->state != event->from)
        fal_ep_broken(j, EP5, event, "slice %u is in state %s, found a transition from %s",
                      (unsigned)event->slice, fal_ep_state_name(s->state),
                      fal_ep_state_name(event->from));
    judge_transition(j, event);
    judge_wake_up(j, event);
    judge_release(j, event);
    if (s->state == FAL_EP_IDLE || event->to == FAL_EP_IDLE)
        s->idle_ns = event->at_ns;
    s->known = true;
    s->state = event->to;
    if (is_overridden(event->to)) {
        j->seen |= FAL_EP_SAW_OVERRIDE;
        mark_overridden(j, event->slice);
    }
    suspect(j, event->slice);
}
