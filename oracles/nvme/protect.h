/* SPDX-License-Identifier: Apache-2.0
 * protect.h - protection information of blocks: the host's inner one and the outer one that the
 * initiator adds (NVME 6.7). Metadata of a block are 16 bytes, inner before outer. */
#ifndef FAL_ORACLES_NVME_PROTECT_H
#define FAL_ORACLES_NVME_PROTECT_H

#include "codecs/nvme/t10_dif.h"

#include <stdbool.h>

/* The inner protection information: guard over the plain block. */
struct fal_dif fal_nv_inner(const uint8_t *block, uint32_t len, uint16_t app, uint32_t ref);
/* The outer one: guard over the block as it is sent and the inner 8 bytes. */
struct fal_dif fal_nv_outer(const uint8_t *block, uint32_t len, const uint8_t *inner,
                            uint16_t app, uint32_t ref);

/* What a check expects; bits of `checks` are those of PRINFO. */
struct fal_nv_expect {
    uint32_t checks;
    uint16_t guard;
    uint16_t app, app_mask;
    uint32_t ref;
    bool escapes; /* an application tag of FFFF switches checks off (NVME 6.7; NVM Command Set,
                     protection type 1) */
};

/* The status of a check: FAL_NVME_OK, or the error of the first field that differs. */
uint32_t fal_nv_check(const struct fal_dif *dif, const struct fal_nv_expect *expect);

#endif
