/* SPDX-License-Identifier: Apache-2.0
 * read_packet.c - reads a packet of a step: a line of the notation, or the same as an
 * object. */
#include "codecs/base/hex.h"
#include "harness/scenario/reader.h"

#include "codecs/json/json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 600 };

/* Adds to a text of that length, as far as there is room. */
static void append(char *text, size_t *len, size_t cap, const char *more)
{
    size_t n = strlen(more);

    if (n > cap - 1 - *len)
        n = cap - 1 - *len;
    memcpy(text + *len, more, n);
    *len += n;
    text[*len] = 0;
}

void tl_step_say_words(struct tl_step_draft *d, const char *words, const char *code)
{
    append(d->text, &d->text_len, sizeof d->text, words);
    append(d->code, &d->code_len, sizeof d->code, code);
}

void tl_step_say_parts(struct tl_step_draft *d, const char *const *parts)
{
    for (; *parts != NULL; parts++)
        tl_step_say_words(d, *parts, *parts);
}

/* "b: " in front of the words of a step: which of several connections plays it. */
static void say_connection(const struct tl_reader *r, char *text, size_t cap)
{
    const char *name = r->scenario->conn_names[r->conn];
    size_t len = strlen(text), more;

    if (r->scenario->num_conns == 0 || text[0] == 0)
        return;
    more = strlen(name) + 2;
    if (len + more >= cap)
        text[len = cap - more - 1] = 0;
    memmove(text + more, text, len + 1);
    memcpy(text, name, more - 2);
    memcpy(text + more - 2, ": ", 2);
}

void tl_step_keep_words(struct tl_reader *r, struct tl_step_draft *d)
{
    say_connection(r, d->text, sizeof d->text);
    say_connection(r, d->code, sizeof d->code);
    d->step.text = fal_arena_strdup(&r->scenario->arena, d->text);
    d->step.code = strcmp(d->text, d->code) == 0
                       ? d->step.text
                       : fal_arena_strdup(&r->scenario->arena, d->code);
    r->no_memory |= d->step.text == NULL || d->step.code == NULL;
}

void tl_step_say_times(struct tl_step_draft *d)
{
    tl_step_say_words(d, d->before, d->before_code);
}

void tl_step_say(struct tl_step_draft *d, const char *format, ...)
{
    char said[sizeof d->text];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(said, sizeof said, format, args);
    va_end(args);
    tl_step_say_words(d, said, said);
}

enum { ID_LEN = 32, IDS_MAX = 16 };

/* The next id in a comment, at or after *text; false when no id follows. */
static bool next_id(const char **text, char *id)
{
    static const char parts[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-";

    for (;;) {
        const char *word = *text + strcspn(*text, parts);
        size_t len = strspn(word, parts);

        if (len == 0)
            return false;
        *text = word + len;
        while (len > 0 && (word[len - 1] == '.' || word[len - 1] == '-')) /* of the sentence */
            len--;
        if (len >= ID_LEN || (strncmp(word, "FTP-", 4) != 0 && strncmp(word, "RDMA-", 5) != 0 &&
                              strncmp(word, "NVME-", 5) != 0))
            continue;
        memcpy(id, word, len);
        id[len] = 0;
        return true;
    }
}

/* The ids in the comment of a line: "# FTP-9.1.6-03: at once". */
static void comment_ids(struct tl_reader *r, const struct tl_path *at, const char *comment,
                        struct tl_ids *out)
{
    char id[ID_LEN];

    if (!next_id(&(const char *){comment}, id))
        return;
    if (out->count > 0) {
        tl_reader_error(r, at, "names requirements twice: in the comment and in \"covers\"");
        return;
    }
    out->list = fal_arena_alloc(&r->scenario->arena, IDS_MAX, sizeof(void *));
    if (out->list == NULL) {
        r->no_memory = true;
        return;
    }
    while (out->count < IDS_MAX && next_id(&comment, id)) {
        const struct fal_requirement *found = tl_read_id(r, at, id);

        if (found != NULL)
            out->list[out->count++] = found;
    }
}

/* Where the comment begins, or the end. */
static size_t line_length(const char *line)
{
    for (size_t i = 0; line[i] != 0; i++)
        if (line[i] == '#' && (i == 0 || line[i - 1] == ' '))
            return i;
    return strlen(line);
}

/* {"packet_type": "push_data", "psn": "0r", "upper": "rdma send_only dqp=5"} as a line. */
static bool line_of_object(struct tl_reader *r, const struct tl_path *at, json_t *object,
                           char *out, size_t cap)
{
    const char *type = json_string_value(json_object_get(object, "packet_type")), *key;
    const char *upper = json_string_value(json_object_get(object, "upper"));
    size_t len;
    json_t *value;

    if (type == NULL) {
        tl_reader_error(r, at,
                        "expected \"packet_type\": the packet's type, or \"packet\" for any");
        return false;
    }
    len = (size_t)snprintf(out, cap, "%s", type);
    json_object_foreach(object, key, value)
    {
        struct tl_path here = {.up = at, .key = key};

        if (strcmp(key, "packet_type") == 0 || strcmp(key, "upper") == 0 || len >= cap)
            continue;
        len += (size_t)snprintf(out + len, cap - len, " %s=", key);
        if (json_is_integer(value) && len < cap) {
            len += (size_t)snprintf(out + len, cap - len, "%" JSON_INTEGER_FORMAT,
                                    json_integer_value(value));
        } else if (json_is_boolean(value) && len < cap) {
            len += (size_t)snprintf(out + len, cap - len, "%d", json_is_true(value));
        } else if (json_is_string(value)) {
            for (const char *c = json_string_value(value); *c != 0 && len + 1 < cap; c++)
                if (*c != ' ')
                    out[len++] = *c;
            if (len < cap)
                out[len] = 0;
        } else {
            tl_reader_error(r, &here, "expected a number, true, false or a value in a string");
            return false;
        }
    }
    if (upper != NULL && len < cap)
        len += (size_t)snprintf(out + len, cap - len, " / %s", upper);
    if (len >= cap) {
        tl_reader_error(r, at, "too long for a packet");
        return false;
    }
    return true;
}

/* Prints values that the notation does not know as they were written: hidden variables by their
 * expressions. */
static void report(struct tl_reader *r, const struct tl_path *at, const char *line,
                   unsigned column, const struct fal_error *err)
{
    char text[sizeof err->text];

    tl_exprs_reveal(&r->scenario->exprs, err->text, text, sizeof text);
    tl_reader_error_in(r, at, line, column, text);
}

/* As much of the pattern as says something: most lines use few of its terms. */
static const struct fal_pattern *keep(struct tl_reader *r, const struct fal_pattern *pattern)
{
    size_t len =
        offsetof(struct fal_pattern, terms) + pattern->num_terms * sizeof pattern->terms[0];
    void *kept = fal_arena_alloc(&r->scenario->arena, 1, len);

    if (kept == NULL)
        r->no_memory = true;
    else
        memcpy(kept, pattern, len);
    return kept;
}

const struct fal_pattern *tl_read_pattern(struct tl_reader *r, const struct tl_path *at,
                                          json_t *value, enum fal_dir *dir)
{
    struct fal_pattern parsed;
    const struct fal_pattern *pattern = &parsed;
    char line[TEXT_MAX], coded[TEXT_MAX + 100];
    struct fal_error err = {{0}};
    unsigned column;

    if (json_is_object(value)) {
        if (!line_of_object(r, at, value, line, sizeof line))
            return NULL;
    } else if (json_string_length(value) < sizeof line) {
        memcpy(line, json_string_value(value), json_string_length(value) + 1);
    } else {
        tl_reader_error(r, at, "too long for a packet");
        return NULL;
    }
    if (!tl_rewrite_line(r, at, line, coded, sizeof coded, NULL))
        return NULL;
    if (fal_text_parse_at(coded, &parsed, &err, &column) != 0) {
        report(r, at, coded, column, &err);
        return NULL;
    }
    if (pattern->time != FAL_TIME_NONE)
        tl_reader_error(r, at, "a time has no place here");
    if (pattern->dir != 0)
        *dir = pattern->dir == '>' ? FAL_TO_SUT : FAL_FROM_SUT;
    return keep(r, &parsed);
}

/* `dir` is the direction of the verb. */
const struct fal_pattern *tl_read_packet(struct tl_reader *r, const struct tl_path *at,
                                         json_t *value, char dir, struct tl_step_draft *d)
{
    struct tl_step *step = &d->step;
    struct fal_pattern parsed;
    const struct fal_pattern *pattern = &parsed;
    char line[TEXT_MAX], coded[TEXT_MAX + 100];
    struct fal_error err = {{0}};
    int32_t anchor = -1;
    unsigned column;
    size_t len;

    if (json_is_object(value)) {
        if (!line_of_object(r, at, value, line, sizeof line))
            return NULL;
    } else if (json_is_string(value) && json_string_length(value) < sizeof line) {
        memcpy(line, json_string_value(value), json_string_length(value) + 1);
    } else {
        tl_reader_error(r, at, "expected a packet: a line of the notation, or an object");
        return NULL;
    }
    if (!tl_rewrite_line(r, at, line, coded, sizeof coded, &anchor))
        return NULL;
    if (fal_text_parse_at(coded, &parsed, &err, &column) != 0) {
        report(r, at, coded, column, &err);
        return NULL;
    }
    if (pattern->dir != 0 && pattern->dir != dir) {
        tl_reader_error(r, at, "'%c' points the wrong way; %s", pattern->dir,
                        dir == '>' ? "what is sent goes '>' to the SUT"
                                   : "what is expected comes '<' from the SUT");
        return NULL;
    }
    len = line_length(line);
    if (line[len] == '#')
        comment_ids(r, at, line + len, &step->covers);
    while (len > 0 && line[len - 1] == ' ')
        len--;
    line[len] = 0;
    if (pattern->time != FAL_TIME_NONE) {
        if (d->before[0] != 0 || d->text[0] != 0) {
            tl_reader_error(r, at,
                            "a second time: one is beside the line, or in the one before");
            return NULL;
        }
        step->time = pattern->time;
        step->from = pattern->from;
        step->to = pattern->to;
        step->anchor = anchor;
    }
    if (d->text[0] != 0)
        tl_step_say(d, " | ");
    else
        tl_step_say_times(d);
    if (pattern->dir != 0 || pattern->time != FAL_TIME_NONE)
        tl_step_say(d, "%s", line);
    else
        tl_step_say(d, "%c %s", dir, line);
    return keep(r, &parsed);
}

void tl_read_ip(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_step_draft *d = ctx;
    struct tl_ip_setup *ip = fal_arena_alloc(&r->scenario->arena, 1, sizeof *ip);
    const char *key;
    json_t *item;

    if (ip == NULL) {
        r->no_memory = true;
        return;
    }
    d->ip = ip;
    json_object_foreach(value, key, item)
    {
        struct tl_path here = {.up = at, .key = key};
        bool ttl = strcmp(key, "ttl") == 0;
        struct tl_value *out = ttl ? &ip->ttl : &ip->ecn;

        if (!tl_read_value(r, &here, item, NULL, out))
            continue;
        if (out->negated || (out->kind != TL_VALUE_NUMBER && out->kind != TL_VALUE_EXPR))
            tl_reader_error(r, &here, "expected one value");
        *(ttl ? &ip->has_ttl : &ip->has_ecn) = true;
    }
}

void tl_read_payload(struct tl_reader *r, const struct tl_path *at, json_t *value,
                     uint8_t **bytes, size_t *len)
{
    const char *text = tl_read_string(r, at, value);
    size_t n = 0;
    char *digits;
    int got;

    if (text == NULL)
        return;
    digits = fal_arena_strdup(&r->scenario->arena, text);
    *bytes = fal_arena_alloc(&r->scenario->arena, strlen(text) / 2 + 1, 1);
    if (digits == NULL || *bytes == NULL) {
        r->no_memory = true;
        return;
    }
    for (size_t i = 0; text[i] != 0; i++)
        if (text[i] != ' ')
            digits[n++] = text[i];
    digits[n] = 0;
    got = fal_hex_read(digits, *bytes, strlen(text) / 2 + 1);
    if (got <= 0)
        tl_reader_error(r, at, "expected bytes in hex: \"10000004 00000011\"");
    *len = got > 0 ? (size_t)got : 0;
}
