/* SPDX-License-Identifier: Apache-2.0
 * keeper.h - a SUT that is gone is brought back by a command of the user's. What the
 * command leaves running lives no longer than the tester: a keeper, a process of its own, waits
 * for the tester's end, however it comes, and takes all that with it. */
#ifndef TL_HARNESS_LINK_RESTART_H
#define TL_HARNESS_LINK_RESTART_H

#include "codecs/error.h"

#include <stdbool.h>
#include <sys/types.h>

struct tl_keeper {
    pid_t pid; /* 0: there is none */
    int life;  /* open as long as the tester lives */
};

/* Ends what an earlier command left, runs `command` by the shell and waits for its end, half a
 * minute at most: it returns when the SUT may be called again. 0, or FAL_ERR_IO with `err`.
 * Call where no other thread runs. */
int tl_restart(struct tl_keeper *keeper, const char *command, struct fal_error *err);

/* Ends what the command left, at once. */
void tl_keeper_end(struct tl_keeper *keeper);

/* The same for children in lockstep, which come and go with the cases: a process that is told
 * of their process groups, and kills those that are left when the tester is gone. */
struct tl_warden {
    pid_t pid; /* 0: there is none */
    int fd;    /* where it is told */
};

/* Call where no other thread runs. 0, or FAL_ERR_IO with `err`. */
int tl_warden_start(struct tl_warden *warden, struct fal_error *err);
/* Any thread; fd 0: nobody is told. */
void tl_warden_tell(int fd, pid_t group, bool begins);
void tl_warden_end(struct tl_warden *warden);

#endif
