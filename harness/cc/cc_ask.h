/* SPDX-License-Identifier: Apache-2.0
 * cc_ask.h - `talon cc measure`: which SUT is measured and what is declared of it, from the
 * options of the command to the printed estimates. */
#ifndef TL_HARNESS_CC_CC_ASK_H
#define TL_HARNESS_CC_CC_ASK_H

#include "harness/cc/cc_measure.h"
#include "harness/run/request.h"

/* The options; texts are borrowed. */
struct tl_cc_ask {
    struct tl_request sut;    /* the options that `talon run` has, too */
    struct tl_texts declared; /* "NAME=VALUE" */
    struct tl_texts set;      /* "NAME=VALUE": given to the SUT before (cc_config) */
    const char *rounds;       /* a file, or NULL */
    const char *page, *plots; /* an HTML file; a directory of SVG files; or NULL */
    bool json;
};

/* How the command ended. */
enum tl_cc_asked { TL_CC_INSIDE, TL_CC_OUTSIDE, TL_CC_WRONG_ASK, TL_CC_NOT_MEASURED };

/* Measures and prints. WRONG_ASK (an option is wrong) and NOT_MEASURED come with `err`. */
enum tl_cc_asked tl_cc_ask(const struct tl_cc_ask *ask, struct fal_error *err);

#endif
