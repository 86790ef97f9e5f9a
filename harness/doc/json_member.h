/* SPDX-License-Identifier: Apache-2.0
 * json_member.h - JSON values that several formats write alike, and control lines. */
#ifndef TL_HARNESS_DOC_JSON_MEMBER_H
#define TL_HARNESS_DOC_JSON_MEMBER_H

#include "codecs/base/error.h"
#include "oracles/timeline.h"

#include <jansson.h>

/* Returns the parameter as JSON, a new reference. */
json_t *tl_json_from_param(const struct fal_param *param, const struct fal_params *params);

/* Returns 64 bits as JSON: a number where every JSON reader can hold it (below 2^53), else
 * "0x...". New reference. */
json_t *tl_json_from_wide(uint64_t value);
/* "0x" and 16 digits. New reference. */
json_t *tl_json_from_hash(uint64_t value);

/* Replaces, in place, characters that are not printable ASCII, so that the text fits on one
 * line of a message. */
void tl_clean_text(char *text);

/* Parses one control line into an object. Returns a new reference, or NULL with `err`. */
json_t *tl_json_line(const char *line, size_t len, struct fal_error *err);

#endif
