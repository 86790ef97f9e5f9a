/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/checksum.h"
#include "codecs/frame_walk.h"

enum { ETHERTYPE_IPV4 = 0x0800, ETHERTYPE_IPV6 = 0x86dd, PROTOCOL_UDP = 17 };

/* ---- shared by the walkers ---- */

static void push(struct fal_walk *walk, enum fal_layer_id id, size_t len)
{
    struct fal_frame *frame = walk->frame;

    /* No walk has more layers than FAL_LAYERS_MAX: eth, IP, UDP, PSP, then Falcon or raw. */
    frame->layers[frame->num_layers++] =
        (struct fal_layer){.id = id, .offset = walk->offset, .len = (uint32_t)len};
}

void fal_walk_skip(struct fal_walk *walk, size_t n)
{
    walk->at += n;
    walk->left -= n;
    walk->wire -= n;
    walk->offset += (uint32_t)n;
}

void fal_walk_raw(struct fal_walk *walk)
{
    walk->frame->raw = (struct fal_span){walk->at, walk->left};
    push(walk, FAL_LAYER_RAW, walk->left);
}

/* The bytes end before `need` of them were had, in a header of `layer` at byte `offset`. */
static void ended(struct fal_walk *walk, enum fal_layer_id layer, size_t need, uint32_t offset)
{
    bool cut = walk->wire >= need;

    fal_lint_add_values(
        &walk->frame->issues, cut ? FAL_LINT_CAPTURED_SHORT : FAL_LINT_HEADER_SHORT, NULL,
        fal_layer_name(layer), NULL, offset, fal_u128_from(walk->left), fal_u128_from(need));
    walk->frame->damaged |= !cut;
    fal_walk_raw(walk);
}

bool fal_walk_header(struct fal_walk *walk, enum fal_layer_id id, void *host)
{
    const struct fal_layout *layout = fal_layer_layout(id);

    if (walk->left < layout->size_bytes) {
        ended(walk, id, layout->size_bytes, walk->offset);
        return false;
    }
    layout->decode(walk->at, host);
    push(walk, id, layout->size_bytes);
    fal_walk_skip(walk, layout->size_bytes);
    return true;
}

void fal_walk_broken(struct fal_walk *walk, enum fal_layer_id layer, const char *field,
                     uint32_t offset)
{
    fal_lint_add(&walk->frame->issues, FAL_LINT_HEADER, NULL, fal_layer_name(layer),
                 fal_layout_find(fal_layer_layout(layer), field), offset);
    walk->frame->damaged = true;
    fal_walk_raw(walk);
}

void fal_walk_lint(struct fal_walk *walk, enum fal_layer_id id, const void *host,
                   uint32_t offset)
{
    if (!walk->options->no_lint)
        fal_lint_fields(fal_layer_layout(id), host, fal_layer_name(id), offset,
                        &walk->frame->issues);
}

/* A header says that `n` bytes follow it: the rest is trailer. */
static void limit(struct fal_walk *walk, size_t n)
{
    if (n < walk->left) {
        walk->frame->trailer.bytes = walk->at + n;
        walk->frame->trailer.len += walk->left - n; /* an outer layer's trailer follows */
        walk->left = n;
    }
    if (n < walk->wire)
        walk->wire = n;
}

/* ---- checksums ---- */

/* The checksum that is due where `seen` stands, when the sum over everything gives `over` (0
 * when seen is right): one's complement arithmetic (RFC 1624). */
static uint16_t due_checksum(uint16_t over, uint16_t seen)
{
    uint32_t sum = (uint32_t)over + seen;

    return (uint16_t)((sum & 0xffff) + (sum >> 16));
}

static void bad_checksum(struct fal_walk *walk, enum fal_layer_id id, const char *field,
                         uint32_t offset, uint16_t seen, uint16_t due)
{
    fal_lint_add_values(&walk->frame->issues, FAL_LINT_CHECKSUM, NULL, fal_layer_name(id),
                        fal_layout_find(fal_layer_layout(id), field), offset,
                        fal_u128_from(seen), fal_u128_from(due));
    walk->frame->damaged = true;
}

static void check_ipv4(struct fal_walk *walk, const uint8_t *header,
                       const struct fal_layer *layer)
{
    const struct fal_ipv4 *ip = &walk->frame->ipv4;
    uint16_t over = fal_checksum(header, layer->len);

    if (over != 0)
        bad_checksum(walk, FAL_LAYER_IPV4, "header_checksum", layer->offset,
                     ip->header_checksum, due_checksum(over, ip->header_checksum));
}

/* `udp`: the header; all `len` bytes of header and payload are there. */
static void check_udp(struct fal_walk *walk, const uint8_t *udp, size_t len, uint32_t offset)
{
    const struct fal_frame *frame = walk->frame;
    bool ipv6 = fal_frame_has(frame, FAL_LAYER_IPV6);
    uint16_t seen = frame->udp.checksum, over;

    if (seen == 0) {
        if (ipv6 &&
            frame->udp.dst_port != FAL_UDP_PORT_PSP) /* RFC 8200; RFC 6935 for tunnels */
            fal_lint_add(&walk->frame->issues, FAL_LINT_NO_CHECKSUM, NULL, "udp",
                         fal_layout_find(&fal_udp_layout, "checksum"), offset);
        return;
    }
    over = ipv6 ? fal_checksum_udp6(&frame->ipv6, udp, len)
                : fal_checksum_udp4(&frame->ipv4, udp, len);
    if (over != 0xffff)
        bad_checksum(walk, FAL_LAYER_UDP, "checksum", offset, seen, due_checksum(over, seen));
}

/* ---- layers ---- */

void fal_walk_falcon(struct fal_walk *walk)
{
    struct fal_frame *frame = walk->frame;
    int header = fal_falcon_decode(walk->at, walk->left, &frame->falcon);
    bool truncated = walk->left < walk->wire;

    if (header < 0) {
        if (!walk->options->no_lint)
            fal_lint_falcon(walk->at, walk->left, truncated, walk->offset, &frame->issues);
        fal_walk_raw(walk);
        return;
    }
    frame->payload = (struct fal_span){walk->at + header, walk->left - (size_t)header};
    if (!walk->options->no_lint)
        fal_lint_packet(&frame->falcon, frame->payload.len, truncated, walk->offset,
                        &frame->issues);
    fal_ulp_decode(&frame->falcon, frame->payload.bytes, frame->payload.len, &frame->ulp);
    if (!walk->options->no_lint)
        fal_ulp_lint(&frame->falcon, &frame->ulp, frame->payload.bytes, frame->payload.len,
                     truncated, walk->offset + (uint32_t)header, &frame->issues);
    push(walk, FAL_LAYER_FALCON, (size_t)header);
}

/* Lengths and checksums are looked into only when the packet is ours: a capture's other traffic
 * is none of our business, and often has its checksums filled in by the sender's NIC. */
static void lint_ip_udp(struct fal_walk *walk, const uint8_t *udp, bool whole)
{
    const struct fal_frame *frame = walk->frame;
    const struct fal_layer *ipv4 = fal_frame_layer(frame, FAL_LAYER_IPV4);
    const struct fal_layer *ipv6 = fal_frame_layer(frame, FAL_LAYER_IPV6);
    uint32_t offset = fal_frame_layer(frame, FAL_LAYER_UDP)->offset;

    if (walk->options->no_lint)
        return;
    if (ipv4 != NULL) {
        fal_walk_lint(walk, FAL_LAYER_IPV4, &frame->ipv4, ipv4->offset);
        check_ipv4(walk, udp - ipv4->len, ipv4);
    }
    if (ipv6 != NULL)
        fal_walk_lint(walk, FAL_LAYER_IPV6, &frame->ipv6, ipv6->offset);
    fal_walk_lint(walk, FAL_LAYER_UDP, &frame->udp, offset);
    if (whole)
        check_udp(walk, udp, frame->udp.length, offset);
}

static void walk_udp(struct fal_walk *walk)
{
    struct fal_udp *udp = &walk->frame->udp;
    const uint8_t *header = walk->at;
    uint16_t falcon = walk->options->falcon_port;
    uint32_t offset = walk->offset;
    bool is_falcon, is_psp;
    size_t len;

    if (!fal_walk_header(walk, FAL_LAYER_UDP, udp))
        return;
    if (falcon == 0)
        falcon = FAL_UDP_PORT_FALCON;
    is_psp = udp->dst_port == FAL_UDP_PORT_PSP && falcon != FAL_UDP_PORT_PSP;
    is_falcon = udp->dst_port == falcon || udp->src_port == falcon; /* there, or back */
    if (!is_psp && !is_falcon) {
        fal_walk_raw(walk);
        return;
    }
    len = udp->length;
    if (len < fal_udp_layout.size_bytes) {
        fal_walk_broken(walk, FAL_LAYER_UDP, "length", offset);
        return;
    }
    len -= fal_udp_layout.size_bytes;
    if (len != walk->wire) {
        fal_lint_add_values(&walk->frame->issues, FAL_LINT_UDP_LENGTH, NULL, "udp",
                            fal_layout_find(&fal_udp_layout, "length"), offset,
                            fal_u128_from(udp->length),
                            fal_u128_from(walk->wire + fal_udp_layout.size_bytes));
        walk->frame->damaged = true;
    }
    lint_ip_udp(walk, header, len <= walk->left);
    limit(walk, len);
    if (is_psp)
        fal_walk_psp(walk);
    else
        fal_walk_falcon(walk);
}

/* IP says that `len` bytes follow its header; next is `protocol`. */
static void walk_ip_payload(struct fal_walk *walk, enum fal_layer_id id, const char *field,
                            size_t len, uint32_t offset, unsigned protocol)
{
    if (len > walk->wire) {
        fal_lint_add_values(&walk->frame->issues, FAL_LINT_IP_LENGTH, NULL, fal_layer_name(id),
                            fal_layout_find(fal_layer_layout(id), field), offset,
                            fal_u128_from(len), fal_u128_from(walk->wire));
        walk->frame->damaged = true;
    }
    limit(walk, len);
    if (protocol == PROTOCOL_UDP)
        walk_udp(walk);
    else
        fal_walk_raw(walk);
}

static void walk_ipv4(struct fal_walk *walk)
{
    struct fal_ipv4 *ip = &walk->frame->ipv4;
    struct fal_layer *layer;
    uint32_t offset = walk->offset;
    size_t header, options;

    if (!fal_walk_header(walk, FAL_LAYER_IPV4, ip))
        return;
    layer = &walk->frame->layers[walk->frame->num_layers - 1];
    header = ip->ihl * (size_t)4;
    if (ip->version != 4 || header < fal_ipv4_layout.size_bytes) {
        fal_walk_broken(walk, FAL_LAYER_IPV4, ip->version != 4 ? "version" : "ihl", offset);
        return;
    }
    options = header - fal_ipv4_layout.size_bytes;
    if (walk->left < options) {
        ended(walk, FAL_LAYER_IPV4, options, offset);
        return;
    }
    walk->frame->ipv4_options = (struct fal_span){walk->at, options};
    layer->len = (uint32_t)header;
    fal_walk_skip(walk, options);
    if (ip->total_length < header) {
        fal_walk_broken(walk, FAL_LAYER_IPV4, "total_length", offset);
        return;
    }
    if (ip->more_fragments || ip->fragment_offset != 0) {
        fal_lint_add(&walk->frame->issues, FAL_LINT_FRAGMENT, NULL, "ipv4",
                     fal_layout_find(&fal_ipv4_layout,
                                     ip->more_fragments ? "more_fragments" : "fragment_offset"),
                     offset);
        walk_ip_payload(walk, FAL_LAYER_IPV4, "total_length", ip->total_length - header, offset,
                        0);
        return;
    }
    walk_ip_payload(walk, FAL_LAYER_IPV4, "total_length", ip->total_length - header, offset,
                    ip->protocol);
}

static void walk_ipv6(struct fal_walk *walk)
{
    struct fal_ipv6 *ip = &walk->frame->ipv6;
    uint32_t offset = walk->offset;

    if (!fal_walk_header(walk, FAL_LAYER_IPV6, ip))
        return;
    if (ip->version != 6) {
        fal_walk_broken(walk, FAL_LAYER_IPV6, "version", offset);
        return;
    }
    walk_ip_payload(walk, FAL_LAYER_IPV6, "payload_length", ip->payload_length, offset,
                    ip->next_header);
}

static void walk_eth(struct fal_walk *walk)
{
    if (!fal_walk_header(walk, FAL_LAYER_ETH, &walk->frame->eth))
        return;
    if (walk->frame->eth.ethertype == ETHERTYPE_IPV4)
        walk_ipv4(walk);
    else if (walk->frame->eth.ethertype == ETHERTYPE_IPV6)
        walk_ipv6(walk);
    else
        fal_walk_raw(walk);
}

/* Link type "raw IP": the first four bits say which. */
static void walk_ip(struct fal_walk *walk)
{
    unsigned version = walk->left > 0 ? walk->at[0] >> 4 : 0;

    if (version == 4)
        walk_ipv4(walk);
    else if (version == 6)
        walk_ipv6(walk);
    else
        fal_walk_raw(walk);
}

int fal_frame_decode(const uint8_t *bytes, size_t caplen, size_t len, unsigned linktype,
                     const struct fal_frame_options *options, uint8_t *scratch,
                     struct fal_frame *frame)
{
    static const struct fal_frame_options defaults;
    struct fal_walk walk = {
        .frame = frame,
        .options = options != NULL ? options : &defaults,
        .scratch = scratch,
        .at = bytes,
        .left = caplen,
        .wire = len > caplen ? len : caplen, /* a capture that says less than it has lies */
    };
    uint64_t number = frame->number, ts_ns = frame->ts_ns;

    /* Entries of the issue list are written before they count: clearing 2 KiB would cost more
     * than a header's decoding. */
    memset(frame, 0, offsetof(struct fal_frame, issues));
    frame->issues.count = frame->issues.dropped = 0;
    frame->ulp.state = FAL_ULP_NONE;
    frame->number = number;
    frame->ts_ns = ts_ns;
    frame->caplen = (uint32_t)caplen;
    frame->len = (uint32_t)len;
    frame->linktype = linktype;
    frame->truncated = caplen < len;
    switch (linktype) {
    case FAL_LINKTYPE_ETHERNET: walk_eth(&walk); return 0;
    case FAL_LINKTYPE_RAW: walk_ip(&walk); return 0;
    case FAL_LINKTYPE_USER0: fal_walk_falcon(&walk); return 0;
    default: return FAL_ERR_TYPE;
    }
}
