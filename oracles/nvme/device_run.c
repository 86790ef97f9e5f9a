/* SPDX-License-Identifier: Apache-2.0
 * device_run.c - commands at the devices: they are accepted at once, and done when they
 * complete. Those that overlap are done in the order in which they complete. */
#include "oracles/nvme/device.h"
#include "oracles/nvme/odd.h"
#include "oracles/nvme/protect.h"
#include "oracles/nvme/target.h"
#include "oracles/payload.h"

#include <stdlib.h>
#include <string.h>

static struct fal_nv_place place_of(const struct fal_nvme_engine *engine,
                                    const struct fal_nv_tcmd *tcmd, uint32_t block)
{
    return (struct fal_nv_place){fal_nv_dev(engine, tcmd->header.target_sqid),
                                 tcmd->header.target_nsid, tcmd->header.slba + block};
}

/* ---- protection ---- */

/* The tags of a request are those of the part of the command, or of the nCMD (AMB-N22). How
 * many blocks of the part come before the block whose tags they are. */
static uint32_t tags_of(const struct fal_nv_tcmd *tcmd)
{
    const struct fal_nvme *h = &tcmd->header;
    uint32_t index = fal_nv_index_of(tcmd, h);
    uint32_t first = index < tcmd->num ? fal_nv_first_block(tcmd, index) : 0;

    return (tcmd->write ? h->ilbrt : h->eilbrt) == (uint32_t)(h->slba + first) ? first : 0;
}

/* Checks the outer protection information of a block of the command (NVME 6.7). Its application
 * tag is that of the command or of the block, and is checked when it is written (AMB-N19). */
static uint32_t check_block(const struct fal_nvme_engine *engine,
                            const struct fal_nv_tcmd *tcmd, uint32_t k, const uint8_t *data,
                            const uint8_t *meta)
{
    const struct fal_nvme *h = &tcmd->header;
    struct fal_dif outer = fal_dif_read(meta + FAL_DIF_LEN);
    uint32_t before = tags_of(tcmd);
    struct fal_nv_expect expect = {
        .checks = h->prinfo & (FAL_NV_CHECK_GUARD | FAL_NV_CHECK_REF),
        .guard = fal_nv_outer(data, 1U << tcmd->block_shift, meta, 0, 0).guard,
        .app = h->lbat,
        .app_mask = h->lbatm,
        .ref = (tcmd->write ? h->ilbrt : h->eilbrt) + k - before,
        .escapes = true};

    if (!fal_nv_either(engine, true, fal_nv_at_device_check(engine)))
        return FAL_NVME_OK;
    if (tcmd->write && k == before)
        expect.checks |= h->prinfo & FAL_NV_CHECK_APP;
    return fal_nv_check(&outer, &expect);
}

/* ---- reading and writing ---- */

static uint8_t *data_at(const struct fal_nv_tcmd *tcmd, uint32_t block)
{
    return tcmd->data + ((size_t)block << tcmd->block_shift);
}

static uint8_t *meta_at(const struct fal_nv_tcmd *tcmd, uint32_t block)
{
    return tcmd->meta + (size_t)block * FAL_DIF_META_LEN;
}

static uint32_t read_blocks(struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd)
{
    for (uint32_t k = 0; k < tcmd->blocks; k++) {
        struct fal_nv_place place = place_of(engine, tcmd, k);
        uint32_t status = FAL_NVME_OK;

        fal_nv_seam(engine, fal_nv_at_read_place(engine, &place));
        fal_nv_image_read(&engine->image, &place, 1U << tcmd->block_shift, data_at(tcmd, k),
                          meta_at(tcmd, k));
        if (tcmd->with_meta)
            status = check_block(engine, tcmd, k, data_at(tcmd, k), meta_at(tcmd, k));
        if (status != FAL_NVME_OK)
            return status;
    }
    return FAL_NVME_OK;
}

static uint32_t write_block(struct fal_nvme_engine *engine, const struct fal_nv_tcmd *tcmd,
                            uint32_t k)
{
    struct fal_nv_place place = place_of(engine, tcmd, k);
    struct fal_nv_block *block;

    if (!fal_nv_either(engine, true, fal_nv_at_write_place(engine, tcmd, k, &place)))
        return FAL_NVME_OK;
    block = fal_nv_image_put(&engine->image, &place);
    if (block == NULL)
        return FAL_NVME_CAPACITY;
    memcpy(block->data, data_at(tcmd, k), (size_t)1 << tcmd->block_shift);
    if (tcmd->with_meta)
        memcpy(block->meta, meta_at(tcmd, k), FAL_DIF_META_LEN);
    else
        memset(block->meta, 0xff, FAL_DIF_META_LEN); /* nobody checks it */
    return FAL_NVME_OK;
}

/* Nothing is written unless all blocks pass. */
static uint32_t write_blocks(struct fal_nvme_engine *engine, const struct fal_nv_tcmd *tcmd)
{
    uint32_t status = FAL_NVME_OK;

    for (uint32_t k = 0; status == FAL_NVME_OK && tcmd->with_meta && k < tcmd->blocks; k++)
        status = check_block(engine, tcmd, k, data_at(tcmd, k), meta_at(tcmd, k));
    for (uint32_t k = 0; status == FAL_NVME_OK && k < tcmd->blocks; k++)
        status = write_block(engine, tcmd, k);
    return status;
}

/* ---- commands ---- */

void fal_nv_dev_end(struct fal_nvme_engine *engine, size_t at, uint32_t status)
{
    struct fal_nv_dcmd *dcmd = engine->dcmds.items[at];
    struct fal_nv_tcmd *tcmd = fal_nv_tcmd(engine, dcmd->tcmd);

    fal_nv_list_take(&engine->dcmds, at);
    free(dcmd);
    if (tcmd == NULL) /* its connection is closed */
        return;
    fal_nv_seam(engine, fal_nv_at_media(engine, tcmd, status));
    if (status == FAL_NVME_OK)
        status = tcmd->write ? write_blocks(engine, tcmd) : read_blocks(engine, tcmd);
    fal_nv_tcmd_done(engine, tcmd, status);
}

static void report(struct fal_nvme_engine *engine, const struct fal_nv_tcmd *tcmd,
                   uint64_t number)
{
    struct fal_nvme_word event = {.kind = FAL_NVME_DEV_CMD,
                                  .dcmd = number,
                                  .dev = fal_nv_dev(engine, tcmd->header.target_sqid),
                                  .op = tcmd->write ? FAL_NVME_WRITE : FAL_NVME_READ,
                                  .nsid = tcmd->header.target_nsid,
                                  .slba = tcmd->header.slba,
                                  .nlb0 = tcmd->blocks - 1,
                                  .sqid = tcmd->header.target_sqid};

    if (tcmd->write) {
        event.has_hash = true;
        event.hash = fal_payload_hash(tcmd->data, (size_t)tcmd->blocks << tcmd->block_shift);
    }
    fal_nv_event(engine, &event);
}

void fal_nv_submit(struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd)
{
    struct fal_nv_dcmd *dcmd = fal_nv_alloc(engine, 1, sizeof *dcmd);

    if (dcmd == NULL || !fal_nv_list_add(engine, &engine->dcmds, dcmd)) {
        free(dcmd);
        fal_nv_tcmd_done(engine, tcmd, FAL_NVME_INTERNAL);
        return;
    }
    tcmd->submitted = true;
    dcmd->number = ++engine->next_dcmd;
    dcmd->tcmd = tcmd->number;
    dcmd->held = engine->hold;
    dcmd->due_ns = engine->hold ? FAL_NEVER : engine->now_ns + engine->after_ns;
    dcmd->status = engine->dev_status;
    report(engine, tcmd, dcmd->number);
    if (!dcmd->held && engine->after_ns == 0)
        fal_nv_dev_end(engine, engine->dcmds.num - 1, dcmd->status);
}

void fal_nv_dev_tick(struct fal_nvme_engine *engine)
{
    for (size_t i = 0; i < engine->dcmds.num;) {
        const struct fal_nv_dcmd *dcmd = engine->dcmds.items[i];

        if (dcmd->due_ns <= engine->now_ns)
            fal_nv_dev_end(engine, i, dcmd->status);
        else
            i++;
    }
}

uint64_t fal_nv_dev_deadline(const struct fal_nvme_engine *engine)
{
    uint64_t first_ns = FAL_NEVER;

    for (size_t i = 0; i < engine->dcmds.num; i++) {
        const struct fal_nv_dcmd *dcmd = engine->dcmds.items[i];

        if (dcmd->due_ns < first_ns)
            first_ns = dcmd->due_ns;
    }
    return first_ns;
}
