/* SPDX-License-Identifier: Apache-2.0
 * sut_command.c - carries out the commands of the SUT control protocol: from a line to its
 * answer. */
#include "harness/claims/ics.h"
#include "harness/sut/cc/sut_cc.h"
#include "harness/sut/words/sut_words.h"

#include "harness/doc/json_member.h"
#include "harness/doc/version.h"
#include "harness/wire/control_io.h"
#include "oracles/payload.h"

#include <inttypes.h>
#include <string.h>

static const char *done_name(enum tl_sut_done done)
{
    switch (done) {
    case TL_SUT_DONE: break;
    case TL_SUT_FAILED: return "failed";
    case TL_SUT_BUSY: return "busy";
    case TL_SUT_UNSUPPORTED: return "unsupported";
    }
    return "";
}

enum tl_sut_done tl_sut_refused(int code, const char *what, struct fal_error *err)
{
    if (code == FAL_ERR_MEM) {
        (void)fal_fail(err, code, "%s: out of memory", what);
        return TL_SUT_BUSY;
    }
    (void)fal_fail(err, code, "%s: the endpoint refuses it: out of range", what);
    return TL_SUT_FAILED;
}

struct tl_sut_conn *tl_sut_conn_of(const struct tl_sut *sut,
                                   const struct tl_protocol_command *command,
                                   struct fal_error *err)
{
    struct tl_sut_conn *conn = NULL;
    const char *name = command->conn;
    uint32_t id = 0;

    if (name == NULL) {
        (void)fal_fail(err, FAL_ERR_FORM, "conn: missing; expected the handle of a connection");
        return NULL;
    }
    if (name[0] == 'c' && name[1] >= '1' && name[1] <= '9' && strlen(name) <= 10 &&
        strspn(name + 1, "0123456789") == strlen(name + 1)) {
        for (const char *digit = name + 1; *digit != 0; digit++)
            id = id * 10 + (uint32_t)(*digit - '0');
        conn = tl_sut_conn_with_id(sut, id);
    }
    if (conn == NULL)
        (void)fal_fail(err, FAL_ERR_FORM, "conn: unknown connection '%.40s'", name);
    return conn;
}

struct tl_sut_conn *tl_sut_raw_conn_of(const struct tl_sut *sut,
                                       const struct tl_protocol_command *command,
                                       struct fal_error *err)
{
    struct tl_sut_conn *conn = tl_sut_conn_of(sut, command, err);

    if (conn == NULL || conn->upper == TL_UPPER_RAW)
        return conn;
    (void)fal_fail(err, FAL_ERR_RANGE,
                   "conn: %s was opened with \"upper\": \"%s\"; %s is for raw connections "
                   "(use %s)",
                   conn->name, tl_protocol_upper(conn->upper), tl_protocol_verb(command->verb),
                   conn->upper == TL_UPPER_NVME ? "nvme_post" : "post_send and post_recv");
    return NULL;
}

/* Cases that may play at the same time. */
enum { PARALLEL = 32 };

/* The levels that it offers: ["L0", ...]. */
static json_t *levels(const struct tl_sut *sut)
{
    json_t *list = json_array();

    for (unsigned i = 0; i <= tl_limits_level(&sut->config.limits); i++)
        if (json_array_append_new(list, json_sprintf("L%u", i)) != 0) {
            json_decref(list);
            return NULL;
        }
    if (tl_sut_cc_offered(sut))
        (void)json_array_append_new(list, json_string("Lc"));
    tl_sut_words_levels(sut, list);
    return list;
}

static enum tl_sut_done hello(struct tl_sut *sut, struct tl_protocol_command *command,
                              json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    struct tl_ics ics;
    json_t *identity;

    (void)now_ns;
    if (command->version != TL_PROTOCOL_VERSION) {
        (void)fal_fail(err, FAL_ERR_FORM, "version: this is version %d, not %" PRIu32,
                       TL_PROTOCOL_VERSION, command->version);
        return TL_SUT_UNSUPPORTED;
    }
    tl_ics_builtin(&ics);
    if (sut->config.twins.random ||
        fal_twin_in(&sut->config.twins.set, FAL_TWIN_PULL_DATA_FIRST))
        ics.items[TL_ICS_QOS] = TL_ICS_YES;
    identity = json_pack("{s:i, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:b}", "version",
                         TL_PROTOCOL_VERSION, "vendor", "Talon", "product", "built-in endpoint",
                         "firmware", TL_VERSION, "serial", "1", "levels", levels(sut), "ics",
                         tl_ics_items(&ics), "clock", "none", "ordered_events", 1);
    (void)json_object_set_new(identity, "parallel", json_integer(PARALLEL));
    tl_sut_words_hello(sut, identity);
    if (tl_sut_cc_offered(sut))
        (void)json_object_set_new(identity, "cc", tl_sut_cc_hello(sut));
    if (sut->config.echo_port != 0)
        (void)json_object_set_new(identity, "echo_port", json_integer(sut->config.echo_port));
    if (identity == NULL || json_object_update(reply, identity) != 0) {
        json_decref(identity);
        return tl_sut_refused(FAL_ERR_MEM, "hello", err);
    }
    json_decref(identity);
    return TL_SUT_DONE;
}

static enum tl_sut_done post(struct tl_sut *sut, struct tl_protocol_command *command,
                             json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    struct tl_sut_conn *conn = tl_sut_raw_conn_of(sut, command, err);
    struct fal_endpoint_in in = {
        .kind = FAL_IN_POST, .op = command->op, .length = command->length, .tag = command->tag};
    uint32_t rsn = 0;
    int rc;

    (void)reply;
    if (conn == NULL)
        return TL_SUT_FAILED;
    in.conn = conn->number;
    if (in.op == FAL_OP_PUSH) {
        fal_payload_fill(in.tag, command->seed, sut->payload, in.length);
        in.payload = sut->payload;
        in.payload_len = in.length;
    }
    rc = fal_endpoint_input(sut->endpoint, &in, now_ns, &rsn);
    if (rc != 0)
        return tl_sut_refused(rc, "post", err);
    sut->reply.reply.rsn = rsn;
    sut->reply.reply.has_rsn = true;
    return TL_SUT_DONE;
}

static enum tl_sut_done policy(struct tl_sut *sut, struct tl_protocol_command *command,
                               json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    struct tl_sut_conn *conn = tl_sut_raw_conn_of(sut, command, err);

    (void)reply;
    (void)now_ns;
    if (conn == NULL)
        return TL_SUT_FAILED;
    tl_ulp_take_rules(&conn->ulp, command->rules, command->num_rules);
    command->rules = NULL;
    command->num_rules = 0;
    return TL_SUT_DONE;
}

static enum tl_sut_done respond(struct tl_sut *sut, struct tl_protocol_command *command,
                                json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    struct tl_sut_conn *conn = tl_sut_raw_conn_of(sut, command, err);
    struct fal_scripted_answer plan = {.answer = command->answer,
                                       .rnr_ns = command->rnr_ns,
                                       .code = command->code,
                                       .seed = command->seed};
    struct fal_scripted_request *request;
    const char *why;
    uint32_t rsn = command->rsn;
    int rc;

    (void)reply;
    if (conn == NULL)
        return TL_SUT_FAILED;
    request = fal_scripted_find(&conn->ulp, rsn);
    if (request == NULL) {
        (void)fal_fail(
            err, FAL_ERR_FORM,
            "rsn: no request %" PRIu32
            " is waiting for an answer: it was not delivered, or was answered already",
            rsn);
        return TL_SUT_FAILED;
    }
    why = fal_scripted_unfit(request, plan.answer);
    if (why != NULL) {
        (void)fal_fail(err, FAL_ERR_FORM, "request %" PRIu32 ": %s", rsn, why);
        return TL_SUT_FAILED;
    }
    plan.length = command->has_length ? command->length : request->length;
    plan.tag = command->has_tag ? command->tag : rsn;
    if (plan.answer == FAL_ANSWER_DATA && plan.length > request->length) {
        (void)fal_fail(err, FAL_ERR_FORM,
                       "length: %" PRIu32 " is more than the %" PRIu32 " bytes asked for",
                       plan.length, request->length);
        return TL_SUT_FAILED;
    }
    if (plan.answer == FAL_ANSWER_DATA && plan.length > conn->config.params.mtu) {
        (void)fal_fail(err, FAL_ERR_FORM, "length: %" PRIu32 " is more than the MTU, %" PRIu32,
                       plan.length, conn->config.params.mtu);
        return TL_SUT_FAILED;
    }
    rc = tl_sut_answer(sut, conn, request, &plan, now_ns);
    if (rc == FAL_ERR_RANGE) {
        request->used = false; /* the initiator has given it up by a resync */
        (void)fal_fail(err, rc, "request %" PRIu32 ": the initiator has given it up", rsn);
        return TL_SUT_FAILED;
    }
    if (rc != 0)
        return tl_sut_refused(rc, "respond", err);
    fal_scripted_answered(request, plan.answer);
    return TL_SUT_DONE;
}

static enum tl_sut_done barrier(struct tl_sut *sut, struct tl_protocol_command *command,
                                json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    const struct fal_endpoint_in in = {.kind = FAL_IN_BARRIER};

    (void)reply;
    if (command->conn != NULL && tl_sut_conn_of(sut, command, err) == NULL)
        return TL_SUT_FAILED;
    /* Without memory the input is lost. */
    FAL_IGNORE(fal_endpoint_input(sut->endpoint, &in, now_ns, NULL));
    tl_sut_pump(sut, now_ns);
    /* Events are queued when they are caused; report now those that could not be stored. */
    tl_sut_tell_dropped(sut);
    return TL_SUT_DONE;
}

static enum tl_sut_done counters(struct tl_sut *sut, struct tl_protocol_command *command,
                                 json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    (void)command;
    (void)reply;
    (void)now_ns;
    (void)err;
    sut->reply.has_counts = true;
    sut->reply.frames_received = sut->frames_received;
    sut->reply.frames_sent = sut->frames_sent;
    sut->reply.has_late = sut->config.live;
    sut->reply.late_ns = sut->late_ns;
    return TL_SUT_DONE;
}

static json_t *bitmap(fal_u128 bits)
{
    return json_sprintf("0x%016" PRIx64 "%016" PRIx64, fal_u128_hi(bits), fal_u128_lo(bits));
}

static enum tl_sut_done state(struct tl_sut *sut, struct tl_protocol_command *command,
                              json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    struct tl_sut_conn *conn = tl_sut_conn_of(sut, command, err);
    struct fal_endpoint_state s;
    json_t *object;
    int rc;

    (void)now_ns;
    if (conn == NULL)
        return TL_SUT_FAILED;
    rc = fal_endpoint_state(sut->endpoint, conn->number, &s);
    if (rc != 0)
        return tl_sut_refused(rc, "state", err);
    object =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:i, s:I, s:I, s:I}",
                  "tx_rbpsn", (json_int_t)s.tx_rbpsn, "tx_rnpsn", (json_int_t)s.tx_rnpsn,
                  "tx_dbpsn", (json_int_t)s.tx_dbpsn, "tx_dnpsn", (json_int_t)s.tx_dnpsn,
                  "rx_rbpsn", (json_int_t)s.rx_rbpsn, "rx_dbpsn", (json_int_t)s.rx_dbpsn,
                  "req_bitmap", json_sprintf("0x%016" PRIx64, s.req_bitmap), "data_ack_bitmap",
                  bitmap(s.data_ack_bitmap), "data_rx_bitmap", bitmap(s.data_rx_bitmap), "own",
                  (int)s.own, "nrsn", (json_int_t)s.nrsn, "open_initiated",
                  (json_int_t)s.open_initiated, "open_received", (json_int_t)s.open_received);
    if (object == NULL)
        return tl_sut_refused(FAL_ERR_MEM, "state", err);
    (void)json_object_set_new(reply, "state", object);
    return TL_SUT_DONE;
}

static enum tl_sut_done no_clock(struct tl_sut *sut, struct tl_protocol_command *command,
                                 json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    (void)sut;
    (void)command;
    (void)reply;
    (void)now_ns;
    (void)fal_fail(err, FAL_ERR_TYPE,
                   "the built-in SUT has no time stamps: its links carry no clock");
    return TL_SUT_UNSUPPORTED;
}

static tl_sut_command *const commands[TL_DO_COUNT] = {
    [TL_DO_BARRIER] = barrier,
    [TL_DO_CC_CONFIG] = tl_sut_cc_config,
    [TL_DO_CC_ENGINE] = tl_sut_cc_engine,
    [TL_DO_CC_FEED] = tl_sut_cc_feed,
    [TL_DO_CC_RESULT] = tl_sut_cc_result,
    [TL_DO_CC_TRACE] = tl_sut_cc_trace,
    [TL_DO_CLOCK] = no_clock,
    [TL_DO_CLOSE] = tl_sut_close,
    [TL_DO_COUNTERS] = counters,
    [TL_DO_HELLO] = hello,
    [TL_DO_OPEN] = tl_sut_open,
    [TL_DO_POLICY] = policy,
    [TL_DO_POST] = post,
    [TL_DO_RESET] = tl_sut_reset,
    [TL_DO_RESPOND] = respond,
    [TL_DO_ROTATE_KEYS] = tl_sut_rotate,
    [TL_DO_RX_LEVELS] = tl_sut_rx_levels,
    [TL_DO_SET] = tl_sut_set,
    [TL_DO_STATE] = state,
};

/* Commands whose replies have no members but those of struct tl_protocol_said. */
static bool is_plain(const struct tl_protocol_command *command)
{
    switch (command->verb) {
    case TL_DO_POST:
    case TL_DO_POLICY:
    case TL_DO_RESPOND:
    case TL_DO_SET:
    case TL_DO_BARRIER:
    case TL_DO_COUNTERS:
    case TL_DO_CLOSE:
    case TL_DO_CC_CONFIG:
    case TL_DO_CC_TRACE:
    case TL_DO_CC_ENGINE:
    case TL_DO_CC_RESULT:
    case TL_DO_RX_LEVELS:
    case TL_DO_RESET: return true;
    case TL_DO_OPEN: return !command->has_security || command->opening != NULL;
    case TL_DO_HELLO:
    case TL_DO_STATE:
    case TL_DO_CLOCK:
    case TL_DO_CC_FEED:
    case TL_DO_ROTATE_KEYS:
    case TL_DO_PD_CREATE:
    case TL_DO_CQ_CREATE:
    case TL_DO_SRQ_CREATE:
    case TL_DO_MR_REG:
    case TL_DO_MR_DEREG:
    case TL_DO_MR_FILL:
    case TL_DO_MR_HASH:
    case TL_DO_MR_WORD:
    case TL_DO_QP_CREATE:
    case TL_DO_QP_CONNECT:
    case TL_DO_AH_CREATE:
    case TL_DO_QP_QUERY:
    case TL_DO_POST_SEND:
    case TL_DO_POST_RECV:
    case TL_DO_CQ_ARM:
    case TL_DO_NVME_NS:
    case TL_DO_NVME_LBA:
    case TL_DO_NVME_POST:
    case TL_DO_DEV_FORMAT:
    case TL_DO_DEV_FILL:
    case TL_DO_DEV_HASH:
    case TL_DO_DEV_POLICY:
    case TL_DO_DEV_COMPLETE:
    case TL_DO_DEV_IDENTIFY: break;
    }
    return false;
}

/* *reply receives a new object, or NULL: the reply is sut->reply. */
static enum tl_sut_done carry_out(struct tl_sut *sut, struct tl_protocol_command *command,
                                  json_t **reply, uint64_t now_ns, struct fal_error *err)
{
    enum tl_sut_done done;

    if (!tl_limits_allow(&sut->config.limits, command->verb)) {
        (void)fal_fail(err, FAL_ERR_TYPE, "this adapter has no %s",
                       tl_protocol_verb(command->verb));
        return TL_SUT_UNSUPPORTED;
    }
    sut->reply = (struct tl_protocol_said){
        .reply = {.id = command->id, .epoch = (uint64_t)sut->epoch, .ok = true}};
    if (is_plain(command))
        return commands[command->verb](sut, command, NULL, now_ns, err);
    *reply = tl_protocol_said_write(&sut->reply);
    if (*reply == NULL)
        return tl_sut_refused(FAL_ERR_MEM, "reply", err);
    done = (tl_protocol_is_word(command->verb) ? tl_sut_word : commands[command->verb])(
        sut, command, *reply, now_ns, err);
    if (done == TL_SUT_DONE && sut->reply.opened) { /* the other members of this reply */
        json_t *plain = tl_protocol_said_write(&sut->reply);

        (void)json_object_update_missing(*reply, plain);
        json_decref(plain);
    }
    return done;
}

/* 0, or FAL_ERR_FORM with `err`: the command is of another epoch. */
static int check_epoch(const struct tl_sut *sut, const struct tl_protocol_command *command,
                       struct fal_error *err)
{
    if (command->epoch == (uint64_t)sut->epoch)
        return 0;
    return fal_fail(err, FAL_ERR_FORM, "epoch: %" PRIu64 " is not the current one, %" PRId64,
                    command->epoch, sut->epoch);
}

static enum tl_sut_done run(struct tl_sut *sut, const json_t *object, json_t **reply,
                            uint64_t now_ns, struct fal_error *err)
{
    struct tl_protocol_command command;
    enum tl_sut_done done;
    int rc = tl_protocol_command_head(object, &command, err);

    if (rc == FAL_ERR_FORM)
        return TL_SUT_FAILED;
    if (check_epoch(sut, &command, err) != 0)
        return TL_SUT_FAILED;
    if (rc != 0)
        return TL_SUT_UNSUPPORTED;
    rc = tl_protocol_command_read(object, &command, err);
    if (rc != 0)
        return rc == FAL_ERR_MEM ? TL_SUT_BUSY : TL_SUT_FAILED;
    done = carry_out(sut, &command, reply, now_ns, err);
    tl_protocol_command_free(&command);
    return done;
}

/* Sends an answer: `reply` with the members that the command added, or the error. Takes the
 * reference of `reply`, which is NULL for plain commands. */
static void answer(struct tl_sut *sut, uint64_t id, int64_t epoch, json_t *reply,
                   enum tl_sut_done done, struct fal_error *err)
{
    if (done == TL_SUT_DONE) {
        tl_sut_reply(sut, reply);
        return;
    }
    json_decref(reply);
    tl_clean_text(err->text); /* the message may quote input that was cut within a character */
    tl_sut_reply(sut, json_pack("{s:I, s:I, s:s, s:s}", "id", (json_int_t)id, "epoch",
                                (json_int_t)epoch, "error", done_name(done), "why", err->text));
}

void tl_sut_apply_object(struct tl_sut *sut, json_t *command, uint64_t now_ns)
{
    struct fal_error err = {""};
    int64_t epoch =
        sut->epoch; /* the epoch of the answer: a reset is answered in the old one */
    uint64_t id = 0;
    json_t *reply = NULL;
    enum tl_sut_done done;

    if (tl_protocol_id(command, &id, &err) != 0) {
        answer(sut, 0, epoch, NULL, TL_SUT_FAILED, &err);
        return;
    }
    done = run(sut, command, &reply, now_ns, &err);
    answer(sut, id, epoch, reply, done, &err);
}

void tl_sut_apply_command(struct tl_sut *sut, struct tl_protocol_command *command,
                          uint64_t now_ns)
{
    struct fal_error err = {""};
    int64_t epoch = sut->epoch; /* as above */
    json_t *reply = NULL;
    enum tl_sut_done done = check_epoch(sut, command, &err) == 0
                                ? carry_out(sut, command, &reply, now_ns, &err)
                                : TL_SUT_FAILED;

    answer(sut, command->id, epoch, reply, done, &err);
}

void tl_sut_apply(struct tl_sut *sut, const char *line, size_t len, uint64_t now_ns)
{
    struct fal_error err = {""};
    json_t *command;

    if (len > TL_LINE_MAX) {
        tl_sut_line_too_long(sut);
        return;
    }
    command = tl_json_line(line, len, &err);
    if (command == NULL)
        answer(sut, 0, sut->epoch, NULL, TL_SUT_FAILED, &err);
    else
        tl_sut_apply_object(sut, command, now_ns);
    json_decref(command);
}

void tl_sut_line_too_long(struct tl_sut *sut)
{
    struct fal_error err;

    (void)fal_fail(&err, FAL_ERR_FORM, "the line is longer than %d bytes", TL_LINE_MAX);
    answer(sut, 0, sut->epoch, NULL, TL_SUT_FAILED, &err);
}
