/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/doc/doc.h"

#include "codecs/base/nearest.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *tl_file_read(const char *path, size_t *len, struct fal_error *err)
{
    return tl_file_read_up_to(path, TL_DOC_MAX, len, err);
}

char *tl_file_read_up_to(const char *path, size_t most, size_t *len, struct fal_error *err)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t cap = 0, n = 1;

    *len = 0;
    if (file == NULL) {
        (void)fal_fail(err, FAL_ERR_IO, "%s",
                       strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
        return NULL;
    }
    while (n > 0 && *len <= most) {
        if (*len + 1 >= cap) {
            char *grown = realloc(text, cap == 0 ? 16384 : cap * 2);

            if (grown == NULL)
                break;
            cap = cap == 0 ? 16384 : cap * 2;
            text = grown;
        }
        n = fread(text + *len, 1, cap - 1 - *len, file);
        *len += n;
    }
    if (n == 0 && !ferror(file) && *len <= most) {
        text[*len] = 0;
        (void)fclose(file);
        return text;
    }
    if (*len > most)
        (void)fal_fail(err, FAL_ERR_RANGE, "larger than the limit of %zu bytes", most);
    else
        (void)fal_fail(err, FAL_ERR_IO, "%s",
                       ferror(file) ? "cannot be read" : "out of memory");
    (void)fclose(file);
    free(text);
    return NULL;
}

/* Formats "file:line:column: path: message". */
static int say(const struct tl_doc *doc, const struct tl_path *at, struct tl_position pos,
               const char *what)
{
    char where[200];

    if (tl_path_print(at, where, sizeof where) == 0)
        return fal_fail(doc->err, FAL_ERR_FORM, "%s:%u:%u: %s", doc->path, pos.line, pos.column,
                        what);
    return fal_fail(doc->err, FAL_ERR_FORM, "%s:%u:%u: %s: %s", doc->path, pos.line, pos.column,
                    where, what);
}

int tl_doc_fail(const struct tl_doc *doc, const struct tl_path *at, const char *format, ...)
{
    char what[300];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return say(doc, at, tl_source_find(doc->text, doc->len, at), what);
}

/* Takes ownership of doc->text. */
static int parse(struct tl_doc *doc, const char *schema)
{
    struct tl_path root = {0}, member = {.up = &root, .key = "schema"};
    json_error_t error;
    const char *given;

    doc->root = json_loadb(doc->text, doc->len, JSON_REJECT_DUPLICATES, &error);
    if (doc->root == NULL)
        return fal_fail(doc->err, FAL_ERR_FORM, "%s:%d:%d: not JSON: %s", doc->path, error.line,
                        error.column, error.text);
    if (!json_is_object(doc->root))
        return tl_doc_fail(doc, &root, "expected an object");
    given = json_string_value(json_object_get(doc->root, "schema"));
    return given != NULL && strcmp(given, schema) == 0
               ? 0
               : tl_doc_fail(doc, &member, "expected \"%s\"", schema);
}

int tl_doc_read(struct tl_doc *doc, const char *name, const char *text, size_t len,
                const char *schema, struct fal_error *err)
{
    int rc;

    *doc = (struct tl_doc){.path = name, .text = malloc(len + 1), .len = len, .err = err};
    if (doc->text == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    memcpy(doc->text, text, len);
    doc->text[len] = 0;
    rc = parse(doc, schema);
    if (rc != 0)
        tl_doc_close(doc);
    return rc;
}

int tl_doc_open(struct tl_doc *doc, const char *path, const char *schema, struct fal_error *err)
{
    struct fal_error why = {{0}};
    int rc;

    *doc = (struct tl_doc){.path = path, .err = err};
    doc->text = tl_file_read(path, &doc->len, &why);
    if (doc->text == NULL)
        return fal_fail(err, FAL_ERR_IO, "%s: %s", path, why.text);
    rc = parse(doc, schema);
    if (rc != 0)
        tl_doc_close(doc);
    return rc;
}

void tl_doc_close(struct tl_doc *doc)
{
    json_decref(doc->root);
    free(doc->text);
    doc->root = NULL;
    doc->text = NULL;
}

int tl_doc_members(const struct tl_doc *doc, const struct tl_path *at, json_t *object,
                   const char *const *known, size_t n)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return tl_doc_fail(doc, at, "expected an object");
    json_object_foreach(object, key, value)
    {
        struct tl_path member = {.up = at, .key = key};
        const char *near;
        char what[200];
        size_t i = 0;

        while (i < n && strcmp(known[i], key) != 0)
            i++;
        if (i < n)
            continue;
        near = fal_nearest(key, known, n);
        (void)snprintf(what, sizeof what, "unknown%s", fal_hint(near, "").text);
        return say(doc, &member, tl_source_find_key(doc->text, doc->len, &member), what);
    }
    return 0;
}

int tl_doc_shape(const struct tl_doc *doc, const struct tl_path *at, const json_t *value,
                 const struct fal_shape *shape, void *out)
{
    struct tl_path way[FAL_SHAPE_DEPTH];
    struct fal_misfit wrong;
    int rc = fal_shape_read(shape, value, out, false, &wrong);

    if (rc == 0)
        return 0;
    for (size_t i = 0; i < wrong.depth; i++) {
        way[i] =
            (struct tl_path){.up = at, .key = wrong.way[i].key, .index = wrong.way[i].index};
        at = &way[i];
    }
    (void)say(doc, at,
              wrong.at_key ? tl_source_find_key(doc->text, doc->len, at)
                           : tl_source_find(doc->text, doc->len, at),
              wrong.text);
    return rc;
}

int tl_doc_text(const struct tl_doc *doc, const struct tl_path *up, const json_t *object,
                const char *key, size_t max, const char **out)
{
    struct tl_path at = {.up = up, .key = key};
    const json_t *value = json_object_get(object, key);

    *out = NULL;
    if (value == NULL || json_is_null(value))
        return tl_doc_fail(doc, &at, "missing; expected a text");
    *out = json_string_value(value);
    if (*out == NULL || **out == 0)
        return tl_doc_fail(doc, &at, "expected a text that is not empty");
    if (strlen(*out) > max)
        return tl_doc_fail(doc, &at, "longer than %zu bytes", max);
    return 0;
}

int tl_doc_text_or_none(const struct tl_doc *doc, const struct tl_path *up,
                        const json_t *object, const char *key, size_t max, const char **out)
{
    const json_t *value = json_object_get(object, key);

    *out = NULL;
    return value == NULL || json_is_null(value) ? 0
                                                : tl_doc_text(doc, up, object, key, max, out);
}
