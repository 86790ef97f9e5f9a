/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/bridge.h"

#include "harness/capture/capture.h"
#include "harness/link/link_bridge.h"
#include "harness/session/session_impl.h"

#include <stdlib.h>
#include <string.h>

enum {
    ECN = 3,
    V4_CHECKSUM = 10, /* in an IPv4 header */
    V4_TOS = 1,
    CONNS_MAX = 4096, /* connections that are judged; packets of others are only forwarded */
    FIRST_SHOWN = 64, /* packets that may still show a lower first number */
};

/* What the session knows of a connection of the check. */
struct known {
    uint32_t told[2]; /* the CIDs of its sides when it was last updated */
    int at_first;     /* the side of struct tl_check_conn at the first interface */
};

struct tl_bridge {
    struct tl_bench *bench;
    struct tl_recorder *recorder;
    struct tl_session *sessions[TL_BRIDGE_ENDS];
    struct known *known; /* by number of the connection */
    size_t num_known;
    uint32_t shown; /* packets that the first connection's numbers were learned from */
    bool has[TL_BRIDGE_ENDS][3];
    struct tl_bridge_counts counts;
    uint64_t number;
    uint8_t out[TL_BRIDGE_HEAD + TL_FRAME_MAX / 2];
};

struct tl_bridge *tl_bridge_new(struct tl_bench *bench,
                                const struct tl_recording_config *config, struct fal_error *err)
{
    struct tl_recording_config live = *config;
    struct tl_bridge *bridge = calloc(1, sizeof *bridge);

    if (bridge == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    live.path = NULL;
    bridge->bench = bench;
    bridge->recorder = tl_recorder_open(&live, err);
    bridge->known = calloc(CONNS_MAX, sizeof *bridge->known);
    if (bridge->recorder != NULL && bridge->known != NULL)
        return bridge;
    if (bridge->recorder != NULL)
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
    tl_bridge_free(bridge);
    return NULL;
}

void tl_bridge_free(struct tl_bridge *bridge)
{
    if (bridge == NULL)
        return;
    tl_recorder_close(bridge->recorder);
    free(bridge->known);
    free(bridge);
}

void tl_bridge_between(struct tl_bridge *bridge,
                       struct tl_session *const sessions[TL_BRIDGE_ENDS])
{
    memcpy(bridge->sessions, sessions, sizeof bridge->sessions);
}

struct tl_bridge_counts tl_bridge_counts(const struct tl_bridge *bridge)
{
    return bridge->counts;
}

/* The session that the scenario is played on. */
static struct tl_session *stage(struct tl_bridge *bridge)
{
    return bridge->sessions[1];
}

/* A frame leaves by that interface. When, in the session's time. */
static uint64_t forward(struct tl_bridge *bridge, unsigned port, const uint8_t *bytes,
                        size_t len)
{
    struct tl_link *link = bridge->bench->link;
    struct fal_error err = {{0}};
    uint64_t at = link->ops->now_ns(link);

    if (link->ops->port(link, port, NULL, 0, &err) != 0 ||
        link->ops->send(link, bytes, len, &at, &err) != 0)
        tl_session_break(stage(bridge), TL_REASON_LINK, "%s", err.text);
    return at;
}

/* ---- connections ---- */

static void learn(struct tl_bridge *bridge, unsigned end, unsigned which, uint32_t value)
{
    struct fal_connection *connection = &stage(bridge)->connection;
    struct fal_end *of = end == 1 ? &connection->sut : &connection->tester;
    uint32_t *number[] = {&of->req_psn, &of->data_psn, &of->rsn};

    if (!bridge->has[end][which] || (int32_t)(value - *number[which]) < 0)
        *number[which] = value;
    bridge->has[end][which] = true;
}

/* The number that 0r stands for: the first numbers of the first connection. */
static void learn_numbers(struct tl_bridge *bridge, unsigned from,
                          const struct tl_recorded_frame *frame)
{
    const struct fal_falcon *p = &frame->falcon;
    bool answer = p->packet_type == FAL_PULL_DATA ||
                  (p->packet_type == FAL_RESYNC && p->resync_packet_type == FAL_PULL_DATA);

    if (frame->header_len <= 0 || bridge->shown >= FIRST_SHOWN)
        return;
    bridge->shown++;
    learn(bridge, 1 - from, 0, p->recv_req_base_psn);
    learn(bridge, 1 - from, 1, p->recv_data_base_psn);
    if (!fal_falcon_reliable(p->packet_type))
        return;
    learn(bridge, from, fal_falcon_window(p) == FAL_WINDOW_REQ ? 0 : 1, p->psn);
    learn(bridge, answer ? 1 - from : from, 2, p->rsn);
}

/* The connection as a session sees it whose SUT is that side. */
static void tell(struct tl_session *session, const struct tl_check_conn *conn, uint32_t number,
                 int sut_side)
{
    struct fal_event event = {
        .kind = FAL_EV_CONNECTION, .conn = number, .u.connection = conn->setup};

    if (sut_side == 1) {
        event.u.connection.sut = conn->setup.tester;
        event.u.connection.tester = conn->setup.sut;
    }
    tl_session_emit(session, &event, tl_session_now(session));
}

/* Both judges know the connection, as far as it is known. */
static void introduce(struct tl_bridge *bridge, const struct tl_recorded_frame *frame,
                      unsigned from)
{
    const struct tl_check_conn *conn =
        &tl_recorder_check(bridge->recorder)->conns[frame->conn - 1];
    struct known *known = &bridge->known[frame->conn - 1];
    uint32_t cids[2] = {conn->setup.sut.cid, conn->setup.tester.cid};
    bool fresh = frame->conn > bridge->num_known;

    if (fresh) {
        bridge->num_known = frame->conn;
        known->at_first = from == 0 ? 1 - frame->receiver : frame->receiver;
    } else if (memcmp(known->told, cids, sizeof cids) == 0) {
        return;
    }
    memcpy(known->told, cids, sizeof cids);
    tell(bridge->sessions[0], conn, frame->conn, known->at_first);
    tell(bridge->sessions[1], conn, frame->conn, 1 - known->at_first);
    if (frame->conn == 1) {
        stage(bridge)->connection.sut.cid = cids[1 - known->at_first];
        stage(bridge)->connection.tester.cid = cids[known->at_first];
    }
}

/* ---- frames ---- */

/* The packet that a frame carries; false: none that concerns the session. */
static bool open_frame(struct tl_bridge *bridge, const struct tl_link_got *got,
                       struct tl_recorded_frame *out)
{
    const struct tl_captured frame = {.number = ++bridge->number,
                                      .ts_ns = got->at_ns,
                                      .caplen = (uint32_t)(got->len - TL_BRIDGE_HEAD),
                                      .len = (uint32_t)(got->len - TL_BRIDGE_HEAD),
                                      .linktype = FAL_LINKTYPE_ETHERNET,
                                      .bytes = got->bytes + TL_BRIDGE_HEAD};
    struct fal_error err = {{0}};

    if (tl_recorder_take(bridge->recorder, &frame, out, &err) != 0) {
        tl_session_break(stage(bridge), TL_REASON_MEMORY, "%s", err.text);
        return false;
    }
    return out->conn > 0 && out->conn <= CONNS_MAX;
}

/* The recorder has opened and decoded it. */
static struct tl_packet packet_of(const struct tl_recorded_frame *frame)
{
    return (struct tl_packet){
        .bytes = frame->bytes,
        .len = frame->len,
        .header_len = frame->header_len,
        .falcon = frame->falcon,
        .origin = FAL_ORIGIN_FOREIGN,
        .step = -1,
        .conn = frame->conn,
        .seal = frame->seal,
        .carrier = frame->carrier,
        .path = frame->path,
        .ecn = frame->ecn,
        .cut = frame->cut,
    };
}

void tl_bridge_take(struct tl_bridge *bridge, const struct tl_link_got *got)
{
    struct tl_session *session = stage(bridge);
    unsigned from = got->port % TL_BRIDGE_ENDS;
    uint64_t at = got->at_ns > session->base_ns ? got->at_ns - session->base_ns : 0;
    struct tl_recorded_frame frame;
    struct tl_passing passing;

    if (!open_frame(bridge, got, &frame)) {
        bridge->counts.others++;
        (void)forward(bridge, 1 - from, got->bytes, got->len);
        return;
    }
    bridge->counts.packets[from]++;
    session->heard_ns = tl_session_now(session);
    introduce(bridge, &frame, from);
    if (frame.conn == 1)
        learn_numbers(bridge, from, &frame);
    passing = (struct tl_passing){
        .packet = packet_of(&frame),
        .whole = got->bytes,
        .whole_len = got->len,
        .at = frame.at,
        .ip_at = frame.ip_at,
    };
    passing.packet.at_ns = at;
    passing.packet.dir = FAL_FROM_SUT;
    tl_session_record(bridge->sessions[from], &passing.packet);
    passing.packet.dir = from == 1 ? FAL_FROM_SUT : FAL_TO_SUT;
    tl_session_pass(session, &passing);
}

static uint16_t get16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

/* For an odd length the last word is padded with zeros. */
static uint16_t word_at(const uint8_t *at, size_t left)
{
    const uint8_t last[2] = {at[0], 0};

    return get16(left >= 2 ? at : last);
}

static void put16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/* A checksum over words of which one has changed (RFC 1624). */
static void mend(uint8_t *checksum, uint16_t was, uint16_t is)
{
    uint32_t sum = (uint32_t)(uint16_t)~get16(checksum) + (uint16_t)~was + is;

    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    put16(checksum, (uint16_t)~sum);
}

static void mark_ce(uint8_t *ip)
{
    uint16_t was = get16(ip);

    if (ip[0] >> 4 == 4) {
        ip[V4_TOS] |= ECN;
        mend(ip + V4_CHECKSUM, was, get16(ip));
    } else {
        ip[1] |= ECN << 4; /* the traffic class stands four bits into the word */
    }
}

/* The packet has other bytes now, as many; UDP's checksum fits them. */
static void rewrite(uint8_t *frame, const struct tl_passing *passing)
{
    uint8_t *packet = frame + passing->at, *checksum = packet - 2;
    bool summed = get16(checksum) != 0;

    for (size_t i = 0; i < passing->packet.len; i++) {
        uint16_t was, is;
        uint8_t *word =
            packet + i / 2 * 2; /* UDP's header has eight bytes: words are aligned */

        if (packet[i] == passing->packet.bytes[i])
            continue;
        was = word_at(word, passing->packet.len - i / 2 * 2);
        packet[i] = passing->packet.bytes[i];
        is = word_at(word, passing->packet.len - i / 2 * 2);
        if (summed)
            mend(checksum, was, is);
    }
}

/* The frame changed as the scenario asks. Returns its bytes, or NULL when that is not possible.
 */
static const uint8_t *work_on(struct tl_bridge *bridge, const struct tl_passing *passing)
{
    uint8_t *frame = bridge->out + TL_BRIDGE_HEAD;

    if (!passing->corrupt && !passing->mark && !passing->rewritten)
        return passing->whole;
    if (passing->whole_len > sizeof bridge->out ||
        ((passing->mark || passing->rewritten) && passing->ip_at == 0) ||
        (passing->rewritten &&
         (passing->at == 0 || passing->packet.carrier.encap != FAL_ENCAP_UDP))) {
        tl_session_break(stage(bridge), TL_REASON_SCENARIO,
                         "a packet that is sealed cannot be rewritten on its way");
        return NULL;
    }
    memcpy(bridge->out, passing->whole, passing->whole_len);
    if (passing->rewritten)
        rewrite(frame, passing);
    if (passing->mark)
        mark_ce(frame + passing->ip_at);
    if (passing->corrupt) /* its last byte is payload, or the seal */
        bridge->out[passing->whole_len - 1] ^= 1;
    return bridge->out;
}

void tl_bridge_carry(struct tl_bridge *bridge, enum fal_dir dir,
                     const struct tl_passing *passing)
{
    unsigned to = dir == FAL_TO_SUT ? 1 : 0;
    struct tl_session *receiver = bridge->sessions[to];
    const uint8_t *bytes = work_on(bridge, passing);
    struct tl_packet packet = passing->packet;
    uint64_t at;

    if (bytes == NULL)
        return;
    at = forward(bridge, to, bytes, passing->whole_len);
    packet.at_ns = at > receiver->base_ns ? at - receiver->base_ns : 0;
    packet.dir = FAL_TO_SUT;
    if (!passing->corrupt) /* else its receiver sees no packet */
        tl_session_record(receiver, &packet);
}

void tl_bridge_gap(struct tl_bridge *bridge, uint64_t frames)
{
    for (unsigned end = 0; end < TL_BRIDGE_ENDS; end++) {
        tl_session_mark(bridge->sessions[end], FAL_MARK_GAP_IN, frames);
        tl_session_mark(bridge->sessions[end], FAL_MARK_GAP_OUT, frames);
    }
}
