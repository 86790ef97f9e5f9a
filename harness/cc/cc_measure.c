/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cc/cc_measure.h"

#include <math.h>

/* Counts between which a sender is kept. A receive window of pushes has 128 packets. */
enum { HOPS = 15, LEVELS = 32 };
static const struct tl_cc_counts {
    unsigned low, middle, high;
} many = {10, 30, 60}, few = {6, 12, 24}; /* few: on a live link */
enum {
    CYCLES = 4,
    PROBES = 40,
    BETA_TIMES = 8,
    LEVEL_ROUNDS = 4,
    STAYS = 10,

    SETTLE = 3,
    TRIMMED = 10,     /* one of so many exclusions may be wrong then */
    STUCK = 300,      /* rounds in which a window must fall, */
    STUCK_LOW = 3000, /* ... or rise */
    ROUNDS_MAX = 60000
};
enum { LOWERING = 600 /* rounds in which the highest level must have lowered ncwnd */ };
/* A delay below each target, in ticks, that may be told on a live link. */
enum { LOW_LIVE = 2 };
enum { FRACTIONS = 1024 /* units of fcwnd in a packet */ };

enum { OPEN, FALL, RISE, TARGET, TARGET_HOPS, BETA_FALL, BETA_RISE, LEVEL, END };

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

static double flow(const struct tl_cc_measure *m, double window)
{
    return tl_cc_flow_scaling(&m->declared->params, window);
}

/* ---- what a round excludes ---- */

/* In a rise, each packet adds 2 * increment + (increment / window)^2 to the square of the
 * window, or more where an event counts several; rounding to 1/1024 moves it either way. */
static void learn_rise(struct tl_cc_measure *m, unsigned to)
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
static void learn_fall(struct tl_cc_measure *m, unsigned from, unsigned to)
{
    const struct tl_cc_range *beta = &m->of[TL_CC_BETA], *mdf = &m->of[TL_CC_MDF];
    struct tl_cc_range base = m->of[TL_CC_BASE_TARGET];
    double least = 1 - (to + 1.0) / from, most = 1 - to / (from + 1.0);
    double delay = m->told.delay, excess_lo, excess_hi;

    draw_fall(m, from, to);
    excess_hi = 1 - (base.lo + flow(m, from + 1)) / (delay + m->over);
    excess_lo = 1 - (base.hi + flow(m, from)) / (delay - m->exact.under);
    at_least(m, TL_CC_MDF, least);
    if (excess_hi > 0)
        at_least(m, TL_CC_BETA, least / excess_hi);
    if (excess_lo > 0 && most < mdf->lo)
        at_most(m, TL_CC_BETA, most / excess_lo);
    /* The fall is less than beta asks for: mdf limits it. */
    if (excess_lo > 0 && most < beta->lo * excess_lo)
        at_most(m, TL_CC_MDF, most);
}

static unsigned target_of(const struct tl_cc_measure *m)
{
    return m->phase == TARGET ? TL_CC_BASE_TARGET : TL_CC_WITH_HOPS;
}

/* The window rose at a delay: the target is no shorter. */
static void learn_risen(struct tl_cc_measure *m)
{
    at_least(m, target_of(m), m->told.delay - m->exact.under - flow(m, m->least));
}

static void learn_not_risen(struct tl_cc_measure *m, unsigned most)
{
    at_most(m, target_of(m), m->told.delay + m->over_most - flow(m, most + 1.0));
}

/* ---- phases ---- */

/* A delay below each target. It is not so short that an error makes it negative. */
static double low(const struct tl_cc_measure *m)
{
    return m->exact.live ? LOW_LIVE : ceil(4 * m->exact.under);
}

static void enter(struct tl_cc_measure *m, unsigned phase)
{
    m->phase = phase;
    m->done = 0;
    m->moving = true;
    m->rise_from = 0;
    m->left = LOWERING;
    m->step = (struct tl_cc_tell){.delay = phase == FALL ? m->exact.most : 0,
                                  .hops = phase == TARGET_HOPS ? HOPS : 0};
}

/* Falls to the low count and rises to the high one, in turn. */
static void cycle(struct tl_cc_measure *m, unsigned now)
{
    if (m->phase == FALL) {
        if (now > m->counts->low)
            return;
        m->phase = RISE;
        m->rise_from = 0;
        m->picture.n_rise = 0;
        m->left = SETTLE;
        m->step.delay = low(m);
        return;
    }
    if (m->exact.live && now < m->before) { /* one ACK was late */
        m->rise_from = m->picture.n_rise = 0;
        return;
    }
    if (m->left > 0) {
        m->left--;
        return;
    }
    if (m->rise_from == 0) {
        m->rise_from = now;
        m->acked = 0;
    } else {
        learn_rise(m, now);
    }
    m->acked += now;
    if (m->picture.n_rise < TL_CC_RISE)
        m->picture.rise[m->picture.n_rise++] = now;
    if (now < m->counts->high)
        return;
    if (++m->done < CYCLES) {
        m->phase = FALL;
        m->step.delay = m->exact.most;
    } else {
        enter(m, TARGET);
    }
}

/* So many rounds must show a rise. */
static unsigned patience(const struct tl_cc_measure *m)
{
    double least = m->of[TL_CC_INCREMENT].lo;

    return least > 0.01 ? (unsigned)ceil(2 / least) + 2 : 202;
}

static void begin_probe(struct tl_cc_measure *m, unsigned now)
{
    const struct tl_cc_range *range = &m->of[target_of(m)];
    double hi = fmin(range->hi, m->exact.most - flow(m, now));

    m->step.delay = fmin(floor((range->lo + hi) / 2 + flow(m, now + 0.5)), m->exact.most);
    m->left = patience(m);
    m->moving = false;
    m->begins = true;
}

/* The first round of a probe shows what the step before did. Returns whether this is one. */
static bool begins(struct tl_cc_measure *m, unsigned now)
{
    bool first = m->begins;

    if (first) {
        m->start = m->least = now;
        m->over_most = 0;
    }
    m->over_most = fmax(m->over_most, m->over);
    m->begins = false;
    return first;
}

static void draw_probe(struct tl_cc_measure *m, bool rose)
{
    struct tl_cc_seen *p = &m->picture;

    if (p->n_probes < TL_CC_POINTS)
        p->probes[p->n_probes++] = (struct tl_cc_probe){
            .delay = m->told.delay, .window = m->start, .hops = m->told.hops, .rose = rose};
}

/* Bisects the target: a probe is over when the count has changed, or should have. */
static void probe(struct tl_cc_measure *m, unsigned now)
{
    const struct tl_cc_range *range = &m->of[target_of(m)];
    bool rose;

    if (m->moving) {
        m->step.delay = now < m->counts->middle ? low(m) : m->exact.most;
        if (now >= m->counts->middle && now < m->counts->high)
            begin_probe(m, now);
        return;
    }
    if (begins(m, now))
        return;
    m->left--;
    rose = now > m->start;
    if (!rose && now == m->start && m->left > 0)
        return;
    if (rose)
        learn_risen(m);
    else
        learn_not_risen(m, m->start);
    draw_probe(m, rose);
    if (++m->done == PROBES ||
        range->hi - range->lo < 1 + m->exact.under + fmax(m->exact.under, m->over_most))
        enter(m, m->phase == TARGET ? TARGET_HOPS : BETA_RISE);
    else if (now < m->counts->middle / 2 || now >= m->counts->high)
        m->moving = true;
    else
        begin_probe(m, now);
}

/* Falls from the high count at delays a little, and more, above the target. */
static void beta(struct tl_cc_measure *m, unsigned now)
{
    static const double excess[] = {0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 0.98};
    const unsigned n = sizeof excess / sizeof *excess;
    struct tl_cc_range base = m->of[TL_CC_BASE_TARGET];

    if (m->phase == BETA_RISE) {
        m->step.delay = low(m);
        if (now < m->counts->high)
            return;
        if (m->done == BETA_TIMES * n) {
            enter(m, m->exact.live ? END : LEVEL);
            return;
        }
        m->phase = BETA_FALL;
        m->step.delay =
            fmin(floor((base.hi + flow(m, m->counts->high)) / (1 - excess[m->done++ % n])),
                 m->exact.most);
        m->left = m->counts->high;
        return;
    }
    if (now <= m->counts->middle || --m->left == 0) {
        m->phase = BETA_RISE;
        m->step.delay = low(m);
    }
}

/* Whether the highest level has lowered ncwnd. On a live link fcwnd can be what is low, for a
 * few rounds: then the level is told for longer. */
static bool lowered(struct tl_cc_measure *m, unsigned now)
{
    m->stays = now <= m->counts->middle / 2 ? m->stays + 1 : 0;
    return m->stays > (m->exact.live ? STAYS : 0);
}

/* Bisects the level from which on ncwnd does not rise. */
static void level(struct tl_cc_measure *m, unsigned now)
{
    unsigned middle = (m->level_lo + m->level_hi) / 2;

    m->step.delay = low(m);
    if (m->moving) {
        bool high = !lowered(m, now);

        if (high && m->left-- > 0) {
            m->step.level = LEVELS - 1;
            return;
        }
        if (high) /* No level lowers it. */
            m->level_lo = m->level_hi = middle = LEVELS - 1;
        m->step.level = (uint8_t)middle;
        m->left = m->exact.live ? 2 * LEVEL_ROUNDS : LEVEL_ROUNDS;
        m->stays = 0;
        m->moving = false;
        m->begins = true;
        if (!high)
            return;
    }
    if (m->level_lo < m->level_hi) {
        if (begins(m, now) || (now <= m->start && --m->left > 0))
            return;
        if (now > m->start)
            m->level_lo = middle + 1;
        else
            m->level_hi = middle;
        m->picture.levels[middle] = now > m->start ? 1 : -1;
    }
    m->moving = true;
    m->left = LOWERING;
    if (m->level_lo < m->level_hi)
        return;
    m->of[TL_CC_LEVEL] = (struct tl_cc_range){m->level_lo, m->level_hi};
    enter(m, m->exact.live ? OPEN : END);
}

/* Opens the window after its levels, so that fcwnd is what limits it. */
static void open_window(struct tl_cc_measure *m, unsigned now)
{
    m->step.delay = low(m);
    if (now >= m->counts->high)
        enter(m, FALL);
}

/* ---- */

void tl_cc_measure_begin(struct tl_cc_measure *m, const struct tl_cc_declared *declared,
                         const struct tl_cc_exact *exact)
{
    *m = (struct tl_cc_measure){
        .declared = declared, .exact = *exact, .counts = exact->live ? &few : &many};
    for (int i = 0; i < TL_CC_BOUNDS; i++)
        m->of[i] = (struct tl_cc_range){0, HUGE_VAL};
    m->of[TL_CC_BETA].hi = m->of[TL_CC_MDF].hi = 1;
    m->of[TL_CC_LEVEL].hi = LEVELS - 1;
    m->level_hi = LEVELS - 1;
    enter(m, exact->live ? LEVEL : FALL);
}

/* Two targets have the same error of the path, so that their difference has none. */
static void learn_hops(struct tl_cc_measure *m)
{
    const struct tl_cc_range *base = &m->of[TL_CC_BASE_TARGET], *hops = &m->of[TL_CC_WITH_HOPS];

    at_least(m, TL_CC_PER_HOP, (hops->lo - base->hi) / HOPS);
    at_most(m, TL_CC_PER_HOP, (hops->hi - base->lo) / HOPS);
}

/* Where disturbances have excluded all values, the estimate lies between the two bounds. */
static void finish(struct tl_cc_measure *m)
{
    learn_hops(m);
    for (int i = 0; i < TL_CC_BOUNDS && m->exact.live; i++) {
        struct tl_cc_range range = m->of[i];

        m->of[i] = (struct tl_cc_range){fmin(range.lo, range.hi), fmax(range.lo, range.hi)};
    }
}

/* The count of a round cannot be relied on: what depends on it begins anew. */
static void begin_anew(struct tl_cc_measure *m)
{
    m->unsound++;
    m->seen = m->before = 0;
    if (m->phase == RISE) {
        m->rise_from = 0;
        m->picture.n_rise = 0;
        m->left = SETTLE;
    } else if (m->phase == TARGET || m->phase == TARGET_HOPS) {
        m->moving = true;
    } else if (m->phase == LEVEL && !m->moving) {
        m->moving = true;
        m->left = LOWERING;
    }
}

/* While the window is moved, it must move. */
static void check_progress(struct tl_cc_measure *m, unsigned outstanding)
{
    bool down = m->phase == FALL, up = m->phase == RISE || m->phase == BETA_RISE;

    if ((down && outstanding < m->seen) || (up && outstanding > m->seen) || (!down && !up))
        m->same = 0;
    else
        m->same++;
    if (down && m->same == STUCK)
        m->stuck = TL_CC_STUCK_HIGH;
    if (up && m->same == STUCK_LOW)
        m->stuck = TL_CC_STUCK_LOW;
    if (m->stuck != TL_CC_STUCK_NOT)
        m->phase = END;
}

static void in_phase(struct tl_cc_measure *m, unsigned outstanding)
{
    switch (m->phase) {
    case OPEN: open_window(m, outstanding); break;
    case FALL:
    case RISE: cycle(m, outstanding); break;
    case TARGET:
    case TARGET_HOPS: probe(m, outstanding); break;
    case BETA_FALL:
    case BETA_RISE: beta(m, outstanding); break;
    case LEVEL: level(m, outstanding); break;
    default: break;
    }
}

bool tl_cc_measure_round(struct tl_cc_measure *m, const struct tl_cc_round *round)
{
    struct tl_cc_tell told = m->step;
    unsigned outstanding = round->outstanding;
    bool fell = outstanding > 0 && outstanding < m->seen && m->seen <= 2 * m->counts->high;
    /* A fall that follows another one within a round trip is a part of it. */
    bool first = !m->exact.live || (m->before > 0 && m->before <= m->seen);

    if (m->rounds++ == ROUNDS_MAX)
        m->phase = END;
    m->over = round->over;
    if (!round->sound) {
        begin_anew(m);
        return m->phase != END;
    }
    check_progress(m, outstanding);
    m->before = m->seen;
    m->seen = outstanding;
    if (fell && first && m->phase != LEVEL && m->phase != OPEN && m->told.hops == 0 &&
        m->before > m->counts->low)
        learn_fall(m, m->before, outstanding);
    in_phase(m, outstanding);
    m->told = told;
    if (m->phase == END && m->stuck == TL_CC_STUCK_NOT)
        finish(m);
    return m->phase != END;
}

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
