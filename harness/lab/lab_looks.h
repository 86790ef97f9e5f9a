/* SPDX-License-Identifier: Apache-2.0
 * lab_looks.h - a sentence for each plot: what a reader should look for. */
#ifndef TL_HARNESS_LAB_LAB_LOOKS_H
#define TL_HARNESS_LAB_LAB_LOOKS_H

/* The sentence of that experiment about the plot of that name, or the general one. The texts
 * need no escaping. */
const char *tl_lab_look(const char *experiment, const char *plot);

#endif
