/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/nacks.h"

#include "codecs/header/falcon.h"

void fal_nacks_note(struct fal_nacks *nacks, const struct fal_nack *nack)
{
    struct fal_nack new = *nack, *slot;

    new.was_fresh = new.discarded == 0;
    new.was_apart = (new.discarded >> (new.window & 1) & 1) == 0;
    new.count = 1;
    new.least_ns = FAL_NEVER;
    for (unsigned i = 0; i < nacks->bag.num; i++) {
        const struct fal_nack *old = FAL_BAG(&nacks->bag, struct fal_nack, i);

        if (old->x != new.x || old->window != new.window || old->code != new.code)
            continue;
        new.was_fresh = new.was_fresh || old->was_fresh;
        new.least_ns = old->least_ns < old->rnr_ns ? old->least_ns : old->rnr_ns;
        new.was_apart = new.was_apart || old->was_apart;
        new.unsettled = new.unsettled || old->unsettled;
        new.count = (uint16_t)(old->count < UINT16_MAX ? old->count + 1 : old->count);
        fal_bag_remove(&nacks->bag, sizeof *old, i);
        break;
    }
    if (nacks->bag.num == FAL_NACKS_MAX) {
        fal_bag_remove(&nacks->bag, sizeof new, 0);
        nacks->lost = true;
    }
    slot = fal_bag_add(&nacks->bag, sizeof new, FAL_NACKS_MAX);
    if (slot != NULL)
        *slot = new;
    else
        nacks->lost = true;
}

void fal_nacks_overtaken(struct fal_nacks *nacks, uint64_t t_ns, uint64_t within_ns,
                         const int64_t base[2])
{
    for (unsigned i = within_ns > 0 ? nacks->bag.num : 0; i-- > 0;) {
        struct fal_nack *n = FAL_BAG(&nacks->bag, struct fal_nack, i);

        if (t_ns - n->at.t_ns > within_ns)
            return; /* the others are older */
        if (n->base[0] < base[0] || n->base[1] < base[1])
            n->stale = true;
    }
}

const struct fal_nack *fal_nacks_find(const struct fal_nacks *nacks, unsigned window, int64_t x,
                                      unsigned code)
{
    for (unsigned i = nacks->bag.num; i-- > 0;) {
        const struct fal_nack *n = FAL_BAG(&nacks->bag, struct fal_nack, i);

        if (n->x == x && n->window == window && (code == 0 || n->code == code))
            return n;
    }
    return NULL;
}

void fal_nacks_free(struct fal_nacks *nacks)
{
    fal_bag_free(&nacks->bag);
    *nacks = (struct fal_nacks){0};
}

bool fal_nacks_copy(struct fal_nacks *to, const struct fal_nacks *from)
{
    to->lost = from->lost;
    return fal_bag_copy(&to->bag, &from->bag, sizeof(struct fal_nack));
}

unsigned fal_nack_of_resync(unsigned resync_code)
{
    switch (resync_code) {
    case FAL_RESYNC_CIE: return FAL_NACK_CIE;
    case FAL_RESYNC_REMOTE_XLR: return FAL_NACK_XLR;
    case FAL_RESYNC_NRE: return FAL_NACK_NRE;
    case FAL_RESYNC_CID: return FAL_NACK_CID;
    default: return 0;
    }
}
