/* SPDX-License-Identifier: Apache-2.0
 * line_file.h - reads a text file with long lines, one line at a time. */
#ifndef TL_HARNESS_DOC_LINE_FILE_H
#define TL_HARNESS_DOC_LINE_FILE_H

#include "codecs/base/error.h"
#include "codecs/base/field.h"

#include <stdio.h>

enum { TL_FILE_LINE_MAX = 1 << 22 };

/* Zero-initialise all members but the file. `line` belongs to the reader; the caller frees it
 * at the end. */
struct tl_file_lines {
    FILE *file;
    char *line; /* not NUL-terminated */
    size_t len, cap;
    uint64_t number; /* number of the line, from 1 */
};

/* Reads the next line, without its newline. Returns 1; 0 at the end of the file; FAL_ERR_FORM
 * (longer than TL_FILE_LINE_MAX), FAL_ERR_MEM, FAL_ERR_IO with `err`. */
MUST_USE int tl_file_line(struct tl_file_lines *lines, struct fal_error *err);

#endif
