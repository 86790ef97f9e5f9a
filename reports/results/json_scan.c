/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/json_scan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int tl_json_fail(const struct tl_json_scan *scan, struct fal_error *err, const char *what)
{
    if (ferror(scan->in))
        return fal_fail(err, FAL_ERR_IO, "%.200s: cannot be read", scan->name);
    return fal_fail(err, FAL_ERR_FORM, "%.200s:%lu: %s", scan->name, scan->line, what);
}

static int take(struct tl_json_scan *scan)
{
    int c = getc_unlocked(scan->in);

    scan->line += c == '\n';
    return c;
}

static void put_back(struct tl_json_scan *scan, int c)
{
    scan->line -= c == '\n';
    (void)ungetc(c, scan->in);
}

int tl_json_peek(struct tl_json_scan *scan)
{
    int c;

    do
        c = take(scan);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
    if (c != EOF)
        put_back(scan, c);
    return c;
}

int tl_json_take(struct tl_json_scan *scan, char due, struct fal_error *err)
{
    char what[64];

    if (tl_json_peek(scan) == (unsigned char)due) {
        (void)take(scan);
        return 0;
    }
    (void)snprintf(what, sizeof what, "expected '%c'", due);
    return tl_json_fail(scan, err, what);
}

static int keep(struct tl_json_scan *scan, int c)
{
    if (scan->len == scan->cap) {
        size_t cap = scan->cap == 0 ? 4096 : scan->cap * 2;
        char *grown = cap <= TL_JSON_VALUE_MAX ? realloc(scan->text, cap) : NULL;

        if (grown == NULL)
            return FAL_ERR_MEM;
        scan->text = grown;
        scan->cap = cap;
    }
    scan->text[scan->len++] = (char)c;
    return 0;
}

/* Cuts a value out: to the bracket or quote that ends it, or where a number or a word ends. */
static int cut(struct tl_json_scan *scan, struct fal_error *err)
{
    bool string = false, word = false;
    unsigned depth = 0;
    int rc = 0;

    scan->len = 0;
    for (int c = tl_json_peek(scan); rc == 0; c = 0) {
        c = take(scan);
        if (c == EOF)
            return word ? 0 : tl_json_fail(scan, err, "it ends within a value");
        if (!string && depth == 0 && scan->len > 0 &&
            (c == ',' || c == '}' || c == ']' || c == ':' || c == ' ' || c == '\n' ||
             c == '\t' || c == '\r')) {
            put_back(scan, c);
            return 0;
        }
        rc = keep(scan, c);
        if (string && c == '\\') {
            c = take(scan);
            if (c == EOF)
                return tl_json_fail(scan, err, "it ends within a text");
            rc = rc == 0 ? keep(scan, c) : rc;
        } else if (c == '"') {
            string = !string;
            if (!string && depth == 0)
                return rc;
        } else if (!string && (c == '{' || c == '[')) {
            depth++;
        } else if (!string && (c == '}' || c == ']')) {
            if (depth == 0)
                return tl_json_fail(scan, err, "expected a value");
            if (--depth == 0)
                return rc;
        }
        word = depth == 0 && !string;
    }
    return fal_fail(err, rc, "%.200s: out of memory, or a value of more than %d bytes",
                    scan->name, TL_JSON_VALUE_MAX);
}

json_t *tl_json_value(struct tl_json_scan *scan, int *rc, struct fal_error *err)
{
    unsigned long line;
    json_error_t where;
    json_t *value;

    (void)tl_json_peek(scan);
    line = scan->line;
    *rc = cut(scan, err);
    if (*rc != 0)
        return NULL;
    value = json_loadb(scan->text, scan->len,
                       JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &where);
    if (value == NULL) {
        line += where.line > 0 ? (unsigned long)where.line - 1 : 0;
        *rc = json_error_code(&where) == json_error_out_of_memory ? FAL_ERR_MEM : FAL_ERR_FORM;
        (void)fal_fail(err, *rc, "%.160s:%lu: %.200s", scan->name, line, where.text);
    }
    return value;
}
