/* SPDX-License-Identifier: Apache-2.0
 * tp_damage.c - see tp_damage.h. */
#include "harness/transport/tp_damage.h"

#include "codecs/frame/checksum.h"
#include "codecs/header/tcp.h"

#include <string.h>

enum { V4_BYTES = 4, V6_BYTES = 16, V4_AT = 12, V6_AT = 8, V4_SUM_AT = 10, TCP_SUM_AT = 16 };

static uint16_t get16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

/* The header of that layer, in the bytes before the raw layer. */
static const uint8_t *header(const struct fal_frame *f, enum fal_layer_id id)
{
    const struct fal_layer *layer = fal_frame_layer(f, id),
                           *raw = fal_frame_layer(f, FAL_LAYER_RAW);

    return layer != NULL && raw != NULL ? f->raw.bytes - (raw->offset - layer->offset) : NULL;
}

/* The sum of the pseudo-header (RFC 9293 3.1), not complemented. */
static uint16_t pseudo_sum(const uint8_t *addresses, size_t n, size_t len)
{
    uint8_t bytes[2 * V6_BYTES + 6] = {0};

    memcpy(bytes, addresses, n);
    bytes[n + 1] = FAL_PROTOCOL_TCP;
    for (unsigned i = 0; i < 4; i++)
        bytes[n + 2 + i] = (uint8_t)(len >> (24 - 8 * i));
    return (uint16_t)~fal_checksum(bytes, n + 6);
}

static bool tcp_damaged(uint16_t pseudo, const uint8_t *tcp, size_t len)
{
    const uint16_t there = get16(tcp + TCP_SUM_AT);
    const uint32_t sum = (uint32_t)pseudo + (uint16_t)~fal_checksum(tcp, len);

    return there != 0 && there != pseudo && (sum & 0xffff) + (sum >> 16) != 0xffff;
}

bool tl_tp_damaged(const struct fal_frame *frame, size_t len)
{
    const uint8_t *v4 = header(frame, FAL_LAYER_IPV4), *v6 = header(frame, FAL_LAYER_IPV6);

    if (v4 != NULL && get16(v4 + V4_SUM_AT) != 0 &&
        fal_checksum(v4, (size_t)frame->ipv4.ihl * 4) != 0)
        return true;
    if (frame->raw.len < len || len < FAL_TCP_HEADER_LEN || (v4 == NULL && v6 == NULL))
        return false;
    return tcp_damaged(v4 != NULL ? pseudo_sum(v4 + V4_AT, 2 * V4_BYTES, len)
                                  : pseudo_sum(v6 + V6_AT, 2 * V6_BYTES, len),
                       frame->raw.bytes, len);
}
