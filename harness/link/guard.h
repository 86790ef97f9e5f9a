/* SPDX-License-Identifier: Apache-2.0
 * guard.h - limits what the tester sends: at most a given number of frames and bytes a second,
 * and nothing once the process that started it is gone (a dead-man switch). */
#ifndef TL_HARNESS_LINK_GUARD_H
#define TL_HARNESS_LINK_GUARD_H

#include "harness/link/live_options.h"

#include <sys/types.h>

/* A rate limit. Units may leave as early as it allows; a burst of a hundredth of a second is
 * accepted. */
struct tl_rate {
    uint64_t per_s;   /* 0: no limit */
    uint64_t full_ns; /* the time at which all that has left would have left at this rate */
};

/* The earliest time at which `units` may leave; never before now_ns. */
uint64_t tl_rate_due(const struct tl_rate *rate, uint64_t units, uint64_t now_ns);
/* Records that `units` leave. */
void tl_rate_take(struct tl_rate *rate, uint64_t units, uint64_t now_ns);

struct tl_guard {
    struct tl_rate frames, bytes;
    pid_t parent; /* 0: the parent process is not watched */
};

void tl_guard_init(struct tl_guard *guard, const struct tl_live_options *options);

/* Returns whether the process that started this one still exists. */
bool tl_guard_watched(const struct tl_guard *guard);

/* Returns when a frame of `len` bytes may leave, and counts it as sent. */
uint64_t tl_guard_pass(struct tl_guard *guard, size_t len, uint64_t now_ns);

#endif
