/* SPDX-License-Identifier: Apache-2.0
 * kill_matrix.c - which rule sees which fault in worlds of random traffic (world.h): a line
 * "FAULT RULE REQUIREMENT SEED" for each, with the first seed that shows it. A world whose seed
 * four divides has a good network. `make kill-matrix` keeps the lines in
 * oracles/catalogue/kills.txt.
 *
 * Exit status: 0, 2 usage or out of memory. */
#include "oracles/catalogue.h"
#include "tests/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORLDS = 120, STEPS = 15000 };

/* A fault's worlds, until `count` are done. */
static int worlds(enum fal_fault_id fault, const char *name, uint64_t count)
{
    size_t num_kills = 0;
    struct world_kill known[WORLD_KILLS_MAX];

    for (uint64_t seed = 1; seed <= count; seed++) {
        struct world_config config = {.seed = seed, .clean = seed % 4 == 0, .steps_max = STEPS};
        struct world_outcome outcome;

        fal_fault_add(&config.faults, fault);
        if (world_run(&config, &outcome) != 0)
            return -1;
        for (size_t i = 0; i < outcome.num_kills; i++) {
            if (world_killed(known, num_kills, &outcome.kills[i]) ||
                num_kills == WORLD_KILLS_MAX)
                continue;
            known[num_kills++] = outcome.kills[i];
            printf("%s %s %s %" PRIu64 "\n", name, outcome.kills[i].rule,
                   outcome.kills[i].requirement, seed);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    size_t n;
    const struct fal_fault *faults = fal_faults(&n);

    for (size_t i = 0; i < n; i++) {
        if (argc > 1 && strcmp(argv[1], faults[i].name) != 0)
            continue;
        if (worlds((enum fal_fault_id)i, faults[i].name, WORLDS) != 0) {
            fprintf(stderr, "kill_matrix: out of memory\n");
            return 2;
        }
        fflush(stdout);
    }
    return argc > 2 ? 2 : 0;
}
