/* SPDX-License-Identifier: Apache-2.0
 * timeline_write.c - one event to one JSON object. Members at their initial value are left out,
 * but for those that say what the event is; the reader puts them back. */
#include "codecs/base/hex.h"
#include "codecs/json/json.h"
#include "codecs/text/text.h"
#include "oracles/timeline_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An object under construction; after the first failure nothing more happens. */
struct writer {
    json_t *object;
    bool failed;
};

static void put(struct writer *w, const char *key, json_t *value)
{
    if (w->failed || value == NULL) {
        json_decref(value);
        w->failed = true;
    } else if (json_object_set_new(w->object, key, value) != 0) {
        w->failed = true;
    }
}

/* Text that is no UTF-8 (a file name may be anything) is written with its odd bytes as '?'. */
static json_t *any_text(const char *text)
{
    json_t *value = json_string(text);
    char *clean;

    if (value != NULL || (clean = strdup(text)) == NULL)
        return value;
    for (char *c = clean; *c != 0; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = json_string(clean);
    free(clean);
    return value;
}

static void put_text(struct writer *w, const char *key, const char *text)
{
    if (text != NULL)
        put(w, key, any_text(text));
}

static void put_bool(struct writer *w, const char *key, bool on)
{
    if (on)
        put(w, key, json_true());
}

static void put_hex(struct writer *w, const char *key, uint64_t v)
{
    char text[24];

    (void)snprintf(text, sizeof text, "0x%016" PRIx64, v);
    put(w, key, json_string(text));
}

/* A number where JSON has one, hex beyond 2^63, "never" for FAL_NEVER. */
static void put_number(struct writer *w, const char *key, uint64_t v)
{
    if (v == FAL_NEVER)
        put(w, key, json_string("never"));
    else if (v > INT64_MAX)
        put_hex(w, key, v);
    else
        put(w, key, json_integer((json_int_t)v));
}

static void put_nonzero(struct writer *w, const char *key, uint64_t v)
{
    if (v != 0)
        put_number(w, key, v);
}

static void put_signed(struct writer *w, const char *key, int64_t v)
{
    put(w, key, json_integer(v));
}

static void put_run(struct writer *w, const struct fal_ev_run *run)
{
    put_text(w, "title", run->title);
    put_hex(w, "seed", run->seed);
    put(w, "live", json_boolean(run->live));
    put_text(w, "vantage", fal_vantage_names[run->vantage]);
    put_bool(w, "lossless_in", run->lossless_in);
    put_bool(w, "lossless_out", run->lossless_out);
    put_bool(w, "no_duplicates_in", run->no_duplicates_in);
    put_bool(w, "no_duplicates_out", run->no_duplicates_out);
    put_bool(w, "in_order_in", run->in_order_in);
    put_bool(w, "in_order_out", run->in_order_out);
    put_number(w, "delay_min_ns", run->delay_min_ns);
    put_number(w, "delay_max_ns", run->delay_max_ns);
    put_number(w, "clock_error_ns", run->clock_error_ns);
    put_bool(w, "may_miss", run->may_miss);
    put_bool(w, "ordered_events", run->ordered_events);
}

static json_t *end_to_json(const struct fal_end *end)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "cid", (json_int_t)end->cid, "function",
                     (json_int_t)end->function, "req_psn", (json_int_t)end->req_psn, "data_psn",
                     (json_int_t)end->data_psn, "rsn", (json_int_t)end->rsn);
}

static json_t *params_to_json(const struct fal_params *params)
{
    struct writer w = {.object = json_object()};
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    w.failed = w.object == NULL;
    for (size_t i = 0; i < n; i++) {
        uint64_t v = fal_param_get(&table[i], params);

        if (table[i].kind == FAL_PARAM_SWITCH)
            put(&w, table[i].key, json_boolean(v != 0));
        else
            put_number(&w, table[i].key, v);
    }
    if (w.failed) {
        json_decref(w.object);
        return NULL;
    }
    return w.object;
}

/* The keys of the parameters that nobody gave. */
static json_t *unknown_to_json(uint32_t unknown)
{
    json_t *list = json_array();
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; i < n && list != NULL; i++) {
        if ((unknown >> i & 1) == 0 ||
            json_array_append_new(list, json_string(table[i].key)) == 0)
            continue;
        json_decref(list);
        list = NULL;
    }
    return list;
}

static void put_connection(struct writer *w, const struct fal_connection *connection)
{
    put_text(w, "name", connection->name);
    put(w, "tester", end_to_json(&connection->tester));
    put(w, "sut", end_to_json(&connection->sut));
    put(w, "initial_known", json_boolean(connection->initial_known));
    put(w, "params", params_to_json(&connection->params));
    if (connection->unknown_params != 0)
        put(w, "unknown", unknown_to_json(connection->unknown_params));
    put_bool(w, "tester_rack_tlp", connection->tester_rack_tlp);
    if (connection->encap_known)
        put_text(w, "encap", fal_encap_name(connection->encap));
}

static void put_bytes(struct writer *w, const char *key, const uint8_t *bytes, uint32_t len)
{
    char *hex = malloc(2 * (size_t)len + 1);

    if (hex == NULL) {
        w->failed = true;
        return;
    }
    hex[0] = 0;
    if (len > 0)
        fal_hex_write(bytes, len, hex);
    put(w, key, json_string(hex));
    free(hex);
}

static void put_carrier(struct writer *w, const struct fal_carrier *carrier)
{
    put_text(w, "encap", fal_encap_name(carrier->encap));
    put_nonzero(w, "next_header", carrier->next_header);
    put_nonzero(w, "inner_protocol", carrier->inner_protocol);
    put_nonzero(w, "crypt_offset", carrier->crypt_offset);
    put_bool(w, "vc", carrier->has_vc);
}

static void put_packet(struct writer *w, const struct fal_ev_packet *packet)
{
    char line[512];

    put_text(w, "dir", fal_dir_names[packet->dir]);
    put_text(w, "origin", fal_origin_names[packet->origin]);
    if (packet->step >= 0)
        put_signed(w, "step", packet->step);
    put_nonzero(w, "frame", packet->frame);
    put_nonzero(w, "path", packet->path);
    put_nonzero(w, "error_ns", packet->error_ns);
    put_bool(w, "truncated", packet->truncated);
    if (packet->has_iv)
        put_hex(w, "iv", packet->iv);
    put_nonzero(w, "spi", packet->spi);
    if (packet->carrier.known)
        put_carrier(w, &packet->carrier);
    if (packet->bad != FAL_BAD_NOT)
        put_text(w, "bad", fal_bad_names[packet->bad]);
    if (packet->header_len > 0) {
        (void)fal_text_packet(&packet->falcon, NULL, line, sizeof line);
        put_text(w, "text", line);
    }
    put_bytes(w, "bytes", packet->bytes, packet->len);
}

static void put_command(struct writer *w, const struct fal_ev_command *command)
{
    put_signed(w, "id", command->id);
    put_text(w, "do", command->verb);
    put_nonzero(w, "rsn", command->rsn);
    put_text(w, "answer", fal_answer_names[command->answer]);
    put_nonzero(w, "rnr_ns", command->rnr_ns);
    put_nonzero(w, "code", command->code);
    put_text(w, "op", fal_op_names[command->op]);
    put_nonzero(w, "tag", command->tag);
    put_nonzero(w, "length", command->length);
    if (command->has_hash)
        put_hex(w, "hash", command->hash);
    put_text(w, "text", command->text);
}

static void put_reply(struct writer *w, const struct fal_ev_reply *reply)
{
    put_signed(w, "id", reply->id);
    put(w, "ok", json_boolean(reply->ok));
    if (reply->has_rsn)
        put_number(w, "rsn", reply->rsn);
    put_text(w, "text", reply->text);
}

static void put_ulp(struct writer *w, const struct fal_ev_ulp *ulp)
{
    put_text(w, "kind", fal_ulp_names[ulp->kind]);
    put_number(w, "seq", ulp->seq);
    put_number(w, "rsn", ulp->rsn);
    put_text(w, "op", fal_op_names[ulp->op]);
    put_nonzero(w, "length", ulp->length);
    put_nonzero(w, "tag", ulp->tag);
    if (ulp->has_hash)
        put_hex(w, "hash", ulp->hash);
    put_bool(w, "redelivery", ulp->redelivery);
    put_text(w, "answer", fal_answer_names[ulp->answer]);
    put_nonzero(w, "code", ulp->code);
    put_nonzero(w, "ulp_nack_code", ulp->ulp_nack_code);
    if (ulp->has_stamp) {
        put_number(w, "stamp_ns", ulp->stamp_ns);
        put_nonzero(w, "stamp_error_ns", ulp->stamp_error_ns);
    }
    put_text(w, "text", ulp->text);
}

static void put_cm(struct writer *w, const struct fal_ev_cm *cm)
{
    put_text(w, "what", cm->what);
    put_nonzero(w, "seq", cm->seq);
    put_nonzero(w, "count", cm->count);
    put_text(w, "text", cm->text);
}

static void put_words(struct writer *w, const struct fal_ev_text *text)
{
    if (text->step >= 0)
        put_signed(w, "step", text->step);
    put_text(w, "text", text->text);
}

static void put_bench(struct writer *w, const struct fal_ev_bench *bench)
{
    put_text(w, "what", fal_bench_names[bench->what]);
    if (bench->what != FAL_BENCH_TIMER)
        put_text(w, "dir", fal_dir_names[bench->dir]);
    put_text(w, "text", bench->text);
}

static void put_timing(struct writer *w, const struct fal_ev_timing *timing)
{
    put_signed(w, "step", timing->step);
    put_number(w, "due_ns", timing->due_ns);
    put_number(w, "at_ns", timing->at_ns);
    put_nonzero(w, "late_ns", timing->late_ns);
    put_nonzero(w, "queue_ns", timing->queue_ns);
    put_nonzero(w, "drops", timing->drops);
}

static void put_event(struct writer *w, const struct fal_event *event)
{
    switch (event->kind) {
    case FAL_EV_RUN: put_run(w, &event->u.run); break;
    case FAL_EV_CONNECTION: put_connection(w, &event->u.connection); break;
    case FAL_EV_PACKET: put_packet(w, &event->u.packet); break;
    case FAL_EV_COMMAND: put_command(w, &event->u.command); break;
    case FAL_EV_REPLY: put_reply(w, &event->u.reply); break;
    case FAL_EV_ULP: put_ulp(w, &event->u.ulp); break;
    case FAL_EV_CM: put_cm(w, &event->u.cm); break;
    case FAL_EV_MARK:
        put_text(w, "mark", fal_mark_names[event->u.mark.mark]);
        put_nonzero(w, "value", event->u.mark.value);
        break;
    case FAL_EV_TIMING: put_timing(w, &event->u.timing); break;
    case FAL_EV_STEP:
    case FAL_EV_NOTE:
    case FAL_EV_INTERNAL: put_words(w, &event->u.text); break;
    case FAL_EV_BENCH: put_bench(w, &event->u.bench); break;
    case FAL_EV_CLOSE:
    case FAL_EV_END: break;
    }
}

json_t *fal_event_to_json(const struct fal_event *event)
{
    struct writer w = {.object = json_object()};

    w.failed = w.object == NULL;
    put_text(&w, "event", fal_event_names[event->kind]);
    put_number(&w, "index", event->index);
    put_number(&w, "t_ns", event->t_ns);
    put_nonzero(&w, "conn", event->conn);
    put_event(&w, event);
    if (w.failed) {
        json_decref(w.object);
        return NULL;
    }
    return w.object;
}
