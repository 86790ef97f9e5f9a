/* SPDX-License-Identifier: Apache-2.0
 * show.h - prints the state of a case for a person who debugs: the tester's end of the
 * connection, and what was seen. Nothing of it changes the case. */
#ifndef TL_HARNESS_DEBUG_SHOW_H
#define TL_HARNESS_DEBUG_SHOW_H

#include "harness/play/interp.h"

#include <stdio.h>

/* Sequence numbers are printed as in the notation: 0r is the first number of their sender. */
void tl_show_connection(FILE *out, const struct tl_interp *interp);
void tl_show_windows(FILE *out, const struct tl_interp *interp);
void tl_show_bitmaps(FILE *out, const struct tl_interp *interp);
void tl_show_timers(FILE *out, const struct tl_interp *interp);
/* The variables of the scenario. */
void tl_show_variables(FILE *out, const struct tl_interp *interp);
/* The last `count` packets, or events of both upper layers. */
void tl_show_packets(FILE *out, const struct tl_interp *interp, uint64_t count);
void tl_show_events(FILE *out, const struct tl_interp *interp, uint64_t count);
/* Both from these numbers on, in the order of their times; at most `count` of each. */
void tl_show_news(FILE *out, const struct tl_interp *interp, const uint64_t from[2],
                  uint64_t count);
/* The steps, with a mark at the next one. */
void tl_show_steps(FILE *out, const struct tl_interp *interp);
/* One step in one line: "step 4, line 24: < packet rbase=1r". */
void tl_show_step(FILE *out, const struct tl_scenario *scenario, size_t step);
/* What the steps saw in place of what they expect, once interp->failed is set. */
void tl_show_miss(FILE *out, const struct tl_interp *interp);

#endif
