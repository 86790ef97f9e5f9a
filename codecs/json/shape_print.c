/* SPDX-License-Identifier: Apache-2.0
 * shape_print.c - a C struct to the text of JSON by its table, without a JSON value in between:
 * the events of timelines are many. The bytes are those of fal_shape_write and a compact dump.
 */
#include "codecs/json/shape_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 512 };

static int print_value(const struct fal_shape *shape, const void *in, size_t size,
                       struct fal_shape_text *out);

static int put(const char *text, size_t len, void *ctx)
{
    struct fal_shape_text *out = ctx;

    if (out->len + len > out->cap) {
        size_t cap = out->cap > 0 ? out->cap : FIRST_CAP;
        char *grown;

        while (cap < out->len + len)
            cap *= 2;
        grown = realloc(out->text, cap);
        if (grown == NULL)
            return FAL_ERR_MEM;
        out->text = grown;
        out->cap = cap;
    }
    memcpy(out->text + out->len, text, len);
    out->len += len;
    return 0;
}

static int put_word(const char *word, struct fal_shape_text *out)
{
    return put(word, strlen(word), out);
}

/* A text of printable ASCII without '"' and '\' needs no escapes. */
static bool is_plain(const char *text, size_t *len)
{
    const char *at = text;

    for (; *at != 0; at++)
        if ((unsigned char)*at < ' ' || (unsigned char)*at >= 0x80 || *at == '"' || *at == '\\')
            return false;
    *len = (size_t)(at - text);
    return true;
}

static int put_quoted(const char *text, size_t len, struct fal_shape_text *out)
{
    int rc = put("\"", 1, out);

    if (rc == 0)
        rc = put(text, len, out);
    return rc == 0 ? put("\"", 1, out) : rc;
}

/* Prints any JSON value, and takes over the reference. */
static int put_json(json_t *value, struct fal_shape_text *out)
{
    const char *text = json_string_value(value);
    size_t len;
    int rc = FAL_ERR_MEM;

    if (text != NULL && is_plain(text, &len) && len == json_string_length(value))
        rc = put_quoted(text, len, out);
    else if (value != NULL &&
             json_dump_callback(value, put, out, JSON_COMPACT | JSON_ENCODE_ANY) == 0)
        rc = 0;
    json_decref(value);
    return rc;
}

static int put_text(const char *text, struct fal_shape_text *out)
{
    size_t len;

    return is_plain(text, &len) ? put_quoted(text, len, out)
                                : put_json(fal_shape_any_text(text), out);
}

static int put_unsigned(uint64_t number, struct fal_shape_text *out)
{
    char digits[24];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return put(digits + at, sizeof digits - at, out);
}

static int put_signed(int64_t number, struct fal_shape_text *out)
{
    int rc = number < 0 ? put("-", 1, out) : 0;

    return rc == 0 ? put_unsigned(number < 0 ? 0 - (uint64_t)number : (uint64_t)number, out)
                   : rc;
}

static int put_hex(uint64_t number, struct fal_shape_text *out)
{
    char text[24];
    int len = snprintf(text, sizeof text, "\"0x%016" PRIx64 "\"", number);

    return put(text, (size_t)len, out);
}

static int put_wide(uint64_t number, struct fal_shape_text *out)
{
    if (number == UINT64_MAX)
        return put_word("\"never\"", out);
    return number > INT64_MAX ? put_hex(number, out) : put_unsigned(number, out);
}

static int put_real(const void *in, struct fal_shape_text *out)
{
    double real;

    memcpy(&real, in, sizeof real);
    return put_json(json_real(real), out);
}

/* Prints the value that a hook gives, and nothing for a member that the hook leaves out. */
static int put_hook(const struct fal_shape *shape, const void *in, struct fal_shape_text *out)
{
    json_t *value = NULL;
    int rc = shape->write(in, &value);

    return rc != 0 || value == NULL ? rc : put_json(value, out);
}

static int print_list(const struct fal_member *m, const void *base, struct fal_shape_text *out)
{
    const struct fal_shape *shape = m->shape;
    size_t n;
    const char *items = fal_shape_items(m, base, &n);
    int rc = put("[", 1, out);

    for (size_t i = 0; rc == 0 && i < n; i++) {
        rc = i > 0 ? put(",", 1, out) : 0;
        if (rc == 0)
            rc = print_value(shape->of[0], items + i * shape->item_size, shape->item_size, out);
    }
    return rc == 0 ? put("]", 1, out) : rc;
}

static int print_member_value(const struct fal_member *m, const void *base,
                              struct fal_shape_text *out)
{
    const void *at;
    json_t *kept;

    switch (fal_shape_how(m, base, &at)) {
    case FAL_SHAPE_LEFT_OUT: break;
    case FAL_SHAPE_AS_CONST: return put_text(m->shape->words[0], out);
    case FAL_SHAPE_AS_HOOK: return put_hook(m->shape, at, out);
    case FAL_SHAPE_AS_KEPT:
        memcpy(&kept, at, sizeof kept);
        return kept != NULL ? put_json(json_incref(kept), out) : 0;
    case FAL_SHAPE_AS_NULL: return put_word("null", out);
    case FAL_SHAPE_AS_LIST: return print_list(m, base, out);
    case FAL_SHAPE_AS_VALUE: return print_value(m->shape, at, m->size, out);
    }
    return 0;
}

static int print_object(const struct fal_shape *shape, const void *in,
                        struct fal_shape_text *out)
{
    bool first = true;
    int rc = put("{", 1, out);

    for (size_t i = 0; rc == 0 && i < shape->num_members; i++) {
        const struct fal_member *m = &shape->members[i];
        size_t before = out->len, after_key;

        rc = first ? 0 : put(",", 1, out);
        if (rc == 0)
            rc = put_quoted(m->key, strlen(m->key), out);
        if (rc == 0)
            rc = put(":", 1, out);
        after_key = out->len;
        if (rc == 0)
            rc = print_member_value(m, in, out);
        if (rc == 0 && out->len == after_key)
            out->len = before; /* it is left out */
        else
            first = false;
    }
    return rc == 0 ? put("}", 1, out) : rc;
}

static int print_value(const struct fal_shape *shape, const void *in, size_t size,
                       struct fal_shape_text *out)
{
    if (shape->write != NULL)
        return put_hook(shape, in, out);
    switch (shape->kind) {
    case FAL_SHAPE_TEXT:
    case FAL_SHAPE_NAME: return put_text(fal_shape_text_of(shape, in), out);
    case FAL_SHAPE_FLAG:
    case FAL_SHAPE_YES: return put_word(fal_shape_flag_of(in) ? "true" : "false", out);
    case FAL_SHAPE_UINT: return put_signed((int64_t)fal_shape_number(in, size), out);
    case FAL_SHAPE_INT: return put_signed(fal_shape_signed(in, size), out);
    case FAL_SHAPE_WIDE: return put_wide(fal_shape_number(in, 8), out);
    case FAL_SHAPE_HEX: return put_hex(fal_shape_number(in, 8), out);
    case FAL_SHAPE_REAL: return put_real(in, out);
    case FAL_SHAPE_WORD:
        return put_text(shape->words[fal_shape_number(in, size) - (uint64_t)shape->min], out);
    case FAL_SHAPE_OBJECT: return print_object(shape, in, out);
    case FAL_SHAPE_ANY_OF: return print_value(shape->of[0], in, size, out);
    case FAL_SHAPE_ANY:
    case FAL_SHAPE_CONST:
    case FAL_SHAPE_LIST:
    case FAL_SHAPE_MAP: break; /* nothing in C to write */
    }
    return FAL_ERR_MEM;
}

int fal_shape_print(const struct fal_shape *shape, const void *in, struct fal_shape_text *out)
{
    size_t before = out->len;
    int rc = print_value(shape, in, 0, out);

    if (rc == 0)
        rc = put("\n", 1, out);
    if (rc != 0)
        out->len = before;
    return rc;
}
