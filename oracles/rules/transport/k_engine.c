/* SPDX-License-Identifier: Apache-2.0
 * k_engine.c - see engine_judge.h; K11: rings and sets. */
#include "oracles/rules/transport/k_engine.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* Cycles after which a flow whose timer expired is surely in the ready set: as many as there
 * are flows whose timers may have expired in the same cycle, and a few. */
enum { WAKE_SLACK = 16 };

struct fal_en_judge *fal_en_judge_new(const struct fal_en_setup *setup, struct fal_tally *tally)
{
    struct fal_en_judge *k = calloc(1, sizeof *k);

    assert(tally->num_rules == FAL_K_RULES);
    if (k == NULL)
        return NULL;
    k->setup = *setup;
    k->tally = tally;
    return k;
}

void fal_en_judge_free(struct fal_en_judge *k)
{
    if (k == NULL)
        return;
    for (size_t i = 0; i < FAL_EN_FLOWS; i++)
        free(k->flows[i]);
    free(k);
}

/* ---- flows ---- */

static void counts(struct fal_en_judge *k, const struct fal_en_flow *f, bool added)
{
    if (f->rate_bps == 0)
        k->unlimited += added ? 1 : UINT32_MAX;
    else
        k->total_bps += added ? f->rate_bps : 0 - f->rate_bps;
}

static int add(struct fal_en_judge *k, const struct fal_en_event *e)
{
    struct fal_en_flow *f;

    if (k->flows[e->flow] != NULL)
        return 0;
    f = calloc(1, sizeof *f);
    if (f == NULL)
        return FAL_ERR_MEM;
    k->flows[e->flow] = f;
    f->rate_bps = e->rate_bps;
    k->num_flows++;
    counts(k, f, true);
    return 0;
}

static void leave_set(struct fal_en_judge *k, struct fal_en_flow *f, enum fal_en_set set)
{
    if (!f->in_set[set])
        return;
    f->in_set[set] = false;
    if (set == FAL_EN_READY) {
        k->num_ready--;
        fal_en_ready_changed(k);
    }
}

static void remove_flow(struct fal_en_judge *k, struct fal_en_flow *f)
{
    fal_en_rate_end(k, f);
    leave_set(k, f, FAL_EN_READY);
    counts(k, f, false);
    k->num_flows--;
    free(f);
    k->flows[k->flow] = NULL;
}

static void set_rate(struct fal_en_judge *k, struct fal_en_flow *f, uint64_t rate_bps)
{
    fal_en_rate_end(k, f);
    counts(k, f, false);
    f->rate_bps = rate_bps;
    counts(k, f, true);
}

/* ---- K11: sets ---- */

static const char *name_of(enum fal_en_set set)
{
    return set == FAL_EN_READY ? "ready" : "active";
}

static void push(struct fal_en_judge *k, struct fal_en_flow *f, enum fal_en_set set)
{
    if (f->in_set[set]) {
        fal_en_broken(k, FAL_K11, "the flow entered the %s set, but it was in it",
                      name_of(set));
        return;
    }
    fal_tally_held(k->tally, FAL_K11);
    f->in_set[set] = true;
    if (set == FAL_EN_READY) {
        f->wake_cycle = 0;
        k->num_ready++;
        fal_en_ready_changed(k);
    }
}

static void pop(struct fal_en_judge *k, struct fal_en_flow *f, enum fal_en_set set)
{
    if (!f->in_set[set])
        fal_en_broken(k, FAL_K11, "the flow was taken from the %s set, but it was not in it",
                      name_of(set));
    leave_set(k, f, set);
}

/* A flow that a timer should have put into the ready set. */
static void awake(struct fal_en_judge *k, struct fal_en_flow *f)
{
    const uint64_t latest = f->wake_cycle + k->num_flows + WAKE_SLACK;

    if (f->wake_cycle == 0 || f->wake_cycle == f->late_pushed || latest < f->wake_cycle ||
        k->cycle <= latest)
        return;
    f->late_pushed = f->wake_cycle;
    fal_en_broken(k, FAL_K11,
                  "the flow should have entered the ready set in cycle %" PRIu64
                  ", and had not in cycle %" PRIu64,
                  f->wake_cycle, k->cycle);
}

/* ---- K11: the ring ---- */

static void generate(struct fal_en_judge *k, struct fal_en_flow *f,
                     const struct fal_en_event *e)
{
    struct fal_en_address *a = &f->kept[f->end & (FAL_EN_KEPT - 1)];

    if (f->end == f->first)
        f->waited = false;
    *a = (struct fal_en_address){.seg = e->seg,
                                 .cycle = e->cycle,
                                 .bytes = e->bytes,
                                 .copy = e->copy,
                                 .alone = k->num_flows == 1 && f->end == f->first};
    f->end++;
    if (f->end - f->first > FAL_EN_KEPT)
        f->first++;
    if (k->setup.ring == 0)
        fal_tally_excused(k->tally, FAL_K11, "row:ring");
    else if (f->end - f->first <= k->setup.ring)
        fal_tally_held(k->tally, FAL_K11);
    else
        fal_en_broken(k, FAL_K11,
                      "%" PRIu64 " addresses are in the ring of the flow, expected at most "
                      "%" PRIu32,
                      f->end - f->first, k->setup.ring);
}

static void transmit(struct fal_en_judge *k, struct fal_en_flow *f,
                     const struct fal_en_event *e)
{
    const struct fal_en_address *a = &f->kept[f->first & (FAL_EN_KEPT - 1)];

    fal_en_transmit_pace(k, f, e);
    if (f->first == f->end) {
        fal_en_broken(k, FAL_K11,
                      "segment %" PRIu64 " was transmitted, but the ring of the flow was empty",
                      e->seg);
        return;
    }
    if (a->seg == e->seg && a->copy == e->copy)
        fal_tally_held(k->tally, FAL_K11);
    else
        fal_en_broken(k, FAL_K11,
                      "segment %" PRIu64 " (copy %" PRIu32 ") was transmitted, expected the "
                      "oldest address of the ring: segment %" PRIu64 " (copy %" PRIu32 ")",
                      e->seg, e->copy, a->seg, a->copy);
    f->first++;
}

/* ---- K11: at the end of a cycle ---- */

static void state(struct fal_en_judge *k, struct fal_en_flow *f, const struct fal_en_event *e)
{
    const bool room = k->setup.ring > 0 && e->outstanding < k->setup.ring;
    const bool may = (e->work && room) || (e->outstanding > 0 && e->credit);

    if (e->outstanding != f->end - f->first && f->end - f->first < FAL_EN_KEPT)
        fal_en_broken(k, FAL_K11,
                      "the flow counts %" PRIu32 " addresses in its ring, but %" PRIu64
                      " were generated and not transmitted",
                      e->outstanding, f->end - f->first);
    else if (e->active != f->in_set[FAL_EN_ACTIVE] || e->ready != f->in_set[FAL_EN_READY])
        fal_en_broken(
            k, FAL_K11, "the flow says that it is%s in the %s set, which is wrong",
            (e->active != f->in_set[FAL_EN_ACTIVE] ? e->active : e->ready) ? "" : " not",
            name_of(e->active != f->in_set[FAL_EN_ACTIVE] ? FAL_EN_ACTIVE : FAL_EN_READY));
    else if (may && !e->active && !e->ready && e->wake_cycle == 0)
        fal_en_broken(k, FAL_K11, "the flow has %s, but it is in no set and no timer is set",
                      e->outstanding > 0 && e->credit ? "an address and credit" : "work");
    else
        fal_tally_held(k->tally, FAL_K11);
    if (e->outstanding > 0 && !e->credit)
        f->waited = true;
    f->wake_cycle = e->ready ? 0 : e->wake_cycle;
    f->window_bound = f->window_bound || e->outstanding == 0;
    if (!e->work && e->outstanding == 0)
        fal_en_rate_end(k, f);
}

/* ---- events ---- */

static void take(struct fal_en_judge *k, struct fal_en_flow *f, const struct fal_en_event *e)
{
    const enum fal_en_set set = e->set == FAL_EN_READY ? FAL_EN_READY : FAL_EN_ACTIVE;

    awake(k, f);
    switch (e->kind) {
    case FAL_EN_ADD: break;
    case FAL_EN_REMOVE: remove_flow(k, f); break;
    case FAL_EN_RATE: set_rate(k, f, e->rate_bps); break;
    case FAL_EN_PUSH: push(k, f, set); break;
    case FAL_EN_POP: pop(k, f, set); break;
    case FAL_EN_INCOMING: break;
    case FAL_EN_PERIODIC: break;
    case FAL_EN_GENERATE: generate(k, f, e); break;
    case FAL_EN_TRANSMIT: transmit(k, f, e); break;
    case FAL_EN_MERGE:
        if (e->merge != NULL)
            fal_en_merge(k, e->merge);
        break;
    case FAL_EN_STATE: state(k, f, e); break;
    }
}

int fal_en_judge_event(struct fal_en_judge *k, const struct fal_en_event *e)
{
    if (e->flow >= FAL_EN_FLOWS) {
        fal_tally_excused(k->tally, FAL_K11, "forgotten");
        return 0;
    }
    if (e->cycle > k->cycle)
        k->cycle = e->cycle;
    k->number = e->number;
    k->flow = e->flow;
    if (e->kind == FAL_EN_ADD || k->flows[e->flow] == NULL)
        if (add(k, e) != 0)
            return FAL_ERR_MEM;
    take(k, k->flows[e->flow], e);
    return 0;
}

void fal_en_judge_end(struct fal_en_judge *k)
{
    k->number = 0;
    fal_en_busy_end(k);
    for (uint32_t i = 0; i < FAL_EN_FLOWS; i++)
        if (k->flows[i] != NULL) {
            k->flow = i;
            awake(k, k->flows[i]);
            fal_en_rate_end(k, k->flows[i]);
        }
}
