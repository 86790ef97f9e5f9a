/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ulp/odd.h"

#include <stdlib.h>

enum { RNG_PART = 22, NEAR_WRAP = 128, WINDOW = 128 };

static bool any_of_ours(const struct fal_verbs_config *config)
{
    for (int id = FAL_FAULT_ULP_FIRST; id < FAL_FAULT_NVME_FIRST; id++)
        if (fal_fault_in(&config->faults, (enum fal_fault_id)id))
            return true;
    for (int id = FAL_TWIN_ULP_FIRST; id < FAL_TWIN_NVME_FIRST; id++)
        if (fal_twin_in(&config->twins, (enum fal_twin_id)id))
            return true;
    return false;
}

bool fal_vb_odd_start(struct fal_verbs_engine *engine)
{
    const struct fal_verbs_config *config = &engine->config;
    struct fal_vb_odd *odd;

    if (!any_of_ours(config))
        return true;
    odd = calloc(1, sizeof *odd);
    if (odd == NULL)
        return false;
    odd->faults = config->faults;
    odd->twins = config->twins;
    odd->rng = fal_rng_split(config->seed, RNG_PART);
    for (uint32_t i = 0; i < odd->faults.num_hows; i++)
        odd->own_rng[i] = fal_rng_split(odd->faults.hows[i].seed, RNG_PART);
    odd->first_sn = config->first_sn > 0 ? config->first_sn : 1;
    engine->odd = odd;
    return true;
}

bool fal_vb_twin(const struct fal_verbs_engine *engine, enum fal_twin_id id)
{
    return engine->odd != NULL && fal_twin_in(&engine->odd->twins, id);
}

static bool its_time(const struct fal_vb_odd *odd, const struct fal_vb_link *link,
                     enum fal_fault_when when)
{
    switch (when) {
    case FAL_WHEN_ALWAYS: break;
    case FAL_WHEN_WRAP:
        return link != NULL && (link->sn >= UINT32_MAX - NEAR_WRAP || link->sn < odd->first_sn);
    case FAL_WHEN_RESYNC: return odd->failed;
    case FAL_WHEN_SECOND_WINDOW: return link != NULL && link->sn - odd->first_sn >= WINDOW;
    }
    return true;
}

bool fal_vb_fault(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                  enum fal_fault_id id)
{
    struct fal_vb_odd *odd = engine->odd;
    const struct fal_fault_how *how;
    uint32_t one_in;
    unsigned row;

    if (odd == NULL || !fal_fault_in(&odd->faults, id))
        return false;
    how = fal_fault_how(&odd->faults, id);
    one_in = how != NULL && how->one_in > 0 ? how->one_in : odd->faults.one_in;
    row = (unsigned)id - FAL_FAULT_ULP_FIRST;
    if (how != NULL && !its_time(odd, link, how->when))
        return false;
    odd->chances[row]++;
    if (how != NULL && odd->chances[row] < how->from)
        return false;
    if (one_in > 1 &&
        fal_rng_below(how != NULL && how->has_seed ? &odd->own_rng[how - odd->faults.hows]
                                                   : &odd->rng,
                      one_in) != 0)
        return false;
    odd->acts[row]++;
    return true;
}

void fal_verbs_faults(const struct fal_verbs_engine *engine, uint64_t *chances, uint64_t *acts)
{
    const struct fal_vb_odd *odd = engine->odd;

    *chances = *acts = 0;
    for (size_t i = 0; odd != NULL && i < sizeof odd->acts / sizeof *odd->acts; i++) {
        *chances += odd->chances[i];
        *acts += odd->acts[i];
    }
}

uint64_t fal_verbs_fault_acts(const struct fal_verbs_engine *engine, enum fal_fault_id id)
{
    return engine->odd != NULL && id >= (enum fal_fault_id)FAL_FAULT_ULP_FIRST &&
                   id < (enum fal_fault_id)FAL_FAULT_NVME_FIRST
               ? engine->odd->acts[id - (enum fal_fault_id)FAL_FAULT_ULP_FIRST]
               : 0;
}
