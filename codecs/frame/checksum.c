/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/frame/checksum.h"

enum { PROTOCOL_UDP = 17 }; /* not ip->next_header: extension headers may stand between */

/* The sum of 16-bit words may be taken in any byte order and any word size as long as the
 * carries come back in at the end (RFC 1071, section 2). So words of 64 bits are added as
 * memory has them, and the byte order is put right once. */
static uint64_t load(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Adds a word; the carry comes back in. */
static uint64_t add(uint64_t sum, uint64_t word)
{
    sum += word;
    return sum + (sum < word);
}

static uint64_t add_bytes(uint64_t sum, const uint8_t *bytes, size_t len)
{
    uint8_t last[8] = {0};

    for (; len >= 16; len -= 16, bytes += 16)
        sum = add(add(sum, load(bytes)), load(bytes + 8));
    if (len >= 8) {
        sum = add(sum, load(bytes));
        bytes += 8;
        len -= 8;
    }
    if (len >= 4) {
        uint32_t half;

        memcpy(&half, bytes, sizeof half);
        sum = add(sum, half);
        bytes += 4;
        len -= 4;
    }
    if (len > 0) { /* an odd byte is padded with zero */
        for (size_t i = 0; i < len; i++)
            last[i] = bytes[i];
        sum = add(sum, load(last));
    }
    return sum;
}

static uint16_t finish(uint64_t sum)
{
    sum = (sum & 0xffffffff) + (sum >> 32);
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

uint16_t fal_checksum_udp_wire(const uint8_t *addresses, size_t addresses_len,
                               const uint8_t *udp, size_t len)
{
    uint64_t sum = (uint64_t)htobe16(PROTOCOL_UDP) + htobe32((uint32_t)len);

    return finish_udp(add_bytes(add_bytes(sum, addresses, addresses_len), udp, len));
}

uint16_t fal_checksum_udp4(const struct fal_ipv4 *ip, const uint8_t *udp, size_t len)
{
    uint8_t addresses[8];

    fal_bits_set(addresses, 0, 32, ip->src);
    fal_bits_set(addresses, 32, 32, ip->dst);
    return fal_checksum_udp_wire(addresses, sizeof addresses, udp, len);
}

uint16_t fal_checksum_udp6(const struct fal_ipv6 *ip, const uint8_t *udp, size_t len)
{
    uint8_t addresses[32];

    fal_bits_set_wide(addresses, 0, 128, ip->src);
    fal_bits_set_wide(addresses, 128, 128, ip->dst);
    return fal_checksum_udp_wire(addresses, sizeof addresses, udp, len);
}
