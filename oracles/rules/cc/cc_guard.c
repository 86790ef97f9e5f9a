/* SPDX-License-Identifier: Apache-2.0
 * cc_guard.c - the guards of the windows and their markers (10.3.4, 10.3.6). */
#include "oracles/rules/cc/cc_view.h"

unsigned fal_band_elapsed(const struct fal_band_view *view, uint32_t marker)
{
    struct fal_cc_span since = fal_arc_since(view->now, marker);

    return (since.hi >= view->rtt.lo ? FAL_BAND_YES : 0) |
           (since.lo <= view->rtt.hi ? FAL_BAND_NO : 0);
}

void fal_band_add(struct fal_band_outcomes *outcomes, const struct fal_band_outcome *outcome)
{
    if (outcomes->n < FAL_BAND_OUTCOMES) /* the parts add fewer */
        outcomes->at[outcomes->n++] = *outcome;
}

void fal_band_add_updated(struct fal_band_outcomes *outcomes, const struct fal_band_view *view,
                          struct fal_band_outcome outcome, uint32_t marker,
                          const char *of_moved)
{
    unsigned elapsed = fal_band_elapsed(view, marker);

    if ((elapsed & FAL_BAND_NO) != 0) {
        outcome.marker = fal_arc_of(marker);
        outcome.of_marker = "FTP-10.3.6-05";
        fal_band_add(outcomes, &outcome);
    }
    if ((elapsed & FAL_BAND_YES) != 0) {
        outcome.marker = fal_arc_before(view->now, view->rtt);
        /* `now` has wrapped since the marker: the subtraction modulo 2^24 is decided too. */
        outcome.of_marker = view->now.from < marker ? "FTP-10.3.4-08" : of_moved;
        fal_band_add(outcomes, &outcome);
    }
}
