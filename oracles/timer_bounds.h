/* SPDX-License-Identifier: Apache-2.0
 * timer_bounds.h - how exactly a timer of the SUT has to run. The specification names timeouts
 * and no accuracy, so these bounds are ours (docs/judging.md, section 18). The rules and the
 * steps of scenarios use the same ones. */
#ifndef FAL_ORACLES_TIMER_BOUNDS_H
#define FAL_ORACLES_TIMER_BOUNDS_H

#include "oracles/params.h"

enum fal_timed {
    FAL_TIMED_RTO,        /* the timeout "matches" its nominal value (9.1.1) */
    FAL_TIMED_RNR,        /* "a time after which" (8.4.3.4, 8.5.3.4) */
    FAL_TIMED_COALESCING, /* the timeout is a maximum (9.1.6) */
};

/* When a timer may expire, in ns after it was started. The shortest and the longest nominal
 * value are equal, unless the SUT's congestion control sets the RTO. */
struct fal_timer_bounds {
    bool known;  /* false: the RTO varies and its limits were not declared */
    bool coarse; /* the SUT's tick is more than a tenth of the timer: nothing can be judged */
    uint64_t lo_ns, hi_ns; /* the nominal values */
    uint64_t least_ns;     /* an expiry below it is a violation, */
    uint64_t free_ns;      /* one from here on is not early, and a warning between them */
    uint64_t late_ns;      /* one up to here is not late */
};

/* The bounds of a timer, from its nominal values, the tick and the pipeline allowance. */
struct fal_timer_bounds fal_timer_bounds(enum fal_timed timer, uint64_t lo_ns, uint64_t hi_ns,
                                         uint64_t tick_ns, uint64_t pipeline_ns);

/* Those of the RTO, of an RNR delay and of the coalescing timeout of a SUT. */
struct fal_timer_bounds fal_rto_bounds(const struct fal_params *params);
/* Those of an RTO of the same values, which varies or not, with another tick and allowance. */
struct fal_timer_bounds fal_rto_bounds_of(const struct fal_params *params, bool varies,
                                          uint64_t tick_ns, uint64_t pipeline_ns);
struct fal_timer_bounds fal_rnr_bounds(const struct fal_params *params, uint64_t delay_ns);
struct fal_timer_bounds fal_coalescing_bounds(const struct fal_params *params);

#endif
