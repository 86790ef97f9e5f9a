/* SPDX-License-Identifier: Apache-2.0
 * whole_file.h - files that appear whole or not at all: they are written under another name in
 * the same folder, and then renamed. */
#ifndef TL_HARNESS_FIELD_WHOLE_FILE_H
#define TL_HARNESS_FIELD_WHOLE_FILE_H

#include "codecs/base/error.h"

#include <stdbool.h>

/* A name beside `path` that no file has yet, with the same ending, whose file was created;
 * `secret`: only the owner may read it. The caller frees it. NULL with `err`, also where `path`
 * is no regular file. */
char *tl_whole_begin(const char *path, bool secret, struct fal_error *err);

/* Renames the file, when `good`, else removes it. 0, or FAL_ERR_IO with `err`. */
MUST_USE int tl_whole_end(const char *temporary, const char *path, bool good,
                          struct fal_error *err);

/* Writes a text. `secret`: only the owner may read it. 0, FAL_ERR_IO or FAL_ERR_MEM with `err`.
 */
MUST_USE int tl_whole_text(const char *path, const char *text, bool secret,
                           struct fal_error *err);

#endif
