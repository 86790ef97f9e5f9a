/* SPDX-License-Identifier: Apache-2.0
 * cp.c - the congestion point, a switch: CP1. What a packet carried before the switch is known
 * from its copy before it, if both sides were captured. The share of marks is judged for queues
 * that the bench gave. */
#include "oracles/rules/roce/proportion.h"
#include "oracles/rules/roce/state.h"

#include <stdio.h>
#include <stdlib.h>

enum { NOT_ECT = 0, CE = 3, TEXT = 200, BINS = 16, BEFORE = 1024, ALL_BINS = BINS + 2 };

/* At this probability the band of any bin is wrong although the switch is right. */
#define ALARM (1e-4 / ALL_BINS)

struct bin {
    uint64_t packets, marked;
    double least, most; /* the probabilities that the queues of these packets give */
    struct fal_roce_place last;
};

/* A packet before the switch; several of the same content may have different marks. */
struct before {
    uint64_t key;
    uint8_t ecns; /* a set */
    bool there;
};

struct fal_roce_marking {
    struct bin bins[ALL_BINS]; /* nothing is marked; in between; everything is */
    struct before before[BEFORE];
    uint64_t queue;
    bool has_queue;
};

static struct fal_roce_marking *marking_of(struct fal_roce_judge *j)
{
    if (j->marking == NULL)
        j->marking = calloc(1, sizeof *j->marking);
    j->counts.out_of_memory |= j->marking == NULL;
    return j->marking;
}

void fal_roce_judge_queue(struct fal_roce_judge *j, uint64_t at_ns, uint64_t bytes)
{
    struct fal_roce_marking *m = marking_of(j);

    (void)at_ns; /* the packet that follows has the time */
    if (m == NULL)
        return;
    m->queue = bytes;
    m->has_queue = true;
}

/* ---- copies before the switch ---- */

static uint64_t key_of(const struct fal_roce_seen *seen)
{
    const uint64_t parts[] = {fal_u128_hi(seen->src),
                              fal_u128_lo(seen->src),
                              fal_u128_hi(seen->dst),
                              fal_u128_lo(seen->dst),
                              (uint64_t)seen->dest_qp << 32 | seen->psn,
                              (uint64_t)seen->opcode << 32 | seen->payload,
                              (uint64_t)seen->syndrome << 32 | seen->msn};
    uint64_t hash = 1;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        hash = (hash ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 31;
    }
    return hash;
}

static void keep(struct fal_roce_marking *m, const struct fal_roce_seen *seen)
{
    uint64_t key = key_of(seen);
    struct before *b = &m->before[key % BEFORE];

    if (!b->there || b->key != key)
        *b = (struct before){.key = key, .there = true};
    b->ecns |= (uint8_t)(1 << seen->ecn);
}

/* The set of what the packet may have carried before the switch; 0: not known. */
static unsigned carried(const struct fal_roce_marking *m, const struct fal_roce_seen *seen)
{
    uint64_t key = key_of(seen);
    const struct before *b = &m->before[key % BEFORE];

    return b->there && b->key == key ? b->ecns : 0;
}

/* ---- the rule ---- */

static bool compare(struct fal_roce_judge *j, unsigned before, const struct fal_roce_seen *seen)
{
    const struct fal_roce_place place = fal_rj_place(seen);

    if (before == 1u << NOT_ECT && seen->ecn == CE)
        fal_rj_found(j, FAL_ROCE_CP1, FAL_VERDICT_FAIL, &place, seen->dest_qp,
                     "expected no mark on a packet that is not ECN-capable; found CE");
    else if (before == 1u << CE && seen->ecn != CE)
        fal_rj_found(j, FAL_ROCE_CP1, FAL_VERDICT_FAIL, &place, seen->dest_qp,
                     "expected the mark (CE) to stay; the switch cleared it");
    else
        return true;
    return false;
}

/* The probability of a mark. */
static double mark_of(const struct fal_dcqcn *d, uint64_t queue)
{
    if (queue <= d->kmin_bytes)
        return 0;
    if (queue > d->kmax_bytes)
        return 1;
    return d->pmax_ppm / 1e6 * (double)(queue - d->kmin_bytes) /
           (double)(d->kmax_bytes - d->kmin_bytes);
}

/* The queue counts the packet itself or not: both are readings of "at enqueue". */
static void count(struct fal_roce_judge *j, struct fal_roce_marking *m,
                  const struct fal_roce_seen *seen)
{
    const struct fal_dcqcn *d = &j->setup.dcqcn;
    double least = mark_of(d, m->queue), most = mark_of(d, m->queue + seen->wire);
    uint64_t above = m->queue > d->kmin_bytes ? m->queue - d->kmin_bytes - 1 : 0;
    size_t at = 1 + (size_t)(BINS * ((double)above / (double)(d->kmax_bytes - d->kmin_bytes)));
    struct bin *bin;

    if (m->queue <= d->kmax_bytes && m->queue + seen->wire >= d->kmax_bytes)
        return; /* anything up to 1 */
    at = most == 0 ? 0 : least == 1 && m->queue > d->kmax_bytes ? ALL_BINS - 1 : at;
    bin = &m->bins[at];
    if (bin->packets == 0) {
        bin->least = least;
        bin->most = most;
    }
    bin->least = least < bin->least ? least : bin->least;
    bin->most = most > bin->most ? most : bin->most;
    bin->packets++;
    bin->marked += seen->ecn == CE;
    bin->last = fal_rj_place(seen);
}

void fal_rj_cp_packet(struct fal_roce_judge *j, const struct fal_roce_seen *seen)
{
    struct fal_roce_marking *m = j->marking;
    const struct fal_dcqcn *d = &j->setup.dcqcn;
    unsigned before;

    if (j->setup.vantage != FAL_ROCE_AT_SWITCH)
        return;
    m = marking_of(j);
    if (m == NULL)
        return;
    if (seen->point == FAL_ROCE_BEFORE) {
        keep(m, seen);
        return;
    }
    before = carried(m, seen);
    if (before == 0)
        fal_rj_excused(j, FAL_ROCE_CP1, "other-side-unseen");
    else if (compare(j, before, seen))
        fal_rj_held(j, FAL_ROCE_CP1);
    if (!m->has_queue) {
        fal_rj_excused(j, FAL_ROCE_CP1, "queue-unknown");
        return;
    }
    m->has_queue = false;
    /* ECT(0) or ECT(1), and nothing else, so that the switch alone decides on the mark. */
    if (before == 0 || (before & (1u << NOT_ECT | 1u << CE)) != 0)
        return;
    if (j->setup.have_dcqcn && d->kmax_bytes > d->kmin_bytes && d->pmax_ppm <= 1000000)
        count(j, m, seen);
    else
        fal_rj_excused(j, FAL_ROCE_CP1, "cp-parameters-undeclared");
}

static void decide(struct fal_roce_judge *j, const struct bin *bin)
{
    struct fal_roce_band band = fal_rj_proportion(bin->marked, bin->packets, ALARM);
    const double rounding = 1e-9;
    char text[TEXT];

    if (band.lo <= bin->most + rounding && band.hi >= bin->least - rounding) {
        fal_rj_held(j, FAL_ROCE_CP1);
        return;
    }
    (void)snprintf(text, sizeof text,
                   "expected a share of marked packets from %.5f to %.5f by the queue; found "
                   "%llu of %llu, which fits %.5f to %.5f",
                   bin->least, bin->most, (unsigned long long)bin->marked,
                   (unsigned long long)bin->packets, band.lo, band.hi);
    fal_rj_found(j, FAL_ROCE_CP1, FAL_VERDICT_FAIL, &bin->last, 0, text);
}

void fal_rj_cp_end(struct fal_roce_judge *j)
{
    for (size_t i = 0; j->marking != NULL && i < ALL_BINS; i++)
        if (j->marking->bins[i].packets > 0)
            decide(j, &j->marking->bins[i]);
}
