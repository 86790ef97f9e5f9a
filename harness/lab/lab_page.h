/* SPDX-License-Identifier: Apache-2.0
 * lab_page.h - an experiment as one HTML page, and its plots as SVG files. */
#ifndef TL_HARNESS_LAB_LAB_PAGE_H
#define TL_HARNESS_LAB_LAB_PAGE_H

#include "codecs/base/error.h"
#include "harness/lab/lab_foreign.h"
#include "oracles/lab/experiment.h"
#include "oracles/lab/series.h"

#include <stdio.h>

/* Where plots go; both may be NULL. */
struct tl_lab_page {
    FILE *html;
    const char *dir; /* of the SVG files; it exists */
    const struct fal_lab_experiment *experiment;
    const struct tl_lab_foreign *foreign;
    const char *algorithm; /* the file of a library in place of Swift, or NULL */
    unsigned cases;        /* written so far */
};

/* The head of the page: the experiment and the parameters that are not the defaults. */
void tl_lab_page_begin(const struct tl_lab_page *page, const struct fal_swift_params *params);
/* A case: its values, and its plots. Returns 0, FAL_ERR_MEM or FAL_ERR_IO with `err`. */
MUST_USE int tl_lab_page_case(struct tl_lab_page *page, const struct fal_lab_ask *ask,
                              const struct fal_lab_outcome *out,
                              const struct fal_lab_series *series, struct fal_error *err);
void tl_lab_page_end(const struct tl_lab_page *page);

#endif
