/* SPDX-License-Identifier: Apache-2.0
 * cmd_capture.h - the actions of `talon capture`. */
#ifndef FAL_FUZZ_FIELD_CMD_CAPTURE_H
#define FAL_FUZZ_FIELD_CMD_CAPTURE_H

#include "fuzz/hunt/hunt_target.h"
#include "harness/doc/options.h"

/* The options of the command line. */
struct fld_command {
    struct hunt_target target; /* first: HUNT_TARGET_OPTIONS */
    uint64_t finding, execs;
    const char *sut_address, *ulp, *requirement;
    struct tl_texts words; /* the action, and the capture */
    const char *capture, *out, *psp_keys, *esp_keys, *connections;
    enum { FLD_TEXT, FLD_JSON } format;
    unsigned falcon_port; /* 0: the default */
    bool drop_keys, replace_sealed;
};

/* Each returns the exit status. */
int fld_scrub(struct fld_command *command);
int fld_index(struct fld_command *command);
int fld_split(struct fld_command *command);
int fld_to_scenario(struct fld_command *command); /* to_scenario.c */

#endif
