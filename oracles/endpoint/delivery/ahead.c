/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/delivery/ahead.h"

#include "codecs/base/bits.h"
#include "oracles/endpoint/connection.h"

enum { CID_AT = 8, CID_BITS = 24, CID_END = 4 /* bytes, through dest_cid */, LINE = 64 };

/* All lines that a packet of the open connection needs, at once and not one after another,
 * unless they were fetched just now. */
static void fetch(struct fal_endpoint *ep, uint32_t number)
{
    struct fal_ahead *ahead = &ep->ahead;
    const char *at = (const char *)ep->conns[number - 1];

    if (ahead->fetched == number)
        return;
    ahead->fetched = number;
    for (size_t i = 0; i < offsetof(struct fal_ep_conn, rtt_ns); i += LINE)
        __builtin_prefetch(at + i, 1);
}

void fal_ahead_posted(struct fal_endpoint *ep, uint32_t number)
{
    fetch(ep, number);
}

void fal_ahead_arrived(struct fal_endpoint *ep, uint32_t number)
{
    if (!ep->ahead.announced)
        fetch(ep, number);
    ep->ahead.announced = false;
}

void fal_endpoint_expect(struct fal_endpoint *ep, const uint8_t *bytes, size_t len)
{
    struct fal_ahead *ahead = &ep->ahead;
    unsigned turn = ahead->turn++ % FAL_AHEAD_STEP;
    uint32_t number = ahead->numbers[turn];

    ahead->announced = true;
    if (fal_ep_conn_find(ep, number) != NULL)
        fetch(ep, number);
    number = fal_cidmap_find(&ep->cids, ahead->cids[turn]);
    ahead->numbers[turn] = number;
    if (number > 0) {
        __builtin_prefetch(&ep->conns[number - 1]);
        __builtin_prefetch(&ep->timers.place[number - 1], 1);
    }
    if (len < CID_END)
        return;
    ahead->cids[turn] = (uint32_t)fal_bits_get(bytes, CID_AT, CID_BITS);
    fal_cidmap_fetch(&ep->cids, ahead->cids[turn]);
}
