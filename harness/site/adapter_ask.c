/* SPDX-License-Identifier: Apache-2.0
 * adapter_ask.c - sends one command to an adapter and checks its answer. */
#include "harness/site/adapter_check_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { EVENTS_IN_BETWEEN = 100000 };

bool tl_adapter_wrong(struct tl_checker *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(c->why, sizeof c->why, format, args);
    va_end(args);
    return false;
}

bool tl_adapter_send(struct tl_checker *c, const char *text)
{
    return c->adapter->ops->send(c->adapter, text, strlen(text)) ||
           tl_adapter_wrong(c, "the channel accepts no more data");
}

/* Checks an event's sequence number. */
static bool good_event(struct tl_checker *c, const json_t *event)
{
    const json_t *seq = json_object_get(event, "seq");
    const char *name = json_string_value(json_object_get(event, "event"));

    if (!json_is_integer(seq) || json_integer_value(seq) <= c->seq)
        return tl_adapter_wrong(c, "seq of an event must rise: after %" JSON_INTEGER_FORMAT,
                                c->seq);
    c->lost += (uint64_t)(json_integer_value(seq) - c->seq - 1);
    c->seq = json_integer_value(seq);
    c->completions += name != NULL && strcmp(name, "completion") == 0;
    c->shown += name != NULL && strcmp(name, "cc") == 0;
    if (name != NULL && strcmp(name, "cc") == 0 && !tl_check_cc_event(c, event))
        return false;
    if (name != NULL && !tl_check_word_event(c, name, event))
        return false;
    if (name != NULL && strcmp(name, "dropped") == 0)
        c->dropped += (uint64_t)json_integer_value(json_object_get(event, "count"));
    return true;
}

/* Returns the next answer, skipping events; new reference. */
json_t *tl_adapter_answer(struct tl_checker *c)
{
    for (unsigned i = 0; i < EVENTS_IN_BETWEEN; i++) {
        size_t len;
        const char *line = c->adapter->ops->read(c->adapter, &len);
        json_t *object = line != NULL ? json_loadb(line, len, 0, NULL) : NULL;

        if (line == NULL) {
            (void)tl_adapter_wrong(c, "no answer within 2 s, or the channel has ended");
            return NULL;
        }
        if (!json_is_object(object)) {
            (void)tl_adapter_wrong(c, "expected a JSON object, found: %.*s",
                                   (int)(len < 60 ? len : 60), line);
            json_decref(object);
            return NULL;
        }
        if (json_object_get(object, "event") == NULL)
            return object;
        if (!good_event(c, object)) {
            json_decref(object);
            return NULL;
        }
        json_decref(object);
    }
    (void)tl_adapter_wrong(c, "only events and no answer");
    return NULL;
}

/* Checks an answer: `outcome` is "ok", an error, or alternatives "ok|failed". */
bool tl_adapter_answered(struct tl_checker *c, const json_t *object, json_int_t id,
                         json_int_t epoch, const char *outcome)
{
    const json_t *got_id = json_object_get(object, "id");
    const json_t *got_epoch = json_object_get(object, "epoch");
    const char *error = json_string_value(json_object_get(object, "error"));
    const char *seen = json_is_true(json_object_get(object, "ok")) ? "ok" : error;
    const char *at;
    size_t len;

    if (!json_is_integer(got_id) || json_integer_value(got_id) != id)
        return tl_adapter_wrong(c, "the id of the answer must be %" JSON_INTEGER_FORMAT, id);
    if (!json_is_integer(got_epoch) || json_integer_value(got_epoch) != epoch)
        return tl_adapter_wrong(c, "the epoch of the answer must be %" JSON_INTEGER_FORMAT,
                                epoch);
    if (seen == NULL || (json_object_get(object, "ok") != NULL && error != NULL))
        return tl_adapter_wrong(c, "the answer must have either \"ok\": true or an error");
    len = strlen(seen);
    for (at = outcome; (at = strstr(at, seen)) != NULL; at++)
        if ((at == outcome || at[-1] == '|') && (at[len] == 0 || at[len] == '|'))
            return true;
    return tl_adapter_wrong(c, "expected: %s; seen: %s", outcome, seen);
}

/* Sends one command with the given members after "do". Returns the answer, a new reference, or
 * NULL. */
json_t *tl_adapter_ask(struct tl_checker *c, const char *outcome, const char *format, ...)
{
    char line[TL_CHECK_LINE];
    int head = snprintf(line, sizeof line,
                        "{\"id\": %" JSON_INTEGER_FORMAT ", \"epoch\": %" JSON_INTEGER_FORMAT
                        ", \"do\": ",
                        ++c->id, c->epoch);
    va_list args;
    json_t *object;

    va_start(args, format);
    (void)vsnprintf(line + head, sizeof line - (size_t)head - 3, format, args);
    va_end(args);
    (void)strcat(line, "}\n");
    if (!tl_adapter_send(c, line))
        return NULL;
    object = tl_adapter_answer(c);
    if (object != NULL && !tl_adapter_answered(c, object, c->id, c->epoch, outcome)) {
        json_decref(object);
        return NULL;
    }
    return object;
}

bool tl_adapter_says(json_t *object)
{
    bool is = object != NULL;

    json_decref(object);
    return is;
}

bool tl_adapter_alive(struct tl_checker *c)
{
    return SAYS(c, "ok|unsupported", "\"barrier\"");
}
