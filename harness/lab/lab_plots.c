/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/lab/lab_plots.h"

#include "harness/lab/lab_looks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)FAL_LAB_COLUMNS == (int)TL_PLOT_COLUMNS, "a column is a pixel");

enum {
    EACH_MOST = 12,  /* flows that have a curve each; more of them are summed up */
    PAIRS_MOST = 4,  /* flows that have a delay and a target each */
    LOG_RATIO = 50,  /* from this ratio of its values on, an axis is logarithmic */
    CURVES_MAX = 16, /* of a plot */
};

/* Many flows as three curves: the median, and where 10 and 90 % of them lie. */
struct summary {
    uint32_t median[FAL_LAB_COLUMNS], low[FAL_LAB_COLUMNS], high[FAL_LAB_COLUMNS];
};

/* The state of a plot while it is drawn. */
struct sheet {
    const struct fal_lab_series *series;
    const char *experiment, *prefix;
    tl_lab_draw_fn *draw;
    void *ctx;
    struct tl_plot_curve curves[CURVES_MAX];
    char labels[CURVES_MAX][24];
    size_t n;
    struct summary sums[2];
    uint32_t *sorted; /* a value of each flow */
};

static bool shown(const struct sheet *s, uint32_t flow, enum fal_lab_curve_kind kind)
{
    /* Nobody sees the windows of a foreign sender. */
    if (s->series->foreign[flow])
        return kind == FAL_LAB_SHARE || kind == FAL_LAB_PATH;
    return !s->series->unresponsive[flow] || kind == FAL_LAB_SHARE;
}

static uint32_t count(const struct sheet *s, enum fal_lab_curve_kind kind)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->series->n_flows; i++)
        n += shown(s, i, kind);
    return n;
}

static void add(struct sheet *s, const char *label, const uint32_t *low, const uint32_t *high,
                unsigned colour, bool dashed)
{
    if (s->n == CURVES_MAX)
        return;
    (void)snprintf(s->labels[s->n], sizeof s->labels[0], "%s", label);
    s->curves[s->n] = (struct tl_plot_curve){.label = label[0] != 0 ? s->labels[s->n] : NULL,
                                             .low = low,
                                             .high = high,
                                             .colour = colour,
                                             .dashed = dashed};
    s->n++;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void sum_up(const struct sheet *s, enum fal_lab_curve_kind kind, struct summary *sum)
{
    for (unsigned c = 0; c < FAL_LAB_COLUMNS; c++) {
        size_t n = 0;

        for (uint32_t i = 0; i < s->series->n_flows; i++) {
            const struct fal_lab_curve *curve = fal_lab_series_flow(s->series, i, kind);

            if (shown(s, i, kind) && curve->low[c] != FAL_LAB_NOTHING)
                s->sorted[n++] = curve->low[c] / 2 + curve->high[c] / 2 +
                                 (curve->low[c] & curve->high[c] & 1);
        }
        qsort(s->sorted, n, sizeof *s->sorted, ascending);
        sum->median[c] = n > 0 ? s->sorted[n / 2] : FAL_LAB_NOTHING;
        sum->low[c] = n > 0 ? s->sorted[n / 10] : FAL_LAB_NOTHING;
        sum->high[c] = n > 0 ? s->sorted[n - 1 - n / 10] : FAL_LAB_NOTHING;
    }
}

/* Draws what was added, and forgets it. */
static void finish(struct sheet *s, const char *name, struct tl_plot *plot)
{
    char id[48];

    (void)snprintf(id, sizeof id, "%s%s", s->prefix, name);
    plot->id = id;
    plot->until_ps = s->series->until_ps;
    plot->curves = s->curves;
    plot->n_curves = s->n;
    plot->about = tl_lab_look(s->experiment, name);
    s->draw(s->ctx, name, plot, plot->about);
    s->n = 0;
}

/* Whether the largest value is so many times the smallest above 0. */
static bool spread(const struct sheet *s)
{
    uint32_t least = UINT32_MAX, most = 0;

    for (size_t i = 0; i < s->n; i++)
        for (unsigned c = 0; c < FAL_LAB_COLUMNS; c++) {
            uint32_t low = s->curves[i].low[c], high = s->curves[i].high[c];

            if (low == FAL_LAB_NOTHING)
                continue;
            if (low > 0 && low < least)
                least = low;
            if (high > most)
                most = high;
        }
    return least < most && most / least >= LOG_RATIO;
}

/* One kind of curve of all flows: each by itself, or summed up. */
static void flows(struct sheet *s, enum fal_lab_curve_kind kind, struct tl_plot *plot)
{
    char label[24];

    if (count(s, kind) > EACH_MOST) {
        sum_up(s, kind, &s->sums[0]);
        add(s, "median", s->sums[0].median, s->sums[0].median, 0, false);
        plot->band_low = s->sums[0].low;
        plot->band_high = s->sums[0].high;
        plot->band_label = "10 to 90 %";
        return;
    }
    for (uint32_t i = 0; i < s->series->n_flows; i++) {
        const struct fal_lab_curve *c = fal_lab_series_flow(s->series, i, kind);

        if (!shown(s, i, kind))
            continue;
        (void)snprintf(label, sizeof label, "flow %u%s", (unsigned)i + 1,
                       s->series->foreign[i] ? " (SUT)" : "");
        add(s, s->series->unresponsive[i] ? "load" : label, c->low, c->high, i, false);
    }
}

static void draw_windows(struct sheet *s)
{
    struct tl_plot plot = {.title = "Congestion window (fcwnd), packets", .scale = 1024};

    if (count(s, FAL_LAB_FCWND) == 0)
        return;
    flows(s, FAL_LAB_FCWND, &plot);
    plot.log = spread(s);
    finish(s, "fcwnd", &plot);
}

static void draw_receiver(struct sheet *s)
{
    struct tl_plot ncwnd = {.title = "NIC window (ncwnd), packets", .scale = 1};
    struct tl_plot level = {
        .title = "Level of the receiver's buffer", .scale = 1, .whole = true};

    if (!s->series->has_buffer || count(s, FAL_LAB_NCWND) == 0)
        return;
    flows(s, FAL_LAB_NCWND, &ncwnd);
    finish(s, "ncwnd", &ncwnd);
    flows(s, FAL_LAB_LEVEL, &level);
    level.limits[0] = (struct tl_plot_limit){
        "target", (uint64_t)s->series->swift->params.target_rx_buffer_level};
    finish(s, "level", &level);
}

static void draw_delay(struct sheet *s)
{
    struct tl_plot plot = {.title = "Fabric delay and its target, us", .scale = 1000};
    bool pairs = count(s, FAL_LAB_DELAY) <= PAIRS_MOST, first = true;

    if (count(s, FAL_LAB_DELAY) == 0)
        return;
    if (!pairs) {
        sum_up(s, FAL_LAB_DELAY, &s->sums[0]);
        sum_up(s, FAL_LAB_TARGET, &s->sums[1]);
        add(s, "median", s->sums[0].median, s->sums[0].median, 0, false);
        add(s, "median target", s->sums[1].median, s->sums[1].median, 1, true);
        plot.band_low = s->sums[0].low;
        plot.band_high = s->sums[0].high;
        plot.band_label = "10 to 90 %";
    } else {
        flows(s, FAL_LAB_DELAY, &plot);
        for (uint32_t i = 0; i < s->series->n_flows; i++) {
            const struct fal_lab_curve *c = fal_lab_series_flow(s->series, i, FAL_LAB_TARGET);

            if (!shown(s, i, FAL_LAB_TARGET))
                continue;
            add(s, first ? "target" : "", c->low, c->high, i, true);
            first = false;
        }
    }
    plot.log = spread(s);
    finish(s, "delay", &plot);
}

static void draw_queues(struct sheet *s)
{
    const struct fal_lab_series *series = s->series;
    struct tl_plot plot = {.title = "Queue, kB", .scale = 1000};
    uint32_t most = 0;

    for (uint32_t i = 0; i < series->n_queues; i++) {
        char label[24];

        (void)snprintf(label, sizeof label, "path %u", (unsigned)i + 1);
        add(s, series->n_queues > 1 ? label : "queue", series->queues[i].low,
            series->queues[i].high, i, false);
        for (unsigned c = 0; c < FAL_LAB_COLUMNS; c++)
            if (series->queues[i].high[c] > most)
                most = series->queues[i].high[c];
    }
    if (most >= 2000000) {
        plot.title = "Queue, MB";
        plot.scale = 1000000;
    }
    if (series->ecn_bytes[0] > 0)
        plot.limits[0] = (struct tl_plot_limit){"ECN mark", series->ecn_bytes[0]};
    if (series->limit_bytes[0] > 0)
        plot.limits[1] = (struct tl_plot_limit){"limit", series->limit_bytes[0]};
    finish(s, "queue", &plot);
}

static void draw_shares(struct sheet *s)
{
    struct tl_plot plot = {.title = "Throughput in windows of 200 us, % of the rate",
                           .scale = 100};

    flows(s, FAL_LAB_SHARE, &plot);
    finish(s, "share", &plot);
}

static void draw_paths(struct sheet *s)
{
    struct tl_plot plot = {.title = "Path", .scale = 1, .whole = true};

    if (!s->series->has_paths || count(s, FAL_LAB_PATH) > EACH_MOST)
        return;
    flows(s, FAL_LAB_PATH, &plot);
    finish(s, "path", &plot);
}

/* The timeout as curves, and ticks for what was lost or sent again. */
static void draw_losses(struct sheet *s)
{
    static const char *const labels[FAL_LAB_TICK_KINDS] = {"drops", "retransmissions",
                                                           "timeouts"};
    struct tl_plot plot = {.title = "Retransmit timeout (RTO), us, and losses", .scale = 1000};

    flows(s, FAL_LAB_RTO, &plot);
    plot.log = spread(s);
    for (unsigned k = 0; k < FAL_LAB_TICK_KINDS; k++)
        plot.rows[plot.n_rows++] = (struct tl_plot_row){
            .label = labels[k], .counts = s->series->ticks[k], .total = s->series->totals[k]};
    finish(s, "loss", &plot);
}

int tl_lab_plots_draw(const struct fal_lab_series *series, const char *experiment,
                      const char *prefix, tl_lab_draw_fn *draw, void *ctx)
{
    struct sheet *s = calloc(1, sizeof *s);
    uint32_t *sorted = calloc(series->n_flows, sizeof *sorted);

    if (s != NULL && sorted != NULL) {
        s->series = series;
        s->experiment = experiment;
        s->prefix = prefix;
        s->draw = draw;
        s->ctx = ctx;
        s->sorted = sorted;
        draw_windows(s);
        draw_receiver(s);
        draw_delay(s);
        draw_queues(s);
        draw_shares(s);
        draw_paths(s);
        draw_losses(s);
    }
    free(sorted);
    if (s == NULL || sorted == NULL) {
        free(s);
        return FAL_ERR_MEM;
    }
    free(s);
    return 0;
}
