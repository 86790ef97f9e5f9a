/* SPDX-License-Identifier: Apache-2.0
 * adapter_words.c - checks that the words of all upper layers have in common: what hello says
 * of them, replies, and events. */
#include "harness/site/adapter_check_impl.h"
#include "harness/wire/protocol_levels.h"

#include <stdio.h>
#include <string.h>

static bool lists(const json_t *list, const char *word)
{
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        if (json_is_string(item) && strcmp(json_string_value(item), word) == 0)
            return true;
    }
    return false;
}

static const char *open_member(enum tl_upper_layer upper)
{
    static const char *const members[TL_UPPERS] = {[TL_UPPER_RAW] = "",
                                                   [TL_UPPER_VERBS] = ", \"upper\": \"verbs\"",
                                                   [TL_UPPER_NVME] = ", \"upper\": \"nvme\""};

    return members[upper];
}

bool tl_check_words_hello(struct tl_checker *c, const json_t *reply)
{
    const json_t *upper = json_object_get(reply, "upper");

    if (upper != NULL && !json_is_null(upper) && json_array_size(upper) == 0)
        return tl_adapter_wrong(c, "upper: expected a list, such as [\"raw\", \"verbs\"]");
    c->upper = "";
    for (int i = TL_UPPER_RAW + 1; i < TL_UPPERS; i++) {
        const struct tl_words *words = tl_words_of((enum tl_upper_layer)i);
        bool has = lists(upper, words->name);
        unsigned level =
            tl_protocol_word_levels(words->upper, json_object_get(reply, "levels"));

        c->word_levels[i] = level;
        if (has && !lists(upper, "raw") && c->upper[0] == 0)
            c->upper = open_member(words->upper);
        if (has && level == 0)
            return tl_adapter_wrong(c, "levels: expected L2%c too, because \"upper\" has %s",
                                    words->letter, words->name);
        if (!has && level > 0)
            return tl_adapter_wrong(c,
                                    "upper: expected [\"raw\", \"%s\"], because \"levels\" has "
                                    "L2%c",
                                    words->name, words->letter);
    }
    return true;
}

bool tl_check_word_event(struct tl_checker *c, const char *name, const json_t *event)
{
    for (int i = TL_UPPER_RAW + 1; i < TL_UPPERS; i++) {
        const struct tl_words *words = tl_words_of((enum tl_upper_layer)i);
        unsigned kind = tl_words_find(words, name);
        struct fal_error err = {""};
        union tl_word word;

        if (kind >= words->commands && kind < words->kinds &&
            tl_word_read(words, kind, false, event, &word, &err) != 0)
            return tl_adapter_wrong(c, "event %.190s", err.text);
    }
    return true;
}

bool tl_check_no_words(struct tl_checker *c, enum tl_upper_layer upper)
{
    const struct tl_words *words = tl_words_of(upper);

    for (unsigned i = 0; i < words->commands; i++)
        if (!SAYS(c, "unsupported", "\"%s\"", words->names[i]))
            return false;
    (void)snprintf(c->why, sizeof c->why,
                   "it has none of them, and refuses them (docs/sut-protocol.md, %s)",
                   words->layer);
    return true;
}

bool tl_check_word(struct tl_checker *c, const struct tl_words *words, unsigned kind,
                   union tl_word *answer, const char *outcome, const char *members)
{
    char why[TL_CHECK_WHY / 2];
    struct fal_error err = {""};
    json_t *reply = tl_adapter_ask(c, outcome, "\"%s\"%s%s", words->names[kind],
                                   members[0] != 0 ? ", " : "", members);
    bool good;

    if (reply == NULL) {
        (void)snprintf(why, sizeof why, "%.90s", c->why);
        return tl_adapter_wrong(c, "`%s`: %s", words->names[kind], why);
    }
    good = !json_is_true(json_object_get(reply, "ok")) ||
           tl_word_read(words, kind, true, reply, answer, &err) == 0;
    json_decref(reply);
    return good || tl_adapter_wrong(c, "the reply to %.180s", err.text);
}

bool tl_check_upper_open(struct tl_checker *c, enum tl_upper_layer upper, const char *params,
                         char conn[TL_CHECK_CONN])
{
    json_t *reply = tl_adapter_ask(
        c, "ok",
        "\"open\", \"encap\": \"udp\"%s, \"peer\": {\"cid\": 81, \"function\": 3, "
        "\"req_psn\": 4, \"data_psn\": 5, \"rsn\": 6}, \"peer_address\": \"127.0.0.1:9\", "
        "\"params\": {%s}",
        open_member(upper), params);
    const char *name = json_string_value(json_object_get(reply, "conn"));

    (void)snprintf(conn, TL_CHECK_CONN, "%s", name != NULL ? name : "");
    json_decref(reply);
    return reply != NULL;
}

bool tl_check_upper_close(struct tl_checker *c, const char *conn)
{
    return SAYS(c, "ok", "\"close\", \"conn\": \"%s\"", conn) && tl_adapter_alive(c);
}
