/* SPDX-License-Identifier: Apache-2.0
 * cc_picture.h - what was measured of Swift as pictures: the measured points with their
 * intervals, the line of the estimates and that of the declared values. As SVG files, and as
 * one HTML page with the table of estimates. */
#ifndef TL_HARNESS_CC_CC_PICTURE_H
#define TL_HARNESS_CC_CC_PICTURE_H

#include "codecs/base/error.h"
#include "harness/cc/cc_measure.h"

/* What the page says of the measurement; borrowed. */
struct tl_cc_page {
    const char *sut;     /* as --sut names it */
    const char *product; /* the identity that the SUT reports */
    uint64_t seed;
};

/* Writes the page. Returns 0, or FAL_ERR_IO with `err`, which names the option. */
MUST_USE int tl_cc_picture_page(const char *path, const struct tl_cc_page *page,
                                const struct tl_cc_measure *m, struct fal_error *err);
/* Writes measure-fall.svg, measure-rise.svg, measure-target.svg and measure-level.svg into a
 * directory, which is made if it does not exist. Same returns. */
MUST_USE int tl_cc_picture_files(const char *dir, const struct tl_cc_measure *m,
                                 struct fal_error *err);

#endif
