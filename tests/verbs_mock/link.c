/* SPDX-License-Identifier: Apache-2.0
 * link.c - the built-in SUT behind the device: commands and words in; frames, completions and
 * events out. */
#include "tests/verbs_mock/mock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool mock_begin(struct mock *mock, uint64_t seed)
{
    struct tl_sut_config config = {.seed = seed};
    const char *text = getenv("VERBS_MOCK");
    struct tl_builtin builtin = {.limits = {.without = 0}};
    struct fal_error err;

    if (text != NULL && tl_builtin_read(&builtin, text, &err) != 0) {
        (void)fprintf(stderr, "VERBS_MOCK=%s: %s\n", text, err.text);
        return false;
    }
    if (text != NULL) {
        config.faults = builtin.faults;
        config.twins = builtin.twins;
    }
    mock->sut = tl_sut_new(&config);
    mock->epoch = 1;
    return mock->sut != NULL;
}

static void take_frame(struct mock *mock, const struct tl_sut_out *out)
{
    if (mock->frames_to == NULL)
        mock->frames_to = open_memstream(&mock->frames, &mock->frames_size);
    if (mock->frames_to == NULL)
        abort();
    fputs("{\"frame\":\"", mock->frames_to);
    for (size_t i = 0; i < out->len; i++)
        fprintf(mock->frames_to, "%02x", out->bytes[i]);
    fputs("\"}\n", mock->frames_to);
}

static void take_line(struct mock *mock, const struct tl_sut_out *out)
{
    json_t *object = json_loadb((const char *)out->bytes, out->len, 0, NULL);
    const char *name = json_string_value(json_object_get(object, "event"));
    enum fal_verbs_kind kind = name != NULL ? fal_verbs_kind_of(name) : FAL_VERBS_KINDS;
    struct fal_verbs event;

    if (name == NULL) {
        json_decref(mock->reply);
        mock->reply = object;
        return;
    }
    if (kind != FAL_VERBS_KINDS && fal_verbs_read(kind, false, object, &event, NULL) == 0)
        mock_told(mock, &event);
    json_decref(object);
}

void mock_collect(struct mock *mock)
{
    struct tl_sut_out out;

    while (tl_sut_next(mock->sut, &out)) {
        if (out.kind == TL_SUT_LINE)
            take_line(mock, &out);
        else
            take_frame(mock, &out);
    }
}

int mock_ask(struct mock *mock, json_t *command)
{
    const char *error, *why;

    (void)json_object_set_new(command, "id", json_integer(++mock->id));
    (void)json_object_set_new(command, "epoch", json_integer(mock->epoch));
    json_decref(mock->reply);
    mock->reply = NULL;
    tl_sut_object(mock->sut, command, mock->now_ns);
    json_decref(command);
    mock_collect(mock);
    mock->news = true;
    if (json_is_true(json_object_get(mock->reply, "ok")))
        return 0;
    error = json_string_value(json_object_get(mock->reply, "error"));
    why = json_string_value(json_object_get(mock->reply, "why"));
    (void)snprintf(mock->why, sizeof mock->why, "%s", why != NULL ? why : "no reason given");
    if (error != NULL && strcmp(error, "busy") == 0)
        return ENOMEM;
    return error != NULL && strcmp(error, "unsupported") == 0 ? EOPNOTSUPP : EINVAL;
}

int mock_word(struct mock *mock, const struct fal_verbs *ask, struct fal_verbs *answer)
{
    json_t *command = fal_verbs_write(ask, false);
    int error;

    (void)json_object_set_new(command, "do", json_string(fal_verbs_names[ask->kind]));
    error = mock_ask(mock, command);
    if (error == 0 && answer != NULL &&
        fal_verbs_read(ask->kind, true, mock->reply, answer, NULL) != 0)
        return EINVAL;
    return error;
}

void mock_made(struct mock *mock)
{
    mock->alive++;
}

/* The engine has no words to end a queue pair: a reset ends all. */
void mock_ended(struct mock *mock)
{
    if (--mock->alive > 0 || mock->sut == NULL)
        return;
    while (mock->mrs != NULL) {
        struct mock_mr *next = mock->mrs->next;

        free(mock->mrs);
        mock->mrs = next;
    }
    mock->num_async = 0;
    if (mock_ask(mock, json_pack("{s:s, s:s}", "do", "reset", "scope", "device")) == 0)
        mock->epoch = json_integer_value(json_object_get(mock->reply, "new_epoch"));
}
