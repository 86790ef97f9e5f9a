/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/words.h"

#include <string.h>

static const struct tl_words rows[TL_UPPERS] = {
    [TL_UPPER_VERBS] = {.name = "verbs",
                        .layer = "RDMA verbs",
                        .letter = 'v',
                        .upper = TL_UPPER_VERBS,
                        .event = FAL_EV_VERBS,
                        .first = TL_DO_PD_CREATE,
                        .names = fal_verbs_names,
                        .shapes = fal_verbs_shapes,
                        .replies = fal_verbs_replies,
                        .commands = FAL_VERBS_COMMANDS,
                        .kinds = FAL_VERBS_KINDS},
    [TL_UPPER_NVME] = {.name = "nvme",
                       .layer = "NVMe",
                       .letter = 'n',
                       .upper = TL_UPPER_NVME,
                       .event = FAL_EV_NVME,
                       .first = TL_DO_NVME_NS,
                       .names = fal_nvme_word_names,
                       .shapes = fal_nvme_word_shapes,
                       .replies = fal_nvme_word_replies,
                       .commands = FAL_NVME_COMMANDS,
                       .kinds = FAL_NVME_KINDS},
};

const struct tl_words *tl_words_of(enum tl_upper_layer upper)
{
    return rows[upper].name != NULL ? &rows[upper] : NULL;
}

const struct tl_words *tl_words_with(enum tl_do verb)
{
    for (size_t i = 0; i < TL_UPPERS; i++)
        if (rows[i].name != NULL && verb >= rows[i].first &&
            (unsigned)(verb - rows[i].first) < rows[i].commands)
            return &rows[i];
    return NULL;
}

const struct tl_words *tl_words_told_as(enum fal_event_kind event)
{
    for (size_t i = 0; i < TL_UPPERS; i++)
        if (rows[i].name != NULL && rows[i].event == event)
            return &rows[i];
    return NULL;
}

unsigned tl_words_find(const struct tl_words *words, const char *name)
{
    unsigned kind = 0;

    while (kind < words->kinds && strcmp(words->names[kind], name) != 0)
        kind++;
    return kind;
}

unsigned tl_word_kind(const union tl_word *word)
{
    return word->verbs.kind;
}

void tl_word_begin(unsigned kind, union tl_word *word)
{
    word->verbs.kind = (enum fal_verbs_kind)kind;
}

int tl_word_read(const struct tl_words *words, unsigned kind, bool reply, const json_t *object,
                 union tl_word *out, struct fal_error *err)
{
    return words->upper == TL_UPPER_NVME
               ? fal_nvme_word_read((enum fal_nvme_word_kind)kind, reply, object, &out->nvme,
                                    err)
               : fal_verbs_read((enum fal_verbs_kind)kind, reply, object, &out->verbs, err);
}

json_t *tl_word_write(const struct tl_words *words, const union tl_word *word, bool reply)
{
    return words->upper == TL_UPPER_NVME ? fal_nvme_word_write(&word->nvme, reply)
                                         : fal_verbs_write(&word->verbs, reply);
}

void tl_word_of_event(const struct fal_event *event, union tl_word *out)
{
    if (event->kind == FAL_EV_NVME)
        out->nvme = *event->u.nvme.word;
    else
        out->verbs = *event->u.verbs.verbs;
}

void tl_word_to_event(const struct tl_words *words, const union tl_word *word,
                      enum fal_verbs_phase phase, struct fal_event *event)
{
    event->kind = words->event;
    if (words->upper == TL_UPPER_NVME)
        event->u.nvme = (struct fal_ev_nvme){.phase = phase, .word = &word->nvme};
    else
        event->u.verbs = (struct fal_ev_verbs){.phase = phase, .verbs = &word->verbs};
}

char *tl_word_conn(const struct tl_words *words, union tl_word *word)
{
    const struct fal_shape *shape = &words->shapes[tl_word_kind(word)];

    for (size_t i = 0; i < shape->num_members; i++)
        if (strcmp(shape->members[i].key, "conn") == 0)
            return (char *)word + shape->members[i].at;
    return NULL;
}
