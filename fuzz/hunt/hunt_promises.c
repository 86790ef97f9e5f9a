/* SPDX-License-Identifier: Apache-2.0
 * hunt_promises.c - promises that any SUT keeps on a quiet connection after valid traffic only.
 * No rule can check them, because a rule does not know that all traffic was valid. They come
 * last, because some of them end the connection. The name of a case decides which promise it
 * checks. */
#include "fuzz/hunt/hunt.h"

#include <stdio.h>
#include <string.h>

/* The conditions that a case must meet for a promise. */
enum {
    NO_POSTS = 1, /* the SUT initiates nothing: a promise leaves it little room */
    IDLE = 2,     /* neither end does */
    ALONE = 4,    /* neither end does, and no valid transactions come before */
    SLOWLY = 8,   /* not that: its RTO is long, so that nothing is repeated for want of time */
};

struct promise {
    const char *name;
    const char *setup; /* of the connection, members of an object */
    unsigned needs;
    const char *steps;
};

#include "fuzz/hunt/hunt_promise_list.h"

enum { PROMISES = sizeof promises / sizeof *promises };

/* The text is JSON with ' for ", and a comma behind each member, also the last. */
static json_t *read_list(const char *before, const char *text, const char *after)
{
    char quoted[4096];
    int len = snprintf(quoted, sizeof quoted, "%s%s%s", before, text, after);

    if (len < 0 || (size_t)len >= sizeof quoted)
        return NULL;
    for (char *c = quoted; *c != 0; c++) {
        if (*c == '\'')
            *c = '"';
        if (*c == ',' && (c[1 + strspn(c + 1, " ")] == ']' || c[1 + strspn(c + 1, " ")] == '}'))
            *c = ' ';
    }
    return json_loads(quoted, 0, NULL);
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
    unsigned hash = 0;

    for (; *id != 0; id++)
        hash = hash * 33 + (unsigned char)*id;
    return (hash >> 3) % PROMISES;
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

/* The promise that a case makes, or NULL; *setup gets what its connection must be. */
static const struct promise *promise_of(const json_t *doc, json_t **setup)
{
    const struct promise *promise = &promises[chosen(doc)];
    unsigned who = initiators(doc);

    *setup = NULL;
    if (!is_plain(doc) || ((promise->needs & NO_POSTS) != 0 && (who & 1) != 0) ||
        ((promise->needs & (IDLE | ALONE)) != 0 &&
         (who != 0 || json_object_get(doc, "policy") != NULL)))
        return NULL;
    *setup = read_list("{", promise->setup, "}");
    if (*setup != NULL && fits(json_object_get(doc, "connection"), *setup))
        return promise;
    json_decref(*setup);
    *setup = NULL;
    return NULL;
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

json_t *hunt_promise(json_t *doc, bool *alone)
{
    json_t *setup, *steps, *connection;
    const struct promise *promise = promise_of(doc, &setup);
    unsigned number = 0;

    *alone = promise != NULL && (promise->needs & ALONE) != 0;
    if (promise == NULL)
        return json_array();
    steps = read_list(*alone                           ? "["
                      : (promise->needs & SLOWLY) != 0 ? "[" PRELUDE RTO("2s")
                                                       : "[" PRELUDE,
                      promise->steps, "]");
    connection = json_object_size(setup) > 0 ? hunt_object(doc, "connection") : setup;
    if (steps == NULL || connection == NULL ||
        (connection != setup && json_object_update_recursive(connection, setup) != 0)) {
        json_decref(steps);
        steps = NULL;
    }
    name_steps(steps, promise->name, &number);
    json_decref(setup);
    return steps;
}

void hunt_promise_strip(json_t *doc)
{
    json_t *setup = read_list("{", promises[chosen(doc)].setup, "}");
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
    json_decref(setup);
}
