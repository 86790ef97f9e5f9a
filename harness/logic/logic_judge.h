/* SPDX-License-Identifier: Apache-2.0
 * logic_judge.h - `talon logic run --judge` and `talon logic engine --judge`: the K rules as
 * the judge of transfers and of the engine. */
#ifndef TL_HARNESS_LOGIC_LOGIC_JUDGE_H
#define TL_HARNESS_LOGIC_LOGIC_JUDGE_H

#include "harness/logic/logic_run.h"

/* The same as tl_logic_run; also prints the verdicts of K1 to K10 and exits by them. */
int tl_logic_run_judged(const struct tl_logic_command *c);
/* The same as tl_logic_engine; also prints the verdicts of K11 to K14 and exits by them. */
int tl_logic_engine_judged(const struct tl_logic_command *c);

#endif
