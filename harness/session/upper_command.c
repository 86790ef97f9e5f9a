/* SPDX-License-Identifier: Apache-2.0
 * upper_command.c - writes the tester's lines to the SUT's control channel. */
#include "harness/doc/json_member.h"

#include "codecs/base/error.h"
#include "harness/session/upper_state.h"
#include "harness/session/words/upper_words.h"
#include "harness/wire/protocol.h"
#include "oracles/payload.h"

#include <stdlib.h>
#include <string.h>

enum {
    HASH_MAX = 65535, /* bytes of a payload that a command can make (request_length, 7.3) */
    SHORT_MAX = 1024, /* most payloads are no longer */
};

/* Computes the hash of the payload that this command makes the SUT send. */
static void fill_hash(const struct tl_upper *upper, struct fal_ev_command *command,
                      uint64_t seed)
{
    uint8_t here[SHORT_MAX], *payload = here;

    if (command->length > HASH_MAX)
        return;
    if (command->length > SHORT_MAX)
        payload = malloc(command->length);
    if (payload == NULL)
        return;
    fal_payload_fill(command->tag, seed, payload, command->length);
    command->hash = fal_payload_hash_by(upper->hashes, payload, command->length);
    command->has_hash = true;
    if (payload != here)
        free(payload);
}

static void fill_members(const struct tl_upper *upper, struct fal_ev_command *command,
                         const struct tl_protocol_command *read)
{
    bool push = read->verb == TL_DO_POST && read->op == FAL_OP_PUSH;
    bool data = read->verb == TL_DO_RESPOND && read->answer == FAL_ANSWER_DATA;

    command->rsn = read->rsn;
    command->answer = read->answer;
    command->rnr_ns = read->rnr_ns;
    command->code = read->code;
    command->op = read->op;
    command->tag = read->tag;
    command->length = read->length;
    command->on = read->verb == TL_DO_CC_TRACE
                      ? read->on
                      : read->verb == TL_DO_CC_ENGINE && read->who == TL_CC_TESTER;
    command->has_entry = read->verb == TL_DO_CC_RESULT || read->verb == TL_DO_CC_FEED;
    if (command->has_entry)
        memcpy(command->entry, read->entry, sizeof command->entry);
    if (data && !read->has_tag)
        command->tag = command->rsn; /* the protocol's default */
    if (read->has_length && (push || data))
        fill_hash(upper, command, read->seed);
}

/* The members that the judge reads. A command comes from Talon or from a scenario; the SUT
 * refuses what does not fit its table, so such a command is recorded by its verb alone. */
static void fill_event(const struct tl_upper *upper, struct fal_event *event,
                       const json_t *object, int64_t id, const char *line)
{
    struct fal_ev_command *command = &event->u.command;
    const char *verb = json_string_value(json_object_get(object, "do"));
    const struct tl_upper_asked *asked = &upper->asked[upper->num_asked - 1];
    struct tl_protocol_command read;

    if (asked->words != NULL) {
        tl_upper_word_event(upper, asked, event);
        return;
    }
    fal_event_begin(event, FAL_EV_COMMAND, 0);
    command->id = id;
    command->text = line;
    if (verb != NULL)
        memcpy(command->verb, verb, strnlen(verb, sizeof command->verb - 1));
    if (tl_protocol_command_head(object, &read, NULL) != 0 ||
        tl_protocol_command_read(object, &read, NULL) != 0)
        return;
    fill_members(upper, command, &read);
    tl_protocol_command_free(&read);
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

/* The command with its id and epoch, which waits for its answer; NULL when out of memory. */
static json_t *number(struct tl_upper *upper, const json_t *command)
{
    const char *verb = json_string_value(json_object_get(command, "do"));
    const char *conn = json_string_value(json_object_get(command, "conn"));
    struct tl_upper_asked *asked = new_asked(upper);
    json_t *object = json_pack("{s:I, s:I}", "id", (json_int_t)upper->last_id + 1, "epoch",
                               (json_int_t)upper->epoch);

    if (asked == NULL || object == NULL ||
        json_object_update_missing(object, (json_t *)command) != 0 ||
        !tl_upper_word_asked(upper, asked, command)) {
        json_decref(object);
        return NULL;
    }
    asked->id = ++upper->last_id;
    asked->reset = verb != NULL && strcmp(verb, "reset") == 0;
    if (conn != NULL && asked->words == NULL)
        memcpy(asked->conn_name, conn, strnlen(conn, sizeof asked->conn_name - 1));
    upper->num_asked++;
    return object;
}

char *tl_upper_command(struct tl_upper *upper, const json_t *command, int64_t *id,
                       struct fal_event *event)
{
    json_t *object = number(upper, command);
    char *line = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;

    *id = upper->last_id;
    if (line != NULL && event != NULL)
        fill_event(upper, event, object, *id, line);
    json_decref(object);
    return line;
}

/* The judge reads the text of commands that change parameters or the policy. These are the
 * frequent commands, of which it reads the members of the event alone. */
static bool needs_no_text(const json_t *command)
{
    static const char *const frequent[] = {"post", "respond", "barrier", "counters"};
    const char *verb = json_string_value(json_object_get(command, "do"));

    for (size_t i = 0; verb != NULL && i < sizeof frequent / sizeof *frequent; i++)
        if (strcmp(verb, frequent[i]) == 0)
            return true;
    return tl_upper_is_word(verb);
}

json_t *tl_upper_command_object(struct tl_upper *upper, const json_t *command, int64_t *id,
                                struct fal_event *event)
{
    json_t *object = number(upper, command);

    *id = upper->last_id;
    free(upper->command);
    upper->command = NULL;
    if (object != NULL && event != NULL && !(upper->no_text && needs_no_text(command))) {
        upper->command = json_dumps(object, JSON_COMPACT);
        if (upper->command == NULL) {
            json_decref(object);
            return NULL;
        }
    }
    if (object != NULL && event != NULL)
        fill_event(upper, event, object, *id, upper->command);
    return object;
}

/* What fal_control_holds_ns says of the command's text. */
static uint64_t holds_ns(const struct tl_protocol_command *command)
{
    bool all = false;
    uint64_t least_ns = FAL_NEVER;

    for (size_t i = 0; i < command->num_rules; i++) {
        const struct fal_scripted_rule *rule = &command->rules[i];
        uint64_t ns = rule->answer == FAL_ANSWER_WITHHOLD ? FAL_NEVER : rule->after_ns;

        if ((rule->has_op && rule->op == FAL_OP_PULL) || rule->answer == FAL_ANSWER_DATA)
            continue; /* it decides no push */
        all = all || (rule->request == 0 && rule->every == 0 && !rule->has_rsn);
        ns = rule->times == 0 ? ns : 0; /* then the default answer is given, at once */
        least_ns = ns < least_ns ? ns : least_ns;
    }
    return all ? least_ns : 0;
}

const char *tl_upper_asked_conn(const struct tl_upper *upper)
{
    return upper->num_asked > 0 ? upper->asked[upper->num_asked - 1].conn_name : "";
}

bool tl_upper_takes_orders(const struct tl_upper *upper)
{
    return upper->no_text;
}

bool tl_upper_order(struct tl_upper *upper, struct tl_protocol_command *command,
                    struct fal_event *event)
{
    struct tl_upper_asked *asked = new_asked(upper);
    const char *verb = tl_protocol_verb(command->verb);

    if (asked == NULL)
        return false;
    if (command->word != NULL && !tl_upper_word_ordered(upper, asked, command))
        return false;
    asked->id = ++upper->last_id;
    asked->reset = command->verb == TL_DO_RESET;
    if (command->conn != NULL)
        memcpy(asked->conn_name, command->conn,
               strnlen(command->conn, sizeof asked->conn_name - 1));
    upper->num_asked++;
    command->id = (uint64_t)asked->id;
    command->epoch = (uint64_t)upper->epoch;
    if (event == NULL)
        return true;
    if (asked->words != NULL) {
        tl_upper_word_event(upper, asked, event);
        return true;
    }
    fal_event_begin(event, FAL_EV_COMMAND, 0);
    event->u.command.id = asked->id;
    memcpy(event->u.command.verb, verb, strnlen(verb, sizeof event->u.command.verb - 1));
    fill_members(upper, &event->u.command, command);
    event->u.command.holds_ns = holds_ns(command);
    return true;
}

json_t *tl_upper_open(const struct fal_connection *connection)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    json_t *params = json_object(),
           *peer = fal_shape_write(&tl_protocol_end_shape, &connection->tester);
    json_t *local = fal_shape_write(&tl_protocol_end_shape, &connection->sut), *member;
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

json_t *tl_upper_wishes(const struct tl_end_setup *wishes)
{
    const struct {
        bool given;
        const char *key;
        uint32_t value;
    } rows[] = {
        {wishes->has_cid, "cid", wishes->end.cid},
        {wishes->has_function, "function", wishes->end.function},
        {wishes->has_req_psn, "req_psn", wishes->end.req_psn},
        {wishes->has_data_psn, "data_psn", wishes->end.data_psn},
        {wishes->has_rsn, "rsn", wishes->end.rsn},
    };
    json_t *object = json_object();

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (object != NULL && rows[i].given &&
            json_object_set_new(object, rows[i].key, json_integer(rows[i].value)) != 0) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

struct fal_params tl_upper_params(const struct fal_params *params)
{
    struct fal_params out = *params;
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; i < n; i++)
        if (fal_param_get(&table[i], params) > INT64_MAX)
            /* Only times are that large. */
            FAL_IGNORE(fal_param_set(&table[i], &out, INT64_MAX));
    return out;
}

int tl_upper_opened_line(const struct tl_upper_line *reply, struct fal_connection *connection,
                         struct fal_error *err)
{
    const struct tl_protocol_said *said = reply->said;

    if (said == NULL || !said->opened)
        return tl_upper_opened(reply->object, connection, err);
    memcpy(connection->name, said->reply.conn, sizeof connection->name);
    connection->sut = said->local;
    tl_protocol_said_params(said, &connection->params);
    connection->initial_known = true;
    return 0;
}

int tl_upper_opened(const json_t *reply, struct fal_connection *connection,
                    struct fal_error *err)
{
    struct fal_connection read = *connection;
    struct tl_protocol_opened opened;

    if (tl_protocol_opened_read(reply, &opened, err) != 0 ||
        tl_protocol_params(opened.params, &read.params, err) != 0)
        return FAL_ERR_FORM;
    memcpy(read.name, opened.conn, sizeof read.name);
    read.sut = opened.local;
    read.initial_known = true;
    *connection = read;
    return 0;
}
