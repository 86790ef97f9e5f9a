/* SPDX-License-Identifier: Apache-2.0
 * judge_state.h - a judge from inside: between judge.c, which takes events, and results.c. */
#ifndef FAL_ORACLES_RULES_JUDGE_STATE_H
#define FAL_ORACLES_RULES_JUDGE_STATE_H

#include "oracles/rules/budget.h"
#include "oracles/rules/conns.h"
#include "oracles/rules/control.h"

struct fal_judge {
    struct fal_judge_config config;
    struct fal_bench bench;
    struct fal_conns conns;
    struct fal_conn *strays; /* number 0: packets that belong to no connection */
    struct fal_control control;
    struct fal_readings readings[FAL_SUBJECTS];
    struct fal_measured measured[FAL_DIRS];
    bool enabled[FAL_RULES_MAX];
    bool good_seen; /* a packet of the SUT fitted a connection */
    bool finished, oom;
    uint64_t now_ns, now_index;
    struct fal_rule_result *result; /* what fal_judge_result hands out */
};

#endif
