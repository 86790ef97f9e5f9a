/* SPDX-License-Identifier: Apache-2.0
 * session_packet.c - frames of a case, both ways: stamped, decoded, judged, given to the
 * tester's endpoint, and kept. */
#include "harness/session/session.h"

#include "codecs/text.h"
#include "harness/capture/packet_line.h"
#include "harness/session/bridge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        .other = event->conn != 1,
    };
    memcpy(seen->head, packet->bytes,
           packet->len < TL_FRAME_HEAD ? packet->len : TL_FRAME_HEAD);
}

static void record_of(struct tl_session *session, uint32_t conn, bool cut, const uint8_t *bytes,
                      size_t len, const struct tl_sealing *how, enum fal_dir dir,
                      enum fal_origin origin, int32_t step, uint32_t path, uint64_t t_ns)
{
    struct fal_event event = {.kind = FAL_EV_PACKET, .conn = conn};

    event.u.packet = (struct fal_ev_packet){
        .dir = dir,
        .origin = origin,
        .step = step,
        .path = path,
        .truncated = cut,
        .has_iv = how->seal.present,
        .iv = how->seal.iv,
        .spi = how->seal.spi,
        .carrier = how->carrier,
        .bad = how->bad,
        /* The timeline's time never goes back (tl_session_emit): the stamp is off by so much.
         */
        .error_ns = session->last_ns > t_ns ? session->last_ns - t_ns : 0,
        .bytes = bytes,
        .len = (uint32_t)len,
    };
    fal_event_packet(&event.u.packet);
    tl_session_emit(session, &event, t_ns);
    keep(session, &event);
}

static void record(struct tl_session *session, const uint8_t *bytes, size_t len,
                   const struct tl_sealing *how, enum fal_dir dir, enum fal_origin origin,
                   int32_t step, uint32_t path, uint64_t t_ns)
{
    record_of(session, 1, false, bytes, len, how, dir, origin, step, path, t_ns);
}

void tl_session_record(struct tl_session *session, uint32_t conn,
                       const struct tl_passing *frame, enum fal_dir dir, enum fal_origin origin,
                       uint64_t t_ns)
{
    const struct tl_sealing how = {.seal = frame->seal, .carrier = frame->carrier};

    record_of(session, conn, frame->cut, frame->bytes, frame->len, &how, dir, origin, -1,
              frame->path, t_ns);
}

void tl_session_send(struct tl_session *session, const uint8_t *bytes, size_t len,
                     const struct tl_sealing *how, enum fal_origin origin, int32_t step,
                     uint64_t *sent_ns)
{
    struct tl_link *link = session->bench->link;
    const uint8_t *frame = bytes;
    size_t frame_len = len;
    struct fal_error err = {{0}};
    uint64_t at;
    int rc;

    *sent_ns = tl_session_now(session);
    if (session->broken.reason != TL_REASON_NONE ||
        tl_session_seal(session, how, &frame, &frame_len) != 0)
        return;
    rc = link->ops->send(link, frame, frame_len, &at, &err);
    if (rc != 0) {
        tl_session_break(session, rc == FAL_ERR_RANGE ? TL_REASON_MTU : TL_REASON_SEND, "%s",
                         err.text);
        return;
    }
    *sent_ns = at - session->base_ns;
    session->frames_sent += tl_bad_below(how->bad) ? 0 : 1; /* the SUT counts none, either */
    record(session, bytes, len, how, FAL_TO_SUT, origin, step, 0, *sent_ns);
    tl_session_losses(session);
}

/* Of a connection that is no more? Its last words count for nothing. */
static bool of_the_past(const struct tl_session *session, const uint8_t *bytes, size_t len)
{
    struct fal_falcon falcon = {0};

    (void)fal_falcon_decode(bytes, len, &falcon);
    return falcon.dest_cid != session->connection.tester.cid &&
           tl_bench_was_open(session->bench, falcon.dest_cid);
}

/* A NACK for want of resources. */
static bool lacks(const uint8_t *bytes, size_t len)
{
    struct fal_falcon falcon = {0};

    return fal_falcon_decode(bytes, len, &falcon) > 0 && falcon.packet_type == FAL_NACK &&
           (falcon.nack_code == FAL_NACK_RESOURCE || falcon.nack_code == FAL_NACK_XLR);
}

void tl_session_frame(struct tl_session *session, const struct tl_link_got *got)
{
    struct tl_opened opened;
    struct tl_passing frame = {0};
    enum fal_bad bad = FAL_BAD_NOT;
    uint64_t at = got->at_ns > session->base_ns ? got->at_ns - session->base_ns : 0;

    if (session->config.bridge != NULL) {
        tl_bridge_take(session->config.bridge, got);
        return;
    }
    if (session->conn == 0)
        return;
    session->frames_received++;
    session->heard_ns = tl_session_now(session);
    if (!tl_session_unseal(session, got, &opened))
        return;
    if (of_the_past(session, opened.bytes, opened.len)) {
        session->frames_received--;
        return;
    }
    if (session->sealer != NULL && !opened.seal.present)
        bad = FAL_BAD_SEAL; /* the tester's endpoint does not take it */
    record(session, opened.bytes, opened.len,
           &(struct tl_sealing){.seal = opened.seal, .bad = bad, .carrier = opened.carrier},
           FAL_FROM_SUT, FAL_ORIGIN_ENDPOINT, -1, got->path, at);
    session->starved |= session->bench->wire != NULL && lacks(opened.bytes, opened.len);
    frame.bytes = opened.bytes;
    frame.len = opened.len;
    frame.seal = opened.seal;
    frame.ecn = got->ecn;
    frame.ttl = got->ttl > 0 ? got->ttl : (uint8_t)session->connection.params.initial_ttl;
    frame.arrived_ns = at;
    tl_session_pass(session, FAL_FROM_SUT, &frame);
}

void tl_session_other(struct tl_session *session, const struct tl_link_got *got)
{
    uint64_t at = got->at_ns > session->base_ns ? got->at_ns - session->base_ns : 0;

    if (session->conn != 0)
        record(session, got->bytes, got->len, &(struct tl_sealing){.bad = FAL_BAD_NOT},
               FAL_TO_SUT, FAL_ORIGIN_FOREIGN, -1, 0, at);
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

    tl_session_print_time(packet->t_ns, time, sizeof time);
    if (packet->header_len > 0) {
        tl_packet_line(packet->other ? NULL : &session->connection, packet->dir,
                       &packet->falcon, line, sizeof line);
    } else {
        (void)fal_text_hex(packet->head,
                           packet->len < TL_FRAME_HEAD ? packet->len : TL_FRAME_HEAD, line,
                           sizeof line);
    }
    (void)snprintf(out, cap, "@%s %c %s%s", time, packet->dir == FAL_TO_SUT ? '>' : '<', line,
                   packet->header_len <= 0 && packet->len > TL_FRAME_HEAD ? " # cut" : "");
}
