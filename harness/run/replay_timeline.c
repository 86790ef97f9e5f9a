/* SPDX-License-Identifier: Apache-2.0
 * replay_timeline.c - compares a recorded timeline with the one that playing the case again
 * gives. Words may differ, because another version of Talon may have recorded it: messages are
 * never compared, and the tester's own events (notes, timers, drops) count by their time. */
#include "harness/run/replay.h"

#include <jansson.h>
#include <string.h>

/* The next line, as an event without its words; NULL at the end or where it is no JSON. */
static json_t *next_event(const char **at, const char *end)
{
    static const char *const words[] = {"text", "title"};
    static const char *const own[] = {"note", "internal", "bench"};
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    size_t len = newline != NULL ? (size_t)(newline - *at) : (size_t)(end - *at);
    json_t *event = json_loadb(*at, len, 0, NULL);
    const char *kind = json_string_value(json_object_get(event, "event"));

    *at += len + (newline != NULL);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        (void)json_object_del(event, words[i]);
    for (size_t i = 0; kind != NULL && i < sizeof own / sizeof *own; i++)
        if (strcmp(kind, own[i]) == 0) {
            json_t *short_form =
                json_pack("{s:s, s:O}", "event", "own", "t_ns", json_object_get(event, "t_ns"));

            json_decref(event);
            return short_form;
        }
    return event;
}

bool tl_replay_same_timeline(const char *was, size_t was_len, const char *now, size_t now_len)
{
    const char *was_end = was + was_len, *now_end = now + now_len;
    bool same = true;

    if (was_len == now_len && memcmp(was, now, was_len) == 0)
        return true;
    while (same && was < was_end && now < now_end) {
        json_t *a = next_event(&was, was_end), *b = next_event(&now, now_end);

        same = a != NULL && b != NULL && json_equal(a, b) != 0;
        json_decref(a);
        json_decref(b);
    }
    return same && was == was_end && now == now_end;
}
