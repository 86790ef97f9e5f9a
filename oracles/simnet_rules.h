/* SPDX-License-Identifier: Apache-2.0
 * simnet_rules.h - the rules of a simulated network, and which of them act on a frame. Part of
 * simnet.c. */
#ifndef FAL_ORACLES_SIMNET_RULES_H
#define FAL_ORACLES_SIMNET_RULES_H

#include "oracles/simnet.h"

struct fal_simnet_rules {
    size_t count;
    struct fal_simnet_script {
        struct fal_simnet_rule rule;
        uint64_t fitting, acts; /* frames that fitted its conditions; that it acted on */
    } scripts[FAL_SIMNET_RULES_MAX];
};

/* What rules do to one frame, all together. */
struct fal_simnet_verdict {
    bool drop, corrupt, mark;
    uint32_t copies; /* beside the frame itself */
    uint64_t delay_ns;
};

/* Counts the frame in every rule that it fits, and gathers what those do that act. */
struct fal_simnet_verdict fal_simnet_rules_apply(struct fal_simnet_rules *rules,
                                                 const struct fal_simnet_frame *frame);

#endif
