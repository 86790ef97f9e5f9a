/* SPDX-License-Identifier: Apache-2.0
 * upper_command.c - what the tester writes to the SUT's control channel. */
#include "harness/doc/json_member.h"

#include "codecs/base/error.h"
#include "harness/session/upper_state.h"
#include "oracles/payload.h"

#include <stdlib.h>
#include <string.h>

enum {
    HASH_MAX = 65535
}; /* bytes of a payload that a command can make (request_length, 7.3) */

/* What the payload that this command makes the SUT send will hash to. */
static void fill_hash(struct fal_ev_command *command, uint64_t seed)
{
    uint8_t *payload;

    if (command->length > HASH_MAX)
        return;
    payload = malloc(HASH_MAX);
    if (payload == NULL)
        return;
    fal_payload_fill(command->tag, seed, payload, command->length);
    command->hash = fal_payload_hash(payload, command->length);
    command->has_hash = true;
    free(payload);
}

/* The members that the judge reads. A command is ours or a scenario's; what does not fit is the
 * SUT's to refuse, so wrong values are only left out here. */
static void fill_event(struct fal_event *event, const json_t *object, int64_t id,
                       const char *line)
{
    struct fal_ev_command *command = &event->u.command;
    const char *verb = "";
    uint64_t seed = 0;
    bool has_length, post, data;

    *event = (struct fal_event){.kind = FAL_EV_COMMAND};
    command->id = id;
    command->text = line;
    /* A value that cannot be read is recorded as 0: the SUT states what it makes of the
     * command.
     */
    FAL_IGNORE(tl_json_string(object, "do", TL_MAY_HAVE, &verb, NULL));
    memcpy(command->verb, verb, strnlen(verb, sizeof command->verb - 1));
    FAL_IGNORE(tl_json_u32(object, "rsn", TL_MAY_HAVE, UINT32_MAX, &command->rsn, NULL));
    FAL_IGNORE(tl_json_answer(object, "answer", TL_MAY_HAVE, &command->answer, NULL));
    FAL_IGNORE(tl_json_u64(object, "rnr_ns", TL_MAY_HAVE, UINT64_MAX, &command->rnr_ns, NULL));
    FAL_IGNORE(tl_json_u32(object, "code", TL_MAY_HAVE, UINT32_MAX, &command->code, NULL));
    FAL_IGNORE(tl_json_op(object, "op", TL_MAY_HAVE, &command->op, NULL));
    FAL_IGNORE(tl_json_wide(object, "seed", TL_MAY_HAVE, &seed, NULL));
    has_length =
        tl_json_u32(object, "length", TL_MAY_HAVE, UINT32_MAX, &command->length, NULL) == 1;
    post = strcmp(verb, "post") == 0 && command->op == FAL_OP_PUSH;
    data = strcmp(verb, "respond") == 0 && command->answer == FAL_ANSWER_DATA;
    if (tl_json_wide(object, "tag", TL_MAY_HAVE, &command->tag, NULL) != 1 && data)
        command->tag = command->rsn; /* the protocol's default */
    if (has_length && (post || data))
        fill_hash(command, seed);
}

static struct tl_upper_asked *new_asked(struct tl_upper *upper)
{
    if (upper->num_asked == upper->cap_asked) {
        size_t cap = upper->cap_asked == 0 ? 16 : upper->cap_asked * 2;
        struct tl_upper_asked *asked = realloc(upper->asked, cap * sizeof *asked);

        if (asked == NULL)
            return NULL;
        upper->asked = asked;
        upper->cap_asked = cap;
    }
    upper->asked[upper->num_asked] = (struct tl_upper_asked){0};
    return &upper->asked[upper->num_asked];
}

char *tl_upper_command(struct tl_upper *upper, const json_t *command, int64_t *id,
                       struct fal_event *event)
{
    const char *verb = json_string_value(json_object_get(command, "do"));
    const char *conn = json_string_value(json_object_get(command, "conn"));
    struct tl_upper_asked *asked = new_asked(upper);
    json_t *object = json_pack("{s:I, s:I}", "id", (json_int_t)upper->last_id + 1, "epoch",
                               (json_int_t)upper->epoch);
    char *line = NULL;

    if (asked == NULL || object == NULL ||
        json_object_update_missing(object, (json_t *)command) != 0)
        goto end;
    line = json_dumps(object, JSON_COMPACT);
    if (line == NULL)
        goto end;
    *id = ++upper->last_id;
    asked->id = *id;
    asked->reset = verb != NULL && strcmp(verb, "reset") == 0;
    if (conn != NULL)
        memcpy(asked->conn_name, conn, strnlen(conn, sizeof asked->conn_name - 1));
    upper->num_asked++;
    if (event != NULL)
        fill_event(event, object, *id, line);
end:
    json_decref(object);
    return line;
}

json_t *tl_upper_open(const struct fal_connection *connection)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    json_t *params = json_object(), *peer = tl_json_from_end(&connection->tester);
    json_t *local = tl_json_from_end(&connection->sut), *member;
    const char *key;
    void *next;

    if (params == NULL || peer == NULL || local == NULL)
        goto fail;
    for (size_t i = 0; i < n; i++)
        if (json_object_set_new(params, table[i].key,
                                tl_json_from_param(&table[i], &connection->params)) != 0)
            goto fail;
    json_object_foreach_safe(local, next, key, member)
    {
        bool wished = connection->initial_known && strcmp(key, "cid") != 0;

        if (!wished && json_integer_value(member) == 0)
            (void)json_object_del(local, key);
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "do", "open", "encap", "udp", "peer", peer,
                     "local", local, "params", params);

fail:
    json_decref(params);
    json_decref(peer);
    json_decref(local);
    return NULL;
}

int tl_upper_opened(const json_t *reply, struct fal_connection *connection,
                    struct fal_error *err)
{
    const json_t *given = json_object_get(reply, "params");
    struct fal_connection read = *connection;
    struct fal_error why;
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    const char *name;

    if (tl_json_string(reply, "conn", TL_MUST_HAVE, &name, err) < 0)
        return FAL_ERR_FORM;
    if (name[0] == 0 || strlen(name) >= sizeof read.name)
        return fal_fail(err, FAL_ERR_FORM, "conn: a handle has 1 to %zu bytes",
                        sizeof read.name - 1);
    memcpy(read.name, name, strlen(name) + 1);
    if (tl_json_end(json_object_get(reply, "local"), TL_MUST_HAVE, &read.sut, &why) != 0)
        return fal_fail(err, FAL_ERR_FORM, "local: %s", why.text);
    if (given != NULL && !json_is_object(given) && !json_is_null(given))
        return fal_fail(err, FAL_ERR_FORM, "params: expected an object");
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_object_get(given, table[i].key);

        if (value != NULL && tl_json_param(value, &table[i], &read.params, err) != 0)
            return FAL_ERR_FORM;
    }
    read.initial_known = true;
    *connection = read;
    return 0;
}
