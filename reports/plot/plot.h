/* SPDX-License-Identifier: Apache-2.0
 * plot.h - curves over time as SVG: 720 x 240, light and dark, with a title and a description
 * for screen readers, without scripts and fonts. Values are whole numbers and positions are
 * fixed-point, so the same values give the same bytes on every machine. */
#ifndef TL_REPORTS_PLOT_PLOT_H
#define TL_REPORTS_PLOT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    TL_PLOT_COLUMNS = 540,
    TL_PLOT_COLOURS = 12,
    TL_PLOT_ROWS_MAX = 4,
    TL_PLOT_LIMITS_MAX = 2
};

#define TL_PLOT_NOTHING UINT32_MAX /* the column has no value */

/* In each column the least and the largest value. */
struct tl_plot_curve {
    const char *label; /* in the legend; NULL: it has no entry */
    const uint32_t *low, *high;
    unsigned colour; /* modulo TL_PLOT_COLOURS */
    bool dashed;
};

/* A horizontal line, such as a threshold. */
struct tl_plot_limit {
    const char *label;
    uint64_t value;
};

/* A row of ticks below the curves: one in each column whose count is not 0. */
struct tl_plot_row {
    const char *label; /* on the right; the total is on the left */
    const uint32_t *counts;
    uint64_t total;
};

struct tl_plot {
    const char *id;    /* of the title and the description; unique in a page */
    const char *title; /* with the unit of y */
    const char *about; /* one sentence: the description */
    uint64_t scale;    /* values are so many to the unit */
    bool log;          /* y is logarithmic; 0 is drawn as 1 */
    bool whole;        /* only whole units have ticks */
    uint64_t until_ps; /* the time at the end of the last column */
    const struct tl_plot_curve *curves;
    size_t n_curves;
    /* An area behind the curves, in the colour of the first one; NULL: none. */
    const uint32_t *band_low, *band_high;
    const char *band_label;
    struct tl_plot_limit limits[TL_PLOT_LIMITS_MAX]; /* label NULL: none */
    struct tl_plot_row rows[TL_PLOT_ROWS_MAX];
    size_t n_rows;
};

/* Writes the <svg> element. `alone`: it is a file of its own and has its own style; else the
 * page has tl_plot_style within a <style> element. Texts must not need escaping. */
void tl_plot_svg(FILE *out, const struct tl_plot *plot, bool alone);

extern const char tl_plot_style[];

#endif
