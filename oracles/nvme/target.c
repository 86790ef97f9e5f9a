/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/nvme/target.h"

#include "oracles/nvme/device.h"
#include "oracles/nvme/odd.h"

#include <stdlib.h>
#include <string.h>

enum { TCMDS_MAX = 1024, BYTES_MAX = 64 * FAL_NVME_MDTS_MAX };

struct fal_nv_tcmd *fal_nv_tcmd(const struct fal_nvme_engine *engine, uint64_t number)
{
    for (size_t i = 0; i < engine->tcmds.num; i++) {
        struct fal_nv_tcmd *tcmd = engine->tcmds.items[i];

        if (tcmd->number == number)
            return tcmd;
    }
    return NULL;
}

void fal_nv_tcmd_free(struct fal_nv_tcmd *tcmd)
{
    free(tcmd->ncmds);
    free(tcmd->data);
    free(tcmd->meta);
    free(tcmd);
}

static void forget(struct fal_nvme_engine *engine, const struct fal_nv_tcmd *tcmd)
{
    for (size_t i = 0; i < engine->tcmds.num; i++)
        if (engine->tcmds.items[i] == tcmd) {
            engine->tcmd_bytes -= (uint64_t)tcmd->blocks << tcmd->block_shift;
            fal_nv_tcmd_free(engine->tcmds.items[i]);
            fal_nv_list_take(&engine->tcmds, i);
            return;
        }
}

void fal_nv_target_lost(struct fal_nvme_engine *engine, uint32_t conn)
{
    for (size_t i = engine->tcmds.num; i-- > 0;) {
        struct fal_nv_tcmd *tcmd = engine->tcmds.items[i];

        if (tcmd->conn == conn)
            forget(engine, tcmd);
    }
}

/* ---- from nCMDs to commands ---- */

uint32_t fal_nv_first_block(const struct fal_nv_tcmd *tcmd, uint32_t index)
{
    return index * (FAL_NV_UNIT >> tcmd->block_shift);
}

uint32_t fal_nv_num_blocks(const struct fal_nv_tcmd *tcmd, uint32_t index)
{
    uint32_t unit = FAL_NV_UNIT >> tcmd->block_shift;
    uint32_t left = tcmd->blocks - fal_nv_first_block(tcmd, index);

    return left < unit ? left : unit;
}

/* NCNT Offset counts over the whole command of the host: the second part begins where its own
 * nCMDs end (AMB-N06). */
uint32_t fal_nv_index_of(const struct fal_nv_tcmd *tcmd, const struct fal_nvme *header)
{
    uint32_t total = header->ncnt_total + 1U;
    uint32_t before = header->s && header->ng && total > tcmd->num ? total - tcmd->num : 0;

    if (header->ncnt_offset < before || header->ncnt_offset - before >= tcmd->num)
        return tcmd->num;
    return header->ncnt_offset - before;
}

/* The open command that a request belongs to, or NULL. */
static struct fal_nv_tcmd *find(const struct fal_nvme_engine *engine, uint32_t conn,
                                const struct fal_nvme *h)
{
    for (size_t i = 0; i < engine->tcmds.num; i++) {
        struct fal_nv_tcmd *tcmd = engine->tcmds.items[i];

        if (tcmd->conn == conn && tcmd->header.icmd_identifier == h->icmd_identifier &&
            tcmd->header.initiator_function == h->initiator_function &&
            tcmd->header.packet_type == h->packet_type && tcmd->header.ng == h->ng)
            return tcmd;
    }
    return NULL;
}

/* A command for a request that is the first of it; NULL: *status says why not. */
static struct fal_nv_tcmd *begin(struct fal_nvme_engine *engine, uint32_t conn,
                                 const struct fal_nvme *h, uint32_t *status)
{
    struct fal_nv_format format =
        fal_nv_format(engine, fal_nv_dev(engine, h->target_sqid), h->target_nsid);
    uint32_t unit = FAL_NV_UNIT >> format.block_shift;
    struct fal_nv_tcmd new = {.number = engine->next_tcmd,
                              .conn = conn,
                              .header = *h,
                              .write = h->packet_type == FAL_NVME_WRITE_REQUEST,
                              .with_meta = (h->prinfo & FAL_NV_CHECK) != 0,
                              .block_shift = format.block_shift,
                              .blocks = h->nlb + 1U,
                              .num = (h->nlb + unit) / unit};
    struct fal_nv_tcmd *tcmd;

    *status = ((uint64_t) new.blocks << format.block_shift) > FAL_NVME_MDTS_MAX ||
                      (new.with_meta &&format.metadata == 0)
                  ? FAL_NVME_INVALID_FIELD
              : h->slba + h->nlb < h->slba ? FAL_NVME_LBA_RANGE
              : engine->tcmds.num >= TCMDS_MAX || engine->tcmd_bytes > BYTES_MAX
                  ? FAL_NVME_INTERNAL
                  : FAL_NVME_OK;
    if (*status != FAL_NVME_OK)
        return NULL;
    *status = FAL_NVME_INTERNAL;
    tcmd = fal_nv_alloc(engine, 1, sizeof *tcmd);
    if (tcmd == NULL)
        return NULL;
    new.ncmds = fal_nv_alloc(engine, new.num, sizeof *new.ncmds);
    new.data = fal_nv_alloc(engine, new.blocks, (size_t)1 << new.block_shift);
    new.meta = fal_nv_alloc(engine, new.blocks, FAL_DIF_META_LEN);
    *tcmd = new;
    if (new.ncmds == NULL || new.data == NULL || new.meta == NULL ||
        !fal_nv_list_add(engine, &engine->tcmds, tcmd)) {
        fal_nv_tcmd_free(tcmd);
        return NULL;
    }
    engine->next_tcmd++;
    engine->tcmd_bytes += (uint64_t) new.blocks << new.block_shift;
    return tcmd;
}

void fal_nv_from_initiator(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                           const struct fal_endpoint_out *out, const struct fal_nvme *header)
{
    uint32_t status = FAL_NVME_OK, index;
    struct fal_nv_tcmd *tcmd = find(engine, link->conn, header);

    bool now = fal_nv_either(engine, true, fal_nv_at_ack(engine, header));

    if (now)
        fal_nv_respond(engine, link, out->rsn, FAL_ANSWER_ACK);
    if (tcmd == NULL)
        tcmd = begin(engine, link->conn, header, &status);
    if (tcmd == NULL) {
        fal_nv_refuse(engine, link, header, status);
        return;
    }
    index = fal_nv_index_of(tcmd, header);
    if (index >= tcmd->num || tcmd->ncmds[index].seen)
        return;
    tcmd->ncmds[index].seen = true;
    tcmd->ncmds[index].late = !now;
    tcmd->ncmds[index].rsn = out->rsn;
    tcmd->ncmds[index].header = *header;
    tcmd->seen++;
    if (tcmd->done) {
        fal_nv_tcmd_done(engine, tcmd, tcmd->status);
        return;
    }
    if (fal_nv_either(engine, false, fal_nv_at_arrived(engine, tcmd)))
        return;
    if (tcmd->write)
        fal_nv_pull(engine, tcmd, index);
    else if (!tcmd->submitted)
        fal_nv_submit(engine, tcmd);
}

/* ---- data of a write ---- */

/* Blocks, then their metadata (DIX). False: it is not the data of that nCMD. */
static bool take_data(struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd, uint32_t index,
                      const struct fal_endpoint_out *out)
{
    uint32_t first = fal_nv_first_block(tcmd, index), blocks = fal_nv_num_blocks(tcmd, index);
    uint32_t len = blocks << tcmd->block_shift;
    uint32_t meta = tcmd->with_meta ? blocks * FAL_DIF_META_LEN : 0;
    const uint8_t *data = out->payload + FAL_NV_DATA_HEADER;
    const struct fal_falcon packet = {.packet_type = FAL_PULL_DATA,
                                      .protocol_type = FAL_PROTOCOL_NVME};
    struct fal_ulp ulp;

    if (out->code != FAL_CMPL_ACK || out->payload_len != FAL_NV_DATA_HEADER + len + meta)
        return false;
    fal_ulp_decode(&packet, out->payload, out->payload_len, &ulp);
    if (ulp.state != FAL_ULP_READ || ulp.nvme.packet_type != FAL_NVME_WRITE_DATA_RESPONSE ||
        ulp.nvme.initiator_tag != tcmd->ncmds[index].header.initiator_tag)
        return false;
    if (ulp.nvme.inv && fal_nv_either(engine, true, fal_nv_at_inv(engine)))
        tcmd->invalid = true;
    memcpy(tcmd->data + ((size_t)first << tcmd->block_shift), data, len);
    if (meta > 0)
        memcpy(tcmd->meta + (size_t)first * FAL_DIF_META_LEN, data + len, meta);
    return true;
}

void fal_nv_pulled(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                   const struct fal_endpoint_out *out)
{
    struct fal_nv_tcmd *tcmd = fal_nv_tcmd(engine, fal_nv_tag_number(out->tag));
    uint32_t index = fal_nv_tag_index(out->tag);

    if (tcmd == NULL || tcmd->conn != link->conn || index >= tcmd->num ||
        tcmd->ncmds[index].has_data || tcmd->done)
        return;
    tcmd->ncmds[index].has_data = true;
    tcmd->filled++;
    if (!take_data(engine, tcmd, index, out)) {
        fal_nv_tcmd_done(engine, tcmd, FAL_NVME_TRANSFER_ERROR);
        return;
    }
    if (!fal_nv_either(engine, true, fal_nv_at_filled(engine, tcmd, index)))
        return;
    if (tcmd->filled < tcmd->num || tcmd->submitted)
        return;
    if (tcmd->invalid)
        fal_nv_tcmd_done(engine, tcmd, FAL_NVME_GUARD_CHECK);
    else
        fal_nv_submit(engine, tcmd);
}

/* ---- the end ---- */

void fal_nv_tcmd_done(struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd, uint32_t status)
{
    tcmd->done = true;
    tcmd->status = status;
    for (uint32_t i = 0; i < tcmd->num; i++) {
        uint32_t at = fal_nv_either(engine, i, fal_nv_at_answer_order(engine, tcmd, i));

        if (tcmd->ncmds[at].seen)
            fal_nv_answer(engine, tcmd, at);
    }
    if (tcmd->answered == tcmd->num)
        forget(engine, tcmd);
}
