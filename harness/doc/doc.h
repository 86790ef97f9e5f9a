/* SPDX-License-Identifier: Apache-2.0
 * doc.h - JSON documents that people write (ICS, waivers, profiles). A document is read as a
 * whole. Each error names file, line, column, the place in the document, what was found and
 * what was expected. The file is hostile input. */
#ifndef TL_HARNESS_DOC_DOC_H
#define TL_HARNESS_DOC_DOC_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"
#include "harness/doc/json_place.h"

#include <jansson.h>
#include <stdbool.h>

enum { TL_DOC_MAX = 4 << 20 }; /* limit of a file's size in bytes */

struct tl_doc {
    const char *path; /* name for messages; borrowed */
    char *text;
    size_t len;
    json_t *root;
    struct fal_error *err; /* where messages go; borrowed */
};

/* Reads a whole file of at most TL_DOC_MAX bytes, NUL-terminated; the caller frees it. Returns
 * NULL with a clause in `err`. */
char *tl_file_read(const char *path, size_t *len, struct fal_error *err);
/* The same with a limit of `most` bytes. */
char *tl_file_read_up_to(const char *path, size_t most, size_t *len, struct fal_error *err);

/* Opens a document whose member "schema" must be `schema`. Returns 0, or FAL_ERR_IO,
 * FAL_ERR_FORM, FAL_ERR_MEM with `err`; the document is then closed. */
MUST_USE int tl_doc_open(struct tl_doc *doc, const char *path, const char *schema,
                         struct fal_error *err);
/* The same for a text in memory, which is copied. */
MUST_USE int tl_doc_read(struct tl_doc *doc, const char *name, const char *text, size_t len,
                         const char *schema, struct fal_error *err);
void tl_doc_close(struct tl_doc *doc);

/* Reports that the value at `at` is wrong. Returns FAL_ERR_FORM. */
int tl_doc_fail(const struct tl_doc *doc, const struct tl_path *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Checks that `object` is an object whose members are all in `known`. Returns 0, or
 * FAL_ERR_FORM. */
MUST_USE int tl_doc_members(const struct tl_doc *doc, const struct tl_path *at, json_t *object,
                            const char *const *known, size_t n);

/* Reads the value at `at` by its table into `out`, as fal_shape_read does. Returns 0,
 * FAL_ERR_FORM or FAL_ERR_MEM. */
MUST_USE int tl_doc_shape(const struct tl_doc *doc, const struct tl_path *at,
                          const json_t *value, const struct fal_shape *shape, void *out);

/* Reads a member that must be a non-empty text of at most `max` bytes. *out is borrowed.
 * Returns 0, or FAL_ERR_FORM. */
MUST_USE int tl_doc_text(const struct tl_doc *doc, const struct tl_path *up,
                         const json_t *object, const char *key, size_t max, const char **out);

/* The same for a member that may be absent or null: *out is NULL then. */
MUST_USE int tl_doc_text_or_none(const struct tl_doc *doc, const struct tl_path *up,
                                 const json_t *object, const char *key, size_t max,
                                 const char **out);

#endif
