/* SPDX-License-Identifier: Apache-2.0
 * line_file.h - a text file of long lines, one at a time. */
#ifndef TL_HARNESS_LINE_FILE_H
#define TL_HARNESS_LINE_FILE_H

#include "codecs/field.h"

#include <stdio.h>

enum { TL_FILE_LINE_MAX = 1 << 22 };

/* All zero but the file at first; `line` is the reader's, and the caller frees it. */
struct tl_file_lines {
    FILE *file;
    char *line; /* not ended by a NUL */
    size_t len, cap;
    uint64_t number; /* of the line, from 1 */
};

/* The next line, without its end: 1; 0 at the end of the file; FAL_ERR_FORM (longer than
 * TL_FILE_LINE_MAX), FAL_ERR_MEM, FAL_ERR_IO with `err`. */
int tl_file_line(struct tl_file_lines *lines, struct fal_error *err);

#endif
