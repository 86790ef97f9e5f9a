/* SPDX-License-Identifier: Apache-2.0
 * bench_facts.h - facts of the tester's host and of the path to the SUT that were measured
 * before a run (site_facts.h loads them). They are on each timeline and in the evidence, and
 * set limits that rules read. */
#ifndef TL_HARNESS_SESSION_BENCH_FACTS_H
#define TL_HARNESS_SESSION_BENCH_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { TL_FACT_TEXT = 400 };

/* The limits of a measured path that rules may rely on. */
struct tl_path_limits {
    uint64_t round_trip_ns; /* the longest */
    /* one way, with a reserve for what was not measured; FAL_NEVER: unknown */
    uint64_t delay_max_ns;
    bool in_order, no_duplicates;
};

struct tl_bench_facts {
    char host[TL_FACT_TEXT], path[TL_FACT_TEXT]; /* in words, for the timeline; may be empty */
    uint64_t stamp_error_ns; /* of time stamps, in addition to what the link states */
    bool has_limits;
    struct tl_path_limits limits;
    uint64_t probes, probes_lost; /* of the path, both ways together; 0: not measured */
    json_t *host_document, *path_document; /* or NULL */
};

#endif
