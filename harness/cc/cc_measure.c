/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cc/cc_learn.h"

#include <math.h>

/* Counts between which a sender is kept. A receive window of pushes has 128 packets. */
enum { LEVELS = 32 };
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
    STUCK = 300,      /* rounds in which a window must fall, */
    STUCK_LOW = 3000, /* ... or rise */
    ROUNDS_MAX = 60000
};
enum { LOWERING = 600 /* rounds in which the highest level must have lowered ncwnd */ };
/* A delay below each target, in ticks, that may be told on a live link. */
enum { LOW_LIVE = 2 };

enum { OPEN, FALL, RISE, TARGET, TARGET_HOPS, BETA_FALL, BETA_RISE, LEVEL, END };

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
                                  .hops = phase == TARGET_HOPS ? TL_CC_HOPS : 0};
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
        tl_cc_learn_rise(m, now);
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
    const struct tl_cc_range *range = &m->of[tl_cc_bisected(m)];
    double hi = fmin(range->hi, m->exact.most - tl_cc_flow_at(m, now));

    m->step.delay =
        fmin(floor((range->lo + hi) / 2 + tl_cc_flow_at(m, now + 0.5)), m->exact.most);
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

/* Bisects the target: a probe is over when the count has changed, or should have. */
static void probe(struct tl_cc_measure *m, unsigned now)
{
    const struct tl_cc_range *range = &m->of[tl_cc_bisected(m)];
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
        tl_cc_learn_risen(m);
    else
        tl_cc_learn_not_risen(m, m->start);
    tl_cc_draw_probe(m, rose);
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
        m->step.delay = fmin(
            floor((base.hi + tl_cc_flow_at(m, m->counts->high)) / (1 - excess[m->done++ % n])),
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
        tl_cc_learn_fall(m, m->before, outstanding);
    in_phase(m, outstanding);
    m->told = told;
    if (m->phase == END && m->stuck == TL_CC_STUCK_NOT)
        tl_cc_learn_end(m);
    return m->phase != END;
}
