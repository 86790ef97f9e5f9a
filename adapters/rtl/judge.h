/* SPDX-License-Identifier: Apache-2.0
 * judge.h - judges the lines of a trace by libtalon while the RTL is simulated (docs/rtl.md).
 */
#ifndef EP_JUDGE_H
#define EP_JUDGE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ep_judge;

/* Judges each line that is ended from now on (ep_trace_to). `setup` is the file that declares
 * the pipeline. NULL after a message. */
struct ep_judge *ep_judge_new(const char *setup);
/* Whether a rule is violated by now. */
bool ep_judge_failed(const struct ep_judge *judge);
/* Prints the report on the standard output. `ended`: the simulation came to its end, so what
 * waited for that is decided. Returns an exit status: 0, 1 (a rule is violated), 2 (after a
 * message). */
int ep_judge_report(struct ep_judge *judge, bool ended);
void ep_judge_free(struct ep_judge *judge); /* NULL is allowed */

#ifdef __cplusplus
}
#endif

#endif
