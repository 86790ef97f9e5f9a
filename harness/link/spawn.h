/* SPDX-License-Identifier: Apache-2.0
 * spawn.h - starts a child that talks over one socket: a command of the shell, or a fork of
 * this process that serves a library, so that a library which crashes ends only its own
 * process. */
#ifndef TL_HARNESS_LINK_SPAWN_H
#define TL_HARNESS_LINK_SPAWN_H

#include "harness/link/child.h"

/* Serves until the socket closes; returns the exit status of the process. */
typedef int tl_spawn_serve(const char *what, int in, int out);

/* Starts `what` for a child after tl_child_init: with `serve` in a fork, where standard input
 * and output are /dev/null; without, as a command with the socket as its standard input and
 * output. Returns 0, or FAL_ERR_IO with `err`. */
MUST_USE int tl_spawn(struct tl_child *child, tl_spawn_serve *serve, const char *what,
                      struct fal_error *err);

#endif
