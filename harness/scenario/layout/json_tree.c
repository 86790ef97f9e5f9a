/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/scenario/layout/json_tree.h"

#include <string.h>

struct scanner {
    const char *at, *end;
    struct fal_arena *arena;
};

static void skip_blanks(struct scanner *s)
{
    while (s->at < s->end && strchr(" \t\r\n", *s->at) != NULL && *s->at != 0)
        s->at++;
}

/* Skips blanks and, if it comes next, the character. Returns whether it came. */
static bool skip(struct scanner *s, char c)
{
    skip_blanks(s);
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

static void skip_string(struct scanner *s)
{
    s->at++;
    while (s->at < s->end && *s->at != '"')
        s->at += *s->at == '\\' && s->end - s->at > 1 ? 2 : 1;
    s->at += s->at < s->end;
}

static void skip_scalar(struct scanner *s)
{
    if (s->at < s->end && *s->at == '"')
        skip_string(s);
    else
        while (s->at < s->end && strchr(" \t\r\n,]}", *s->at) == NULL)
            s->at++;
}

static struct tl_json_node *scan(struct scanner *s);

/* Reads the members or elements up to the closing bracket. False: out of memory. */
static bool scan_children(struct scanner *s, struct tl_json_node *node, char closing)
{
    struct tl_json_node **link = &node->first;

    while (!skip(s, closing) && s->at < s->end) {
        const char *key = s->at;
        size_t key_len = 0;
        struct tl_json_node *child;

        if (node->kind == '{') {
            skip_scalar(s);
            key_len = (size_t)(s->at - key);
            (void)skip(s, ':');
        }
        child = scan(s);
        if (child == NULL)
            return false;
        child->key = key_len > 0 ? key : NULL;
        child->key_len = key_len;
        *link = child;
        link = &child->next;
        node->count++;
        (void)skip(s, ',');
    }
    return true;
}

static struct tl_json_node *scan(struct scanner *s)
{
    struct tl_json_node *node = fal_arena_alloc(s->arena, 1, sizeof *node);

    if (node == NULL)
        return NULL;
    skip_blanks(s);
    node->text = s->at;
    if (skip(s, '{')) {
        node->kind = '{';
        return scan_children(s, node, '}') ? node : NULL;
    }
    if (skip(s, '[')) {
        node->kind = '[';
        return scan_children(s, node, ']') ? node : NULL;
    }
    node->kind = 's';
    skip_scalar(s);
    node->len = (size_t)(s->at - node->text);
    return node;
}

struct tl_json_node *tl_json_tree(const char *text, size_t len, struct fal_arena *arena)
{
    struct scanner s = {text, text + len, arena};
    struct tl_json_node *root = scan(&s);

    if (root != NULL)
        tl_json_measure(root);
    return root;
}

bool tl_json_key_is(const struct tl_json_node *node, const char *key)
{
    size_t len = strlen(key);

    return node->key != NULL && node->key_len == len + 2 &&
           memcmp(node->key + 1, key, len) == 0;
}

size_t tl_json_columns(const char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

size_t tl_json_width(const struct tl_json_node *node)
{
    return node->width +
           (node->key != NULL ? tl_json_columns(node->key, node->key_len) + 2 : 0);
}

void tl_json_measure(struct tl_json_node *node)
{
    if (node->kind == 's') {
        node->width = tl_json_columns(node->text, node->len);
        return;
    }
    node->width = 2;
    for (struct tl_json_node *child = node->first; child != NULL; child = child->next) {
        tl_json_measure(child);
        node->width += tl_json_width(child) + (child->next != NULL ? 2 : 0);
    }
}
