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

enum { HEX = 2 * FAL_CC_ENTRY_LEN + 1, CID = 77, NOW = 1000 };

/* ---- hello ---- */

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
    return true;
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

    if (hex == NULL || strlen(hex) != HEX - 1 ||
        fal_hex_read(hex, bytes, sizeof bytes) != FAL_CC_ENTRY_LEN)
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

bool tl_check_cc(struct tl_checker *c)
{
    if (!config(c) || !feed(c))
        return false;
    if (!c->has_cc)
        (void)snprintf(
            c->why, sizeof c->why,
            "it has none of them, and refuses them (docs/sut-protocol.md, Congestion "
            "control)");
    return true;
}
