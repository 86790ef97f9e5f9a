/* SPDX-License-Identifier: Apache-2.0
 * json_member.h - reads members of control-protocol objects, for both ends of the protocol.
 * Every value is hostile; an error names the member and what was expected.
 * Each reader returns 1 when it read the member, 0 when the member is absent and not required,
 * else FAL_ERR_FORM with `err`. *out is unchanged unless 1 is returned. */
#ifndef TL_HARNESS_DOC_JSON_MEMBER_H
#define TL_HARNESS_DOC_JSON_MEMBER_H

#include "codecs/base/error.h"
#include "oracles/timeline.h"

#include <jansson.h>

enum tl_member { TL_MAY_HAVE, TL_MUST_HAVE };

/* A whole number from 0 to `max`. */
MUST_USE int tl_json_u64(const json_t *object, const char *key, enum tl_member need,
                         uint64_t max, uint64_t *out, struct fal_error *err);
MUST_USE int tl_json_u32(const json_t *object, const char *key, enum tl_member need,
                         uint32_t max, uint32_t *out, struct fal_error *err);
/* 64 bits: a whole number, or a string "0x..." of up to 16 digits (`tag`, `seed`, `hash`). */
MUST_USE int tl_json_wide(const json_t *object, const char *key, enum tl_member need,
                          uint64_t *out, struct fal_error *err);
MUST_USE int tl_json_bool(const json_t *object, const char *key, enum tl_member need, bool *out,
                          struct fal_error *err);
/* The text is borrowed from the object. */
MUST_USE int tl_json_string(const json_t *object, const char *key, enum tl_member need,
                            const char **out, struct fal_error *err);
MUST_USE int tl_json_op(const json_t *object, const char *key, enum tl_member need,
                        enum fal_ulp_op *out, struct fal_error *err);
MUST_USE int tl_json_answer(const json_t *object, const char *key, enum tl_member need,
                            enum fal_answer *out, struct fal_error *err);

/* Reads one connection parameter from its JSON value: true, false, or a whole number. Returns 0
 * or FAL_ERR_FORM. */
MUST_USE int tl_json_param(const json_t *value, const struct fal_param *param,
                           struct fal_params *params, struct fal_error *err);
/* Returns the parameter as JSON, a new reference. */
json_t *tl_json_from_param(const struct fal_param *param, const struct fal_params *params);

/* Reads one end of a connection into `end`; with `need`, all members must be present. Returns 0
 * or FAL_ERR_FORM. */
MUST_USE int tl_json_end(const json_t *object, enum tl_member need, struct fal_end *end,
                         struct fal_error *err);
/* Returns the end as an object, a new reference. */
json_t *tl_json_from_end(const struct fal_end *end);

/* Returns 64 bits as JSON: a number where every JSON reader can hold it (below 2^53), else
 * "0x...". New reference. */
json_t *tl_json_from_wide(uint64_t value);
/* "0x" and 16 digits. New reference. */
json_t *tl_json_from_hash(uint64_t value);

/* "push", "pull". */
const char *tl_op_name(enum fal_ulp_op op);

/* Replaces, in place, characters that are not printable ASCII, so that the text fits on one
 * line of a message. */
void tl_clean_text(char *text);

/* Parses one control line into an object. Returns a new reference, or NULL with `err`. */
json_t *tl_json_line(const char *line, size_t len, struct fal_error *err);

#endif
