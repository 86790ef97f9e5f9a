/* SPDX-License-Identifier: Apache-2.0
 * carrier.c - writes a correct frame with the headers that the flaw needs, then changes one
 * field and corrects the IPv4 header checksum, so that nothing else is wrong. */
#include "harness/wire/carrier.h"

#include "codecs/frame/checksum.h"

#include <string.h>

enum {
    ETHERNET = 14,
    IP4_LENGTH = 2, /* offsets of the fields in their headers */
    IP4_FRAGMENT = 6,
    IP4_TTL = 8,
    IP4_CHECKSUM = 10,
    IP6_LENGTH = 4,
    IP6_HOPS = 7,
    UDP_LENGTH = 4,
    UDP_CHECKSUM = 6,
    UDP_HEADER = 8,
    MORE_FRAGMENTS = 0x20,
    DONT_FRAGMENT = 0x40,
    FRAGMENT_UNIT =
        8, /* the length of every fragment but the last must be a multiple of this */
    EXT_LEN = 8,
};

const char *const tl_flaw_names[TL_FLAW_COUNT + 1] = {
    [TL_FLAW_NONE] = "",
    [TL_FLAW_IP_CHECKSUM] = "ip_checksum",
    [TL_FLAW_IP_LONG] = "ip_long",
    [TL_FLAW_IP_SHORT] = "ip_short",
    [TL_FLAW_IP_OPTIONS] = "ip_options",
    [TL_FLAW_FRAGMENT] = "fragment",
    [TL_FLAW_TTL_0] = "ttl_0",
    [TL_FLAW_UDP_CHECKSUM] = "udp_checksum",
    [TL_FLAW_UDP_NO_CHECKSUM] = "udp_no_checksum",
    [TL_FLAW_UDP_LONG] = "udp_long",
    [TL_FLAW_UDP_SHORT] = "udp_short",
};

enum fal_bad tl_flaw_bad(enum tl_flaw flaw)
{
    switch (flaw) {
    case TL_FLAW_IP_CHECKSUM:
    case TL_FLAW_UDP_CHECKSUM: return FAL_BAD_CHECKSUM;
    case TL_FLAW_IP_LONG:
    case TL_FLAW_IP_SHORT:
    case TL_FLAW_FRAGMENT: /* UDP gives a greater length than there is */
    case TL_FLAW_UDP_LONG:
    case TL_FLAW_UDP_SHORT: return FAL_BAD_LENGTH;
    case TL_FLAW_NONE:
    case TL_FLAW_IP_OPTIONS:
    case TL_FLAW_TTL_0: /* a frame that has arrived must be accepted whatever its TTL (RFC
                           1122, 3.2.1.7) */
    case TL_FLAW_UDP_NO_CHECKSUM:
    case TL_FLAW_COUNT: break;
    }
    return FAL_BAD_NOT;
}

const char *tl_flaw_cannot(enum tl_flaw flaw, int ip_version)
{
    return flaw == TL_FLAW_IP_CHECKSUM && ip_version == 6 ? "IPv6 has no header checksum"
                                                          : NULL;
}

/* ---- before it is written ---- */

/* Router Alert, end of list (RFC 2113). */
static const uint8_t options[] = {0x94, 0x04, 0, 0, 0, 0, 0, 0};
/* Hop-by-hop: Router Alert (RFC 2711), padding; fragment: the first fragment of a datagram. */
static const uint8_t hop_by_hop[EXT_LEN] = {FAL_PROTOCOL_UDP, 0, 0x05, 0x02, 0, 0, 0x01, 0};
static const uint8_t first_fragment[EXT_LEN] = {FAL_PROTOCOL_UDP, 0, 0, 1, 0x54, 0x4c, 0, 77};

static void extend_ipv6(struct fal_frame *frame, unsigned type, const uint8_t *ext)
{
    size_t at = 0;

    while (at < frame->num_layers && frame->layers[at].id != FAL_LAYER_IPV6)
        at++;
    at++;
    if (at >= frame->num_layers || frame->num_layers == FAL_LAYERS_MAX)
        return;
    frame->ipv6_ext = (struct fal_span){ext, EXT_LEN};
    frame->ipv6.next_header = (uint8_t)type;
    memmove(&frame->layers[at + 1], &frame->layers[at],
            (frame->num_layers - at) * sizeof *frame->layers);
    frame->layers[at].id = FAL_LAYER_IPV6_EXT;
    frame->num_layers++;
}

static void add_headers(struct fal_frame *frame, enum tl_flaw flaw)
{
    bool v4 = fal_frame_has(frame, FAL_LAYER_IPV4);

    if (flaw == TL_FLAW_IP_OPTIONS && v4)
        frame->ipv4_options = (struct fal_span){options, sizeof options};
    else if (flaw == TL_FLAW_IP_OPTIONS)
        extend_ipv6(frame, FAL_PROTOCOL_HOP_BY_HOP, hop_by_hop);
    else if (flaw == TL_FLAW_FRAGMENT && !v4)
        extend_ipv6(frame, FAL_PROTOCOL_FRAGMENT, first_fragment);
}

/* ---- after it ---- */

static void add(uint8_t *field, int by)
{
    unsigned value = (unsigned)(field[0] << 8 | field[1]) + (unsigned)by;

    field[0] = (uint8_t)(value >> 8);
    field[1] = (uint8_t)value;
}

/* Any other checksum but 0, which would mean that there is none. */
static void turn_checksum(uint8_t *field)
{
    field[1] ^= 0x10;
    if (field[0] == 0 && field[1] == 0)
        field[1] = 0x30;
}

static void checksum_again(uint8_t *ip)
{
    uint16_t sum;

    ip[IP4_CHECKSUM] = ip[IP4_CHECKSUM + 1] = 0;
    sum = fal_checksum(ip, (size_t)(ip[0] & 15) * 4);
    ip[IP4_CHECKSUM] = (uint8_t)(sum >> 8);
    ip[IP4_CHECKSUM + 1] = (uint8_t)sum;
}

/* Cuts off 1 to 8 bytes, which another fragment would carry. */
static size_t cut(bool v4, uint8_t *ip, size_t udp_len)
{
    size_t rest = (udp_len - 1) % FRAGMENT_UNIT + 1;

    if (udp_len <= UDP_HEADER)
        return 0;
    add(ip + (v4 ? IP4_LENGTH : IP6_LENGTH), -(int)rest);
    if (v4)
        ip[IP4_FRAGMENT] =
            (uint8_t)((ip[IP4_FRAGMENT] & ~(unsigned)DONT_FRAGMENT) | MORE_FRAGMENTS);
    return rest;
}

int tl_carrier_encode(struct fal_frame *frame, enum tl_flaw flaw, const uint8_t *bytes,
                      size_t len, uint8_t *out, size_t cap)
{
    bool v4 = fal_frame_has(frame, FAL_LAYER_IPV4);
    uint8_t *ip = out + ETHERNET, *ip_length = ip + (v4 ? IP4_LENGTH : IP6_LENGTH), *udp;
    const struct fal_field *bad;
    size_t n;
    int rc;

    while (frame->num_layers > 0 && frame->layers[frame->num_layers - 1].id != FAL_LAYER_UDP)
        frame->num_layers--; /* UDP carries bytes that need no further encoding */
    frame->payload = (struct fal_span){bytes, len};
    add_headers(frame, flaw);
    rc = fal_frame_encode(frame, NULL, 0, out, cap, &bad);
    if (rc < 0)
        return rc;
    n = (size_t)rc;
    udp = out + n - len - UDP_HEADER;
    switch (flaw) {
    case TL_FLAW_IP_LONG: add(ip_length, 1); break;
    case TL_FLAW_IP_SHORT: add(ip_length, -1); break;
    case TL_FLAW_FRAGMENT: n -= cut(v4, ip, UDP_HEADER + len); break;
    case TL_FLAW_TTL_0: ip[v4 ? IP4_TTL : IP6_HOPS] = 0; break;
    case TL_FLAW_UDP_CHECKSUM: turn_checksum(udp + UDP_CHECKSUM); break;
    case TL_FLAW_UDP_NO_CHECKSUM: memset(udp + UDP_CHECKSUM, 0, 2); break;
    case TL_FLAW_UDP_LONG: add(udp + UDP_LENGTH, 1); break;
    case TL_FLAW_UDP_SHORT: add(udp + UDP_LENGTH, -1); break;
    case TL_FLAW_NONE:
    case TL_FLAW_IP_CHECKSUM:
    case TL_FLAW_IP_OPTIONS:
    case TL_FLAW_COUNT: break;
    }
    if (v4)
        checksum_again(ip);
    if (v4 && flaw == TL_FLAW_IP_CHECKSUM)
        turn_checksum(ip + IP4_CHECKSUM);
    return (int)n;
}
