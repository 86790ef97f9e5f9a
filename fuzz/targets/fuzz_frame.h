/* SPDX-License-Identifier: Apache-2.0
 * fuzz_frame.h - what an input of fuzz_frame looks like: shared with make_corpus, which writes
 * the first ones. */
#ifndef FAL_FUZZ_TARGETS_FUZZ_FRAME_H
#define FAL_FUZZ_TARGETS_FUZZ_FRAME_H

#include "codecs/frame/sample_frames_test.h"
#include "codecs/seal/esp.h"

/* The first byte: link type (modulo), and switches. The second: bytes that the capture cut. */
enum {
    FUZZ_FRAME_HEAD = 2,
    FUZZ_FRAME_MAX = 16384,
    FUZZ_FRAME_LINKTYPES = 5,
    FUZZ_FRAME_NO_LINT = 0x10,
    FUZZ_FRAME_KEYS = 0x20,
    FUZZ_FRAME_CUT = 0x40,
    FUZZ_FRAME_NO_SCRATCH = 0x80,
};

static const unsigned fuzz_frame_linktypes[FUZZ_FRAME_LINKTYPES] = {
    FAL_LINKTYPE_ETHERNET, FAL_LINKTYPE_RAW, FAL_LINKTYPE_USER0, FAL_LINKTYPE_SLL,
    FAL_LINKTYPE_SLL2};

/* Keys for what make_corpus seals; the caller frees both. */
static inline struct fal_frame_keys fuzz_frame_keys(void)
{
    return (struct fal_frame_keys){.psp = sample_keys(), .esp = sample_esp_keys()};
}

#endif
