/* SPDX-License-Identifier: Apache-2.0
 * learned.h - how long the SUT takes to answer, measured before the first case because nobody
 * declared it, and what is concluded from it (judging.md, section 18). */
#ifndef TL_REPORTS_RESULTS_LEARNED_H
#define TL_REPORTS_RESULTS_LEARNED_H

#include "codecs/json/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TL_LEARNED_LEAST = 64, /* answers, for a value to be learned */
    TL_LEARNED_LINE = 400, /* bytes of a sentence about it */
};

struct tl_learned {
    bool turnaround, pipeline; /* these were not declared; none: nothing was learned */
    uint64_t answers;          /* how many were measured */
    uint64_t median_ns, p95_ns, max_ns;
    uint64_t
        value_ns; /* the slowest kind's 95th percentile plus 25 %; without enough answers 0 */
    bool two_speeds; /* a 95th percentile, of all answers or of one kind, is above 4 medians */
};

/* The sample below which 95 % of all lie, and that below which half of them do: nearest rank.
 * Sorts the list. 0 of none. */
uint64_t tl_percentile(uint64_t *list, size_t n, unsigned percent);

/* Adds 25 %, rounded up. */
uint64_t tl_quarter_more(uint64_t ns);

/* Takes the answers of one kind, which it sorts; each kind has a speed of its own. */
void tl_learned_kind(struct tl_learned *learned, uint64_t *answers, size_t n);
/* Concludes from the answers of all kinds, which it sorts. */
void tl_learned_conclude(struct tl_learned *learned, uint64_t *answers, size_t n);

/* The n-th sentence about it for people, from 0; false: there are no more. */
bool tl_learned_line(const struct tl_learned *learned, size_t n, char line[TL_LEARNED_LINE]);

/* Its members in results (C: struct tl_learned). */
extern const struct fal_shape tl_learned_shape;

#endif
