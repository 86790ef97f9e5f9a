/* SPDX-License-Identifier: Apache-2.0
 * adapter_levels.c - checks of an adapter: whether it has every command of its level, and what
 * of an `open` it can set. What it cannot set is no failure; the check reports it, because
 * cases are skipped for it. */
#include "harness/site/adapter_check_impl.h"

#include "harness/wire/protocol_levels.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PEER                                                                        \
    "\"encap\": \"udp\", \"peer\": {\"cid\": 79, \"function\": 3, \"req_psn\": 4, " \
    "\"data_psn\": 5, \"rsn\": 6}, \"peer_address\": \"127.0.0.1:9\""

static bool has_words(const struct tl_checker *c)
{
    return c->word_levels[TL_UPPER_VERBS] > 0 || c->word_levels[TL_UPPER_NVME] > 0;
}

bool tl_check_levels(struct tl_checker *c)
{
    static const struct {
        int level;
        const char *outcome, *members;
        bool words; /* levels L2v and L2n have it too */
    } commands[] = {
        {1, "ok|failed|busy", "\"close\", \"conn\": \"no such\"", false},
        {2, "ok|failed|busy",
         "\"post\", \"conn\": \"no such\", \"op\": \"push\", \"length\": 8, \"tag\": 1", false},
        {3, "ok|failed|busy", "\"policy\", \"conn\": \"no such\", \"rules\": []", false},
        {3, "ok|failed|busy",
         "\"respond\", \"conn\": \"no such\", \"rsn\": 0, \"answer\": \"ack\"", false},
        {3, "ok|failed|busy", "\"set\", \"conn\": \"no such\", \"params\": {}", false},
        {3, "ok", "\"barrier\"", true},
    };

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const char *name = commands[i].members + 1;
        bool has = commands[i].level <= c->level || (commands[i].words && has_words(c));
        char why[TL_CHECK_WHY / 2];

        if (!has || SAYS(c, commands[i].outcome, "%s", commands[i].members))
            continue;
        (void)snprintf(why, sizeof why, "%.90s", c->why);
        return tl_adapter_wrong(c, "`%.*s` (level L%d): %s", (int)strcspn(name, "\""), name,
                                commands[i].level, why);
    }
    if (c->level < TL_LEVEL_MAX)
        (void)snprintf(c->why, sizeof c->why,
                       "it offers L%d: talon run skips the cases that need more "
                       "(docs/sut-protocol.md, Levels)",
                       c->level);
    return true;
}

/* Closes the connection of that reply, and releases it. */
static bool close_it(struct tl_checker *c, json_t *opened)
{
    const char *conn = json_string_value(json_object_get(opened, "conn"));
    bool good = conn != NULL && SAYS(c, "ok", "\"close\", \"conn\": \"%.31s\"", conn);

    if (conn == NULL)
        (void)tl_adapter_wrong(c, "conn: expected a handle");
    json_decref(opened);
    return good;
}

static void add(char *list, size_t cap, const char *name, json_int_t value)
{
    size_t len = strlen(list);

    (void)snprintf(list + len, cap - len, "%s%s %" JSON_INTEGER_FORMAT, len > 0 ? ", " : "",
                   name, value);
}

bool tl_check_local(struct tl_checker *c)
{
    static const struct {
        const char *name;
        json_int_t wish;
    } wishes[] = {{"cid", 4242},
                  {"function", 11},
                  {"req_psn", 4294967290},
                  {"data_psn", 4294967291},
                  {"rsn", 4294967292}};
    json_t *opened =
        tl_adapter_ask(c, "ok",
                       "\"open\", " PEER ", \"params\": {}, \"local\": {\"cid\": 4242, "
                       "\"function\": 11, \"req_psn\": 4294967290, \"data_psn\": "
                       "4294967291, \"rsn\": 4294967292}%s",
                       c->upper);
    const json_t *local = json_object_get(opened, "local");
    char otherwise[TL_CHECK_WHY / 2] = "";

    if (opened == NULL)
        return false;
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        json_int_t has = json_integer_value(json_object_get(local, wishes[i].name));

        if (has != wishes[i].wish)
            add(otherwise, sizeof otherwise, wishes[i].name, has);
    }
    if (!close_it(c, opened))
        return false;
    if (otherwise[0] != 0)
        (void)snprintf(c->why, sizeof c->why,
                       "it ignores `local` (it has %s): talon run skips the cases that need "
                       "given numbers",
                       otherwise);
    return true;
}

bool tl_check_params(struct tl_checker *c)
{
    json_t *opened = tl_adapter_ask(
        c, "ok|unsupported",
        "\"open\", " PEER ", \"params\": {\"rto_ns\": 20000000, \"coalescing_ns\": 3000000, "
        "\"tx_window_req\": 32, \"tx_window_data\": 48, \"fcwnd\": 16, \"ncwnd\": 24, "
        "\"max_attempts\": 5, \"ooo_threshold\": 2, \"mtu\": 2048, \"initial_rtt_ns\": 500000}%s",
        c->upper);
    json_t *params = json_object_get(opened, "params"), *value;
    char otherwise[TL_CHECK_WHY / 2] = "";
    const char *key;

    if (opened == NULL)
        return false;
    if (!json_is_true(json_object_get(opened, "ok"))) {
        json_decref(opened);
        (void)snprintf(c->why, sizeof c->why,
                       "it cannot open a connection with other parameters: talon run skips the "
                       "cases that need them");
        return true;
    }
    if (params != NULL && !json_is_object(params)) {
        json_decref(opened);
        return tl_adapter_wrong(c, "params: expected an object of the parameters to which the "
                                   "SUT gave another value");
    }
    json_object_foreach(params, key, value)
    {
        if (json_is_integer(value) && json_integer_value(value) >= 0)
            add(otherwise, sizeof otherwise, key, json_integer_value(value));
    }
    if (!close_it(c, opened))
        return false;
    if (otherwise[0] != 0)
        (void)snprintf(c->why, sizeof c->why,
                       "it reports other values (%s): talon run judges by them, and skips the "
                       "cases that need others",
                       otherwise);
    return true;
}
