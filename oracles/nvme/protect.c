/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/nvme/protect.h"

#include "oracles/nvme/state.h"

struct fal_dif fal_nv_inner(const uint8_t *block, uint32_t len, uint16_t app, uint32_t ref)
{
    return (struct fal_dif){.guard = fal_dif_crc(0, block, len), .app = app, .ref = ref};
}

struct fal_dif fal_nv_outer(const uint8_t *block, uint32_t len, const uint8_t *inner,
                            uint16_t app, uint32_t ref)
{
    uint16_t guard = fal_dif_crc(fal_dif_crc(0, block, len), inner, FAL_DIF_LEN);

    return (struct fal_dif){.guard = guard, .app = app, .ref = ref};
}

uint32_t fal_nv_check(const struct fal_dif *dif, const struct fal_nv_expect *expect)
{
    if (expect->escapes && dif->app == UINT16_MAX)
        return FAL_NVME_OK;
    if ((expect->checks & FAL_NV_CHECK_GUARD) != 0 && dif->guard != expect->guard)
        return FAL_NVME_GUARD_CHECK;
    if ((expect->checks & FAL_NV_CHECK_APP) != 0 &&
        ((dif->app ^ expect->app) & expect->app_mask) != 0)
        return FAL_NVME_APP_CHECK;
    if ((expect->checks & FAL_NV_CHECK_REF) != 0 && dif->ref != expect->ref)
        return FAL_NVME_REF_CHECK;
    return FAL_NVME_OK;
}
