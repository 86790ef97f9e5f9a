/* SPDX-License-Identifier: Apache-2.0
 * tables.c - the NSID table and the LBA translation table (NVME 6.6.2). */
#include "oracles/nvme/initiator.h"
#include "oracles/nvme/odd.h"
#include "oracles/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 1 << 20, SPACES_MAX = 4096, RNG_KEYS = 41 };

struct fal_nv_ns *fal_nv_ns(const struct fal_nvme_engine *engine, uint32_t nsid)
{
    for (size_t i = 0; i < engine->spaces.num; i++) {
        struct fal_nv_ns *ns = engine->spaces.items[i];

        if (ns->nsid == nsid)
            return ns;
    }
    return NULL;
}

/* The key of a namespace, and its digits for the reply. */
static void make_key(const struct fal_nvme_engine *engine, struct fal_nv_ns *ns,
                     struct fal_nvme_word *answer)
{
    struct fal_rng rng = fal_rng_split(engine->config.seed ^ ns->nsid, RNG_KEYS);

    for (size_t i = 0; i < FAL_NV_KEY_LEN; i++) {
        ns->key[i] = (uint8_t)fal_rng_next(&rng);
        snprintf(answer->key + 2 * i, sizeof answer->key - 2 * i, "%02x", ns->key[i]);
    }
}

/* A command is split into at most two parts (NVME 6.6.3), and NCNT counts 256 nCMDs. */
static uint64_t mdts_of(const struct fal_nv_ns *ns)
{
    uint64_t stripe = UINT64_C(1)
                      << (fal_nv_stripe_shift(&ns->geometry) + ns->geometry.block_shift);

    return stripe < FAL_NVME_MDTS_MAX ? stripe : FAL_NVME_MDTS_MAX;
}

int fal_nv_set_ns(struct fal_nvme_engine *engine, const struct fal_nvme_word *ask,
                  struct fal_nvme_word *answer, struct fal_error *err)
{
    struct fal_nv_ns new = {.nsid = ask->nsid,
                            .geometry = {.start = ask->start,
                                         .C = ask->C,
                                         .S = ask->S,
                                         .N = ask->N,
                                         .block_shift = ask->block_shift},
                            .pi = ask->pi,
                            .encrypt = ask->encrypt};
    const char *wrong = fal_nv_geometry_wrong(&new.geometry);
    struct fal_nv_ns *ns = fal_nv_ns(engine, ask->nsid);

    if (ask->nsid == 0 || ask->nsid == UINT32_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "nsid: expected 1 to 0xfffffffe, found %u",
                        ask->nsid);
    if (wrong != NULL)
        return fal_fail(err, FAL_ERR_RANGE,
                        "%s: expected 512 or 4096-byte blocks, fewer than 2^64 blocks in a "
                        "striping group, and stripes that are not longer than a chunk",
                        wrong);
    if (new.encrypt)
        make_key(engine, &new, answer);
    new.mdts = mdts_of(&new);
    if (ns == NULL) {
        if (engine->spaces.num >= SPACES_MAX)
            return fal_fail(err, FAL_ERR_RANGE, "nsid: expected at most %d namespaces",
                            SPACES_MAX);
        ns = fal_nv_alloc(engine, 1, sizeof *ns);
        if (ns == NULL || !fal_nv_list_add(engine, &engine->spaces, ns)) {
            free(ns);
            return fal_fail(err, FAL_ERR_MEM, "out of memory");
        }
    }
    *ns = new;
    answer->function = engine->function;
    answer->mdts = new.mdts;
    return 0;
}

const struct fal_nv_row *fal_nv_row(const struct fal_nvme_engine *engine, uint64_t index)
{
    return index < engine->num_rows ? &engine->rows[index] : NULL;
}

static bool grow_rows(struct fal_nvme_engine *engine, uint32_t num)
{
    struct fal_nv_row *rows;

    if (num <= engine->num_rows)
        return true;
    rows = realloc(engine->rows, num * sizeof *rows);
    if (rows == NULL)
        return false;
    memset(rows + engine->num_rows, 0, (num - engine->num_rows) * sizeof *rows);
    engine->rows = rows;
    engine->num_rows = num;
    return true;
}

int fal_nv_set_row(struct fal_nvme_engine *engine, uint32_t conn,
                   const struct fal_nvme_word *ask, struct fal_error *err)
{
    if (ask->index >= ROWS_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "index: expected less than %d, found %u", ROWS_MAX,
                        ask->index);
    if (ask->valid && fal_nv_link(engine, conn) == NULL)
        return fal_fail(err, FAL_ERR_RANGE,
                        "conn: expected a connection whose upper layer is NVMe");
    if (!grow_rows(engine, ask->index + 1))
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (!ask->valid) {
        engine->rows[ask->index].valid = false;
        return 0;
    }
    engine->rows[ask->index] = (struct fal_nv_row){.valid = ask->valid,
                                                   .sqid = (uint8_t)ask->sqid,
                                                   .conn = conn,
                                                   .target_nsid = ask->target_nsid,
                                                   .chunk = ask->chunk};
    return 0;
}
