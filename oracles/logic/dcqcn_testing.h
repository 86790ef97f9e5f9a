/* SPDX-License-Identifier: Apache-2.0
 * dcqcn_testing.h - a DCQCN sender of tests, written from the parameters of
 * oracles/beyond/dcqcn.h and the paper they cite. It steps through time by fixed quanta, and
 * shares nothing with oracles/cc/dcqcn.c. Only the choices of the paper: alpha rises at the
 * CNP, each CNP cuts, no hyper increase. */
#ifndef FAL_ORACLES_LOGIC_DCQCN_TESTING_H
#define FAL_ORACLES_LOGIC_DCQCN_TESTING_H

#include "oracles/beyond/dcqcn.h"

#include <stdbool.h>

struct dcqcn_end {
    struct fal_dcqcn p;
    double rc, rt, alpha;
    bool begun;
    uint64_t alpha_left, timer_left; /* ns */
    uint64_t bytes;
    unsigned by_timer, by_bytes;
};

static inline void dcqcn_begin(struct dcqcn_end *e, const struct fal_dcqcn *p)
{
    *e = (struct dcqcn_end){.p = *p,
                            .rc = (double)p->line_rate_bps,
                            .rt = (double)p->line_rate_bps,
                            .alpha = p->alpha_start_1024 / 1024.0};
}

static inline void dcqcn_rise(struct dcqcn_end *e)
{
    if (e->by_timer >= e->p.stages || e->by_bytes >= e->p.stages)
        e->rt += (double)e->p.rai_bps;
    if (e->rt > (double)e->p.line_rate_bps)
        e->rt = (double)e->p.line_rate_bps;
    e->rc = 0.5 * (e->rc + e->rt);
}

/* The quantum that ends now. */
static inline void dcqcn_pass(struct dcqcn_end *e, uint64_t ns)
{
    if (!e->begun)
        return;
    e->alpha_left -= ns;
    if (e->alpha_left == 0) {
        e->alpha *= e->p.g_1024 / 1024.0;
        e->alpha_left = e->p.alpha_period_ns;
    }
    e->timer_left -= ns;
    if (e->timer_left == 0) {
        e->timer_left = e->p.timer_ns;
        e->by_timer++;
        dcqcn_rise(e);
    }
}

static inline void dcqcn_cnp(struct dcqcn_end *e)
{
    double g = e->p.g_1024 / 1024.0;

    e->begun = true;
    e->rt = e->rc;
    e->rc *= 1 - e->alpha / 2;
    if (e->rc < (double)e->p.min_rate_bps)
        e->rc = (double)e->p.min_rate_bps;
    e->alpha = g * e->alpha + 1 - g;
    e->alpha_left = e->p.alpha_period_ns;
    e->timer_left = e->p.timer_ns;
    e->bytes = 0;
    e->by_timer = e->by_bytes = 0;
}

static inline void dcqcn_bytes(struct dcqcn_end *e, uint64_t bytes)
{
    if (!e->begun)
        return;
    e->bytes += bytes;
    if (e->bytes >= e->p.byte_counter) {
        e->bytes -= e->p.byte_counter;
        e->by_bytes++;
        dcqcn_rise(e);
    }
}

#endif
