/* SPDX-License-Identifier: Apache-2.0
 * world_draw.c - everything that a seed decides about a world: the variants of its ends, and
 * the observer. */
#include "oracles/rng.h"
#include "tests/world/world.h"
#include "tests/world/world_trials.h"

enum { TWIN_PART = 0x5457, VIEW_PART = 0x5657, IXIT_PART = 0x4958 }; /* of the seed */

#define PIPELINE_MAX (20 * FAL_US)

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
    config->loss_is_secret = one_in(&rng, 2);
}

static bool has_one_of(const struct fal_twin_set *set, const enum fal_twin_id *ids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fal_twin_in(set, ids[i]))
            return true;
    return false;
}
#define HAS(set, ids) has_one_of(set, ids, sizeof(ids) / sizeof *(ids))

void world_draw_ixit(const struct world_config *config, int side, struct fal_params *params)
{
    static const enum fal_twin_id queues[] = {FAL_TWIN_QUEUES_SWAP, FAL_TWIN_TX_LANES};
    /* Receive lanes of the SUT have their allowance from world.c. */
    static const enum fal_twin_id lanes[] = {FAL_TWIN_RX_LANES, FAL_TWIN_RX_LANES_HASHED};
    static const enum fal_twin_id ticks[] = {FAL_TWIN_TIMERS_GRID, FAL_TWIN_TIMERS_WHEEL,
                                             FAL_TWIN_CLOCK_COARSE};
    static const enum fal_twin_id rtos[] = {FAL_TWIN_RTO_VARIES};
    static const uint64_t tick_ns[] = {100, 500, 700, FAL_US, 3 * FAL_US, 50 * FAL_US};
    const struct fal_twin_set *set = side == 0 ? &config->tester : &config->twins;
    struct fal_rng rng = fal_rng_split(config->seed, IXIT_PART + (uint64_t)side);
    uint64_t most = one_in(&rng, 3) ? FAL_US : PIPELINE_MAX;

    if (HAS(set, queues) && !HAS(set, lanes) && !one_in(&rng, 4))
        params->pipeline_ns = 1 + fal_rng_below(&rng, most);
    /* A tick that nobody declares is 0: an early timer needs one that is declared. */
    if (HAS(set, ticks) && !one_in(&rng, 4) && !config->unknown_params)
        params->tick_ns = tick_ns[fal_rng_below(&rng, sizeof tick_ns / sizeof *tick_ns)];
    if (HAS(set, rtos)) {
        params->rto_varies = true;
        params->rto_lo_ns = params->rto_ns / (1 + fal_rng_below(&rng, 3));
        params->rto_hi_ns = params->rto_ns * (1 + fal_rng_below(&rng, 3));
    }
}
