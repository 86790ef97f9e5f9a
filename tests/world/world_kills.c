/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/world/world_kills.h"

#include "tests/world/world_trials.h"

enum { PLAIN = 120, EACH = 12, THOUSAND = 1000, STEPS = 15000 };

static const unsigned trials[] = {
    WORLD_SEALS | WORLD_FORGERY,
    WORLD_SILENCE,
    WORLD_SEALS | WORLD_FORGERY | WORLD_SILENCE,
    WORLD_SCARCITY,
    WORLD_SILENCE | WORLD_MORTALITY,
    WORLD_REFUSALS,
    WORLD_SILENCE | WORLD_REFUSALS,
    WORLD_SCARCITY | WORLD_SILENCE,
    WORLD_ERRORS,
    WORLD_LEAPS,
    WORLD_SEALS | WORLD_FORGERY | WORLD_ROTATION,
    WORLD_MORTALITY,
    WORLD_SEALS | WORLD_REPLAYS,
};

uint64_t world_number(size_t n)
{
    size_t kind = n < PLAIN ? 0 : (n - PLAIN) / EACH;

    if (n < PLAIN)
        return n + 1;
    if (kind >= sizeof trials / sizeof *trials)
        return 0;
    return trials[kind] * UINT64_C(1000) + (n - PLAIN) % EACH + 1;
}

bool world_lossless(uint64_t number)
{
    return number % THOUSAND % 4 == 0;
}

int world_kills(uint64_t number, const struct fal_fault_set *faults,
                const struct world_view *view, struct world_outcome *outcome)
{
    struct world_config config = {.seed = number % THOUSAND,
                                  .trials = (unsigned)(number / THOUSAND),
                                  .clean = world_lossless(number),
                                  .steps_max = STEPS,
                                  .vantage = view->vantage,
                                  .wire_only = view->wire_only};
    struct world_outcome good;
    size_t n = 0;

    config.faults = *faults;
    if (world_run(&config, outcome) != 0)
        return FAL_ERR_MEM;
    /* what only a valid life cut short would show */
    if (outcome->num_kills == 0 || config.trials == 0)
        return 0;
    config.faults = (struct fal_fault_set){0};
    if (world_run(&config, &good) != 0)
        return FAL_ERR_MEM;
    for (size_t i = 0; i < outcome->num_kills; i++)
        if (!world_killed(good.kills, good.num_kills, &outcome->kills[i]))
            outcome->kills[n++] = outcome->kills[i];
    outcome->num_kills = n;
    return 0;
}
