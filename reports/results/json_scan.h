/* SPDX-License-Identifier: Apache-2.0
 * json_scan.h - the outer level of a JSON document that is too long to be in memory: one value
 * after another is cut out of the stream, and jansson reads that. */
#ifndef TL_REPORTS_RESULTS_JSON_SCAN_H
#define TL_REPORTS_RESULTS_JSON_SCAN_H

#include "codecs/base/error.h"

#include <jansson.h>
#include <stdio.h>

struct tl_json_scan {
    FILE *in;
    const char *name; /* in messages */
    unsigned long line;
    char *text; /* the value that was cut out */
    size_t len, cap;
};

enum { TL_JSON_VALUE_MAX = 1 << 28 }; /* bytes: no member and no case is longer */

/* The next character that is no white space, or EOF; it is not taken. */
int tl_json_peek(struct tl_json_scan *scan);
/* Takes that character; FAL_ERR_FORM with `err` where there is another. */
MUST_USE int tl_json_take(struct tl_json_scan *scan, char due, struct fal_error *err);
/* The next value, whole. New reference; NULL with *rc FAL_ERR_FORM, FAL_ERR_IO or FAL_ERR_MEM.
 */
json_t *tl_json_value(struct tl_json_scan *scan, int *rc, struct fal_error *err);
int tl_json_fail(const struct tl_json_scan *scan, struct fal_error *err, const char *what);

#endif
