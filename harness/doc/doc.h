/* SPDX-License-Identifier: Apache-2.0
 * doc.h - a JSON document that people wrote (ICS, waivers, profiles): read whole, and each
 * error says file, line, column, where in the document, what, and what was expected. Such a
 * file is as hostile as any other input. */
#ifndef TL_HARNESS_DOC_H
#define TL_HARNESS_DOC_H

#include "codecs/error.h"
#include "harness/doc/json_place.h"

#include <jansson.h>
#include <stdbool.h>

enum { TL_DOC_MAX = 4 << 20 }; /* bytes: no such file is longer */

struct tl_doc {
    const char *path; /* in messages; borrowed */
    char *text;
    size_t len;
    json_t *root;
    struct fal_error *err; /* where messages go; borrowed */
};

/* The whole file, NUL-terminated, of at most TL_DOC_MAX bytes; the caller frees it. NULL with a
 * clause in `err`. */
char *tl_file_read(const char *path, size_t *len, struct fal_error *err);
/* The same, of at most `most` bytes. */
char *tl_file_read_up_to(const char *path, size_t most, size_t *len, struct fal_error *err);

/* Opens a document whose member "schema" must be `schema`. 0, FAL_ERR_IO, FAL_ERR_FORM,
 * FAL_ERR_MEM with `err`; the document is then closed. */
int tl_doc_open(struct tl_doc *doc, const char *path, const char *schema,
                struct fal_error *err);
/* The same of a text in memory, which is copied. */
int tl_doc_read(struct tl_doc *doc, const char *name, const char *text, size_t len,
                const char *schema, struct fal_error *err);
void tl_doc_close(struct tl_doc *doc);

/* Says that the value at `at` is wrong; returns FAL_ERR_FORM. */
int tl_doc_fail(const struct tl_doc *doc, const struct tl_path *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether `object` is one, with no members but those of `known`. 0, or FAL_ERR_FORM. */
int tl_doc_members(const struct tl_doc *doc, const struct tl_path *at, json_t *object,
                   const char *const *known, size_t n);

/* The member's text, at most `max` bytes long and not empty; *out is borrowed, NULL when it is
 * absent (or null) and `must` is false. 0, or FAL_ERR_FORM. */
int tl_doc_text(const struct tl_doc *doc, const struct tl_path *up, const json_t *object,
                const char *key, bool must, size_t max, const char **out);

#endif
