/* SPDX-License-Identifier: Apache-2.0
 * cc_child.h - a Rate Update Engine in a process of its own. */
#ifndef TL_HARNESS_CC_CC_CHILD_H
#define TL_HARNESS_CC_CC_CHILD_H

#include "oracles/cc/swift.h"

#include <stdbool.h>

struct tl_cc_child;

struct tl_cc_child_config {
    bool library;     /* talon_rue.h; else a command of the shell */
    const char *what; /* the file, or the command */
    enum fal_cc_format format;
    const struct fal_swift_params *params;
    unsigned answer_s; /* seconds for each answer; 0: 30 */
};

/* Starts the engine and configures it. Returns 0, or FAL_ERR_IO, FAL_ERR_MEM with `err`. */
MUST_USE int tl_cc_child_open(struct tl_cc_child **out, const struct tl_cc_child_config *config,
                              struct fal_error *err);
/* NULL is allowed. */
void tl_cc_child_close(struct tl_cc_child *child);
/* The result of an event. Returns 0, or FAL_ERR_IO with `err`. */
MUST_USE int tl_cc_child_ask(struct tl_cc_child *child, bool reset, uint32_t now,
                             const uint8_t event[FAL_CC_ENTRY_LEN],
                             uint8_t result[FAL_CC_ENTRY_LEN], struct fal_error *err);

/* Serves the engine in the library on that socket until it closes: the same lines as a program
 * reads and writes. Returns the exit status of the process. */
int tl_cc_serve(const char *path, int in, int out);

#endif
