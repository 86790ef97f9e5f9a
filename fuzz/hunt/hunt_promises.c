/* SPDX-License-Identifier: Apache-2.0
 * hunt_promises.c - promises that any SUT keeps on a quiet connection after valid traffic only.
 * No rule can check them, because a rule does not know that all traffic was valid. They come
 * last, because some of them end the connection. The name of a case decides which promise it
 * checks. */
#include "fuzz/hunt/hunt.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The conditions that a case must meet for a promise. */
enum {
    NO_POSTS = 1, /* the SUT initiates nothing: a promise leaves it little room */
    IDLE = 2,     /* neither end does */
    ALONE = 4,    /* neither end does, and no valid transactions come before */
    SLOWLY = 8,   /* not that: its RTO is long, so that nothing is repeated for want of time */
};

/* One JSON object a line (promises.jsonl): `prelude` and `slow` (steps before a promise), then
 * the promises. Only the line of the promise at hand is parsed, for each case anew. */
extern const char hunt_promises[];
enum { PRELUDE_LINE, SLOW_LINE, FIRST_LINE };

struct promise {
    json_t *object; /* name, about, needs, connection, steps */
    unsigned needs;
};

static size_t count_lines(void)
{
    size_t n = 0;

    for (const char *c = hunt_promises; *c != 0; c++)
        n += *c == '\n';
    return n;
}

static json_t *read_line(size_t number)
{
    const char *line = hunt_promises;

    for (; number > 0; number--)
        line = strchr(line, '\n') + 1;
    return json_loadb(line, strcspn(line, "\n"), 0, NULL);
}

/* NULL in `object` when out of memory. */
static struct promise read_promise(size_t number)
{
    static const struct {
        const char *word;
        unsigned bit;
    } words[] = {{"no_posts", NO_POSTS}, {"idle", IDLE}, {"alone", ALONE}, {"slowly", SLOWLY}};
    struct promise promise = {.object = read_line(FIRST_LINE + number)};
    const json_t *needs = json_object_get(promise.object, "needs");

    for (size_t i = 0; i < json_array_size(needs); i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (strcmp(words[k].word, json_string_value(json_array_get(needs, i))) == 0)
                promise.needs |= words[k].bit;
    return promise;
}

/* Who initiates: 1 the SUT, 2 the tester. */
static unsigned initiators(const json_t *doc)
{
    const json_t *workload = json_object_get(doc, "workload");
    const json_t *steps = json_object_get(doc, "steps");
    unsigned who = 0;

    for (size_t i = 0; i < json_array_size(workload); i++)
        who |= strcmp(hunt_word(json_array_get(workload, i), "side"), "tester") == 0 ? 2 : 1;
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);

        if (json_object_get(step, "repeat") != NULL)
            who |= initiators(step);
        else if (json_object_get(step, "send") != NULL)
            who |= 2;
        else if (json_object_get(step, "ulp") != NULL)
            who |= strcmp(hunt_word(step, "side"), "tester") == 0 ? 2 : 1;
    }
    return who;
}

/* Whether the network has no faults (the promise needs exact times), the connection has its
 * defaults, and no earlier transaction had one of the lengths by which the steps identify
 * packets. */
static bool is_plain(const json_t *doc)
{
    const json_t *steps = json_object_get(doc, "steps");
    const json_t *workload = json_object_get(doc, "workload");

    for (size_t i = 0; i < json_array_size(steps); i++)
        if (json_object_get(json_array_get(steps, i), "on") != NULL ||
            json_object_get(json_array_get(steps, i), "cm") != NULL)
            return false;
    for (size_t i = 0; i < json_array_size(workload); i++)
        if (json_object_get(json_array_get(workload, i), "length") != NULL)
            return false;
    return json_object_get(doc, "impair") == NULL;
}

/* Which one a case asks for, its name decides. */
static size_t chosen(const json_t *doc)
{
    const char *id = hunt_word(doc, "id");
    size_t lines = count_lines();
    unsigned hash = 0;

    for (; *id != 0; id++)
        hash = hash * 33 + (unsigned char)*id;
    assert(lines > FIRST_LINE); /* the file is embedded */
    return lines > FIRST_LINE ? (hash >> 3) % (lines - FIRST_LINE) : 0;
}

/* Whether the connection can be set up so. */
static bool fits(const json_t *connection, const json_t *setup)
{
    const char *encap = hunt_word(connection, "encap");

    return json_object_get(connection, "params") == NULL &&
           (json_object_get(setup, "sut") == NULL ||
            json_object_get(connection, "sut") == NULL) &&
           (json_object_get(setup, "encap") == NULL ||
            (json_object_get(connection, "pcid") == NULL &&
             (*encap == 0 || strcmp(encap, "udp") == 0)));
}

/* The promise that a case makes; its `object` is NULL when it makes none. The caller frees it.
 */
static struct promise promise_of(const json_t *doc)
{
    struct promise promise = read_promise(chosen(doc));
    unsigned who = initiators(doc);

    if (is_plain(doc) && ((promise.needs & NO_POSTS) == 0 || (who & 1) == 0) &&
        ((promise.needs & (IDLE | ALONE)) == 0 ||
         (who == 0 && json_object_get(doc, "policy") == NULL)) &&
        fits(json_object_get(doc, "connection"), json_object_get(promise.object, "connection")))
        return promise;
    json_decref(promise.object);
    promise.object = NULL;
    return promise;
}

/* Findings are distinguished by the steps' names. */
static void name_steps(json_t *steps, const char *name, unsigned *number)
{
    size_t i, k;
    json_t *step, *branch;

    json_array_foreach(steps, i, step)
    {
        json_t *alternatives = json_object_get(step, "alt");

        name_steps(json_object_get(step, "then"), name, number);
        json_array_foreach(alternatives, k, branch)
        {
            name_steps(branch, name, number);
        }
        if (json_object_get(step, "expect") != NULL ||
            json_object_get(step, "expect_none") != NULL ||
            json_object_get(step, "expect_ulp") != NULL ||
            json_object_get(step, "expect_cm") != NULL ||
            json_object_get(step, "any_order") != NULL)
            (void)json_object_set_new(step, "name", json_sprintf("%s-%u", name, ++*number));
    }
}

/* The steps before a promise and its own. NULL when out of memory. */
static json_t *all_steps(const struct promise *promise)
{
    json_t *prelude = read_line(PRELUDE_LINE), *slow = read_line(SLOW_LINE);
    json_t *steps = json_array();
    bool alone = (promise->needs & ALONE) != 0, slowly = (promise->needs & SLOWLY) != 0;
    int rc = steps == NULL;

    if (!alone)
        rc |= json_array_extend(steps, json_object_get(prelude, "steps"));
    if (!alone && slowly)
        rc |= json_array_extend(steps, json_object_get(slow, "steps"));
    rc |= json_array_extend(steps, json_object_get(promise->object, "steps"));
    json_decref(prelude);
    json_decref(slow);
    if (rc == 0)
        return steps;
    json_decref(steps);
    return NULL;
}

json_t *hunt_promise(json_t *doc, bool *alone)
{
    struct promise promise = promise_of(doc);
    json_t *setup = json_object_get(promise.object, "connection"), *steps, *connection;
    unsigned number = 0;

    *alone = promise.object != NULL && (promise.needs & ALONE) != 0;
    if (promise.object == NULL)
        return json_array();
    steps = all_steps(&promise);
    connection = setup != NULL ? hunt_object(doc, "connection") : NULL;
    if (steps == NULL ||
        (setup != NULL &&
         (connection == NULL || json_object_update_recursive(connection, setup) != 0))) {
        json_decref(steps);
        steps = NULL;
    }
    name_steps(steps, hunt_word(promise.object, "name"), &number);
    json_decref(promise.object);
    return steps;
}

void hunt_promise_strip(json_t *doc)
{
    struct promise promise = read_promise(chosen(doc));
    json_t *setup = json_object_get(promise.object, "connection");
    json_t *connection = json_object_get(doc, "connection"), *member;
    const char *key;

    json_object_foreach(setup, key, member)
    {
        if (!json_equal(json_object_get(connection, key), member))
            goto end; /* not asked for */
    }
    json_object_foreach(setup, key, member)
    {
        (void)json_object_del(connection, key);
    }
    if (json_object_size(connection) == 0)
        (void)json_object_del(doc, "connection");
end:
    json_decref(promise.object);
}
