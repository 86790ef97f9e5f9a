/* SPDX-License-Identifier: Apache-2.0
 * world_draw.c - everything that a seed decides about a world: the variants of its ends, and
 * the observer. */
#include "oracles/rng.h"
#include "tests/world/world.h"
#include "tests/world/world_trials.h"

enum { TWIN_PART = 0x5457, VIEW_PART = 0x5657 }; /* of the seed */

static bool one_in(struct fal_rng *rng, uint64_t n)
{
    return fal_rng_below(rng, n) == 0;
}

void world_draw_twins(struct world_config *config)
{
    struct fal_rng rng = fal_rng_split(config->seed, TWIN_PART);

    fal_twins_draw(&config->twins, &rng);
    fal_twins_draw(&config->tester, &rng);
}

void world_draw_view(struct world_config *config)
{
    struct fal_rng rng = fal_rng_split(config->seed, VIEW_PART);

    static const unsigned trials[] = {WORLD_SEALS | WORLD_ROTATION | WORLD_NARROW,
                                      WORLD_SEALS | WORLD_NARROW,
                                      WORLD_SILENCE,
                                      WORLD_SCARCITY,
                                      WORLD_FORGERY,
                                      WORLD_REFUSALS,
                                      WORLD_LEAPS,
                                      WORLD_ERRORS,
                                      WORLD_MORTALITY};

    config->vantage = (enum fal_vantage)fal_rng_below(&rng, FAL_VANTAGE_SUT + 1);
    config->undeclared = one_in(&rng, 3);
    config->wire_only = one_in(&rng, 3);
    config->unknown_params = one_in(&rng, 4);
    if (one_in(&rng, 3))
        config->skip_packets = 1 + fal_rng_below(&rng, one_in(&rng, 2) ? 60 : 1000);
    if (one_in(&rng, 3))
        config->capture_loss_ppm =
            1 + (uint32_t)fal_rng_below(&rng, one_in(&rng, 2) ? 2000 : 100000);
    config->loss_is_told = one_in(&rng, 2);
    if (one_in(&rng, 2))
        config->late_events_ns = 1 + fal_rng_below(&rng, 300 * FAL_US);
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        if (one_in(&rng, 6))
            config->trials |= trials[i];
}
