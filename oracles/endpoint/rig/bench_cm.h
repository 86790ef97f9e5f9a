/* SPDX-License-Identifier: Apache-2.0
 * bench_cm.h - for the tests of this folder: a small connection manager over two endpoints. It
 * agrees on CIDs, initial numbers and SPIs, opens and closes both ends, and rotates keys. */
#ifndef FAL_ORACLES_ENDPOINT_RIG_BENCH_CM_H
#define FAL_ORACLES_ENDPOINT_RIG_BENCH_CM_H

#include "oracles/endpoint/endpoint.h"
#include "oracles/rng.h"

/* A connection by its two ends. */
struct cm_conn {
    struct fal_endpoint_conn open[2];
    uint32_t number[2]; /* at each endpoint; 0: not open */
    uint32_t spi[2];    /* of packets to each end; sealed connections */
    bool sealed;
};

struct cm {
    struct fal_endpoint *ep[2];
    uint64_t clock_ps[2]; /* of each end at time 0 */
    struct fal_rng rng;
    uint32_t opened, spis; /* so far: no CID and no SPI comes twice */
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

/* An IV that the end sends surely later than this one: a Remote Time for its peer. */
static inline uint64_t cm_past(const struct cm *cm, unsigned side, uint64_t now_ns)
{
    return cm->clock_ps[side] + now_ns * 1000 - FAL_S * 1000;
}

/* The security association of one end (6.5). */
static inline void cm_secure(struct cm *cm, struct cm_conn *conn, unsigned side,
                             uint64_t now_ns)
{
    conn->open[side].security = (struct fal_endpoint_security){
        .on = true,
        .spi = conn->spi[side],
        .peer_spi = conn->spi[1 - side],
        .has_vc = true,
        .pcid = side,
        .peer_pcid = 1 - side,
        .remote_time = cm_past(cm, 1 - side, now_ns),
    };
}

/* One order to an end; `conn` NULL: to its endpoint. 0, or its error. */
static inline int cm_order(struct cm *cm, const struct cm_conn *conn, unsigned side,
                           enum fal_cm_order order, uint64_t now_ns)
{
    struct fal_endpoint_in in = {.kind = FAL_IN_CM, .order = order};

    if (conn != NULL) {
        in.conn = conn->number[side];
        in.seal.spi = conn->spi[order == FAL_CM_PEER_SPI ? 1 - side : side];
        in.seal.iv = cm_past(cm, 1 - side, now_ns);
    }
    return fal_endpoint_input(cm->ep[side], &in, now_ns, NULL);
}

/* The steps of a key rotation (9.2.2.3) for all of the connections; the caller lets time pass
 * between them. 0, or the first error. */
enum { CM_ROTATION_STEPS = 4 };
static inline int cm_rotate(struct cm *cm, struct cm_conn *const *conns, unsigned n,
                            unsigned step, uint64_t now_ns)
{
    static const enum fal_cm_order of_end[CM_ROTATION_STEPS] = {FAL_CM_NEW_SPI, FAL_CM_PEER_SPI,
                                                                FAL_CM_DROP_PREVIOUS};
    int rc = 0;

    for (unsigned side = 0; side < 2 && rc == 0; side++) {
        if (step == 0)
            rc = cm_order(cm, NULL, side, FAL_CM_NEW_GENERATION, now_ns);
        if (step == CM_ROTATION_STEPS - 1)
            rc = cm_order(cm, NULL, side, FAL_CM_END_GENERATION, now_ns);
        for (unsigned c = 0; c < n && rc == 0 && step < CM_ROTATION_STEPS - 1; c++) {
            if (!conns[c]->sealed)
                continue;
            if (step == 0)
                conns[c]->spi[side] = ++cm->spis << 8 | side;
            rc = cm_order(cm, conns[c], side, of_end[step], now_ns);
        }
    }
    return rc;
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
    for (unsigned side = 0; side < 2; side++)
        conn->spi[side] = ++cm->spis << 8 | side;
    for (unsigned side = 0; side < 2 && rc == 0; side++) {
        struct fal_endpoint_conn *open = &conn->open[side];

        open->local = ends[side];
        open->peer = ends[1 - side];
        open->auto_ack = open->auto_retransmit = true;
        if (conn->sealed)
            cm_secure(cm, conn, side, now_ns);
        rc = fal_endpoint_open(cm->ep[side], open, now_ns, &conn->number[side]);
    }
    if (rc != 0)
        cm_disconnect(cm, conn);
    return rc;
}

#endif
