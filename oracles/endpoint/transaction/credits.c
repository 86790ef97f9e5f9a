/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/transaction/credits.h"

#include <stdbool.h>

#define ROW(id, name, pool, region) {name, FAL_POOL_##pool, FAL_REGION_##region},

static const struct fal_resource_row rows[] = {FAL_RESOURCES(ROW)};

const struct fal_resource_row *fal_resource_row(enum fal_resource which)
{
    return &rows[which];
}

enum { L = 255 }; /* ceil(length / N) */

/* 8.2.3, 8.2.4. A pull pays the buffers of its response in advance, where it will be received.
 */
static const uint8_t costs[][FAL_RES_COUNT] = {
    /*                      req: pkt tx, buf tx, pkt rx, buf rx; data: pkt, buf; net: pkt, buf
     */
    [FAL_SPEND_PUSH] = {1, L, 1, 0, 0, 0, 0, 0},
    [FAL_SPEND_PULL] = {1, 1, 1, L, 0, 0, 0, 0},
    [FAL_SPEND_RESPONSE] = {0, 0, 0, 0, 1, L, 0, 0},
    [FAL_SPEND_NET_PUSH] = {0, 0, 0, 0, 0, 0, 1, L},
    [FAL_SPEND_NET_PULL] = {0, 0, 0, 0, 0, 0, 1, 1},
};

static bool belongs(unsigned which, enum fal_part part)
{
    bool tx = rows[which].pool == FAL_POOL_TX_PACKET || rows[which].pool == FAL_POOL_TX_BUFFER;

    return part == FAL_PART_ALL || tx == (part == FAL_PART_TX);
}

struct fal_units fal_credit_cost(enum fal_spend spend, enum fal_part part, uint32_t length,
                                 uint32_t cell)
{
    struct fal_units units;
    uint32_t cells = length / cell + (length % cell != 0);

    for (unsigned i = 0; i < FAL_RES_COUNT; i++)
        units.of[i] = !belongs(i, part) ? 0 : costs[spend][i] == L ? cells : costs[spend][i];
    return units;
}
