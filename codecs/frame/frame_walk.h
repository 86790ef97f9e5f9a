/* SPDX-License-Identifier: Apache-2.0
 * frame_walk.h - inside of fal_frame_decode: where the walk through a frame stands. A layer's
 * walker takes its header and hands what follows to the next one; each ends in exactly one of a
 * Falcon layer, a RoCE layer, a raw layer, or a PSP or ESP layer that stays sealed.
 *
 * frame_usual.c: the usual frame in one step; frame_l2.c: link layers; frame_ip.c: IP, outer
 * and inner; frame_decode.c: UDP, Falcon, RoCE; frame_psp.c and frame_esp.c. */
#ifndef FAL_CODECS_FRAME_FRAME_WALK_H
#define FAL_CODECS_FRAME_FRAME_WALK_H

#include "codecs/frame/frame.h"
#include "codecs/header/lint.h"

struct fal_walk {
    struct fal_frame *frame;
    const struct fal_frame_options *options;
    uint8_t *scratch;
    const uint8_t *bytes; /* of the frame */
    const uint8_t *at;    /* the first byte that no layer has taken */
    size_t left;          /* captured bytes from there to where the innermost length ends */
    size_t wire;     /* those that were on the wire: more than `left` where the capture cut, or
                        where fragments follow */
    uint32_t offset; /* of `at` in the frame */
    bool fragment;   /* the first of several: what it says of lengths is about all of them */
};

/* Clears the frame, apart from number and time, and begins at its first byte. */
void fal_walk_begin(struct fal_walk *walk, const struct fal_captured *captured,
                    const struct fal_frame_options *options, uint8_t *scratch,
                    struct fal_frame *frame);

/* fal_frame_decode for every frame, layer by layer. Tests compare it with the way below. */
MUST_USE int fal_frame_decode_by_layers(const struct fal_captured *captured,
                                        const struct fal_frame_options *options,
                                        uint8_t *scratch, struct fal_frame *frame);

/* The same result for the usual frame: Ethernet with at most one VLAN tag, IPv4 without options
 * or IPv6 without extension headers, UDP at Falcon's port; complete, not fragmented, nothing
 * wrong up to UDP. Returns false for any other frame, which then has to be decoded by layers.
 */
MUST_USE bool fal_frame_decode_usual(const struct fal_captured *captured,
                                     const struct fal_frame_options *options,
                                     struct fal_frame *frame);

/* `wire` where only the fragments to come know it. */
enum { FAL_WIRE_UNKNOWN = INT32_MAX };

/* Takes the next header into `host` and adds its layer. When the bytes end before it, adds the
 * issue and a raw layer, and returns false. */
bool fal_walk_header(struct fal_walk *walk, enum fal_layer_id id, void *host);

/* Adds a layer of `len` bytes, which the caller steps over. */
void fal_walk_push(struct fal_walk *walk, enum fal_layer_id id, size_t len);

/* The bytes end before the `need` of them that a header of `layer` at byte `offset` takes:
 * adds the issue and ends in a raw layer. */
void fal_walk_ended(struct fal_walk *walk, enum fal_layer_id layer, size_t need,
                    uint32_t offset);

/* Steps over `n` bytes, which are there. */
void fal_walk_skip(struct fal_walk *walk, size_t n);

/* Ends in a raw layer. */
void fal_walk_raw(struct fal_walk *walk);

/* Ends in a raw layer because a header, of `layer` at byte `offset`, contradicts itself in
 * `field`. */
void fal_walk_broken(struct fal_walk *walk, enum fal_layer_id layer, const char *field,
                     uint32_t offset);

/* A header says that `n` bytes follow it. What there is beyond them goes to `trailer`. */
void fal_walk_limit(struct fal_walk *walk, size_t n, struct fal_span *trailer);

/* The protocol of the remaining bytes. */
void fal_walk_eth(struct fal_walk *walk);
void fal_walk_sll(struct fal_walk *walk);
void fal_walk_sll2(struct fal_walk *walk);
void fal_walk_ip(struct fal_walk *walk); /* of the version that its first bits say */
void fal_walk_ipv4(struct fal_walk *walk, enum fal_layer_id id); /* outer or inner */
void fal_walk_ipv6(struct fal_walk *walk, enum fal_layer_id id);
void fal_walk_udp(struct fal_walk *walk);
void fal_walk_falcon(struct fal_walk *walk);
void fal_walk_psp(struct fal_walk *walk);
void fal_walk_esp(struct fal_walk *walk);

/* Whether ESP that is left has an SA among the keys: it is then ours to judge. */
bool fal_walk_esp_known(const struct fal_walk *walk);

/* What PSP or ESP had sealed, now that it can be read: by the `next` header, which stands at
 * byte `offset` as `field` of `layer`. */
void fal_walk_opened(struct fal_walk *walk, const char *layer, const struct fal_field *field,
                     unsigned next, uint32_t offset);

/* Where packets that are sealed for a receiver go to. */
struct fal_psp_dst fal_walk_receiver(const struct fal_frame *frame);

/* Lints the outer IP headers, checksum included: only for Falcon packets. Other traffic in a
 * capture is not checked; its checksums are often filled in later by the sender's NIC. */
void fal_walk_lint_ip(struct fal_walk *walk);

/* Adds the issue of a checksum: `over` is the sum over everything, `seen` what stands there. */
void fal_walk_bad_checksum(struct fal_walk *walk, enum fal_layer_id id, const char *field,
                           uint32_t offset, uint16_t over, uint16_t seen);

/* Lints a header's fields, unless linting is off. */
void fal_walk_lint(struct fal_walk *walk, enum fal_layer_id id, const void *host,
                   uint32_t offset);

#endif
