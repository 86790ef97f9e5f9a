/* SPDX-License-Identifier: Apache-2.0
 * roots.h - which violation brings another one with it. */
#ifndef TL_REPORTS_CAUSES_ROOTS_H
#define TL_REPORTS_CAUSES_ROOTS_H

#include "oracles/catalogue.h"

#include <stdbool.h>

/* Whether an implementation that violates `root` is seen to violate `consequence`, too, though
 * nothing else is wrong with it. The converse does not hold: a violation of the consequence
 * alone does not show that the root is violated. The root may be of an upper layer; it explains
 * then only what is seen where that upper layer speaks. Either may be NULL: false. */
bool tl_roots_explain(const struct fal_requirement *root,
                      const struct fal_requirement *consequence);

#endif
