/* SPDX-License-Identifier: Apache-2.0
 * guard.h - what keeps a tester from harm: no more frames and bytes a second than allowed,
 * and none at all once nobody watches it (a dead-man stop). */
#ifndef TL_HARNESS_LINK_GUARD_H
#define TL_HARNESS_LINK_GUARD_H

#include "harness/link/live_options.h"

#include <sys/types.h>

/* A rate: units leave no earlier than this says; up to a 100th of a second's worth may come at
 * once. */
struct tl_rate {
    uint64_t per_s;   /* 0: no limit */
    uint64_t full_ns; /* when all that has left would have left at that rate */
};

/* When `units` may leave, at the earliest; not before now_ns. */
uint64_t tl_rate_due(const struct tl_rate *rate, uint64_t units, uint64_t now_ns);
/* They leave. */
void tl_rate_take(struct tl_rate *rate, uint64_t units, uint64_t now_ns);

struct tl_guard {
    struct tl_rate frames, bytes;
    pid_t parent; /* 0: its end does not matter */
};

void tl_guard_init(struct tl_guard *guard, const struct tl_live_options *options);

/* Whether the process that began this one is still there. */
bool tl_guard_watched(const struct tl_guard *guard);

/* When a frame of `len` bytes may leave, which then counts as gone. */
uint64_t tl_guard_pass(struct tl_guard *guard, size_t len, uint64_t now_ns);

#endif
