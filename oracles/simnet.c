/* SPDX-License-Identifier: Apache-2.0
 * simnet.c - the way of a frame: rules, chance, the bottleneck, the long line. Each direction
 * draws from a generator of its own and draws equally often for every frame, so that one
 * frame's fate does not depend on what was switched on for others. */
#include "oracles/simnet.h"

#include "codecs/base/error.h"
#include "oracles/rng.h"
#include "oracles/simnet_heap.h"
#include "oracles/simnet_rules.h"
#include "oracles/simnet_wire.h"

#include <stdlib.h>
#include <string.h>

struct fal_simnet {
    struct fal_impairment impair[2];
    struct fal_rng rng[2], ce_rng[2];
    struct fal_simnet_wire wire[2];
    struct fal_simnet_counts counts;
    struct fal_simnet_rules rules;
    struct fal_simnet_heap heap;
    uint64_t order, newest[2]; /* of frames: the next one's, and the highest that arrived */
    struct fal_simnet_item *current; /* what was handed out last */
    struct fal_simnet_trials trials;
    struct window {
        uint64_t end_ns;
        bool lost;
    } window[2]; /* the round trip that is the last trial of a queue */
};

struct fal_simnet *fal_simnet_new(const struct fal_impairment impair[2], uint64_t seed)
{
    struct fal_simnet *net = calloc(1, sizeof *net);

    if (net == NULL)
        return NULL;
    for (unsigned dir = 0; dir < 2; dir++) {
        net->impair[dir] = impair[dir];
        net->rng[dir] = fal_rng_split(seed, 1 + dir);
        net->ce_rng[dir] = fal_rng_split(seed, 3 + dir);
    }
    return net;
}

void fal_simnet_free(struct fal_simnet *net)
{
    if (net == NULL)
        return;
    fal_simnet_heap_free(&net->heap);
    free(net->current);
    free(net);
}

int fal_simnet_add_rule(struct fal_simnet *net, const struct fal_simnet_rule *rule)
{
    if (net->rules.count >= FAL_SIMNET_RULES_MAX)
        return FAL_ERR_RANGE;
    net->rules.scripts[net->rules.count++] = (struct fal_simnet_script){.rule = *rule};
    return 0;
}

bool fal_simnet_has_rules(const struct fal_simnet *net)
{
    return net->rules.count > 0;
}

uint64_t fal_simnet_rule_acts(const struct fal_simnet *net, size_t n)
{
    return n < net->rules.count ? net->rules.scripts[n].acts : 0;
}

/* What chance has in store for one frame. Every value is drawn, wanted or not. */
struct fate {
    bool lost, duplicated, late, corrupted;
    uint64_t jitter_ns;
    uint64_t bit;
    uint64_t delay_ns; /* by rules, not by chance */
};

static bool chance(struct fal_rng *rng, uint32_t ppm)
{
    return fal_rng_below(rng, 1000000) < ppm;
}

static struct fate draw(struct fal_rng *rng, const struct fal_impairment *impair)
{
    struct fate fate;

    /* One by one: the order within an initializer would be the compiler's. */
    fate.lost = chance(rng, impair->loss_ppm);
    fate.duplicated = chance(rng, impair->duplicate_ppm);
    fate.late = chance(rng, impair->reorder_ppm);
    fate.corrupted = chance(rng, impair->corrupt_ppm);
    fate.jitter_ns = fal_rng_next(rng);
    fate.bit = fal_rng_next(rng);
    if (impair->jitter_ns != FAL_NEVER)
        fate.jitter_ns %= impair->jitter_ns + 1;
    fate.delay_ns = 0;
    return fate;
}

/* Whether the path itself takes the frame: its length, hops and queue. */
static bool passes(struct fal_simnet *net, struct fal_simnet_frame *frame)
{
    const struct fal_impairment *impair = &net->impair[frame->dir];
    uint64_t left_ns;
    bool mark;

    if (impair->mtu > 0 && frame->len > impair->mtu) {
        net->counts.oversized[frame->dir]++;
        return false;
    }
    if (frame->ttl > 0 && frame->ttl <= impair->hops) {
        net->counts.expired[frame->dir]++;
        return false;
    }
    if (fal_simnet_wire_pass(&net->wire[frame->dir], impair, frame->len, frame->at_ns, &left_ns,
                             &mark) == FAL_SIMNET_FULL) {
        net->counts.overflowed[frame->dir]++;
        return false;
    }
    if (frame->ttl > 0)
        frame->ttl = (uint8_t)(frame->ttl - impair->hops);
    if (mark && (frame->ecn == FAL_ECN_ECT0 || frame->ecn == FAL_ECN_ECT1))
        frame->ecn = FAL_ECN_CE;
    frame->at_ns = left_ns;
    return true;
}

static int carry(struct fal_simnet *net, struct fal_simnet_frame frame, const struct fate *fate)
{
    const struct fal_impairment *impair = &net->impair[frame.dir];
    struct fal_simnet_item *item;
    uint8_t ecn = frame.ecn;

    if (fate->lost) {
        net->counts.lost[frame.dir]++;
        return 0;
    }
    if (!passes(net, &frame))
        return 0;
    if (fal_simnet_heap_reserve(&net->heap) < 0 || frame.len > SIZE_MAX - sizeof *item)
        return FAL_ERR_MEM;
    item = malloc(sizeof *item + frame.len);
    if (item == NULL)
        return FAL_ERR_MEM;
    *item =
        (struct fal_simnet_item){.due_ns = fal_simnet_later(frame.at_ns, impair->latency_ns),
                                 .order = net->order++,
                                 .dir = frame.dir,
                                 .ecn = frame.ecn,
                                 .ttl = frame.ttl,
                                 .path = frame.path,
                                 .len = frame.len};
    item->due_ns = fal_simnet_later(item->due_ns, fate->jitter_ns);
    item->due_ns = fal_simnet_later(item->due_ns, fate->delay_ns);
    if (fate->late)
        item->due_ns = fal_simnet_later(item->due_ns, impair->reorder_ns);
    if (frame.len > 0)
        memcpy(item->bytes, frame.bytes, frame.len);
    if (fate->corrupted && frame.len > 0) {
        uint64_t bit = fate->bit % (frame.len * 8);

        item->bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        net->counts.corrupted[frame.dir]++;
    }
    net->counts.marked[frame.dir] += frame.ecn != ecn;
    fal_simnet_heap_push(&net->heap, item);
    return 0;
}

/* The ECN field after rules and chance; the queue has its say later. */
static uint8_t marked(struct fal_simnet *net, const struct fal_simnet_frame *frame, bool rule)
{
    bool ce = chance(&net->ce_rng[frame->dir], net->impair[frame->dir].ce_ppm);

    if (!rule && (!ce || frame->ecn == FAL_ECN_NOT_ECT))
        return frame->ecn;
    net->counts.marked[frame->dir] += frame->ecn != FAL_ECN_CE;
    return FAL_ECN_CE;
}

/* ---- trials ---- */

static uint64_t taken(const struct fal_simnet *net, enum fal_dir dir)
{
    return net->counts.lost[dir] + net->counts.overflowed[dir] + net->counts.corrupted[dir];
}

static uint64_t refused(const struct fal_simnet *net, enum fal_dir dir)
{
    return net->counts.oversized[dir] + net->counts.expired[dir];
}

/* Both ways at their longest without a queue. */
static uint64_t round_ns(const struct fal_simnet *net)
{
    uint64_t sum = 1;

    for (unsigned dir = 0; dir < 2; dir++) {
        sum = fal_simnet_later(sum, net->impair[dir].latency_ns);
        sum = fal_simnet_later(sum, net->impair[dir].jitter_ns);
    }
    return sum;
}

/* A frame that was sent at that time; all its copies were lost, or one arrives. */
static void try(struct fal_simnet *net, enum fal_dir dir, uint64_t at_ns, bool lost)
{
    const struct fal_impairment *impair = &net->impair[dir];
    struct window *window = &net->window[dir];

    if (impair->rate_bps == 0 || impair->queue_bytes == 0) {
        net->trials.trials[dir]++;
        net->trials.lost[dir] += lost;
        return;
    }
    if (at_ns >= window->end_ns) {
        *window = (struct window){.end_ns = fal_simnet_later(at_ns, round_ns(net))};
        net->trials.trials[dir]++;
    }
    net->trials.lost[dir] += lost && !window->lost;
    window->lost |= lost;
}

struct fal_simnet_trials fal_simnet_trials(const struct fal_simnet *net)
{
    return net->trials;
}

int fal_simnet_put(struct fal_simnet *net, const struct fal_simnet_frame *frame)
{
    const uint64_t taken_before = taken(net, frame->dir);
    const uint64_t refused_before = refused(net, frame->dir);
    struct fate fate = draw(&net->rng[frame->dir], &net->impair[frame->dir]);
    struct fate second = draw(&net->rng[frame->dir], &net->impair[frame->dir]);
    struct fal_simnet_verdict verdict = fal_simnet_rules_apply(&net->rules, frame);
    struct fal_simnet_frame sent = *frame;
    const uint32_t extra = verdict.copies + fate.duplicated;
    int rc;

    net->counts.sent[frame->dir]++;
    sent.ecn = marked(net, frame, verdict.mark);
    fate.delay_ns = second.delay_ns = verdict.delay_ns;
    fate.lost |= verdict.drop;
    second.lost |= verdict.drop;
    fate.corrupted |= verdict.corrupt;
    rc = carry(net, sent, &fate);
    for (uint32_t copies = extra; rc == 0 && copies > 0; copies--) {
        net->counts.duplicated[frame->dir]++;
        rc = carry(net, sent, &second);
    }
    if (rc == 0 && net->rules.count == 0 && refused(net, frame->dir) == refused_before)
        try(net, frame->dir, frame->at_ns, taken(net, frame->dir) - taken_before > extra);
    return rc;
}

int fal_simnet_send(struct fal_simnet *net, enum fal_dir dir, const uint8_t *bytes, size_t len,
                    uint64_t now_ns)
{
    const struct fal_simnet_frame frame = {
        .dir = dir, .at_ns = now_ns, .bytes = bytes, .len = len};

    return fal_simnet_put(net, &frame);
}

uint64_t fal_simnet_deadline(const struct fal_simnet *net)
{
    return net->heap.count == 0 ? FAL_NEVER : net->heap.items[0]->due_ns;
}

uint64_t fal_simnet_last_arrival(const struct fal_simnet *net, enum fal_dir dir)
{
    uint64_t last_ns = 0;

    for (size_t i = 0; i < net->heap.count; i++)
        if (net->heap.items[i]->dir == dir && net->heap.items[i]->due_ns > last_ns)
            last_ns = net->heap.items[i]->due_ns;
    return last_ns;
}

bool fal_simnet_take(struct fal_simnet *net, uint64_t now_ns, struct fal_simnet_frame *frame)
{
    free(net->current);
    net->current = NULL;
    if (net->heap.count == 0 || fal_simnet_deadline(net) > now_ns)
        return false;
    net->current = fal_simnet_heap_pop(&net->heap);
    if (net->current->order < net->newest[net->current->dir])
        net->counts.overtaken[net->current->dir]++;
    else
        net->newest[net->current->dir] = net->current->order;
    *frame = (struct fal_simnet_frame){.dir = net->current->dir,
                                       .at_ns = net->current->due_ns,
                                       .bytes = net->current->bytes,
                                       .len = net->current->len,
                                       .ecn = net->current->ecn,
                                       .ttl = net->current->ttl,
                                       .path = net->current->path};
    return true;
}

bool fal_simnet_next(struct fal_simnet *net, uint64_t now_ns, enum fal_dir *dir,
                     uint64_t *at_ns, const uint8_t **bytes, size_t *len)
{
    struct fal_simnet_frame frame;

    if (!fal_simnet_take(net, now_ns, &frame))
        return false;
    *dir = frame.dir;
    *at_ns = frame.at_ns;
    *bytes = frame.bytes;
    *len = frame.len;
    return true;
}

struct fal_simnet_counts fal_simnet_counts(const struct fal_simnet *net)
{
    return net->counts;
}
