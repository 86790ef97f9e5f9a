/* SPDX-License-Identifier: Apache-2.0
 * cc_judge.h - judges the results of a Rate Update Engine, event by event, against the judge's
 * own reading of Swift and PLB (oracles/rules/cc). The reference model has no part in it. */
#ifndef TL_HARNESS_CC_CC_JUDGE_H
#define TL_HARNESS_CC_CC_JUDGE_H

#include "harness/cc/cc_line.h"
#include "oracles/rules/cc/cc_forks.h"

#include <stdio.h>

/* Connections of one run whose counters are kept (10.5.6). */
enum { TL_CC_CONNECTIONS = 256, TL_CC_WHAT = 400 };

struct tl_cc_finding {
    const char *requirement; /* that the result violates; NULL: no single one */
    char what[TL_CC_WHAT];   /* the field, what was expected, what was found */
};

/* The results of one engine: the readings that they leave possible, and what the engine keeps
 * of each connection. */
struct tl_cc_judge;

/* The engine handles an event at most `latency` ticks after its time. NULL: out of memory. */
struct tl_cc_judge *tl_cc_judge_new(uint32_t latency);
void tl_cc_judge_free(struct tl_cc_judge *judge);

/* Judges line->result. A line without `keep` begins its connection anew. Returns 1 if some
 * reading allows the result, 0 with *finding if none does, FAL_ERR_RANGE if there are more
 * connections than are kept, FAL_ERR_MEM. */
MUST_USE int tl_cc_judge_line(struct tl_cc_judge *judge, const struct tl_cc_line *line,
                              struct tl_cc_finding *finding);

/* One line for each ambiguity that the results have decided: which reading the engine has. */
void tl_cc_judge_readings(const struct tl_cc_judge *judge, FILE *out);

/* A table: how wide the band was around the results that it allowed. */
void tl_cc_judge_widths(const struct tl_cc_judge *judge, FILE *out);

#endif
