/* SPDX-License-Identifier: Apache-2.0
 * points.h - measured points with their intervals, and lines beside them, as SVG: in the size
 * and the style of plot.h. Values are whole numbers and positions are fixed-point, so the same
 * values give the same bytes on every machine. */
#ifndef TL_REPORTS_PLOT_POINTS_H
#define TL_REPORTS_PLOT_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A point at x, y; its interval in y is low to high. */
struct tl_point {
    uint64_t x, y, low, high;
};

struct tl_point_line {
    const char *label; /* in the legend */
    const uint64_t *x, *y;
    size_t n;
    unsigned colour; /* 1 to 5; the points have 0 */
    bool dashed;
};

struct tl_points {
    const char *id;            /* of the title and the description; unique in a page */
    const char *title;         /* with the unit of y */
    const char *about;         /* one sentence: the description */
    const char *x_title;       /* with the unit of x */
    const char *label;         /* of the points, in the legend */
    uint64_t x_scale, y_scale; /* values are so many to the unit */
    bool x_whole, y_whole;     /* only whole units have ticks */
    const struct tl_point *points;
    size_t n_points;
    const struct tl_point_line *lines;
    size_t n_lines;
};

/* Writes the <svg> element. `alone`: it is a file of its own and has its own style; else the
 * page has tl_plot_style (plot.h) within a <style> element. Texts must not need escaping. */
void tl_points_svg(FILE *out, const struct tl_points *points, bool alone);

#endif
