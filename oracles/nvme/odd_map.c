/* SPDX-License-Identifier: Apache-2.0
 * odd_map.c - faults and variants of translation and splitting. */
#include "oracles/nvme/odd.h"

bool fal_nv_at_mdts(const struct fal_nvme_engine *engine)
{
    return !fal_nv_fault(engine, FAL_FAULT_MDTS_IGNORED);
}

void fal_nv_at_post(const struct fal_nvme_engine *engine, struct fal_nv_ns *ns)
{
    if (ns->pi != FAL_NVME_PI_OFF && fal_nv_fault(engine, FAL_FAULT_PI_IGNORED))
        ns->pi = FAL_NVME_PI_OFF;
    if (ns->encrypt && fal_nv_fault(engine, FAL_FAULT_ENCRYPTION_OFF))
        ns->encrypt = false;
}

void fal_nv_at_split(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                     bool *split, uint64_t *boundary)
{
    const struct fal_nv_geometry *g = &icmd->ns.geometry;
    uint64_t first = icmd->post.slba, last = first + icmd->post.nlb0;

    if (*split && fal_nv_stripe(g, first) == fal_nv_stripe(g, last) &&
        fal_nv_fault(engine, FAL_FAULT_SPLIT_CHUNK_MISSED))
        *split = false;
    if (*split && fal_nv_fault(engine, FAL_FAULT_SPLIT_MISSED))
        *split = false;
    if (*split && g->N == 0 && fal_nv_group(g, first) == fal_nv_group(g, last) &&
        fal_nv_twin(engine, FAL_TWIN_NO_SPLIT_WITHOUT_STRIPING))
        *split = false;
    if (!*split && last > first && fal_nv_fault(engine, FAL_FAULT_SPLIT_IN_THE_MIDDLE)) {
        *split = true;
        *boundary = first + (icmd->post.nlb0 + 1) / 2;
    } else if (*split && *boundary - 1 > first &&
               fal_nv_fault(engine, FAL_FAULT_SPLIT_AT_BOUNDARY_MINUS_1))
        --*boundary;
}

static uint64_t low_bits(uint64_t value, uint32_t n)
{
    return value & ((UINT64_C(1) << n) - 1);
}

/* A geometry whose stripes are twice as long; the same where a chunk has one stripe. */
static struct fal_nv_geometry wider(const struct fal_nv_geometry *g)
{
    struct fal_nv_geometry other = *g;

    other.S++;
    return fal_nv_geometry_wrong(&other) == NULL ? other : *g;
}

void fal_nv_at_index(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                     const struct fal_nv_part *part, uint64_t *index)
{
    const struct fal_nv_geometry *g = &icmd->ns.geometry;
    struct fal_nv_geometry wide = wider(g);
    uint64_t in_group = low_bits(fal_nv_stripe(g, part->lba), g->N);

    if (g->start > 0 && fal_nv_fault(engine, FAL_FAULT_ROW_INDEX_WITHOUT_START))
        *index -= g->start;
    if (g->N > 0 && fal_nv_group(g, part->lba) > 0 &&
        fal_nv_fault(engine, FAL_FAULT_CHUNK_OF_GROUP))
        *index = g->start + (fal_nv_group(g, part->lba) | in_group);
    if (g->N > 0 && fal_nv_fault(engine, FAL_FAULT_CHUNK_START_WITHOUT_N))
        *index = g->start + (part->lba >> (fal_nv_group_shift(g) - g->N) << g->N | in_group);
    if (wide.S != g->S && g->N > 0 && fal_nv_fault(engine, FAL_FAULT_STRIPE_START_ONE_MORE))
        *index = fal_nv_row_index(&wide, part->lba);
}

bool fal_nv_at_invalid(const struct fal_nvme_engine *engine)
{
    return !fal_nv_fault(engine, FAL_FAULT_VALID_BIT_IGNORED);
}

void fal_nv_at_row(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                   struct fal_nv_part *part)
{
    struct fal_nv_odd *odd = engine->odd;
    const struct fal_nv_row *first = fal_nv_row(engine, icmd->ns.geometry.start);

    if (!odd->has_row) {
        odd->has_row = true;
        odd->row_nsid = icmd->ns.nsid;
        odd->row = part->row;
    }
    if (odd->row_nsid == icmd->ns.nsid && fal_nv_fault(engine, FAL_FAULT_TRANSLATION_CACHED))
        part->row = odd->row;
    if (first != NULL && first->valid && first->conn != part->row.conn &&
        fal_nv_fault(engine, FAL_FAULT_CONNECTION_OF_FIRST_ROW))
        part->row.conn = first->conn;
    if (part->row.chunk != 0 && fal_nv_fault(engine, FAL_FAULT_TARGET_CHUNK_IGNORED))
        part->row.chunk = 0;
}

void fal_nv_at_target_lba(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                          struct fal_nv_part *part)
{
    const struct fal_nv_geometry *g = &icmd->ns.geometry;
    uint32_t stripe_shift = fal_nv_stripe_shift(g);
    struct fal_nv_geometry wide = wider(g);

    if (g->N > 0 && fal_nv_fault(engine, FAL_FAULT_STRIPE_NOT_SHIFTED))
        part->tlba = part->row.chunk << (fal_nv_group_shift(g) - g->N) |
                     fal_nv_stripe(g, part->lba) << stripe_shift |
                     low_bits(part->lba, stripe_shift);
    if (wide.S != g->S && g->N > 0 && fal_nv_fault(engine, FAL_FAULT_STRIPE_START_ONE_MORE))
        part->tlba = fal_nv_target_lba(&wide, part->lba, part->row.chunk);
    if (fal_nv_fault(engine, FAL_FAULT_TRANSLATION_SKIPPED))
        part->tlba = part->lba;
    if (part->tlba > UINT32_MAX && fal_nv_fault(engine, FAL_FAULT_TARGET_LBA_32_BITS))
        part->tlba = (uint32_t)part->tlba;
}
