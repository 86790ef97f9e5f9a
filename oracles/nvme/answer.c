/* SPDX-License-Identifier: Apache-2.0
 * answer.c - packets of the target: Write Data Requests, Read Responses and Write Completions.
 */
#include "oracles/nvme/odd.h"
#include "oracles/nvme/target.h"

#include <string.h>

/* The tags of a request are copied into each packet about it (AMB-N05). */
static struct fal_nvme header_of(const struct fal_nvme *request, uint8_t packet_type,
                                 uint64_t number)
{
    return (struct fal_nvme){.version = 1,
                             .packet_type = packet_type,
                             .initiator_function = request->initiator_function,
                             .s = request->s,
                             .ng = request->ng,
                             .target_tag = (uint32_t)number & FAL_NV_TAG_MASK,
                             .ncnt_total = request->ncnt_total,
                             .initiator_tag = request->initiator_tag,
                             .ncnt_offset = request->ncnt_offset,
                             .icmd_identifier = request->icmd_identifier};
}

void fal_nv_pull(struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd, uint32_t index)
{
    uint32_t blocks = fal_nv_num_blocks(tcmd, index);
    struct fal_nv_packet packet = {.what = FAL_NV_PULL,
                                   .op = FAL_OP_PULL,
                                   .number = tcmd->number,
                                   .index = index,
                                   .asked = FAL_NV_DATA_HEADER + (blocks << tcmd->block_shift)};
    struct fal_nvme header =
        header_of(&tcmd->ncmds[index].header, FAL_NVME_WRITE_DATA_REQUEST, tcmd->number);
    struct fal_nv_link *link = fal_nv_link(engine, tcmd->conn);
    uint8_t bytes[FAL_NV_PACKET_MAX];
    uint32_t len;

    if (tcmd->with_meta)
        packet.asked += blocks * FAL_DIF_META_LEN;
    fal_nv_seam(engine, fal_nv_at_pull(engine, &header, &packet.asked));
    len = fal_nv_headers(&header, bytes, sizeof bytes);
    fal_nv_seam(engine, fal_nv_at_packet(engine, &packet, bytes, &len));
    fal_nv_send(engine, link, &packet, bytes, len);
    fal_nv_seam(engine, fal_nv_at_pulled(engine, link, &packet, bytes, len));
}

/* Block, metadata, block, ...: DIF (NVME 8.4). */
static uint32_t interleave(const struct fal_nv_tcmd *tcmd, uint32_t first, uint32_t blocks,
                           uint8_t *out)
{
    uint32_t block_len = 1U << tcmd->block_shift, len = 0;

    for (uint32_t k = first; k < first + blocks; k++) {
        memcpy(out + len, tcmd->data + (size_t)k * block_len, block_len);
        len += block_len;
        if (!tcmd->with_meta)
            continue;
        memcpy(out + len, tcmd->meta + (size_t)k * FAL_DIF_META_LEN, FAL_DIF_META_LEN);
        len += FAL_DIF_META_LEN;
    }
    return len;
}

static void send_answer(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                        const struct fal_nvme *header, uint8_t *bytes, uint32_t data_len)
{
    struct fal_nv_packet packet = {.what = FAL_NV_ANSWER, .op = FAL_OP_PUSH};
    uint32_t len = fal_nv_headers(header, bytes, FAL_NV_PACKET_MAX) + data_len;

    fal_nv_seam(engine, fal_nv_at_packet(engine, &packet, bytes, &len));
    fal_nv_send(engine, link, &packet, bytes, len);
    fal_nv_seam(engine, fal_nv_at_answered(engine, link, &packet, bytes, len));
}

void fal_nv_answer(struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd, uint32_t index)
{
    struct fal_nv_tncmd *ncmd = &tcmd->ncmds[index];
    struct fal_nvme header = header_of(
        &ncmd->header, tcmd->write ? FAL_NVME_WRITE_COMPLETION : FAL_NVME_READ_RESPONSE,
        tcmd->number);
    struct fal_nv_link *link = fal_nv_link(engine, tcmd->conn);
    uint32_t first = fal_nv_first_block(tcmd, index), len = 0;
    uint8_t bytes[FAL_NV_PACKET_MAX];

    if (ncmd->answered)
        return;
    ncmd->answered = true;
    tcmd->answered++;
    header.cqe_status = (uint16_t)tcmd->status;
    fal_nv_seam(engine, fal_nv_at_answer(engine, &header));
    if (!tcmd->write && tcmd->status == FAL_NVME_OK) {
        fal_nv_seam(engine, fal_nv_at_answer_data(engine, tcmd, index, &first));
        len =
            interleave(tcmd, first, fal_nv_num_blocks(tcmd, index), bytes + FAL_NV_DATA_HEADER);
        fal_nv_seam(engine,
                    fal_nv_at_answer_layout(engine, tcmd, fal_nv_num_blocks(tcmd, index),
                                            bytes + FAL_NV_DATA_HEADER));
    }
    if (link != NULL && fal_nv_either(engine, true, fal_nv_at_answers(engine, tcmd, index)))
        send_answer(engine, link, &header, bytes, len);
}

void fal_nv_refuse(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                   const struct fal_nvme *request, uint32_t status)
{
    struct fal_nvme header =
        header_of(request,
                  request->packet_type == FAL_NVME_WRITE_REQUEST ? FAL_NVME_WRITE_COMPLETION
                                                                 : FAL_NVME_READ_RESPONSE,
                  0);
    uint8_t bytes[FAL_NV_PACKET_MAX];

    header.cqe_status = (uint16_t)status;
    send_answer(engine, link, &header, bytes, 0);
}
