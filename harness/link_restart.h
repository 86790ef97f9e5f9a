/* SPDX-License-Identifier: Apache-2.0
 * link_restart.h - a SUT that is gone is brought back by a command of the user's. */
#ifndef TL_HARNESS_LINK_RESTART_H
#define TL_HARNESS_LINK_RESTART_H

#include "codecs/error.h"

/* Runs `command` by the shell and waits for its end, half a minute at most: it returns when the
 * SUT may be called again. 0, or FAL_ERR_IO with `err`. */
int tl_restart(const char *command, struct fal_error *err);

#endif
