/* SPDX-License-Identifier: Apache-2.0
 * initiator.c - requests of the initiator, and what the target answers. */
#include "oracles/nvme/initiator.h"

#include "oracles/nvme/odd.h"
#include "oracles/payload.h"

#include <stdlib.h>

/* ---- requests ---- */

void fal_nv_send_request(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                         struct fal_nv_ncmd *ncmd)
{
    struct fal_nv_packet packet = {
        .what = FAL_NV_REQUEST, .op = FAL_OP_PUSH, .number = ncmd->number};
    struct fal_nvme header = fal_nv_request(engine, ncmd);
    uint8_t bytes[FAL_NV_PACKET_MAX];
    uint32_t len;

    if (link == NULL || link->dead) {
        fal_nv_ncmd_done(engine, ncmd, FAL_NVME_PATH);
        return;
    }
    if (!fal_nv_either(engine, true, fal_nv_at_request(engine, ncmd, &header)))
        return;
    len = fal_nv_headers(&header, bytes, sizeof bytes);
    fal_nv_seam(engine, fal_nv_at_packet(engine, &packet, bytes, &len));
    fal_nv_send(engine, link, &packet, bytes, len);
    fal_nv_seam(engine, fal_nv_at_requested(engine, link, &packet, bytes, len));
}

/* ---- completions ---- */

void fal_nv_icmd_done(struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd)
{
    struct fal_nvme_word cqe = {
        .kind = FAL_NVME_CQE, .cmd = icmd->post.cmd, .status = icmd->status};

    icmd->done = true;
    if (icmd->post.op == FAL_NVME_READ && icmd->data != NULL && icmd->status == FAL_NVME_OK) {
        cqe.has_hash = true;
        cqe.hash = fal_payload_hash(icmd->data, fal_nv_bytes(icmd));
    }
    if (fal_nv_either(engine, true, fal_nv_at_cqe(engine, icmd, &cqe)))
        fal_nv_event(engine, &cqe);
}

void fal_nv_ncmd_done(struct fal_nvme_engine *engine, struct fal_nv_ncmd *ncmd, uint32_t status)
{
    struct fal_nv_icmd *icmd = ncmd->icmd;

    fal_nv_seam(engine, fal_nv_at_status(engine, icmd, &status));
    if (icmd->status == FAL_NVME_OK)
        icmd->status = status;
    (void)fal_vb_ring_clear(&engine->ncmds, ncmd->number);
    fal_vb_ring_trim(&engine->ncmds, engine->ncmds.tail);
    free(ncmd);
    icmd->open--;
    if (!icmd->done &&
        fal_nv_either(engine, icmd->open == 0, fal_nv_at_last(engine, icmd->open == 0)))
        fal_nv_icmd_done(engine, icmd);
    if (icmd->open == 0)
        fal_nv_icmd_free(icmd);
}

void fal_nv_request_failed(struct fal_nvme_engine *engine, uint64_t number)
{
    struct fal_nv_ncmd *ncmd = fal_vb_ring_get(&engine->ncmds, number);

    if (ncmd != NULL)
        fal_nv_ncmd_done(engine, ncmd, FAL_NVME_PATH);
}

void fal_nv_initiator_lost(struct fal_nvme_engine *engine, uint32_t conn)
{
    for (uint64_t n = engine->ncmds.head, end = engine->ncmds.tail; n < end; n++) {
        struct fal_nv_ncmd *ncmd = fal_vb_ring_get(&engine->ncmds, n);

        if (ncmd != NULL && ncmd->icmd->parts[ncmd->part].row.conn == conn)
            fal_nv_ncmd_done(engine, ncmd, FAL_NVME_PATH);
    }
}

/* ---- packets of the target ---- */

/* The open nCMD that an answer is for: tags and connection are those of its request
 * (NVME 8.2). NULL: none. */
static struct fal_nv_ncmd *answered(struct fal_nvme_engine *engine,
                                    const struct fal_nv_link *link,
                                    const struct fal_nvme *header)
{
    uint64_t ahead = (header->initiator_tag - (uint32_t)engine->ncmds.head) & FAL_NV_TAG_MASK;
    struct fal_nv_ncmd *ncmd = fal_vb_ring_get(&engine->ncmds, engine->ncmds.head + ahead);
    bool write = header->packet_type != FAL_NVME_READ_RESPONSE;

    if (ncmd == NULL || header->icmd_identifier != ncmd->icmd->id ||
        ncmd->icmd->parts[ncmd->part].row.conn != link->conn ||
        write != (ncmd->icmd->post.op == FAL_NVME_WRITE))
        return NULL;
    return ncmd;
}

/* Headers and blocks of an nCMD of a write; 0: the target asked for less than the headers. What
 * it asked for is not exceeded (FALCON 8.1), so that data may be cut off. */
static uint32_t write_data(struct fal_nvme_engine *engine, const struct fal_nv_ncmd *ncmd,
                           const struct fal_nvme *header, uint32_t asked, uint8_t *bytes)
{
    const struct fal_nv_icmd *icmd = ncmd->icmd;
    uint32_t each =
        fal_nv_block_len(icmd) + (icmd->ns.pi != FAL_NVME_PI_OFF ? FAL_DIF_META_LEN : 0);
    uint32_t len = fal_nv_headers(header, bytes, FAL_NV_PACKET_MAX);
    bool cut = asked < len + ncmd->blocks * each;

    if (cut && asked < len)
        return 0;
    len += fal_nv_host_slice(engine, ncmd, bytes + len);
    return cut && len > asked ? asked : len;
}

/* The target asks for the data of a write (NVME 7.2). */
static void give_data(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                      const struct fal_endpoint_out *out, const struct fal_nvme *asked)
{
    struct fal_nv_packet packet = {.what = FAL_NV_DATA, .rsn = out->rsn};
    const struct fal_nv_ncmd *ncmd = answered(engine, link, asked);
    struct fal_nvme header = *asked;
    uint8_t bytes[FAL_NV_PACKET_MAX];
    uint32_t len;

    if (ncmd == NULL) {
        fal_nv_respond(engine, link, out->rsn, FAL_ANSWER_NRE);
        return;
    }
    header.version = 1;
    header.packet_type = FAL_NVME_WRITE_DATA_RESPONSE;
    header.inv = ncmd->icmd->invalid != NULL && ncmd->icmd->invalid[ncmd->offset];
    fal_nv_seam(engine, fal_nv_at_give(engine, &header));
    len = write_data(engine, ncmd, &header, out->length, bytes);
    if (len > 0)
        fal_nv_seam(engine, fal_nv_at_packet(engine, &packet, bytes, &len));
    fal_nv_send(engine, link, &packet, bytes, len);
}

void fal_nv_from_target(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                        const struct fal_endpoint_out *out, const struct fal_nvme *header)
{
    uint32_t status = header->cqe_status;
    struct fal_nv_ncmd *ncmd;

    if (header->packet_type == FAL_NVME_WRITE_DATA_REQUEST) {
        give_data(engine, link, out, header);
        return;
    }
    ncmd = answered(engine, link, header);
    if (ncmd != NULL && header->packet_type == FAL_NVME_READ_RESPONSE && status == FAL_NVME_OK)
        status = fal_nv_host_take(engine, ncmd, out->payload + FAL_NV_DATA_HEADER,
                                  out->payload_len - FAL_NV_DATA_HEADER);
    /* The payload is the endpoint's until it is acknowledged. */
    if (fal_nv_either(engine, true, fal_nv_at_ack(engine, header)))
        fal_nv_respond(engine, link, out->rsn, FAL_ANSWER_ACK);
    if (ncmd != NULL)
        fal_nv_ncmd_done(engine, ncmd, status);
}
