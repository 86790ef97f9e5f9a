/* SPDX-License-Identifier: Apache-2.0
 * sut.c - inputs and outputs of the built-in SUT: turns the endpoint's outputs into frames and
 * events, and lets the ULP answer. */
#include "harness/sut/cc/sut_cc.h"
#include "harness/sut/words/sut_words.h"

#include "codecs/base/error.h"
#include "harness/doc/json_member.h"
#include "oracles/payload.h"

#include <stdlib.h>
#include <string.h>

enum {
    RNG_PART = 0x5355,    /* part of the seed, for the SUT's own choices */
    TWIN_PART = 0x5457,   /* and for drawing twins */
    TAG_END = 12,         /* bytes of magic number and tag at the start of a payload */
    RNR_FULL_NS = 100000, /* when the ULP cannot hold another request */
    PLAIN_TTL =
        64, /* these links carry no TTL: assume a peer with the default TTL, one hop away */
};

/* Whether the ULP of a connection would answer that request with RNR. */
static bool not_ready(const void *ulp, uint32_t number, uint32_t rsn, enum fal_ulp_op op)
{
    const struct tl_sut_conn *conn = tl_sut_conn_numbered(ulp, number);

    return conn != NULL && fal_scripted_not_ready(&conn->ulp, rsn, op);
}

struct tl_sut *tl_sut_new(const struct tl_sut_config *config)
{
    struct tl_sut *sut = malloc(sizeof *sut);
    const struct fal_endpoint_config endpoint = {.seed = config->seed,
                                                 .max_connections = TL_SUT_CONNS_MAX,
                                                 .faults = config->faults,
                                                 .not_ready = not_ready,
                                                 .ulp = sut};

    if (sut == NULL)
        return NULL;
    memset(sut, 0,
           offsetof(struct tl_sut, payload)); /* the buffers behind are only written to */
    sut->config = *config;
    sut->epoch = 1;
    sut->rng = fal_rng_split(config->seed, RNG_PART);
    sut->twin_rng = fal_rng_split(config->seed, TWIN_PART);
    sut->function = (uint32_t)fal_rng_below(&sut->rng, 0xffffff) + 1;
    sut->endpoint = fal_endpoint_new(&endpoint);
    if (sut->endpoint == NULL) {
        free(sut);
        return NULL;
    }
    tl_sut_cc_begin(sut);
    return sut;
}

void tl_sut_faults(const struct tl_sut *sut, uint64_t *chances, uint64_t *acts)
{
    fal_endpoint_faults(sut->endpoint, chances, acts);
    tl_sut_words_faults(sut, chances, acts);
}

void tl_sut_free(struct tl_sut *sut)
{
    if (sut == NULL)
        return;
    for (size_t i = 0; i < sut->num_conns; i++)
        tl_sut_conn_free(sut->conns[i]);
    free(sut->conns);
    free(sut->by_number);
    tl_sut_words_free(sut);
    fal_endpoint_free(sut->endpoint);
    tl_sut_queue_free(&sut->queue);
    tl_sut_timers_free(&sut->timers);
    tl_sealer_free(sut->sealer);
    tl_sut_cc_free(&sut->cc);
    json_decref(sut->told_sa);
    free(sut);
}

struct tl_sut_conn *tl_sut_conn_numbered(const struct tl_sut *sut, uint32_t number)
{
    return number < sut->num_numbers ? sut->by_number[number] : NULL;
}

struct tl_sut_conn *tl_sut_conn_with_id(const struct tl_sut *sut, uint32_t id)
{
    size_t low = 0, high = sut->num_conns;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (sut->conns[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sut->num_conns && sut->conns[low]->id == id ? sut->conns[low] : NULL;
}

const struct tl_address *tl_sut_peer(const struct tl_sut *sut, uint32_t number)
{
    const struct tl_sut_conn *conn = tl_sut_conn_numbered(sut, number);

    return conn != NULL && conn->has_peer ? &conn->peer : NULL;
}

bool tl_sut_seals_esp(const struct tl_sut *sut)
{
    return sut->encap == FAL_ENCAP_ESP_TRANSPORT || sut->encap == FAL_ENCAP_ESP_TUNNEL;
}

/* Queues an object as one line. False when out of memory. Takes the reference in both cases. */
static bool put_text(struct tl_sut *sut, json_t *object)
{
    char *line = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
    bool put =
        line != NULL && tl_sut_queue_add(&sut->queue, TL_SUT_LINE, 0, line, strlen(line)) == 0;

    free(line);
    json_decref(object);
    return put;
}

static bool put_line(struct tl_sut *sut, json_t *object)
{
    if (object == NULL || !sut->config.objects)
        return put_text(sut, object);
    return tl_sut_queue_object(&sut->queue, object) == 0;
}

static bool put_said(struct tl_sut *sut, const struct tl_protocol_said *said)
{
    return sut->config.objects ? tl_sut_queue_said(&sut->queue, said) == 0
                               : put_text(sut, tl_protocol_said_write(said));
}

/* Queues an event; a reader of its line gets what the struct holds. */
static bool put_event(struct tl_sut *sut, struct tl_protocol_event *event)
{
    struct tl_protocol_said said = {.is_event = true};

    if (!sut->config.objects || !tl_protocol_event_settle(event))
        return put_line(sut, tl_protocol_event_write(event));
    said.event = *event;
    return put_said(sut, &said);
}

void tl_sut_reply(struct tl_sut *sut, json_t *reply)
{
    /* When out of memory there is no answer; the tester notices by its timeout. */
    (void)(reply != NULL ? put_line(sut, reply) : put_said(sut, &sut->reply));
}

void tl_sut_tell_dropped(struct tl_sut *sut)
{
    struct tl_protocol_event event = {.seq = sut->seq + 1,
                                      .epoch = (uint64_t)sut->epoch,
                                      .kind = FAL_EV_CM,
                                      .cm = {.count = sut->dropped}};

    if (sut->dropped == 0)
        return;
    if (put_event(sut, &event)) {
        sut->seq++;
        sut->dropped = 0;
    }
}

/* One that cannot be stored is counted as lost and keeps its sequence number. */
void tl_sut_tell(struct tl_sut *sut, const struct tl_sut_conn *conn,
                 struct tl_protocol_event *event)
{
    bool full = tl_sut_queue_full(&sut->queue, TL_SUT_LINE);

    if (!tl_limits_report(&sut->config.limits, event->kind, event->ulp.kind))
        return;
    if (!full)
        tl_sut_tell_dropped(sut);
    event->seq = ++sut->seq;
    event->epoch = (uint64_t)sut->epoch;
    if (conn != NULL)
        memcpy(event->conn, conn->name, sizeof event->conn);
    if (full || !put_event(sut, event))
        sut->dropped++;
}

static void tell_request(struct tl_sut *sut, const struct tl_sut_conn *conn,
                         const struct fal_endpoint_out *out, uint32_t length)
{
    static const uint8_t magic[4] = {'T', 'A', 'L', 'N'};
    struct tl_protocol_event event = {.kind = FAL_EV_ULP,
                                      .ulp = {.kind = FAL_ULP_REQUEST,
                                              .rsn = out->rsn,
                                              .op = out->op,
                                              .length = length,
                                              .has_hash = out->op == FAL_OP_PUSH,
                                              .redelivery = out->redelivery}};

    event.has_tag =
        out->payload_len >= TAG_END && memcmp(out->payload, magic, sizeof magic) == 0;
    if (event.has_tag)
        for (unsigned i = sizeof magic; i < TAG_END; i++)
            event.ulp.tag = event.ulp.tag << 8 | out->payload[i];
    if (event.ulp.has_hash)
        event.ulp.hash =
            fal_payload_hash_by(sut->config.hashes, out->payload, out->payload_len);
    tl_sut_tell(sut, conn, &event);
}

static void tell_ulp_ack(struct tl_sut *sut, const struct tl_sut_conn *conn, uint32_t rsn,
                         const struct fal_scripted_answer *plan)
{
    enum fal_answer answer = plan->answer;
    struct tl_protocol_event event = {
        .kind = FAL_EV_ULP,
        .rnr_ns = plan->rnr_ns,
        .has_rnr = answer == FAL_ANSWER_RNR,
        .has_code =
            answer == FAL_ANSWER_CIE || answer == FAL_ANSWER_NRE || answer == FAL_ANSWER_CID,
        .ulp = {.kind = FAL_ULP_ACK, .rsn = rsn, .answer = answer, .code = plan->code}};

    tl_sut_tell(sut, conn, &event);
}

static void tell_completion(struct tl_sut *sut, const struct tl_sut_conn *conn,
                            const struct fal_endpoint_out *out)
{
    bool data = out->op == FAL_OP_PULL && out->code == FAL_CMPL_ACK;
    struct tl_protocol_event event = {.kind = FAL_EV_ULP,
                                      .has_length = data,
                                      .has_tag = true,
                                      .ulp = {.kind = FAL_ULP_COMPLETION,
                                              .rsn = out->rsn,
                                              .tag = out->tag,
                                              .code = out->code,
                                              .ulp_nack_code = out->ulp_nack_code,
                                              .length = out->payload_len,
                                              .has_hash = data}};

    if (data)
        event.ulp.hash =
            fal_payload_hash_by(sut->config.hashes, out->payload, out->payload_len);
    tl_sut_tell(sut, conn, &event);
}

static void tell_cm(struct tl_sut *sut, const struct tl_sut_conn *conn, const char *what)
{
    struct tl_protocol_event event = {.kind = FAL_EV_CM};

    (void)snprintf(event.cm.what, sizeof event.cm.what, "%s", what != NULL ? what : "");
    tl_sut_tell(sut, conn, &event);
}

int tl_sut_answer(struct tl_sut *sut, const struct tl_sut_conn *conn,
                  const struct fal_scripted_request *request,
                  const struct fal_scripted_answer *plan, uint64_t now_ns)
{
    struct fal_endpoint_in in = {
        .kind = FAL_IN_RESPOND,
        .conn = conn->number,
        .op = request->op,
        .rsn = request->rsn,
        .answer = plan->answer,
        .rnr_ns = plan->rnr_ns,
        .code = plan->code,
    };

    if (plan->answer == FAL_ANSWER_DATA) {
        if (plan->length > TL_SUT_PAYLOAD_MAX)
            return FAL_ERR_RANGE;
        fal_payload_fill(plan->tag, plan->seed, sut->payload, plan->length);
        in.payload = sut->payload;
        in.payload_len = in.length = plan->length;
    }
    return fal_endpoint_input(sut->endpoint, &in, now_ns, NULL);
}

/* Gives the answer that the policy decided. If the endpoint refuses it (a planted fault
 * delivered a request that was answered before), there is no answer, and none is owed. */
static void answer_by_policy(struct tl_sut *sut, struct tl_sut_conn *conn,
                             struct fal_scripted_request *request, uint64_t now_ns)
{
    const struct fal_scripted_answer plan = request->plan;
    uint32_t rsn = request->rsn;

    if (tl_sut_answer(sut, conn, request, &plan, now_ns) != 0) {
        request->used = false;
        return;
    }
    fal_scripted_answered(request, plan.answer);
    tell_ulp_ack(sut, conn, rsn, &plan);
}

/* The ULP can hold no more requests: the peer must send this one again. */
static void turn_away(struct tl_sut *sut, struct tl_sut_conn *conn, uint32_t rsn,
                      enum fal_ulp_op op, uint64_t now_ns)
{
    const struct fal_scripted_request request = {.op = op, .rsn = rsn};
    const struct fal_scripted_answer plan = {.answer = FAL_ANSWER_RNR, .rnr_ns = RNR_FULL_NS};

    if (tl_sut_answer(sut, conn, &request, &plan, now_ns) == 0)
        tell_ulp_ack(sut, conn, rsn, &plan);
}

static void take_request(struct tl_sut *sut, struct tl_sut_conn *conn,
                         const struct fal_endpoint_out *out, uint64_t now_ns)
{
    /* Do not use *out after the endpoint is called again. */
    uint32_t rsn = out->rsn;
    enum fal_ulp_op op = out->op;
    uint32_t length = op == FAL_OP_PUSH ? out->payload_len : out->length;
    struct fal_scripted_request *request = NULL;

    tell_request(sut, conn, out, length);
    switch (fal_scripted_deliver(&conn->ulp, rsn, op, length, &request)) {
    case FAL_SCRIPTED_WAIT: break;
    case FAL_SCRIPTED_FULL: turn_away(sut, conn, rsn, op, now_ns); break;
    case FAL_SCRIPTED_ANSWER:
        if (request->plan.after_ns == 0) {
            answer_by_policy(sut, conn, request, now_ns);
            break;
        }
        if (tl_sut_timers_add(&sut->timers, now_ns + request->plan.after_ns, conn->id, rsn) !=
            0) {
            request->used = false;
            turn_away(sut, conn, rsn, op, now_ns);
        }
        break;
    }
}

/* The ephemeral port (RFC 6335) that stands for a path; 0 while nothing can change paths. */
static uint16_t source_port(const struct tl_sut *sut, uint32_t path)
{
    const uint32_t first = 49152, ports = UINT16_MAX + 1 - first;
    const struct tl_sut_cc *cc = &sut->cc;

    if (!cc->on && !cc->some && !cc->trace && !cc->paths)
        return 0;
    return (uint16_t)(first + path % ports);
}

static void send_packet(struct tl_sut *sut, const struct fal_endpoint_out *out)
{
    const uint8_t *bytes = out->bytes;
    size_t len = out->len;

    /* Counted even when it cannot be stored: a frame lost on this side is lost, as in a NIC. */
    sut->frames_sent++;
    if (sut->sealer != NULL) {
        int n = tl_sealer_seal(sut->sealer, &out->seal, TL_SPOIL_NOTHING,
                               (struct fal_span){bytes, len}, sut->sealed, sizeof sut->sealed);

        if (n < 0)
            return;
        bytes = sut->sealed;
        len = (size_t)n;
    }
    if (!tl_sut_queue_full(&sut->queue, TL_SUT_FRAME))
        /* Without memory the frame is lost, as on a wire. */
        FAL_IGNORE(tl_sut_queue_frame(&sut->queue, out->conn, source_port(sut, out->path),
                                      bytes, len));
}

void tl_sut_pump(struct tl_sut *sut, uint64_t now_ns)
{
    struct fal_endpoint_out out;

    while (fal_endpoint_next(sut->endpoint, &out)) {
        struct tl_sut_conn *conn = tl_sut_conn_numbered(sut, out.conn);

        if (conn == NULL ||
            (conn->upper != TL_UPPER_RAW && tl_sut_words_take(sut, conn, &out, now_ns)))
            continue;
        switch (out.kind) {
        case FAL_OUT_PACKET: send_packet(sut, &out); break;
        case FAL_OUT_REQUEST: take_request(sut, conn, &out, now_ns); break;
        case FAL_OUT_COMPLETE: tell_completion(sut, conn, &out); break;
        case FAL_OUT_CREDITS: break;
        case FAL_OUT_CM: tell_cm(sut, conn, out.what); break;
        case FAL_OUT_NOTE: break;
        case FAL_OUT_RUE: tl_sut_cc_event(sut, conn, out.bytes, now_ns); break;
        }
    }
    tl_sut_words_tell(sut);
}

void tl_sut_frame(struct tl_sut *sut, const uint8_t *bytes, size_t len, uint64_t now_ns)
{
    tl_sut_frame_ip(sut, bytes, len, (struct tl_sut_ip){0}, now_ns);
}

void tl_sut_frame_ip(struct tl_sut *sut, const uint8_t *bytes, size_t len, struct tl_sut_ip ip,
                     uint64_t now_ns)
{
    struct fal_endpoint_in in = {.kind = FAL_IN_PACKET,
                                 .bytes = bytes,
                                 .len = len,
                                 .ecn = ip.ecn,
                                 .ttl = ip.ttl > 0 ? ip.ttl : PLAIN_TTL};
    struct tl_opened opened;

    sut->frames_received += ip.damaged ? 0 : 1; /* the frame was dropped below Falcon */
    if (sut->sealer != NULL) {
        if (tl_sealer_open(sut->sealer, bytes, len, &opened) != 0)
            return; /* as if it were addressed to another port */
        in.integrity = opened.integrity;
        in.seal = opened.seal;
        in.bytes = opened.bytes;
        in.len = opened.len;
    }
    if (ip.damaged)
        in.integrity = FAL_DAMAGED;
    /* Without memory the input is lost. */
    FAL_IGNORE(fal_endpoint_input(sut->endpoint, &in, now_ns, NULL));
    tl_sut_pump(sut, now_ns);
}

void tl_sut_line(struct tl_sut *sut, const char *line, size_t len, uint64_t now_ns)
{
    tl_sut_apply(sut, line, len, now_ns);
    tl_sut_pump(sut, now_ns);
}

void tl_sut_object(struct tl_sut *sut, json_t *object, uint64_t now_ns)
{
    tl_sut_apply_object(sut, object, now_ns);
    tl_sut_pump(sut, now_ns);
}

void tl_sut_command_in(struct tl_sut *sut, struct tl_protocol_command *command, uint64_t now_ns)
{
    tl_sut_apply_command(sut, command, now_ns);
    tl_sut_pump(sut, now_ns);
}

void tl_sut_tick(struct tl_sut *sut, uint64_t now_ns)
{
    while (tl_sut_timers_next(&sut->timers) <= now_ns) {
        struct tl_sut_timer due = tl_sut_timers_take(&sut->timers);
        struct tl_sut_conn *conn = tl_sut_conn_with_id(sut, due.conn);
        struct fal_scripted_request *request =
            conn != NULL ? fal_scripted_find(&conn->ulp, due.rsn) : NULL;

        if (request != NULL && request->state == FAL_SCRIPTED_PLANNED)
            answer_by_policy(sut, conn, request, now_ns);
        tl_sut_pump(sut, now_ns);
    }
    tl_sut_cc_tick(sut, now_ns);
    tl_sut_words_tick(sut, now_ns);
    if (fal_endpoint_deadline(sut->endpoint) <= now_ns) {
        const struct fal_endpoint_in in = {.kind = FAL_IN_TICK};

        /* Without memory the input is lost. */
        FAL_IGNORE(fal_endpoint_input(sut->endpoint, &in, now_ns, NULL));
        tl_sut_pump(sut, now_ns);
    }
}

void tl_sut_late(struct tl_sut *sut, uint64_t by_ns)
{
    if (by_ns > sut->late_ns)
        sut->late_ns = by_ns;
}

uint64_t tl_sut_deadline(const struct tl_sut *sut)
{
    uint64_t ulp = tl_sut_timers_next(&sut->timers);
    uint64_t endpoint = fal_endpoint_deadline(sut->endpoint);
    uint64_t engine = tl_sut_cc_deadline(sut);
    uint64_t words = tl_sut_words_deadline(sut);

    ulp = ulp < engine ? ulp : engine;
    ulp = ulp < words ? ulp : words;
    return ulp < endpoint ? ulp : endpoint;
}

bool tl_sut_next(struct tl_sut *sut, struct tl_sut_out *out)
{
    if (tl_sut_queue_take(&sut->queue, out))
        return true;
    if (sut->dropped == 0 || sut->queue.hold_lines)
        return false;
    tl_sut_tell_dropped(sut);
    return tl_sut_queue_take(&sut->queue, out);
}

void tl_sut_hold_lines(struct tl_sut *sut, bool hold)
{
    sut->queue.hold_lines = hold;
}
