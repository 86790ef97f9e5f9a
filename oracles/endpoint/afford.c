/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/afford.h"

enum { CELL = 256 };

static bool enough(const uint32_t left[FAL_RES_COUNT], const struct fal_units *units)
{
    for (unsigned i = 0; i < FAL_CREDITS; i++)
        if (left[i] < units->of[i])
            return false;
    return true;
}

bool fal_endpoint_affords(const struct fal_endpoint *endpoint, uint32_t conn, uint32_t cell,
                          enum fal_spend spend, uint32_t length)
{
    struct fal_units units =
        fal_credit_cost(spend, FAL_PART_ALL, length, cell > 0 ? cell : CELL);
    struct fal_endpoint_credits left;

    return fal_endpoint_credits(endpoint, conn, &left) == 0 &&
           enough(left.connection, &units) && enough(left.function, &units) &&
           enough(left.host, &units);
}
