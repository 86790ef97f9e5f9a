/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/base/zero.h"
#include "codecs/frame/checksum.h"
#include "codecs/frame/frame_walk.h"

enum { ESP_MARKER_LEN = 4 };

/* ---- shared by the walkers ---- */

void fal_walk_push(struct fal_walk *walk, enum fal_layer_id id, size_t len)
{
    struct fal_frame *frame = walk->frame;

    /* No walk has more layers than FAL_LAYERS_MAX: eth, two VLAN tags, IPv6, its extensions,
     * UDP, PSP or ESP, inner IPv6, its extensions, then Falcon or raw: 10. */
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
    fal_walk_push(walk, FAL_LAYER_RAW, walk->left);
}

void fal_walk_ended(struct fal_walk *walk, enum fal_layer_id layer, size_t need,
                    uint32_t offset)
{
    bool cut = walk->wire >= need;

    fal_lint_add_values(
        &walk->frame->issues, cut ? FAL_LINT_CAPTURED_SHORT : FAL_LINT_HEADER_SHORT,
        &(struct fal_lint_at){NULL, fal_layer_name(layer), NULL, offset}, walk->left, need);
    walk->frame->damaged |= !cut;
    fal_walk_raw(walk);
}

bool fal_walk_header(struct fal_walk *walk, enum fal_layer_id id, void *host)
{
    const struct fal_layout *layout = fal_layer_layout(id);

    if (walk->left < layout->size_bytes) {
        fal_walk_ended(walk, id, layout->size_bytes, walk->offset);
        return false;
    }
    layout->decode(walk->at, host);
    fal_walk_push(walk, id, layout->size_bytes);
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

void fal_walk_limit(struct fal_walk *walk, size_t n, struct fal_span *trailer)
{
    if (n < walk->left) {
        trailer->bytes = walk->at + n;
        trailer->len += walk->left - n; /* an outer layer's trailer follows */
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

void fal_walk_bad_checksum(struct fal_walk *walk, enum fal_layer_id id, const char *field,
                           uint32_t offset, uint16_t over, uint16_t seen)
{
    fal_lint_add_values(&walk->frame->issues, FAL_LINT_CHECKSUM,
                        &(struct fal_lint_at){NULL, fal_layer_name(id),
                                              fal_layout_find(fal_layer_layout(id), field),
                                              offset},
                        seen, due_checksum(over, seen));
    walk->frame->damaged = true;
}

/* A routing header with segments left: the checksum is over the last address of its list. */
static bool is_source_routed(const struct fal_frame *frame)
{
    struct fal_span ext = frame->ipv6_ext;
    unsigned type = frame->ipv6.next_header;

    while (ext.len > 0) {
        bool routing = type == FAL_PROTOCOL_ROUTING;
        struct fal_span one = fal_ipv6_ext_next(&ext, &type);

        if (one.len == 0)
            break;
        if (routing && one.bytes[3] != 0)
            return true;
    }
    return false;
}

/* `udp`: the header; all `len` bytes of header and payload are there. */
static void check_udp(struct fal_walk *walk, const uint8_t *udp, size_t len, uint32_t offset)
{
    const struct fal_frame *frame = walk->frame;
    bool ipv6 = fal_frame_has(frame, FAL_LAYER_IPV6);
    uint16_t seen = frame->udp.checksum, over;

    if (seen == 0) {
        if (ipv6 && frame->udp.dst_port != FAL_UDP_PORT_PSP && /* RFC 8200; RFC 6935: tunnels */
            frame->udp.dst_port != FAL_UDP_PORT_ESP && frame->udp.src_port != FAL_UDP_PORT_ESP)
            fal_lint_add(&walk->frame->issues, FAL_LINT_NO_CHECKSUM, NULL, "udp",
                         fal_layout_find(&fal_udp_layout, "checksum"), offset);
        return;
    }
    if (ipv6 && is_source_routed(frame))
        return;
    over = ipv6 ? fal_checksum_udp6(&frame->ipv6, udp, len)
                : fal_checksum_udp4(&frame->ipv4, udp, len);
    if (over != 0xffff)
        fal_walk_bad_checksum(walk, FAL_LAYER_UDP, "checksum", offset, over, seen);
}

/* ---- layers ---- */

/* The lint of a Falcon packet, and what its payload begins with. */
static void walk_content(const struct fal_walk *walk, int header, bool truncated)
{
    struct fal_frame *frame = walk->frame;

    if (!walk->options->no_lint)
        fal_lint_packet(&frame->falcon, frame->payload.len, truncated, walk->offset,
                        &frame->issues);
    fal_ulp_decode(&frame->falcon, frame->payload.bytes, frame->payload.len, &frame->ulp);
    if (!walk->options->no_lint && frame->ulp.state != FAL_ULP_NONE)
        fal_ulp_lint(&frame->falcon, &frame->ulp,
                     &(struct fal_ulp_bytes){frame->payload.bytes, frame->payload.len,
                                             truncated, walk->offset + (uint32_t)header},
                     &frame->issues);
}

void fal_walk_falcon(struct fal_walk *walk)
{
    struct fal_frame *frame = walk->frame;
    int header = fal_falcon_decode(walk->at, walk->left, &frame->falcon);
    bool truncated = walk->left < walk->wire;

    if (header < 0) {
        if (!walk->options->no_lint && !walk->options->no_content)
            fal_lint_falcon(walk->at, walk->left, truncated, walk->offset, &frame->issues);
        fal_walk_raw(walk);
        return;
    }
    frame->payload = (struct fal_span){walk->at + header, walk->left - (size_t)header};
    if (!walk->options->no_content)
        walk_content(walk, header, truncated);
    fal_walk_push(walk, FAL_LAYER_FALCON, (size_t)header);
}

/* CNPs, and the packets that they answer, for the oracles of congestion control: read, never
 * judged. */
static void walk_roce(struct fal_walk *walk)
{
    struct fal_frame *frame = walk->frame;

    if (walk->left < fal_roce_layout.size_bytes) {
        fal_walk_raw(walk);
        return;
    }
    (void)fal_walk_header(walk, FAL_LAYER_ROCE, &frame->roce);
    frame->payload = (struct fal_span){walk->at, walk->left};
}

void fal_walk_opened(struct fal_walk *walk, const char *layer, const struct fal_field *field,
                     unsigned next, uint32_t offset)
{
    switch (next) {
    case FAL_PROTOCOL_FALCON: fal_walk_falcon(walk); return;
    case FAL_PROTOCOL_IPV4: fal_walk_ipv4(walk, FAL_LAYER_INNER_IPV4); return;
    case FAL_PROTOCOL_IPV6: fal_walk_ipv6(walk, FAL_LAYER_INNER_IPV6); return;
    case FAL_PROTOCOL_NONE: break; /* a dummy packet (RFC 4303, 2.6) */
    default:
        fal_lint_add_values(&walk->frame->issues, FAL_LINT_NEXT_HEADER,
                            &(struct fal_lint_at){NULL, layer, field, offset}, next,
                            FAL_PROTOCOL_FALCON);
        break;
    }
    fal_walk_raw(walk);
}

/* ---- UDP ---- */

enum udp_use { OTHER, PLAIN_FALCON, PSP, ESP, ESP_OTHER, ROCE };

/* Whose ESP it is; keepalives and IKE share its port (RFC 3948). */
static enum udp_use esp_use(const struct fal_walk *walk)
{
    static const uint8_t marker[ESP_MARKER_LEN]; /* an SPI of 0: no ESP */

    if (walk->left < FAL_ESP_HEADER_LEN || memcmp(walk->at, marker, sizeof marker) == 0)
        return OTHER;
    return fal_walk_esp_known(walk) ? ESP : ESP_OTHER;
}

/* The user's word on the port goes first. Falcon answers from its port; PSP, whose source port
 * is the path, goes by destination only. */
static enum udp_use use_of(const struct fal_walk *walk)
{
    const struct fal_udp *udp = &walk->frame->udp;
    uint16_t falcon = walk->options->falcon_port;

    if (falcon == 0)
        falcon = FAL_UDP_PORT_FALCON;
    if (udp->dst_port == FAL_UDP_PORT_PSP && falcon != FAL_UDP_PORT_PSP)
        return PSP;
    if (udp->dst_port == falcon || udp->src_port == falcon)
        return PLAIN_FALCON;
    if (udp->dst_port == FAL_UDP_PORT_ESP || udp->src_port == FAL_UDP_PORT_ESP)
        return esp_use(walk);
    return udp->dst_port == FAL_UDP_PORT_ROCE ? ROCE : OTHER;
}

/* The length and the checksum of a UDP packet that is Falcon's. False when the length is
 * impossible. */
static bool judge_udp(struct fal_walk *walk, const uint8_t *header, uint32_t offset)
{
    const struct fal_udp *udp = &walk->frame->udp;
    size_t len = udp->length;

    if (len < fal_udp_layout.size_bytes) {
        fal_walk_broken(walk, FAL_LAYER_UDP, "length", offset);
        return false;
    }
    len -= fal_udp_layout.size_bytes;
    if (len != walk->wire && (!walk->fragment || len < walk->left)) {
        size_t there = walk->fragment ? walk->left : walk->wire;

        fal_lint_add_values(&walk->frame->issues, FAL_LINT_UDP_LENGTH,
                            &(struct fal_lint_at){NULL, "udp",
                                                  fal_layout_find(&fal_udp_layout, "length"),
                                                  offset},
                            udp->length, there + fal_udp_layout.size_bytes);
        walk->frame->damaged = true;
    }
    if (walk->options->no_lint)
        return true;
    fal_walk_lint_ip(walk);
    fal_walk_lint(walk, FAL_LAYER_UDP, udp, offset);
    if (len <= walk->left)
        check_udp(walk, header, udp->length, offset);
    return true;
}

void fal_walk_udp(struct fal_walk *walk)
{
    struct fal_udp *udp = &walk->frame->udp;
    const uint8_t *header = walk->at;
    uint32_t offset = walk->offset;
    enum udp_use use;

    if (!fal_walk_header(walk, FAL_LAYER_UDP, udp))
        return;
    use = use_of(walk);
    if (use == OTHER) {
        fal_walk_raw(walk);
        return;
    }
    if (use == PLAIN_FALCON || use == PSP || use == ESP) {
        if (!judge_udp(walk, header, offset))
            return;
    } else if (udp->length < fal_udp_layout.size_bytes) {
        fal_walk_raw(walk);
        return;
    }
    fal_walk_limit(walk, udp->length - fal_udp_layout.size_bytes, &walk->frame->trailer);
    switch (use) {
    case PLAIN_FALCON: fal_walk_falcon(walk); return;
    case PSP: fal_walk_psp(walk); return;
    case ESP:
    case ESP_OTHER: fal_walk_esp(walk); return;
    case ROCE: walk_roce(walk); return;
    case OTHER: return;
    }
}

/* ---- a frame ---- */

void fal_walk_begin(struct fal_walk *walk, const struct fal_captured *captured,
                    const struct fal_frame_options *options, uint8_t *scratch,
                    struct fal_frame *frame)
{
    size_t caplen = captured->caplen, len = captured->len;
    static const struct fal_frame_options defaults;
    uint64_t number = frame->number, ts_ns = frame->ts_ns;

    *walk = (struct fal_walk){
        .frame = frame,
        .options = options != NULL ? options : &defaults,
        .scratch = scratch,
        .bytes = captured->bytes,
        .at = captured->bytes,
        .left = caplen,
        .wire = len > caplen ? len : caplen, /* a capture that says less than it has lies */
    };
    /* Entries of the issue list are written before they count: clearing 2 KiB would cost more
     * than a header's decoding. */
    fal_zero(frame, offsetof(struct fal_frame, issues));
    frame->issues.count = frame->issues.dropped = 0;
    frame->ulp.state = FAL_ULP_NONE;
    frame->number = number;
    frame->ts_ns = ts_ns;
    frame->caplen = (uint32_t)caplen;
    frame->len = (uint32_t)len;
    frame->linktype = captured->linktype;
    frame->truncated = caplen < len;
}

int fal_frame_decode_by_layers(const struct fal_captured *captured,
                               const struct fal_frame_options *options, uint8_t *scratch,
                               struct fal_frame *frame)
{
    struct fal_walk walk;

    fal_walk_begin(&walk, captured, options, scratch, frame);
    switch (captured->linktype) {
    case FAL_LINKTYPE_ETHERNET: fal_walk_eth(&walk); return 0;
    case FAL_LINKTYPE_RAW: fal_walk_ip(&walk); return 0;
    case FAL_LINKTYPE_SLL: fal_walk_sll(&walk); return 0;
    case FAL_LINKTYPE_SLL2: fal_walk_sll2(&walk); return 0;
    case FAL_LINKTYPE_USER0: fal_walk_falcon(&walk); return 0;
    default: return FAL_ERR_TYPE;
    }
}

int fal_frame_decode(const struct fal_captured *captured,
                     const struct fal_frame_options *options, uint8_t *scratch,
                     struct fal_frame *frame)
{
    if (fal_frame_decode_usual(captured, options, frame))
        return 0;
    return fal_frame_decode_by_layers(captured, options, scratch, frame);
}
