/* SPDX-License-Identifier: Apache-2.0
 * hunt_promises.c - promises that any SUT keeps on a quiet connection after valid traffic only.
 * No rule can check them, because a rule does not know that all traffic was valid. They come
 * last, because some of them end the connection. The name of a case decides which promise it
 * checks. */
#include "fuzz/hunt/hunt.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The conditions that a case must meet for a promise. */
enum {
    NO_POSTS = 1, /* the SUT initiates nothing: a promise leaves it little room */
    IDLE = 2,     /* neither end does */
    ALONE = 4,    /* neither end does, and no valid transactions come before */
    SLOWLY = 8,   /* not that: its RTO is long, so that nothing is repeated for want of time */
};

/* One JSON object a line (promises.jsonl): `prelude` and `slow` (steps before a promise), then
 * the promises. */
extern const char hunt_promises[];
enum { PRELUDE_LINE, SLOW_LINE, FIRST_LINE };

/* The steps that show that the SUT is still alive: quiet for longer than a packet waits for its
 * retransmission (with scarce resources each packet does, and the others behind it), then one
 * transaction of each kind from each side, one without payload, and one that is refused once.
 */
extern const char hunt_alive_steps[]; /* alive.json */

struct promise {
    json_t *object; /* name, about, needs, ics, connection, steps; NULL: not read yet */
    json_t *steps;  /* with those before them, and named; NULL: not made yet */
    unsigned needs;
};

struct hunt_book {
    json_t *alive, *none;
    struct promise *promises;
    size_t num_promises;
    const struct tl_ics *ics;            /* what the SUT offers; NULL: not known */
    const struct tl_given_params *given; /* NULL: none; borrowed */
    bool bare, no_promises;
};

static size_t count_lines(void)
{
    size_t n = 0;

    for (const char *c = hunt_promises; *c != 0; c++)
        n += *c == '\n';
    return n;
}

struct hunt_book *hunt_book_new(bool bare)
{
    struct hunt_book *book = calloc(1, sizeof *book);
    size_t lines = count_lines();

    assert(lines > FIRST_LINE); /* the file is embedded */
    if (book == NULL)
        return NULL;
    book->bare = bare;
    book->num_promises = lines > FIRST_LINE ? lines - FIRST_LINE : 1;
    book->promises = calloc(book->num_promises, sizeof *book->promises);
    book->alive = json_loads(hunt_alive_steps, 0, NULL);
    book->none = json_array();
    if (book->promises != NULL && book->alive != NULL && book->none != NULL)
        return book;
    hunt_book_free(book);
    return NULL;
}

void hunt_book_free(struct hunt_book *book)
{
    if (book == NULL)
        return;
    for (size_t i = 0; book->promises != NULL && i < book->num_promises; i++) {
        json_decref(book->promises[i].object);
        json_decref(book->promises[i].steps);
    }
    json_decref(book->alive);
    json_decref(book->none);
    free(book->promises);
    free(book);
}

void hunt_book_suit(struct hunt_book *book, const struct tl_ics *ics)
{
    book->ics = ics;
}

void hunt_book_given(struct hunt_book *book, const struct tl_given_params *given)
{
    /* Times of which the steps know, and switches of which they make no use. */
    static const enum fal_param_at any[] = {
        FAL_PARAM_AT_coalescing, FAL_PARAM_AT_turnaround, FAL_PARAM_AT_pipeline,
        FAL_PARAM_AT_tick,       FAL_PARAM_AT_rto_varies, FAL_PARAM_AT_rto_lo,
        FAL_PARAM_AT_rto_hi,     FAL_PARAM_AT_rto,        FAL_PARAM_AT_replay_margin};
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    book->given = given;
    for (size_t i = 0; given != NULL && i < n; i++) {
        bool harmless = !given->given[i] || given->values[i] == table[i].virtual_default;

        for (size_t k = 0; k < sizeof any / sizeof *any; k++)
            harmless |= i == any[k];
        if (harmless)
            continue;
        book->no_promises = true;
        book->bare |= !hunt_lawful_param(table[i].name, given->values[i]);
    }
}

uint64_t hunt_book_time(const struct hunt_book *book, enum fal_param_at at)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    assert((size_t)at < n);
    return book->given != NULL && book->given->given[at] ? book->given->values[at]
                                                         : table[at].virtual_default;
}

void hunt_book_no_promises(struct hunt_book *book)
{
    book->no_promises = true;
}

json_t *hunt_book_alive(struct hunt_book *book)
{
    return book->bare ? NULL : book->alive;
}

static json_t *read_line(size_t number)
{
    const char *line = hunt_promises;

    for (; number > 0; number--)
        line = strchr(line, '\n') + 1;
    return json_loadb(line, strcspn(line, "\n"), 0, NULL);
}

/* NULL in `object` when out of memory. */
static struct promise *read_promise(struct hunt_book *book, size_t number)
{
    static const struct {
        const char *word;
        unsigned bit;
    } words[] = {{"no_posts", NO_POSTS}, {"idle", IDLE}, {"alone", ALONE}, {"slowly", SLOWLY}};
    struct promise *promise = &book->promises[number];
    const json_t *needs;

    if (promise->object != NULL)
        return promise;
    promise->object = read_line(FIRST_LINE + number);
    needs = json_object_get(promise->object, "needs");
    for (size_t i = 0; i < json_array_size(needs); i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (strcmp(words[k].word, json_string_value(json_array_get(needs, i))) == 0)
                promise->needs |= words[k].bit;
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

/* Whether a step, also one of a block, acts on packets of the network or on the parameters. */
static bool any_change(const json_t *steps)
{
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);

        if (json_object_get(step, "on") != NULL || json_object_get(step, "cm") != NULL ||
            any_change(json_object_get(step, "steps")))
            return true;
    }
    return false;
}

/* Whether the network has no faults (the promise needs exact times), the connection has its
 * defaults, and no earlier transaction had one of the lengths by which the steps identify
 * packets. */
static bool is_plain(const json_t *doc)
{
    const json_t *workload = json_object_get(doc, "workload");

    if (any_change(json_object_get(doc, "steps")))
        return false;
    for (size_t i = 0; i < json_array_size(workload); i++)
        if (json_object_get(json_array_get(workload, i), "length") != NULL)
            return false;
    return json_object_get(doc, "impair") == NULL;
}

/* Which one a case asks for, its name decides. */
static size_t chosen(const struct hunt_book *book, const json_t *doc)
{
    const char *id = hunt_word(doc, "id");
    unsigned hash = 0;

    for (; *id != 0; id++)
        hash = hash * 33 + (unsigned char)*id;
    return (hash >> 3) % book->num_promises;
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

/* Whether the SUT offers what a promise is about (`ics`) and what its set-up asks for. */
static bool offered(const struct tl_ics *ics, const json_t *promise)
{
    const json_t *items = json_object_get(promise, "ics");

    for (size_t i = 0; ics != NULL && i < json_array_size(items); i++) {
        int item = tl_ics_find(json_string_value(json_array_get(items, i)));

        if (item >= 0 && ics->items[item] == TL_ICS_NO)
            return false;
    }
    return ics == NULL || hunt_suits(promise, ics);
}

/* The promise that a case makes; NULL: none. */
static struct promise *promise_of(struct hunt_book *book, const json_t *doc)
{
    struct promise *promise = read_promise(book, chosen(book, doc));
    unsigned who = initiators(doc);

    return promise->object != NULL && !book->no_promises && is_plain(doc) &&
                   offered(book->ics, promise->object) &&
                   ((promise->needs & NO_POSTS) == 0 || (who & 1) == 0) &&
                   ((promise->needs & (IDLE | ALONE)) == 0 ||
                    (who == 0 && json_object_get(doc, "policy") == NULL)) &&
                   fits(json_object_get(doc, "connection"),
                        json_object_get(promise->object, "connection"))
               ? promise
               : NULL;
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
static json_t *all_steps(struct promise *promise)
{
    json_t *prelude, *slow, *steps;
    bool alone = (promise->needs & ALONE) != 0, slowly = (promise->needs & SLOWLY) != 0;
    unsigned number = 0;
    int rc;

    if (promise->steps != NULL)
        return promise->steps;
    prelude = read_line(PRELUDE_LINE);
    slow = read_line(SLOW_LINE);
    steps = json_array();
    rc = steps == NULL;
    if (!alone)
        rc |= json_array_extend(steps, json_object_get(prelude, "steps"));
    if (!alone && slowly)
        rc |= json_array_extend(steps, json_object_get(slow, "steps"));
    rc |= json_array_extend(steps, json_object_get(promise->object, "steps"));
    json_decref(prelude);
    json_decref(slow);
    if (rc != 0) {
        json_decref(steps);
        return NULL;
    }
    name_steps(steps, hunt_word(promise->object, "name"), &number);
    promise->steps = steps;
    return steps;
}

/* Sets the connection of `doc` up, which may share it with another document. */
static int set_up(json_t *doc, json_t *setup)
{
    json_t *old = json_object_get(doc, "connection"), *own = hunt_copy(setup);
    json_t *connection;

    if (old != NULL && json_object_set_new(doc, "connection", hunt_copy(old)) != 0) {
        json_decref(own);
        return FAL_ERR_MEM;
    }
    connection = hunt_object(doc, "connection");
    if (own == NULL || connection == NULL ||
        json_object_update_recursive(connection, own) != 0) {
        json_decref(own);
        return FAL_ERR_MEM;
    }
    json_decref(own);
    return 0;
}

json_t *hunt_promise(struct hunt_book *book, json_t *doc, bool *alone)
{
    struct promise *promise = promise_of(book, doc);
    json_t *setup, *steps;

    *alone = promise != NULL && (promise->needs & ALONE) != 0;
    if (promise == NULL)
        return book->none;
    setup = json_object_get(promise->object, "connection");
    steps = all_steps(promise);
    return steps != NULL && (setup == NULL || set_up(doc, setup) == 0) ? steps : NULL;
}

void hunt_promise_strip(json_t *doc)
{
    struct hunt_book *book = hunt_book_new(false);
    const struct promise *promise = book != NULL ? read_promise(book, chosen(book, doc)) : NULL;
    json_t *setup = promise != NULL ? json_object_get(promise->object, "connection") : NULL;
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
    hunt_book_free(book);
}
