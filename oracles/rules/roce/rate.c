/* SPDX-License-Identifier: Apache-2.0
 * rate.c - see rate.h. Times are those of the capture; declared durations become the shortest
 * or the longest that they may be in it. */
#include "oracles/rules/roce/rate.h"

#include "oracles/rules/roce/state.h"

#include <math.h>
#include <string.h>

enum { EVENTS_MAX = 100000, SLOT_PACKETS = 32, GD_EVEN = 10, GD_MAX = 40 };

const char *fal_rj_rate_excuse(const struct fal_rj_setup *s)
{
    const struct fal_dcqcn *d = &s->dcqcn;

    if (s->congestion_management == FAL_ROCE_NOT_CLAIMED)
        return "rcm-not-claimed";
    if (!s->have_dcqcn)
        return "rp-parameters-undeclared";
    if (d->line_rate_bps == 0)
        return "line-rate-undeclared";
    if (!s->have_burst)
        return "burst-undeclared";
    if (d->timer_ns == 0 || d->byte_counter == 0 || d->alpha_period_ns == 0 || d->gd == 0 ||
        d->gd > GD_MAX || d->g_1024 > 1024)
        return "rp-parameters-incomplete";
    if (!fal_rj_timed(s))
        return "delay-undeclared";
    /* A CNP that passed the vantage may not have arrived. */
    return s->vantage != FAL_ROCE_AT_SUT && !s->lossless_in ? "in-loss" : NULL;
}

/* ---- alpha, at least ---- */

/* How often alpha was multiplied by g in that time, at most. */
static double decays(const struct fal_roce_upper *u, const struct fal_rj_setup *s, uint64_t ns)
{
    double period = (double)fal_rj_shortest(s, s->dcqcn.alpha_period_ns);
    double slack = (double)(fal_rj_slack(s) + s->pipeline_ns);
    bool begun = u->had_cnp || (u->from_start && s->alpha_from_cnp);

    if (period < 1)
        period = 1;
    /* Begun anew by a CNP, a period without one has to end; else its phase is not known. */
    return s->dcqcn.alpha_at_cnp && begun ? floor(((double)ns + slack) / period)
                                          : ((double)ns + slack) / period + 1;
}

static double decayed(const struct fal_roce_upper *u, const struct fal_rj_setup *s, uint64_t ns)
{
    return u->alpha * pow((double)s->dcqcn.g_1024 / 1024, decays(u, s, ns));
}

/* A period that a CNP surely raises ends at most that long after the CNP. */
static uint64_t raise_ns(const struct fal_rj_setup *s)
{
    return fal_rj_longest(s, s->dcqcn.alpha_period_ns) + fal_rj_slack(s) + s->pipeline_ns;
}

/* Alpha is linear in its raises. Each raise decays at most as from the time of its CNP. */
static void raise_by(struct fal_roce_upper *u, const struct fal_rj_setup *s, uint64_t cnp_ns)
{
    double g = (double)s->dcqcn.g_1024 / 1024;
    uint64_t since = fal_rj_since(cnp_ns, u->alpha_ns);

    if (s->dcqcn.alpha_at_cnp)
        u->alpha = g * decayed(u, s, since) + (1 - g);
    else /* the unknown phase counts once, when alpha is read */
        u->alpha = u->alpha * pow(g, decays(u, s, since) - 1) + (1 - g);
    if (cnp_ns > u->alpha_ns)
        u->alpha_ns = cnp_ns;
}

static void raise_sure(struct fal_roce_upper *u, const struct fal_rj_setup *s, uint64_t now_ns)
{
    unsigned done = 0;

    while (done < u->num_raises && fal_rj_since(now_ns, u->raises[done]) >= raise_ns(s))
        raise_by(u, s, u->raises[done++]);
    u->num_raises -= done;
    memmove(u->raises, u->raises + done, u->num_raises * sizeof *u->raises);
}

/* ---- increases ---- */

static void increase(struct fal_roce_upper *u, const struct fal_dcqcn *d)
{
    uint64_t most = u->timer_events > u->byte_events ? u->timer_events : u->byte_events;
    uint64_t least = u->timer_events < u->byte_events ? u->timer_events : u->byte_events;
    double line = (double)d->line_rate_bps;

    if (least > d->stages) { /* some add Rhai once, some once more each time */
        double hyper = (double)d->rhai_bps * (double)(least - d->stages);
        double more = (double)d->rai_bps > hyper ? (double)d->rai_bps : hyper;

        u->target = d->rhai_bps == 0 ? line : u->target + more;
    } else if (most >= d->stages) {
        u->target += (double)d->rai_bps;
    }
    if (u->target > line)
        u->target = line;
    if (u->target > u->rate)
        u->rate = (u->rate + u->target) / 2;
    if (u->target - u->rate < 1)
        u->rate = u->target > u->rate ? u->target : u->rate;
}

static void drain(struct fal_roce_upper *u, const struct fal_rj_setup *s, uint64_t now_ns)
{
    double ppm = 1 + s->clock_error_ppm / 1e6 + 1e-9;

    u->level -= u->rate * ppm * (double)fal_rj_since(now_ns, u->level_ns) / 8e9;
    if (now_ns > u->level_ns)
        u->level_ns = now_ns;
    if (u->level <= 0) {
        u->level = 0;
        u->packets = 0;
    }
}

static bool is_full(const struct fal_roce_upper *u, const struct fal_dcqcn *d)
{
    return u->rate >= (double)d->line_rate_bps && u->target >= (double)d->line_rate_bps;
}

/* ---- cuts ---- */

static void take_cut(struct fal_roce_upper *u, const struct fal_rj_setup *s)
{
    const struct fal_dcqcn *d = &s->dcqcn;
    double least = (double)d->min_rate_bps;
    uint64_t from = u->cuts[0].from_ns;
    /* The target becomes the rate, in one reading only after an increase. */
    bool increased = u->had_cut && from > u->last_cut_by_ns &&
                     from - u->last_cut_by_ns >= fal_rj_longest(s, d->timer_ns);

    if (d->clamp_target || !u->had_cut || increased)
        u->target = u->rate;
    u->rate *= u->cuts[0].factor;
    if (u->rate < least)
        u->rate = least;
    if (u->target < u->rate)
        u->target = u->rate;
    u->had_cut = u->limited = true;
    u->last_cut_by_ns = u->cuts[0].by_ns;
    u->timer_events = u->byte_events = 0;
    u->timer_ns = from;
    u->byte_mark = u->cuts[0].bytes;
    u->num_cuts--;
    memmove(u->cuts, u->cuts + 1, u->num_cuts * sizeof *u->cuts);
}

/* Whether a CNP surely makes a cut of its own: none came so shortly before it that both may
 * count as one. */
static bool cuts_surely(const struct fal_roce_upper *u, const struct fal_rj_setup *s,
                        uint64_t at_ns)
{
    uint64_t period = s->dcqcn.decrease_period_ns;

    return period == 0 || (!u->had_cnp && u->from_start) ||
           fal_rj_since(at_ns, u->last_cnp_ns) >=
               fal_rj_longest(s, period) + fal_rj_slack(s) + s->pipeline_ns;
}

static double factor_of(const struct fal_dcqcn *d, double alpha)
{
    double factor = 1 - alpha / pow(2, (double)d->gd - GD_EVEN);
    double least = d->max_cut_percent > 0 ? 1 - d->max_cut_percent / 100.0 : 0;

    return factor > least ? factor : least;
}

static void add_cut(struct fal_roce_upper *u, const struct fal_rj_setup *s, uint64_t at_ns)
{
    uint64_t period =
        s->dcqcn.decrease_period_ns > 0 ? fal_rj_longest(s, s->dcqcn.decrease_period_ns) : 0;
    uint64_t by = at_ns + period + fal_rj_slack(s) + s->pipeline_ns;
    uint64_t way_back = s->pipeline_ns + fal_rj_delay(s);
    uint64_t early = s->clock_error_ns;
    unsigned n = u->num_cuts;
    uint64_t before = (uint64_t)((double)s->dcqcn.line_rate_bps * (double)early / 8e9);
    double alpha;

    if (n == FAL_ROCE_CUTS)
        return; /* a cut fewer */
    alpha = decayed(u, s, fal_rj_since(by, u->alpha_ns));
    u->cuts[n].from_ns = at_ns > early ? at_ns - early : 0;
    u->cuts[n].by_ns = by + way_back; /* packets that were on their way out */
    u->cuts[n].factor = factor_of(&s->dcqcn, alpha);
    u->cuts[n].bytes = u->sent > before ? u->sent - before : 0;
    u->num_cuts++;
}

static void upper_cnp(struct fal_roce_upper *u, const struct fal_rj_setup *s, uint64_t at_ns)
{
    bool own_period = !u->had_cnp || fal_rj_since(at_ns, u->counted_ns) >= raise_ns(s);

    raise_sure(u, s, at_ns);
    if (!u->had_cnp && s->alpha_from_cnp && u->from_start) {
        u->alpha = (double)s->dcqcn.alpha_start_1024 / 1024;
        u->alpha_ns = at_ns;
    }
    if (cuts_surely(u, s, at_ns))
        add_cut(u, s, at_ns);
    if (s->dcqcn.alpha_at_cnp) {
        raise_by(u, s, at_ns);
    } else if (own_period && u->num_raises < FAL_ROCE_RAISES) {
        u->raises[u->num_raises++] = at_ns;
        u->counted_ns = at_ns;
    }
    u->had_cnp = true;
    u->last_cnp_ns = at_ns;
}

/* ---- time ---- */

/* When the next increase by the timer happens at the earliest. */
static uint64_t next_timer(const struct fal_roce_upper *u, const struct fal_rj_setup *s)
{
    uint64_t period = fal_rj_shortest(s, s->dcqcn.timer_ns);

    return u->timer_ns + (u->timer_events + 1) * (period > 0 ? period : 1);
}

static void upper_advance(struct fal_roce_upper *u, const struct fal_rj_setup *s,
                          uint64_t now_ns)
{
    uint64_t period = fal_rj_shortest(s, s->dcqcn.timer_ns);

    for (unsigned n = 0;; n++) {
        uint64_t timer = next_timer(u, s), until = u->num_cuts > 0 ? u->cuts[0].by_ns : now_ns;

        if (until > now_ns)
            until = now_ns;
        if (timer <= until && (is_full(u, &s->dcqcn) || n >= EVENTS_MAX)) {
            drain(u, s, until); /* the events up to there change nothing */
            u->rate = u->target = (double)s->dcqcn.line_rate_bps;
            u->timer_events = (until - u->timer_ns) / (period > 0 ? period : 1);
        } else if (timer <= until) {
            drain(u, s, timer);
            u->timer_events++;
            increase(u, &s->dcqcn);
            continue;
        }
        if (u->num_cuts == 0 || u->cuts[0].by_ns > now_ns)
            break;
        drain(u, s, u->cuts[0].by_ns);
        take_cut(u, s);
    }
    drain(u, s, now_ns);
}

static void lower_advance(struct fal_roce_lower *l, const struct fal_rj_setup *s,
                          uint64_t now_ns)
{
    const struct fal_dcqcn *d = &s->dcqcn;
    uint64_t period = fal_rj_longest(s, d->timer_ns);

    for (unsigned n = 0; n < EVENTS_MAX; n++) {
        if (l->timer_ns + (l->timer_events + 1) * period > now_ns)
            return;
        l->timer_events++;
        if (l->timer_events > d->stages)
            l->target += (double)d->rai_bps;
        if (l->target > (double)d->line_rate_bps)
            l->target = (double)d->line_rate_bps;
        l->rate = (l->rate + l->target) / 2;
        if (l->target >= (double)d->line_rate_bps && l->target - l->rate < 1) {
            l->timer_events = fal_rj_since(now_ns, l->timer_ns) / period;
            return;
        }
    }
}

/* ---- the deepest cut ---- */

/* A CNP came. Each whole period since the last one surely made alpha smaller; of the periods at
 * both ends only a part may lie between the CNPs. */
static void most_alpha(struct fal_roce_rate *r, const struct fal_rj_setup *s, uint64_t at_ns)
{
    double g = (double)s->dcqcn.g_1024 / 1024;
    uint64_t unsure = fal_rj_slack(s) + s->pipeline_ns;
    uint64_t periods = r->had_cnp ? fal_rj_since(fal_rj_since(at_ns, r->last_cnp_ns), unsure) /
                                        fal_rj_longest(s, s->dcqcn.alpha_period_ns)
                                  : 0;
    struct fal_roce_cnps_of *cnps = &r->slot.cnps;

    if (periods > 1)
        r->alpha *= pow(g, (double)(periods - 1));
    r->alpha = g * r->alpha + (1 - g);
    if (cnps->count++ == 0)
        cnps->first_ns = at_ns;
    cnps->last_ns = at_ns;
    cnps->alpha = r->alpha > cnps->alpha ? r->alpha : cnps->alpha;
}

double fal_rj_rate_left(const struct fal_rj_setup *s, const struct fal_roce_cnps_of *cnps)
{
    unsigned cuts = cnps->count;
    uint64_t period = fal_rj_shortest(s, s->dcqcn.decrease_period_ns);

    /* One in each M; the periods of the first and the last CNP may have begun before. */
    if (s->dcqcn.decrease_period_ns > 0 && period > 0) {
        uint64_t span = fal_rj_since(cnps->last_ns, cnps->first_ns) + fal_rj_slack(s);

        if (span / period + 2 < cuts)
            cuts = (unsigned)(span / period + 2);
    }
    return pow(factor_of(&s->dcqcn, cnps->alpha), cuts);
}

/* ---- the whole ---- */

void fal_rj_rate_begin(struct fal_roce_rate *rate, const struct fal_rj_setup *s, uint64_t at_ns,
                       bool from_start)
{
    double line = (double)s->dcqcn.line_rate_bps;

    memset(rate, 0, sizeof *rate);
    rate->upper.rate = rate->upper.target = line;
    rate->upper.alpha = from_start ? (double)s->dcqcn.alpha_start_1024 / 1024 : 0;
    rate->upper.from_start = from_start;
    rate->upper.last_cnp_ns = at_ns;
    rate->upper.alpha_ns = rate->upper.level_ns = rate->upper.timer_ns = at_ns;
    rate->lower.rate = rate->lower.target = from_start ? line : 0;
    rate->lower.timer_ns = at_ns;
    rate->alpha = from_start && s->dcqcn.alpha_start_1024 > 0
                      ? (double)s->dcqcn.alpha_start_1024 / 1024
                      : 1;
}

void fal_rj_rate_advance(struct fal_roce_rate *rate, const struct fal_rj_setup *s,
                         uint64_t at_ns)
{
    upper_advance(&rate->upper, s, at_ns);
    lower_advance(&rate->lower, s, at_ns);
}

void fal_rj_rate_cnp(struct fal_roce_rate *rate, const struct fal_rj_setup *s, uint64_t at_ns)
{
    struct fal_roce_lower *l = &rate->lower;
    uint64_t late =
        s->dcqcn.decrease_period_ns > 0 ? fal_rj_longest(s, s->dcqcn.decrease_period_ns) : 0;

    fal_rj_rate_advance(rate, s, at_ns);
    most_alpha(rate, s, at_ns);
    upper_cnp(&rate->upper, s, at_ns);
    l->target = l->rate;
    l->rate *= factor_of(&s->dcqcn, 1);
    if (l->rate < (double)s->dcqcn.min_rate_bps)
        l->rate = (double)s->dcqcn.min_rate_bps;
    if (l->target < l->rate)
        l->target = l->rate;
    l->timer_ns = at_ns + late + fal_rj_slack(s) + s->pipeline_ns;
    l->timer_events = 0;
    rate->had_cnp = true;
    rate->last_cnp_ns = at_ns;
}

bool fal_rj_rate_sent(struct fal_roce_rate *rate, const struct fal_rj_setup *s, uint64_t at_ns,
                      uint32_t data, uint32_t wire)
{
    struct fal_roce_upper *u = &rate->upper;
    double slack;

    fal_rj_rate_advance(rate, s, at_ns);
    u->sent += wire;
    while (u->sent - u->byte_mark >= s->dcqcn.byte_counter) {
        uint64_t events = (u->sent - u->byte_mark) / s->dcqcn.byte_counter;

        if (!is_full(u, &s->dcqcn) && events < EVENTS_MAX)
            events = 1;
        else
            u->rate = u->target = (double)s->dcqcn.line_rate_bps;
        u->byte_mark += events * s->dcqcn.byte_counter;
        u->byte_events += events;
        increase(u, &s->dcqcn);
    }
    u->level += data;
    u->largest = data > u->largest ? data : u->largest;
    u->packets++;
    slack = u->rate * (double)(fal_rj_slack(s) + s->pipeline_ns) / 8e9;
    if (!u->limited || is_full(u, &s->dcqcn) || u->packets <= SLOT_PACKETS ||
        u->level - 2.0 * u->largest <= (double)s->burst_bytes + slack)
        return false;
    u->level = 0;
    u->packets = 0;
    return true;
}

void fal_rj_rate_forget(struct fal_roce_rate *rate, const struct fal_rj_setup *s,
                        uint64_t at_ns)
{
    struct fal_roce_upper sent = rate->upper;

    fal_rj_rate_begin(rate, s, at_ns, false);
    rate->upper.sent = sent.sent;
    rate->upper.byte_mark = sent.sent;
    rate->upper.largest = sent.largest;
}
