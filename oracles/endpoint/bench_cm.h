/* SPDX-License-Identifier: Apache-2.0
 * bench_cm.h - for the tests of this folder: a small connection manager over two endpoints. It
 * agrees on CIDs and initial numbers, opens both ends, and puts a new connection in place of
 * one that ended. */
#ifndef FAL_ORACLES_ENDPOINT_BENCH_CM_H
#define FAL_ORACLES_ENDPOINT_BENCH_CM_H

#include "oracles/endpoint/endpoint.h"
#include "oracles/rng.h"

/* A connection by its two ends. */
struct cm_conn {
    struct fal_endpoint_conn open[2];
    uint32_t number[2]; /* at each endpoint; 0: not open */
};

struct cm {
    struct fal_endpoint *ep[2];
    struct fal_rng rng;
    uint32_t opened; /* so far: no CID comes twice */
};

/* Near 2^32 three times of four: most runs cross it. */
static inline uint32_t cm_number(struct fal_rng *rng)
{
    return fal_rng_below(rng, 4) == 0 ? (uint32_t)fal_rng_next(rng)
                                      : (uint32_t)(100 - fal_rng_below(rng, 300));
}

static inline struct fal_end cm_end(struct cm *cm)
{
    struct fal_end end;

    end.cid = cm->opened << 12 | (uint32_t)fal_rng_below(&cm->rng, 1 << 12);
    end.function = (uint32_t)fal_rng_below(&cm->rng, 1 << 24);
    end.req_psn = cm_number(&cm->rng);
    end.data_psn = cm_number(&cm->rng);
    end.rsn = cm_number(&cm->rng);
    return end;
}

static inline void cm_disconnect(struct cm *cm, struct cm_conn *conn)
{
    for (unsigned side = 0; side < 2; side++) {
        if (conn->number[side] != 0)
            fal_endpoint_close(cm->ep[side], conn->number[side]);
        conn->number[side] = 0;
    }
}

/* Opens both ends with the parameters and twins of conn->open; their numbers are drawn. 0, or
 * the first error: then neither is open. */
static inline int cm_connect(struct cm *cm, struct cm_conn *conn, uint64_t now_ns)
{
    struct fal_end ends[2];
    int rc = 0;

    cm->opened++;
    ends[0] = cm_end(cm);
    ends[1] = cm_end(cm);
    for (unsigned side = 0; side < 2 && rc == 0; side++) {
        struct fal_endpoint_conn *open = &conn->open[side];

        open->local = ends[side];
        open->peer = ends[1 - side];
        open->auto_ack = open->auto_retransmit = true;
        rc = fal_endpoint_open(cm->ep[side], open, now_ns, &conn->number[side]);
    }
    if (rc != 0)
        cm_disconnect(cm, conn);
    return rc;
}

#endif
