/* SPDX-License-Identifier: Apache-2.0
 * series.h - what happens in a lab as curves over time, for plots: in each of a fixed number of
 * columns the least and the largest value. So the memory depends on the number of flows and
 * queues alone, and a short peak is not lost. */
#ifndef FAL_ORACLES_LAB_SERIES_H
#define FAL_ORACLES_LAB_SERIES_H

#include "oracles/cc/swift.h"
#include "oracles/lab/lab.h"

enum { FAL_LAB_COLUMNS = 540 };

#define FAL_LAB_NOTHING UINT32_MAX /* a column in which the curve has no value */

enum fal_lab_curve_kind {
    FAL_LAB_FCWND,  /* 1/1024 packet */
    FAL_LAB_NCWND,  /* packets */
    FAL_LAB_DELAY,  /* ns: what Swift took the fabric delay for */
    FAL_LAB_TARGET, /* ns */
    FAL_LAB_RTO,    /* ns */
    FAL_LAB_LEVEL,  /* of the receiver's buffer, 0 to 31 */
    FAL_LAB_SHARE, /* bytes delivered in FAL_LAB_WINDOW_PS, in 1/10000 of the rate of queue 0 */
    FAL_LAB_PATH,  /* the queue of the first group, from 1 */
    FAL_LAB_FLOW_KINDS,
};

enum fal_lab_tick_kind {
    FAL_LAB_TICK_DROP,
    FAL_LAB_TICK_RETRANSMIT,
    FAL_LAB_TICK_TIMEOUT,
    FAL_LAB_TICK_KINDS,
};

struct fal_lab_curve {
    uint32_t low[FAL_LAB_COLUMNS], high[FAL_LAB_COLUMNS];
    uint32_t last;   /* the value now */
    uint32_t filled; /* columns before this one are complete */
    bool begun;
};

struct fal_lab_series {
    const struct fal_swift *swift; /* borrowed; for targets */
    uint64_t until_ps;
    /* The rest is the state, all 0 at the beginning. */
    uint32_t n_flows, n_queues;
    uint64_t rate_bps, window; /* of queue 0; number of the window that is counted */
    uint64_t limit_bytes[8], ecn_bytes[8];
    bool has_buffer, has_paths;
    bool *unresponsive, *foreign;                        /* by flow */
    uint64_t *start_ps, *stop_ps, *bytes;                /* by flow; bytes: in the window */
    struct fal_lab_curve *flows;                         /* by flow, then kind */
    struct fal_lab_curve *queues;                        /* bytes */
    uint32_t ticks[FAL_LAB_TICK_KINDS][FAL_LAB_COLUMNS]; /* how many */
    uint64_t totals[FAL_LAB_TICK_KINDS];
    bool out_of_memory;
};

/* A function for fal_lab_ask.record; `series` is its context. */
void fal_lab_series_record(void *series, const struct fal_lab_record *record);
/* Completes the curves after the last record. Returns 0 or FAL_ERR_MEM. */
MUST_USE int fal_lab_series_end(struct fal_lab_series *series);
void fal_lab_series_free(struct fal_lab_series *series);

const struct fal_lab_curve *fal_lab_series_flow(const struct fal_lab_series *series,
                                                uint32_t flow, enum fal_lab_curve_kind kind);

#endif
