/* SPDX-License-Identifier: Apache-2.0
 * kill_matrix.c - which rule sees which fault in worlds of random traffic (world.h): a line
 * "FAULT RULE REQUIREMENT SEED" for each, with the first seed that shows it. A world whose seed
 * four divides has a good network. `make kill-matrix` keeps the lines in
 * oracles/catalogue/kills.txt.
 *
 * kill_matrix [FAULT]: the matrix, or what belongs to one fault. kill_matrix --check FILE: the
 * lines of FILE that are no longer so.
 *
 * Exit status: 0, 1 lines were lost, 2 out of memory or no such file. */
#include "oracles/catalogue.h"
#include "tests/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORLDS = 120, STEPS = 15000 };

static int one_world(enum fal_fault_id fault, uint64_t seed, struct world_outcome *outcome)
{
    struct world_config config = {.seed = seed, .clean = seed % 4 == 0, .steps_max = STEPS};

    fal_fault_add(&config.faults, fault);
    return world_run(&config, outcome);
}

/* Prints the lines of a matrix that are no longer so. Returns how many, -1 when it cannot say.
 */
static int check(const char *path)
{
    char name[64], rule[16], requirement[64], last[64] = "";
    struct world_outcome outcome = {0};
    uint64_t seed, last_seed = 0;
    int lost = 0;
    FILE *file = fopen(path, "r");

    if (file == NULL)
        return -1;
    while (fscanf(file, "%63s %15s %63s %" SCNu64, name, rule, requirement, &seed) == 4) {
        int fault = fal_fault_find(name);
        struct world_kill kill = {rule, requirement};

        if (fault < 0 || ((strcmp(name, last) != 0 || seed != last_seed) &&
                          one_world((enum fal_fault_id)fault, seed, &outcome) != 0)) {
            lost = -1;
            break;
        }
        (void)snprintf(last, sizeof last, "%s", name);
        last_seed = seed;
        if (!world_killed(outcome.kills, outcome.num_kills, &kill)) {
            printf("%s %s %s %" PRIu64 "\n", name, rule, requirement, seed);
            lost++;
        }
    }
    (void)fclose(file);
    return lost;
}

/* A fault's worlds, until `count` are done. */
static int worlds(enum fal_fault_id fault, const char *name, uint64_t count)
{
    size_t num_kills = 0;
    struct world_kill known[WORLD_KILLS_MAX];

    for (uint64_t seed = 1; seed <= count; seed++) {
        struct world_outcome outcome;

        if (one_world(fault, seed, &outcome) != 0)
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

    if (argc == 3 && strcmp(argv[1], "--check") == 0) {
        int lost = check(argv[2]);

        return lost > 0 ? 1 : lost < 0 ? 2 : 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (argc > 1 && strcmp(argv[1], faults[i].name) != 0)
            continue;
        if (worlds((enum fal_fault_id)i, faults[i].name, WORLDS) != 0) {
            fprintf(stderr, "kill_matrix: out of memory\n");
            return 2;
        }
        fflush(stdout);
    }
    return 0;
}
