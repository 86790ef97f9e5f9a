/* SPDX-License-Identifier: Apache-2.0
 * cc_band.c - compares a result with every fork that is still possible, group by group. */
#include "oracles/rules/cc/cc_band.h"

#include "oracles/rules/cc/cc_judging.h"

#include <string.h>

void fal_band_series_init(struct fal_band_series *series)
{
    memset(series, 0, sizeof *series);
    for (int s = 0; s < FAL_BAND_S; s++)
        for (int t = 0; t < FAL_BAND_T; t++)
            for (int l = 0; l < FAL_BAND_L; l++)
                series->plb[s][t][l].n = 1; /* all counters are zero */
}

void fal_band_series_unknown(struct fal_band_series *series)
{
    memset(series, 0, sizeof *series);
    series->counted = FAL_BAND_UNCOUNTED;
    for (int s = 0; s < FAL_BAND_S; s++)
        for (int t = 0; t < FAL_BAND_T; t++)
            for (int l = 0; l < FAL_BAND_L; l++)
                series->plb[s][t][l].open = true;
}

/* Forks without those parts of a combination that this event rules out in one group. */
static bool any_left(const struct fal_band_forks *before, const struct fal_band_forks *after,
                     enum fal_band_group group)
{
    struct fal_band_forks mixed = *before;

    mixed.smoothing = after->smoothing;
    switch (group) {
    case FAL_BAND_FABRIC: memcpy(mixed.fabric, after->fabric, sizeof mixed.fabric); break;
    case FAL_BAND_PACE: memcpy(mixed.pace, after->pace, sizeof mixed.pace); break;
    case FAL_BAND_NIC: memcpy(mixed.nic, after->nic, sizeof mixed.nic); break;
    case FAL_BAND_TIMEOUT: memcpy(mixed.timeout, after->timeout, sizeof mixed.timeout); break;
    case FAL_BAND_PLB: memcpy(mixed.plb, after->plb, sizeof mixed.plb); break;
    case FAL_BAND_SMOOTHING:
    case FAL_BAND_ROUND_TRIP:
    case FAL_BAND_TARGET:
    case FAL_BAND_GROUPS: break;
    }
    return fal_band_forks_any(&mixed);
}

/* The first group that alone leaves no fork gives the breach. */
static void explain(const struct fal_band_judging *j, struct fal_band_breach *breach)
{
    static const enum fal_band_group groups[] = {FAL_BAND_SMOOTHING, FAL_BAND_FABRIC,
                                                 FAL_BAND_PACE,      FAL_BAND_NIC,
                                                 FAL_BAND_TIMEOUT,   FAL_BAND_PLB};

    *breach = fal_band_breach_of(FAL_BAND_FIELDS, NULL, fal_span_of(0), 0);
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (j->closest[groups[i]].fields >= 0 && !any_left(j->before, &j->after, groups[i])) {
            *breach = j->closest[groups[i]].breach;
            return;
        }
}

/* Combinations of PLB under which a possible fork reroutes as the result does. All, if none was
 * compared, because the averages of the result fit no possible fork. */
static uint16_t rerouting(const struct fal_band_judging *j)
{
    unsigned some = 0;
    bool compared = false;

    for (int s = 0; s < FAL_BAND_S; s++)
        for (int t = 0; (j->after.smoothing >> s & 1) != 0 && t < FAL_BAND_T; t++)
            if (j->counting->plb[s][t] != 0) {
                some |= j->after.plb[s][t];
                compared = true;
            }
    return compared ? (uint16_t)some : UINT16_MAX;
}

/* Whether some fork allows the result, ruled out before or not. Forks of which no counters of
 * PLB are kept reroute as the possible ones do. */
static bool some_fork_allows(const struct fal_band_forks *run,
                             const struct fal_band_series *series,
                             const struct fal_band_input *input,
                             const struct fal_cc_result *result)
{
    struct fal_band_judging judging;
    struct fal_band_forks all;
    uint16_t some;

    fal_band_forks_all(&all);
    fal_band_judge(&judging, &all, run, series, input, result);
    some = rerouting(&judging);
    for (int s = 0; s < FAL_BAND_S; s++)
        for (int t = 0; t < FAL_BAND_T; t++)
            if (run->plb[s][t] == 0)
                judging.after.plb[s][t] = some;
    return fal_band_forks_any(&judging.after);
}

static void count_retransmits(struct fal_band_series *series, const struct fal_cc_event *event)
{
    if (event->event_type != FAL_CC_RETRANSMIT) {
        series->last_retransmit = false;
        return;
    }
    series->row = series->last_retransmit ? series->row + 1 : 1;
    series->last_retransmit = true;
}

/* Adds the packets that an engine which counts (10.3.1-03) may have counted, and must have. */
static void count_packets(const struct fal_band_judging *j, bool holds,
                          struct fal_band_series *series)
{
    const struct fal_cc_event *event = j->view.event;
    double before = fal_band_fcwnd(event).lo, after = j->fcwnd / FAL_CC_FRACTION;
    bool hidden;

    /* A rise that the limit or the rounding hides begins the count anew, too. */
    hidden = fal_least(before + j->view.params->fabric_additive_increment,
                       j->view.params->max_fcwnd) -
                 before <=
             2.0 / FAL_CC_FRACTION;
    series->counted_least =
        !holds || hidden || j->may_fall || after != before ? 0 : j->view.counted_least;
    if (event->event_type == FAL_CC_RETRANSMIT || series->counted >= FAL_BAND_UNCOUNTED)
        return;
    series->counted += event->num_packets_acked;
    if (after > before) /* the rest may stay */
        series->counted = fal_most(0, series->counted - before);
}

/* Takes over what the result leaves. */
static void go_on(const struct fal_band_judging *j, struct fal_band_forks *forks,
                  struct fal_band_series *series)
{
    for (unsigned s = 0; s < FAL_BAND_S; s++) {
        if ((j->after.smoothing >> s & 1) == 0)
            continue;
        for (unsigned t = 0; t < FAL_BAND_T; t++)
            for (unsigned l = 0, counted = j->counted[s][t]; counted >> l != 0; l++)
                if ((counted >> l & 1) != 0)
                    fal_band_plb_copy(&series->plb[s][t][l], &j->next[s][t][l]);
    }
    if (!j->changed)
        return;
    *forks = j->after;
    fal_band_forks_prune(forks);
}

/* A field that was not compared by its values has none in j->allowed. */
static void measure(const struct fal_band_judging *j, struct fal_band_widths *widths)
{
    for (int field = 0; field < FAL_BAND_FIELDS; field++) {
        struct fal_cc_span span = j->allowed[field];
        struct fal_band_width *width = &widths->of[field];

        if (span.lo > span.hi)
            continue;
        width->results++;
        width->narrow += span.hi - span.lo <= FAL_BAND_NARROW + 0.001 * span.hi;
        width->widest = fal_most(width->widest, span.hi - span.lo);
    }
}

bool fal_band_holds(struct fal_band_forks *forks, struct fal_band_series *series,
                    const struct fal_band_input *input, const struct fal_cc_result *result,
                    struct fal_band_breach *breach)
{
    struct fal_band_judging judging;
    bool holds;

    fal_band_judge(&judging, forks, forks, series, input, result);
    holds = fal_band_forks_any(&judging.after);
    if (holds) {
        go_on(&judging, forks, series);
        if (input->widths != NULL)
            measure(&judging, input->widths);
        count_retransmits(series, input->event);
    } else {
        explain(&judging, breach);
        breach->mixed = some_fork_allows(forks, series, input, result);
    }
    count_packets(&judging, holds, series);
    return holds;
}
