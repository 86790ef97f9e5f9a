/* SPDX-License-Identifier: Apache-2.0
 * sut_timer.h - answers that the scripted ULP gives later: a heap ordered by time; at equal
 * times, by the order in which they were added. */
#ifndef TL_HARNESS_SUT_SUT_TIMER_H
#define TL_HARNESS_SUT_SUT_TIMER_H

#include "codecs/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_sut_timer {
    uint64_t at_ns, order;
    uint32_t conn, rsn;
};

struct tl_sut_timers {
    struct tl_sut_timer *heap;
    size_t count, cap;
    uint64_t order;
};

/* Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_sut_timers_add(struct tl_sut_timers *timers, uint64_t at_ns, uint32_t conn,
                               uint32_t rsn);
/* Returns the earliest time, or FAL_NEVER. */
uint64_t tl_sut_timers_next(const struct tl_sut_timers *timers);
/* Removes the earliest entry, which must exist, and returns it. */
struct tl_sut_timer tl_sut_timers_take(struct tl_sut_timers *timers);
/* Removes the entries of a connection. */
void tl_sut_timers_drop(struct tl_sut_timers *timers, uint32_t conn);
void tl_sut_timers_free(struct tl_sut_timers *timers);

#endif
