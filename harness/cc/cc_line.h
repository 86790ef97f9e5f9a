/* SPDX-License-Identifier: Apache-2.0
 * cc_line.h - a vector of congestion control as a line of JSON: parameters, time, the bytes of
 * an event and of its result (docs/congestion.md). */
#ifndef TL_HARNESS_CC_CC_LINE_H
#define TL_HARNESS_CC_CC_LINE_H

#include "oracles/cc/swift.h"

struct tl_cc_line {
    char id[40]; /* empty: the line has none */
    enum fal_cc_format format;
    struct fal_swift_params params;
    bool keep; /* the state that the line before left */
    uint32_t now;
    struct fal_cc_event event;
    struct fal_cc_result result;
};

/* The line, without a newline; `what` may be NULL. The caller frees it; NULL when out of
 * memory. */
char *tl_cc_line_print(const struct tl_cc_line *line, const char *what);

/* Reads a line. A member that may be absent keeps what `out` holds: id, format, params and
 * state. Returns 0; FAL_ERR_FORM with the column (from 1) and a clause in `err`; FAL_ERR_MEM.
 */
MUST_USE int tl_cc_line_read(const char *text, size_t len, struct tl_cc_line *out,
                             unsigned *column, struct fal_error *err);

#endif
