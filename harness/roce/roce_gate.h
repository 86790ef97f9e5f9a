/* SPDX-License-Identifier: Apache-2.0
 * roce_gate.h - the bridge of a scenario of RoCEv2: it notes each frame and acts on those that
 * the scenario names; and it sends packets of its own. */
#ifndef TL_HARNESS_ROCE_ROCE_GATE_H
#define TL_HARNESS_ROCE_ROCE_GATE_H

#include "harness/roce/roce_log.h"

/* Sends a frame of end `from` on at `at_ns`, now or later. */
typedef void tl_roce_forward_fn(void *ctx, uint64_t at_ns, unsigned from, const uint8_t *bytes,
                                size_t len);

struct tl_roce_gate {
    const struct tl_roce_scenario *scenario;
    struct tl_roce_log *log;
    tl_roce_forward_fn *forward;
    void *ctx;
    uint64_t *matched; /* by step: packets that it was about */
    struct tl_roce_injection {
        const struct tl_roce_step *step;
        uint64_t at_ns; /* of the next packet; UINT64_MAX: not yet, or no more */
        uint64_t left;
    } * injections; /* by step */
};

/* 0, or FAL_ERR_MEM. Free it in either case. */
MUST_USE int tl_roce_gate_init(struct tl_roce_gate *gate,
                               const struct tl_roce_scenario *scenario, struct tl_roce_log *log,
                               tl_roce_forward_fn *forward, void *ctx);
void tl_roce_gate_free(struct tl_roce_gate *gate);

/* A frame came; it may be changed in place. What is no RoCE passes. */
void tl_roce_gate_frame(struct tl_roce_gate *gate, uint64_t now_ns, unsigned from,
                        uint8_t *bytes, size_t len);
/* Packets of its own that are due; and when the next is, UINT64_MAX: never. */
void tl_roce_gate_run(struct tl_roce_gate *gate, uint64_t now_ns);
uint64_t tl_roce_gate_next_ns(const struct tl_roce_gate *gate);

#endif
