/* SPDX-License-Identifier: Apache-2.0
 * post.c - the host submits a command. */
#include "oracles/nvme/initiator.h"
#include "oracles/nvme/odd.h"

#include <stdlib.h>

enum { OPEN_MAX = 16384, SQ_FIRST = 1 };

void fal_nv_icmd_free(struct fal_nv_icmd *icmd)
{
    free(icmd->data);
    free(icmd->meta);
    free(icmd->invalid);
    free(icmd);
}

static int check(const struct fal_nvme_engine *engine, const struct fal_nvme_word *ask,
                 const struct fal_nv_ns *ns, struct fal_error *err)
{
    uint64_t bytes;

    if (ns == NULL)
        return fal_fail(err, FAL_ERR_RANGE, "nsid: expected a namespace of nvme_ns, found %u",
                        ask->nsid);
    bytes = (uint64_t)(ask->nlb0 + 1) << ns->geometry.block_shift;
    if (bytes > ns->mdts && fal_nv_either(engine, true, fal_nv_at_mdts(engine)))
        return fal_fail(err, FAL_ERR_RANGE,
                        "nlb0: expected at most %llu bytes (MDTS), found %llu",
                        (unsigned long long)ns->mdts, (unsigned long long)bytes);
    if (ask->slba + ask->nlb0 < ask->slba)
        return fal_fail(err, FAL_ERR_RANGE, "slba: expected blocks below 2^64");
    return 0;
}

/* The next nCMD of a command, with its number. False when out of memory. */
static bool add_ncmd(struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd)
{
    struct fal_nv_ncmd *ncmd = fal_nv_alloc(engine, 1, sizeof *ncmd);

    if (ncmd == NULL)
        return false;
    *ncmd = fal_nv_ncmd_at(icmd, icmd->open);
    ncmd->number = engine->ncmds.tail;
    if (fal_vb_ring_put(&engine->ncmds, ncmd->number, ncmd) != 0) {
        engine->out_of_memory = true;
        free(ncmd);
        return false;
    }
    icmd->open++;
    return true;
}

/* Numbers its nCMDs and sends their requests. False when out of memory; its nCMDs then have the
 * command, if there are any. */
static bool send_all(struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd)
{
    uint64_t first, end;

    while (icmd->open < icmd->total) {
        if (add_ncmd(engine, icmd))
            continue;
        if (icmd->open == 0)
            fal_nv_icmd_free(icmd);
        return false;
    }
    end = engine->ncmds.tail;
    first = end - icmd->total;
    for (uint64_t n = first; n < end; n++) {
        struct fal_nv_ncmd *ncmd = fal_vb_ring_get(
            &engine->ncmds, fal_nv_either(engine, n, fal_nv_at_order(engine, first, end, n)));

        if (ncmd != NULL) /* else the connection was lost meanwhile */
            fal_nv_send_request(engine, fal_nv_link(engine, icmd->parts[ncmd->part].row.conn),
                                ncmd);
    }
    return true;
}

/* A command that ends without a packet. */
static void end_now(struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd, uint32_t status)
{
    icmd->status = status;
    fal_nv_icmd_done(engine, icmd);
    fal_nv_icmd_free(icmd);
}

static int start(struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd,
                 struct fal_error *err)
{
    uint32_t status = fal_nv_cut(engine, icmd);

    if (status != FAL_NVME_OK) {
        end_now(engine, icmd, status);
        return 0;
    }
    if (icmd->total > FAL_NV_NCMDS_MAX) {
        fal_nv_icmd_free(icmd);
        return fal_fail(err, FAL_ERR_RANGE,
                        "nlb0: expected at most %d nCMDs, found more: the split at a stripe "
                        "boundary needs one more than the length alone",
                        FAL_NV_NCMDS_MAX);
    }
    if (!(icmd->post.op == FAL_NVME_WRITE ? fal_nv_host_gives(engine, icmd)
                                          : fal_nv_host_room(engine, icmd))) {
        fal_nv_icmd_free(icmd);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    if (fal_nv_either(engine, false, fal_nv_at_given(engine, icmd))) {
        end_now(engine, icmd, FAL_NVME_GUARD_CHECK);
        return 0;
    }
    if (!send_all(engine, icmd))
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    return 0;
}

int fal_nv_post(struct fal_nvme_engine *engine, const struct fal_nvme_word *ask,
                struct fal_nvme_word *answer, struct fal_error *err)
{
    const struct fal_nv_ns *ns = fal_nv_ns(engine, ask->nsid);
    int rc = check(engine, ask, ns, err);
    struct fal_nv_icmd *icmd;

    if (rc != 0)
        return rc;
    if (engine->ncmds.tail - engine->ncmds.head >= OPEN_MAX) {
        (void)fal_fail(err, FAL_ERR_RANGE, "expected at most %d nCMDs at once", OPEN_MAX);
        return FAL_NVME_BUSY;
    }
    icmd = fal_nv_alloc(engine, 1, sizeof *icmd);
    if (icmd == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    icmd->post = *ask;
    icmd->ns = *ns;
    fal_nv_seam(engine, fal_nv_at_post(engine, &icmd->ns));
    icmd->id = engine->next_icmd++ & FAL_NV_TAG_MASK;
    answer->sq = ask->has_sq ? ask->sq : SQ_FIRST;
    answer->cid = engine->next_cid++ & UINT16_MAX;
    return start(engine, icmd, err);
}
