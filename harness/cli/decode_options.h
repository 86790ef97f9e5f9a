/* SPDX-License-Identifier: Apache-2.0
 * decode_options.h - the command line of `talon decode`. */
#ifndef TL_HARNESS_CLI_DECODE_OPTIONS_H
#define TL_HARNESS_CLI_DECODE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct tl_decode_options {
    bool json, full, issues_only, stats;
    const char *psp_keys_path, *esp_keys_path, *out_path, *filter; /* or NULL */
    uint16_t falcon_port;                                          /* 0: the default */
    int fail_on; /* enum fal_severity, or -1 */
};

/* Returns 0 with the options set and optind at the first file; a status above 0: what is wrong
 * was said on standard error; or -1: the usage was asked for. */
int tl_decode_options_read(struct tl_decode_options *out, int argc, char **argv);

/* What `talon help decode` prints. */
const char *tl_decode_usage(void);

#endif
