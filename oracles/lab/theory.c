/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/lab/theory.h"

#define PS_PER_TICK 131072.0
#define PS_PER_S    1e12

enum { HALVINGS = 60 };

static double target_ps(const struct fal_swift *swift, const struct fal_lab_case *c,
                        double window)
{
    return PS_PER_TICK *
           fal_swift_target(swift, (uint32_t)swift->params.base_delay_target, window, c->hops);
}

struct fal_lab_rest fal_lab_theory(const struct fal_swift *swift, const struct fal_lab_case *c)
{
    double serial = c->bytes * 8.0 * PS_PER_S / (double)c->rate_bps;
    double low = swift->params.min_fcwnd, high = swift->params.max_fcwnd, target;
    struct fal_lab_rest rest;

    /* The target falls while the window rises, so there is one solution. */
    for (unsigned i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;

        if (middle * serial * c->flows < target_ps(swift, c, middle))
            low = middle;
        else
            high = middle;
    }
    target = target_ps(swift, c, low);
    rest.window = low;
    rest.queue_ps = target - (double)c->base_ps - serial;
    rest.interior = low > swift->params.min_fcwnd * 1.01 &&
                    low < swift->params.max_fcwnd * 0.99 && rest.queue_ps > 0;
    return rest;
}
