/* SPDX-License-Identifier: Apache-2.0
 * roce_rules.h - what a bridge saw, judged by the rules for captures of RoCEv2
 * (oracles/rules/roce): each end is judged as if the capture had been taken for it, and the
 * switch behind the bridge as a switch. The steps of the scenario decide beside it. */
#ifndef TL_HARNESS_ROCE_ROCE_RULES_H
#define TL_HARNESS_ROCE_ROCE_RULES_H

#include "harness/roce/roce_log.h"
#include "harness/roce/roce_play.h"
#include "oracles/rules/roce/judge.h"
#include "reports/results/results.h"

/* What is judged: an end, or the switch. */
enum tl_roce_place { TL_ROCE_END_A, TL_ROCE_END_B, TL_ROCE_SWITCH, TL_ROCE_PLACES };

/* Judges the packets that one place sent and got. Findings have the number of the log's entry,
 * from 1. NULL: out of memory; the caller frees the judge. */
struct fal_roce_judge *tl_roce_rules_judge(const struct tl_roce_log *log,
                                           const struct tl_roce_sut *sut,
                                           enum tl_roce_place place);

/* Adds what the rules found to the verdict and the problems of the case. A rule that is
 * violated fails the case; one that says "inconclusive" changes nothing. Returns 0, or
 * FAL_ERR_MEM. */
MUST_USE int tl_roce_rules(const struct tl_roce_log *log, const struct tl_roce_sut *sut,
                           struct tl_case *out);

#endif
