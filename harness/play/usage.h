/* SPDX-License-Identifier: Apache-2.0
 * usage.h - upper limits of what a case demands of its connection, counted over its steps: so
 * many transactions, so long a payload. A window or a buffer that holds as much never acts. */
#ifndef TL_HARNESS_PLAY_USAGE_H
#define TL_HARNESS_PLAY_USAGE_H

#include "harness/play/interp.h"

struct tl_usage {
    uint64_t pushes[2], pulls[2]; /* transactions, by enum tl_side of their initiator */
    uint64_t longest;             /* payload of a packet, in bytes */
};

enum { TL_USAGE_UNKNOWN = INT32_MAX }; /* a count that the steps do not limit */

/* The interpreter has been initialised; no step has been played. */
struct tl_usage tl_usage_of(const struct tl_interp *interp);
/* The same of all connections of the case together, also of its copies: they may share the
 * resources of the device (8.2.2). */
struct tl_usage tl_usage_of_device(const struct tl_interp *interp);

#endif
