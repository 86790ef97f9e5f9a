/* SPDX-License-Identifier: Apache-2.0
 * bytes_line.h - a captured frame as a line with all its bytes, for frames of which a line of
 * the notation does not say all: "@1764505845.5s frame linktype=1 missing=20 hex:0200...". */
#ifndef FAL_CODECS_TEXT_BYTES_LINE_H
#define FAL_CODECS_TEXT_BYTES_LINE_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"

struct fal_bytes_line {
    uint64_t ts_ns; /* since 1970 */
    unsigned linktype;
    size_t len;       /* bytes that are there */
    uint32_t missing; /* bytes that the capture cut off */
};

enum { FAL_BYTES_HEAD_MAX = 120 };

/* Prints what stands before the hex digits, "hex:" included, as snprintf does. */
int fal_bytes_line_head(const struct fal_bytes_line *line, char *text, size_t cap);

/* Reads a line; its bytes go to `out`, which has room for `cap`. Returns 0; FAL_ERR_TYPE: the
 * line is of another kind; FAL_ERR_FORM or FAL_ERR_SHORT with a sentence in `err`. */
MUST_USE int fal_bytes_line_parse(const char *text, struct fal_bytes_line *line, uint8_t *out,
                                  size_t cap, struct fal_error *err);

#endif
