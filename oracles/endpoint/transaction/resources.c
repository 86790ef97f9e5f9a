/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/transaction/resources.h"

bool fal_limits_any(const struct fal_limits *limits)
{
    for (unsigned i = 0; i < FAL_RES_COUNT; i++)
        if (limits->units[i] > 0)
            return true;
    return false;
}

static bool zone_sound(uint32_t limit, uint32_t red, uint32_t longest)
{
    return limit == 0 ? red == 0 : red >= longest && red <= limit;
}

bool fal_limits_sound(const struct fal_limits *limits, uint32_t max_length, uint32_t cell)
{
    struct fal_units push = fal_credit_cost(FAL_SPEND_NET_PUSH, FAL_PART_ALL, max_length, cell);
    uint32_t cells = push.of[FAL_RES_NET_BUF_RX];

    return zone_sound(limits->units[FAL_RES_NET_PKT_RX], limits->red_pkt, 1) &&
           zone_sound(limits->units[FAL_RES_NET_BUF_RX], limits->red_buf,
                      cells > 0 ? cells : 1);
}

/* How much of a limit is open to a request. */
static uint32_t open_part(const struct fal_limits *limits, unsigned which, bool head)
{
    uint32_t limit = limits->units[which];

    if (head)
        return limit;
    if (which == FAL_RES_NET_PKT_RX)
        return limit - limits->red_pkt;
    return which == FAL_RES_NET_BUF_RX ? limit - limits->red_buf : limit;
}

bool fal_account_room(const struct fal_account *account, const struct fal_units *units,
                      bool head)
{
    for (unsigned i = 0; i < FAL_RES_COUNT; i++) {
        uint32_t open = open_part(&account->limits, i, head);

        if (account->limits.units[i] > 0 && units->of[i] > 0 &&
            (account->used[i] > open || units->of[i] > open - account->used[i]))
            return false;
    }
    return true;
}

void fal_account_take(struct fal_account *account, const struct fal_units *units)
{
    for (unsigned i = 0; i < FAL_RES_COUNT; i++)
        account->used[i] += units->of[i];
}

void fal_account_give(struct fal_account *account, const struct fal_units *units)
{
    for (unsigned i = 0; i < FAL_RES_COUNT; i++)
        account->used[i] -= units->of[i];
}

uint32_t fal_account_left(const struct fal_account *account, enum fal_resource which)
{
    uint32_t limit = account->limits.units[which], used = account->used[which];

    if (limit == 0)
        return UINT32_MAX;
    return used < limit ? limit - used : 0;
}
