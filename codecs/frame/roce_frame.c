/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/frame/roce_frame.h"

#include "codecs/frame/checksum.h"

enum { IPV4_MIN = 20, IPV6_LEN = 40, WORD = 4, UDP_CHECKSUM = 6 };

void fal_roce_route_lab(struct fal_roce_route *route, bool v6, bool back)
{
    struct fal_frame frame = {0};
    uint64_t mac;
    fal_u128 address;

    fal_frame_encapsulate(&frame, FAL_ENCAP_UDP, v6 ? 6 : 4);
    *route = (struct fal_roce_route){.src_mac = frame.eth.src,
                                     .dst_mac = frame.eth.dst,
                                     .v6 = v6,
                                     .src = v6 ? frame.ipv6.src : frame.ipv4.src,
                                     .dst = v6 ? frame.ipv6.dst : frame.ipv4.dst,
                                     .src_port = frame.udp.src_port};
    if (!back)
        return;
    mac = route->src_mac;
    route->src_mac = route->dst_mac;
    route->dst_mac = mac;
    address = route->src;
    route->src = route->dst;
    route->dst = address;
}

/* The layers around the BTH. */
static void around(const struct fal_roce_route *route, struct fal_frame *frame)
{
    memset(frame, 0, sizeof *frame);
    fal_frame_encapsulate(frame, FAL_ENCAP_UDP, route->v6 ? 6 : 4);
    frame->layers[frame->num_layers - 1].id = FAL_LAYER_ROCE;
    fal_frame_chain(frame);
    frame->eth.src = route->src_mac;
    frame->eth.dst = route->dst_mac;
    frame->udp.src_port = route->src_port;
    if (route->v6) {
        frame->ipv6.src = route->src;
        frame->ipv6.dst = route->dst;
        frame->ipv6.dscp = route->dscp;
        frame->ipv6.ecn = route->ecn;
    } else {
        frame->ipv4.src = (uint32_t)route->src;
        frame->ipv4.dst = (uint32_t)route->dst;
        frame->ipv4.dscp = route->dscp;
        frame->ipv4.ecn = route->ecn;
        frame->ipv4.dont_fragment = 1;
    }
}

/* Returns the offset of the BTH in the frame. */
static size_t bth_at(const struct fal_roce_route *route)
{
    return fal_eth_layout.size_bytes + (route->v6 ? IPV6_LEN : IPV4_MIN) +
           fal_udp_layout.size_bytes;
}

/* Writes the headers in front of `len` bytes that stand at bth_at() already. Returns the length
 * of the frame, or an error. */
static int put_around(const struct fal_roce_route *route, size_t len, uint8_t *out,
                      const struct fal_field **bad)
{
    size_t start = bth_at(route), udp_at = start - fal_udp_layout.size_bytes;
    struct fal_frame frame;
    int status;

    if (start + len - fal_eth_layout.size_bytes > UINT16_MAX)
        return FAL_ERR_RANGE;
    around(route, &frame);
    frame.num_layers--; /* the RoCE layer is written already */
    frame.udp.length = (uint16_t)(len + fal_udp_layout.size_bytes);
    frame.ipv4.ihl = IPV4_MIN / WORD;
    frame.ipv4.total_length = (uint16_t)(start + len - fal_eth_layout.size_bytes);
    frame.ipv6.payload_length = (uint16_t)(start + len - udp_at);
    status = fal_frame_encode(&frame, NULL, FAL_KEEP_LENGTHS, out, start, bad);
    if (status < 0)
        return status;
    memset(out + udp_at + UDP_CHECKSUM, 0, 2);
    return (int)(start + len);
}

int fal_roce_frame_encode(const struct fal_roce_packet *packet,
                          const struct fal_roce_route *route, uint8_t *out, size_t cap,
                          const struct fal_field **bad)
{
    size_t start = bth_at(route);
    int len;

    if (cap < start)
        return FAL_ERR_SHORT;
    len = fal_roce_encode(packet, out + start, cap - start, bad);
    if (len >= 0)
        len = put_around(route, (size_t)len, out, bad);
    if (len < 0)
        return len;
    return fal_icrc_put(out, (size_t)len, fal_eth_layout.size_bytes) ? len : FAL_ERR_TYPE;
}

int fal_roce_frame_bytes(const struct fal_span *carried, const struct fal_roce_route *route,
                         uint8_t *out, size_t cap)
{
    size_t start = bth_at(route);

    if (cap < start || carried->len > cap - start)
        return FAL_ERR_SHORT;
    memcpy(out + start, carried->bytes, carried->len);
    return put_around(route, carried->len, out, NULL);
}

bool fal_roce_frame_decode(const struct fal_captured *captured, struct fal_roce_packet *packet,
                           struct fal_roce_route *route, enum fal_icrc_state *icrc)
{
    const struct fal_frame_options options = {.no_lint = true, .no_content = true};
    struct fal_frame frame = {0};
    const struct fal_layer *roce;
    size_t there, len;

    if (fal_frame_decode(captured, &options, NULL, &frame) != 0)
        return false;
    roce = fal_frame_layer(&frame, FAL_LAYER_ROCE);
    if (roce == NULL)
        return false;
    there = fal_roce_layout.size_bytes + frame.payload.len;
    len = frame.udp.length - fal_udp_layout.size_bytes;
    fal_roce_decode(captured->bytes + roce->offset, there, len > there ? len : there, packet);
    *route = (struct fal_roce_route){
        .src_mac = frame.eth.src, .dst_mac = frame.eth.dst, .src_port = frame.udp.src_port};
    route->v6 = fal_frame_has(&frame, FAL_LAYER_IPV6);
    route->src = route->v6 ? frame.ipv6.src : frame.ipv4.src;
    route->dst = route->v6 ? frame.ipv6.dst : frame.ipv4.dst;
    route->ecn = route->v6 ? frame.ipv6.ecn : frame.ipv4.ecn;
    route->dscp = route->v6 ? frame.ipv6.dscp : frame.ipv4.dscp;
    *icrc = fal_frame_icrc(&frame, captured->bytes, NULL);
    return true;
}

bool fal_frame_set_ecn(uint8_t *bytes, size_t len, size_t ip_offset, unsigned ecn)
{
    uint8_t *ip = bytes + ip_offset;
    size_t left = len > ip_offset ? len - ip_offset : 0, header;

    if (left >= IPV6_LEN && ip[0] >> 4 == 6) {
        ip[1] = (uint8_t)((ip[1] & ~0x30u) | ecn << 4);
        return true;
    }
    if (left < IPV4_MIN || ip[0] >> 4 != 4)
        return false;
    header = (size_t)(ip[0] & 15) * WORD;
    if (header < IPV4_MIN || header > left)
        return false;
    ip[1] = (uint8_t)((ip[1] & ~3u) | ecn);
    fal_bits_set(ip, 80, 16, 0);
    fal_bits_set(ip, 80, 16, fal_checksum(ip, header));
    return true;
}
