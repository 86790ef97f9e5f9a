/* SPDX-License-Identifier: Apache-2.0
 * read_line.c - lines of scenarios say more than the notation of packets knows: whole
 * expressions, and times that count from a step. What it does not know is put behind hidden
 * variables, so that the rest of the line stays the notation's. */
#include "harness/scenario/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct rewriter {
    struct tl_reader *reader;
    const struct tl_path *at;
    char *out;
    size_t len, cap;
    bool typed; /* the packet's type was read: its time is behind us */
};

static bool put(struct rewriter *w, const char *text, size_t len)
{
    if (w->len + len >= w->cap) {
        tl_reader_error(w->reader, w->at, "too long for a packet");
        return false;
    }
    memcpy(w->out + w->len, text, len);
    w->len += len;
    w->out[w->len] = 0;
    return true;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The expressions that the notation can read itself. */
static bool is_known(const struct rewriter *w, const struct tl_expr *expr)
{
    const struct tl_expr_op *ops = expr->ops;
    struct fal_duration duration;

    if (expr->text[0] != '$')
        return false;
    if (!w->typed)
        return fal_text_parse_duration(expr->text, &duration, NULL) == 0;
    return expr->count == 1 ||
           (expr->count == 3 && ops[0].op == 'v' && ops[1].op == 'n' &&
            ops[1].literal.type == TL_INTEGER && strchr("+-*/", ops[2].op) != NULL &&
            (ops[2].op != '/' || fal_u128_lo(ops[1].literal.value) != 0));
}

/* The expression at *line; moves behind it. */
static bool put_expression(struct rewriter *w, const char **line)
{
    struct tl_scenario *s = w->reader->scenario;
    struct tl_expr expr = {0};
    struct fal_error err = {{0}};
    const char *start = *line;
    char name[FAL_VAR_MAX], text[FAL_VAR_MAX + 8];
    bool relative;
    int rc = tl_expr_parse(line, &s->arena, &expr, &err);

    w->reader->no_memory |= rc == FAL_ERR_MEM;
    if (rc != 0) {
        tl_reader_error(w->reader, w->at, "%s", err.text);
        return false;
    }
    relative = *start == '(' && (*line)[0] == 'r' && !is_word((*line)[1]);
    if (!relative && is_known(w, &expr))
        return put(w, start, (size_t)(*line - start));
    *line += relative;
    rc = tl_exprs_add(&s->exprs, &s->arena, &expr, name);
    w->reader->no_memory |= rc == FAL_ERR_MEM;
    if (rc != 0) {
        tl_reader_error(w->reader, w->at, "too many expressions");
        return false;
    }
    (void)snprintf(text, sizeof text, relative ? "($%s)r" : "$%s", name);
    return put(w, text, strlen(text));
}

/* "@name + 20us": the step's name becomes the anchor, the rest the time. */
static bool put_anchor(struct rewriter *w, const char **line, int32_t *anchor)
{
    char name[FAL_VAR_MAX];
    size_t len = 0;

    for ((*line)++; is_word(**line) || **line == '-'; (*line)++)
        if (len + 1 < sizeof name)
            name[len++] = **line;
    name[len] = 0;
    if (anchor == NULL) {
        tl_reader_error(w->reader, w->at, "a time has no place here");
        return false;
    }
    *anchor = tl_find_step(w->reader, w->at, name);
    if (*anchor < 0 || !put(w, "@", 1))
        return false;
    while (**line == ' ')
        (*line)++;
    if (**line != '+')
        return put(w, "0 ", 2);
    do
        (*line)++;
    while (**line == ' ');
    return true;
}

bool tl_rewrite_line(struct tl_reader *r, const struct tl_path *at, const char *line, char *out,
                     size_t cap, int32_t *anchor)
{
    struct rewriter w = {.reader = r, .at = at, .out = out, .cap = cap};

    out[0] = 0;
    for (const char *c = line; *c != 0;) {
        size_t run = 1;

        if (*c == '#' && (c == line || c[-1] == ' '))
            return put(&w, c, strlen(c));
        if (*c == '$' || *c == '(') {
            if (!put_expression(&w, &c))
                return false;
            continue;
        }
        if (*c == '@' && !w.typed && isalpha((unsigned char)c[1])) {
            if (!put_anchor(&w, &c, anchor))
                return false;
            continue;
        }
        if (!w.typed && isdigit((unsigned char)*c))
            while (is_word(c[run]) || c[run] == '.')
                run++;
        else if (isalpha((unsigned char)*c))
            w.typed = true;
        if (!put(&w, c, run))
            return false;
        c += run;
    }
    return true;
}
