/* SPDX-License-Identifier: Apache-2.0
 * cc_learn.h - which values of the parameters a round of a measurement (cc_measure.h) excludes,
 * and what is kept of it for the pictures. For cc_measure.c. */
#ifndef TL_HARNESS_CC_CC_LEARN_H
#define TL_HARNESS_CC_CC_LEARN_H

#include "harness/cc/cc_measure.h"

enum { TL_CC_HOPS = 15 /* of the second target */ };

/* Flow scaling at a window, in ticks. */
double tl_cc_flow_at(const struct tl_cc_measure *m, double window);
/* The target that is bisected: TL_CC_BASE_TARGET, or TL_CC_WITH_HOPS. */
unsigned tl_cc_bisected(const struct tl_cc_measure *m);

/* The count has come to `to`, since a rise began at m->rise_from. */
void tl_cc_learn_rise(struct tl_cc_measure *m, unsigned to);
/* A fall from a count to the next one, which the told delay has caused. */
void tl_cc_learn_fall(struct tl_cc_measure *m, unsigned from, unsigned to);
/* A probe: the window rose at the told delay; or did not, from at most so many packets. */
void tl_cc_learn_risen(struct tl_cc_measure *m);
void tl_cc_learn_not_risen(struct tl_cc_measure *m, unsigned most);
void tl_cc_draw_probe(struct tl_cc_measure *m, bool rose);
/* What follows from all rounds together. */
void tl_cc_learn_end(struct tl_cc_measure *m);

#endif
