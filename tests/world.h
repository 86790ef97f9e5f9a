/* SPDX-License-Identifier: Apache-2.0
 * world.h - a small world for soak tests: two endpoints, scripted ULPs, a bad network, and the
 * judge on the tester's side, all in virtual time and from one seed. */
#ifndef TALON_TESTS_WORLD_H
#define TALON_TESTS_WORLD_H

#include "oracles/endpoint/faults.h"
#include "oracles/endpoint/twins.h"
#include "oracles/rules/judge.h"

struct world_config {
    uint64_t seed;
    struct fal_fault_set faults;  /* of the SUT */
    struct fal_twin_set twins;    /* of the SUT, on every connection */
    struct fal_twin_set tester;   /* twins of the tester */
    bool clean;                   /* a network without loss, duplication or reordering */
    unsigned steps_max;           /* it ends after so many steps; 0: after 2 million */
    struct fal_recorder recorder; /* gets every event too; event NULL: nobody */
};

/* A rule that the SUT broke, and of which requirement. */
struct world_kill {
    const char *rule, *requirement;
};
enum { WORLD_KILLS_MAX = 128 };

struct world_outcome {
    enum fal_verdict verdict;
    bool stuck;                     /* something was still open at the end of time */
    bool suspect;                   /* an excuse was taken more often than the path gave it */
    uint64_t packets[2];            /* seen at the tester, by enum fal_dir */
    uint64_t completed, posted;     /* transactions, both sides */
    uint64_t acts[FAL_FAULT_COUNT]; /* of each fault of the SUT */
    char why[1024];                 /* the first finding that is no mere excuse */
    uint64_t exercised[96]; /* instances decided (HOLDS or BROKEN) of the SUT, by rule */
    bool broken[96];        /* by rule, of the SUT */
    size_t num_kills;
    struct world_kill kills[WORLD_KILLS_MAX]; /* each once */
};

/* Whether it is among them. */
bool world_killed(const struct world_kill *kills, size_t n, const struct world_kill *kill);

/* Runs one world to its end. Returns 0, or FAL_ERR_MEM. */
int world_run(const struct world_config *config, struct world_outcome *outcome);

#endif
