/* SPDX-License-Identifier: Apache-2.0
 * sut_cc.c - congestion control of the built-in SUT. Its Rate Update Engine is Swift with PLB
 * (oracles/cc), where an option or cc_config asks for it; else windows are fixed. */
#include "harness/sut/cc/sut_cc.h"

#include "harness/sut/cc/sut_engine.h"

#include <stdlib.h>
#include <string.h>

enum { FED_MAX = 1024 };

static const enum tl_do verbs[] = {TL_DO_CC_CONFIG, TL_DO_CC_FEED,   TL_DO_CC_TRACE,
                                   TL_DO_CC_ENGINE, TL_DO_CC_RESULT, TL_DO_RX_LEVELS};

void tl_sut_cc_free(struct tl_sut_cc *cc)
{
    tl_sut_waiting_free(&cc->waiting);
    free(cc->fed);
    cc->fed = NULL;
    cc->num_fed = 0;
}

/* ---- the engine ---- */

static const struct tl_sut_conn *conn_with_cid(const struct tl_sut *sut, uint32_t cid)
{
    for (size_t i = 0; i < sut->num_conns; i++)
        if (sut->conns[i]->config.local.cid == cid)
            return sut->conns[i];
    return NULL;
}

/* Returns the Swift that changes the windows of a connection, or NULL if they are fixed. Swift
 * needs the times of packets, which only sealed packets carry (10.1). */
static const struct fal_swift *swift_of(const struct tl_sut *sut,
                                        const struct tl_sut_conn *conn)
{
    if (conn == NULL || !conn->config.security.on)
        return NULL;
    if (conn->swift != NULL)
        return conn->swift;
    return sut->cc.on ? &sut->cc.swift : NULL;
}

static void tell(struct tl_sut *sut, const struct tl_sut_conn *conn, enum tl_cc_kind kind,
                 const uint8_t entry[FAL_CC_ENTRY_LEN], uint32_t now_ticks)
{
    struct tl_protocol_event event = {
        .kind = FAL_EV_CM, .is_cc = true, .cc = {.kind = kind, .now_ticks = now_ticks}};

    memcpy(event.cc.entry, entry, sizeof event.cc.entry);
    if (kind == TL_CC_EVENT)
        tl_sut_engine_spoil(&sut->config.engine, sut->config.engine.format, event.cc.entry);
    tl_sut_tell(sut, conn, &event);
}

static void trace(struct tl_sut *sut, const struct tl_sut_conn *conn, enum fal_cc_entry entry,
                  const void *host, uint32_t now_ticks)
{
    uint8_t bytes[FAL_CC_ENTRY_LEN] = {0};

    if (conn == NULL || !sut->cc.trace)
        return;
    /* Each member fits its field: it was made for it. */
    FAL_IGNORE(fal_cc_encode(fal_endpoint_entry_format(sut->endpoint, conn->number), entry,
                             host, bytes, NULL));
    tell(sut, conn, entry == FAL_CC_ENTRY_EVENT ? TL_CC_EVENT : TL_CC_RESULT, bytes, now_ticks);
}

/* Makes the result of an event, and shows both. A connection with fixed windows keeps them. */
static void process_as(struct tl_sut *sut, const struct tl_sut_conn *conn,
                       struct fal_cc_state *state, uint32_t now_ticks,
                       const struct fal_cc_event *event, struct fal_cc_result *result)
{
    const struct fal_swift *swift = swift_of(sut, conn);

    if (++sut->cc.results % 4 == 0 &&
        fal_fault_in(&sut->config.faults, FAL_FAULT_RESULT_MISSING))
        return; /* `result` leaves everything as it is. */
    if (swift != NULL)
        tl_sut_engine_process(&sut->config.engine, (void *)swift, state, now_ticks, event,
                              result);
    trace(sut, conn, FAL_CC_ENTRY_RESULT, result, now_ticks);
}

static void process(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                    const struct fal_cc_event *event, struct fal_cc_result *result)
{
    struct tl_sut *sut = ctx;
    const struct tl_sut_conn *conn = conn_with_cid(sut, event->connection_id);

    trace(sut, conn, FAL_CC_ENTRY_EVENT, event, now_ticks);
    process_as(sut, conn, state, now_ticks, event, result);
}

void tl_sut_cc_event(struct tl_sut *sut, const struct tl_sut_conn *conn,
                     const uint8_t entry[FAL_CC_ENTRY_LEN], uint64_t now_ns)
{
    if (sut->cc.tester || sut->cc.trace)
        tell(sut, conn, TL_CC_EVENT, entry, fal_endpoint_ticks(sut->endpoint));
    if (!sut->cc.tester)
        /* Without memory the event is lost. */
        FAL_IGNORE(tl_sut_waiting_add(&sut->cc.waiting, &sut->config.engine, entry, now_ns));
}

uint64_t tl_sut_cc_deadline(const struct tl_sut *sut)
{
    return tl_sut_waiting_due(&sut->cc.waiting);
}

/* The engine reads what the endpoint writes, even where both differ from what is declared. */
static enum fal_cc_format own_format(const struct tl_sut *sut)
{
    enum fal_cc_format format = sut->config.engine.format;

    if (!fal_fault_in(&sut->config.faults, FAL_FAULT_ENTRY_BIT_ORDER))
        return format;
    return format == FAL_CC_TABLE_MSB ? FAL_CC_GEN1_LSB : FAL_CC_TABLE_MSB;
}

static void give_result(struct tl_sut *sut, const uint8_t entry[FAL_CC_ENTRY_LEN],
                        uint64_t now_ns)
{
    uint8_t bytes[FAL_CC_ENTRY_LEN] = {0};
    const struct fal_endpoint_in in = {.kind = FAL_IN_RUE, .bytes = bytes, .len = sizeof bytes};
    const struct fal_endpoint_in tick = {.kind = FAL_IN_TICK};
    struct fal_cc_event event;
    struct fal_cc_result result;
    struct tl_sut_conn *conn;

    if (fal_cc_decode(own_format(sut), FAL_CC_ENTRY_EVENT, entry, FAL_CC_ENTRY_LEN, &event) < 0)
        return;
    /* The endpoint's clock is that of its last input. */
    FAL_IGNORE(fal_endpoint_input(sut->endpoint, &tick, now_ns, NULL));
    conn = (struct tl_sut_conn *)conn_with_cid(sut, event.connection_id);
    /* Windows that are fixed stay as they are now, not as they were when the event was made. */
    if (conn != NULL && swift_of(sut, conn) == NULL)
        FAL_IGNORE(fal_endpoint_cc(sut->endpoint, conn->number, &event));
    fal_cc_unchanged(&event, &result);
    if (conn != NULL)
        process_as(sut, conn, &conn->cc, fal_endpoint_ticks(sut->endpoint), &event, &result);
    /* Each member fits its field: it was read from one, or calculated. */
    FAL_IGNORE(
        fal_cc_encode(sut->config.engine.format, FAL_CC_ENTRY_RESULT, &result, bytes, NULL));
    /* A result may name no connection: a fault, or its connection was closed. */
    FAL_IGNORE(fal_endpoint_input(sut->endpoint, &in, now_ns, NULL));
}

void tl_sut_cc_tick(struct tl_sut *sut, uint64_t now_ns)
{
    while (tl_sut_waiting_due(&sut->cc.waiting) <= now_ns) {
        uint8_t entry[FAL_CC_ENTRY_LEN];

        tl_sut_waiting_take(&sut->cc.waiting, entry);
        give_result(sut, entry, now_ns);
        tl_sut_pump(sut, now_ns);
    }
}

/* Gives the endpoint the engine that the commands so far ask for. Without one it makes no
 * events at all. */
static void arrange(struct tl_sut *sut)
{
    const struct tl_sut_cc *cc = &sut->cc;
    bool asked = cc->on || cc->some || cc->trace;
    bool late = sut->config.engine.latency_ns > 0 && asked;
    struct fal_rue_config rue = tl_sut_engine_config(&sut->config.engine, cc->tester || late);

    if (!rue.outside && asked)
        rue.policy = (struct fal_rue_policy){process, sut};
    if (cc->tester)
        tl_sut_waiting_free(&sut->cc.waiting);
    fal_endpoint_rue(sut->endpoint, &rue);
}

void tl_sut_cc_begin(struct tl_sut *sut)
{
    struct tl_sut_cc *cc = &sut->cc;
    struct fal_swift_params params;

    tl_sut_cc_free(cc);
    fal_swift_params_default(&params);
    *cc = (struct tl_sut_cc){.on = sut->config.engine.swift || sut->config.engine.other};
    /* The defaults are valid. */
    FAL_IGNORE(tl_sut_engine_swift(&sut->config.engine, &params, &cc->swift, NULL));
    arrange(sut);
    fal_endpoint_rx_levels(sut->endpoint, FAL_RX_PACKETS, NULL);
    fal_endpoint_rx_levels(sut->endpoint, FAL_RX_BUFFERS, NULL);
}

/* Events state the target delay, and Swift takes it from there. */
static int set_target(struct tl_sut *sut, const struct tl_sut_conn *conn, uint64_t now_ns)
{
    const struct fal_swift *swift = swift_of(sut, conn);
    struct fal_cc_result result;
    struct fal_cc_event now;

    if (swift == NULL || fal_endpoint_cc(sut->endpoint, conn->number, &now) != 0 ||
        now.base_delay_target == (uint32_t)swift->params.base_delay_target)
        return 0;
    fal_cc_unchanged(&now, &result);
    result.base_delay_target = (uint32_t)swift->params.base_delay_target;
    return fal_endpoint_apply(sut->endpoint, conn->number, &result, now_ns);
}

void tl_sut_cc_opened(struct tl_sut *sut, const struct tl_sut_conn *conn, uint64_t now_ns)
{
    FAL_IGNORE(set_target(sut, conn, now_ns)); /* Nothing waits to be sent yet. */
}

/* ---- commands ---- */

bool tl_sut_cc_offered(const struct tl_sut *sut)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (tl_limits_allow(&sut->config.limits, verbs[i]))
            return true;
    return false;
}

/* Which ACKs give an event while the queue is empty: a variant may need more than others. */
static const char *when_empty(const struct tl_twins *twins)
{
    bool p1 = twins->random || fal_twin_in(&twins->set, FAL_TWIN_RUE_EVENT_AFTER_TIME);
    bool p2 = twins->random || fal_twin_in(&twins->set, FAL_TWIN_RUE_EVENT_AFTER_PACKETS);

    return p1 && p2 ? "both" : p1 ? "p1" : p2 ? "p2" : "always";
}

/* `event_policy` of hello. */
static json_t *policy_of(const struct tl_sut *sut)
{
    const struct tl_twins *twins = &sut->config.twins;
    const struct fal_rue_config rue = tl_sut_engine_config(&sut->config.engine, false);
    uint64_t p1_ns = rue.p1_ns > 0 ? rue.p1_ns : FAL_RUE_P1_NS;
    uint64_t p2 = rue.p2_packets > 0 ? rue.p2_packets : FAL_RUE_P2_PACKETS;
    bool bytes = fal_twin_in(&twins->set, FAL_TWIN_RUE_P2_COUNTS_BYTES);

    return json_pack("{s:s, s:I, s:I, s:s}", "when_empty", when_empty(twins), "p1_ns",
                     (json_int_t)p1_ns, "p2", (json_int_t)(bytes ? p2 * FAL_RUE_P2_BYTES : p2),
                     "p2_metric",
                     twins->random ? "other"
                     : bytes       ? "bytes"
                                   : "packets");
}

json_t *tl_sut_cc_hello(const struct tl_sut *sut)
{
    const struct tl_engine *engine = &sut->config.engine;

    return json_pack("{s:s, s:i, s:I, s:s, s:b, s:o, s:{s:i, s:i}}", "format",
                     fal_name_of(&fal_names_cc_format, engine->format), "gap_tick_ps",
                     (int)tl_sut_engine_gap_tick_ps(engine), "rue_latency_ns",
                     (json_int_t)engine->latency_ns, "algorithm",
                     engine->other ? "other" : "swift", "moves_limits",
                     engine->swift || engine->other, "event_policy", policy_of(sut),
                     "event_queues", "number", 1, "entries", (int)FAL_RUE_RING);
}

enum tl_sut_done tl_sut_cc_config(struct tl_sut *sut, struct tl_protocol_command *command,
                                  json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    struct tl_sut_conn *conn = command->conn != NULL ? tl_sut_conn_of(sut, command, err) : NULL;
    struct fal_swift_params params = sut->cc.swift.params;
    struct fal_swift swift;
    int rc = 0;

    (void)reply;
    if (command->conn != NULL && conn == NULL)
        return TL_SUT_FAILED;
    if (conn != NULL && conn->swift != NULL)
        params = conn->swift->params;
    if (tl_protocol_swift(command->swift, &params, err) != 0 ||
        tl_sut_engine_swift(&sut->config.engine, &params, &swift, err) != 0)
        return TL_SUT_FAILED;
    if (conn == NULL) {
        sut->cc.swift = swift;
        sut->cc.on = true;
        for (size_t i = 0; i < sut->num_conns; i++) {
            free(sut->conns[i]->swift);
            sut->conns[i]->swift = NULL;
        }
    } else {
        if (conn->swift == NULL)
            conn->swift = malloc(sizeof swift);
        if (conn->swift == NULL)
            return tl_sut_refused(FAL_ERR_MEM, "cc_config", err);
        *conn->swift = swift;
        sut->cc.some = true;
    }
    arrange(sut);
    for (size_t i = 0; rc == 0 && i < sut->num_conns; i++)
        rc = set_target(sut, sut->conns[i], now_ns);
    return rc == 0 ? TL_SUT_DONE : tl_sut_refused(rc, "cc_config", err);
}

/* Returns the state that the engine keeps of the connection with that CID. NULL with `err`: it
 * keeps the states of too many. */
static struct fal_cc_state *fed_state(struct tl_sut_cc *cc, uint32_t cid, struct fal_error *err)
{
    if (cc->fed == NULL)
        cc->fed = calloc(FED_MAX, sizeof *cc->fed);
    for (size_t i = 0; cc->fed != NULL && i < cc->num_fed; i++)
        if (cc->fed[i].cid == cid)
            return &cc->fed[i].state;
    if (cc->fed == NULL || cc->num_fed == FED_MAX) {
        (void)fal_fail(
            err, FAL_ERR_MEM,
            "cc_feed: the states of %d connections are kept, and this is another one", FED_MAX);
        return NULL;
    }
    cc->fed[cc->num_fed] = (struct tl_sut_fed){.cid = cid};
    return &cc->fed[cc->num_fed++].state;
}

/* The engine as a function: nothing of a connection is read or changed, but its parameters. */
enum tl_sut_done tl_sut_cc_feed(struct tl_sut *sut, struct tl_protocol_command *command,
                                json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    enum fal_cc_format format = sut->config.engine.format;
    const struct tl_sut_conn *conn;
    struct fal_cc_event event;
    struct fal_cc_result result;
    struct fal_cc_state *state;
    struct fal_swift *swift = &sut->cc.swift;
    uint8_t entry[FAL_CC_ENTRY_LEN] = {0};

    (void)now_ns;
    if (fal_cc_decode(format, FAL_CC_ENTRY_EVENT, command->entry, sizeof command->entry,
                      &event) < 0 ||
        event.event_type > FAL_CC_RETRANSMIT) {
        (void)fal_fail(err, FAL_ERR_FORM,
                       "entry: event_type %u is reserved; there are 0 (ACK), 1 (NACK) and 2 "
                       "(retransmission)",
                       event.event_type);
        return TL_SUT_FAILED;
    }
    state = fed_state(&sut->cc, event.connection_id, err);
    if (state == NULL)
        return TL_SUT_BUSY;
    conn = conn_with_cid(sut, event.connection_id);
    if (conn != NULL && conn->swift != NULL)
        swift = conn->swift;
    if (command->state == TL_CC_STATE_RESET)
        *state = (struct fal_cc_state){0};
    tl_sut_engine_process(&sut->config.engine, swift, state, command->now_ticks, &event,
                          &result);
    /* Each member fits its field: it was read from one, or calculated. */
    FAL_IGNORE(fal_cc_encode(format, FAL_CC_ENTRY_RESULT, &result, entry, NULL));
    (void)json_object_set_new(reply, "entry", tl_protocol_entry(entry));
    return TL_SUT_DONE;
}

enum tl_sut_done tl_sut_cc_trace(struct tl_sut *sut, struct tl_protocol_command *command,
                                 json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    (void)reply;
    (void)now_ns;
    (void)err;
    sut->cc.trace = command->on;
    arrange(sut);
    return TL_SUT_DONE;
}

enum tl_sut_done tl_sut_cc_engine(struct tl_sut *sut, struct tl_protocol_command *command,
                                  json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    (void)reply;
    (void)now_ns;
    (void)err;
    sut->cc.tester = command->who == TL_CC_TESTER;
    sut->cc.some |= sut->cc.tester;
    arrange(sut);
    return TL_SUT_DONE;
}

enum tl_sut_done tl_sut_cc_result(struct tl_sut *sut, struct tl_protocol_command *command,
                                  json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    uint8_t bytes[FAL_CC_ENTRY_LEN];
    const struct fal_endpoint_in in = {.kind = FAL_IN_RUE, .bytes = bytes, .len = sizeof bytes};
    const struct tl_sut_conn *conn;
    struct fal_cc_result result;
    struct fal_cc_event now;
    int rc;

    (void)reply;
    memcpy(bytes, command->entry, sizeof bytes);
    if (!sut->cc.tester) {
        (void)fal_fail(err, FAL_ERR_TYPE,
                       "cc_result: the SUT gives results itself; send cc_engine first");
        return TL_SUT_FAILED;
    }
    rc = fal_cc_decode(sut->config.engine.format, FAL_CC_ENTRY_RESULT, in.bytes, in.len,
                       &result);
    conn = rc >= 0 ? conn_with_cid(sut, result.connection_id) : NULL;
    if (conn == NULL) {
        (void)fal_fail(err, FAL_ERR_RANGE, "entry: no connection has the connection_id %u",
                       (unsigned)result.connection_id);
        return TL_SUT_FAILED;
    }
    if (fal_endpoint_cc(sut->endpoint, conn->number, &now) == 0) {
        tl_sut_engine_ignore(&sut->config.engine, &now, &result);
        /* Each member fits its field: it was read from one. */
        FAL_IGNORE(fal_cc_encode(sut->config.engine.format, FAL_CC_ENTRY_RESULT, &result, bytes,
                                 NULL));
    }
    rc = fal_endpoint_input(sut->endpoint, &in, now_ns, NULL);
    if (rc != 0)
        return tl_sut_refused(rc, "cc_result", err);
    if (sut->cc.trace)
        tell(sut, conn, TL_CC_RESULT, command->entry, fal_endpoint_ticks(sut->endpoint));
    return TL_SUT_DONE;
}

enum tl_sut_done tl_sut_rx_levels(struct tl_sut *sut, struct tl_protocol_command *command,
                                  json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    struct fal_occupancy levels = {.alpha = command->alpha};

    (void)reply;
    (void)now_ns;
    _Static_assert((int)TL_RX_THRESHOLDS == FAL_LEVEL_THRESHOLDS, "levels of 10.2");
    _Static_assert((int)TL_RX_ALPHA_ONE == FAL_ALPHA_ONE, "the unit of alpha");
    for (size_t i = 0; i < FAL_LEVEL_THRESHOLDS; i++) {
        levels.threshold[i] = command->thresholds[i];
        if (i > 0 && levels.threshold[i] < levels.threshold[i - 1]) {
            (void)fal_fail(err, FAL_ERR_RANGE,
                           "thresholds[%zu] is less than the threshold before it", i);
            return TL_SUT_FAILED;
        }
    }
    fal_endpoint_rx_levels(sut->endpoint,
                           command->pool == TL_RX_PACKETS ? FAL_RX_PACKETS : FAL_RX_BUFFERS,
                           &levels);
    return TL_SUT_DONE;
}
