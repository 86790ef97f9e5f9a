/* SPDX-License-Identifier: Apache-2.0
 * event_json.c - see logic_json.h: lines of events, and what is declared. */
#include "harness/logic/logic_json.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const kinds[] = {"post",    "send",    "arrive", "reply", "feedback",
                                    "deliver", "timeout", "done",   "reset", "lost-view"};
static const char *const credits[] = {"window", "rate", "tokens"};
static const char *const repairs[] = {"selective", "go-back-n"};

static void put(json_t *object, const char *name, uint64_t value)
{
    if (value != 0)
        (void)json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void put_bool(json_t *object, const char *name, bool value)
{
    if (value)
        (void)json_object_set_new(object, name, json_true());
}

static json_t *reply_json(const struct fal_tp_reply *reply)
{
    json_t *object = json_object(), *got;

    if (reply->has_cum)
        (void)json_object_set_new(object, "cum", json_integer((json_int_t)reply->cum));
    if (reply->num_got > 0) {
        got = json_array();
        for (unsigned i = 0; i < reply->num_got; i++)
            (void)json_array_append_new(got,
                                        json_pack("[I, I]", (json_int_t)reply->got[i].first,
                                                  (json_int_t)reply->got[i].end));
        (void)json_object_set_new(object, "got", got);
    }
    if (reply->nack)
        (void)json_object_set_new(object, "nack_seg",
                                  json_integer((json_int_t)reply->nack_seg));
    put_bool(object, "ecn", reply->ecn);
    put_bool(object, "cnp", reply->cnp);
    put_bool(object, "update", reply->update);
    put(object, "window", reply->window);
    put(object, "grant", reply->grant);
    return object;
}

json_t *tl_logic_event_json(const struct fal_tp_event *event)
{
    json_t *object = json_pack("{s:I, s:I, s:I, s:s}", "at_ns", (json_int_t)event->at_ns,
                               "number", (json_int_t)event->number, "flow",
                               (json_int_t)event->flow, "kind", kinds[event->kind]);
    char digest[2 + 16 + 1];

    if (object == NULL)
        return NULL;
    if (event->kind == FAL_TP_REPLY || event->kind == FAL_TP_FEEDBACK) {
        (void)json_object_set_new(object, "reply", reply_json(&event->reply));
        return object;
    }
    (void)json_object_set_new(object, "seg", json_integer((json_int_t)event->seg));
    put(object, "bytes", event->bytes);
    if (event->digest != 0) {
        (void)snprintf(digest, sizeof digest, "0x%016" PRIx64, event->digest);
        (void)json_object_set_new(object, "digest", json_string(digest));
    }
    put_bool(object, "ce", event->ce);
    put_bool(object, "trimmed", event->trimmed);
    return object;
}

json_t *tl_logic_row_json(const struct fal_tp_row *row)
{
    json_t *object = json_pack("{s:s, s:s, s:s}", "name", row->name, "credit",
                               credits[row->credit], "repair", repairs[row->repair]);

    if (object == NULL)
        return NULL;
    put_bool(object, "in_order", row->in_order);
    put_bool(object, "cumulative", row->cumulative);
    put_bool(object, "selective", row->selective);
    put_bool(object, "nacks", row->nacks);
    put(object, "dup_threshold", row->dup_threshold);
    put(object, "dup_least", row->dup_least);
    put_bool(object, "backoff", row->backoff);
    put(object, "reorder_segments", row->reorder_segments);
    put_bool(object, "partial_acks", row->partial_acks);
    put_bool(object, "reorder_by_time", row->reorder_by_time);
    put_bool(object, "tail_probe", row->tail_probe);
    put_bool(object, "undo", row->undo);
    put_bool(object, "frto", row->frto);
    put(object, "rto_min_ns", row->rto_min_ns);
    put(object, "rto_max_ns", row->rto_max_ns);
    put(object, "rto_low_ns", row->rto_low_ns);
    put(object, "max_window", row->max_window);
    put(object, "rate_bps", row->rate_bps);
    put(object, "burst_bytes", row->burst_bytes);
    put(object, "initial_tokens", row->initial_tokens);
    put_bool(object, "timeout_tokens", row->timeout_tokens);
    put(object, "answer_ns", row->answer_ns);
    put(object, "liveness_ns", row->liveness_ns);
    return object;
}
