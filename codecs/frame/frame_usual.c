/* SPDX-License-Identifier: Apache-2.0
 * frame_usual.c - decodes the usual frame without a function for each layer. It looks at the
 * bytes first; a frame in which anything before Falcon is unusual or wrong is left to the walk
 * by layers, which alone adds issues about these layers. */
#include "codecs/frame/checksum.h"
#include "codecs/frame/frame_walk.h"

enum {
    ETH_LEN = 14,
    VLAN_LEN = 4,
    IPV4_LEN = 20,
    IPV6_LEN = 40,
    UDP_LEN = 8,
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_IPV6 = 0x86dd,
    ETHERTYPE_VLAN = 0x8100,
    IPV4_NO_OPTIONS = 0x45,      /* version and header length */
    IPV4_DONT_FRAGMENT = 0x4000, /* the one flag that may be set */
};

/* The places of the headers in the frame, and what IP says of its length. */
struct places {
    const uint8_t *ip, *udp;
    size_t ip_len, carried; /* bytes of the IP header, of what follows it */
    size_t left;            /* captured bytes after the IP header */
    bool tagged, v6;
};

static unsigned get16(const uint8_t *at)
{
    return (unsigned)fal_bytes_get(at, 2);
}

static bool find_ip(const struct fal_captured *captured, struct places *out)
{
    const uint8_t *bytes = captured->bytes;
    size_t link = ETH_LEN;
    unsigned type;

    if (captured->linktype != FAL_LINKTYPE_ETHERNET || captured->caplen < captured->len ||
        captured->caplen < ETH_LEN + VLAN_LEN + IPV4_LEN + UDP_LEN)
        return false;
    type = get16(bytes + ETH_LEN - 2);
    out->tagged = type == ETHERTYPE_VLAN;
    if (out->tagged) {
        link += VLAN_LEN;
        type = get16(bytes + ETH_LEN + VLAN_LEN - 2);
    }
    out->v6 = type == ETHERTYPE_IPV6;
    out->ip_len = out->v6 ? IPV6_LEN : IPV4_LEN;
    if ((!out->v6 && type != ETHERTYPE_IPV4) || captured->caplen < link + out->ip_len + UDP_LEN)
        return false;
    out->ip = bytes + link;
    out->udp = out->ip + out->ip_len;
    out->left = captured->caplen - link - out->ip_len;
    return true;
}

/* Whether IP carries all of one UDP packet. */
static bool carries_udp(struct places *u)
{
    const uint8_t *ip = u->ip;

    if (u->v6) {
        u->carried = get16(ip + 4);
        return ip[0] >> 4 == 6 && ip[6] == FAL_PROTOCOL_UDP && u->carried <= u->left &&
               get16(u->udp + 4) == u->carried && u->carried >= UDP_LEN;
    }
    u->carried = get16(u->udp + 4);
    return ip[0] == IPV4_NO_OPTIONS && get16(ip + 2) == u->carried + IPV4_LEN &&
           (get16(ip + 6) & ~(unsigned)IPV4_DONT_FRAGMENT) == 0 && ip[9] == FAL_PROTOCOL_UDP &&
           u->carried <= u->left && u->carried >= UDP_LEN;
}

static bool is_falcon(const struct places *u, const struct fal_frame_options *options)
{
    unsigned src = get16(u->udp), dst = get16(u->udp + 2), falcon = FAL_UDP_PORT_FALCON;

    if (options != NULL && options->no_lint)
        return false;
    if (options != NULL && options->falcon_port != 0)
        falcon = options->falcon_port;
    if (dst == FAL_UDP_PORT_PSP && falcon != FAL_UDP_PORT_PSP)
        return false;
    return src == falcon || dst == falcon;
}

static bool checksums_good(const struct places *u)
{
    size_t addresses = u->v6 ? 32 : 8;

    if (!u->v6 && fal_checksum(u->ip, IPV4_LEN) != 0)
        return false;
    if (get16(u->udp + 6) == 0)
        return !u->v6; /* IPv6 needs one */
    return fal_checksum_udp_wire(u->udp - addresses, addresses, u->udp, u->carried) == 0xffff;
}

static bool is_usual(const struct fal_captured *captured,
                     const struct fal_frame_options *options, struct places *out)
{
    return find_ip(captured, out) && carries_udp(out) && is_falcon(out, options) &&
           checksums_good(out);
}

static fal_u128 ipv6_at(const uint8_t *at)
{
    return fal_u128_halves(fal_bytes_get(at, 8), fal_bytes_get(at + 8, 8));
}

/* All fields before Falcon are legal: the bytes that could make them illegal were compared. */
bool fal_frame_usual(const struct fal_captured *captured,
                     const struct fal_frame_options *options, struct fal_usual *out)
{
    struct places at;

    if (!is_usual(captured, options, &at))
        return false;
    out->v6 = at.v6;
    out->src = at.v6 ? ipv6_at(at.ip + 8) : fal_bytes_get(at.ip + 12, 4);
    out->dst = at.v6 ? ipv6_at(at.ip + 24) : fal_bytes_get(at.ip + 16, 4);
    out->src_port = (uint16_t)get16(at.udp);
    out->dst_port = (uint16_t)get16(at.udp + 2);
    out->falcon = (struct fal_span){at.udp + UDP_LEN, at.carried - UDP_LEN};
    return true;
}

static void push(struct fal_walk *walk, enum fal_layer_id id, size_t len)
{
    struct fal_frame *frame = walk->frame;

    frame->layers[frame->num_layers++] =
        (struct fal_layer){.id = id, .offset = walk->offset, .len = (uint32_t)len};
    walk->offset += (uint32_t)len;
}

/* Returns whether all fields are legal. */
static bool decode_headers(const struct places *u, struct fal_walk *walk)
{
    struct fal_frame *frame = walk->frame;

    fal_eth_layout.decode(walk->bytes, &frame->eth);
    push(walk, FAL_LAYER_ETH, ETH_LEN);
    if (u->tagged) {
        fal_vlan_layout.decode(walk->bytes + ETH_LEN, &frame->vlan);
        push(walk, FAL_LAYER_VLAN, VLAN_LEN);
    }
    if (u->v6) {
        fal_ipv6_layout.decode(u->ip, &frame->ipv6);
        push(walk, FAL_LAYER_IPV6, IPV6_LEN);
    } else {
        fal_ipv4_layout.decode(u->ip, &frame->ipv4);
        frame->ipv4_options.bytes = u->udp;
        push(walk, FAL_LAYER_IPV4, IPV4_LEN);
    }
    fal_udp_layout.decode(u->udp, &frame->udp);
    push(walk, FAL_LAYER_UDP, UDP_LEN);
    return (u->v6 ? fal_ipv6_layout.legal(&frame->ipv6)
                  : fal_ipv4_layout.legal(&frame->ipv4)) &&
           fal_udp_layout.legal(&frame->udp);
}

bool fal_frame_decode_usual(const struct fal_captured *captured,
                            const struct fal_frame_options *options, struct fal_frame *frame)
{
    struct places usual;
    struct fal_walk walk;

    if (!is_usual(captured, options, &usual))
        return false;
    fal_walk_begin(&walk, captured, options, NULL, frame);
    if (!decode_headers(&usual, &walk))
        return false;
    if (usual.carried < usual.left)
        frame->trailer =
            (struct fal_span){usual.udp + usual.carried, usual.left - usual.carried};
    walk.at = usual.udp + UDP_LEN;
    walk.left = walk.wire = usual.carried - UDP_LEN;
    fal_walk_falcon(&walk);
    return true;
}
