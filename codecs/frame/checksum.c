/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/frame/checksum.h"

enum { PROTOCOL_UDP = 17 };

/* The sum of 16-bit words may be taken in any byte order and any word size as long as the
 * carries come back in at the end (RFC 1071, section 2). So words of 32 bits are added as
 * memory has them, and the byte order is put right once. 2^32 such words fit the sum; lengths
 * here end far below. */
static uint64_t add_bytes(uint64_t sum, const uint8_t *bytes, size_t len)
{
    uint32_t words[2];

    for (; len >= sizeof words; len -= sizeof words, bytes += sizeof words) {
        memcpy(words, bytes, sizeof words);
        sum += (uint64_t)words[0] + words[1];
    }
    if (len > 0) {
        memset(words, 0, sizeof words); /* an odd byte is padded with zero */
        memcpy(words, bytes, len);
        sum += (uint64_t)words[0] + words[1];
    }
    return sum;
}

static uint16_t finish(uint64_t sum)
{
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~be16toh((uint16_t)sum);
}

uint16_t fal_checksum(const uint8_t *bytes, size_t len)
{
    return finish(add_bytes(0, bytes, len));
}

/* UDP sends a computed 0 as 0xffff: 0 means "not computed" (RFC 768). */
static uint16_t finish_udp(uint64_t sum)
{
    uint16_t checksum = finish(sum);

    return checksum == 0 ? 0xffff : checksum;
}

uint16_t fal_checksum_udp4(const struct fal_ipv4 *ip, const uint8_t *udp, size_t len)
{
    uint8_t pseudo[12] = {0};

    fal_bits_set(pseudo, 0, 32, ip->src);
    fal_bits_set(pseudo, 32, 32, ip->dst);
    pseudo[9] = PROTOCOL_UDP;
    fal_bits_set(pseudo, 80, 16, len);
    return finish_udp(add_bytes(add_bytes(0, pseudo, sizeof pseudo), udp, len));
}

uint16_t fal_checksum_udp6(const struct fal_ipv6 *ip, const uint8_t *udp, size_t len)
{
    uint8_t pseudo[40] = {0};

    fal_bits_set_wide(pseudo, 0, 128, ip->src);
    fal_bits_set_wide(pseudo, 128, 128, ip->dst);
    fal_bits_set(pseudo, 256, 32, len);
    pseudo[39] = PROTOCOL_UDP; /* not ip->next_header: extension headers may stand between */
    return finish_udp(add_bytes(add_bytes(0, pseudo, sizeof pseudo), udp, len));
}
