/* SPDX-License-Identifier: Apache-2.0
 * rue.c - a Rate Update Engine with Swift and PLB (10.3, 10.4) for `talon cc judge lib:rue.so`:
 * the template of an adapter around your engine. It needs nothing of Talon but talon_rue.h:
 *   cc -O2 -shared -fPIC -I harness/cc -o rue.so docs/examples/rue/rue.c -lm
 *   talon cc judge lib:./rue.so --format gen1-lsb
 * Entries are in gen1-lsb: the first field has the least significant bits of byte 0. */
#include "talon_rue.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- entries: the first bit and the number of bits of each field that is used ---- */

struct field {
    unsigned at, bits;
};

#define E_CONNECTION ((struct field){0, 24})
#define E_TYPE       ((struct field){24, 2})
#define E_T1         ((struct field){26, 24})
#define E_T2         ((struct field){50, 24})
#define E_T3         ((struct field){74, 24})
#define E_T4         ((struct field){98, 24})
#define E_COUNT      ((struct field){122, 3})
#define E_NACK       ((struct field){126, 8})
#define E_HOPS       ((struct field){134, 4})
#define E_LEVEL      ((struct field){138, 5})
#define E_METADATA   ((struct field){143, 24})
#define E_FCWND      ((struct field){167, 21}) /* fraction and integer */
#define E_GAP        ((struct field){188, 20})
#define E_NCWND      ((struct field){208, 11})
#define E_RTO        ((struct field){219, 24})
#define E_ACKED      ((struct field){243, 10})
#define E_QUEUE      ((struct field){263, 2})
#define E_SELECT     ((struct field){265, 2})
#define E_FMARK      ((struct field){267, 24})
#define E_NMARK      ((struct field){291, 24})
#define E_DIRECTION  ((struct field){315, 1})
#define E_BASE       ((struct field){316, 24})
#define E_DELAY      ((struct field){340, 24})
#define E_RTT        ((struct field){364, 24})
#define E_OPAQUE     ((struct field){388, 2})

#define R_CONNECTION ((struct field){0, 24})
#define R_PATH       ((struct field){24, 1})
#define R_METADATA   ((struct field){25, 24})
#define R_FCWND      ((struct field){49, 21})
#define R_GAP        ((struct field){70, 20})
#define R_NCWND      ((struct field){90, 11})
#define R_RTO        ((struct field){101, 24})
#define R_QUEUE      ((struct field){125, 2})
#define R_SELECT     ((struct field){127, 2})
#define R_FMARK      ((struct field){129, 24})
#define R_NMARK      ((struct field){153, 24})
#define R_DIRECTION  ((struct field){177, 1})
#define R_BASE       ((struct field){178, 24})
#define R_DELAY      ((struct field){202, 24})
#define R_RTT        ((struct field){226, 24})
#define R_OPAQUE     ((struct field){250, 2})

static uint32_t get(const uint8_t *entry, struct field f)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < f.bits; i++)
        value |= (uint32_t)(entry[(f.at + i) / 8] >> (f.at + i) % 8 & 1) << i;
    return value;
}

static void put(uint8_t *entry, struct field f, uint32_t value)
{
    for (unsigned i = 0; i < f.bits; i++)
        if ((value >> i & 1) != 0)
            entry[(f.at + i) / 8] |= (uint8_t)(1U << (f.at + i) % 8);
}

/* ---- parameters, and what is kept of each connection ---- */

enum { CLOCK = 0xffffff, UNIT = 1024, CONNECTIONS = 4096 };

static double max_fcwnd, min_fcwnd, ai, beta, max_fall, max_ncwnd, min_ncwnd, nic_ai, nic_fall;
static double target_level, multiplier, threshold, attempts, rtt_alpha, delay_alpha, per_hop;
static double scalar, limit, min_rto, flow_least, flow_most, flow_max;

static const struct {
    const char *name;
    double *value;
} table[] = {
    {"max_fcwnd", &max_fcwnd},
    {"min_fcwnd", &min_fcwnd},
    {"fabric_additive_increment", &ai},
    {"fabric_multiplicative_decrease_factor", &beta},
    {"max_fabric_multiplicative_decrease_factor", &max_fall},
    {"max_ncwnd", &max_ncwnd},
    {"min_ncwnd", &min_ncwnd},
    {"nic_additive_increment", &nic_ai},
    {"max_nic_multiplicative_decrease_factor", &nic_fall},
    {"target_rx_buffer_level", &target_level},
    {"plb_target_delay_multiplier", &multiplier},
    {"plb_congestion_threshold", &threshold},
    {"plb_attempt_threshold", &attempts},
    {"rtt_smoothing_alpha", &rtt_alpha},
    {"delay_smoothing_alpha", &delay_alpha},
    {"topology_scaling_per_hop", &per_hop},
    {"retransmit_timeout_scalar", &scalar},
    {"retransmit_limit", &limit},
    {"min_retransmission_timeout", &min_rto},
    {"min_flow_scaling_window", &flow_least},
    {"max_flow_scaling_window", &flow_most},
    {"max_flow_scaling", &flow_max},
};

static struct plb {
    uint32_t acked, congested, attempts;
} kept[CONNECTIONS];

static int configure(const char *format, const struct talon_rue_param *params, size_t n)
{
    if (strcmp(format, "gen1-lsb") != 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof table / sizeof *table; k++)
            if (strcmp(params[i].name, table[k].name) == 0)
                *table[k].value = params[i].value;
    return 0;
}

/* ---- Swift ---- */

struct turn { /* one event */
    uint32_t now, rtt, fmark, nmark;
    double fcwnd, ncwnd, target, delay; /* delay: smoothed */
    bool increase;                      /* the direction of ncwnd */
};

static uint32_t since(uint32_t a, uint32_t b)
{
    return (a - b) & CLOCK;
}

static double clamp(double value, double least, double most)
{
    return fmin(fmax(value, least), most);
}

static uint32_t smoothed(uint32_t old, uint32_t sample, double alpha)
{
    return (uint32_t)(old * alpha + sample * (1 - alpha));
}

static double delay_target(const uint8_t *event, double fcwnd)
{
    double a = flow_max / (1 / sqrt(flow_least) - 1 / sqrt(flow_most)),
           b = -a / sqrt(flow_most);

    return get(event, E_BASE) + clamp(a / sqrt(fcwnd) + b, 0, flow_max) +
           per_hop * get(event, E_HOPS);
}

static uint32_t moved(uint32_t now, uint32_t marker, uint32_t rtt)
{
    return since(now, marker) > rtt ? since(now, rtt) : marker;
}

static void fabric_window(const uint8_t *event, struct turn *t)
{
    double before = t->fcwnd, acked = get(event, E_ACKED);

    if (t->delay <= t->target)
        t->fcwnd += ai * acked / fmax(before, 1);
    else if (since(t->now, t->fmark) >= t->rtt)
        t->fcwnd *= fmax(1 - beta * (t->delay - t->target) / t->delay, 1 - max_fall);
    t->fcwnd = floor(clamp(t->fcwnd, min_fcwnd, max_fcwnd) * UNIT + 0.5) / UNIT;
    t->fmark =
        t->fcwnd < before || t->fcwnd <= min_fcwnd ? t->now : moved(t->now, t->fmark, t->rtt);
}

static void nic_window(const uint8_t *event, struct turn *t)
{
    double before = t->ncwnd, level = get(event, E_LEVEL);
    bool elapsed = since(t->now, t->nmark) >= t->rtt;

    if (get(event, E_TYPE) == 1 && get(event, E_NACK) == 1) {
        if (t->increase || elapsed) {
            t->ncwnd = floor(clamp(t->ncwnd * (1 - nic_fall), min_ncwnd, max_ncwnd));
            t->nmark = t->now;
        }
        t->increase = false;
        return;
    }
    if (level < target_level && (!t->increase || elapsed)) {
        t->ncwnd += nic_ai;
        t->increase = true;
    } else if (level >= target_level && elapsed) {
        t->ncwnd *= fmax(1 - (level - target_level) / level, 1 - nic_fall);
        t->increase = false;
    }
    t->ncwnd = floor(clamp(t->ncwnd, min_ncwnd, max_ncwnd));
    t->nmark = t->ncwnd != before || t->ncwnd <= min_ncwnd || t->ncwnd >= max_ncwnd
                   ? t->now
                   : moved(t->now, t->nmark, t->rtt);
}

static void retransmission(const uint8_t *event, struct turn *t)
{
    uint32_t count = get(event, E_COUNT);

    if (count == 1 && since(t->now, t->fmark) >= t->rtt) {
        t->fcwnd *= 1 - max_fall;
        t->fmark = t->now;
    } else if (count >= limit) {
        t->fcwnd = min_fcwnd;
        t->fmark = t->now;
    }
    t->fcwnd = floor(clamp(t->fcwnd, min_fcwnd, max_fcwnd) * UNIT + 0.5) / UNIT;
}

static bool new_path(const uint8_t *event, const struct turn *t, struct plb *plb)
{
    double window = fmin(t->fcwnd, t->ncwnd);

    plb->acked += get(event, E_ACKED);
    if (t->delay > t->target * multiplier)
        plb->congested += get(event, E_ACKED);
    if (plb->acked < window)
        return false;
    plb->attempts = (double)plb->congested / plb->acked < threshold ? 0 : plb->attempts + 1;
    plb->acked = plb->congested = 0;
    if (plb->attempts < attempts)
        return false;
    plb->attempts = 0;
    return true;
}

static uint32_t gap_of(const struct turn *t)
{
    return t->fcwnd >= 1 ? 0 : (uint32_t)fmin(t->rtt / t->fcwnd, 0xfffff);
}

static uint32_t sample_of(const uint8_t *event, uint32_t rtt)
{
    switch (get(event, E_SELECT)) {
    case 1: return since(rtt, since(get(event, E_T3), get(event, E_T2)));
    case 2: return since(get(event, E_T2), get(event, E_T1));
    case 3: return since(get(event, E_T4), get(event, E_T3));
    default: return rtt;
    }
}

/* ---- an event and its result ---- */

static int process(int reset, uint32_t now_ticks, const uint8_t event[TALON_RUE_ENTRY],
                   uint8_t result[TALON_RUE_ENTRY])
{
    struct plb *plb = &kept[get(event, E_CONNECTION) % CONNECTIONS];
    bool again = get(event, E_TYPE) == 2, path = false;
    uint32_t rtt_state = get(event, E_RTT), delay_state = get(event, E_DELAY),
             rto = get(event, E_RTO);
    struct turn t = {.now = now_ticks,
                     .fcwnd = get(event, E_FCWND) / (double)UNIT,
                     .ncwnd = get(event, E_NCWND),
                     .fmark = get(event, E_FMARK),
                     .nmark = get(event, E_NMARK),
                     .increase = get(event, E_DIRECTION) != 0};

    if (reset)
        memset(plb, 0, sizeof *plb);
    memset(result, 0, TALON_RUE_ENTRY);
    t.target = delay_target(event, t.fcwnd);
    if (again) {
        t.rtt = rtt_state;
        retransmission(event, &t);
        rto = (uint32_t)fmin(fmax(scalar * rtt_state, min_rto), CLOCK);
    } else {
        t.rtt = since(get(event, E_T4), get(event, E_T1));
        delay_state = smoothed(delay_state, sample_of(event, t.rtt), delay_alpha);
        rtt_state = smoothed(rtt_state, t.rtt, rtt_alpha);
        t.delay = delay_state;
        if (get(event, E_TYPE) == 0)
            path = new_path(event, &t, plb);
        fabric_window(event, &t);
        nic_window(event, &t);
    }
    put(result, R_CONNECTION, get(event, E_CONNECTION));
    put(result, R_PATH, path);
    put(result, R_METADATA, get(event, E_METADATA));
    put(result, R_FCWND, (uint32_t)(t.fcwnd * UNIT));
    put(result, R_GAP, gap_of(&t));
    put(result, R_NCWND, (uint32_t)t.ncwnd);
    put(result, R_RTO, rto);
    put(result, R_QUEUE, get(event, E_QUEUE));
    put(result, R_SELECT, get(event, E_SELECT));
    put(result, R_FMARK, t.fmark);
    put(result, R_NMARK, t.nmark);
    put(result, R_DIRECTION, t.increase);
    put(result, R_BASE, get(event, E_BASE));
    put(result, R_DELAY, delay_state);
    put(result, R_RTT, rtt_state);
    put(result, R_OPAQUE, get(event, E_OPAQUE));
    return 0;
}

const struct talon_rue_api *talon_rue_api_v1(void)
{
    static const struct talon_rue_api api = {TALON_RUE_VERSION, configure, process};

    return &api;
}
