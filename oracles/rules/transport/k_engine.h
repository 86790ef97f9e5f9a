/* SPDX-License-Identifier: Apache-2.0
 * k_engine.h - what rules K11 to K14 keep of an engine and of its flows. For the files of this
 * folder. */
#ifndef FAL_ORACLES_RULES_TRANSPORT_K_ENGINE_H
#define FAL_ORACLES_RULES_TRANSPORT_K_ENGINE_H

#include "oracles/rules/transport/engine_judge.h"

enum {
    FAL_EN_FLOWS = 65536, /* numbers of flows */
    FAL_EN_KEPT = 256,    /* addresses in a ring; a power of two */
};

struct fal_en_address {
    uint64_t seg, cycle;
    uint32_t bytes, copy;
    bool alone; /* no other was in the ring, no other flow in the engine */
};

struct fal_en_flow {
    uint64_t rate_bps;
    uint64_t first, end; /* addresses generated, less those transmitted: [first, end) */
    struct fal_en_address kept[FAL_EN_KEPT];
    bool in_set[2];
    bool waited;          /* it had no credit since its oldest address was generated */
    uint64_t wake_cycle;  /* 0: none */
    uint64_t late_pushed; /* the wake_cycle that was reported as missed */
    /* The stretch that K14 measures: since the transmission of `since_cycle`. */
    bool measuring;
    bool window_bound; /* the ring was empty in it: something else than the rate was slower */
    uint64_t since_cycle, last_cycle, bytes, last_bytes;
    uint64_t since_transmits, last_transmits; /* of all flows, when it began and at its end */
};

struct fal_en_judge {
    struct fal_en_setup setup;
    struct fal_tally *tally;
    struct fal_en_flow *flows[FAL_EN_FLOWS];
    uint32_t num_flows, unlimited;
    uint64_t total_bps;
    uint64_t cycle, number, transmits;
    uint32_t flow; /* of the present event */
    /* K13: the stretch in which the ready set is never empty. */
    uint64_t num_ready, busy_since, busy_transmits, last_transmit;
    uint64_t empty_since;
    bool transmitted, busy_large;
};

#define fal_en_broken(k, rule, ...)                                                  \
    fal_tally_found(                                                                 \
        (k)->tally, rule,                                                            \
        &(const struct fal_tally_finding){.verdict = FAL_VERDICT_FAIL,               \
                                          .at_ns = (k)->cycle * (k)->setup.cycle_ns, \
                                          .number = (k)->number,                     \
                                          .flow = (k)->flow},                        \
        __VA_ARGS__)

/* k_merge.c: K12. */
void fal_en_merge(struct fal_en_judge *k, const struct fal_en_merge *merge);
/* k_rate.c: K13 (one address a cycle, latency) and K14, at a transmission. */
void fal_en_transmit_pace(struct fal_en_judge *k, struct fal_en_flow *f,
                          const struct fal_en_event *e);
/* The ready set has changed: a stretch of K13 begins or ends. */
void fal_en_ready_changed(struct fal_en_judge *k);
void fal_en_busy_end(struct fal_en_judge *k);
/* K14: the stretch ends, its rate is compared. */
void fal_en_rate_end(struct fal_en_judge *k, struct fal_en_flow *f);

#endif
