/* SPDX-License-Identifier: Apache-2.0
 * decode_options.h - the options of `talon decode`. */
#ifndef TL_HARNESS_CLI_DECODE_OPTIONS_H
#define TL_HARNESS_CLI_DECODE_OPTIONS_H

#include "harness/doc/options.h"

enum tl_decode_format { TL_DECODE_TEXT, TL_DECODE_FULL, TL_DECODE_JSON };

struct tl_decode_options {
    struct tl_texts files; /* none: standard input */
    enum tl_decode_format format;
    bool exact, issues_only, stats, has_fail_on;
    const char *psp_keys_path, *esp_keys_path, *out_path, *filter; /* or NULL */
    unsigned falcon_port;                                          /* 0: the default */
    int fail_on; /* enum fal_severity; see has_fail_on */
};

extern const struct tl_options tl_decode_options;

#endif
