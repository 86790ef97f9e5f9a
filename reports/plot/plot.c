/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/plot/plot.h"

#include "reports/plot/axis.h"

#include <inttypes.h>

/* The frame of the curves: LEFT to LEFT + TL_PLOT_COLUMNS, TOP to BOTTOM. */
enum {
    WIDTH = 720,
    HEIGHT = 240,
    LEFT = 58,
    TOP = 32,
    BOTTOM = 200,
    LEGEND = LEFT + TL_PLOT_COLUMNS + 10,
    LEGEND_LINE = 14,
    ROW = 15,    /* of ticks, within the frame */
    TICK = 11,   /* its length */
    GAP = 8,     /* between the curves and the rows */
    SPACE = 130, /* between the labels of an axis, at least, in tenths */
};

/* The part of the frame that belongs to the curves. */
struct area {
    struct tl_axis y;
    unsigned bottom;
};

/* Colours that differ in lightness, too, for readers who see few colours; dark ones on a light
 * ground and the other way round. From the seventh on, curves have the same colours dashed. */
const char tl_plot_style[] =
    ".tp{--bg:#fff;--fg:#1a1d21;--mute:#59636e;--grid:#e1e5e9;--p0:#0550ae;--p1:#c2410c;"
    "--p2:#15803d;--p3:#a21caf;--p4:#8a6100;--p5:#0e7490;--lim:#a40e26;"
    "display:block;width:100%;height:auto;background:var(--bg)}"
    "@media(prefers-color-scheme:dark){.tp{--bg:#0d1117;--fg:#e6edf3;--mute:#9aa4af;"
    "--grid:#2b323a;--p0:#79b8ff;--p1:#ffa657;--p2:#7ee2a0;--p3:#e7a3f5;--p4:#f2cc60;"
    "--p5:#76e3ea;--lim:#ffa198}}"
    ".tp text{font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif;"
    "fill:var(--fg)}.tp .h{font-size:13px;font-weight:600}.tp .a{fill:var(--mute)}"
    ".tp .e{text-anchor:end}.tp .c{text-anchor:middle}.tp .g{stroke:var(--grid);fill:none}"
    ".tp .f{stroke:var(--mute);fill:none}.tp polyline,.tp .k{fill:none;stroke-width:1.4;"
    "stroke-linejoin:round}.tp .d{stroke-dasharray:5 3}.tp .l{stroke:var(--lim);fill:none;"
    "stroke-dasharray:2 3}.tp .m{stroke-dasharray:7 3 2 3}.tp .b{stroke:none;opacity:.22}.tp .t{fill:none;stroke-width:1}"
    ".tp .s0{stroke:var(--p0)}.tp .s1{stroke:var(--p1)}.tp .s2{stroke:var(--p2)}"
    ".tp .s3{stroke:var(--p3)}.tp .s4{stroke:var(--p4)}.tp .s5{stroke:var(--p5)}"
    ".tp .b.s0{fill:var(--p0)}";

enum { COLOURS = TL_PLOT_COLOURS / 2 };

/* Tenths of a pixel. */
static void put_tenths(FILE *out, uint64_t tenths)
{
    if (tenths % 10 == 0)
        fprintf(out, "%" PRIu64, tenths / 10);
    else
        fprintf(out, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
}

static uint64_t height_of(const struct area *area)
{
    return (uint64_t)10 * (area->bottom - TOP);
}

static uint64_t y_of(const struct area *area, uint64_t value)
{
    return (uint64_t)area->bottom * 10 - tl_axis_at(&area->y, value, height_of(area));
}

/* ---- curves ---- */

/* A <polyline> that is being written: a point within a horizontal stretch is left out. */
struct pen {
    FILE *out;
    const char *class;
    bool down, waiting;
    unsigned wait_x;
    uint64_t y;
};

static void put_point(const struct pen *pen, unsigned x, uint64_t y)
{
    fprintf(pen->out, "%u ", x);
    put_tenths(pen->out, y);
    fputc(' ', pen->out);
}

static void pen_up(struct pen *pen)
{
    if (pen->waiting)
        put_point(pen, pen->wait_x, pen->y);
    if (pen->down)
        fputs("\"/>\n", pen->out);
    pen->down = pen->waiting = false;
}

static void pen_to(struct pen *pen, unsigned x, uint64_t y)
{
    if (!pen->down) {
        fprintf(pen->out, "<polyline class=\"%s\" points=\"", pen->class);
        pen->down = true;
    } else if (y == pen->y) {
        pen->waiting = true;
        pen->wait_x = x;
        return;
    }
    if (pen->waiting)
        put_point(pen, pen->wait_x, pen->y);
    put_point(pen, x, y);
    pen->waiting = false;
    pen->y = y;
}

static void class_of(char out[16], unsigned colour, bool dashed)
{
    unsigned c = colour % TL_PLOT_COLOURS;

    (void)snprintf(out, 16, "s%u%s", c % COLOURS, dashed || c >= COLOURS ? " d" : "");
}

static void put_curve(FILE *out, const struct area *area, const struct tl_plot_curve *curve)
{
    char class[16];
    struct pen pen = {.out = out, .class = class};

    class_of(class, curve->colour, curve->dashed);
    for (unsigned i = 0; i < TL_PLOT_COLUMNS; i++) {
        uint64_t low, high;

        if (curve->low[i] == TL_PLOT_NOTHING) {
            pen_up(&pen);
            continue;
        }
        low = y_of(area, curve->low[i]);
        high = y_of(area, curve->high[i]);
        /* First the end that is nearer to where the pen is. */
        if (pen.down && pen.y < (low + high) / 2) {
            pen_to(&pen, LEFT + i, high);
            pen_to(&pen, LEFT + i, low);
        } else {
            pen_to(&pen, LEFT + i, low);
            pen_to(&pen, LEFT + i, high);
        }
    }
    pen_up(&pen);
}

static void put_band(FILE *out, const struct area *area, const struct tl_plot *plot)
{
    unsigned first = TL_PLOT_COLUMNS, end = 0;

    if (plot->band_low == NULL)
        return;
    for (unsigned i = 0; i < TL_PLOT_COLUMNS; i++)
        if (plot->band_low[i] != TL_PLOT_NOTHING) {
            first = i < first ? i : first;
            end = i + 1;
        }
    fputs("<polygon class=\"b s0\" points=\"", out);
    for (unsigned i = first; i < end; i++)
        if (plot->band_low[i] != TL_PLOT_NOTHING) {
            fprintf(out, "%u ", LEFT + i);
            put_tenths(out, y_of(area, plot->band_high[i]));
            fputc(' ', out);
        }
    for (unsigned i = end; i-- > first;)
        if (plot->band_low[i] != TL_PLOT_NOTHING) {
            fprintf(out, "%u ", LEFT + i);
            put_tenths(out, y_of(area, plot->band_low[i]));
            fputc(' ', out);
        }
    fputs("\"/>\n", out);
}

/* ---- axes ---- */

static void extend(uint64_t *least, uint64_t *most, const uint32_t *low, const uint32_t *high)
{
    for (unsigned i = 0; i < TL_PLOT_COLUMNS; i++) {
        if (low[i] == TL_PLOT_NOTHING)
            continue;
        if (low[i] < *least)
            *least = low[i];
        if (high[i] > *most)
            *most = high[i];
    }
}

static struct tl_axis y_axis(const struct tl_plot *plot)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (size_t i = 0; i < plot->n_curves; i++)
        extend(&least, &most, plot->curves[i].low, plot->curves[i].high);
    if (plot->band_low != NULL)
        extend(&least, &most, plot->band_low, plot->band_high);
    for (unsigned i = 0; i < TL_PLOT_LIMITS_MAX; i++)
        if (plot->limits[i].label != NULL && plot->limits[i].value > most)
            most = plot->limits[i].value;
    least = least == UINT64_MAX || least == 0 ? 1 : least;
    return plot->log ? tl_axis_log(least, most > least ? most : least, plot->scale)
                     : tl_axis_linear(most, plot->scale, plot->whole);
}

/* A tick has no label where the one below would touch it. */
static void put_y_axis(FILE *out, const struct area *area)
{
    uint64_t below = UINT64_MAX;

    for (unsigned i = 0; i < area->y.n_ticks; i++) {
        uint64_t at =
            (uint64_t)area->bottom * 10 - tl_axis_tick_at(&area->y, i, height_of(area));
        char text[TL_AXIS_TEXT];

        if (below != UINT64_MAX && below - at < SPACE)
            continue;
        below = at;
        fprintf(out, "<path class=\"g\" d=\"M%d ", LEFT);
        put_tenths(out, at);
        fprintf(out, "h%d\"/><text class=\"a e\" x=\"%d\" y=\"", TL_PLOT_COLUMNS, LEFT - 6);
        put_tenths(out, at + 40);
        tl_axis_text(text, area->y.ticks[i]);
        fprintf(out, "\">%s</text>\n", text);
    }
}

/* Milliseconds, or microseconds where there are few of them. */
static void put_x_axis(FILE *out, uint64_t until_ps)
{
    bool ms = until_ps >= UINT64_C(2000000000);
    struct tl_axis x = tl_axis_linear(until_ps, ms ? 1000000000 : 1000000, false);
    uint64_t length = (uint64_t)TL_PLOT_COLUMNS * 10;

    for (unsigned i = 0; i < x.n_ticks; i++) {
        uint64_t at = until_ps > 0 ? x.ticks[i] * x.scale / 1000 * length / until_ps : 0;
        char text[TL_AXIS_TEXT];

        if (at > length)
            break;
        fputs("<path class=\"f\" d=\"M", out);
        put_tenths(out, (uint64_t)LEFT * 10 + at);
        fprintf(out, " %dv4\"/><text class=\"a c\" x=\"", BOTTOM);
        put_tenths(out, (uint64_t)LEFT * 10 + at);
        tl_axis_text(text, x.ticks[i]);
        fprintf(out, "\" y=\"%d\">%s</text>\n", BOTTOM + 17, text);
    }
    fprintf(out, "<text class=\"a c\" x=\"%d\" y=\"%d\">time, %s</text>\n",
            LEFT + TL_PLOT_COLUMNS / 2, HEIGHT - 6, ms ? "ms" : "us");
    fprintf(out, "<path class=\"f\" d=\"M%d %dV%dh%d\"/>\n", LEFT, TOP, BOTTOM,
            TL_PLOT_COLUMNS);
}

/* ---- legend ---- */

static const char *limit_class(unsigned limit)
{
    return limit == 0 ? "l" : "l m";
}

static void put_entry(FILE *out, unsigned *line, const char *mark, const char *label)
{
    unsigned y = TOP + 4 + *line * LEGEND_LINE;

    fprintf(out, "<path class=\"%s\" d=\"M%d %uh18\"/><text x=\"%d\" y=\"%u\">%s</text>\n",
            mark, LEGEND, y, LEGEND + 23, y + 4, label);
    (*line)++;
}

static void put_legend(FILE *out, const struct tl_plot *plot)
{
    unsigned line = 0;

    for (size_t i = 0; i < plot->n_curves; i++) {
        char class[16], mark[20];

        if (plot->curves[i].label == NULL)
            continue;
        class_of(class, plot->curves[i].colour, plot->curves[i].dashed);
        (void)snprintf(mark, sizeof mark, "k %s", class);
        put_entry(out, &line, mark, plot->curves[i].label);
    }
    if (plot->band_low != NULL) {
        unsigned y = TOP + 4 + line * LEGEND_LINE;

        fprintf(out,
                "<rect class=\"b s0\" x=\"%d\" y=\"%u\" width=\"18\" height=\"9\"/>"
                "<text x=\"%d\" y=\"%u\">%s</text>\n",
                LEGEND, y - 5, LEGEND + 23, y + 4, plot->band_label);
        line++;
    }
    for (unsigned i = 0; i < TL_PLOT_LIMITS_MAX; i++)
        if (plot->limits[i].label != NULL)
            put_entry(out, &line, limit_class(i), plot->limits[i].label);
}

/* ---- rows of ticks ---- */

static unsigned rows_height(const struct tl_plot *plot)
{
    return plot->n_rows > 0 ? GAP + ROW * (unsigned)plot->n_rows : 0;
}

static void put_rows(FILE *out, const struct tl_plot *plot)
{
    for (unsigned r = 0; r < plot->n_rows; r++) {
        const struct tl_plot_row *row = &plot->rows[r];
        unsigned y = BOTTOM - (unsigned)(plot->n_rows - 1 - r) * ROW;

        fprintf(out, "<path class=\"g\" d=\"M%d %uh%d\"/>\n<path class=\"t s%u\" d=\"", LEFT, y,
                TL_PLOT_COLUMNS, r + 1);
        for (unsigned i = 0; i < TL_PLOT_COLUMNS; i++)
            if (row->counts[i] > 0)
                fprintf(out, "M%u %uv-%d", LEFT + i, y, TICK);
        fprintf(out,
                "\"/>\n<text x=\"%d\" y=\"%u\">%s</text>"
                "<text class=\"a e\" x=\"%d\" y=\"%u\">%" PRIu64 "</text>\n",
                LEGEND, y - 1, row->label, LEFT - 6, y - 1, row->total);
    }
}

static void put_limits(FILE *out, const struct area *area, const struct tl_plot *plot)
{
    for (unsigned i = 0; i < TL_PLOT_LIMITS_MAX; i++) {
        if (plot->limits[i].label == NULL)
            continue;
        fprintf(out, "<path class=\"%s\" d=\"M%d ", limit_class(i), LEFT);
        put_tenths(out, y_of(area, plot->limits[i].value));
        fprintf(out, "h%d\"/>\n", TL_PLOT_COLUMNS);
    }
}

void tl_plot_svg(FILE *out, const struct tl_plot *plot, bool alone)
{
    const struct area area = {y_axis(plot), BOTTOM - rows_height(plot)};

    fprintf(out,
            "<svg%s class=\"tp\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-labelledby=\"%s-t %s-d\">\n<title id=\"%s-t\">%s</title>"
            "<desc id=\"%s-d\">%s</desc>\n",
            alone ? " xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"240\"" : "",
            WIDTH, HEIGHT, plot->id, plot->id, plot->id, plot->title, plot->id, plot->about);
    if (alone)
        fprintf(out,
                "<style>%s</style>\n<rect width=\"%d\" height=\"%d\" fill=\"var(--bg)\"/>\n",
                tl_plot_style, WIDTH, HEIGHT);
    fprintf(out, "<text class=\"h\" x=\"%d\" y=\"18\">%s</text>\n", LEFT, plot->title);
    put_y_axis(out, &area);
    put_band(out, &area, plot);
    for (size_t i = 0; i < plot->n_curves; i++)
        put_curve(out, &area, &plot->curves[i]);
    put_limits(out, &area, plot);
    put_rows(out, plot);
    put_x_axis(out, plot->until_ps);
    put_legend(out, plot);
    fputs("</svg>\n", out);
}
