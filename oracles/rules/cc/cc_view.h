/* SPDX-License-Identifier: Apache-2.0
 * cc_view.h - parts of the band, for its own files: an event as one fork sees it, and what each
 * part of the algorithm may do with it. */
#ifndef FAL_ORACLES_RULES_CC_CC_VIEW_H
#define FAL_ORACLES_RULES_CC_CC_VIEW_H

#include "oracles/rules/cc/cc_band.h"

#include <stddef.h>

/* Within this many ticks of a delay threshold both branches are allowed (AMB-73). */
enum { FAL_BAND_NEAR = 2 };

/* An event under the axes of SMOOTHING and ROUND_TRIP. */
struct fal_band_view {
    const struct fal_band_params *params;
    const struct fal_cc_event *event;
    struct fal_arc now;
    bool retransmit, exhausted; /* a NACK with code 1: resources of the receiver */
    unsigned row,
        row_before; /* retransmissions in a row with this one, and in the row before */
    struct fal_cc_span sample; /* the round trip of the event, ticks */
    struct fal_cc_span rtt;    /* of guards and gaps, ticks */
    struct fal_cc_span smoothed_rtt, smoothed_delay;
    double counted, counted_least; /* of the series, with this event */
};
void fal_band_view(const struct fal_band_input *input, const struct fal_band_series *series,
                   const struct fal_band_fork *fork, struct fal_band_view *view);

/* The same in parts: what all forks share; the averages, by the axes of SMOOTHING; the round
 * trip that counts, by ROUND_TRIP, after the averages. */
void fal_band_view_begin(const struct fal_band_input *input,
                         const struct fal_band_series *series, struct fal_band_view *view);
void fal_band_view_smoothing(struct fal_band_view *view, const struct fal_band_fork *fork);
void fal_band_view_rtt(struct fal_band_view *view, const struct fal_band_fork *fork);

struct fal_band_target {
    struct fal_cc_span delay, flow, hops; /* the sum, and two of its terms */
};
/* The delay target of a window of `fcwnd` packets under the axes of TARGET. */
struct fal_band_target fal_band_target(const struct fal_band_view *view,
                                       const struct fal_band_fork *fork,
                                       struct fal_cc_span fcwnd);

/* The targets of one event at one window, computed when they are asked for. */
struct fal_band_targets {
    struct fal_cc_span fcwnd, flow[4];
    unsigned known, flows_known; /* bits of those that stand in `of` and `flow` */
    struct fal_band_target of[FAL_BAND_T];
};
void fal_band_targets_begin(struct fal_band_targets *targets, struct fal_cc_span fcwnd);
/* The target under that combination of TARGET; it stands in *targets. */
const struct fal_band_target *fal_band_targets_at(struct fal_band_targets *targets,
                                                  const struct fal_band_view *view, unsigned t);

struct fal_cc_span fal_band_fcwnd(const struct fal_cc_event *event); /* packets */

/* The answers that a guard may give, as bits. At equality it may give both. */
enum { FAL_BAND_NO = 1, FAL_BAND_YES = 2 };
unsigned fal_band_elapsed(const struct fal_band_view *view, uint32_t marker);

/* One way in which a window may end: value in its unit, marker, direction. Each has the
 * requirement that this event decides. */
struct fal_band_outcome {
    struct fal_cc_span real; /* of fcwnd: packets, before rounding */
    struct fal_cc_span value;
    struct fal_arc marker;
    unsigned directions; /* 1 << enum fal_cc_direction */
    const char *of_value, *of_marker, *of_direction;
};
enum { FAL_BAND_OUTCOMES = 32 };
struct fal_band_outcomes {
    unsigned n;
    struct fal_band_outcome at[FAL_BAND_OUTCOMES];
};
void fal_band_add(struct fal_band_outcomes *outcomes, const struct fal_band_outcome *outcome);
/* The same outcome with each marker that UpdateTimeMarker may give. */
void fal_band_add_updated(struct fal_band_outcomes *outcomes, const struct fal_band_view *view,
                          struct fal_band_outcome outcome, uint32_t marker,
                          const char *of_moved);

/* Whether the delay may be above the target. */
static inline bool fal_band_may_fall(const struct fal_band_view *view,
                                     const struct fal_band_target *target)
{
    return view->smoothed_delay.hi >= target->delay.lo - FAL_BAND_NEAR;
}

void fal_band_fabric(const struct fal_band_view *view, const struct fal_band_fork *fork,
                     const struct fal_band_target *target, struct fal_band_outcomes *out);
void fal_band_fabric_retransmit(const struct fal_band_view *view,
                                const struct fal_band_fork *fork,
                                struct fal_band_outcomes *out);
void fal_band_nic(const struct fal_band_view *view, const struct fal_band_fork *fork,
                  struct fal_band_outcomes *out);

/* Ticks, and the requirement. */
struct fal_band_value {
    struct fal_cc_span span;
    const char *of;
};
struct fal_band_value fal_band_gap(const struct fal_band_view *view,
                                   const struct fal_band_fork *fork, struct fal_cc_span fcwnd);
struct fal_band_value fal_band_timeout(const struct fal_band_view *view,
                                       const struct fal_band_fork *fork, uint32_t gap);

/* The states after the event; of those only that agree with `reroute`. False: none agrees, *plb
 * is open, and *of is the requirement. */
bool fal_band_plb(const struct fal_band_view *view, const struct fal_band_fork *fork,
                  struct fal_cc_span target, bool reroute, struct fal_band_plb *plb,
                  const char **of);
/* The parts that are in use. */
void fal_band_plb_copy(struct fal_band_plb *to, const struct fal_band_plb *from);
bool fal_band_plb_is(const struct fal_band_plb *a, const struct fal_band_plb *b);

#endif
