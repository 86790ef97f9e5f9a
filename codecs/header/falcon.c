/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/header/falcon.h"

#include "codecs/base/zero.h"
#include "codecs/header/headers.h"

static const struct fal_layout *const falcon_layouts[16] = {
    [FAL_PULL_REQUEST] = &fal_pull_request_layout,
    [FAL_PULL_DATA] = &fal_pull_data_layout,
    [FAL_PUSH_DATA] = &fal_push_data_layout,
    [FAL_RESYNC] = &fal_resync_layout,
    [FAL_NACK] = &fal_nack_layout,
    [FAL_BACK] = &fal_back_layout,
    [FAL_EACK] = &fal_eack_layout,
};

/* Bits of word 1 that place the packet type alike in all seven packets (7.2, 7.7.1, 7.8). */
enum { TYPE_OFFSET = 32 + 27, TYPE_BITS = 4, FIRST_WORD = 4, FIRST_WORDS = 8 };

const struct fal_layout *fal_falcon_layout(unsigned packet_type)
{
    return packet_type < 16 ? falcon_layouts[packet_type] : NULL;
}

const struct fal_layout *fal_falcon_layout_named(const char *name)
{
    uint64_t type;

    return fal_name_find(&fal_names_packet_type, name, &type)
               ? fal_falcon_layout((unsigned)type)
               : NULL;
}

const char *fal_falcon_type_name(unsigned packet_type)
{
    return fal_name_of(&fal_names_packet_type, packet_type);
}

int fal_falcon_decode(const uint8_t *bytes, size_t len, struct fal_falcon *out)
{
    const struct fal_layout *layout;

    fal_zero(out, sizeof *out);
    if (len >= FIRST_WORD) {
        out->version = (uint8_t)fal_bits_get(bytes, 0, 4);
        out->dest_cid = (uint32_t)fal_bits_get(bytes, 8, 24);
    }
    if (len < FIRST_WORDS)
        return FAL_ERR_TYPE;
    out->packet_type = (uint8_t)fal_bits_get(bytes, TYPE_OFFSET, TYPE_BITS);
    layout = falcon_layouts[out->packet_type];
    if (layout == NULL)
        return FAL_ERR_TYPE;
    if (len < layout->size_bytes)
        return FAL_ERR_SHORT;
    layout->decode(bytes, out);
    return (int)layout->size_bytes;
}

int fal_falcon_encode(const struct fal_falcon *in, const uint8_t *payload, size_t payload_len,
                      uint8_t *out, size_t cap, const struct fal_field **bad)
{
    const struct fal_layout *layout = fal_falcon_layout(in->packet_type);
    int header;

    if (layout == NULL)
        return FAL_ERR_TYPE;
    header = fal_layout_encode(layout, in, out, cap, bad);
    if (header < 0)
        return header;
    if (payload_len > cap - (size_t)header)
        return FAL_ERR_SHORT;
    if (payload_len > 0)
        memcpy(out + header, payload, payload_len);
    return header + (int)payload_len;
}

void fal_falcon_init(struct fal_falcon *out, enum fal_packet_type type)
{
    *out = (struct fal_falcon){0};
    fal_layout_init(falcon_layouts[type], out);
}

bool fal_falcon_reliable(unsigned packet_type)
{
    return packet_type == FAL_PULL_REQUEST || packet_type == FAL_PULL_DATA ||
           packet_type == FAL_PUSH_DATA || packet_type == FAL_RESYNC;
}

enum fal_window fal_falcon_window(const struct fal_falcon *packet)
{
    unsigned type =
        packet->packet_type == FAL_RESYNC ? packet->resync_packet_type : packet->packet_type;

    return type == FAL_PULL_REQUEST ? FAL_WINDOW_REQ : FAL_WINDOW_DATA;
}

/* 7.8: in units of 10 us */
static const uint32_t rnr_units[32] = {
    65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,    32,
    48,    64,   96,   128,  192,  256,   384,   512,   768,   1024,  1536,
    2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

uint64_t fal_rnr_timeout_ns(unsigned code)
{
    return UINT64_C(10000) * rnr_units[code % 32];
}

unsigned fal_rnr_timeout_code(uint64_t ns)
{
    for (unsigned code = 1; code < 32; code++)
        if (fal_rnr_timeout_ns(code) >= ns)
            return code;
    return 0;
}
