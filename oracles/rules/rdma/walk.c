/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/walk.h"

enum { WALK_MAX = 512 };

bool fal_rdma_own(const struct fal_ctx *c, const struct fal_ev_packet *packet)
{
    if (packet->origin == FAL_ORIGIN_FOREIGN)
        return true;
    if (packet->dir != FAL_FROM_SUT)
        return false;
    return (c->track != NULL && c->track->verbs) ||
           (!c->bench->control && !c->config->payload_given);
}

const struct fal_rdma_fact *fal_rdma_first(const struct fal_ctx *c, const struct fal_seen *q)
{
    unsigned type = q->falcon->packet_type;

    if (!fal_rdma_has(q) || q->prior != NULL ||
        (type != FAL_PUSH_DATA && type != FAL_PULL_REQUEST) || !fal_rdma_own(c, q->packet) ||
        fal_rdma_request(c->track, fal_out(c), q->rsn) != NULL)
        return NULL;
    return &q->rdma;
}

enum fal_walked fal_rdma_find(const struct fal_ctx *c, int64_t rsn, bool up,
                              fal_rdma_wanted *wanted, const struct fal_rdma_fact *of,
                              const struct fal_rdma_fact **found)
{
    const struct fal_track *track = c->track;

    *found = NULL;
    for (int i = 0; i < WALK_MAX; i++) {
        const struct fal_rdma_fact *fact;

        rsn += up ? 1 : -1;
        if (track->setup.initial_known && rsn < track->rsn_first[fal_out(c)])
            return FAL_WALKED_START;
        fact = fal_rdma_request(track, fal_out(c), rsn);
        if (fact == NULL || (fact->flags & (FAL_RDMA_PARTIAL | FAL_RDMA_OTHER)) != 0)
            return FAL_WALKED_HOLE;
        if (wanted(fact, of)) {
            *found = fact;
            return FAL_WALKED_FOUND;
        }
    }
    return FAL_WALKED_HOLE;
}

const struct fal_rdma_fact *fal_rdma_nearest(const struct fal_ctx *c, int64_t rsn, bool up,
                                             fal_rdma_wanted *wanted,
                                             const struct fal_rdma_fact *of)
{
    const struct fal_ring *ring;

    if (c->track->rdma == NULL)
        return NULL;
    ring = &c->track->rdma->requests[fal_out(c)];
    if (up && rsn < ring->lo) /* Outside the stretch there are none. */
        rsn = ring->lo - 1;
    if (!up && rsn > ring->hi)
        rsn = ring->hi;
    for (int64_t x = up ? rsn + 1 : rsn - 1; up ? x < ring->hi : x >= ring->lo;
         x += up ? 1 : -1) {
        const struct fal_rdma_fact *fact = fal_rdma_request(c->track, fal_out(c), x);

        if (fact != NULL && (fact->flags & FAL_RDMA_OTHER) == 0 && wanted(fact, of))
            return fact;
    }
    return NULL;
}

uint32_t fal_rdma_count(const struct fal_ctx *c, const struct fal_rdma_fact *low,
                        const struct fal_rdma_fact *high, fal_rdma_wanted *wanted)
{
    uint32_t n = 0;

    for (int64_t x = low->rsn + 1; x < high->rsn; x++) {
        const struct fal_rdma_fact *fact = fal_rdma_request(c->track, fal_out(c), x);

        n += fact != NULL && wanted(fact, high);
    }
    return n;
}
