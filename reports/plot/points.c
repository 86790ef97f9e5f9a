/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/plot/points.h"

#include "reports/plot/axis.h"
#include "reports/plot/plot.h"

#include <inttypes.h>

/* The frame, as that of plot.c. */
enum {
    WIDTH = 720,
    HEIGHT = 240,
    LEFT = 58,
    TOP = 32,
    BOTTOM = 200,
    RIGHT = LEFT + TL_PLOT_COLUMNS,
    LEGEND = RIGHT + 10,
    LEGEND_LINE = 14,
};

#define DOWN   ((uint64_t)10 * (BOTTOM - TOP))
#define ACROSS ((uint64_t)10 * TL_PLOT_COLUMNS)

struct axes {
    struct tl_axis x, y;
};

/* Tenths of a pixel. */
static void put_tenths(FILE *out, uint64_t tenths)
{
    if (tenths % 10 == 0)
        fprintf(out, "%" PRIu64, tenths / 10);
    else
        fprintf(out, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
}

static uint64_t x_of(const struct axes *axes, uint64_t value)
{
    return (uint64_t)10 * LEFT + tl_axis_at(&axes->x, value, ACROSS);
}

static uint64_t y_of(const struct axes *axes, uint64_t value)
{
    return (uint64_t)10 * BOTTOM - tl_axis_at(&axes->y, value, DOWN);
}

static struct axes axes_of(const struct tl_points *p)
{
    uint64_t x = 1, y = 1;

    for (size_t i = 0; i < p->n_points; i++) {
        x = p->points[i].x > x ? p->points[i].x : x;
        y = p->points[i].high > y ? p->points[i].high : y;
    }
    for (size_t i = 0; i < p->n_lines; i++)
        for (size_t k = 0; k < p->lines[i].n; k++) {
            x = p->lines[i].x[k] > x ? p->lines[i].x[k] : x;
            y = p->lines[i].y[k] > y ? p->lines[i].y[k] : y;
        }
    return (struct axes){tl_axis_linear(x, p->x_scale, p->x_whole),
                         tl_axis_linear(y, p->y_scale, p->y_whole)};
}

static void put_axes(FILE *out, const struct tl_points *p, const struct axes *axes)
{
    char text[TL_AXIS_TEXT];

    for (unsigned i = 0; i < axes->y.n_ticks; i++) {
        uint64_t at = (uint64_t)10 * BOTTOM - tl_axis_tick_at(&axes->y, i, DOWN);

        fprintf(out, "<path class=\"g\" d=\"M%d ", LEFT);
        put_tenths(out, at);
        fprintf(out, "h%d\"/><text class=\"a e\" x=\"%d\" y=\"", TL_PLOT_COLUMNS, LEFT - 6);
        put_tenths(out, at + 40);
        tl_axis_text(text, axes->y.ticks[i]);
        fprintf(out, "\">%s</text>\n", text);
    }
    for (unsigned i = 0; i < axes->x.n_ticks; i++) {
        uint64_t at = (uint64_t)10 * LEFT + tl_axis_tick_at(&axes->x, i, ACROSS);

        fputs("<path class=\"f\" d=\"M", out);
        put_tenths(out, at);
        fprintf(out, " %dv4\"/><text class=\"a c\" x=\"", BOTTOM);
        put_tenths(out, at);
        tl_axis_text(text, axes->x.ticks[i]);
        fprintf(out, "\" y=\"%d\">%s</text>\n", BOTTOM + 17, text);
    }
    fprintf(out,
            "<text class=\"a c\" x=\"%d\" y=\"%d\">%s</text>\n"
            "<path class=\"f\" d=\"M%d %dV%dh%d\"/>\n",
            LEFT + TL_PLOT_COLUMNS / 2, HEIGHT - 6, p->x_title, LEFT, TOP, BOTTOM,
            TL_PLOT_COLUMNS);
}

static void put_line(FILE *out, const struct axes *axes, const struct tl_point_line *line)
{
    fprintf(out, "<polyline class=\"s%u%s\" points=\"", line->colour, line->dashed ? " d" : "");
    for (size_t i = 0; i < line->n; i++) {
        put_tenths(out, x_of(axes, line->x[i]));
        fputc(' ', out);
        put_tenths(out, y_of(axes, line->y[i]));
        fputc(' ', out);
    }
    fputs("\"/>\n", out);
}

/* The bar of the interval, with a short stroke at each end, and the point. */
static void put_point(FILE *out, const struct axes *axes, const struct tl_point *point)
{
    uint64_t x = x_of(axes, point->x), low = y_of(axes, point->low),
             high = y_of(axes, point->high);

    if (low != high) {
        fputs("<path class=\"k s0\" d=\"M", out);
        put_tenths(out, x);
        fputc(' ', out);
        put_tenths(out, high);
        fputs("m-3 0h6m-3 0V", out);
        put_tenths(out, low);
        fputs("m-3 0h6\"/>", out);
    }
    fputs("<circle fill=\"var(--p0)\" r=\"2.5\" cx=\"", out);
    put_tenths(out, x);
    fputs("\" cy=\"", out);
    put_tenths(out, y_of(axes, point->y));
    fputs("\"/>\n", out);
}

static void put_legend(FILE *out, const struct tl_points *p)
{
    unsigned y = TOP + 4;

    fprintf(out,
            "<circle fill=\"var(--p0)\" r=\"2.5\" cx=\"%d\" cy=\"%u\"/>"
            "<text x=\"%d\" y=\"%u\">%s</text>\n",
            LEGEND + 9, y, LEGEND + 23, y + 4, p->label);
    for (size_t i = 0; i < p->n_lines; i++) {
        y += LEGEND_LINE;
        fprintf(out,
                "<path class=\"k s%u%s\" d=\"M%d %uh18\"/><text x=\"%d\" y=\"%u\">%s</text>\n",
                p->lines[i].colour, p->lines[i].dashed ? " d" : "", LEGEND, y, LEGEND + 23,
                y + 4, p->lines[i].label);
    }
}

void tl_points_svg(FILE *out, const struct tl_points *p, bool alone)
{
    const struct axes axes = axes_of(p);

    fprintf(out,
            "<svg%s class=\"tp\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-labelledby=\"%s-t %s-d\">\n<title id=\"%s-t\">%s</title>"
            "<desc id=\"%s-d\">%s</desc>\n",
            alone ? " xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"240\"" : "",
            WIDTH, HEIGHT, p->id, p->id, p->id, p->title, p->id, p->about);
    if (alone)
        fprintf(out,
                "<style>%s</style>\n<rect width=\"%d\" height=\"%d\" fill=\"var(--bg)\"/>\n",
                tl_plot_style, WIDTH, HEIGHT);
    fprintf(out, "<text class=\"h\" x=\"%d\" y=\"18\">%s</text>\n", LEFT, p->title);
    put_axes(out, p, &axes);
    for (size_t i = 0; i < p->n_lines; i++)
        put_line(out, &axes, &p->lines[i]);
    for (size_t i = 0; i < p->n_points; i++)
        put_point(out, &axes, &p->points[i]);
    put_legend(out, p);
    fputs("</svg>\n", out);
}
