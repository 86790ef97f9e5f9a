/* SPDX-License-Identifier: Apache-2.0
 * frame_walk.h - inside of fal_frame_decode: where the walk through a frame stands. A layer's
 * walker takes its header and hands what follows to the next one; each ends in exactly one of a
 * Falcon layer, a raw layer, or a PSP layer that stays sealed. */
#ifndef FAL_CODECS_FRAME_WALK_H
#define FAL_CODECS_FRAME_WALK_H

#include "codecs/frame.h"
#include "codecs/lint.h"

struct fal_walk {
    struct fal_frame *frame;
    const struct fal_frame_options *options;
    uint8_t *scratch;
    const uint8_t *at; /* the first byte that no layer has taken */
    size_t left;       /* captured bytes from there to where the innermost length ends */
    size_t wire;       /* those that were on the wire: more than `left` where the capture cut */
    uint32_t offset;   /* of `at` in the frame */
};

/* Takes the next header into `host` and adds its layer. When the bytes end before it, adds the
 * issue and a raw layer, and returns false. */
bool fal_walk_header(struct fal_walk *walk, enum fal_layer_id id, void *host);

/* Steps over `n` bytes, which are there. */
void fal_walk_skip(struct fal_walk *walk, size_t n);

/* Ends in a raw layer. */
void fal_walk_raw(struct fal_walk *walk);

/* Ends in a raw layer because a header, of `layer` at byte `offset`, contradicts itself in
 * `field`. */
void fal_walk_broken(struct fal_walk *walk, enum fal_layer_id layer, const char *field,
                     uint32_t offset);

/* The Falcon packet, and the PSP packet, that all that is left is. */
void fal_walk_falcon(struct fal_walk *walk);
void fal_walk_psp(struct fal_walk *walk);

/* Lints a header's fields, unless linting is off. */
void fal_walk_lint(struct fal_walk *walk, enum fal_layer_id id, const void *host,
                   uint32_t offset);

#endif
