/* SPDX-License-Identifier: Apache-2.0
 * roce_judge.h - the verdict of a scenario of RoCEv2: its steps that expect something, held
 * against what was seen while it was played. */
#ifndef TL_HARNESS_ROCE_ROCE_JUDGE_H
#define TL_HARNESS_ROCE_ROCE_JUDGE_H

#include "harness/roce/roce_log.h"
#include "reports/results/results.h"

/* Fills in verdict, reason and problems of a case. `posts`: the ends did what the scenario
 * posts; else steps about posts decide nothing. */
void tl_roce_judge(struct tl_roce_log *log, bool posts, struct tl_case *out);

#endif
