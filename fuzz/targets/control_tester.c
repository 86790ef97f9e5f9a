/* SPDX-License-Identifier: Apache-2.0
 * control_tester.c - the tester's reader of control lines: each line is an answer, an event,
 * stale, or garbage with a reason; what goes to the timeline can be written to its file and
 * read back. */
#include "fuzz/targets/control_tester.h"

#include "fuzz/targets/targets.h"
#include "harness/session/upper.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 300 };

static const char *const commands[] = {
    "{\"do\": \"hello\", \"version\": 1, \"tester\": \"talon\"}",
    "{\"do\": \"reset\", \"scope\": \"device\"}",
    "{\"do\": \"open\", \"encap\": \"udp\", \"peer\": {\"cid\": 1}, \"params\": {}}",
    "{\"do\": \"post\", \"conn\": \"c1\", \"op\": \"push\", \"length\": 64, \"tag\": 1}",
    "{\"do\": \"respond\", \"conn\": \"c1\", \"rsn\": 1, \"answer\": \"ack\"}",
    "{\"do\": \"barrier\"}",
    "{\"do\": \"counters\"}",
    "{\"do\": \"state\", \"conn\": \"c1\"}",
    "{\"do\": \"close\", \"conn\": \"c1\"}",
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void ask(struct tl_upper *upper, const char *text)
{
    json_t *command = json_loads(text, 0, NULL);
    struct fal_event event = {.kind = FAL_EV_NOTE};
    int64_t id = 0;
    char *line = command != NULL ? tl_upper_command(upper, command, &id, &event) : NULL;

    free(line);
    json_decref(command);
}

/* An event as the timeline's file has it, and again. */
static void check_event(struct fal_event *event)
{
    struct fal_event_storage storage = {0};
    struct fal_error err = {{0}};
    struct fal_event again;
    json_t *json, *second;

    event->t_ns = 1000;
    event->conn = 1;
    json = fal_event_to_json(event);
    if (json == NULL)
        fuzz_broken("control: an event that cannot be written");
    if (fal_event_from_json(json, &again, &storage, &err) != 0)
        fuzz_broken("control: an event that does not read back: %s", err.text);
    second = fal_event_to_json(&again);
    if (!json_equal(json, second))
        fuzz_broken("control: an event that reads back as another");
    json_decref(second);
    json_decref(json);
    fal_event_storage_free(&storage);
}

static void take(struct tl_upper *upper, const char *bytes, size_t len)
{
    struct tl_upper_line line = {.id = 0};
    struct fal_connection connection = {.encap_known = false};
    struct fal_error err = {{0}};
    char *exact = malloc(len + 1);

    if (exact == NULL)
        return;
    memcpy(exact, bytes, len);
    exact[len] = '\0';
    switch (tl_upper_line(upper, exact, len, &line)) {
    case TL_UPPER_GARBAGE:
        if (line.err.text[0] == '\0')
            fuzz_broken("control: garbage, and nobody says why");
        break;
    case TL_UPPER_REPLY:
        check_event(&line.event);
        fal_params_default(&connection.params, false);
        if (line.ok)
            /* The input is random: an error is as good. */
            FAL_IGNORE(tl_upper_opened(line.object, &connection, &err));
        break;
    case TL_UPPER_EVENT: check_event(&line.event); break;
    case TL_UPPER_STALE: break;
    }
    free(exact);
}

void control_tester(const uint8_t *data, size_t size, uint8_t after)
{
    struct tl_upper *upper = tl_upper_new();
    unsigned lines = 0, asked = 0;

    if (upper == NULL)
        return;
    while (size > 0 && lines < LINES_MAX) {
        const uint8_t *end = memchr(data, '\n', size);
        size_t len = end != NULL ? (size_t)(end - data) : size;

        if (lines++ % (1 + after % 4u) == 0)
            ask(upper, commands[asked++ % COMMANDS]);
        take(upper, (const char *)data, len);
        len += end != NULL;
        data += len;
        size -= len;
    }
    tl_upper_free(upper);
}
