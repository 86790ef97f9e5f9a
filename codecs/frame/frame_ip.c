/* SPDX-License-Identifier: Apache-2.0
 * frame_ip.c - IPv4 with options, IPv6 with extension headers, fragments; around everything, or
 * inside of a tunnel. */
#include "codecs/frame/checksum.h"
#include "codecs/frame/frame_walk.h"

enum { WORD = 4 };

static bool is_inner(enum fal_layer_id id)
{
    return id == FAL_LAYER_INNER_IPV4 || id == FAL_LAYER_INNER_IPV6;
}

/* ---- lint ---- */

static void lint_ipv4(struct fal_walk *walk, enum fal_layer_id id, const struct fal_ipv4 *ip,
                      const uint8_t *header, size_t len, uint32_t offset)
{
    uint16_t over = fal_checksum(header, len);

    fal_walk_lint(walk, id, ip, offset);
    if (over != 0)
        fal_walk_bad_checksum(walk, id, "header_checksum", offset, over, ip->header_checksum);
}

/* The reserved bits of a fragment header. */
static void lint_ipv6_ext(struct fal_walk *walk, const struct fal_layer *layer,
                          struct fal_span ext, unsigned type)
{
    struct fal_ipv6_fragment fragment;
    uint32_t offset = layer->offset;

    while (ext.len > 0) {
        bool is_fragment = type == FAL_PROTOCOL_FRAGMENT;
        struct fal_span one = fal_ipv6_ext_next(&ext, &type);

        if (one.len == 0)
            return;
        if (is_fragment) {
            fal_ipv6_fragment_layout.decode(one.bytes, &fragment);
            fal_lint_fields(&fal_ipv6_fragment_layout, &fragment, fal_layer_name(layer->id),
                            offset, &walk->frame->issues);
        }
        offset += (uint32_t)one.len;
    }
}

void fal_walk_lint_ip(struct fal_walk *walk)
{
    const struct fal_frame *frame = walk->frame;
    const struct fal_layer *v4 = fal_frame_layer(frame, FAL_LAYER_IPV4);
    const struct fal_layer *v6 = fal_frame_layer(frame, FAL_LAYER_IPV6);
    const struct fal_layer *ext = fal_frame_layer(frame, FAL_LAYER_IPV6_EXT);

    if (walk->options->no_lint)
        return;
    if (v4 != NULL)
        lint_ipv4(walk, FAL_LAYER_IPV4, &frame->ipv4, walk->bytes + v4->offset, v4->len,
                  v4->offset);
    if (v6 != NULL)
        fal_walk_lint(walk, FAL_LAYER_IPV6, &frame->ipv6, v6->offset);
    if (ext != NULL)
        lint_ipv6_ext(walk, ext, frame->ipv6_ext, frame->ipv6.next_header);
}

/* ---- what IP carries ---- */

struct fal_psp_dst fal_walk_receiver(const struct fal_frame *frame)
{
    struct fal_psp_dst dst = {0};

    if (fal_frame_has(frame, FAL_LAYER_IPV4)) {
        dst.len = 4;
        fal_bits_set(dst.bytes, 0, 32, frame->ipv4.dst);
    } else if (fal_frame_has(frame, FAL_LAYER_IPV6)) {
        dst.len = 16;
        fal_bits_set_wide(dst.bytes, 0, 128, frame->ipv6.dst);
    }
    return dst;
}

/* IP says that `len` bytes follow its header. */
static void limit_to(struct fal_walk *walk, enum fal_layer_id id, const char *field, size_t len,
                     uint32_t offset)
{
    struct fal_frame *frame = walk->frame;

    if (len > walk->wire) {
        fal_lint_add_values(&frame->issues, FAL_LINT_IP_LENGTH,
                            &(struct fal_lint_at){NULL, fal_layer_name(id),
                                                  fal_layout_find(fal_layer_layout(id), field),
                                                  offset},
                            len, walk->wire);
        frame->damaged = true;
    }
    if (is_inner(id) && len < walk->left && !walk->options->no_lint &&
        fal_frame_has(frame, FAL_LAYER_PSP)) /* ESP may hide lengths so (RFC 4303, 2.7) */
        fal_lint_add_values(&frame->issues, FAL_LINT_INNER_TRAILER,
                            &(struct fal_lint_at){NULL, fal_layer_name(id),
                                                  fal_layout_find(fal_layer_layout(id), field),
                                                  offset},
                            len, walk->left);
    fal_walk_limit(walk, len, is_inner(id) ? &frame->inner_trailer : &frame->trailer);
}

/* Notes a fragment. False when it is a later one, whose bytes have no header: the walk ends. */
static bool take_fragment(struct fal_walk *walk, const char *layer,
                          const struct fal_field *field, uint32_t offset, bool first)
{
    fal_lint_add(&walk->frame->issues, FAL_LINT_FRAGMENT, NULL, layer, field, offset);
    walk->frame->fragment = true;
    if (!first) {
        fal_walk_raw(walk);
        return false;
    }
    walk->fragment = true;
    walk->wire = FAL_WIRE_UNKNOWN;
    return true;
}

static void walk_protocol(struct fal_walk *walk, enum fal_layer_id id, unsigned protocol)
{
    if (is_inner(id) ? protocol == FAL_PROTOCOL_FALCON : false)
        fal_walk_falcon(walk);
    else if (!is_inner(id) && protocol == FAL_PROTOCOL_UDP)
        fal_walk_udp(walk);
    else if (!is_inner(id) && protocol == FAL_PROTOCOL_ESP)
        fal_walk_esp(walk);
    else
        fal_walk_raw(walk);
}

/* ---- IPv4 ---- */

void fal_walk_ipv4(struct fal_walk *walk, enum fal_layer_id id)
{
    struct fal_frame *frame = walk->frame;
    struct fal_ipv4 *ip = is_inner(id) ? &frame->inner_ipv4 : &frame->ipv4;
    struct fal_span *options = is_inner(id) ? &frame->inner_ipv4_options : &frame->ipv4_options;
    const uint8_t *bytes = walk->at;
    uint32_t offset = walk->offset;
    size_t header;

    if (!fal_walk_header(walk, id, ip))
        return;
    header = ip->ihl * (size_t)WORD;
    if (ip->version != 4 || header < fal_ipv4_layout.size_bytes) {
        fal_walk_broken(walk, id, ip->version != 4 ? "version" : "ihl", offset);
        return;
    }
    options->bytes = walk->at;
    options->len = header - fal_ipv4_layout.size_bytes;
    if (walk->left < options->len) {
        size_t need = options->len;

        options->len = 0;
        fal_walk_ended(walk, id, need, offset);
        return;
    }
    frame->layers[frame->num_layers - 1].len = (uint32_t)header;
    fal_walk_skip(walk, options->len);
    if (ip->total_length < header) {
        fal_walk_broken(walk, id, "total_length", offset);
        return;
    }
    limit_to(walk, id, "total_length", ip->total_length - header, offset);
    if ((ip->more_fragments || ip->fragment_offset != 0) &&
        !take_fragment(walk, fal_layer_name(id),
                       fal_layout_find(&fal_ipv4_layout, ip->more_fragments
                                                             ? "more_fragments"
                                                             : "fragment_offset"),
                       offset, ip->fragment_offset == 0))
        return;
    if (is_inner(id) && ip->protocol == FAL_PROTOCOL_FALCON && !walk->options->no_lint)
        lint_ipv4(walk, id, ip, bytes, header, offset);
    walk_protocol(walk, id, ip->protocol);
}

/* ---- IPv6 ---- */

/* The length of the extension header of type `type` that is left, by the two bytes that are
 * there; 0 for other types. */
static size_t ext_len(const struct fal_walk *walk, unsigned type)
{
    switch (type) {
    case FAL_PROTOCOL_HOP_BY_HOP:
    case FAL_PROTOCOL_ROUTING:
    case FAL_PROTOCOL_DESTINATION: return walk->left < 2 ? 8 : 8 * ((size_t)walk->at[1] + 1);
    case FAL_PROTOCOL_FRAGMENT: return fal_ipv6_fragment_layout.size_bytes;
    default: return 0;
    }
}

/* Walks the chain of extension headers, from type *next on; *next is then the type that
 * follows. False when the walk ended within it. */
static bool walk_ipv6_ext(struct fal_walk *walk, enum fal_layer_id id, struct fal_span *ext,
                          unsigned *next)
{
    struct fal_frame *frame = walk->frame;
    struct fal_ipv6_fragment fragment;
    uint32_t offset;
    size_t len;

    while ((len = ext_len(walk, *next)) > 0) {
        bool is_fragment = *next == FAL_PROTOCOL_FRAGMENT;

        offset = walk->offset;
        if (walk->left < len) {
            fal_walk_ended(walk, id, len, offset);
            return false;
        }
        if (ext->len == 0) {
            ext->bytes = walk->at;
            fal_walk_push(walk, id, 0);
        }
        ext->len += len;
        frame->layers[frame->num_layers - 1].len += (uint32_t)len;
        *next = walk->at[0];
        if (is_fragment)
            fal_ipv6_fragment_layout.decode(walk->at, &fragment);
        fal_walk_skip(walk, len);
        if (is_fragment && (fragment.more_fragments || fragment.fragment_offset != 0) &&
            !take_fragment(walk, fal_layer_name(id),
                           fal_layout_find(&fal_ipv6_fragment_layout, fragment.more_fragments
                                                                          ? "more_fragments"
                                                                          : "fragment_offset"),
                           offset, fragment.fragment_offset == 0))
            return false;
    }
    return true;
}

void fal_walk_ipv6(struct fal_walk *walk, enum fal_layer_id id)
{
    struct fal_frame *frame = walk->frame;
    bool inner = is_inner(id);
    struct fal_ipv6 *ip = inner ? &frame->inner_ipv6 : &frame->ipv6;
    struct fal_span *ext = inner ? &frame->inner_ipv6_ext : &frame->ipv6_ext;
    enum fal_layer_id ext_id = inner ? FAL_LAYER_INNER_IPV6_EXT : FAL_LAYER_IPV6_EXT;
    uint32_t offset = walk->offset;
    unsigned next;

    if (!fal_walk_header(walk, id, ip))
        return;
    if (ip->version != 6) {
        fal_walk_broken(walk, id, "version", offset);
        return;
    }
    limit_to(walk, id, "payload_length", ip->payload_length, offset);
    next = ip->next_header;
    if (!walk_ipv6_ext(walk, ext_id, ext, &next))
        return;
    if (inner && next == FAL_PROTOCOL_FALCON && !walk->options->no_lint) {
        fal_walk_lint(walk, id, ip, offset);
        if (ext->len > 0)
            lint_ipv6_ext(walk, &frame->layers[frame->num_layers - 1], *ext, ip->next_header);
    }
    walk_protocol(walk, id, next);
}

void fal_walk_ip(struct fal_walk *walk)
{
    unsigned version = walk->left > 0 ? walk->at[0] >> 4 : 0;

    if (version == 4)
        fal_walk_ipv4(walk, FAL_LAYER_IPV4);
    else if (version == 6)
        fal_walk_ipv6(walk, FAL_LAYER_IPV6);
    else
        fal_walk_raw(walk);
}
