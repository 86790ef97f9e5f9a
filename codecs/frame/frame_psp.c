/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/frame/frame_walk.h"

enum {
    UNIT = 4,       /* of the crypt offset, bytes */
    NEXT_HEADER = 6 /* where IPv6 has it */
};

/* The crypt offset that leaves version and CID of the Falcon header in the clear (7.1): 1 in
 * transport mode, in a tunnel the inner header more, and 2 more for a cookie. 0 when it cannot
 * be known: another next header, IPv6 with extension headers, or a header that the capture cut.
 * At `inner` the inner header begins; `clear` bytes of it are not sealed, `there` were
 * captured. */
static unsigned due_offset(const struct fal_psp *psp, const uint8_t *inner, size_t clear,
                           size_t there)
{
    unsigned words = psp->v ? 3 : 1, ihl = 5;

    switch (psp->next_header) {
    case FAL_PROTOCOL_FALCON: return words;
    case FAL_PROTOCOL_IPV4:
        if (clear > 0 && there == 0)
            return 0;
        if (clear > 0)
            ihl = inner[0] & 15u;
        return words + (ihl < 5 ? 5 : ihl);
    case FAL_PROTOCOL_IPV6:
        if (clear > NEXT_HEADER &&
            (there <= NEXT_HEADER || inner[NEXT_HEADER] != FAL_PROTOCOL_FALCON))
            return 0;
        return words + 10;
    default: return 0;
    }
}

static void lint_psp(struct fal_walk *walk, uint32_t offset)
{
    const struct fal_psp *psp = &walk->frame->psp;
    size_t vc = psp->v ? FAL_PSP_VC_LEN : 0, clear = psp->crypt_offset * (size_t)UNIT;
    size_t there = walk->left > vc ? walk->left - vc : 0;
    unsigned due;

    if (walk->options->no_lint)
        return;
    fal_walk_lint(walk, FAL_LAYER_PSP, psp, offset);
    if (!fal_psp_encrypts(psp->version))
        return;
    clear = clear > vc ? clear - vc : 0;
    if (clear > there && walk->left == walk->wire)
        clear = there; /* an offset beyond the packet */
    due = due_offset(psp, there > 0 ? walk->at + vc : walk->at, clear, there);
    if (due != 0 && psp->crypt_offset != due)
        fal_lint_add_values(
            &walk->frame->issues, FAL_LINT_CRYPT_OFFSET,
            &(struct fal_lint_at){NULL, "psp", fal_layout_find(&fal_psp_layout, "crypt_offset"),
                                  offset},
            psp->crypt_offset, due);
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

/* The packet stays sealed: the bytes before the crypt offset, and the rest. */
static void stay_sealed(struct fal_walk *walk, size_t clear)
{
    struct fal_frame *frame = walk->frame;

    if (clear > walk->left)
        clear = walk->left;
    frame->psp_clear = (struct fal_span){walk->at, clear};
    frame->payload = (struct fal_span){walk->at + clear, walk->left - clear};
}

/* Takes the ICV off the end of the remaining bytes, as much of it as was captured. */
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
    struct fal_psp_dst dst = fal_walk_receiver(walk->frame);

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
    bool whole = walk->left == walk->wire, vc_clear, open;

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
    open = frame->psp_state == FAL_PSP_GOOD ||
           (frame->psp_state == FAL_PSP_BAD && walk->options->unproven);
    if (open)
        walk->at = walk->scratch;
    vc_clear = open || clear >= vc || !fal_psp_encrypts(psp->version);
    if (psp->v && vc_clear && !take_vc(walk))
        return;
    frame->unauthenticated =
        !fal_psp_encrypts(psp->version) &&
        (frame->psp_state == FAL_PSP_NO_KEY || frame->psp_state == FAL_PSP_TRUNCATED);
    if (open || frame->unauthenticated)
        fal_walk_opened(walk, "psp", &fal_psp_layout.fields[0], psp->next_header, offset);
    else
        stay_sealed(walk, psp->v && vc_clear ? (clear > vc ? clear - vc : 0) : clear);
}
