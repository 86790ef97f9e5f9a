/* SPDX-License-Identifier: Apache-2.0
 * privileges.h - the capabilities of this process: some links need them to be opened, and they
 * are dropped afterwards. Uses the system calls directly, because two sets of bits need no
 * library. */
#ifndef TL_HARNESS_WIRE_PRIVILEGES_H
#define TL_HARNESS_WIRE_PRIVILEGES_H

#include "codecs/base/error.h"

#include <stdbool.h>

enum { TL_HINT_MAX = 700 };

enum tl_privilege {
    TL_PRIVILEGE_RAW,  /* CAP_NET_RAW: frames that bypass the IP stack */
    TL_PRIVILEGE_PORT, /* CAP_NET_BIND_SERVICE: UDP ports below 1024 */
};

/* Returns whether this process has the privilege. */
bool tl_privilege_has(enum tl_privilege which);

/* Writes what is missing and the command that grants it to this program: "it needs CAP_NET_RAW:
 * sudo setcap ...". `port` is used for TL_PRIVILEGE_PORT. */
void tl_privilege_hint(enum tl_privilege which, unsigned port, char out[TL_HINT_MAX]);

/* Drops all capabilities of the calling thread, and the ability to gain any by starting a
 * program. Other threads keep theirs, so call it before they start. With `later` (something
 * will be started or opened again) they are only made ineffective until tl_privileges_raise.
 * Returns 0, or FAL_ERR_IO with `err`. */
MUST_USE int tl_privileges_drop(bool later, struct fal_error *err);
/* Makes the capabilities effective again. */
void tl_privileges_raise(void);

#endif
