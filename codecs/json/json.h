/* SPDX-License-Identifier: Apache-2.0
 * json.h - packet JSON (wire-format.md, its JSON section), both ways, from the tables. */
#ifndef FAL_CODECS_JSON_JSON_H
#define FAL_CODECS_JSON_JSON_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"

#include <jansson.h>

/* One frame as an object, keys in the documented order. New reference, NULL when out of memory.
 */
json_t *fal_json_frame(const struct fal_frame *frame);

/* One header as an object: new reference. Codes carry their name beside them as NAME_text. */
json_t *fal_json_header(const struct fal_layout *layout, const void *host);

/* Reads fields that `object` names into the host struct; others keep their value. Values:
 * integers, "0x" strings, addresses in their usual form, code names. `where` names the object
 * in errors
 * ("falcon"). *given (may be NULL) gets the set of kinds given as fal_keep bits. Unknown fields
 * and values too wide are FAL_ERR_FORM, FAL_ERR_RANGE with `err` naming the field. */
MUST_USE int fal_json_read_header(const struct fal_layout *layout, const json_t *object,
                                  const char *where, void *host, unsigned *given,
                                  struct fal_error *err);

/* Where the bytes lie that are read from JSON. */
struct fal_json_storage {
    uint8_t *bytes;
    size_t cap;
};

/* Reads a line of decode's (or a hand-written one: only "falcon" is needed, the rest is filled
 * in around `encap`). Payload and trailer lie in `storage`. *keep gets the fal_keep
 * bits of what was given. 0, or FAL_ERR_FORM, FAL_ERR_RANGE, FAL_ERR_SHORT with `err`. */
MUST_USE int fal_json_read_frame(const json_t *object, enum fal_encap encap,
                                 struct fal_frame *frame, struct fal_json_storage storage,
                                 unsigned *keep, struct fal_error *err);

#endif
