/* SPDX-License-Identifier: Apache-2.0
 * tp_row.c - see tp_row.h. */
#include "harness/transport/tp_row.h"

#include "codecs/base/nearest.h"

#include <stdlib.h>
#include <string.h>

enum kind { FLAG, COUNT, NUMBER, TIME, CREDIT, REPAIR };

#define MEMBER(what, name)                             \
    {                                                  \
#name, what, offsetof(struct fal_tp_row, name) \
    }
static const struct member {
    const char *name;
    enum kind kind;
    size_t at;
} members[] = {
    MEMBER(CREDIT, credit),       MEMBER(REPAIR, repair),
    MEMBER(FLAG, in_order),       MEMBER(FLAG, cumulative),
    MEMBER(FLAG, selective),      MEMBER(FLAG, nacks),
    MEMBER(COUNT, dup_threshold), MEMBER(COUNT, reorder_segments),
    MEMBER(FLAG, partial_acks),   MEMBER(FLAG, reorder_by_time),
    MEMBER(FLAG, tail_probe),     MEMBER(FLAG, undo),
    MEMBER(FLAG, frto),           MEMBER(TIME, rto_min_ns),
    MEMBER(TIME, rto_max_ns),     MEMBER(TIME, rto_low_ns),
    MEMBER(NUMBER, max_window),   MEMBER(NUMBER, rate_bps),
    MEMBER(NUMBER, burst_bytes),  MEMBER(NUMBER, initial_tokens),
    MEMBER(FLAG, timeout_tokens), MEMBER(TIME, answer_ns),
    MEMBER(TIME, liveness_ns),    MEMBER(COUNT, dup_least),
    MEMBER(FLAG, backoff),
};
enum { MEMBERS = sizeof members / sizeof *members };

static const char *const expected[] = {
    [FLAG] = "yes or no",
    [COUNT] = "a number below 2^32",
    [NUMBER] = "a number",
    [TIME] = "a time, as 200ms or 1000 (ns)",
    [CREDIT] = "window, rate or tokens",
    [REPAIR] = "selective or go-back-n",
};

static const struct member *find(const char *name, size_t len)
{
    for (size_t i = 0; i < MEMBERS; i++)
        if (strlen(members[i].name) == len && strncmp(members[i].name, name, len) == 0)
            return &members[i];
    return NULL;
}

static int no_such_key(const char *text, size_t len, struct fal_error *err)
{
    const char *names[MEMBERS];
    char key[40];

    for (size_t i = 0; i < MEMBERS; i++)
        names[i] = members[i].name;
    len = len < sizeof key - 1 ? len : sizeof key - 1;
    memcpy(key, text, len);
    key[len] = 0;
    return fal_fail(err, FAL_ERR_FORM, "a transport has no '%s'%s", key,
                    fal_hint(fal_nearest(key, names, MEMBERS),
                             "; docs/transport-rules.md lists what can be declared")
                        .text);
}

/* The number of a word, or -1. */
static int word_of(const char *value, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(words[i], value) == 0)
            return i;
    return -1;
}

/* A number with the unit of a time, if it may have one. */
static bool number_of(const char *value, bool time, uint64_t *out)
{
    static const struct {
        const char *unit;
        uint64_t ns;
    } units[] = {{"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    char *end;
    const unsigned long long n = strtoull(value, &end, 10);

    if (value[0] < '0' || value[0] > '9' || strlen(value) > 18)
        return false;
    for (size_t i = 0; i < (time ? sizeof units / sizeof *units : 1); i++)
        if (strcmp(end, units[i].unit) == 0) {
            *out = n * units[i].ns;
            return n <= UINT64_MAX / units[i].ns;
        }
    return false;
}

static bool put_number(const struct member *m, void *place, uint64_t n)
{
    if (m->kind == COUNT) {
        *(unsigned *)place = (unsigned)n;
        return n <= UINT32_MAX;
    }
    *(uint64_t *)place = n;
    return true;
}

static bool put(struct fal_tp_row *row, const struct member *m, const char *value)
{
    static const char *const flags[] = {"no", "yes", "false", "true", "0", "1"};
    static const char *const credits[] = {"window", "rate", "tokens"};
    static const char *const repairs[] = {"selective", "go-back-n"};
    void *place = (char *)row + m->at;
    uint64_t n;
    int word;

    switch (m->kind) {
    case FLAG:
        word = word_of(value, flags, 6);
        *(bool *)place = (word & 1) != 0;
        return word >= 0;
    case CREDIT:
        word = word_of(value, credits, 3);
        row->credit = word >= 0 ? (enum fal_tp_credit)word : row->credit;
        return word >= 0;
    case REPAIR:
        word = word_of(value, repairs, 2);
        row->repair = word >= 0 ? (enum fal_tp_repair)word : row->repair;
        return word >= 0;
    case COUNT:
    case NUMBER:
    case TIME: return number_of(value, m->kind == TIME, &n) && put_number(m, place, n);
    }
    return false;
}

int tl_tp_row_set(struct fal_tp_row *row, const char *text, struct fal_error *err)
{
    const char *equals = strchr(text, '=');
    const struct member *m;

    if (equals == NULL)
        return fal_fail(err, FAL_ERR_FORM, "expected KEY=VALUE, found '%.60s'", text);
    m = find(text, (size_t)(equals - text));
    if (m == NULL)
        return no_such_key(text, (size_t)(equals - text), err);
    if (!put(row, m, equals + 1))
        return fal_fail(err, FAL_ERR_FORM, "%s: expected %s, found '%.60s'", m->name,
                        expected[m->kind], equals + 1);
    return 0;
}

static bool put_json(struct fal_tp_row *row, const struct member *m, const json_t *value)
{
    if (json_is_string(value))
        return put(row, m, json_string_value(value));
    if (m->kind == FLAG && json_is_boolean(value)) {
        *(bool *)((char *)row + m->at) = json_is_true(value);
        return true;
    }
    if ((m->kind == COUNT || m->kind == NUMBER || m->kind == TIME) && json_is_integer(value) &&
        json_integer_value(value) >= 0)
        return put_number(m, (char *)row + m->at, (uint64_t)json_integer_value(value));
    return false;
}

int tl_tp_row_read(struct fal_tp_row *row, const json_t *object, struct fal_error *err)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return fal_fail(err, FAL_ERR_FORM, "expected an object that declares a transport");
    json_object_foreach((json_t *)object, key, value)
    {
        const struct member *m = find(key, strlen(key));

        if (strcmp(key, "name") == 0)
            continue;
        if (m == NULL)
            return no_such_key(key, strlen(key), err);
        if (!put_json(row, m, value))
            return fal_fail(err, FAL_ERR_FORM, "%s: expected %s", m->name, expected[m->kind]);
    }
    return 0;
}
