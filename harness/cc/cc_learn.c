/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cc/cc_learn.h"

#include <math.h>

enum {
    TRIMMED = 10,     /* one of so many exclusions may be wrong on a live link */
    FRACTIONS = 1024, /* units of fcwnd in a packet */
};

/* ---- bounds ---- */

/* Keeps the largest values (sign 1), or the smallest ones (-1). Returns the bound: of those
 * that a disturbance may have made, the least far out. */
static double keep(struct tl_cc_extremes *e, double value, int sign, bool live)
{
    unsigned count = e->seen < TL_CC_KEPT ? e->seen : TL_CC_KEPT, at = count, out;

    while (at > 0 && sign * value > sign * e->value[at - 1])
        at--;
    if (at < TL_CC_KEPT) {
        count = count < TL_CC_KEPT ? count + 1 : count;
        for (unsigned i = count - 1; i > at; i--)
            e->value[i] = e->value[i - 1];
        e->value[at] = value;
    }
    e->seen++;
    out = live ? e->seen / TRIMMED : 0;
    return e->value[out < count ? out : count - 1];
}

static void at_least(struct tl_cc_measure *m, unsigned which, double value)
{
    double bound = keep(&m->lows[which], value, 1, m->exact.live);

    m->of[which].lo = fmax(bound, 0);
}

static void at_most(struct tl_cc_measure *m, unsigned which, double value)
{
    double bound = keep(&m->highs[which], value, -1, m->exact.live);

    m->of[which].hi = which == TL_CC_BETA || which == TL_CC_MDF ? fmin(bound, 1) : bound;
}

double tl_cc_flow_scaling(const struct fal_swift_params *p, double window)
{
    double last = 1 / sqrt(p->max_flow_scaling_window);
    double alpha = p->max_flow_scaling / (1 / sqrt(p->min_flow_scaling_window) - last);

    return fmin(fmax(alpha * (1 / sqrt(window) - last), 0), p->max_flow_scaling);
}

double tl_cc_flow_at(const struct tl_cc_measure *m, double window)
{
    return tl_cc_flow_scaling(&m->declared->params, window);
}

/* ---- what a round excludes ---- */

/* In a rise, each packet adds 2 * increment + (increment / window)^2 to the square of the
 * window, or more where an event counts several; rounding to 1/1024 moves it either way. */
void tl_cc_learn_rise(struct tl_cc_measure *m, unsigned to)
{
    double from = m->rise_from, rounding = (to + 2.0) / FRACTIONS, least, most;

    if (m->acked <= 0)
        return;
    least = ((double)to * to - (from + 1) * (from + 1)) / m->acked - rounding;
    most = ((to + 1.0) * (to + 1) - from * from) / m->acked + rounding;
    at_most(m, TL_CC_INCREMENT, most / 2);
    if (least > 0)
        at_least(m, TL_CC_INCREMENT,
                 least / (2 + fmin(least / 2, m->of[TL_CC_INCREMENT].hi) / from));
}

/* Keeps the share of a fall for the picture. */
static void draw_fall(struct tl_cc_measure *m, unsigned from, unsigned to)
{
    struct tl_cc_seen *p = &m->picture;
    double share = 1 - (to + 0.5) / (from + 0.5);
    unsigned i = 0;

    while (i < p->n_falls && fabs(p->falls[i].delay - m->told.delay) > m->told.delay / 50)
        i++;
    if (i == TL_CC_POINTS)
        return;
    if (i == p->n_falls)
        p->falls[p->n_falls++] = (struct tl_cc_fall){.delay = m->told.delay};
    p->falls[i].sum += share;
    p->falls[i].squares += share * share;
    p->falls[i].windows += from + 0.5;
    p->falls[i].count++;
}

/* One fall from a count to the next, at the delay of the step. A window loses the share
 * min(beta * (1 - target / delay), mdf). */
void tl_cc_learn_fall(struct tl_cc_measure *m, unsigned from, unsigned to)
{
    const struct tl_cc_range *beta = &m->of[TL_CC_BETA], *mdf = &m->of[TL_CC_MDF];
    struct tl_cc_range base = m->of[TL_CC_BASE_TARGET];
    double least = 1 - (to + 1.0) / from, most = 1 - to / (from + 1.0);
    double delay = m->told.delay, excess_lo, excess_hi;

    draw_fall(m, from, to);
    excess_hi = 1 - (base.lo + tl_cc_flow_at(m, from + 1)) / (delay + m->over);
    excess_lo = 1 - (base.hi + tl_cc_flow_at(m, from)) / (delay - m->exact.under);
    at_least(m, TL_CC_MDF, least);
    if (excess_hi > 0)
        at_least(m, TL_CC_BETA, least / excess_hi);
    if (excess_lo > 0 && most < mdf->lo)
        at_most(m, TL_CC_BETA, most / excess_lo);
    /* The fall is less than beta asks for: mdf limits it. */
    if (excess_lo > 0 && most < beta->lo * excess_lo)
        at_most(m, TL_CC_MDF, most);
}

unsigned tl_cc_bisected(const struct tl_cc_measure *m)
{
    return m->step.hops == 0 ? TL_CC_BASE_TARGET : TL_CC_WITH_HOPS;
}

/* The window rose at a delay: the target is no shorter. */
void tl_cc_learn_risen(struct tl_cc_measure *m)
{
    at_least(m, tl_cc_bisected(m), m->told.delay - m->exact.under - tl_cc_flow_at(m, m->least));
}

void tl_cc_learn_not_risen(struct tl_cc_measure *m, unsigned most)
{
    at_most(m, tl_cc_bisected(m), m->told.delay + m->over_most - tl_cc_flow_at(m, most + 1.0));
}

void tl_cc_draw_probe(struct tl_cc_measure *m, bool rose)
{
    struct tl_cc_seen *p = &m->picture;

    if (p->n_probes < TL_CC_POINTS)
        p->probes[p->n_probes++] = (struct tl_cc_probe){
            .delay = m->told.delay, .window = m->start, .hops = m->told.hops, .rose = rose};
}

/* Two targets have the same error of the path, so that their difference has none. */
static void learn_hops(struct tl_cc_measure *m)
{
    const struct tl_cc_range *base = &m->of[TL_CC_BASE_TARGET], *hops = &m->of[TL_CC_WITH_HOPS];

    at_least(m, TL_CC_PER_HOP, (hops->lo - base->hi) / TL_CC_HOPS);
    at_most(m, TL_CC_PER_HOP, (hops->hi - base->lo) / TL_CC_HOPS);
}

/* Where disturbances have excluded all values, the estimate lies between the two bounds. */
void tl_cc_learn_end(struct tl_cc_measure *m)
{
    learn_hops(m);
    for (int i = 0; i < TL_CC_BOUNDS && m->exact.live; i++) {
        struct tl_cc_range range = m->of[i];

        m->of[i] = (struct tl_cc_range){fmin(range.lo, range.hi), fmax(range.lo, range.hi)};
    }
}

/* ---- names ---- */

static const char *const names[TL_CC_MEASURED] = {
    [TL_CC_BASE_TARGET] = "base_delay_target",
    [TL_CC_PER_HOP] = "topology_scaling_per_hop",
    [TL_CC_INCREMENT] = "fabric_additive_increment",
    [TL_CC_BETA] = "fabric_multiplicative_decrease_factor",
    [TL_CC_MDF] = "max_fabric_multiplicative_decrease_factor",
    [TL_CC_LEVEL] = "target_rx_buffer_level",
};

const char *tl_cc_measured_name(enum tl_cc_measured which)
{
    return names[which];
}

double tl_cc_measured_declared(const struct tl_cc_declared *declared, enum tl_cc_measured which)
{
    return fal_swift_param_get(fal_swift_param_find(names[which]), &declared->params);
}

bool tl_cc_measured_outside(const struct tl_cc_measure *m, enum tl_cc_measured which)
{
    double declared = tl_cc_measured_declared(m->declared, which);
    struct tl_cc_range range = m->of[which];

    return m->declared->given[which] && (declared < range.lo || declared > range.hi);
}
