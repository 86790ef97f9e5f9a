/* SPDX-License-Identifier: Apache-2.0
 * cc_judging.h - for the files of the band: one result is compared with the forks that are
 * still possible, group by group. Only parts of possible forks are evaluated. What two forks
 * share (a target, the averages) is computed once. */
#ifndef FAL_ORACLES_RULES_CC_CC_JUDGING_H
#define FAL_ORACLES_RULES_CC_CC_JUDGING_H

#include "oracles/rules/cc/cc_view.h"

/* Of the forks that do not allow a result, the one that allows the most of its fields. */
struct fal_band_closest {
    int fields; /* that it allows; -1: nothing was compared */
    struct fal_band_breach breach;
};

struct fal_band_judging {
    const struct fal_band_forks *before; /* pruned */
    struct fal_band_forks after;
    bool changed;                          /* `after` differs from `before` */
    const struct fal_band_forks *counting; /* those whose counters of PLB are kept */
    const struct fal_band_series *series;
    const struct fal_cc_result *result;
    double fcwnd;              /* of the result, 1/1024 */
    struct fal_band_view view; /* of the event, as the fork at hand sees it */
    struct fal_cc_span rtt[FAL_BAND_S], delay[FAL_BAND_S]; /* the averages */
    uint8_t twin[FAL_BAND_S]; /* an earlier S with the same forks and averages, or S itself */
    struct fal_cc_span real[FAL_BAND_S][FAL_BAND_R]; /* of the outcomes that fit, packets */
    struct fal_band_targets targets, new_targets;    /* of the window before and after */
    struct fal_band_closest closest[FAL_BAND_GROUPS];
    bool may_fall; /* the delay may be above the target of some fork */
    struct fal_cc_span allowed[FAL_BAND_FIELDS]; /* by the forks that allow the field */
    uint16_t counted[FAL_BAND_S][FAL_BAND_T];    /* the forks that have a `next` */
    struct fal_band_plb next[FAL_BAND_S][FAL_BAND_T][FAL_BAND_L];
};

/* Compares; `after`, `next` and `closest` are the answer. All pointers are borrowed. */
void fal_band_judge(struct fal_band_judging *judging, const struct fal_band_forks *before,
                    const struct fal_band_forks *counting, const struct fal_band_series *series,
                    const struct fal_band_input *input, const struct fal_cc_result *result);

struct fal_band_breach fal_band_breach_of(enum fal_band_field field, const char *requirement,
                                          struct fal_cc_span allowed, double seen);
void fal_band_offer(struct fal_band_judging *judging, enum fal_band_group group, int fields,
                    struct fal_band_breach breach);

/* A fork allows the field, and these values of it. */
static inline void fal_band_allow(struct fal_band_judging *judging, enum fal_band_field field,
                                  struct fal_cc_span span)
{
    judging->allowed[field] = fal_span_hull(judging->allowed[field], span);
}

/* The groups that depend on a smoothing and a round trip, which the view has. */
void fal_band_judge_fabric(struct fal_band_judging *judging, unsigned s, unsigned r);
void fal_band_judge_nic(struct fal_band_judging *judging, unsigned s, unsigned r);
/* Reroutes, of all forks of that smoothing. */
void fal_band_judge_plb(struct fal_band_judging *judging, unsigned s);

#endif
