/* SPDX-License-Identifier: Apache-2.0
 * protocol_cc.c - shapes of the control protocol that are about congestion control: queue
 * entries, parameters of Swift, `cc` of a hello. */
#include "harness/wire/protocol_impl.h"

#include "codecs/base/hex.h"
#include "codecs/base/nearest.h"
#include "harness/doc/json_member.h"

#include <string.h>

enum { DIGITS = 2 * FAL_CC_ENTRY_LEN, NAME_LEN = 40 };

/* ---- entries ---- */

static int read_entry(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *hex = json_string_value(value);
    uint8_t bytes[FAL_CC_ENTRY_LEN];

    if (hex == NULL || fal_hex_read(hex, bytes, sizeof bytes) != FAL_CC_ENTRY_LEN)
        return fal_misfit_say(wrong, "expected %d hex digits", DIGITS);
    if (out != NULL)
        memcpy(out, bytes, sizeof bytes);
    return 0;
}

static int write_entry(const void *in, json_t **out)
{
    char hex[DIGITS + 1];

    fal_hex_write(in, FAL_CC_ENTRY_LEN, hex);
    *out = json_string(hex);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

json_t *tl_protocol_entry(const uint8_t bytes[FAL_CC_ENTRY_LEN])
{
    json_t *out = NULL;

    return write_entry(bytes, &out) == 0 ? out : NULL;
}

const struct fal_shape tl_proto_entry = {.kind = FAL_SHAPE_TEXT,
                                         .name = "entry",
                                         .doc = "64 bytes of a queue entry (10.6), in the "
                                                "format that the reply to hello names",
                                         .pattern = "^[0-9a-fA-F]{128}$",
                                         .read = read_entry,
                                         .write = write_entry};
const struct fal_shape tl_proto_ticks = {.kind = FAL_SHAPE_UINT,
                                         .name = "ticks",
                                         .doc = "time in ticks of 131.072 ns, 24 bits",
                                         .max = FAL_CC_TIME_MAX};

/* ---- parameters of 10.5 ---- */

static int no_such_param(const char *key, struct fal_misfit *wrong)
{
    size_t n;
    const struct fal_swift_param *table = fal_swift_param_table(&n);
    struct fal_nearest_list near = {.word = key};
    char hint[128], name[NAME_LEN + 1];

    for (size_t i = 0; i < n; i++)
        fal_nearest_add(&near, table[i].name);
    fal_nearest_print(&near, hint, sizeof hint);
    (void)snprintf(name, sizeof name, "%s", key);
    tl_clean_text(name);
    return fal_misfit_say(wrong, "expected names of talon help swift, found '%s'%s%s", name,
                          hint[0] != 0 ? "; did you mean " : "", hint);
}

static int read_swift(const json_t *value, void *out, struct fal_misfit *wrong)
{
    struct fal_swift_params probe, *params;
    const char *key;
    json_t *number;

    fal_swift_params_default(&probe);
    params = out != NULL ? out : &probe;
    if (!json_is_object(value))
        return fal_misfit_say(wrong, "expected an object");
    json_object_foreach((json_t *)value, key, number)
    {
        const struct fal_swift_param *param = fal_swift_param_find(key);

        if (param == NULL)
            return no_such_param(key, wrong);
        if (!json_is_number(number) ||
            fal_swift_param_set(param, params, json_number_value(number)) != 0)
            return fal_misfit_say_of(wrong, param->name,
                                     "expected a %snumber from %.10g to %.10g",
                                     param->whole ? "whole " : "", param->least, param->most);
    }
    return 0;
}

static json_t *limit(double value)
{
    bool whole = value == (double)(json_int_t)value;

    return whole ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *swift_schema(void)
{
    json_t *properties = json_object();
    size_t n;
    const struct fal_swift_param *table = fal_swift_param_table(&n);

    for (size_t i = 0; i < n; i++) {
        json_t *param = json_pack("{s:s}", "type", table[i].whole ? "integer" : "number");

        (void)json_object_set_new(param, "minimum", limit(table[i].least));
        (void)json_object_set_new(param, "maximum", limit(table[i].most));
        (void)json_object_set_new(param, "description", json_string(table[i].doc));
        (void)json_object_set_new(properties, table[i].name, param);
    }
    return json_pack("{s:s, s:o, s:b}", "type", "object", "properties", properties,
                     "additionalProperties", 0);
}

const struct fal_shape tl_proto_swift = {.kind = FAL_SHAPE_MAP,
                                         .name = "swift",
                                         .doc = "parameters by the names of talon help swift",
                                         .read = read_swift,
                                         .schema = swift_schema,
                                         .keeps_json = true};

int tl_protocol_swift(const json_t *object, struct fal_swift_params *params,
                      struct fal_error *err)
{
    struct fal_misfit wrong = {.depth = 0};
    int rc;

    if (object == NULL || json_is_null(object))
        return 0;
    rc = read_swift(object, params, &wrong);
    return rc == 0 ? 0 : fal_misfit_error(&wrong, rc, "params", err);
}

/* ---- hello ---- */

static const char *const format_words[] = {"table-msb", "gen1-lsb"};
static const struct fal_shape format = {.kind = FAL_SHAPE_WORD, FAL_WORDS(format_words)};
static const char *const algorithm_words[] = {"swift", "other"};
static const struct fal_shape algorithm = {.kind = FAL_SHAPE_WORD, FAL_WORDS(algorithm_words)};
static const struct fal_shape gap_tick = {
    .kind = FAL_SHAPE_UINT, .max = 512000, .more = "{\"enum\": [131072, 512000]}"};
static const char *const empty_words[] = {"always", "p1", "p2", "either", "both"};
static const struct fal_shape when_empty = {.kind = FAL_SHAPE_WORD, FAL_WORDS(empty_words)};
static const char *const metric_words[] = {"packets", "bytes", "cells", "other"};
static const struct fal_shape metric = {.kind = FAL_SHAPE_WORD, FAL_WORDS(metric_words)};
static const struct fal_member policy_members[] = {
    {"when_empty", &when_empty, .flags = FAL_MUST,
     .doc = "which ACKs and NACKs give an event while the queue is empty"},
    {"p1_ns", &tl_proto_ns, .flags = FAL_MUST,
     .doc = "P1: more time than this since the last event of the connection"},
    {"p2", &fal_shape_uint, .flags = FAL_MUST,
     .doc = "P2: more than this was acknowledged since that event"},
    {"p2_metric", &metric, .flags = FAL_MUST, .doc = "what P2 counts"},
};
static const struct fal_shape policy = {LINE, .name = "event_policy",
                                        .doc = "When an ACK or NACK gives an event (10.6.1).",
                                        FAL_MEMBERS(policy_members)};
static const struct fal_shape queue_count = {.kind = FAL_SHAPE_UINT, .min = 1, .max = 4};
static const struct fal_shape ring = {.kind = FAL_SHAPE_UINT, .min = 1};
static const struct fal_member queue_members[] = {
    {"number", &queue_count, .flags = FAL_MUST,
     .doc = "event queues; event_queue_select is less than this"},
    {"entries", &ring, .flags = FAL_MUST,
     .doc = "entries of one of them, after which its gen bit turns"},
};
static const struct fal_shape event_queues = {LINE, .name = "event_queues",
                                              .doc = "The event queues (10.6.2.1).",
                                              FAL_MEMBERS(queue_members)};
static const struct fal_member hello_members[] = {
    {"format", &format, .flags = FAL_MUST, .doc = "order of the bits in queue entries"},
    {"gap_tick_ps", &gap_tick, .flags = 0, .doc = "unit of inter_packet_gap; absent: 131072"},
    {"rue_latency_ns", &tl_proto_ns, .flags = 0,
     .doc = "longest time from an event to its result; absent: not declared"},
    {"algorithm", &algorithm, .flags = 0, .doc = "absent: other"},
    {"moves_limits", &fal_shape_flag, .flags = 0,
     .doc = "the RUE changes windows, gap, RTO and path of connections; absent: true"},
    {"event_policy", &policy, .flags = 0,
     .doc = "absent: not declared, so an event that is missing is never a failure"},
    {"event_queues", &event_queues, .flags = 0, .doc = "absent: not declared"},
};
const struct fal_shape tl_proto_cc = {LINE, .name = "cc",
                                      .doc = "Congestion control of the SUT (chapter 10).",
                                      FAL_MEMBERS(hello_members)};
