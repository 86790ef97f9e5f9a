/* SPDX-License-Identifier: Apache-2.0
 * sut_client.c - see sut_client.h. A vendor copies both into another tree, as C or C++: so the
 * header is named without a folder, and memory is cast. */
#include "sut_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 1 << 20 };

struct talon_client {
    struct talon_client_config config;
    json_int_t epoch;
    json_int_t reset_id; /* id of the newest `reset` that was applied; 0: none */
    uint64_t seq, lost;  /* events lost since the last `dropped` event */
    char *in;            /* an unfinished line: TALON_CLIENT_LINE_MAX bytes */
    size_t in_len;
    bool skipping; /* skipping the rest of a line that was too long */
    char *out;
    size_t out_start, out_end, out_cap;
};

struct talon_client *talon_client_new(const struct talon_client_config *config)
{
    struct talon_client *client = (struct talon_client *)calloc(1, sizeof *client);

    if (client == NULL)
        return NULL;
    client->config = *config;
    client->epoch = 1;
    if (client->config.limit == 0)
        client->config.limit = LIMIT;
    client->in = (char *)malloc(TALON_CLIENT_LINE_MAX);
    if (client->in == NULL) {
        free(client);
        return NULL;
    }
    return client;
}

void talon_client_free(struct talon_client *client)
{
    if (client == NULL)
        return;
    free(client->in);
    free(client->out);
    free(client);
}

/* ---- what is said ---- */

/* Appends a line. False when out of memory. */
static bool put(struct talon_client *client, const char *text, size_t len)
{
    if (client->out_start > 0) {
        memmove(client->out, client->out + client->out_start,
                client->out_end - client->out_start);
        client->out_end -= client->out_start;
        client->out_start = 0;
    }
    if (client->out_end + len + 1 > client->out_cap) {
        size_t cap = 2 * (client->out_end + len + 1);
        char *grown = (char *)realloc(client->out, cap);

        if (grown == NULL)
            return false;
        client->out = grown;
        client->out_cap = cap;
    }
    memcpy(client->out + client->out_end, text, len);
    client->out_end += len;
    client->out[client->out_end++] = '\n';
    return true;
}

/* Writes an object and takes its reference. */
static bool say(struct talon_client *client, json_t *object)
{
    char *text = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
    bool said = text != NULL && strlen(text) <= TALON_CLIENT_LINE_MAX &&
                put(client, text, strlen(text));

    free(text);
    json_decref(object);
    return said;
}

static bool say_event(struct talon_client *client, const char *event, json_t *members)
{
    json_t *object = json_pack("{s:I, s:I, s:s}", "seq", (json_int_t)client->seq, "epoch",
                               client->epoch, "event", event);

    if (object != NULL && members != NULL && json_object_update(object, members) != 0) {
        json_decref(object);
        object = NULL;
    }
    json_decref(members);
    return say(client, object);
}

/* Skips one sequence number for each lost event, and reports how many they were. */
static void say_lost(struct talon_client *client)
{
    json_t *count;

    if (client->lost == 0)
        return;
    count = json_pack("{s:I}", "count", (json_int_t)client->lost);
    client->seq += client->lost + 1;
    if (count != NULL && say_event(client, "dropped", count))
        client->lost = 0;
    else
        client->seq -= client->lost + 1;
}

void talon_client_event(struct talon_client *client, const char *event, json_t *members)
{
    if (client->out_end - client->out_start > client->config.limit || members == NULL) {
        client->lost++;
        json_decref(members);
        return;
    }
    say_lost(client);
    client->seq++;
    if (!say_event(client, event, members)) {
        client->seq--;
        client->lost++;
    }
}

static void answer(struct talon_client *client, json_int_t id, json_int_t epoch,
                   enum talon_client_done done, const char *why, json_t *reply)
{
    static const char *const errors[] = {NULL, "unsupported", "busy", "failed"};
    json_t *object = json_pack("{s:I, s:I}", "id", id, "epoch", epoch);

    if (object == NULL) {
        json_decref(reply);
        return;
    }
    if (done == TALON_CLIENT_DONE) {
        (void)json_object_set_new(object, "ok", json_true());
        if (reply != NULL)
            (void)json_object_update_missing(object, reply);
    } else {
        (void)json_object_set_new(object, "error", json_string(errors[done]));
        (void)json_object_set_new(object, "why", json_string(why != NULL ? why : ""));
    }
    json_decref(reply);
    (void)say(client, object);
}

/* ---- what is read ---- */

static bool has_command(const struct talon_client_config *config, const char *name)
{
    for (size_t i = 0; i < config->num_commands; i++)
        if (strcmp(config->commands[i].name, name) == 0)
            return true;
    return false;
}

/* The levels of upper layers follow from the commands: L2 is posts and completions, L3 is
 * memory and devices. */
static void add_word_levels(const struct talon_client_config *config, json_t *levels)
{
    static const struct {
        const char *post, *fill, *hash, *level2, *level3;
    } rows[] = {{"post_send", "mr_fill", "mr_hash", "L2v", "L3v"},
                {"nvme_post", "dev_fill", "dev_hash", "L2n", "L3n"}};

    for (size_t i = 0; config->upper != NULL && i < sizeof rows / sizeof *rows; i++) {
        if (!has_command(config, rows[i].post))
            continue;
        (void)json_array_append_new(levels, json_string(rows[i].level2));
        if (has_command(config, rows[i].fill) && has_command(config, rows[i].hash))
            (void)json_array_append_new(levels, json_string(rows[i].level3));
    }
}

static enum talon_client_done hello(struct talon_client *client, const json_t *command,
                                    json_t *reply, const char **why)
{
    const struct talon_client_config *config = &client->config;
    json_t *levels = json_array();
    char level[8];

    if (json_integer_value(json_object_get(command, "version")) != 1) {
        json_decref(levels);
        *why = "version: this is 1";
        return TALON_CLIENT_UNSUPPORTED;
    }
    for (unsigned i = 0; levels != NULL && i <= config->level; i++) {
        (void)snprintf(level, sizeof level, "L%u", i);
        (void)json_array_append_new(levels, json_string(level));
    }
    if (config->cc != NULL) {
        (void)json_array_append_new(levels, json_string("Lc"));
        (void)json_object_set_new(reply, "cc", json_deep_copy(config->cc));
    }
    add_word_levels(config, levels);
    if (config->upper != NULL)
        (void)json_object_set_new(reply, "upper", json_deep_copy(config->upper));
    (void)json_object_set_new(reply, "version", json_integer(1));
    (void)json_object_set_new(reply, "vendor", json_string(config->vendor));
    (void)json_object_set_new(reply, "product", json_string(config->product));
    (void)json_object_set_new(reply, "firmware", json_string(config->firmware));
    (void)json_object_set_new(reply, "serial", json_string(config->serial));
    (void)json_object_set_new(reply, "levels", levels);
    (void)json_object_set_new(
        reply, "ics", config->ics != NULL ? json_deep_copy(config->ics) : json_object());
    (void)json_object_set_new(reply, "clock", json_string("none"));
    (void)json_object_set_new(reply, "ordered_events", json_boolean(config->ordered_events));
    return TALON_CLIENT_DONE;
}

static enum talon_client_done reset(struct talon_client *client, const json_t *command,
                                    json_t *reply, const char **why)
{
    enum talon_client_done done = client->config.reset(client->config.ctx, command, reply, why);

    if (done != TALON_CLIENT_DONE)
        return done;
    client->reset_id = json_integer_value(json_object_get(command, "id"));
    (void)json_object_set_new(reply, "new_epoch", json_integer(++client->epoch));
    if (json_object_get(reply, "survives") == NULL)
        (void)json_object_set_new(reply, "survives", json_array());
    return done;
}

static enum talon_client_done run(struct talon_client *client, const char *name,
                                  const json_t *command, json_t *reply, const char **why)
{
    const struct talon_client_config *config = &client->config;

    if (strcmp(name, "hello") == 0)
        return hello(client, command, reply, why);
    if (strcmp(name, "reset") == 0)
        return reset(client, command, reply, why);
    for (size_t i = 0; i < config->num_commands; i++)
        if (strcmp(config->commands[i].name, name) == 0)
            return config->commands[i].run(config->ctx, command, reply, why);
    *why = "unknown command";
    return TALON_CLIENT_UNSUPPORTED;
}

void talon_client_line(struct talon_client *client, const char *line, size_t len)
{
    json_t *command = len <= TALON_CLIENT_LINE_MAX
                          ? json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL)
                          : NULL;
    const json_t *id = json_object_get(command, "id"),
                 *epoch = json_object_get(command, "epoch");
    const char *name = json_string_value(json_object_get(command, "do")), *why = NULL;
    json_int_t begun = client->epoch; /* what the answer carries; that to `reset` too */
    enum talon_client_done done = TALON_CLIENT_FAILED;
    json_t *reply = NULL;

    if (!json_is_integer(id) || json_integer_value(id) < 1) {
        answer(client, 0, begun, TALON_CLIENT_FAILED, "expected a JSON object with an id",
               NULL);
        json_decref(command);
        return;
    }
    if (name == NULL)
        why = "do: missing";
    else if (!json_is_integer(epoch) || json_integer_value(epoch) != begun)
        why = "epoch: not the current one";
    else if ((reply = json_object()) != NULL)
        done = run(client, name, command, reply, &why);
    if (done == TALON_CLIENT_LATER) {
        json_decref(reply);
    } else {
        if (name != NULL && strcmp(name, "barrier") == 0)
            say_lost(client);
        answer(client, json_integer_value(id), begun, done, why, reply);
    }
    json_decref(command);
}

void talon_client_answer(struct talon_client *client, json_int_t id,
                         enum talon_client_done done, const char *why, json_t *members)
{
    if (id < client->reset_id) {
        json_decref(members);
        return;
    }
    say_lost(client); /* the command may be a `barrier`, whose reply follows all events */
    answer(client, id, client->epoch, done, why, members);
}

void talon_client_feed(struct talon_client *client, const char *bytes, size_t len)
{
    while (len > 0) {
        const char *end = (const char *)memchr(bytes, '\n', len);
        size_t n = end != NULL ? (size_t)(end - bytes) : len;

        if (client->in_len + n > TALON_CLIENT_LINE_MAX)
            client->skipping = true;
        if (!client->skipping) {
            memcpy(client->in + client->in_len, bytes, n);
            client->in_len += n;
        }
        if (end != NULL) {
            if (client->skipping)
                answer(client, 0, client->epoch, TALON_CLIENT_FAILED, "the line is too long",
                       NULL);
            else
                talon_client_line(client, client->in, client->in_len);
            client->in_len = 0;
            client->skipping = false;
        }
        n += end != NULL;
        bytes += n;
        len -= n;
    }
}

/* ---- what is carried away ---- */

const char *talon_client_peek(struct talon_client *client, size_t *len)
{
    *len = client->out_end - client->out_start;
    return *len > 0 ? client->out + client->out_start : NULL;
}

void talon_client_written(struct talon_client *client, size_t len)
{
    client->out_start += len;
    if (client->out_start == client->out_end)
        client->out_start = client->out_end = 0;
}

const char *talon_client_next(struct talon_client *client, size_t *len)
{
    size_t all;
    const char *line = talon_client_peek(client, &all), *end;

    if (line == NULL)
        return NULL;
    end = (const char *)memchr(line, '\n', all);
    *len = end != NULL ? (size_t)(end - line) : all;
    talon_client_written(client, *len + (end != NULL));
    return line;
}

bool talon_client_wide(const json_t *object, const char *key, uint64_t *out)
{
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    char *end;

    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *out = (uint64_t)json_integer_value(value);
        return true;
    }
    if (text == NULL || strncmp(text, "0x", 2) != 0)
        return false;
    *out = strtoull(text, &end, 16);
    return *end == 0;
}
