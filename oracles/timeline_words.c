/* SPDX-License-Identifier: Apache-2.0
 * timeline_words.c - the values of events that are words of an upper layer: of RDMA verbs and
 * of NVMe. The word is kept behind a pointer; fal_event_from_json reads it into its storage. */
#include "oracles/timeline_names.h"

#include <string.h>

/* A refused command has no body. */
static bool has_body(enum fal_verbs_phase at, bool ok)
{
    return at != FAL_VERBS_ANSWERED || ok;
}

static int check_body(const json_t *value, void *out, struct fal_misfit *wrong)
{
    (void)out;
    return json_is_object(value) ? 0 : fal_misfit_say(wrong, "expected an object");
}

/* ---- RDMA verbs ---- */

static int check_verbs_word(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *name = json_string_value(value);

    (void)out;
    if (name != NULL && fal_verbs_kind_of(name) != FAL_VERBS_KINDS)
        return 0;
    return fal_misfit_say(wrong, "expected a word of the verbs, such as post_send");
}

static int write_verbs_word(const void *in, json_t **out)
{
    const struct fal_verbs *verbs;

    memcpy(&verbs, in, sizeof verbs);
    *out = json_string(fal_verbs_names[verbs->kind]);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static int write_verbs_body(const void *in, json_t **out)
{
    const struct fal_ev_verbs *event =
        (const void *)((const char *)in - offsetof(struct fal_ev_verbs, verbs));

    *out = NULL;
    if (!has_body(event->phase, event->ok))
        return 0;
    *out = fal_verbs_write(event->verbs, event->phase == FAL_VERBS_ANSWERED);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

const struct fal_shape fal_verbs_word_shape = {.kind = FAL_SHAPE_WORD,
                                               .words = fal_verbs_names,
                                               .num_words = FAL_VERBS_KINDS,
                                               .read = check_verbs_word,
                                               .write = write_verbs_word};
const struct fal_shape fal_verbs_body_shape = {.kind = FAL_SHAPE_MAP,
                                               FAL_OF(&fal_shape_any),
                                               .read = check_body,
                                               .write = write_verbs_body};

/* ---- NVMe ---- */

static int check_nvme_word(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *name = json_string_value(value);

    (void)out;
    if (name != NULL && fal_nvme_word_of(name) != FAL_NVME_KINDS)
        return 0;
    return fal_misfit_say(wrong, "expected a word of NVMe, such as nvme_post");
}

static int write_nvme_word(const void *in, json_t **out)
{
    const struct fal_nvme_word *word;

    memcpy(&word, in, sizeof word);
    *out = json_string(fal_nvme_word_names[word->kind]);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static int write_nvme_body(const void *in, json_t **out)
{
    const struct fal_ev_nvme *event =
        (const void *)((const char *)in - offsetof(struct fal_ev_nvme, word));

    *out = NULL;
    if (!has_body(event->phase, event->ok))
        return 0;
    *out = fal_nvme_word_write(event->word, event->phase == FAL_VERBS_ANSWERED);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

const struct fal_shape fal_nvme_word_shape = {.kind = FAL_SHAPE_WORD,
                                              .words = fal_nvme_word_names,
                                              .num_words = FAL_NVME_KINDS,
                                              .read = check_nvme_word,
                                              .write = write_nvme_word};
const struct fal_shape fal_nvme_body_shape = {.kind = FAL_SHAPE_MAP,
                                              FAL_OF(&fal_shape_any),
                                              .read = check_body,
                                              .write = write_nvme_body};
