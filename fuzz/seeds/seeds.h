/* SPDX-License-Identifier: Apache-2.0
 * seeds.h - the first inputs of the targets, written by make_corpus: from samples by seed
 * (seeds_samples.c), and from what a run of the suite left behind (seeds_suite.c). */
#ifndef FAL_FUZZ_SEEDS_SEEDS_H
#define FAL_FUZZ_SEEDS_SEEDS_H

#include "fuzz/targets/targets.h"

#include <stdbool.h>

struct seeds {
    const char *target, *directory;
    size_t max_len, count; /* how many are wanted */
    uint64_t seed;
    size_t written;
    bool failed; /* a file could not be written; a line has said so */
};

/* Writes one input, unless it is too long or there are enough; false: no more are wanted. */
bool seeds_write(struct seeds *seeds, const void *bytes, size_t len);
static inline bool seeds_wanted(const struct seeds *seeds)
{
    return !seeds->failed && seeds->written < seeds->count;
}

/* From samples. False when that target has none. */
bool seeds_samples(struct seeds *seeds);

/* For fuzz_control: whole talks; and how a talk begins, what is read at the SUT's end or at the
 * tester's: the next id is 4, the epoch 2, the connection c1. */
void seeds_control(struct seeds *seeds);
const char *seeds_control_before(bool tester);

/* For fuzz_cc: vectors of congestion control. */
void seeds_cc(struct seeds *seeds);

/* For fuzz_events: traces of event pipelines. */
void seeds_events(struct seeds *seeds);

/* For fuzz_rules: words and packets of NVMe. */
void seeds_rules(struct seeds *seeds);

/* From the evidence that `talon run --keep all --out DIRECTORY` left, and from the scenarios in
 * it. False when that target has none. */
bool seeds_suite(struct seeds *seeds, const char *evidence);

/* Prints the target's dictionary for AFL++, one token a line. */
void seeds_dictionary(const char *target, const char *evidence);

#endif
