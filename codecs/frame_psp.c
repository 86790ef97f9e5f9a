/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/frame_walk.h"

enum {
    NEXT_IPV4 = 4,
    NEXT_IPV6 = 41,
    NEXT_FALCON = 252,
    UNIT = 4 /* of the crypt offset, bytes */
};

/* What the PSP payload is, now that it can be read. Tunnels stay raw. */
static void walk_next(struct fal_walk *walk)
{
    struct fal_frame *frame = walk->frame;
    const struct fal_layer *psp = fal_frame_layer(frame, FAL_LAYER_PSP);
    unsigned next = frame->psp.next_header;

    if (next == NEXT_FALCON) {
        fal_walk_falcon(walk);
        return;
    }
    if (next != NEXT_IPV4 && next != NEXT_IPV6)
        fal_lint_add_values(&frame->issues, FAL_LINT_NEXT_HEADER, NULL, "psp",
                            fal_layout_find(&fal_psp_layout, "next_header"), psp->offset,
                            fal_u128_from(next), fal_u128_from(NEXT_FALCON));
    fal_walk_raw(walk);
}

static void lint_psp(struct fal_walk *walk, uint32_t offset)
{
    const struct fal_psp *psp = &walk->frame->psp;
    unsigned due = psp->v ? 3 : 1; /* 7.1, transport mode: a VC in the clear, then 4 bytes */

    if (walk->options->no_lint)
        return;
    fal_walk_lint(walk, FAL_LAYER_PSP, psp, offset);
    if (psp->next_header == NEXT_FALCON && fal_psp_encrypts(psp->version) &&
        psp->crypt_offset != due)
        fal_lint_add_values(&walk->frame->issues, FAL_LINT_CRYPT_OFFSET, NULL, "psp",
                            fal_layout_find(&fal_psp_layout, "crypt_offset"), offset,
                            fal_u128_from(psp->crypt_offset), fal_u128_from(due));
}

/* Where packets with these keys go to. */
static struct fal_psp_dst receiver(const struct fal_frame *frame)
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

/* The VC, which stands readable at `walk`: its bytes become part of the PSP layer. False where
 * the capture cut it: the rest is then raw. */
static bool take_vc(struct fal_walk *walk)
{
    struct fal_layer *layer = &walk->frame->layers[walk->frame->num_layers - 1];

    if (walk->left < FAL_PSP_VC_LEN) {
        fal_lint_add(&walk->frame->issues, FAL_LINT_CAPTURED_SHORT, NULL, "psp", NULL,
                     layer->offset);
        fal_walk_raw(walk);
        return false;
    }
    fal_psp_vc_layout.decode(walk->at, &walk->frame->psp_vc);
    layer->len += FAL_PSP_VC_LEN;
    fal_walk_skip(walk, FAL_PSP_VC_LEN);
    return true;
}

/* The packet stays sealed: what stands before the crypt offset, and the rest. */
static void stay_sealed(struct fal_walk *walk, size_t clear)
{
    struct fal_frame *frame = walk->frame;

    if (clear > walk->left)
        clear = walk->left;
    frame->psp_clear = (struct fal_span){walk->at, clear};
    frame->payload = (struct fal_span){walk->at + clear, walk->left - clear};
}

/* Takes the ICV off the end of what is left, as much of it as was captured. */
static void take_icv(struct fal_walk *walk)
{
    size_t before = walk->wire - FAL_PSP_ICV_LEN;

    if (walk->left > before) {
        walk->frame->psp_icv = (struct fal_span){walk->at + before, walk->left - before};
        walk->left = before;
    }
    walk->wire = before;
}

static enum fal_psp_state open_packet(struct fal_walk *walk, const uint8_t *packet, size_t len,
                                      bool whole)
{
    struct fal_psp_dst dst = receiver(walk->frame);

    if (!whole)
        return FAL_PSP_TRUNCATED;
    if (walk->options->psp_keys == NULL || walk->scratch == NULL)
        return FAL_PSP_NO_KEY;
    return fal_psp_open_to(walk->options->psp_keys, &dst, packet, len, walk->scratch);
}

static void bad_icv(struct fal_walk *walk)
{
    struct fal_frame *frame = walk->frame;

    fal_lint_add(&frame->issues, FAL_LINT_ICV, NULL, "psp", NULL,
                 walk->offset + (uint32_t)walk->wire);
    frame->damaged = true;
}

void fal_walk_psp(struct fal_walk *walk)
{
    struct fal_frame *frame = walk->frame;
    struct fal_psp *psp = &frame->psp;
    const uint8_t *packet = walk->at;
    uint32_t offset = walk->offset;
    size_t len = walk->wire, clear, vc;
    bool whole = walk->left == walk->wire, vc_clear;

    if (!fal_walk_header(walk, FAL_LAYER_PSP, psp))
        return;
    lint_psp(walk, offset);
    vc = psp->v ? FAL_PSP_VC_LEN : 0;
    clear = psp->crypt_offset * (size_t)UNIT;
    if (psp->hdr_ext_len != 1 + vc / 8 ||
        walk->wire < FAL_PSP_ICV_LEN + (clear > vc ? clear : vc)) {
        bool ext = psp->hdr_ext_len != 1 + vc / 8;

        frame->psp_state = FAL_PSP_BAD;
        fal_walk_broken(walk, FAL_LAYER_PSP, ext ? "hdr_ext_len" : "crypt_offset", offset);
        return;
    }
    take_icv(walk);
    frame->psp_state = open_packet(walk, packet, len, whole);
    if (frame->psp_state == FAL_PSP_BAD)
        bad_icv(walk);
    if (frame->psp_state == FAL_PSP_GOOD)
        walk->at = walk->scratch;
    vc_clear =
        frame->psp_state == FAL_PSP_GOOD || clear >= vc || !fal_psp_encrypts(psp->version);
    if (psp->v && vc_clear && !take_vc(walk))
        return;
    frame->unauthenticated =
        !fal_psp_encrypts(psp->version) &&
        (frame->psp_state == FAL_PSP_NO_KEY || frame->psp_state == FAL_PSP_TRUNCATED);
    if (frame->psp_state == FAL_PSP_GOOD || frame->unauthenticated)
        walk_next(walk);
    else
        stay_sealed(walk, psp->v && vc_clear ? (clear > vc ? clear - vc : 0) : clear);
}
