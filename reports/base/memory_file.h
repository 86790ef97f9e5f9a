/* SPDX-License-Identifier: Apache-2.0
 * memory_file.h - a stream into memory that says so when there is no more of it. (Of
 * open_memstream(3) what does not fit is lost without a word: neither ferror nor fclose tell.)
 */
#ifndef TL_REPORTS_BASE_MEMORY_FILE_H
#define TL_REPORTS_BASE_MEMORY_FILE_H

#include "codecs/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct tl_memory_file {
    FILE *out;  /* to be written to */
    char *text; /* after tl_memory_close: the whole text, and a NUL */
    size_t len, cap;
    bool failed;
};

/* 0, or FAL_ERR_MEM. */
MUST_USE int tl_memory_open(struct tl_memory_file *file);
/* Closes the file (also one that was never opened). Returns 0: file->text is complete, and the
 * caller frees it; or FAL_ERR_MEM: there is no text. */
MUST_USE int tl_memory_close(struct tl_memory_file *file);

#endif
