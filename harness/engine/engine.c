/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/engine/engine_impl.h"

const struct tl_engine_ops *tl_engine_ops(enum tl_upper_layer upper)
{
    static const struct tl_engine_ops *const rows[TL_UPPERS] = {
        [TL_UPPER_VERBS] = &tl_engine_verbs, [TL_UPPER_NVME] = &tl_engine_nvme};

    return rows[upper];
}
