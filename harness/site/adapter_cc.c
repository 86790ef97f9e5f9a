/* SPDX-License-Identifier: Apache-2.0
 * adapter_cc.c - checks of the commands about congestion control (level Lc). An adapter need
 * not have them; those that it has must answer, and those that it lacks must be refused as
 * unknown commands are. */
#include "harness/site/adapter_check_impl.h"

#include "codecs/base/hex.h"
#include "codecs/header/ccqueue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    HEX = 2 * FAL_CC_ENTRY_LEN + 1,
    CID = 77,
    NOW = 1000,
    PAUSE_NS = 20000000,
    PAUSES = 100
};

/* ---- hello ---- */

static bool number_from(const json_t *object, const char *name, json_int_t least)
{
    const json_t *value = json_object_get(object, name);

    return json_is_integer(value) && json_integer_value(value) >= least;
}

static bool good_policy(struct tl_checker *c, const json_t *policy)
{
    if (policy == NULL)
        return true;
    if (!number_from(policy, "p1_ns", 0) || !number_from(policy, "p2", 0))
        return tl_adapter_wrong(c, "cc.event_policy: expected numbers p1_ns and p2, from 0");
    if (!json_is_string(json_object_get(policy, "when_empty")) ||
        !json_is_string(json_object_get(policy, "p2_metric")))
        return tl_adapter_wrong(c, "cc.event_policy: expected when_empty and p2_metric");
    return true;
}

static bool good_queues(struct tl_checker *c, const json_t *queues)
{
    return queues == NULL ||
           (number_from(queues, "number", 1) && number_from(queues, "entries", 1)) ||
           tl_adapter_wrong(c, "cc.event_queues: expected numbers number and entries, from 1");
}

bool tl_check_cc_hello(struct tl_checker *c, const json_t *reply)
{
    const json_t *cc = json_object_get(reply, "cc");
    const json_t *tick = json_object_get(cc, "gap_tick_ps");
    const json_t *latency = json_object_get(cc, "rue_latency_ns");
    const char *format = json_string_value(json_object_get(cc, "format"));
    uint64_t found;

    c->has_cc = cc != NULL && !json_is_null(cc);
    if (!c->has_cc)
        return true;
    if (format == NULL || !fal_name_find(&fal_names_cc_format, format, &found))
        return tl_adapter_wrong(c, "cc.format: expected \"table-msb\" or \"gen1-lsb\"");
    if (tick != NULL && json_integer_value(tick) != 131072 &&
        json_integer_value(tick) != 512000)
        return tl_adapter_wrong(c, "cc.gap_tick_ps: expected 131072 or 512000");
    if (latency != NULL && (!json_is_integer(latency) || json_integer_value(latency) < 0))
        return tl_adapter_wrong(c, "cc.rue_latency_ns: expected a number from 0");
    c->cc_format = (enum fal_cc_format)found;
    return good_policy(c, json_object_get(cc, "event_policy")) &&
           good_queues(c, json_object_get(cc, "event_queues"));
}

/* ---- commands ---- */

/* The event of an ACK, which any engine knows. */
static void ack_event(const struct tl_checker *c, char hex[HEX])
{
    const struct fal_cc_event event = {.connection_id = CID,
                                       .event_type = FAL_CC_ACK,
                                       .t1 = NOW - 200,
                                       .t2 = NOW - 100,
                                       .t3 = NOW - 90,
                                       .t4 = NOW,
                                       .fcwnd_integer = 32,
                                       .ncwnd = 64,
                                       .retransmit_timeout = 7630,
                                       .num_packets_acked = 1,
                                       .delay_select = FAL_CC_DELAY_FABRIC,
                                       .base_delay_target = 191,
                                       .delay_state = 190,
                                       .rtt_state = 190};
    uint8_t bytes[FAL_CC_ENTRY_LEN] = {0};

    FAL_IGNORE(fal_cc_encode(c->cc_format, FAL_CC_ENTRY_EVENT, &event, bytes, NULL));
    fal_hex_write(bytes, sizeof bytes, hex);
}

static bool good_result(struct tl_checker *c, const json_t *reply)
{
    const char *hex = json_string_value(json_object_get(reply, "entry"));
    uint8_t bytes[FAL_CC_ENTRY_LEN];
    struct fal_cc_result result;

    if (hex == NULL || fal_hex_read(hex, bytes, sizeof bytes) != FAL_CC_ENTRY_LEN)
        return tl_adapter_wrong(c, "cc_feed: entry: expected %d hex digits, the result",
                                HEX - 1);
    if (fal_cc_decode(c->cc_format, FAL_CC_ENTRY_RESULT, bytes, sizeof bytes, &result) < 0 ||
        result.connection_id != CID)
        return tl_adapter_wrong(
            c,
            "cc_feed: the result must have the connection_id of its event, %d (FTP-10.6.2.2-02)",
            CID);
    return true;
}

/* 1: the command was carried out; 0: the adapter does not have it; -1: a wrong answer. Releases
 * the reply. */
static int offered(json_t *reply)
{
    bool ok = json_is_true(json_object_get(reply, "ok"));

    json_decref(reply);
    return reply == NULL ? -1 : ok;
}

static bool feed(struct tl_checker *c)
{
    char hex[HEX];
    json_t *reply;
    bool good = true;
    int has;

    ack_event(c, hex);
    reply = tl_adapter_ask(c, c->has_cc ? "ok|unsupported" : "unsupported",
                           "\"cc_feed\", \"now_ticks\": %d, \"state\": \"reset\", "
                           "\"entry\": \"%s\"",
                           NOW, hex);
    if (json_is_true(json_object_get(reply, "ok")))
        good = good_result(c, reply);
    has = offered(reply);
    if (has <= 0 || !good)
        return has == 0;
    return SAYS(c, "failed",
                "\"cc_feed\", \"now_ticks\": %d, \"state\": \"reset\", \"entry\": \"00\"",
                NOW) &&
           SAYS(c, "failed", "\"cc_feed\", \"now_ticks\": %d, \"state\": \"reset\"", NOW) &&
           SAYS(c, "failed",
                "\"cc_feed\", \"now_ticks\": 16777216, \"state\": \"reset\", \"entry\": "
                "\"%s\"",
                hex);
}

static bool config(struct tl_checker *c)
{
    int has = offered(tl_adapter_ask(c, c->has_cc ? "ok|unsupported" : "unsupported",
                                     "\"cc_config\", \"params\": {}"));

    if (has <= 0)
        return has == 0;
    return SAYS(c, "failed", "\"cc_config\", \"params\": {\"no_such_parameter\": 1}") &&
           SAYS(c, "failed", "\"cc_config\", \"params\": {\"min_fcwnd\": -1}") &&
           SAYS(c, "failed", "\"cc_config\", \"conn\": \"no such\", \"params\": {}");
}

/* A command with a good form, and one that must be refused. */
static bool has_and_refuses(struct tl_checker *c, const char *good, const char *bad)
{
    int has =
        offered(tl_adapter_ask(c, c->has_cc ? "ok|unsupported" : "unsupported", "%s", good));

    return has == 0 || (has > 0 && SAYS(c, "failed", "%s", bad));
}

static bool levels(struct tl_checker *c)
{
    static const char thresholds[] =
        "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30";
    char good[200], bad[200];

    (void)snprintf(good, sizeof good,
                   "\"rx_levels\", \"pool\": \"packets\", \"alpha\": 1024, \"thresholds\": "
                   "[%s, 31]",
                   thresholds);
    (void)snprintf(
        bad, sizeof bad,
        "\"rx_levels\", \"pool\": \"packets\", \"alpha\": 1024, \"thresholds\": [%s]",
        thresholds);
    return has_and_refuses(c, good, bad);
}

bool tl_check_cc(struct tl_checker *c)
{
    if (!config(c) || !feed(c) || !levels(c))
        return false;
    if (!c->has_cc)
        (void)snprintf(
            c->why, sizeof c->why,
            "it has none of them, and refuses them (docs/sut-protocol.md, Congestion "
            "control)");
    return true;
}

/* ---- entries of the queues ---- */

bool tl_check_cc_event(struct tl_checker *c, const json_t *event)
{
    const char *kind = json_string_value(json_object_get(event, "kind"));
    const char *hex = json_string_value(json_object_get(event, "entry"));
    const json_t *now = json_object_get(event, "now_ticks");
    uint8_t bytes[FAL_CC_ENTRY_LEN];

    if (kind == NULL || (strcmp(kind, "event") != 0 && strcmp(kind, "result") != 0))
        return tl_adapter_wrong(c, "event cc: kind: expected \"event\" or \"result\"");
    if (hex == NULL || fal_hex_read(hex, bytes, sizeof bytes) != FAL_CC_ENTRY_LEN)
        return tl_adapter_wrong(c, "event cc: entry: expected %d hex digits", HEX - 1);
    if (!json_is_integer(now) || json_integer_value(now) < 0 ||
        json_integer_value(now) > FAL_CC_TIME_MAX)
        return tl_adapter_wrong(c, "event cc: now_ticks: expected a number from 0 to %d",
                                FAL_CC_TIME_MAX);
    if (!json_is_string(json_object_get(event, "conn")))
        return tl_adapter_wrong(c, "event cc: conn: expected the handle of a connection");
    return true;
}

/* A push to a peer that does not exist is retransmitted, and each retransmission is an event
 * (10.6.1). In lockstep no time passes. */
static bool see_retransmissions(struct tl_checker *c)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    uint64_t before = c->shown;

    if (!SAYS(c, "ok|unsupported|busy",
              "\"post\", \"conn\": \"%s\", \"op\": \"push\", \"length\": 64, \"tag\": 2",
              c->conn))
        return false;
    for (unsigned i = 0; i < PAUSES && c->shown == before && c->adapter->ops->again != NULL;
         i++) {
        (void)nanosleep(&pause, NULL);
        if (!tl_adapter_alive(c))
            return false;
    }
    if (c->shown == before && c->adapter->ops->again != NULL)
        (void)snprintf(c->why, sizeof c->why,
                       "cc_trace is on, and no cc event came of a push to a peer that does not "
                       "exist");
    return true;
}

bool tl_check_cc_queues(struct tl_checker *c)
{
    char zeros[HEX];
    int traces;

    memset(zeros, '0', sizeof zeros - 1);
    zeros[HEX - 1] = 0;
    traces = offered(tl_adapter_ask(c, c->has_cc ? "ok|unsupported" : "unsupported",
                                    "\"cc_trace\", \"on\": true"));
    if (traces < 0 ||
        (traces > 0 && (!SAYS(c, "failed", "\"cc_trace\"") || !see_retransmissions(c))))
        return false;
    if (traces > 0 && !SAYS(c, "ok", "\"cc_trace\", \"on\": false"))
        return false;
    /* While the SUT's own RUE gives the results, one of the tester is refused. */
    return SAYS(c, c->has_cc ? "failed|unsupported" : "unsupported",
                "\"cc_result\", \"entry\": \"%s\"", zeros) &&
           has_and_refuses(c, "\"cc_engine\", \"who\": \"self\"",
                           "\"cc_engine\", \"who\": \"nobody\"");
}
