/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/play/playback.h"
#include "harness/session/offer.h"

#include "codecs/base/error.h"
#include "oracles/rng.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SETUP_PART = 0x9ca9, /* of the seed */
    CID_AT = 1,          /* of a Falcon packet, whatever its type */
    CID_LEN = 3,
    TAG = 1,
};

/* A SUT that does not do what it did when it was recorded is waited for no longer than this. */
#define PATIENCE_NS FAL_S

struct player {
    const struct tl_playback *playback;
    const struct tl_recorded_conn *conn;
    struct tl_session *session;
    struct tl_recorder *recorder;
    uint64_t start_ns, begin_ns; /* of the session, of the recording */
    uint64_t last_ns;            /* of the recording: the tester's frame before this */
    uint64_t from_sut;           /* recorded frames of the SUT so far */
    uint64_t sent, cut, refused;
    bool asked; /* the SUT has sent a request; the newest is: */
    uint32_t newest_rsn;
    uint8_t bytes[TL_PAYLOAD_MAX + FAL_HEADER_MAX];
};

static const struct tl_recorded_conn *conn_of(const struct tl_playback *playback)
{
    return &playback->recording->conns[playback->index];
}

uint64_t tl_playback_length_ns(const struct tl_playback *playback)
{
    const struct tl_recorded_conn *conn = conn_of(playback);

    return conn->last_ns > conn->first_ns ? conn->last_ns - conn->first_ns : 0;
}

void tl_playback_setup(const struct tl_playback *playback, const struct fal_params *defaults,
                       uint64_t seed, struct fal_connection *out, struct tl_end_setup *wishes)
{
    const struct tl_recorded_conn *conn = conn_of(playback);
    struct fal_rng rng = fal_rng_split(seed, SETUP_PART);
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    const struct fal_end *sut = &conn->setup.sut;

    *out =
        (struct fal_connection){.params = *defaults, .tester = conn->setup.tester, .sut = *sut};
    for (size_t i = 0; i < n; i++) /* what the file of connections gives */
        if ((conn->setup.unknown_params & FAL_PARAM_BIT(i)) == 0)
            /* The value comes from the same parameter. */
            FAL_IGNORE(fal_param_set(&table[i], &out->params,
                                     fal_param_get(&table[i], &conn->setup.params)));
    if (!conn->has_cid[0])
        out->tester.cid = (uint32_t)fal_rng_below(&rng, 0xffffff) + 1;
    *wishes = (struct tl_end_setup){.has_cid = true,
                                    .has_function = true,
                                    .has_req_psn = true,
                                    .has_data_psn = true,
                                    .has_rsn = true,
                                    .end = *sut};
}

/* The tester's endpoint receives no packets, because the recording has its answers. */
static void keep_from_endpoint(void *ctx, const struct tl_packet *packet,
                               struct tl_verdict_of_gate *verdict)
{
    (void)ctx;
    verdict->drop = packet->dir == FAL_FROM_SUT;
}

/* Lets time pass until then. */
static void pump_until(struct tl_session *session, uint64_t until_ns)
{
    while (session->broken.reason == TL_REASON_NONE && !tl_session_pump(session, until_ns))
        ;
}

/* Until the SUT has sent as much as it had, but not for ever. */
static void pump_until_heard(struct player *p, uint64_t frames, uint64_t until_ns)
{
    struct tl_session *session = p->session;

    while (session->broken.reason == TL_REASON_NONE && session->frames_received < frames &&
           !tl_session_pump(session, until_ns))
        ;
}

/* When a recorded moment is due. */
static uint64_t due_ns(const struct player *p, uint64_t ts_ns)
{
    return p->start_ns + (ts_ns > p->begin_ns ? ts_ns - p->begin_ns : 0);
}

static void await_turn(struct player *p, const struct tl_recorded_frame *frame)
{
    struct tl_session *session = p->session;
    uint64_t now = tl_session_now(session), due = due_ns(p, frame->ts_ns);

    if (p->playback->fast) {
        uint64_t gap = frame->ts_ns > p->last_ns ? frame->ts_ns - p->last_ns : 0;

        gap = gap < PATIENCE_NS ? gap : PATIENCE_NS;
        pump_until_heard(p, p->from_sut, now + gap + tl_session_answer_ns(session));
        p->last_ns = frame->ts_ns;
        return;
    }
    pump_until(session, due);
    now = tl_session_now(session);
    tl_session_late(session, now > due ? now - due : 0);
}

/* Replaces the recorded numbers of the SUT in the packet by the numbers of this SUT. */
static void move_numbers(const struct player *p, struct fal_falcon *packet)
{
    const struct fal_end *was = &p->conn->setup.sut, *is = &p->session->connection.sut;
    bool answer =
        packet->packet_type == FAL_PULL_DATA ||
        (packet->packet_type == FAL_RESYNC && packet->resync_packet_type == FAL_PULL_DATA);

    packet->dest_cid = is->cid;
    packet->recv_req_base_psn += is->req_psn - was->req_psn;
    packet->recv_data_base_psn += is->data_psn - was->data_psn;
    if (packet->packet_type == FAL_NACK)
        packet->nack_psn += packet->window == FAL_WINDOW_REQ ? is->req_psn - was->req_psn
                                                             : is->data_psn - was->data_psn;
    if (answer)
        packet->rsn += is->rsn - was->rsn;
    if (fal_falcon_reliable(packet->packet_type) && packet->dest_function == was->function)
        packet->dest_function = is->function;
}

/* The frame as it is sent now. Its length; 0: there is no room for it. */
static size_t make_frame(struct player *p, const struct tl_recorded_frame *frame)
{
    size_t len = frame->len + frame->missing;
    struct fal_falcon packet = frame->falcon;

    if (len > sizeof p->bytes)
        return 0;
    memcpy(p->bytes, frame->bytes, frame->len);
    memset(p->bytes + frame->len, 0, frame->missing);
    if (frame->header_len > 0) {
        move_numbers(p, &packet);
        /* A header that was decoded can be encoded. */
        FAL_IGNORE(fal_falcon_encode(&packet, NULL, 0, p->bytes, len, NULL));
    } else if (frame->len >= CID_AT + CID_LEN) {
        for (int i = 0; i < CID_LEN; i++)
            p->bytes[CID_AT + i] =
                (uint8_t)(p->session->connection.sut.cid >> (8 * (CID_LEN - 1 - i)));
    }
    return len;
}

static void send_frame(struct player *p, const struct tl_recorded_frame *frame)
{
    struct tl_packet packet;
    struct tl_sealing how;
    size_t len;

    await_turn(p, frame);
    if (p->session->broken.reason != TL_REASON_NONE)
        return;
    len = make_frame(p, frame);
    p->cut += frame->missing > 0 || len == 0;
    if (len == 0)
        return;
    how = tl_session_sealing(p->session);
    if (frame->has_ip)
        tl_session_mark_frame(p->session, frame->ecn, 0);
    packet = tl_packet_of(p->bytes, len);
    packet.origin = FAL_ORIGIN_STEP;
    (void)tl_session_send(p->session, &packet, &how);
    p->sent++;
}

/* A request that the SUT had sent: its upper layer is asked for one like it. */
static void post_like(struct player *p, const struct tl_recorded_frame *frame)
{
    const struct fal_falcon *packet = &frame->falcon;
    struct tl_session *session = p->session;
    bool push = packet->packet_type == FAL_PUSH_DATA;
    uint32_t tag = TAG + (packet->rsn - p->conn->setup.sut.rsn);

    if (frame->header_len <= 0 || (!push && packet->packet_type != FAL_PULL_REQUEST) ||
        (p->asked && (int32_t)(packet->rsn - p->newest_rsn) <= 0))
        return;
    p->asked = true;
    p->newest_rsn = packet->rsn;
    if (!session->bench->caps.control && tl_session_live(session))
        return;
    if (!p->playback->fast)
        pump_until(session, due_ns(p, frame->ts_ns));
    if (session->broken.reason != TL_REASON_NONE)
        return;
    if (tl_offer_lacks_verb(session->bench, TL_DO_POST)) {
        p->refused++;
        return;
    }
    tl_session_command(session,
                       json_pack("{s:s, s:s, s:s, s:i, s:I, s:I}", "do", "post", "conn",
                                 session->connection.name, "op", push ? "push" : "pull",
                                 "length", (int)packet->request_length, "tag", (json_int_t)tag,
                                 "seed", (json_int_t)(session->config.seed & INT32_MAX)));
    if (tl_session_await_answer(session) && !session->answer_ok)
        p->refused++;
}

/* How much of the recording was played. */
static void tell(const struct player *p)
{
    char text[240];

    (void)snprintf(text, sizeof text,
                   "played %" PRIu64 " of %" PRIu64 " recorded packets to the SUT (%" PRIu64
                   " cut short by the capture); it sent %" PRIu64 ", and %" PRIu64
                   " when it was recorded; %" PRIu64 " requests of its own it refused",
                   p->sent, p->conn->frames[FAL_TO_SUT], p->cut, p->session->frames_received,
                   p->conn->frames[FAL_FROM_SUT], p->refused);
    tl_session_text(p->session, FAL_EV_NOTE, -1, text);
}

static void play_frames(struct player *p)
{
    struct tl_session *session = p->session;
    struct tl_recorded_frame frame;
    struct fal_error err = {{0}};
    int rc = 0;

    while (session->broken.reason == TL_REASON_NONE &&
           (rc = tl_recorder_next(p->recorder, &frame, &err)) > 0) {
        if (frame.conn != p->conn->number)
            continue;
        if (p->begin_ns == 0)
            p->begin_ns = p->last_ns = frame.ts_ns;
        if (frame.receiver == p->conn->sut_side) {
            send_frame(p, &frame);
        } else {
            post_like(p, &frame);
            p->from_sut++;
        }
    }
    if (rc < 0)
        tl_session_break(session, TL_REASON_CAPTURE, "%s", err.text);
}

bool tl_playback_play(const struct tl_playback *playback, struct tl_session *session)
{
    struct fal_error err = {{0}};
    struct player *p = calloc(1, sizeof *p);
    bool answered = true;

    if (p == NULL) {
        tl_session_break(session, TL_REASON_MEMORY, "out of memory");
        return true;
    }
    *p = (struct player){.playback = playback, .conn = conn_of(playback), .session = session};
    session->gate.look = keep_from_endpoint;
    p->start_ns = tl_session_now(session);
    p->recorder = tl_recorder_open(&playback->recording->config, &err);
    if (p->recorder == NULL) {
        tl_session_break(session, TL_REASON_CAPTURE, "%s", err.text);
    } else {
        play_frames(p);
        /* The SUT may still send a recorded reply. */
        pump_until_heard(p, p->from_sut,
                         tl_session_now(session) + session->connection.params.coalescing_ns +
                             tl_session_answer_ns(session));
        tell(p);
        answered = session->frames_received > 0 || p->conn->frames[FAL_FROM_SUT] == 0;
    }
    tl_recorder_close(p->recorder);
    free(p);
    return answered;
}
