/* SPDX-License-Identifier: Apache-2.0
 * odd_packet.c - faults of packets as a whole: what carries them, and where their bytes are. */
#include "oracles/nvme/odd.h"

#include "codecs/base/bits.h"

#include <string.h>

#define ON(id) fal_nv_fault(engine, FAL_FAULT_##id)

enum { WORD = 4, NBTH = 32, SLBA = 36, STATUS = 34, TYPE_RESERVED = 9, TOO_LONG = 16 };

static void remove_word(uint8_t *bytes, uint32_t *len, uint32_t at)
{
    memmove(bytes + at, bytes + at + WORD, *len - at - WORD);
    *len -= WORD;
}

static void append_zeros(uint8_t *bytes, uint32_t *len, uint32_t n)
{
    memset(bytes + *len, 0, n);
    *len += n;
}

/* The last bit of each reserved field. */
static void set_reserved(unsigned type, uint8_t *bytes)
{
    const struct fal_layout *layout = fal_nvme_layout(type);

    for (size_t i = 0; i < layout->num_fields; i++)
        if (layout->fields[i].kind == FAL_RSVD)
            fal_bits_set(
                bytes, layout->fields[i].offset_bits + layout->fields[i].width_bits - 1u, 1, 1);
}

static void pulled(struct fal_nv_packet *packet, uint32_t *len)
{
    packet->op = FAL_OP_PULL;
    packet->asked = FAL_NV_DATA_HEADER;
    if (*len > FAL_NV_DATA_HEADER && packet->what == FAL_NV_ANSWER)
        *len = FAL_NV_DATA_HEADER;
}

static void at_request(const struct fal_nvme_engine *engine, struct fal_nv_packet *packet,
                       uint8_t *bytes, uint32_t *len)
{
    bool write = (bytes[0] & 15) == FAL_NVME_WRITE_REQUEST;
    uint8_t word[WORD];

    if (ON(SLBA_HIGH_WORD_FIRST)) {
        memcpy(word, bytes + SLBA, WORD);
        memcpy(bytes + SLBA, bytes + SLBA + WORD, WORD);
        memcpy(bytes + SLBA + WORD, word, WORD);
    }
    if (write ? ON(WRITE_REQUEST_PULLED) : ON(READ_REQUEST_PULLED))
        pulled(packet, len);
    if (ON(NVME_REQUEST_SHORT))
        *len -= WORD;
    if (ON(NVME_TYPE_RESERVED))
        bytes[0] = (uint8_t)((bytes[0] & 0xf0) | TYPE_RESERVED);
}

/* As if the MTU had room for 4 KB of data alone. */
static void cut(const struct fal_nvme_engine *engine, uint32_t *len)
{
    if (*len > FAL_NV_DATA_HEADER + FAL_NV_UNIT && ON(NVME_METADATA_CUT))
        *len = FAL_NV_DATA_HEADER + FAL_NV_UNIT;
}

static void at_data(const struct fal_nvme_engine *engine, uint8_t *bytes, uint32_t *len)
{
    bool whole = *len - FAL_NV_DATA_HEADER >= FAL_NV_UNIT;

    cut(engine, len);
    if (whole && ON(WRITE_DATA_TOO_LONG))
        append_zeros(bytes, len, TOO_LONG);
    if (ON(WRITE_DATA_AFTER_NBTH))
        remove_word(bytes, len, NBTH);
}

static void at_answer(const struct fal_nvme_engine *engine, struct fal_nv_packet *packet,
                      uint8_t *bytes, uint32_t *len)
{
    bool read = (bytes[0] & 15) == FAL_NVME_READ_RESPONSE;
    uint32_t status = (uint32_t)fal_bits_get(bytes, 8 * STATUS + 1, 15);

    if (status != 0 && ON(CQE_STATUS_SHIFTED))
        fal_bits_set(bytes, 8 * STATUS + 1, 15, status << 1 & FAL_NVME_STATUS_MAX);
    if (read)
        cut(engine, len);
    if (read && *len - FAL_NV_DATA_HEADER >= FAL_NV_UNIT && ON(READ_DATA_TOO_LONG))
        append_zeros(bytes, len, TOO_LONG);
    if (read && *len > FAL_NV_DATA_HEADER && ON(READ_DATA_AFTER_NBTH))
        remove_word(bytes, len, NBTH);
    if (read ? ON(READ_RESPONSE_PULLED) : ON(COMPLETION_PULLED))
        pulled(packet, len);
    if (ON(ANSWER_TYPE_EXCHANGED))
        bytes[0] = (uint8_t)((bytes[0] & 0xf0) |
                             (read ? FAL_NVME_WRITE_COMPLETION : FAL_NVME_READ_RESPONSE));
}

void fal_nv_at_packet(const struct fal_nvme_engine *engine, struct fal_nv_packet *packet,
                      uint8_t *bytes, uint32_t *len)
{
    unsigned type = bytes[0] & 15;

    if (ON(NVME_RESERVED_SET))
        set_reserved(type, bytes);
    if (packet->what == FAL_NV_REQUEST)
        at_request(engine, packet, bytes, len);
    else if (packet->what == FAL_NV_DATA)
        at_data(engine, bytes, len);
    else if (packet->what == FAL_NV_ANSWER)
        at_answer(engine, packet, bytes, len);
    else {
        if (ON(WDR_LONG))
            append_zeros(bytes, len, WORD);
        if (ON(WDR_PUSHED))
            packet->op = FAL_OP_PUSH;
    }
    if (ON(NBTH_SHORT))
        remove_word(bytes, len, NBTH - WORD);
    if (ON(NBTH_VERSION_0))
        bytes[0] &= 15;
}
