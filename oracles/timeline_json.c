/* SPDX-License-Identifier: Apache-2.0
 * timeline_json.c - an event as one line of JSON, and back, by the tables of timeline_table.c.
 * The file may come from anywhere: every member is checked for kind and range. Members that are
 * absent have their initial value. */
#include "oracles/timeline_names.h"

#include "codecs/base/hex.h"

#include <stdlib.h>
#include <string.h>

json_t *fal_event_to_json(const struct fal_event *event)
{
    return fal_shape_write(&fal_event_shapes[event->kind], event);
}

int fal_event_print(const struct fal_event *event, struct fal_shape_text *out)
{
    return fal_shape_print(&fal_event_shapes[event->kind], event, out);
}

static int read_bytes(const json_t *object, struct fal_ev_packet *packet,
                      struct fal_event_storage *storage, struct fal_error *err)
{
    const json_t *value = json_object_get(object, "bytes");
    size_t len = json_string_length(value) / 2;
    int got;

    if (len > UINT32_MAX / 4)
        return fal_fail(err, FAL_ERR_FORM, "packet: bytes: expected fewer digits");
    if (len + 1 > storage->cap) {
        uint8_t *bytes = realloc(storage->bytes, len + 1);

        if (bytes == NULL)
            return fal_fail(err, FAL_ERR_MEM, "out of memory");
        storage->bytes = bytes;
        storage->cap = len + 1;
    }
    got = fal_hex_read(json_string_value(value), storage->bytes, storage->cap);
    if (got < 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "packet: bytes: expected an even number of hex digits");
    packet->bytes = storage->bytes;
    packet->len = (uint32_t)got;
    fal_event_packet(packet);
    return 0;
}

/* ---- words of an upper layer, which are kept behind a pointer ---- */

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

static int read_verbs(const json_t *object, struct fal_ev_verbs *event,
                      struct fal_event_storage *storage, struct fal_error *err)
{
    enum fal_verbs_kind kind =
        fal_verbs_kind_of(json_string_value(json_object_get(object, "word")));
    const json_t *body = json_object_get(object, "body");
    bool command = kind < FAL_VERBS_COMMANDS;

    if (storage->verbs == NULL)
        storage->verbs = malloc(sizeof *storage->verbs);
    if (storage->verbs == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    *storage->verbs = (struct fal_verbs){.kind = kind};
    event->verbs = storage->verbs;
    if (command == (event->phase == FAL_VERBS_TOLD))
        return fal_fail(err, FAL_ERR_FORM, "verbs: word: expected %s, not %s",
                        command ? "an event" : "a command", fal_verbs_names[kind]);
    if (event->phase == FAL_VERBS_ANSWERED && !event->ok)
        return 0;
    if (body == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%s: body: missing", fal_verbs_names[kind]);
    return fal_verbs_read(kind, event->phase == FAL_VERBS_ANSWERED, body, storage->verbs, err);
}

static int read_nvme(const json_t *object, struct fal_ev_nvme *event,
                     struct fal_event_storage *storage, struct fal_error *err)
{
    enum fal_nvme_word_kind kind =
        fal_nvme_word_of(json_string_value(json_object_get(object, "word")));
    const json_t *body = json_object_get(object, "body");
    bool command = kind < FAL_NVME_COMMANDS;

    if (storage->nvme == NULL)
        storage->nvme = malloc(sizeof *storage->nvme);
    if (storage->nvme == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    *storage->nvme = (struct fal_nvme_word){.kind = kind};
    event->word = storage->nvme;
    if (command == (event->phase == FAL_VERBS_TOLD))
        return fal_fail(err, FAL_ERR_FORM, "nvme: word: expected %s, not %s",
                        command ? "an event" : "a command", fal_nvme_word_names[kind]);
    if (event->phase == FAL_VERBS_ANSWERED && !event->ok)
        return 0;
    if (body == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%s: body: missing", fal_nvme_word_names[kind]);
    return fal_nvme_word_read(kind, event->phase == FAL_VERBS_ANSWERED, body, storage->nvme,
                              err);
}

bool fal_cc_from_line(const char *text, struct fal_ev_cc *out)
{
    json_t *line = json_loads(text, 0, NULL);
    const char *hex = json_string_value(json_object_get(line, "entry"));
    const char *kind = json_string_value(json_object_get(line, "kind"));
    json_int_t now = json_integer_value(json_object_get(line, "now_ticks"));
    bool good = hex != NULL && kind != NULL && now >= 0 && now <= FAL_CC_TIME_MAX;

    *out = (struct fal_ev_cc){0};
    if (good) {
        out->queue = strcmp(kind, "result") == 0 ? FAL_CC_QUEUE_RESULT : FAL_CC_QUEUE_EVENT;
        out->now_ticks = (uint32_t)now;
        good = fal_hex_read(hex, out->entry, sizeof out->entry) == FAL_CC_ENTRY_LEN;
    }
    json_decref(line);
    return good;
}

/* Where an event of this kind has its text; NULL: it has none. */
static const char **text_of(struct fal_event *event)
{
    switch (event->kind) {
    case FAL_EV_COMMAND: return &event->u.command.text;
    case FAL_EV_REPLY: return &event->u.reply.text;
    case FAL_EV_ULP: return &event->u.ulp.text;
    case FAL_EV_CM: return &event->u.cm.text;
    case FAL_EV_STEP:
    case FAL_EV_NOTE:
    case FAL_EV_INTERNAL: return &event->u.text.text;
    case FAL_EV_BENCH: return &event->u.bench.text;
    case FAL_EV_RUN:
    case FAL_EV_CONNECTION:
    case FAL_EV_PACKET:
    case FAL_EV_MARK:
    case FAL_EV_TIMING:
    case FAL_EV_CC:
    case FAL_EV_VERBS:
    case FAL_EV_NVME:
    case FAL_EV_CLOSE:
    case FAL_EV_END: break;
    }
    return NULL;
}

/* The text outlives the JSON object. */
static int keep_text(struct fal_event *event, struct fal_event_storage *storage,
                     struct fal_error *err)
{
    const char **text = text_of(event);
    struct fal_ev_bench bench;
    struct fal_ev_cc cc;

    if (text == NULL || *text == NULL)
        return 0;
    free(storage->text);
    storage->text = strdup(*text);
    if (storage->text == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    *text = storage->text;
    if (event->kind == FAL_EV_INTERNAL && fal_bench_from_sentence(storage->text, &bench)) {
        event->kind = FAL_EV_BENCH;
        event->u.bench = bench;
    }
    if (event->kind == FAL_EV_CM && strcmp(event->u.cm.what, "cc") == 0 &&
        fal_cc_from_line(storage->text, &cc)) {
        cc.seq = event->u.cm.seq;
        event->kind = FAL_EV_CC;
        event->u.cc = cc;
    }
    return 0;
}

int fal_event_from_json(const json_t *object, struct fal_event *out,
                        struct fal_event_storage *storage, struct fal_error *err)
{
    struct fal_misfit wrong;
    int rc;

    *out = (struct fal_event){0};
    rc = fal_shape_read(&fal_event_kind_shape, object, out, false, &wrong);
    if (rc != 0)
        return fal_misfit_error(&wrong, rc, wrong.depth == 0 ? "event" : "", err);
    if (out->kind == FAL_EV_CONNECTION)
        fal_params_default(&out->u.connection.params, false);
    rc = fal_shape_read(&fal_event_shapes[out->kind], object, out, false, &wrong);
    if (rc != 0)
        return fal_misfit_error(&wrong, rc, fal_event_names[out->kind], err);
    if (out->kind == FAL_EV_PACKET)
        return read_bytes(object, &out->u.packet, storage, err);
    if (out->kind == FAL_EV_VERBS)
        return read_verbs(object, &out->u.verbs, storage, err);
    if (out->kind == FAL_EV_NVME)
        return read_nvme(object, &out->u.nvme, storage, err);
    return keep_text(out, storage, err);
}
