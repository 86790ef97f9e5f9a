/* SPDX-License-Identifier: Apache-2.0
 * scrub_frame.h - one frame without its addresses and payload: headers of the protocol stay as
 * they are, all other bytes are replaced by as many others (disguise.h). */
#ifndef TL_HARNESS_FIELD_SCRUB_FRAME_H
#define TL_HARNESS_FIELD_SCRUB_FRAME_H

#include "codecs/frame/frame.h"
#include "harness/capture/capture.h"
#include "harness/field/disguise.h"
#include "harness/field/fresh_keys.h"

struct tl_scrubber {
    struct tl_disguise *disguise;
    struct tl_fresh_keys *fresh;
    struct fal_frame_options given; /* the keys of the capture, and Falcon's port */
    bool replace_sealed;            /* else a sealed packet that no key opens is an error */
    uint8_t *scratch, *plain, *out; /* TL_FRAME_MAX bytes each: opened; the frame before, its
                                       seal opened; and after */
    bool resealed;                  /* of the frame that was scrubbed last */
};

/* Notes the addresses of a frame; to be called for all frames first, in order. Returns 0;
 * FAL_ERR_KEY with `err` (without the file's name) for a sealed packet that no key opens;
 * FAL_ERR_MEM, FAL_ERR_RANGE. */
MUST_USE int tl_scrub_note(struct tl_scrubber *scrubber, const struct tl_captured *got,
                           struct fal_error *err);

/* Writes the scrubbed frame of got->caplen bytes to scrubber->out. Checksums, ICRC and ICV are
 * right where they were, and wrong where they were. Returns 0, or an error with `err` (without
 * the file's name). */
MUST_USE int tl_scrub_frame(struct tl_scrubber *scrubber, const struct tl_captured *got,
                            struct fal_error *err);

#endif
