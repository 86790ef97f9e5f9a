/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/doc/json_place.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The text was already accepted by Jansson, so this scanner relies on it being valid JSON. */
struct scan {
    const char *text;
    size_t at, len;
};

static int peek(const struct scan *s)
{
    return s->at < s->len ? (unsigned char)s->text[s->at] : -1;
}

static void skip_space(struct scan *s)
{
    while (s->at < s->len && strchr(" \t\r\n", s->text[s->at]) != NULL && s->text[s->at] != 0)
        s->at++;
}

/* Skips the string that begins here, quotes included. */
static void skip_string(struct scan *s)
{
    for (s->at++; s->at < s->len && s->text[s->at] != '"'; s->at++)
        if (s->text[s->at] == '\\')
            s->at++;
    if (s->at < s->len)
        s->at++;
    else
        s->at = s->len;
}

/* Skips the value that begins here, at any nesting depth. */
static void skip_value(struct scan *s)
{
    size_t depth = 0;

    do {
        skip_space(s);
        switch (peek(s)) {
        case -1: return;
        case '"': skip_string(s); break;
        case '{':
        case '[':
            depth++;
            s->at++;
            break;
        case '}':
        case ']':
            depth -= depth > 0;
            s->at++;
            break;
        case ',':
        case ':': s->at++; break;
        default:
            do
                s->at++;
            while (s->at < s->len && strchr(",:{}[]\" \t\r\n", s->text[s->at]) == NULL);
            break;
        }
    } while (depth > 0);
}

static bool key_is(const struct scan *s, size_t from, const char *key)
{
    size_t len = strlen(key);

    return s->at - from == len + 2 && memcmp(s->text + from + 1, key, len) == 0;
}

/* Moves from the '{' here to the value of that member. False: there is no such member, and the
 * scanner is at the end of the object. *key_at receives where the key begins. A key written
 * with escapes is not found; the reported place is then less exact. */
static bool enter_member(struct scan *s, const char *key, size_t *key_at)
{
    s->at++;
    for (;;) {
        size_t from;
        bool found;

        skip_space(s);
        if (peek(s) != '"')
            return false;
        from = s->at;
        skip_string(s);
        found = key_is(s, from, key);
        skip_space(s);
        if (peek(s) != ':')
            return false;
        s->at++;
        skip_space(s);
        if (found) {
            *key_at = from;
            return true;
        }
        skip_value(s);
        skip_space(s);
        if (peek(s) != ',')
            return false;
        s->at++;
    }
}

/* Moves from the '[' here to that element. */
static bool enter_element(struct scan *s, size_t index)
{
    s->at++;
    for (size_t i = 0;; i++) {
        skip_space(s);
        if (peek(s) == -1 || peek(s) == ']')
            return false;
        if (i == index)
            return true;
        skip_value(s);
        skip_space(s);
        if (peek(s) != ',')
            return false;
        s->at++;
    }
}

/* Descends to the value at `path`, or to the deepest value on the way that exists. */
static bool descend(struct scan *s, const struct tl_path *path, size_t *key_at)
{
    size_t from;
    bool found = false;

    if (path == NULL || path->up == NULL) {
        skip_space(s);
        *key_at = s->at;
        return true;
    }
    if (!descend(s, path->up, key_at))
        return false;
    from = s->at;
    if (path->key != NULL && peek(s) == '{')
        found = enter_member(s, path->key, key_at);
    else if (path->key == NULL && peek(s) == '[')
        found = enter_element(s, path->index);
    if (!found)
        s->at = from;
    else if (path->key == NULL)
        *key_at = s->at;
    return found;
}

static struct tl_position position(const char *text, size_t at)
{
    struct tl_position pos = {.line = 1, .column = 1};

    for (size_t i = 0; i < at; i++) {
        if (text[i] == '\n') {
            pos.line++;
            pos.column = 0;
        }
        pos.column++;
    }
    return pos;
}

struct tl_position tl_source_find(const char *text, size_t len, const struct tl_path *path)
{
    struct scan s = {.text = text, .len = len};
    size_t key_at;

    (void)descend(&s, path, &key_at);
    return position(text, s.at);
}

struct tl_position tl_source_find_key(const char *text, size_t len, const struct tl_path *path)
{
    struct scan s = {.text = text, .len = len};
    size_t key_at = 0;

    if (!descend(&s, path, &key_at))
        return position(text, s.at);
    return position(text, key_at);
}

size_t tl_source_elements(const char *text, size_t len, const struct tl_path *path,
                          struct tl_position *out, size_t n)
{
    struct scan s = {.text = text, .len = len};
    struct tl_position pos = {.line = 1, .column = 1};
    size_t key_at, counted = 0, found = 0;

    if (!descend(&s, path, &key_at) || peek(&s) != '[')
        return 0;
    s.at++;
    while (found < n) {
        skip_space(&s);
        if (peek(&s) == -1 || peek(&s) == ']')
            break;
        for (; counted < s.at; counted++) {
            if (text[counted] == '\n') {
                pos.line++;
                pos.column = 0;
            }
            pos.column++;
        }
        out[found++] = pos;
        skip_value(&s);
        skip_space(&s);
        if (peek(&s) != ',')
            break;
        s.at++;
    }
    return found;
}

size_t tl_path_print(const struct tl_path *path, char *out, size_t cap)
{
    size_t len;
    int n;

    if (cap > 0)
        out[0] = 0;
    if (path == NULL || path->up == NULL)
        return 0;
    len = tl_path_print(path->up, out, cap);
    if (len >= cap)
        return len;
    if (path->key != NULL)
        n = snprintf(out + len, cap - len, "%s%s", len > 0 ? "." : "", path->key);
    else
        n = snprintf(out + len, cap - len, "[%zu]", path->index);
    return len + (size_t)n;
}
