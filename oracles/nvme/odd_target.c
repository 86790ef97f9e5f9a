/* SPDX-License-Identifier: Apache-2.0
 * odd_target.c - faults and variants of the target. */
#include "oracles/nvme/odd.h"

#include "oracles/payload.h"

#include <string.h>

#define ON(id) fal_nv_fault(engine, FAL_FAULT_##id)

bool fal_nv_at_arrived(struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd)
{
    if (tcmd->write && engine->dev_status != FAL_NVME_OK && !engine->hold &&
        fal_nv_twin(engine, FAL_TWIN_REJECT_WITHOUT_PULL)) {
        fal_nv_tcmd_done(engine, tcmd, engine->dev_status);
        return true;
    }
    if (tcmd->write && ON(COMPLETION_BEFORE_DATA)) {
        fal_nv_tcmd_done(engine, tcmd, FAL_NVME_OK);
        return true;
    }
    return !tcmd->write && tcmd->seen < tcmd->num &&
           fal_nv_twin(engine, FAL_TWIN_READ_AFTER_ALL_REQUESTS);
}

/* ---- Write Data Requests ---- */

static void at_tags(const struct fal_nvme_engine *engine, struct fal_nvme *header)
{
    if (ON(ITAG_NOT_COPIED))
        header->initiator_tag = (header->initiator_tag + 1) & FAL_NV_TAG_MASK;
    if (ON(ICMD_NOT_COPIED))
        header->icmd_identifier = 0;
    if (ON(FUNCTION_NOT_COPIED))
        header->initiator_function = 0;
}

void fal_nv_at_pull(const struct fal_nvme_engine *engine, struct fal_nvme *header,
                    uint32_t *asked)
{
    at_tags(engine, header);
    if (ON(WDR_LENGTH_WITHOUT_HEADER))
        *asked -= FAL_NV_DATA_HEADER;
}

void fal_nv_at_pulled(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                      const struct fal_nv_packet *packet, const uint8_t *bytes, uint32_t len)
{
    if (ON(WDR_TWICE))
        fal_nv_send(engine, link, packet, bytes, len);
}

bool fal_nv_at_inv(const struct fal_nvme_engine *engine)
{
    return !ON(NVME_INV_IGNORED);
}

/* ---- data ---- */

/* The blocks of one nCMD, as a command of their own. */
static void write_ncmd(struct fal_nvme_engine *engine, const struct fal_nv_tcmd *tcmd,
                       uint32_t index)
{
    uint32_t first = fal_nv_first_block(tcmd, index), blocks = fal_nv_num_blocks(tcmd, index);
    const uint8_t *data = tcmd->data + ((size_t)first << tcmd->block_shift);
    struct fal_nvme_word event = {.kind = FAL_NVME_DEV_CMD,
                                  .dcmd = ++engine->next_dcmd,
                                  .dev = fal_nv_dev(engine, tcmd->header.target_sqid),
                                  .op = FAL_NVME_WRITE,
                                  .nsid = tcmd->header.target_nsid,
                                  .slba = tcmd->header.slba + first,
                                  .nlb0 = blocks - 1,
                                  .sqid = tcmd->header.target_sqid,
                                  .has_hash = true};

    event.hash = fal_payload_hash(data, (size_t)blocks << tcmd->block_shift);
    fal_nv_event(engine, &event);
    for (uint32_t k = 0; k < blocks; k++) {
        struct fal_nv_block *block = fal_nv_image_put(
            &engine->image, &(struct fal_nv_place){event.dev, event.nsid, event.slba + k});

        if (block == NULL)
            return;
        memcpy(block->data, data + ((size_t)k << tcmd->block_shift),
               (size_t)1 << tcmd->block_shift);
        memcpy(block->meta, tcmd->meta + (size_t)(first + k) * FAL_DIF_META_LEN,
               FAL_DIF_META_LEN);
    }
}

/* Completions that are sent before the device has completed. */
static void answer_early(struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd, uint32_t n)
{
    tcmd->status = FAL_NVME_OK;
    for (uint32_t i = 0; i < n; i++)
        fal_nv_answer(engine, tcmd, i);
}

bool fal_nv_at_filled(struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd, uint32_t index)
{
    bool last = tcmd->filled == tcmd->num;

    if (tcmd->num > 1 && ON(DEVICE_WRITE_PER_NCMD)) {
        write_ncmd(engine, tcmd, index);
        if (last)
            fal_nv_tcmd_done(engine, tcmd, FAL_NVME_OK);
        return false;
    }
    if (!last && !tcmd->submitted && ON(DEVICE_WRITE_EARLY)) {
        fal_nv_submit(engine, tcmd);
        return false;
    }
    if (!last || tcmd->invalid)
        return true;
    if (ON(ACK_BEFORE_MEDIA))
        answer_early(engine, tcmd, tcmd->num);
    else if (fal_nv_twin(engine, FAL_TWIN_COMPLETIONS_EARLY_BUT_LAST))
        answer_early(engine, tcmd, tcmd->num - 1);
    return true;
}

/* ---- answers ---- */

uint32_t fal_nv_at_answer_order(const struct fal_nvme_engine *engine,
                                const struct fal_nv_tcmd *tcmd, uint32_t index)
{
    return fal_nv_twin(engine, FAL_TWIN_ANSWERS_REVERSED) ? tcmd->num - 1 - index : index;
}

void fal_nv_at_answer(const struct fal_nvme_engine *engine, struct fal_nvme *header)
{
    at_tags(engine, header);
    if (header->cqe_status != FAL_NVME_OK && ON(STATUS_OF_DEVICE_LOST))
        header->cqe_status = FAL_NVME_OK;
}

void fal_nv_at_answer_data(const struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd,
                           uint32_t index, uint32_t *first)
{
    uint32_t blocks = fal_nv_num_blocks(tcmd, index);

    if (!tcmd->with_meta && ON(READ_METADATA_ALWAYS))
        tcmd->with_meta = true;
    if (tcmd->num == 1 || !ON(NCMD_DATA_SWAPPED))
        return;
    *first = *first + 2 * blocks <= tcmd->blocks ? *first + blocks : 0;
}

void fal_nv_at_answer_layout(const struct fal_nvme_engine *engine,
                             const struct fal_nv_tcmd *tcmd, uint32_t blocks, uint8_t *data)
{
    if (tcmd->with_meta && blocks > 1 && ON(READ_DIX))
        fal_nv_dix_of_dif(blocks, 1U << tcmd->block_shift, data);
}

bool fal_nv_at_answers(struct fal_nvme_engine *engine, const struct fal_nv_tcmd *tcmd,
                       uint32_t index)
{
    const struct fal_nv_tncmd *ncmd = &tcmd->ncmds[index];

    if (ncmd->late)
        fal_nv_respond(engine, fal_nv_link(engine, tcmd->conn), ncmd->rsn, FAL_ANSWER_ACK);
    return tcmd->answered == tcmd->num ||
           !(tcmd->write ? ON(COMPLETION_PER_COMMAND) : ON(RESPONSE_PER_COMMAND));
}

void fal_nv_at_answered(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                        const struct fal_nv_packet *packet, const uint8_t *bytes, uint32_t len)
{
    if (ON(ANSWER_TWICE))
        fal_nv_send(engine, link, packet, bytes, len);
}
