/* SPDX-License-Identifier: Apache-2.0
 * frame_plan.h - inside of fal_frame_encode_with: what is written and where, decided before a
 * byte is. */
#ifndef FAL_CODECS_FRAME_FRAME_PLAN_H
#define FAL_CODECS_FRAME_FRAME_PLAN_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"

/* What is written, and where. */
struct fal_plan {
    const struct fal_frame *frame;
    unsigned keep;
    bool as_is; /* sealed and never opened, or not sealed at all: bytes are those of the wire */
    bool crypt; /* the packet must go through the cipher */
    bool trailer; /* padding, pad length and next header of ESP are written */
    size_t iv;    /* bytes of the IV of ESP */
    size_t icv;   /* bytes of ICV */
    int seal;     /* index of the PSP or ESP layer, or -1 */
    size_t
        at[FAL_LAYERS_MAX + 1]; /* where each layer begins; the last: where the payload does */
    size_t inner_end;           /* where the payload ends, and an inner IP packet */
    size_t padding;             /* bytes of it */
    size_t end;                 /* where the trailer of the frame begins */
};

/* Lays the frame out within `cap` bytes. 0, FAL_ERR_SHORT, FAL_ERR_TYPE, FAL_ERR_KEY. */
MUST_USE int fal_plan_make(struct fal_plan *plan, const struct fal_frame *frame,
                           const struct fal_frame_keys *keys, unsigned keep, size_t cap);

/* Whether ESP seals. */
bool fal_plan_is_esp(const struct fal_plan *plan);

/* Whether the VC is written from psp_vc: not where it is among the sealed bytes, nor where
 * decoding gave up before it and left all in a raw layer. */
bool fal_plan_writes_vc(const struct fal_plan *plan);

/* Where a packet of PSP or ESP goes to. */
struct fal_psp_dst fal_plan_receiver(const struct fal_plan *plan);

#endif
