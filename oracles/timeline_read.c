/* SPDX-License-Identifier: Apache-2.0
 * timeline_read.c - one JSON object to one event. The file may come from anywhere: every member
 * is checked for kind and range. Members that are absent have their initial value; unknown ones
 * are ignored, so that an older reader takes a newer file of the same version. */
#include "codecs/base/hex.h"
#include "codecs/json/json.h"
#include "oracles/timeline_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* After the first failure nothing more is read. */
struct reader {
    const json_t *object;
    const char *what; /* for error texts: "packet" */
    struct fal_error *err;
    int status;
};

static void wrong(struct reader *r, const char *key, const char *due)
{
    if (r->status == 0)
        r->status = fal_fail(r->err, FAL_ERR_FORM, "%s: member '%s': %s was expected", r->what,
                             key, due);
}

static const json_t *member(struct reader *r, const char *key)
{
    return r->status == 0 ? json_object_get(r->object, key) : NULL;
}

static const json_t *needed(struct reader *r, const char *key)
{
    const json_t *value = member(r, key);

    if (value == NULL && r->status == 0)
        r->status = fal_fail(r->err, FAL_ERR_FORM, "%s: member '%s' is missing", r->what, key);
    return value;
}

/* "never", or "0x" and 1 to 16 hex digits. */
static bool number_in_text(const char *text, uint64_t *out)
{
    char *end;

    if (strcmp(text, "never") == 0) {
        *out = FAL_NEVER;
        return true;
    }
    if (text[0] != '0' || text[1] != 'x' || strlen(text) < 3 || strlen(text) > 18 ||
        strspn(text + 2, "0123456789abcdefABCDEF") != strlen(text + 2))
        return false;
    errno = 0;
    *out = strtoull(text, &end, 16);
    return errno == 0 && *end == 0;
}

static uint64_t to_number(struct reader *r, const json_t *value, const char *key, uint64_t max)
{
    uint64_t v = 0;
    bool good = false;

    if (json_is_integer(value)) {
        good = json_integer_value(value) >= 0;
        v = (uint64_t)json_integer_value(value);
    } else if (json_is_string(value)) {
        good = number_in_text(json_string_value(value), &v);
    }
    if (!good || v > max) {
        if (r->status == 0)
            r->status = fal_fail(r->err, FAL_ERR_FORM,
                                 "%s: member '%s': a number from 0 to %" PRIu64 " was expected",
                                 r->what, key, max);
        return 0;
    }
    return v;
}

static uint64_t get_number(struct reader *r, const char *key, uint64_t max)
{
    const json_t *value = member(r, key);

    return value == NULL ? 0 : to_number(r, value, key, max);
}

static uint32_t get_32(struct reader *r, const char *key)
{
    return (uint32_t)get_number(r, key, UINT32_MAX);
}

static int64_t get_signed(struct reader *r, const char *key, int64_t fallback)
{
    const json_t *value = member(r, key);

    if (value == NULL)
        return fallback;
    if (!json_is_integer(value))
        wrong(r, key, "an integer");
    return json_integer_value(value);
}

static int32_t get_step(struct reader *r)
{
    int64_t step = get_signed(r, "step", -1);

    if (step < -1 || step > INT32_MAX)
        wrong(r, "step", "a step index, or -1");
    return r->status == 0 ? (int32_t)step : -1;
}

static bool get_bool(struct reader *r, const char *key)
{
    const json_t *value = member(r, key);

    if (value != NULL && !json_is_boolean(value))
        wrong(r, key, "true or false");
    return json_is_true(value);
}

/* The index of a word in its table; `fallback` when it is absent. */
static unsigned get_word(struct reader *r, const char *key, const char *const *names,
                         unsigned n, unsigned fallback)
{
    const json_t *value = member(r, key);
    const char *text = json_string_value(value);

    if (value == NULL)
        return fallback;
    for (unsigned i = 0; text != NULL && i < n; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    if (r->status == 0)
        r->status = fal_fail(
            r->err, FAL_ERR_FORM, "%s: member '%s': %s%s%s is none of its words", r->what, key,
            text != NULL ? "'" : "", text != NULL ? text : "this", text != NULL ? "'" : "");
    return fallback;
}

/* A short text into an array of `cap` bytes. */
static void get_name(struct reader *r, const char *key, char *out, size_t cap)
{
    const json_t *value = member(r, key);
    const char *text = json_string_value(value);

    out[0] = 0;
    if (value == NULL)
        return;
    if (text == NULL || strlen(text) >= cap) {
        wrong(r, key, "a short text");
        return;
    }
    memcpy(out, text, strlen(text) + 1);
}

static const char *get_text(struct reader *r, const char *key,
                            struct fal_event_storage *storage)
{
    const json_t *value = member(r, key);
    const char *text = json_string_value(value);

    if (value == NULL)
        return NULL;
    if (text == NULL) {
        wrong(r, key, "a text");
        return NULL;
    }
    free(storage->text);
    storage->text = strdup(text);
    if (storage->text == NULL)
        r->status = fal_fail(r->err, FAL_ERR_MEM, "out of memory");
    return storage->text;
}

static void read_run(struct reader *r, struct fal_ev_run *run)
{
    get_name(r, "title", run->title, sizeof run->title);
    run->seed = get_number(r, "seed", UINT64_MAX);
    run->live = get_bool(r, "live");
    run->vantage =
        get_word(r, "vantage", fal_vantage_names, FAL_VANTAGE_COUNT, FAL_VANTAGE_TESTER);
    run->lossless_in = get_bool(r, "lossless_in");
    run->lossless_out = get_bool(r, "lossless_out");
    run->no_duplicates_in = get_bool(r, "no_duplicates_in");
    run->no_duplicates_out = get_bool(r, "no_duplicates_out");
    run->in_order_in = get_bool(r, "in_order_in");
    run->in_order_out = get_bool(r, "in_order_out");
    run->delay_min_ns = get_number(r, "delay_min_ns", UINT64_MAX);
    run->delay_max_ns = member(r, "delay_max_ns") != NULL
                            ? get_number(r, "delay_max_ns", UINT64_MAX)
                            : FAL_NEVER;
    run->clock_error_ns = get_number(r, "clock_error_ns", UINT64_MAX);
    run->may_miss = get_bool(r, "may_miss");
    run->ordered_events = get_bool(r, "ordered_events");
}

static void read_end(struct reader *outer, const char *key, struct fal_end *end)
{
    struct reader r = {.what = key, .err = outer->err};

    r.object = needed(outer, key);
    if (outer->status != 0)
        return;
    if (!json_is_object(r.object)) {
        wrong(outer, key, "an object");
        return;
    }
    end->cid = get_32(&r, "cid");
    end->function = get_32(&r, "function");
    end->req_psn = get_32(&r, "req_psn");
    end->data_psn = get_32(&r, "data_psn");
    end->rsn = get_32(&r, "rsn");
    outer->status = r.status;
}

static void read_params(struct reader *outer, struct fal_params *params)
{
    struct reader r = {.what = "params", .err = outer->err};
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    fal_params_default(params, false);
    r.object = member(outer, "params");
    if (r.object == NULL)
        return;
    if (!json_is_object(r.object)) {
        wrong(outer, "params", "an object");
        return;
    }
    for (size_t i = 0; i < n && r.status == 0; i++) {
        const json_t *value = json_object_get(r.object, table[i].key);
        uint64_t v;

        if (value == NULL)
            continue;
        v = json_is_boolean(value) ? json_is_true(value)
                                   : to_number(&r, value, table[i].key, UINT64_MAX);
        if (r.status == 0 && fal_param_set(&table[i], params, v) != 0)
            wrong(&r, table[i].key, "a smaller number");
    }
    outer->status = r.status;
}

static uint32_t read_unknown(struct reader *r)
{
    const json_t *list = member(r, "unknown"), *entry;
    uint32_t unknown = 0;
    size_t n, i;
    const struct fal_param *table = fal_param_table(&n);

    if (list != NULL && !json_is_array(list))
        wrong(r, "unknown", "an array of parameters");
    json_array_foreach(list, i, entry)
    {
        const char *key = json_string_value(entry);
        const struct fal_param *param = key != NULL ? fal_param_find(key) : NULL;

        if (param == NULL)
            wrong(r, "unknown", "an array of parameters");
        else
            unknown |= UINT32_C(1) << (param - table);
    }
    return unknown;
}

/* False: it is not there. */
static bool get_encap(struct reader *r, enum fal_encap *encap)
{
    const char *names[FAL_ENCAP_COUNT];

    for (int i = 0; i < FAL_ENCAP_COUNT; i++)
        names[i] = fal_encap_name((enum fal_encap)i);
    *encap = (enum fal_encap)get_word(r, "encap", names, FAL_ENCAP_COUNT, FAL_ENCAP_UDP);
    return member(r, "encap") != NULL;
}

static void read_carrier(struct reader *r, struct fal_carrier *carrier)
{
    carrier->known = get_encap(r, &carrier->encap);
    carrier->next_header = (uint8_t)get_number(r, "next_header", UINT8_MAX);
    carrier->inner_protocol = (uint8_t)get_number(r, "inner_protocol", UINT8_MAX);
    carrier->crypt_offset = (uint8_t)get_number(r, "crypt_offset", UINT8_MAX);
    carrier->has_vc = get_bool(r, "vc");
}

static void read_connection(struct reader *r, struct fal_connection *connection)
{
    get_name(r, "name", connection->name, sizeof connection->name);
    read_end(r, "tester", &connection->tester);
    read_end(r, "sut", &connection->sut);
    connection->initial_known = get_bool(r, "initial_known");
    read_params(r, &connection->params);
    connection->unknown_params = read_unknown(r);
    connection->tester_rack_tlp = get_bool(r, "tester_rack_tlp");
    connection->encap_known = get_encap(r, &connection->encap);
}

static void read_bytes(struct reader *r, struct fal_ev_packet *packet,
                       struct fal_event_storage *storage)
{
    const json_t *value = needed(r, "bytes");
    const char *hex = json_string_value(value);
    size_t len = hex != NULL ? strlen(hex) / 2 : 0;
    int got;

    if (r->status != 0)
        return;
    if (len > UINT32_MAX / 4) {
        wrong(r, "bytes", "fewer digits");
        return;
    }
    if (len + 1 > storage->cap) {
        uint8_t *bytes = realloc(storage->bytes, len + 1);

        if (bytes == NULL) {
            r->status = fal_fail(r->err, FAL_ERR_MEM, "out of memory");
            return;
        }
        storage->bytes = bytes;
        storage->cap = len + 1;
    }
    got = hex == NULL || strlen(hex) % 2 != 0 ? FAL_ERR_FORM
                                              : fal_hex_read(hex, storage->bytes, storage->cap);
    if (got < 0) {
        wrong(r, "bytes", "an even number of hex digits");
        return;
    }
    packet->bytes = storage->bytes;
    packet->len = (uint32_t)got;
}

static void read_packet(struct reader *r, struct fal_ev_packet *packet,
                        struct fal_event_storage *storage)
{
    (void)needed(r, "dir");
    packet->dir = get_word(r, "dir", fal_dir_names, FAL_DIR_COUNT, FAL_TO_SUT);
    packet->origin =
        get_word(r, "origin", fal_origin_names, FAL_ORIGIN_COUNT, FAL_ORIGIN_ENDPOINT);
    packet->step = get_step(r);
    packet->frame = get_32(r, "frame");
    packet->path = get_32(r, "path");
    packet->error_ns = get_number(r, "error_ns", UINT64_MAX);
    packet->truncated = get_bool(r, "truncated");
    packet->has_iv = member(r, "iv") != NULL;
    packet->iv = get_number(r, "iv", UINT64_MAX);
    packet->spi = get_32(r, "spi");
    read_carrier(r, &packet->carrier);
    packet->bad = (enum fal_bad)get_word(r, "bad", fal_bad_names, FAL_BAD_COUNT, FAL_BAD_NOT);
    read_bytes(r, packet, storage);
    if (r->status == 0)
        fal_event_packet(packet);
}

static void read_command(struct reader *r, struct fal_ev_command *command,
                         struct fal_event_storage *storage)
{
    command->id = get_signed(r, "id", 0);
    get_name(r, "do", command->verb, sizeof command->verb);
    command->rsn = get_32(r, "rsn");
    command->answer = get_word(r, "answer", fal_answer_names, FAL_ANSWER_COUNT, FAL_ANSWER_ACK);
    command->rnr_ns = get_number(r, "rnr_ns", UINT64_MAX);
    command->code = get_32(r, "code");
    command->op = get_word(r, "op", fal_op_names, FAL_OP_COUNT, FAL_OP_PUSH);
    command->tag = get_number(r, "tag", UINT64_MAX);
    command->length = get_32(r, "length");
    command->has_hash = member(r, "hash") != NULL;
    command->hash = get_number(r, "hash", UINT64_MAX);
    command->text = get_text(r, "text", storage);
}

static void read_reply(struct reader *r, struct fal_ev_reply *reply,
                       struct fal_event_storage *storage)
{
    reply->id = get_signed(r, "id", 0);
    reply->ok = get_bool(r, "ok");
    reply->has_rsn = member(r, "rsn") != NULL;
    reply->rsn = get_32(r, "rsn");
    reply->text = get_text(r, "text", storage);
}

static void read_ulp(struct reader *r, struct fal_ev_ulp *ulp,
                     struct fal_event_storage *storage)
{
    (void)needed(r, "kind");
    ulp->kind = get_word(r, "kind", fal_ulp_names, FAL_ULP_COUNT, FAL_ULP_REQUEST);
    ulp->seq = get_number(r, "seq", UINT64_MAX);
    ulp->rsn = get_32(r, "rsn");
    ulp->op = get_word(r, "op", fal_op_names, FAL_OP_COUNT, FAL_OP_PUSH);
    ulp->length = get_32(r, "length");
    ulp->tag = get_number(r, "tag", UINT64_MAX);
    ulp->has_hash = member(r, "hash") != NULL;
    ulp->hash = get_number(r, "hash", UINT64_MAX);
    ulp->redelivery = get_bool(r, "redelivery");
    ulp->answer = get_word(r, "answer", fal_answer_names, FAL_ANSWER_COUNT, FAL_ANSWER_ACK);
    ulp->code = get_32(r, "code");
    ulp->ulp_nack_code = get_32(r, "ulp_nack_code");
    ulp->has_stamp = member(r, "stamp_ns") != NULL;
    ulp->stamp_ns = get_number(r, "stamp_ns", UINT64_MAX);
    ulp->stamp_error_ns = get_number(r, "stamp_error_ns", UINT64_MAX);
    ulp->text = get_text(r, "text", storage);
}

static void read_cm(struct reader *r, struct fal_ev_cm *cm, struct fal_event_storage *storage)
{
    get_name(r, "what", cm->what, sizeof cm->what);
    cm->seq = get_number(r, "seq", UINT64_MAX);
    cm->count = get_number(r, "count", UINT64_MAX);
    cm->text = get_text(r, "text", storage);
}

static void read_timing(struct reader *r, struct fal_ev_timing *timing)
{
    timing->step = get_step(r);
    timing->due_ns = get_number(r, "due_ns", UINT64_MAX);
    timing->at_ns = get_number(r, "at_ns", UINT64_MAX);
    timing->late_ns = get_number(r, "late_ns", UINT64_MAX);
    timing->queue_ns = get_number(r, "queue_ns", UINT64_MAX);
    timing->drops = get_number(r, "drops", UINT64_MAX);
}

static void read_words(struct reader *r, struct fal_event *event,
                       struct fal_event_storage *storage)
{
    struct fal_ev_bench bench;

    event->u.text.step = get_step(r);
    event->u.text.text = get_text(r, "text", storage);
    if (event->kind == FAL_EV_INTERNAL && event->u.text.text != NULL &&
        fal_bench_from_sentence(event->u.text.text, &bench)) {
        event->kind = FAL_EV_BENCH;
        event->u.bench = bench;
    }
}

static void read_bench(struct reader *r, struct fal_ev_bench *bench,
                       struct fal_event_storage *storage)
{
    (void)needed(r, "what");
    bench->what = get_word(r, "what", fal_bench_names, FAL_BENCH_COUNT, 0);
    bench->dir = get_word(r, "dir", fal_dir_names, FAL_DIR_COUNT, FAL_TO_SUT);
    bench->text = get_text(r, "text", storage);
}

static void read_event(struct reader *r, struct fal_event *event,
                       struct fal_event_storage *storage)
{
    switch (event->kind) {
    case FAL_EV_RUN: read_run(r, &event->u.run); break;
    case FAL_EV_CONNECTION: read_connection(r, &event->u.connection); break;
    case FAL_EV_PACKET: read_packet(r, &event->u.packet, storage); break;
    case FAL_EV_COMMAND: read_command(r, &event->u.command, storage); break;
    case FAL_EV_REPLY: read_reply(r, &event->u.reply, storage); break;
    case FAL_EV_ULP: read_ulp(r, &event->u.ulp, storage); break;
    case FAL_EV_CM: read_cm(r, &event->u.cm, storage); break;
    case FAL_EV_MARK:
        (void)needed(r, "mark");
        event->u.mark.mark = get_word(r, "mark", fal_mark_names, FAL_MARK_COUNT, 0);
        event->u.mark.value = get_number(r, "value", UINT64_MAX);
        break;
    case FAL_EV_TIMING: read_timing(r, &event->u.timing); break;
    case FAL_EV_STEP:
    case FAL_EV_NOTE:
    case FAL_EV_INTERNAL: read_words(r, event, storage); break;
    case FAL_EV_BENCH: read_bench(r, &event->u.bench, storage); break;
    case FAL_EV_CLOSE:
    case FAL_EV_END: break;
    }
}

int fal_event_from_json(const json_t *object, struct fal_event *out,
                        struct fal_event_storage *storage, struct fal_error *err)
{
    struct reader r = {.object = object, .what = "event", .err = err};

    *out = (struct fal_event){0};
    if (!json_is_object(object))
        return fal_fail(err, FAL_ERR_FORM, "event: an object was expected");
    (void)needed(&r, "event");
    out->kind = get_word(&r, "event", fal_event_names, FAL_EV_COUNT, 0);
    r.what = fal_event_names[out->kind];
    out->index = get_number(&r, "index", UINT64_MAX);
    (void)needed(&r, "t_ns");
    out->t_ns = get_number(&r, "t_ns", UINT64_MAX);
    out->conn = get_32(&r, "conn");
    read_event(&r, out, storage);
    return r.status;
}
