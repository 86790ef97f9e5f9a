/* SPDX-License-Identifier: Apache-2.0
 * text_full.h - a header in full, one line a field: where it stands, its name, its value, what
 * the value is called, and what the field is for. */
#ifndef FAL_CODECS_TEXT_TEXT_FULL_H
#define FAL_CODECS_TEXT_TEXT_FULL_H

#include "codecs/base/field.h"

enum { FAL_TEXT_FULL_MAX = 8192 }; /* enough for every header */

/* The lines of a header, each "    w6[16..31] request_length 64  # bytes ...": word (of 4
 * bytes) and bits as the figures count them; a field over several words, from and to. A value
 * that the table does not allow is marked "(reserved)". As snprintf: returns the length due. */
size_t fal_text_full(const struct fal_layout *layout, const void *host, char *out, size_t cap);

#endif
