/* SPDX-License-Identifier: Apache-2.0
 * layout.h - the canonical layout of scenario files (`talon fmt`, docs/editors.md): the members
 * of the file in the order of the reference, a step on one line, blocks indented by two
 * columns, comments of packet lines aligned. It depends on the values alone, so laying out its
 * own result changes nothing. */
#ifndef TL_HARNESS_SCENARIO_LAYOUT_LAYOUT_H
#define TL_HARNESS_SCENARIO_LAYOUT_LAYOUT_H

#include "codecs/base/error.h"

#include <stddef.h>

/* Lays out a file of talon/scenario/1 or talon/roce/1, which was read without errors. The
 * result has the same values; only blanks within packet lines differ. The caller frees it;
 * *out_len is its length. Returns NULL with `err`: out of memory, no such file, or the result
 * would not have the same values (a defect of Talon). */
char *tl_layout(const char *text, size_t len, size_t *out_len, struct fal_error *err);

#endif
