/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/frame/icrc.h"

#include "codecs/header/roce.h"

enum { MASKED_LRH = 8, IPV4_MIN = 20, IPV6_LEN = 40, UDP_LEN = 8, BTH_LEN = 12, WORD = 4 };

/* CRC-32, the least significant bit first, four bits a step. */
static uint32_t add_byte(uint32_t crc, uint8_t byte)
{
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };

    crc ^= byte;
    crc = crc >> 4 ^ table[crc & 15];
    return crc >> 4 ^ table[crc & 15];
}

/* Byte i of the IP packet as the CRC sees it; the first `header` bytes are the IP header. */
static uint8_t seen_byte(const uint8_t *ip, size_t i, size_t header)
{
    bool v4 = ip[0] >> 4 == 4;

    if (v4 && (i == 1 || i == 8 || i == 10 || i == 11)) /* class, TTL, checksum */
        return 0xff;
    if (!v4 && i == 0) /* version, then class and flow label */
        return ip[0] | 0x0f;
    if (!v4 && (i == 1 || i == 2 || i == 3 || i == 7)) /* ..., hop limit */
        return 0xff;
    if (i == header + 6 || i == header + 7) /* the checksum of UDP */
        return 0xff;
    if (i == header + UDP_LEN + 4) /* FECN, BECN and reserved bits */
        return 0xff;
    return ip[i];
}

/* Bytes of the IP header in front of UDP, or 0. */
static size_t header_of(const uint8_t *ip, size_t len)
{
    size_t header = 0;

    if (len >= IPV4_MIN && ip[0] >> 4 == 4 && ip[9] == FAL_PROTOCOL_UDP)
        header = (size_t)(ip[0] & 15) * WORD;
    else if (len >= IPV6_LEN && ip[0] >> 4 == 6 && ip[6] == FAL_PROTOCOL_UDP)
        return IPV6_LEN;
    return header < IPV4_MIN ? 0 : header;
}

bool fal_icrc(const uint8_t *ip, size_t len, uint32_t *icrc)
{
    size_t header = header_of(ip, len);
    uint32_t crc = UINT32_MAX;

    if (header == 0 || len < header + UDP_LEN + BTH_LEN)
        return false;
    for (size_t i = 0; i < MASKED_LRH; i++)
        crc = add_byte(crc, 0xff);
    for (size_t i = 0; i < len; i++)
        crc = add_byte(crc, seen_byte(ip, i, header));
    crc = ~crc;
    /* Its least significant byte goes first. */
    *icrc = crc << 24 | (crc << 8 & 0xff0000) | (crc >> 8 & 0xff00) | crc >> 24;
    return true;
}

enum fal_icrc_state fal_frame_icrc(const struct fal_frame *frame, const uint8_t *bytes,
                                   uint32_t *due)
{
    const struct fal_layer *ip = fal_frame_layer(frame, FAL_LAYER_IPV4);
    const struct fal_layer *udp = fal_frame_layer(frame, FAL_LAYER_UDP);
    size_t end, icrc_at;
    uint32_t right;

    if (ip == NULL)
        ip = fal_frame_layer(frame, FAL_LAYER_IPV6);
    if (ip == NULL || udp == NULL || !fal_frame_has(frame, FAL_LAYER_ROCE) || frame->fragment)
        return FAL_ICRC_ABSENT;
    end = udp->offset + (size_t)frame->udp.length;
    icrc_at = end - FAL_ROCE_ICRC_LEN;
    if (end > frame->caplen || icrc_at < ip->offset ||
        !fal_icrc(bytes + ip->offset, icrc_at - ip->offset, &right))
        return FAL_ICRC_ABSENT;
    if (due != NULL)
        *due = right;
    return fal_bits_get(bytes + icrc_at, 0, 32) == right ? FAL_ICRC_GOOD : FAL_ICRC_BAD;
}

bool fal_icrc_put(uint8_t *bytes, size_t len, size_t ip_offset)
{
    uint32_t icrc;

    if (len < ip_offset + FAL_ROCE_ICRC_LEN ||
        !fal_icrc(bytes + ip_offset, len - FAL_ROCE_ICRC_LEN - ip_offset, &icrc))
        return false;
    fal_bits_set(bytes + len - FAL_ROCE_ICRC_LEN, 0, 32, icrc);
    return true;
}
