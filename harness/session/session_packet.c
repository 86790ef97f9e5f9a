/* SPDX-License-Identifier: Apache-2.0
 * session_packet.c - frames of a case, both ways: stamped, decoded, judged, given to the
 * tester's endpoint, and kept. */
#include "harness/session/session_impl.h"

#include "codecs/text/text.h"
#include "harness/capture/packet_line.h"
#include "harness/session/bridge.h"
#include "oracles/payload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINK_TTL = 64 }; /* of frames that nobody marked */

/* Makes room for one more in a ring that grows up to `most`. False when out of memory. */
static bool make_room(void **ring, size_t *cap, uint64_t next, size_t size, size_t most)
{
    size_t grown = *cap == 0 ? 64 : *cap * 2;
    void *copy;

    if (next < *cap || *cap == most)
        return true;
    if (grown > most)
        grown = most;
    copy = realloc(*ring, grown * size); /* not yet wrapped: all lie in order */
    if (copy == NULL)
        return false;
    *ring = copy;
    *cap = grown;
    return true;
}

/* The bytes of the payload that are kept. */
static struct fal_ulp_bytes front_of(const struct tl_seen_packet *packet)
{
    size_t header = packet->header_len > 0 ? (size_t)packet->header_len : 0;
    size_t len = packet->len < TL_FRAME_HEAD ? packet->len : TL_FRAME_HEAD;

    if (header == 0 || len <= header)
        return (struct fal_ulp_bytes){.payload = packet->head};
    return (struct fal_ulp_bytes){.payload = packet->head + header, .len = len - header};
}

void tl_session_ulp(const struct tl_seen_packet *packet, struct fal_ulp *out)
{
    struct fal_ulp_bytes front = front_of(packet);

    out->state = FAL_ULP_NONE;
    if (front.len > 0)
        fal_ulp_decode(&packet->falcon, front.payload, front.len, out);
}

/* The hash of the data behind the headers of the upper layer. */
static uint64_t data_hash(const struct fal_ev_packet *packet)
{
    struct fal_ulp ulp;

    if (packet->header_len <= 0 || packet->payload_len == 0 ||
        (packet->falcon.protocol_type != FAL_PROTOCOL_RDMA &&
         packet->falcon.protocol_type != FAL_PROTOCOL_NVME))
        return 0;
    fal_ulp_decode(&packet->falcon, packet->payload, packet->payload_len, &ulp);
    if (ulp.state != FAL_ULP_READ)
        return 0;
    return fal_payload_hash(packet->payload + ulp.size_bytes,
                            fal_ulp_data_len(&ulp, packet->payload_len));
}

static void keep(struct tl_session *session, const struct fal_event *event)
{
    const struct fal_ev_packet *packet = &event->u.packet;
    struct tl_packet_log *log = &session->packets;
    struct tl_seen_packet *seen;
    void *ring = log->ring;

    if (!make_room(&ring, &log->cap, log->next, sizeof *log->ring, TL_PACKETS_KEPT)) {
        tl_session_break(session, TL_REASON_MEMORY, "out of memory");
        return;
    }
    log->ring = ring;
    seen = &log->ring[log->next++ % log->cap];
    *seen = (struct tl_seen_packet){
        .event = event->index,
        .t_ns = event->t_ns,
        .dir = packet->dir,
        .origin = packet->origin,
        .step = packet->step,
        .header_len = packet->header_len,
        .falcon = packet->falcon,
        .payload_len = packet->payload_len,
        .len = packet->len,
        .path = packet->path,
        .bad = packet->bad,
        .other = event->conn != 1,
        .iv = packet->has_iv ? packet->iv : 0,
        .data_hash = data_hash(packet),
    };
    memcpy(seen->head, packet->bytes,
           packet->len < TL_FRAME_HEAD ? packet->len : TL_FRAME_HEAD);
}

void tl_session_record(struct tl_session *session, const struct tl_packet *packet)
{
    struct fal_event event;
    struct fal_ev_packet *p = &event.u.packet;

    fal_event_begin(&event, FAL_EV_PACKET, packet->conn);
    p->dir = packet->dir;
    p->origin = packet->origin;
    p->step = packet->step;
    p->path = packet->path;
    p->truncated = packet->cut;
    p->has_iv = packet->seal.present;
    p->iv = packet->seal.iv;
    p->spi = packet->seal.spi;
    p->carrier = packet->carrier;
    p->bad = packet->bad;
    /* The timeline's time never goes back (tl_session_emit): the stamp is off by so much. */
    p->error_ns = session->last_ns > packet->at_ns ? session->last_ns - packet->at_ns : 0;
    p->bytes = packet->bytes;
    p->len = (uint32_t)packet->len;
    p->header_len = packet->header_len;
    p->falcon = packet->falcon;
    fal_event_unhashed(p);
    p->payload_hash = fal_payload_hash_by(session->bench->hashes, p->payload, p->payload_len);
    tl_session_emit(session, &event, packet->at_ns);
    keep(session, &event);
}

void tl_session_mark_frame(struct tl_session *session, int ecn, unsigned ttl)
{
    const struct tl_link_ops *ops = session->bench->link->ops;

    if (ttl == 0)
        ttl = session->connection.params.initial_ttl;
    if (ops->mark != NULL)
        ops->mark(session->bench->link, ecn, (int)ttl);
    session->marked = true;
}

uint64_t tl_session_send(struct tl_session *session, const struct tl_packet *packet,
                         const struct tl_sealing *how)
{
    struct tl_link *link = session->bench->link;
    struct tl_packet sent = *packet;
    const uint8_t *frame = packet->bytes;
    size_t frame_len = packet->len;
    struct fal_error err = {{0}};
    uint64_t at;
    bool expired; /* the tester has not been told of the key that came after this one */
    int rc;

    sent.at_ns = tl_session_now(session);
    if (session->broken.reason != TL_REASON_NONE ||
        tl_session_seal(session, how, &frame, &frame_len) != 0)
        return sent.at_ns;
    if (!session->marked && session->connection.params.initial_ttl != LINK_TTL)
        tl_session_mark_frame(session, -1, 0);
    session->marked = false;
    rc = link->ops->send(link, frame, frame_len, &at, &err);
    if (rc != 0) {
        tl_session_break(session, rc == FAL_ERR_RANGE ? TL_REASON_MTU : TL_REASON_SEND, "%s",
                         err.text);
        return sent.at_ns;
    }
    sent.dir = FAL_TO_SUT;
    sent.at_ns = at - session->base_ns;
    sent.seal = how->seal;
    sent.bad = how->bad;
    expired = how->bad == FAL_BAD_NOT && how->seal.present &&
              !tl_spis_take(&session->sut_spis, how->seal.spi);
    if (expired)
        sent.bad = FAL_BAD_SPI;
    session->frames_sent += tl_bad_below(sent.bad) ? 0 : 1; /* the SUT counts none, either */
    tl_session_record(session, &sent);
    if (expired) /* the tester has sent it, and the SUT cannot open it: as if it were lost */
        tl_session_mark(session, FAL_MARK_GAP_IN, 1);
    tl_session_losses(session);
    return sent.at_ns;
}

/* Whether it belongs to a connection of an earlier case: it counts for nothing then. */
static bool of_the_past(const struct tl_session *session, const struct fal_falcon *falcon)
{
    return falcon->dest_cid != session->connection.tester.cid &&
           tl_bench_was_open(session->bench, falcon->dest_cid);
}

/* A NACK for want of resources. */
static bool lacks(const struct tl_packet *packet)
{
    return packet->header_len > 0 && packet->falcon.packet_type == FAL_NACK &&
           (packet->falcon.nack_code == FAL_NACK_RESOURCE ||
            packet->falcon.nack_code == FAL_NACK_XLR);
}

static uint64_t arrival(const struct tl_session *session, const struct tl_link_got *got)
{
    return got->at_ns > session->base_ns ? got->at_ns - session->base_ns : 0;
}

void tl_session_frame(struct tl_session *session, const struct tl_link_got *got)
{
    struct tl_passing passing = {.whole = NULL};
    struct tl_packet *packet = &passing.packet;

    if (session->config.bridge != NULL) {
        tl_bridge_take(session->config.bridge, got);
        return;
    }
    if (session->conn == 0)
        return;
    session->frames_received++;
    session->heard_ns = tl_session_now(session);
    if (!tl_session_unseal(session, got, packet))
        return;
    if (of_the_past(session, &packet->falcon)) {
        session->frames_received--;
        return;
    }
    packet->dir = FAL_FROM_SUT;
    packet->origin = FAL_ORIGIN_ENDPOINT;
    packet->path = got->path;
    packet->at_ns = arrival(session, got);
    packet->ecn = got->ecn;
    packet->ttl = got->ttl > 0 ? got->ttl : (uint8_t)session->connection.params.initial_ttl;
    if (session->sealer != NULL && !packet->seal.present)
        packet->bad = FAL_BAD_SEAL; /* the tester's endpoint does not take it */
    tl_session_record(session, packet);
    session->starved |= session->bench->wire != NULL && lacks(packet);
    tl_session_pass(session, &passing);
}

void tl_session_other(struct tl_session *session, const struct tl_link_got *got)
{
    struct tl_packet packet;

    if (session->conn == 0)
        return;
    packet = tl_packet_of(got->bytes, got->len);
    packet.origin = FAL_ORIGIN_FOREIGN;
    packet.at_ns = arrival(session, got);
    tl_session_record(session, &packet);
}

uint64_t tl_session_first_packet(const struct tl_session *session)
{
    const struct tl_packet_log *log = &session->packets;

    return log->next > log->cap ? log->next - log->cap : 0;
}

const struct tl_seen_packet *tl_session_packet(const struct tl_session *session,
                                               uint64_t number)
{
    const struct tl_packet_log *log = &session->packets;

    if (number >= log->next || number < tl_session_first_packet(session))
        return NULL;
    return &log->ring[number % log->cap];
}

struct fal_relative tl_session_relative(const struct tl_session *session, enum fal_dir dir)
{
    return tl_packet_relative(&session->connection, dir);
}

void tl_session_print_time(uint64_t ns, char *out, size_t cap)
{
    static const struct {
        uint64_t ns;
        const char *unit;
    } units[] = {{FAL_S, "s"}, {FAL_MS, "ms"}, {FAL_US, "us"}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        uint64_t rest = ns % units[i].ns, digits = units[i].ns;
        char fraction[24];
        size_t len;

        if (ns < units[i].ns)
            continue;
        (void)snprintf(fraction, sizeof fraction, ".%09" PRIu64, rest * (FAL_S / digits));
        len = strlen(fraction);
        while (len > 0 && (fraction[len - 1] == '0' || fraction[len - 1] == '.'))
            fraction[--len] = 0;
        (void)snprintf(out, cap, "%" PRIu64 "%s%s", ns / units[i].ns, fraction, units[i].unit);
        return;
    }
    (void)snprintf(out, cap, ns == 0 ? "0" : "%" PRIu64 "ns", ns);
}

void tl_session_print(const struct tl_session *session, const struct tl_seen_packet *packet,
                      char *out, size_t cap)
{
    char time[64], line[FAL_TEXT_MAX];
    struct fal_ulp_bytes front;
    struct fal_ulp ulp;
    size_t len;

    tl_session_print_time(packet->t_ns, time, sizeof time);
    if (packet->header_len > 0) {
        tl_packet_line(packet->other ? NULL : &session->connection, packet->dir,
                       &packet->falcon, line, sizeof line);
        len = strlen(line);
        tl_session_ulp(packet, &ulp);
        front = front_of(packet);
        (void)fal_ulp_line(&ulp, &front, packet->payload_len, line + len, sizeof line - len);
    } else {
        (void)fal_text_hex(packet->head,
                           packet->len < TL_FRAME_HEAD ? packet->len : TL_FRAME_HEAD, line,
                           sizeof line);
    }
    (void)snprintf(out, cap, "@%s %c %s%s", time, packet->dir == FAL_TO_SUT ? '>' : '<', line,
                   packet->header_len <= 0 && packet->len > TL_FRAME_HEAD ? " # cut" : "");
}
