/* SPDX-License-Identifier: Apache-2.0
 * tcp.c - see tcp.h. */
#include "codecs/header/tcp.h"

#include <string.h>

enum { END = 0, NOP = 1, MSS = 2, SCALE = 3, SACK_PERMITTED = 4, SACK = 5, TIMESTAMPS = 8 };

static uint16_t get16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t get32(const uint8_t *p)
{
    return (uint32_t)get16(p) << 16 | get16(p + 2);
}

static void sacks(const uint8_t *p, size_t len, struct fal_tcp *out)
{
    for (size_t at = 2; at + 8 <= len && out->num_sacks < FAL_TCP_SACKS; at += 8) {
        out->sack_first[out->num_sacks] = get32(p + at);
        out->sack_end[out->num_sacks++] = get32(p + at + 4);
    }
}

/* One option of `len` bytes, kind and length included. */
static void option(const uint8_t *p, size_t len, struct fal_tcp *out)
{
    if (p[0] == MSS && len == 4) {
        out->has_mss = true;
        out->mss = get16(p + 2);
    } else if (p[0] == SCALE && len == 3) {
        out->has_scale = true;
        out->scale = p[2] < 14 ? p[2] : 14; /* RFC 7323 2.3 */
    } else if (p[0] == SACK_PERMITTED && len == 2) {
        out->sack_permitted = true;
    } else if (p[0] == SACK) {
        sacks(p, len, out);
    } else if (p[0] == TIMESTAMPS && len == 10) {
        out->has_timestamps = true;
        out->ts_value = get32(p + 2);
        out->ts_echo = get32(p + 6);
    }
}

int fal_tcp_decode(const uint8_t *bytes, size_t len, struct fal_tcp *out)
{
    size_t header, at = FAL_TCP_HEADER_LEN;

    memset(out, 0, sizeof *out);
    if (len < FAL_TCP_HEADER_LEN)
        return FAL_ERR_SHORT;
    header = (size_t)(bytes[12] >> 4) * 4;
    if (header < FAL_TCP_HEADER_LEN || header > len)
        return FAL_ERR_SHORT;
    out->src_port = get16(bytes);
    out->dst_port = get16(bytes + 2);
    out->seq = get32(bytes + 4);
    out->ack = get32(bytes + 8);
    out->flags = bytes[13];
    out->window = get16(bytes + 14);
    out->header_len = (uint32_t)header;
    while (at < header && bytes[at] != END) {
        size_t size = bytes[at] == NOP ? 1 : at + 1 < header ? bytes[at + 1] : 0;

        if (size == 0 || (bytes[at] != NOP && size < 2) || size > header - at)
            break;
        if (bytes[at] != NOP)
            option(bytes + at, size, out);
        at += size;
    }
    return (int)header;
}
