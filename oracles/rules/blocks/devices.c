/* SPDX-License-Identifier: Apache-2.0
 * devices.c - commands that the SUT gave to devices behind it. */
#include "oracles/rules/blocks/blocks_impl.h"

enum { EARLY_MAX = 256 };

/* Whether a command of a device is what a part asks for. */
static bool is_of(const struct fal_npart *part, const struct fal_nvme_word *word)
{
    return part->initiator == FAL_TO_SUT && part->write == (word->op == FAL_NVME_WRITE) &&
           part->head.target_nsid == (uint16_t)word->nsid && part->head.slba == word->slba &&
           part->head.nlb == word->nlb0;
}

/* Whether a device may be given the part: of a write, all data were sent, and none has INV. */
static bool is_due(const struct fal_npart *part)
{
    return !part->write || (fal_npart_has_data(part) && !part->bad_data);
}

/* Returns whether a command of a device that was told before may be that of the part, instead
 * of the one of the same blocks that it was taken for. */
static bool was_mixed(const struct fal_npart *part, const struct fal_npart *other)
{
    return other->dcmd != NULL && other->dcmd->mixed &&
           (other->ended < other->seen || other->last_end.index > part->first->at.index);
}

struct fal_npart *fal_dcmd_part(const struct fal_blocks *b, const struct fal_nvme_word *word,
                                bool *mixed)
{
    struct fal_npart *found = NULL;

    *mixed = false;
    for (size_t i = b->parts.num; i-- > 0;) {
        struct fal_npart *part = fal_nlist_at(&b->parts, i);

        if (!is_of(part, word) || part->dcmd != NULL ||
            (found != NULL && is_due(found) && !is_due(part)))
            continue;
        *mixed = found != NULL && is_due(found) == is_due(part);
        found = part;
    }
    for (size_t i = 0; found != NULL && !*mixed && i < b->parts.num; i++) {
        const struct fal_npart *part = fal_nlist_at(&b->parts, i);

        *mixed = is_of(part, word) && was_mixed(found, part);
    }
    return found;
}

static void complete(struct fal_dcmd *dcmd, const struct fal_at *at,
                     const struct fal_nvme_word *word)
{
    dcmd->complete = true;
    dcmd->completed = *at;
    dcmd->status = word->status;
}

/* The place in the list of the dev_complete that was written early, or the number of them. */
static size_t early_of(const struct fal_blocks *b, uint64_t number)
{
    size_t i = 0;

    while (i < b->early.num &&
           ((const struct fal_nasked *)fal_nlist_at(&b->early, i))->word.dcmd != number)
        i++;
    return i;
}

void fal_dcmd_told(struct fal_blocks *b, const struct fal_nsaid *said)
{
    struct fal_dcmd *dcmd = fal_nlist_add(b, &b->dcmds, sizeof *dcmd);
    size_t early = early_of(b, said->told->dcmd);

    if (dcmd == NULL)
        return;
    dcmd->word = *said->told;
    dcmd->told = fal_at_event(said->event);
    dcmd->held = b->policy.known != 0 && b->policy.hold && !b->policy.unsure;
    dcmd->part = fal_dcmd_part(b, said->told, &dcmd->mixed);
    if (dcmd->part != NULL)
        dcmd->part->dcmd = dcmd;
    if (early < b->early.num) {
        const struct fal_nasked *asked = fal_nlist_at(&b->early, early);

        complete(dcmd, &asked->at, &asked->word);
        fal_nlist_remove(&b->early, early);
    }
}

void fal_dcmd_complete(struct fal_blocks *b, const struct fal_nsaid *said)
{
    struct fal_nasked *early;
    bool told = false;

    for (size_t i = b->dcmds.num; i-- > 0;) {
        struct fal_dcmd *dcmd = fal_nlist_at(&b->dcmds, i);

        if (dcmd->word.dcmd != said->asked->dcmd)
            continue;
        told = true;
        if (dcmd->complete)
            continue;
        complete(dcmd, &said->asked_at, said->asked);
        return;
    }
    if (told)
        return;
    if (b->early.num == EARLY_MAX)
        fal_nlist_remove(&b->early, 0);
    early = fal_nlist_add(b, &b->early, sizeof *early);
    if (early != NULL)
        *early = (struct fal_nasked){said->event->u.nvme.id, said->asked_at, *said->asked};
}

void fal_dcmd_refused(struct fal_blocks *b, const struct fal_nsaid *said)
{
    size_t early = early_of(b, said->asked->dcmd);

    if (early < b->early.num)
        fal_nlist_remove(&b->early, early);
}

bool fal_blocks_reads_late(const struct fal_blocks *b)
{
    return b->early.num > 0;
}

struct fal_dcmd *fal_blocks_dcmd_at(const struct fal_blocks *b, size_t i)
{
    return i < b->dcmds.num ? fal_nlist_at(&b->dcmds, i) : NULL;
}
