/* SPDX-License-Identifier: Apache-2.0
 * bench_facts.h - what is known of the tester's host and of the path to the SUT before a run
 * begins: by talon host-check and talon path-check. It stands on each timeline and in the
 * evidence, and sets limits that rules read. */
#ifndef TL_HARNESS_BENCH_FACTS_H
#define TL_HARNESS_BENCH_FACTS_H

#include "codecs/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { TL_FACT_TEXT = 400 };

/* What judging may rely on, of a path that was measured so. */
struct tl_path_limits {
    uint64_t round_trip_ns; /* the longest */
    uint64_t
        delay_max_ns; /* of one way, with room for what was not measured; FAL_NEVER: unknown
                       */
    bool in_order, no_duplicates;
};

struct tl_bench_facts {
    char host[TL_FACT_TEXT], path[TL_FACT_TEXT]; /* in words, for the timeline; may be empty */
    uint64_t stamp_error_ns;                     /* beyond what the link says itself */
    bool has_limits;
    struct tl_path_limits limits;
    json_t *host_document, *path_document; /* or NULL */
};

/* Takes what `talon host-check --json` and `talon path-check --json` wrote, either NULL; where
 * there is no host file and `iface` is not NULL, looks at the host now. 0; FAL_ERR_IO,
 * FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
int tl_bench_facts_load(struct tl_bench_facts *facts, const char *host_file,
                        const char *path_file, const char *iface, struct fal_error *err);
void tl_bench_facts_free(struct tl_bench_facts *facts);

/* Names of what falsifies tests, with commas; "" when nothing does. `out` has TL_FACT_TEXT
 * bytes. */
void tl_bench_facts_wrong(const struct tl_bench_facts *facts, char *out);

#endif
