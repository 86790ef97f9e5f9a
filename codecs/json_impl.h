/* SPDX-License-Identifier: Apache-2.0
 * json_impl.h - what the json_*.c files share. Nobody else includes it. */
#ifndef FAL_CODECS_JSON_IMPL_H
#define FAL_CODECS_JSON_IMPL_H

#include "codecs/json.h"

/* A field's value in its JSON form: number, fixed-width hex string, address. New reference. */
json_t *fal_json_value(const struct fal_field *field, fal_u128 value);

/* The value that `json` gives to a field; what is wrong goes to `err` as "where.name: ...". */
int fal_json_read_value(const struct fal_field *field, const json_t *json, const char *where,
                        fal_u128 *value, struct fal_error *err);

/* Bytes as a hex string. New reference, NULL when out of memory. */
json_t *fal_json_bytes(struct fal_span span);

/* The header of a layer in the frame, or NULL: raw, and a falcon layer of a reserved type. */
void *fal_json_host(struct fal_frame *frame, enum fal_layer_id id,
                    const struct fal_layout **layout);

/* Completes what a hand-written object leaves open when it gives some lengths or some checksums
 * but not all: fal_frame_encode keeps either all or none. Adds to *keep. */
int fal_json_complete(const json_t *object, struct fal_frame *frame, unsigned *keep,
                      struct fal_error *err);

#endif
