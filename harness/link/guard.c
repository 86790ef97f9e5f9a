/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/guard.h"

#include "oracles/params.h"

#include <unistd.h>

#define BURST_NS (10 * FAL_MS)

static uint64_t cost_ns(const struct tl_rate *rate, uint64_t units)
{
    return (units * FAL_S + rate->per_s - 1) / rate->per_s;
}

uint64_t tl_rate_due(const struct tl_rate *rate, uint64_t units, uint64_t now_ns)
{
    uint64_t full_ns;

    if (rate->per_s == 0)
        return now_ns;
    full_ns = rate->full_ns + cost_ns(rate, units);
    return full_ns > now_ns + BURST_NS ? full_ns - BURST_NS : now_ns;
}

void tl_rate_take(struct tl_rate *rate, uint64_t units, uint64_t now_ns)
{
    if (rate->per_s == 0)
        return;
    if (rate->full_ns < now_ns)
        rate->full_ns = now_ns;
    rate->full_ns += cost_ns(rate, units);
}

void tl_guard_init(struct tl_guard *guard, const struct tl_live_options *options)
{
    *guard = (struct tl_guard){.frames = {.per_s = options->frames_per_s},
                               .bytes = {.per_s = options->bytes_per_s}};
    /* A process that the first process of the system started, as a service, has no other parent
     * to watch. */
    if (!options->outlive_parent && getppid() > 1)
        guard->parent = getppid();
}

bool tl_guard_watched(const struct tl_guard *guard)
{
    return guard->parent == 0 || getppid() == guard->parent;
}

uint64_t tl_guard_pass(struct tl_guard *guard, size_t len, uint64_t now_ns)
{
    uint64_t due_ns = tl_rate_due(&guard->frames, 1, now_ns);

    due_ns = tl_rate_due(&guard->bytes, len, due_ns);
    tl_rate_take(&guard->frames, 1, due_ns);
    tl_rate_take(&guard->bytes, len, due_ns);
    return due_ns;
}
