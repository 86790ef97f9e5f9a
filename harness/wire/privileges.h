/* SPDX-License-Identifier: Apache-2.0
 * privileges.h - what this process may do beyond a user: needed to open some links, and given
 * up when they are open. By the system calls themselves: two sets of bits need no library. */
#ifndef TL_HARNESS_PRIVILEGES_H
#define TL_HARNESS_PRIVILEGES_H

#include "codecs/error.h"

#include <stdbool.h>

enum { TL_HINT_MAX = 700 };

enum tl_privilege {
    TL_PRIVILEGE_RAW,  /* CAP_NET_RAW: frames past the IP stack */
    TL_PRIVILEGE_PORT, /* CAP_NET_BIND_SERVICE: UDP ports below 1024 */
};

/* Whether this process has it. */
bool tl_privilege_has(enum tl_privilege which);

/* What is lacking, and the command that grants it to this program: "it needs CAP_NET_RAW: sudo
 * setcap ...". For a message; `port` counts for TL_PRIVILEGE_PORT. */
void tl_privilege_hint(enum tl_privilege which, unsigned port, char out[TL_HINT_MAX]);

/* Gives up all capabilities of the calling thread, and the right to get any by starting a
 * program. Other threads keep theirs: it comes before they start. With `later` (something is to
 * be started or opened again) they are only laid aside, for tl_privileges_raise. 0, or
 * FAL_ERR_IO with `err`. */
int tl_privileges_drop(bool later, struct fal_error *err);
/* Takes up what was laid aside. */
void tl_privileges_raise(void);

#endif
