/* SPDX-License-Identifier: Apache-2.0
 * protocol_words.c - what the words of all upper layers have in common in the control protocol:
 * the name of the layer, events, and levels. */
#include "harness/wire/protocol_impl.h"
#include "harness/wire/protocol_levels.h"
#include "harness/wire/words.h"

#include <string.h>

/* ---- the upper layer of a connection ---- */

static const char *const upper_words[TL_UPPERS] = {"raw", "verbs", "nvme"};

/* One that this version does not know is TL_UPPERS: the SUT answers `unsupported`. */
static int read_upper(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *word = json_string_value(value);
    enum tl_upper_layer upper = TL_UPPER_RAW;

    if (word == NULL)
        return fal_misfit_say(wrong, "expected a text");
    while (upper < TL_UPPERS && strcmp(upper_words[upper], word) != 0)
        upper++;
    if (out != NULL)
        memcpy(out, &upper, sizeof upper);
    return 0;
}

const struct fal_shape tl_proto_upper = {
    .kind = FAL_SHAPE_WORD, FAL_WORDS(upper_words), .read = read_upper};

const char *tl_protocol_upper(enum tl_upper_layer upper)
{
    return upper_words[upper];
}

/* ---- lines ---- */

const struct fal_shape *tl_proto_word(enum tl_upper_layer upper, unsigned kind)
{
    return upper == TL_UPPER_NVME ? &tl_proto_nvme[kind] : &tl_proto_verbs[kind];
}

int tl_proto_word_event_read(const char *name, const json_t *object,
                             struct tl_protocol_event *out, struct fal_misfit *wrong)
{
    for (int i = TL_UPPER_RAW + 1; i < TL_UPPERS; i++) {
        const struct tl_words *words = tl_words_of((enum tl_upper_layer)i);
        unsigned kind = tl_words_find(words, name);

        if (kind < words->commands || kind == words->kinds)
            continue;
        out->kind = words->event;
        out->word = kind;
        return fal_shape_read(tl_proto_word(words->upper, kind), object, out, false, wrong);
    }
    return FAL_ERR_TYPE;
}

json_t *tl_proto_word_event_write(const struct tl_protocol_event *event)
{
    const struct tl_words *words = tl_words_told_as(event->kind);
    json_t *line = fal_shape_write(tl_proto_word(words->upper, event->word), event);
    json_t *members = tl_word_write(words, event->members, false);

    if (line != NULL && members != NULL && json_object_update(line, members) == 0) {
        json_decref(members);
        return line;
    }
    json_decref(members);
    json_decref(line);
    return NULL;
}

/* ---- levels ---- */

unsigned tl_protocol_word_level(enum tl_do verb)
{
    if (verb == TL_DO_MR_FILL || verb == TL_DO_MR_HASH || verb == TL_DO_MR_WORD ||
        verb >= TL_DO_DEV_FORMAT) /* devices behind a target */
        return 3;
    return tl_protocol_is_word(verb) ? 2 : 0;
}

unsigned tl_protocol_word_levels(enum tl_upper_layer upper, const json_t *list)
{
    char letter = tl_words_of(upper)->letter;
    unsigned most = 0;
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        const char *text = json_string_value(item);

        if (text == NULL || strlen(text) != 3 || text[0] != 'L' || text[2] != letter)
            continue;
        if ((text[1] == '2' || text[1] == '3') && (unsigned)(text[1] - '0') > most)
            most = (unsigned)(text[1] - '0');
    }
    return most;
}
