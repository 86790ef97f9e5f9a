/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/scenario/layout/layout.h"

#include "harness/scenario/layout/json_tree.h"
#include "harness/scenario/scenario.h"
#include "harness/scenario/types.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 120,       /* columns of a line, where it can be broken */
    INDENT = 2,        /* columns for each level */
    GAP = 4,           /* blanks before the comment of a packet line */
    COMMENT_MOST = 92, /* comments are aligned up to this column of the line */
};

struct writer {
    FILE *out;
    struct fal_arena arena;
};

/* ---- which values are steps ---- */

static bool is_one_of(const struct tl_json_node *node, const char *const *keys)
{
    while (*keys != NULL && !tl_json_key_is(node, *keys))
        keys++;
    return *keys != NULL;
}

/* A list of steps, or of branches, which are such lists. */
static bool is_steps(const struct tl_json_node *node)
{
    static const char *const keys[] = {"steps", "preamble",  "postamble", "then",
                                       "else",  "any_order", "alt",       NULL};

    return node->kind == '[' && is_one_of(node, keys);
}

/* A member that holds a packet in one line. */
static bool is_packet(const struct tl_json_node *node)
{
    static const char *const keys[] = {"send", "expect", "expect_none", "on", NULL};

    return node->kind == 's' && is_one_of(node, keys);
}

static bool has_steps(const struct tl_json_node *node)
{
    for (const struct tl_json_node *child = node->first; child != NULL; child = child->next)
        if (is_steps(child) || has_steps(child))
            return true;
    return false;
}

/* ---- packet lines ---- */

/* Length of the line without its comment and the blanks before it. *comment: where "#" is;
 * NULL: there is none. */
static size_t body_of(const char *line, size_t len, const char **comment)
{
    size_t body = len;

    *comment = NULL;
    for (size_t i = 1; i < len && *comment == NULL; i++)
        if (line[i] == '#' && line[i - 1] == ' ') {
            *comment = line + i;
            body = i;
        }
    while (body > 0 && line[body - 1] == ' ')
        body--;
    return body;
}

/* Writes the line again with one blank between its words, and `gap` blanks before its comment.
 * A line with escapes stays as it is. False: out of memory. */
static bool set_line(struct writer *w, struct tl_json_node *node, size_t gap)
{
    const char *line = node->text + 1, *comment;
    size_t len = node->len - 2, body, n = 0;
    char *text;

    if (node->len < 2 || *node->text != '"' || memchr(line, '\\', len) != NULL)
        return true;
    body = body_of(line, len, &comment);
    text = fal_arena_alloc(&w->arena, node->len + gap + 1, 1);
    if (text == NULL)
        return false;
    text[n++] = '"';
    for (size_t i = 0; i < body; i++)
        if (line[i] != ' ' || (n > 1 && text[n - 1] != ' '))
            text[n++] = line[i];
    if (comment != NULL) {
        size_t rest = (size_t)(line + len - comment);

        while (rest > 0 && comment[rest - 1] == ' ')
            rest--;
        memset(text + n, ' ', gap);
        memcpy(text + n + gap, comment, rest);
        n += gap + rest;
    }
    text[n++] = '"';
    node->text = text;
    node->len = n;
    node->width = tl_json_columns(text, n);
    return true;
}

/* Sets all packet lines below `node`, not aligned. */
static bool set_lines(struct writer *w, struct tl_json_node *node, bool in_steps)
{
    bool ok = true;

    if (node->kind == 's')
        return (!in_steps && !is_packet(node)) || set_line(w, node, GAP);
    for (struct tl_json_node *child = node->first; child != NULL && ok; child = child->next)
        ok = set_lines(w, child,
                       is_steps(node) || (in_steps && node->kind == '[' && node->key == NULL));
    return ok;
}

/* Columns of the body of a packet line with a comment; 0: the step is no such line, or too long
 * to be aligned. */
static size_t aligned_body(const struct tl_json_node *step)
{
    const char *comment;
    size_t body, columns;

    if (step->kind != 's' || step->len < 2)
        return 0;
    body = body_of(step->text + 1, step->len - 2, &comment);
    columns = tl_json_columns(step->text + 1, body);
    return comment != NULL && columns + GAP <= COMMENT_MOST ? columns : 0;
}

/* Aligns the comments of neighbouring lines of a list of steps that is not on one line. */
static bool align(struct writer *w, struct tl_json_node *list)
{
    bool ok = true;

    for (struct tl_json_node *step = list->first; step != NULL && ok;) {
        struct tl_json_node *end = step;
        size_t most = 0;

        for (; end != NULL && aligned_body(end) > 0; end = end->next)
            most = aligned_body(end) > most ? aligned_body(end) : most;
        for (; step != end && ok; step = step->next)
            ok = set_line(w, step, GAP + most - aligned_body(step));
        step = step != NULL ? step->next : NULL;
    }
    return ok;
}

/* ---- writing ---- */

static void put_key(struct writer *w, const struct tl_json_node *node)
{
    if (node->key != NULL)
        fprintf(w->out, "%.*s: ", (int)node->key_len, node->key);
}

static void put_flat(struct writer *w, const struct tl_json_node *node)
{
    put_key(w, node);
    if (node->kind == 's') {
        fwrite(node->text, 1, node->len, w->out);
        return;
    }
    fputc(node->kind, w->out);
    for (const struct tl_json_node *child = node->first; child != NULL; child = child->next) {
        put_flat(w, child);
        fputs(child->next != NULL ? ", " : "", w->out);
    }
    fputc(node->kind == '{' ? '}' : ']', w->out);
}

/* A new line, indented. */
static void put_break(struct writer *w, size_t indent)
{
    fprintf(w->out, "\n%*s", (int)indent, "");
}

static bool put_step(struct writer *w, struct tl_json_node *step, size_t indent);

/* A list of steps, one on each line. */
static bool put_steps(struct writer *w, struct tl_json_node *list, size_t indent)
{
    bool ok = align(w, list);

    put_key(w, list);
    fputc('[', w->out);
    for (struct tl_json_node *step = list->first; step != NULL && ok; step = step->next) {
        put_break(w, indent + INDENT);
        ok = put_step(w, step, indent + INDENT);
        fputs(step->next != NULL ? "," : "", w->out);
    }
    put_break(w, indent);
    fputc(']', w->out);
    return ok;
}

/* A step, which begins at column `indent`. Without steps of its own it is one line. */
static bool put_step(struct writer *w, struct tl_json_node *step, size_t indent)
{
    bool fits = indent + tl_json_width(step) + 1 <= WIDTH, ok = true;

    if (!fits && step->kind == '[')
        return put_steps(w, step, indent);
    if (fits || !has_steps(step)) {
        put_flat(w, step);
        return true;
    }
    put_key(w, step);
    fputc('{', w->out);
    for (struct tl_json_node *child = step->first; child != NULL && ok; child = child->next) {
        ok = is_steps(child) ? put_steps(w, child, indent) : put_step(w, child, indent);
        fputs(child->next != NULL ? ", " : "", w->out);
    }
    fputc('}', w->out);
    return ok;
}

/* A list whose elements are plain values. */
static bool is_plain(const struct tl_json_node *list)
{
    for (const struct tl_json_node *child = list->first; child != NULL; child = child->next)
        if (child->kind != 's')
            return false;
    return list->kind == '[';
}

/* A value that is no step, at the level `indent`: one line if it fits, else one line for each
 * member or element. */
static bool put_value(struct writer *w, struct tl_json_node *node, size_t indent)
{
    bool fits = indent + tl_json_width(node) + 1 <= WIDTH, ok = true;

    if (node->kind == 's' || node->first == NULL || is_plain(node) || fits) {
        put_flat(w, node);
        return true;
    }
    put_key(w, node);
    fputc(node->kind, w->out);
    for (struct tl_json_node *child = node->first; child != NULL && ok; child = child->next) {
        put_break(w, indent + INDENT);
        ok = (has_steps(child) ? put_step : put_value)(w, child, indent + INDENT);
        fputs(child->next != NULL ? "," : "", w->out);
    }
    put_break(w, indent);
    fputc(node->kind == '{' ? '}' : ']', w->out);
    return ok;
}

/* A member of the file. */
static bool put_member(struct writer *w, struct tl_json_node *node)
{
    bool fits = INDENT + tl_json_width(node) + 1 <= WIDTH;

    return (is_steps(node) && (node->count > 1 || !fits) ? put_steps : put_value)(w, node,
                                                                                  INDENT);
}

/* The place of a member in the reference; those that it does not have stay together at the end,
 * as they are. */
static size_t rank_of(const struct tl_json_node *member)
{
    size_t rank = 0;

    while (rank < tl_type_file.num_members &&
           !tl_json_key_is(member, tl_type_file.members[rank].key))
        rank++;
    return rank;
}

/* Members in the order of the reference: an insertion sort, which is stable. */
static void sort_members(struct tl_json_node *file)
{
    struct tl_json_node *sorted = NULL, *next;

    for (struct tl_json_node *member = file->first; member != NULL; member = next) {
        struct tl_json_node **link = &sorted;

        next = member->next;
        while (*link != NULL && rank_of(*link) <= rank_of(member))
            link = &(*link)->next;
        member->next = *link;
        *link = member;
    }
    file->first = sorted;
}

static bool put_file(struct writer *w, struct tl_json_node *file)
{
    bool ok = set_lines(w, file, false);

    tl_json_measure(file);
    fputs("{", w->out);
    for (struct tl_json_node *member = file->first; member != NULL && ok;
         member = member->next) {
        put_break(w, INDENT);
        ok = put_member(w, member);
        fputs(member->next != NULL ? "," : "", w->out);
    }
    fputs("\n}\n", w->out);
    return ok && ferror(w->out) == 0;
}

/* ---- the same values ---- */

/* The next character of a text in which each run of blanks is one blank, and those at its ends
 * are none. */
static int next_of(const char **text, bool began)
{
    bool blank = false;

    while (**text == ' ') {
        blank = true;
        (*text)++;
    }
    if (blank && began && **text != 0)
        return ' ';
    return **text != 0 ? (unsigned char)*(*text)++ : 0;
}

static bool same_text(const char *a, const char *b)
{
    int c = 0, d = 0;

    for (bool began = false; c == d; began = true) {
        c = next_of(&a, began);
        d = next_of(&b, began);
        if (c == 0 || d == 0)
            break;
    }
    return c == d;
}

static bool same_value(json_t *a, json_t *b)
{
    const char *key;
    json_t *value;
    size_t i;

    if (json_typeof(a) != json_typeof(b))
        return false;
    if (json_is_string(a))
        return same_text(json_string_value(a), json_string_value(b));
    if (json_is_object(a)) {
        json_object_foreach(a, key, value)
        {
            json_t *other = json_object_get(b, key);

            if (other == NULL || !same_value(value, other))
                return false;
        }
        return json_object_size(a) == json_object_size(b);
    }
    if (!json_is_array(a))
        return json_equal(a, b) != 0;
    json_array_foreach(a, i, value) if (i >= json_array_size(b) ||
                                        !same_value(value, json_array_get(b, i))) return false;
    return json_array_size(a) == json_array_size(b);
}

static bool is_same(json_t *before, const char *text, size_t len)
{
    json_t *after = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
    bool same = after != NULL && same_value(before, after);

    json_decref(after);
    return same;
}

/* ---- the file ---- */

static char *lay_out(const char *text, size_t len, bool sorted, size_t *out_len)
{
    struct writer w = {.out = NULL};
    char *out = NULL;
    bool ok = false;

    w.out = open_memstream(&out, out_len);
    if (w.out != NULL) {
        struct tl_json_node *file = tl_json_tree(text, len, &w.arena);

        if (file != NULL && sorted)
            sort_members(file);
        ok = file != NULL && put_file(&w, file);
        ok = fclose(w.out) == 0 && ok;
    }
    fal_arena_free(&w.arena);
    if (ok)
        return out;
    free(out);
    return NULL;
}

char *tl_layout(const char *text, size_t len, size_t *out_len, struct fal_error *err)
{
    json_error_t why;
    json_t *before = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
    const char *schema = json_string_value(json_object_get(before, "schema"));
    char *out = NULL;

    if (before == NULL)
        (void)fal_fail(err, FAL_ERR_FORM, "%d:%d: %s", why.line, why.column, why.text);
    else if (!json_is_object(before) || schema == NULL)
        (void)fal_fail(err, FAL_ERR_FORM, "no scenario: expected an object with \"schema\"");
    else
        out = lay_out(text, len, strcmp(schema, TL_SCENARIO_SCHEMA) == 0, out_len);
    if (before != NULL && schema != NULL && out == NULL)
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (out != NULL && !is_same(before, out, *out_len)) {
        (void)fal_fail(err, FAL_ERR_FORM,
                       "the layout would change a value: a defect of Talon, please report it");
        free(out);
        out = NULL;
    }
    json_decref(before);
    return out;
}
