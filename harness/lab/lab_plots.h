/* SPDX-License-Identifier: Apache-2.0
 * lab_plots.h - the plots of a run of an experiment. */
#ifndef TL_HARNESS_LAB_LAB_PLOTS_H
#define TL_HARNESS_LAB_LAB_PLOTS_H

#include "codecs/base/error.h"
#include "oracles/lab/series.h"
#include "reports/plot/plot.h"

/* A plot is drawn: `name` ("fcwnd") is for files, `look` says what to look for. */
typedef void tl_lab_draw_fn(void *ctx, const char *name, const struct tl_plot *plot,
                            const char *look);

/* Draws each plot that the run has something to show in. `experiment` chooses the sentences;
 * ids of plots begin with `prefix`. The series is complete. Returns 0 or FAL_ERR_MEM. */
MUST_USE int tl_lab_plots_draw(const struct fal_lab_series *series, const char *experiment,
                               const char *prefix, tl_lab_draw_fn *draw, void *ctx);

#endif
