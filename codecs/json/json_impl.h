/* SPDX-License-Identifier: Apache-2.0
 * json_impl.h - what the json_*.c files share. No other file includes it. */
#ifndef FAL_CODECS_JSON_JSON_IMPL_H
#define FAL_CODECS_JSON_JSON_IMPL_H

#include "codecs/base/error.h"
#include "codecs/json/json.h"

/* A field's value in its JSON form: number, fixed-width hex string, address. New reference. */
json_t *fal_json_value(const struct fal_field *field, fal_u128 value);

/* The value that `json` gives to a field; what is wrong goes to `err` as "where.name: ...". */
MUST_USE int fal_json_read_value(const struct fal_field *field, const json_t *json,
                                 const char *where, fal_u128 *value, struct fal_error *err);

/* Bytes as a hex string. New reference, NULL when out of memory. */
json_t *fal_json_bytes(struct fal_span span);

/* A line that is being read. */
struct fal_json_reader {
    const json_t *object;
    struct fal_frame *frame;
    uint8_t *storage; /* what is left of it */
    size_t cap;
    unsigned *keep;
    struct fal_error *err;
};

/* The member of a layer, or NULL. */
const json_t *fal_json_layer(const struct fal_json_reader *r, enum fal_layer_id id);

/* Nothing names the layers: makes the list of the encapsulation asked for, or of what the
 * members that are there take. 0, or an error. */
MUST_USE int fal_json_guess_layers(struct fal_json_reader *r, enum fal_encap encap);

/* Initial values for whatever the named layers leave open. */
void fal_json_prepare(struct fal_json_reader *r);

/* Hex under `key` of `object` into storage; absent: an empty span. 0, or an error about
 * `where`. */
MUST_USE int fal_json_take_bytes(struct fal_json_reader *r, const json_t *object,
                                 const char *key, const char *where, struct fal_span *out);

/* Members of a layer that are no fields of its header: adds them, sets *failed when out of
 * memory; reads them and takes them out of `object`, 0 or an error. */
void fal_json_add_extra(const struct fal_frame *frame, enum fal_layer_id id, json_t *object,
                        bool *failed);
MUST_USE int fal_json_read_extra(struct fal_json_reader *r, enum fal_layer_id id,
                                 json_t *object);

/* The extension headers of IPv6, outer or inner, as an array of objects, and back. */
json_t *fal_json_ipv6_ext(const struct fal_frame *frame, enum fal_layer_id id);
MUST_USE int fal_json_read_ipv6_ext(struct fal_json_reader *r, enum fal_layer_id id);

/* Sets `key`, stealing `value`; *failed when it could not be made or set. */
void fal_json_set(json_t *object, const char *key, json_t *value, bool *failed);

/* What a Falcon packet carries, which was READ, as an object. New reference, NULL when out of
 * memory. And the first field of that name in its headers, or NULL. */
json_t *fal_json_ulp(const struct fal_ulp *ulp);
const struct fal_field *fal_json_ulp_field(const struct fal_ulp *ulp, const char *name);

/* Writes the headers of the line's "rdma" or "nvme" to `out`; `data` bytes will follow them.
 * Lengths and the protocol type that the line leaves open are filled in. Returns the bytes
 * written, 0 when the line has neither, or an error with `err`. */
MUST_USE int fal_json_read_ulp(const json_t *line, size_t data, struct fal_falcon *packet,
                               uint8_t *out, size_t cap, struct fal_error *err);

/* Completes what a hand-written object leaves open when it gives some lengths or some checksums
 * but not all: fal_frame_encode keeps either all or none. Adds to *keep. */
MUST_USE int fal_json_complete(const json_t *object, struct fal_frame *frame, unsigned *keep,
                               struct fal_error *err);

#endif
