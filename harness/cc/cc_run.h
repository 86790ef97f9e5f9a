/* SPDX-License-Identifier: Apache-2.0
 * cc_run.h - `talon cc judge`: the results of a Rate Update Engine, or those in a file, are
 * judged one by one and told. */
#ifndef TL_HARNESS_CC_CC_RUN_H
#define TL_HARNESS_CC_CC_RUN_H

#include "harness/cc/cc_judge.h"

struct tl_cc_run {
    enum fal_cc_format format;
    uint64_t seed, events; /* of each round */
    unsigned rounds;       /* the first with default parameters, the others with drawn ones */
    unsigned answer_s;
    uint32_t latency; /* ticks */
    FILE *trace;      /* each event with its result as a line; NULL: none */
};

/* The results that were judged, and those that were outside. */
struct tl_cc_verdict {
    struct tl_cc_judge *judge;
    uint64_t judged, outside;
    struct tl_cc_count {
        const char *requirement; /* NULL: no single one */
        uint64_t results;
    } counts[64];
    size_t num_counts;
};

/* Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_cc_verdict_begin(struct tl_cc_verdict *verdict, uint32_t latency);
void tl_cc_verdict_end(struct tl_cc_verdict *verdict);

/* Judges a line; what is outside is told on standard output after `where`, up to a limit.
 * Returns 0, or an error with `err`. */
MUST_USE int tl_cc_verdict_line(struct tl_cc_verdict *verdict, const struct tl_cc_line *line,
                                const char *where, struct fal_error *err);
/* The sums, and the readings that the results show. */
void tl_cc_verdict_print(const struct tl_cc_verdict *verdict);

/* Feeds events to the engine of that name and judges its results. Returns 0, or an error with
 * `err`; what was judged until then stands in *verdict. */
MUST_USE int tl_cc_run(const struct tl_cc_run *run, const char *engine,
                       struct tl_cc_verdict *verdict, struct fal_error *err);

#endif
