/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/nvme/odd.h"

#include <stdlib.h>
#include <string.h>

enum { NEAR_WRAP = 128, WINDOW = 128 };

static bool any_of_ours(const struct fal_nvme_config *config)
{
    for (int id = FAL_FAULT_NVME_FIRST; id < FAL_FAULT_COUNT; id++)
        if (fal_fault_in(&config->faults, (enum fal_fault_id)id))
            return true;
    for (int id = FAL_TWIN_NVME_FIRST; id < FAL_TWIN_COUNT; id++)
        if (fal_twin_in(&config->twins, (enum fal_twin_id)id))
            return true;
    return false;
}

bool fal_nv_odd_start(struct fal_nvme_engine *engine)
{
    const struct fal_nvme_config *config = &engine->config;

    if (!any_of_ours(config))
        return true;
    engine->odd = calloc(1, sizeof *engine->odd);
    if (engine->odd == NULL)
        return false;
    fal_faulty_init(&engine->odd->faulty, &config->faults, config->seed);
    engine->odd->twins = config->twins;
    return true;
}

void fal_nv_odd_free(struct fal_nv_odd *odd)
{
    struct fal_nv_held *next;

    for (struct fal_nv_held *at = odd != NULL ? odd->held : NULL; at != NULL; at = next) {
        next = at->next;
        free(at);
    }
    free(odd);
}

bool fal_nv_twin(const struct fal_nvme_engine *engine, enum fal_twin_id id)
{
    return fal_twin_in(&engine->odd->twins, id);
}

/* Tags have 24 bits. */
static bool its_time(const struct fal_nvme_engine *engine, enum fal_fault_when when)
{
    uint64_t next = engine->ncmds.tail & FAL_NV_TAG_MASK;

    switch (when) {
    case FAL_WHEN_ALWAYS: break;
    case FAL_WHEN_WRAP: return next >= FAL_NV_TAG_MASK - NEAR_WRAP || next < NEAR_WRAP;
    case FAL_WHEN_RESYNC: return engine->odd->failed;
    case FAL_WHEN_SECOND_WINDOW: return engine->ncmds.tail - engine->first_ncmd >= WINDOW;
    }
    return true;
}

bool fal_nv_fault(const struct fal_nvme_engine *engine, enum fal_fault_id id)
{
    struct fal_faulty *faulty = &engine->odd->faulty;
    const struct fal_fault_how *how;

    if (!fal_fault_in(&faulty->set, id))
        return false;
    how = fal_fault_how(&faulty->set, id);
    return (how == NULL || its_time(engine, how->when)) && fal_faulty_roll(faulty, id);
}

uint64_t fal_nvme_engine_fault_acts(const struct fal_nvme_engine *engine, enum fal_fault_id id)
{
    return engine->odd != NULL ? engine->odd->faulty.acts[id] : 0;
}

void fal_nvme_engine_faults(const struct fal_nvme_engine *engine, uint64_t *chances,
                            uint64_t *acts)
{
    *chances = engine->odd != NULL ? engine->odd->faulty.all_chances : 0;
    *acts = engine->odd != NULL ? engine->odd->faulty.all_acts : 0;
}

bool fal_nv_at_ordered(const struct fal_nvme_engine *engine, bool refused)
{
    return refused && !fal_nv_fault(engine, FAL_FAULT_NVME_ORDERED_ACCEPTED);
}

bool fal_nv_at_mtu(const struct fal_nvme_engine *engine, bool refused)
{
    return refused && !fal_nv_fault(engine, FAL_FAULT_NVME_MTU_UNCHECKED);
}

void fal_nv_at_ended(const struct fal_nvme_engine *engine, const struct fal_endpoint_out *out)
{
    if (out->code != FAL_CMPL_ACK)
        engine->odd->failed = true;
}

/* ---- requests that wait for those before them ---- */

bool fal_nv_at_delivered(struct fal_nvme_engine *engine, const struct fal_nv_link *link,
                         const struct fal_endpoint_out *out)
{
    struct fal_nv_held *held;

    if (out->rsn == link->next_rsn || !fal_nv_fault(engine, FAL_FAULT_NVME_WAITS_FOR_ORDER))
        return false;
    held = malloc(sizeof *held + out->payload_len);
    if (held == NULL)
        return false;
    held->out = *out;
    if (out->payload_len > 0)
        memcpy(held->bytes, out->payload, out->payload_len);
    held->next = engine->odd->held;
    engine->odd->held = held;
    return true;
}

void fal_nv_at_served(struct fal_nvme_engine *engine, struct fal_nv_link *link)
{
    struct fal_nv_held **at = &engine->odd->held;

    while (*at != NULL && ((*at)->out.conn != link->conn || (*at)->out.rsn != link->next_rsn))
        at = &(*at)->next;
    if (*at != NULL) {
        struct fal_nv_held *held = *at;

        *at = held->next;
        held->out.payload = held->bytes;
        fal_nv_requested(engine, link, &held->out);
        free(held);
    }
}
