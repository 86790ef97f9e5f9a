/* SPDX-License-Identifier: Apache-2.0
 * check_ulp_line.c - lines of the SUT control protocol, as events of a timeline. */
#include "harness/check/check_ulp.h"

#include <inttypes.h>
#include <string.h>

static int set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0 ? 0 : FAL_ERR_MEM;
}

/* An event of the protocol: its name becomes the kind. */
static int from_event(json_t *object, const char *name)
{
    const json_t *error = json_object_get(object, "err_ns");

    if (strcmp(name, "cm_error") == 0)
        return set(object, "event", json_string("cm"));
    if (strcmp(name, "dropped") == 0)
        return set(object, "what", json_string("dropped")) != 0
                   ? FAL_ERR_MEM
                   : set(object, "event", json_string("cm"));
    if (set(object, "kind", json_string(name)) != 0 ||
        (error != NULL && json_object_set(object, "stamp_error_ns", (json_t *)error) != 0))
        return FAL_ERR_MEM;
    if (error == NULL) /* a stamp without its error counts as none */
        (void)json_object_del(object, "stamp_ns");
    return set(object, "event", json_string("ulp"));
}

/* ---- the words of RDMA verbs and of NVMe ---- */

static const struct tl_ulp_word no_word = {.kind = -1};

static struct tl_ulp_word word_of(const char *name)
{
    enum fal_verbs_kind verbs = fal_verbs_kind_of(name);
    enum fal_nvme_word_kind nvme = fal_nvme_word_of(name);

    if (verbs < FAL_VERBS_KINDS)
        return (struct tl_ulp_word){false, (int)verbs};
    return nvme < FAL_NVME_KINDS ? (struct tl_ulp_word){true, (int)nvme} : no_word;
}

static bool is_event(struct tl_ulp_word word)
{
    return word.kind >= (word.nvme ? (int)FAL_NVME_COMMANDS : (int)FAL_VERBS_COMMANDS);
}

/* Makes the line an event `verbs` or `nvme` of a timeline; its own members become the body. */
static int from_word(json_t *object, const char *phase, struct tl_ulp_word word)
{
    json_t *body = json_copy(object);
    const char *name = word.nvme ? fal_nvme_word_names[word.kind] : fal_verbs_names[word.kind];

    if (body == NULL || set(object, "event", json_string(word.nvme ? "nvme" : "verbs")) != 0 ||
        set(object, "phase", json_string(phase)) != 0 ||
        set(object, "word", json_string(name)) != 0) {
        json_decref(body);
        return FAL_ERR_MEM;
    }
    if (json_is_integer(json_object_get(body, "conn"))) /* the connection is that of the line */
        (void)json_object_del(body, "conn");
    return set(object, "body", body);
}

static void note_command(struct tl_ulp_words *words, int64_t id, struct tl_ulp_word word)
{
    if (words->num == TL_ULP_ASKED_MAX)
        memmove(words->asked, words->asked + 1, --words->num * sizeof *words->asked);
    words->asked[words->num].id = id;
    words->asked[words->num++].word = word;
}

/* The word whose reply has that id. */
static struct tl_ulp_word take_answer(struct tl_ulp_words *words, int64_t id)
{
    for (size_t i = words->num; i-- > 0;) {
        struct tl_ulp_word word = words->asked[i].word;

        if (words->asked[i].id != id)
            continue;
        memmove(words->asked + i, words->asked + i + 1,
                (--words->num - i) * sizeof *words->asked);
        return word;
    }
    return no_word;
}

/* 1: the line was a word of an upper layer; 0: it is another one; FAL_ERR_FORM, FAL_ERR_MEM. */
static int translate_word(struct tl_ulp_words *words, json_t *object, struct fal_error *err)
{
    const char *event = json_string_value(json_object_get(object, "event"));
    const char *verb = json_string_value(json_object_get(object, "do"));
    const json_t *id = json_object_get(object, "id");
    const char *phase = event != NULL ? "told" : verb != NULL ? "asked" : "answered";
    struct tl_ulp_word word = no_word;

    if (event != NULL || verb != NULL)
        word = word_of(event != NULL ? event : verb);
    else if (json_is_integer(id))
        word = take_answer(words, json_integer_value(id));
    if (word.kind < 0 || (event != NULL) != is_event(word))
        return 0;
    if (verb != NULL && event == NULL) {
        if (!json_is_integer(id))
            return fal_fail(err, FAL_ERR_FORM, "%s: id: expected a number, that of its reply",
                            verb);
        note_command(words, json_integer_value(id), word);
    }
    return from_word(object, phase, word) == 0 ? 1
                                               : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

/* ---- any line ---- */

static int translate(json_t *object, const char *line, size_t len)
{
    static const char *const events[] = {"request", "ulp_ack", "completion", "cm_error",
                                         "dropped"};
    const char *name = json_string_value(json_object_get(object, "event"));
    json_t *text = json_stringn(line, len);

    if (text == NULL)
        return FAL_ERR_MEM;
    for (size_t i = 0; name != NULL && i < sizeof events / sizeof *events; i++) {
        if (strcmp(name, events[i]) == 0) {
            json_decref(text);
            return from_event(object, events[i]);
        }
    }
    if (name != NULL) {
        json_decref(text);
        return 0;
    }
    if (json_object_set_new(object, "text", text) != 0)
        return FAL_ERR_MEM;
    if (json_object_get(object, "do") != NULL)
        return set(object, "event", json_string("command"));
    if (json_object_get(object, "id") != NULL)
        return set(object, "event", json_string("reply"));
    return 0;
}

int tl_check_ulp_translate(struct tl_ulp_words *words, json_t *object, const char *line,
                           size_t len, struct fal_error *err)
{
    int word = translate_word(words, object, err);

    if (word != 0)
        return word < 0 ? word : 0;
    return translate(object, line, len) == 0 ? 0 : fal_fail(err, FAL_ERR_MEM, "out of memory");
}
