/* SPDX-License-Identifier: Apache-2.0
 * scrub.h - `talon capture scrub`: a capture that can be given away. It has the same frames at
 * the same times with the same protocol headers, and neither their addresses nor their payload
 * nor their keys. */
#ifndef TL_HARNESS_FIELD_SCRUB_H
#define TL_HARNESS_FIELD_SCRUB_H

#include "codecs/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct tl_scrub_options {
    const char *in, *out;            /* `out` ends in ".pcapng" if `in` is pcapng */
    const char *psp_keys, *esp_keys; /* files, or NULL */
    unsigned falcon_port;            /* 0: the default */
    bool replace_sealed;             /* of packets that no key opens; else they are an error */
    bool drop_keys;                  /* the fresh keys are not written */
};

struct tl_scrub_result {
    uint64_t frames, resealed;
    /* Files of fresh keys, beside `out`; NULL: not written. The caller frees them. */
    char *psp_keys, *esp_keys;
};

/* Reads `in` twice and writes `out`, which appears whole or not at all, and beside it
 * `out`.psp-keys.json and `out`.esp-keys.json, when packets were sealed again. Comments, names,
 * secrets and other options of pcapng are not copied; what packets and statistics say of drops
 * is. Returns 0, or an error with `err`, which names the file. */
MUST_USE int tl_scrub_file(const struct tl_scrub_options *options,
                           struct tl_scrub_result *result, struct fal_error *err);

#endif
