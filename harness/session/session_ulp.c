/* SPDX-License-Identifier: Apache-2.0
 * session_ulp.c - what lies above the wire on both sides: the SUT's control channel, and the
 * tester's own upper layer, which takes what it is given unless the scenario plays it. */
#include "harness/session/session_impl.h"

#include "codecs/base/hex.h"
#include "harness/session/words/session_words.h"
#include "harness/session/words/tester_words.h"
#include "harness/wire/protocol.h"
#include "harness/wire/words.h"
#include "oracles/payload.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* `what`: of a connection manager, then there is no `ulp`. */
static void keep_event(struct tl_session *session, enum tl_side side,
                       const struct fal_ev_ulp *ulp, const char *what, uint64_t t_ns)
{
    struct tl_event_log *log = &session->events;
    struct tl_seen_event *seen;

    if (log->next >= log->cap && log->cap < TL_EVENTS_KEPT) {
        size_t cap = log->cap == 0 ? 64 : log->cap * 2;
        struct tl_seen_event *ring = realloc(log->ring, cap * sizeof *ring);

        if (ring == NULL) {
            tl_session_break(session, TL_REASON_MEMORY, "out of memory");
            return;
        }
        log->ring = ring;
        log->cap = cap;
    }
    seen = &log->ring[log->next++ % log->cap];
    *seen = (struct tl_seen_event){.t_ns = t_ns, .side = side, .is_cm = what != NULL};
    if (what != NULL)
        (void)snprintf(seen->what, sizeof seen->what, "%s", what);
    else if (ulp != NULL)
        seen->ulp = *ulp;
    seen->ulp.text = NULL;
}

static void keep_entry(struct tl_session *session, const struct fal_ev_cc *cc, uint64_t t_ns)
{
    struct tl_event_log *log = &session->events;
    struct tl_seen_event *seen;

    keep_event(session, TL_SIDE_SUT, NULL, "cc", t_ns);
    if (session->broken.reason == TL_REASON_MEMORY)
        return;
    seen = &log->ring[(log->next - 1) % log->cap];
    seen->is_entry = true;
    seen->entry_kind = cc->queue == FAL_CC_QUEUE_EVENT ? TL_CC_EVENT : TL_CC_RESULT;
    memcpy(seen->entry, cc->entry, sizeof seen->entry);
}

void tl_session_keep_word_number(struct tl_session *session, enum tl_side side,
                                 const char *layer, uint64_t t_ns)
{
    struct tl_event_log *log = &session->events;
    struct tl_seen_event *seen;

    keep_event(session, side, NULL, layer, t_ns);
    if (session->broken.reason == TL_REASON_MEMORY)
        return;
    seen = &log->ring[(log->next - 1) % log->cap];
    seen->is_word = true;
    seen->word = tl_session_words_next(session) - 1;
}

uint64_t tl_session_first_event(const struct tl_session *session)
{
    const struct tl_event_log *log = &session->events;

    return log->next > log->cap ? log->next - log->cap : 0;
}

const struct tl_seen_event *tl_session_event(const struct tl_session *session, uint64_t number)
{
    const struct tl_event_log *log = &session->events;

    if (number >= log->next || number < tl_session_first_event(session))
        return NULL;
    return &log->ring[number % log->cap];
}

/* ---- the SUT's control channel ---- */

static bool is_ours(const struct tl_session *session, const char *conn_name)
{
    return strcmp(conn_name, session->connection.name) == 0;
}

/* The number of the connection that a command belongs to. A word of an upper layer
 * that names no queue pair with a connection belongs to none, nor does a command that names a
 * connection besides the session's. */
static uint32_t conn_of_command(const struct tl_session *session, const struct fal_event *event)
{
    const char *asked = tl_upper_asked_conn(session->bench->upper);

    if (asked[0] != 0 || tl_words_told_as(event->kind) != NULL)
        return is_ours(session, asked);
    return session->conn != 0;
}

void tl_session_command(struct tl_session *session, json_t *command)
{
    struct tl_bench_command numbered;
    struct fal_error err = {{0}};
    struct fal_event event;
    bool ok;

    session->answered = false;
    ok = command != NULL && session->broken.reason == TL_REASON_NONE &&
         tl_bench_number(session->bench, command, &numbered, &event);
    json_decref(command);
    if (!ok) {
        tl_session_break(session, TL_REASON_MEMORY, "out of memory");
        return;
    }
    event.conn = conn_of_command(session, &event);
    session->waits_for = numbered.id;
    session->asked_ns = tl_session_now(session);
    tl_session_emit(session, &event, session->asked_ns);
    if (tl_bench_write(session->bench, &numbered, &err) != 0) {
        session->bench->dead = true;
        session->bench->why = err;
        tl_session_break(session, TL_REASON_CONTROL, "%s", err.text);
    }
}

bool tl_session_takes_orders(const struct tl_session *session)
{
    const struct tl_bench *bench = session->bench;

    return bench->upper != NULL && bench->link->ops->send_command != NULL &&
           tl_upper_takes_orders(bench->upper);
}

void tl_session_order(struct tl_session *session, struct tl_protocol_command *command)
{
    struct tl_bench *bench = session->bench;
    struct fal_error err = {{0}};
    struct fal_event event;

    session->answered = false;
    if (session->broken.reason != TL_REASON_NONE ||
        !tl_upper_order(bench->upper, command, &event)) {
        tl_session_break(session, TL_REASON_MEMORY, "out of memory");
        return;
    }
    event.conn = conn_of_command(session, &event);
    session->waits_for = (int64_t)command->id;
    session->asked_ns = tl_session_now(session);
    tl_session_emit(session, &event, session->asked_ns);
    if (bench->link->ops->send_command(bench->link, command, &err) != 0) {
        bench->dead = true;
        bench->why = err;
        tl_session_break(session, TL_REASON_CONTROL, "%s", err.text);
    }
}

static void copy_text(char *out, size_t cap, const json_t *value)
{
    const char *text = json_string_value(value);
    size_t len = text != NULL ? strnlen(text, cap - 1) : 0;

    if (len > 0)
        memcpy(out, text, len);
    out[len] = 0;
}

void tl_session_counts(const struct tl_upper_line *line, uint64_t *received, uint64_t *sent)
{
    const json_t *object = line->object;

    if (line->said != NULL) {
        *received = line->said->frames_received;
        *sent = line->said->frames_sent;
        return;
    }
    *received = (uint64_t)json_integer_value(json_object_get(object, "frames_received"));
    *sent = (uint64_t)json_integer_value(json_object_get(object, "frames_sent"));
}

static void take_counts(struct tl_session *session, const struct tl_upper_line *line)
{
    tl_session_counts(line, &session->sut_received, &session->sut_sent);
    session->sut_received -= session->bench->life.received;
    session->sut_sent -= session->bench->life.sent;
    if (line->said != NULL) {
        tl_session_sut_late(session, line->said->late_ns);
        return;
    }
    tl_session_sut_late(session,
                        (uint64_t)json_integer_value(json_object_get(line->object, "late_ns")));
}

static void take_answer(struct tl_session *session, const struct tl_upper_line *line)
{
    const char *hex = json_string_value(json_object_get(line->object, "entry"));
    struct fal_error err = {{0}};

    if (line->id != session->waits_for)
        return;
    session->waits_for = 0;
    session->answered = true;
    session->answer_ok = line->ok;
    session->answer_sa = json_object_get(line->object, "sa");
    copy_text(session->answer_error, sizeof session->answer_error,
              json_object_get(line->object, "error"));
    copy_text(session->answer_why, sizeof session->answer_why,
              json_object_get(line->object, "why"));
    if (session->opening && line->ok && tl_upper_opened_line(line, &session->other, &err) != 0)
        tl_session_break(session, TL_REASON_CONTROL_GARBAGE, "%s", err.text);
    if (tl_words_told_as(line->event.kind) != NULL)
        tl_session_word_answered(session, &line->event);
    session->has_answer_entry =
        hex != NULL &&
        fal_hex_read(hex, session->answer_entry, FAL_CC_ENTRY_LEN) == (int)FAL_CC_ENTRY_LEN;
    take_counts(session, line);
}

static bool ours(const struct tl_session *session, const struct tl_upper_line *line)
{
    return (line->conn_name[0] == 0 && tl_words_told_as(line->event.kind) == NULL) ||
           is_ours(session, line->conn_name);
}

void tl_session_line(struct tl_session *session, const struct tl_link_got *got)
{
    uint64_t at = got->at_ns > session->base_ns ? got->at_ns - session->base_ns : 0;
    struct tl_upper_line line;
    enum tl_upper_got what;

    if (++session->lines > TL_LINES_MAX) {
        tl_session_break(session, TL_REASON_CONTROL_FLOOD,
                         "the SUT sends too many lines on the control channel: over %d",
                         (int)TL_LINES_MAX);
        return;
    }
    what = tl_bench_line(session->bench, got, &line);
    if (line.lost > 0)
        tl_session_break(session, TL_REASON_EVENTS_LOST,
                         "%" PRIu64 " events are missing before seq %" PRIu64, line.lost,
                         line.event.u.ulp.seq);
    line.event.conn = ours(session, &line);
    switch (what) {
    case TL_UPPER_GARBAGE:
        tl_session_break(session, TL_REASON_CONTROL_GARBAGE, "%s", line.err.text);
        break;
    case TL_UPPER_STALE: break;
    case TL_UPPER_REPLY:
        if (tl_session_beat_answered(session, line.id, at))
            break;
        tl_session_emit(session, &line.event, at);
        take_answer(session, &line);
        break;
    case TL_UPPER_EVENT:
        session->heard_ns = tl_session_now(session);
        tl_session_emit(session, &line.event, at);
        /* The SUT does not report events: nothing about them can be decided. */
        if (line.event.kind == FAL_EV_CM && strcmp(line.event.u.cm.what, "dropped") == 0)
            tl_session_break(session, TL_REASON_EVENTS_LOST,
                             "the SUT dropped %" PRIu64 " events", line.event.u.cm.count);
        if (line.event.kind == FAL_EV_ULP && line.event.conn != 0)
            keep_event(session, TL_SIDE_SUT, &line.event.u.ulp, NULL, at);
        if (line.event.kind == FAL_EV_CM)
            keep_event(session, TL_SIDE_SUT, NULL, line.event.u.cm.what, at);
        if (tl_words_told_as(line.event.kind) != NULL)
            tl_session_word_told(session, &line.event, at);
        if (line.event.kind == FAL_EV_CC)
            keep_entry(session, &line.event.u.cc, at);
        break;
    }
}

/* ---- the tester's own upper layer ---- */

static void say(struct tl_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct tl_session *session, const char *format, ...)
{
    char text[160] = "";
    va_list args;

    va_start(args, format);
    if (session->config.timeline != NULL) /* else nobody reads the text */
        (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tl_session_text(session, FAL_EV_INTERNAL, -1, text);
}

static void take_request(struct tl_session *session, const struct fal_endpoint_out *out)
{
    struct fal_ev_ulp ulp = {
        .kind = FAL_ULP_REQUEST,
        .rsn = out->rsn,
        .op = out->op,
        .length = out->length,
        .redelivery = out->redelivery,
    };
    struct fal_endpoint_in in = {.kind = FAL_IN_RESPOND, .rsn = out->rsn};

    say(session, "tester's ULP: %s rsn=%" PRIu32 " length=%" PRIu32 "%s",
        out->op == FAL_OP_PUSH ? "push" : "pull", out->rsn, out->length,
        out->redelivery ? ", again" : "");
    keep_event(session, TL_SIDE_TESTER, &ulp, NULL, tl_session_now(session));
    if (!session->config.ulp)
        return;
    in.answer = FAL_ANSWER_ACK;
    if (ulp.op == FAL_OP_PULL) {
        in.answer = FAL_ANSWER_DATA;
        in.length = in.payload_len = ulp.length;
        in.tag = ulp.rsn;
        in.payload = session->scratch;
        fal_payload_fill(in.tag, session->config.seed, session->scratch, ulp.length);
    }
    in.conn = session->conn;
    if (fal_endpoint_input(session->endpoint, &in, tl_session_now(session), NULL) != 0)
        tl_session_break(session, TL_REASON_ENDPOINT,
                         "the tester's endpoint rejects the answer to rsn %" PRIu32, ulp.rsn);
}

static void take_completion(struct tl_session *session, const struct fal_endpoint_out *out)
{
    struct fal_ev_ulp ulp = {
        .kind = FAL_ULP_COMPLETION,
        .rsn = out->rsn,
        .op = out->op,
        .length = out->payload_len,
        .tag = out->tag,
        .code = (uint32_t)out->code,
        .ulp_nack_code = out->ulp_nack_code,
    };

    say(session, "tester's ULP: completion rsn=%" PRIu32 " code=%" PRIu32, ulp.rsn, ulp.code);
    keep_event(session, TL_SIDE_TESTER, &ulp, NULL, tl_session_now(session));
}

static void pass_packet(struct tl_session *session, const struct fal_endpoint_out *out)
{
    struct tl_passing passing = {.packet = tl_packet_of(out->bytes, out->len)};

    passing.packet.seal = out->seal;
    tl_session_pass(session, &passing);
}

static void take_note(struct tl_session *session, const struct fal_endpoint_out *out)
{
    if (out->timer)
        tl_session_bench(session,
                         &(struct fal_ev_bench){FAL_BENCH_TIMER, FAL_TO_SUT, out->what});
    else
        say(session, "tester's endpoint: %s", out->what);
}

/* Carries out the orders of the tester's endpoint. Its outputs are valid until the next call.
 */
void tl_session_drain(struct tl_session *session)
{
    struct fal_endpoint_out out;

    while (session->broken.reason == TL_REASON_NONE &&
           fal_endpoint_next(session->endpoint, &out)) {
        if (tl_session_tester_words_take(session, &out))
            continue;
        switch (out.kind) {
        case FAL_OUT_PACKET: pass_packet(session, &out); break;
        case FAL_OUT_REQUEST: take_request(session, &out); break;
        case FAL_OUT_COMPLETE: take_completion(session, &out); break;
        case FAL_OUT_CREDITS: break;
        case FAL_OUT_CM:
            keep_event(session, TL_SIDE_TESTER, NULL, out.what, tl_session_now(session));
            say(session, "tester's endpoint: %s", out.what);
            if (strcmp(out.what, "fatal") !=
                0) /* it does not know requests that it did not accept */
                tl_session_mark(session, FAL_MARK_GAP_OUT, 1);
            break;
        case FAL_OUT_NOTE: take_note(session, &out); break;
        case FAL_OUT_RUE: break; /* its RUE is inside */
        }
    }
}

int tl_session_input(struct tl_session *session, const struct fal_endpoint_in *in,
                     uint32_t *rsn)
{
    return tl_session_input_at(session, in, tl_session_now(session), rsn);
}

int tl_session_input_at(struct tl_session *session, const struct fal_endpoint_in *in,
                        uint64_t now_ns, uint32_t *rsn)
{
    int rc = fal_endpoint_input(session->endpoint, in, now_ns, rsn);

    if (rc == FAL_ERR_MEM)
        tl_session_break(session, TL_REASON_MEMORY, "the tester's endpoint: out of memory");
    tl_session_drain(session);
    return rc;
}

void tl_session_close(struct tl_session *session)
{
    fal_endpoint_close(session->endpoint, session->conn);
    say(session, "tester's endpoint: closed");
}
