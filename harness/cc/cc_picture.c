/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cc/cc_picture.h"

#include "harness/cc/cc_told.h"
#include "reports/base/utf8.h"
#include "reports/html/html_impl.h"
#include "reports/plot/plot.h"
#include "reports/plot/points.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum {
    LINE = 121, /* points of a line */
    POINTS = TL_CC_RISE,
    HOPS = 15,
    DRAWN = 6,    /* targets: the delays that are drawn */
    SCALE = 1000, /* values are thousandths */
    PATH_LEN = 4096,
};

#define TICK_US 0.131072
#define P95     1.96 /* standard deviations */

/* The parameters by which a line is drawn. */
struct law {
    double base, hop, increment, beta, mdf, level;
    bool given; /* all that the picture needs are known */
};

struct sheet {
    const struct tl_cc_measure *m;
    struct tl_point points[POINTS];
    size_t n_points;
    uint64_t x[2][LINE], y[2][LINE];
    struct tl_point_line lines[2];
    size_t n_lines;
};

typedef void draw_fn(void *ctx, const char *name, const struct tl_points *points,
                     const char *look);

static uint64_t milli(double value)
{
    return value > 0 ? (uint64_t)llround(value * SCALE) : 0;
}

static struct law fitted(const struct tl_cc_measure *m)
{
    return (struct law){.base = tl_cc_estimate(&m->of[TL_CC_BASE_TARGET]),
                        .hop = tl_cc_estimate(&m->of[TL_CC_PER_HOP]),
                        .increment = tl_cc_estimate(&m->of[TL_CC_INCREMENT]),
                        .beta = tl_cc_estimate(&m->of[TL_CC_BETA]),
                        .mdf = tl_cc_estimate(&m->of[TL_CC_MDF]),
                        .level = tl_cc_estimate(&m->of[TL_CC_LEVEL])};
}

static struct law declared(const struct tl_cc_measure *m)
{
    const struct fal_swift_params *p = &m->declared->params;

    return (struct law){.base = p->base_delay_target,
                        .hop = p->topology_scaling_per_hop,
                        .increment = p->fabric_additive_increment,
                        .beta = p->fabric_multiplicative_decrease_factor,
                        .mdf = p->max_fabric_multiplicative_decrease_factor,
                        .level = p->target_rx_buffer_level};
}

static void add_point(struct sheet *s, double x, double y, double low, double high)
{
    if (s->n_points == POINTS || isinf(high))
        return;
    s->points[s->n_points++] = (struct tl_point){milli(x), milli(y), milli(low), milli(high)};
}

/* Two lines, of which the second one is there if all its parameters are declared. */
static void add_lines(struct sheet *s, const enum tl_cc_measured *needs, size_t n_needs,
                      void (*draw)(struct sheet *s, const struct law *law, unsigned line))
{
    const struct law estimates = fitted(s->m), values = declared(s->m);
    bool given = true;

    for (size_t i = 0; i < n_needs; i++)
        given = given && s->m->declared->given[needs[i]];
    s->lines[0] = (struct tl_point_line){
        .label = "estimated", .x = s->x[0], .y = s->y[0], .n = LINE, .colour = 1};
    s->lines[1] = (struct tl_point_line){.label = "declared",
                                         .x = s->x[1],
                                         .y = s->y[1],
                                         .n = LINE,
                                         .colour = 2,
                                         .dashed = true};
    draw(s, &estimates, 0);
    draw(s, &values, 1);
    s->n_lines = given ? 2 : 1;
}

static void finish(const struct sheet *s, struct tl_points *p, draw_fn *draw, void *ctx,
                   const char *look)
{
    p->x_scale = p->y_scale = SCALE;
    p->label = "measured";
    p->about = look;
    p->points = s->points;
    p->n_points = s->n_points;
    p->lines = s->lines;
    p->n_lines = s->n_lines;
    draw(ctx, p->id, p, look);
}

/* ---- a fall against the delay ---- */

static double mean_window(const struct tl_cc_seen *seen)
{
    double sum = 0;
    unsigned count = 0;

    for (unsigned i = 0; i < seen->n_falls; i++) {
        sum += seen->falls[i].windows;
        count += seen->falls[i].count;
    }
    return count > 0 ? sum / count : 1;
}

/* The longest delay that is drawn: far beyond the target all falls are the same. */
static double longest(const struct tl_cc_measure *m)
{
    const struct tl_cc_seen *seen = &m->picture;
    double delay = 1, target = tl_cc_estimate(&m->of[TL_CC_BASE_TARGET]);

    for (unsigned i = 0; i < seen->n_falls; i++)
        delay = fmax(delay, seen->falls[i].delay);
    return target > 0 ? fmin(delay, DRAWN * target) : delay;
}

static void draw_falls(struct sheet *s, const struct law *law, unsigned line)
{
    double target =
        law->base + tl_cc_flow_scaling(&s->m->declared->params, mean_window(&s->m->picture));
    double most = longest(s->m);

    /* The points are closer where the line is bent: at short delays. */
    for (unsigned i = 0; i < LINE; i++) {
        double part = (double)i / (LINE - 1), delay = most * part * part;
        double share = delay > target ? fmin(law->beta * (1 - target / delay), law->mdf) : 0;

        s->x[line][i] = milli(delay * TICK_US);
        s->y[line][i] = milli(100 * share);
    }
}

static void falls(struct sheet *s, draw_fn *draw, void *ctx)
{
    static const enum tl_cc_measured needs[] = {TL_CC_BASE_TARGET, TL_CC_BETA, TL_CC_MDF};
    struct tl_points p = {.id = "fall",
                          .title = "Share that the window loses in a round trip, %",
                          .x_title = "told delay, us"};
    double most = longest(s->m);

    s->n_points = 0;
    for (unsigned i = 0; i < s->m->picture.n_falls; i++) {
        const struct tl_cc_fall *f = &s->m->picture.falls[i];
        double mean = f->sum / f->count, window = f->windows / f->count;
        double spread = fmax(f->squares / f->count - mean * mean, 0);
        /* Counts are whole packets: a share is known to one of them, less by more falls. */
        double error = fmax(P95 * sqrt(spread / f->count), 0.5 / window / sqrt(f->count));

        if (f->delay <= most)
            add_point(s, f->delay * TICK_US, 100 * mean, 100 * (mean - error),
                      100 * (mean + error));
    }
    for (unsigned i = 0; i < s->m->picture.n_probes; i++)
        if (s->m->picture.probes[i].rose && s->m->picture.probes[i].hops == 0)
            add_point(s, s->m->picture.probes[i].delay * TICK_US, 0, 0, 0);
    add_lines(s, needs, 3, draw_falls);
    finish(s, &p, draw, ctx,
           "A window loses nothing below its target, and then the decrease factor times the "
           "excess of the delay, at most the largest decrease factor.");
}

/* ---- a rise against time ---- */

static void draw_rise(struct sheet *s, const struct law *law, unsigned line)
{
    const struct tl_cc_seen *seen = &s->m->picture;
    unsigned rounds = seen->n_rise < LINE ? seen->n_rise : LINE;
    double window = seen->n_rise > 0 ? seen->rise[0] + 0.5 : 1;

    for (unsigned i = 0; i < LINE; i++) {
        unsigned at = i < rounds ? i : rounds > 0 ? rounds - 1 : 0;

        s->x[line][i] = milli(at);
        s->y[line][i] = milli(window);
        if (i + 1 < rounds)
            window += law->increment * floor(window) / window;
    }
}

static void rise(struct sheet *s, draw_fn *draw, void *ctx)
{
    static const enum tl_cc_measured needs[] = {TL_CC_INCREMENT};
    struct tl_points p = {.id = "rise",
                          .title = "Packets outstanding while the delay is short",
                          .x_title = "round trips",
                          .x_whole = true,
                          .y_whole = true};

    s->n_points = 0;
    for (unsigned i = 0; i < s->m->picture.n_rise; i++) {
        unsigned count = s->m->picture.rise[i];

        add_point(s, i, count + 0.5, count, count + 1);
    }
    add_lines(s, needs, 1, draw_rise);
    finish(s, &p, draw, ctx,
           "Below its target a window grows by the additive increment in each round trip. A "
           "window lies between the packets that are outstanding and one more.");
}

/* ---- the target against hops ---- */

static void draw_target(struct sheet *s, const struct law *law, unsigned line)
{
    for (unsigned i = 0; i < LINE; i++) {
        double hops = (double)HOPS * i / (LINE - 1);

        s->x[line][i] = milli(hops);
        s->y[line][i] = milli((law->base + law->hop * hops) * TICK_US);
    }
}

static void add_target(struct sheet *s, unsigned hops, const struct tl_cc_range *range)
{
    add_point(s, hops, tl_cc_estimate(range) * TICK_US, range->lo * TICK_US,
              range->hi * TICK_US);
}

static void target(struct sheet *s, draw_fn *draw, void *ctx)
{
    static const enum tl_cc_measured needs[] = {TL_CC_BASE_TARGET, TL_CC_PER_HOP};
    struct tl_points p = {.id = "target",
                          .title = "Target delay without flow scaling, us",
                          .x_title = "hops",
                          .x_whole = true};

    s->n_points = 0;
    add_target(s, 0, &s->m->of[TL_CC_BASE_TARGET]);
    add_target(s, HOPS, &s->m->of[TL_CC_WITH_HOPS]);
    add_lines(s, needs, 2, draw_target);
    finish(
        s, &p, draw, ctx,
        "The target grows with each hop. It is the delay at which a rise turns into a fall.");
}

/* ---- ncwnd against the level ---- */

static void draw_level(struct sheet *s, const struct law *law, unsigned line)
{
    const double x[] = {0, law->level, law->level, TL_CC_LEVELS - 1}, y[] = {1, 1, 0, 0};

    for (unsigned i = 0; i < LINE; i++) {
        s->x[line][i] = milli(x[i < 4 ? i : 3]);
        s->y[line][i] = milli(y[i < 4 ? i : 3]);
    }
}

static void levels(struct sheet *s, draw_fn *draw, void *ctx)
{
    static const enum tl_cc_measured needs[] = {TL_CC_LEVEL};
    struct tl_points p = {.id = "level",
                          .title = "Does ncwnd rise? 1: yes, 0: no",
                          .x_title = "told level of the receive buffer",
                          .x_whole = true,
                          .y_whole = true};

    s->n_points = 0;
    for (unsigned i = 0; i < TL_CC_LEVELS; i++) {
        int rose = s->m->picture.levels[i];

        if (rose != 0)
            add_point(s, i, rose > 0, rose > 0, rose > 0);
    }
    add_lines(s, needs, 1, draw_level);
    finish(
        s, &p, draw, ctx,
        "ncwnd rises while the told level is below the target level, and not from there on.");
}

static void draw_all(const struct tl_cc_measure *m, draw_fn *draw, void *ctx)
{
    struct sheet s = {.m = m};

    falls(&s, draw, ctx);
    rise(&s, draw, ctx);
    target(&s, draw, ctx);
    levels(&s, draw, ctx);
}

/* ---- files ---- */

struct files {
    const char *dir;
    int rc;
    struct fal_error *err;
};

static int cannot(struct fal_error *err, const char *option, const char *path)
{
    return fal_fail(err, FAL_ERR_IO, "%s: %.300s: %s", option, path, strerror(errno));
}

static void draw_file(void *ctx, const char *name, const struct tl_points *points,
                      const char *look)
{
    struct files *f = ctx;
    char path[PATH_LEN];
    FILE *file;
    int n = snprintf(path, sizeof path, "%s/measure-%s.svg", f->dir, name);

    (void)look;
    if (f->rc != 0)
        return;
    if (n < 0 || (size_t)n >= sizeof path) {
        f->rc = fal_fail(f->err, FAL_ERR_IO, "--plots: the path is too long");
        return;
    }
    file = fopen(path, "we");
    if (file == NULL) {
        f->rc = cannot(f->err, "--plots", path);
        return;
    }
    tl_points_svg(file, points, true);
    if (fflush(file) != 0 || ferror(file) != 0)
        f->rc = cannot(f->err, "--plots", path);
    (void)fclose(file);
}

int tl_cc_picture_files(const char *dir, const struct tl_cc_measure *m, struct fal_error *err)
{
    struct files files = {.dir = dir, .err = err};

    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return cannot(err, "--plots", dir);
    draw_all(m, draw_file, &files);
    return files.rc;
}

/* ---- the page ---- */

static void put_head(FILE *out, const struct tl_cc_page *page)
{
    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        out);
    fprintf(out, "<title>talon cc measure</title>\n<style>%s\n%s\n", tl_html_style,
            tl_plot_style);
    fputs(
        "body{max-width:100rem}.p{display:grid;gap:1rem;"
        "grid-template-columns:repeat(auto-fit,minmax(min(100%,40rem),1fr))}figure{max-width:60rem;"
        "margin:0}figcaption{color:var(--mute);font-size:.9em}"
        "table.v{width:auto;max-width:60rem;margin-bottom:1em}table.v td,table.v th{padding-right:1.2em;"
        "overflow-wrap:normal}table.v td{white-space:nowrap}table.v th[scope=row]{"
        "overflow-wrap:anywhere;min-width:9em}table.v td.n{width:auto}"
        "@media(max-width:50rem){table.v{font-size:.85em}table.v td,table.v th{padding-right:.7em}}"
        "</style></head>\n<body>\n<main>\n"
        "<h1>Parameters of Swift</h1>\n<p class=\"lead\">Estimated from the packets that the SUT "
        "had outstanding, while ACKs told it delays, hops and levels.</p>\n<p class=\"m\">SUT: "
        "<code>",
        out);
    tl_put_xml(out, page->sut);
    fputs("</code>", out);
    if (page->product != NULL && page->product[0] != 0) {
        fputs(", ", out);
        tl_put_xml(out, page->product);
    }
    fprintf(out, ". Seed: %" PRIu64 ". docs/congestion.md describes the method.</p>\n",
            page->seed);
}

static void put_range(FILE *out, const struct tl_cc_range *range)
{
    fprintf(out, "<td class=\"n\">%.4g<td>%.4g to ", tl_cc_estimate(range), range->lo);
    if (isinf(range->hi))
        fputs("any", out);
    else
        fprintf(out, "%.4g", range->hi);
}

static void put_row(FILE *out, const struct tl_cc_measure *m, enum tl_cc_measured which)
{
    const char *name = tl_cc_measured_name(which);

    fprintf(out, "<tr><th scope=\"row\">%s", name);
    put_range(out, &m->of[which]);
    fprintf(out, "<td>%s", fal_swift_param_find(name)->unit);
    if (m->declared->given[which])
        fprintf(out, "<td class=\"n\">%.4g<td>%s</tr>\n",
                tl_cc_measured_declared(m->declared, which),
                tl_cc_measured_outside(m, which) ? "<span class=\"b fail\">outside</span>"
                                                 : "<span class=\"b pass\">inside</span>");
    else
        fputs("<td class=\"n\">not declared<td></tr>\n", out);
}

static void put_table(FILE *out, const struct tl_cc_measure *m)
{
    fputs("<div class=\"x\"><table class=\"v\"><thead><tr><th scope=\"col\">parameter<th "
          "scope=\"col\" class=\"n\">estimate<th scope=\"col\">95 % interval<th scope=\"col\">"
          "unit<th scope=\"col\" class=\"n\">declared<th scope=\"col\"></tr></thead><tbody>\n",
          out);
    for (int i = 0; i < TL_CC_MEASURED; i++)
        put_row(out, m, (enum tl_cc_measured)i);
    fprintf(out, "</tbody></table></div>\n<p class=\"m\">%u round trips", m->rounds);
    if (m->unsound > 0)
        fprintf(out, ", of which %u were disturbed and not counted", m->unsound);
    fputs(". A tick is 131.072 ns.</p>\n<div class=\"p\">\n", out);
}

static void draw_figure(void *ctx, const char *name, const struct tl_points *points,
                        const char *look)
{
    FILE *out = ctx;

    (void)name;
    fputs("<figure>\n", out);
    tl_points_svg(out, points, false);
    fprintf(out, "<figcaption>%s</figcaption>\n</figure>\n", look);
}

int tl_cc_picture_page(const char *path, const struct tl_cc_page *page,
                       const struct tl_cc_measure *m, struct fal_error *err)
{
    FILE *out = fopen(path, "we");
    int rc = 0;

    if (out == NULL)
        return cannot(err, "--report", path);
    put_head(out, page);
    put_table(out, m);
    draw_all(m, draw_figure, out);
    fputs("</div>\n</main>\n</body></html>\n", out);
    if (fflush(out) != 0 || ferror(out) != 0)
        rc = cannot(err, "--report", path);
    (void)fclose(out);
    return rc;
}
