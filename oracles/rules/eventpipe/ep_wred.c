/* SPDX-License-Identifier: Apache-2.0
 * ep_wred.c - EP3: what the queues may drop [0134-0140]. With p = (occupancy - TH1) /
 * (TH2 - TH1), the share of drops is compared with p in eighths of p. The probability of a
 * share as far off is at most exp(-n * KL(share, p)) (Chernoff; for probabilities that differ
 * between events, too, by Hoeffding's inequality), so the band is a little wider than the exact
 * one and never narrower. */
#include "oracles/rules/eventpipe/ep_state.h"

#include <math.h>

/* The chance that a pipeline without a mistake gets a finding, over all shares of a trace. */
static const double may_warn = 1e-4, may_fail = 1e-9;

void fal_ep_wred_start(struct fal_ep_judge *j)
{
    bool declared = j->setup.no_drops;

    for (int kind = 0; kind < FAL_EP_KINDS; kind++)
        declared = declared || j->setup.th2[kind] != 0;
    if (declared)
        j->seen |= FAL_EP_SAW_THRESHOLDS;
}

static bool never_drops(const struct fal_ep_judge *j, enum fal_ep_kind kind)
{
    return j->setup.no_drops || (j->setup.th1[kind] == 0 && j->setup.th2[kind] == 0);
}

/* Counts an event between the thresholds. */
static void count(struct fal_ep_judge *j, const struct fal_ep_event *event, bool dropped)
{
    uint32_t th1 = j->setup.th1[event->kind], th2 = j->setup.th2[event->kind];
    double p = (double)(event->occupancy - th1) / (double)(th2 - th1);
    struct fal_ep_bin *bin = &j->bins[event->kind][(int)(p * FAL_EP_BINS)];

    if (j->setup.other_drop_curve) {
        fal_ep_excused(j, EP3, "other-drop-curve");
        return;
    }
    bin->n++;
    bin->drops += dropped;
    bin->sum += p;
    fal_ep_held(j, EP3);
}

static void judge_drop(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    uint32_t th1 = j->setup.th1[event->kind], th2 = j->setup.th2[event->kind];
    const char *kind = fal_ep_kind_name(event->kind);

    if (never_drops(j, event->kind))
        fal_ep_broken(j, EP3, event, "no drop of %s is declared, found one", kind);
    else if (event->occupancy < th1)
        fal_ep_broken(j, EP3, event,
                      "expected no drop of %s below TH1 = %u, found one at occupancy %u", kind,
                      (unsigned)th1, (unsigned)event->occupancy);
    else if (event->occupancy == th1 && th2 > th1)
        fal_ep_excused(j, EP3, "at-threshold");
    else if (event->occupancy >= th2)
        fal_ep_held(j, EP3);
    else
        count(j, event, true);
}

void fal_ep_wred_drop(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    enum fal_ep_queue queue = fal_ep_queue_of(event->kind);
    uint32_t depth = queue != FAL_EP_FW_REGISTER ? j->setup.fifo_depth[queue] : 0;

    if ((j->seen & FAL_EP_SAW_THRESHOLDS) == 0)
        return;
    if (depth != 0 && event->occupancy >= depth && !never_drops(j, event->kind)) {
        fal_ep_excused(j, EP3, "fifo-full");
    } else if (event->occupancy == 0 && (j->seen & FAL_EP_SAW_OCCUPANCY) == 0) {
        if (!j->has_doubtful)
            j->doubtful = *event;
        j->has_doubtful = true;
    } else {
        judge_drop(j, event);
    }
}

void fal_ep_wred_pass(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    uint32_t th1 = j->setup.th1[event->kind], th2 = j->setup.th2[event->kind];

    if ((j->seen & FAL_EP_SAW_THRESHOLDS) == 0 || event->kind == FAL_EP_FW)
        return;
    if (never_drops(j, event->kind) || event->occupancy < th1)
        fal_ep_held(j, EP3);
    else if (event->occupancy >= th2)
        fal_ep_broken(j, EP3, event,
                      "expected every %s dropped at TH2 = %u and above, found one that passed "
                      "at occupancy %u",
                      fal_ep_kind_name(event->kind), (unsigned)th2, (unsigned)event->occupancy);
    else if (event->occupancy > th1)
        count(j, event, false);
}

/* ---- shares ---- */

static double part(double x, double of)
{
    return x > 0 ? x * log(x / of) : 0;
}

/* An upper bound of the chance of a share as far from its expectation, either way. */
static double chance(const struct fal_ep_bin *bin)
{
    double n = (double)bin->n, p = bin->sum / n, x = (double)bin->drops / n;

    return p <= 0 || p >= 1 ? 1 : 2 * exp(-n * (part(x, p) + part(1 - x, 1 - p)));
}

static void judge_share(struct fal_ep_judge *j, int kind, int eighth, double tests)
{
    const struct fal_ep_bin *bin = &j->bins[kind][eighth];
    double seldom = chance(bin) * tests, expected = bin->sum / (double)bin->n;

    if (seldom >= may_warn)
        return;
    (seldom < may_fail ? fal_ep_broken : fal_ep_warn)(
        j, EP3, NULL,
        "share of %s dropped between %d/8 and %d/8 of the way from TH1 to TH2: expected %.4f, "
        "found %.4f of %llu",
        fal_ep_kind_name((enum fal_ep_kind)kind), eighth, eighth + 1, expected,
        (double)bin->drops / (double)bin->n, (unsigned long long)bin->n);
}

void fal_ep_wred_end(struct fal_ep_judge *j)
{
    double tests = 0;

    if (j->has_doubtful && (j->seen & FAL_EP_SAW_OCCUPANCY) == 0)
        fal_ep_excused(j, EP3, "no-occupancy");
    else if (j->has_doubtful)
        judge_drop(j, &j->doubtful);
    if ((j->seen & FAL_EP_SAW_IN) == 0) { /* the events that passed are not known */
        for (int i = 0; i < FAL_EP_KINDS * FAL_EP_BINS; i++)
            if (j->bins[i / FAL_EP_BINS][i % FAL_EP_BINS].n > 0)
                fal_ep_excused(j, EP3, "no-queue-points");
        return;
    }
    for (int i = 0; i < FAL_EP_KINDS * FAL_EP_BINS; i++)
        tests += j->bins[i / FAL_EP_BINS][i % FAL_EP_BINS].n > 0;
    for (int i = 0; i < FAL_EP_KINDS * FAL_EP_BINS; i++)
        if (j->bins[i / FAL_EP_BINS][i % FAL_EP_BINS].n > 0)
            judge_share(j, i / FAL_EP_BINS, i % FAL_EP_BINS, tests);
}
