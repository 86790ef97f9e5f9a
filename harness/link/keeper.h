/* SPDX-License-Identifier: Apache-2.0
 * keeper.h - restarts a SUT with a command of the user (--sut-exec). Processes that the command
 * leaves running must not outlive the tester: the keeper, a process of its own, waits for the
 * tester to end, for whatever reason, and kills them. */
#ifndef TL_HARNESS_LINK_KEEPER_H
#define TL_HARNESS_LINK_KEEPER_H

#include "codecs/base/error.h"

#include <stdbool.h>
#include <sys/types.h>

struct tl_keeper {
    pid_t pid; /* 0: there is no keeper */
    int life;  /* a pipe that is open as long as the tester lives */
};

/* Kills what an earlier command left running, runs `command` in the shell and waits until it
 * ends, at most 30 s: when it returns, the SUT must accept connections again. Returns 0, or
 * FAL_ERR_IO with `err`. Call it while no other thread runs. */
MUST_USE int tl_restart(struct tl_keeper *keeper, const char *command, struct fal_error *err);

/* Kills what the command left running, at once. */
void tl_keeper_end(struct tl_keeper *keeper);

/* The same for SUTs in lockstep (`exec:`), whose processes start and end with the cases: the
 * warden, a process of its own, is told their process groups and kills those that are left when
 * the tester ends. */
struct tl_warden {
    pid_t pid; /* 0: there is no warden */
    int fd;    /* the pipe to the warden */
};

/* Call it while no other thread runs. Returns 0, or FAL_ERR_IO with `err`. */
MUST_USE int tl_warden_start(struct tl_warden *warden, struct fal_error *err);
/* May be called by any thread. fd 0: there is no warden, and nothing is done. */
void tl_warden_tell(int fd, pid_t group, bool begins);
void tl_warden_end(struct tl_warden *warden);

#endif
