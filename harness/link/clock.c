/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/clock.h"

#include "harness/link/sockets.h"

enum {
    TRIES = 8,
    MIN_ERROR_NS = 1000, /* the best error that this method can state */
    AGAIN_NS = 100000,   /* the offset is measured again after this time */
};

#define NS_PER_S INT64_C(1000000000)

static int64_t wall_ns(const struct timespec *t)
{
    return (int64_t)t->tv_sec * NS_PER_S + t->tv_nsec;
}

/* Reads the wall clock between two readings of the monotonic clock, so that the offset is known
 * to half of their distance. Repeats while that error is more than `good_ns`, and keeps the
 * best result. */
static uint64_t measure(int64_t *offset_ns, uint64_t good_ns)
{
    uint64_t best = UINT64_MAX;

    for (unsigned i = 0; i < TRIES && best > good_ns; i++) {
        uint64_t before = tl_monotonic_ns(), half;
        struct timespec wall;

        (void)clock_gettime(CLOCK_REALTIME, &wall);
        half = (tl_monotonic_ns() - before) / 2 + 1;
        if (half < best) {
            best = half;
            *offset_ns = wall_ns(&wall) - (int64_t)(before + half);
        }
    }
    return best;
}

void tl_clock_init(struct tl_clock *clock)
{
    uint64_t half = measure(&clock->offset_ns, 0);

    clock->start_ns = tl_monotonic_ns();
    clock->measured_ns = 0;
    clock->error_ns = 2 * half < MIN_ERROR_NS ? MIN_ERROR_NS : 2 * half;
}

uint64_t tl_clock_now(const struct tl_clock *clock)
{
    return tl_monotonic_ns() - clock->start_ns;
}

uint64_t tl_clock_at(struct tl_clock *clock, const struct timespec *stamp)
{
    uint64_t now = tl_clock_now(clock);
    int64_t offset = clock->offset_ns, at;

    if (stamp == NULL)
        return now;
    if (now - clock->measured_ns >= AGAIN_NS) {
        if (measure(&offset, clock->error_ns) <= clock->error_ns)
            clock->offset_ns = offset;
        clock->measured_ns = now;
    }
    at = wall_ns(stamp) - clock->offset_ns - (int64_t)clock->start_ns;
    if (at < 0)
        return 0;
    return (uint64_t)at < now ? (uint64_t)at : now;
}
