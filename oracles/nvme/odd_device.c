/* SPDX-License-Identifier: Apache-2.0
 * odd_device.c - faults of the devices behind a target. */
#include "oracles/nvme/odd.h"

#define ON(id) fal_nv_fault(engine, FAL_FAULT_##id)

enum { METADATA_SHORT = 8, PI_TYPE_2 = 2 };

bool fal_nv_at_device_check(const struct fal_nvme_engine *engine)
{
    return !fal_nv_twin(engine, FAL_TWIN_TARGET_CHECKS_OFF);
}

void fal_nv_at_identify(const struct fal_nvme_engine *engine, struct fal_nvme_word *answer)
{
    if (ON(PIL_FIRST))
        answer->pil = 1;
    if (ON(PI_TYPE_2))
        answer->pi_type = PI_TYPE_2;
    if (ON(MSET_SET))
        answer->mset = 1;
    if (ON(METADATA_8))
        answer->metadata = METADATA_SHORT;
}

void fal_nv_at_media(const struct fal_nvme_engine *engine, const struct fal_nv_tcmd *tcmd,
                     uint32_t status)
{
    engine->odd->lost = tcmd->write && status == FAL_NVME_OK && ON(WRITE_LOST);
}

void fal_nv_at_read_place(const struct fal_nvme_engine *engine, struct fal_nv_place *place)
{
    if (ON(READ_ONE_BLOCK_ON))
        place->lba++;
    if (engine->odd->has_write && ON(READ_OF_LAST_WRITE))
        *place = engine->odd->last_write;
}

bool fal_nv_at_write_place(const struct fal_nvme_engine *engine, const struct fal_nv_tcmd *tcmd,
                           uint32_t k, struct fal_nv_place *place)
{
    struct fal_nv_odd *odd = engine->odd;

    if (odd->lost || (tcmd->num > 1 && k >= fal_nv_first_block(tcmd, tcmd->num - 1) &&
                      ON(WRITE_LAST_NCMD_LOST)))
        return false;
    if (ON(WRITE_ONE_BLOCK_ON))
        place->lba++;
    if (k == 0) {
        odd->has_write = true;
        odd->last_write = *place;
    }
    return true;
}
