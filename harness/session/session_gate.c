/* SPDX-License-Identifier: Apache-2.0
 * session_gate.c - what lies between the tester's own endpoint and the place where packets are
 * stamped and judged: rules of the scenario (drop, delay, rewrite ...), faults of a network,
 * and frames that are held back. What happens here the SUT sees as its network's doing, and the
 * judge knows exactly what the SUT was sent and what it sent. */
#include "harness/link/pulse.h"
#include "harness/session/session_impl.h"

#include "codecs/base/error.h"
#include "harness/capture/packet_line.h"
#include "harness/session/bridge.h"
#include "oracles/rng.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tl_held {
    uint64_t due_ns; /* FAL_NEVER: withheld */
    uint64_t order;
    uint64_t overtakers; /* so many other packets pass first; 0: not counted */
    const void *owner;   /* for release */
    struct tl_passing frame;
    uint8_t *bytes; /* of the frame, its own */
};

enum { HELD_MAX = 65536, BRIDGED_MAX = 4096, PPB_MILLION = 1000000000, CE = 3 };

static void hand_to_endpoint(struct tl_session *session, const struct tl_passing *passing)
{
    const struct tl_packet *packet = &passing->packet;
    uint64_t now = tl_session_now(session);
    const struct fal_endpoint_in in = {.kind = FAL_IN_PACKET,
                                       .bytes = packet->bytes,
                                       .len = packet->len,
                                       .falcon = &packet->falcon,
                                       .header_len = packet->header_len,
                                       .seal = packet->seal,
                                       .ecn = passing->mark ? CE : packet->ecn,
                                       .ttl = packet->ttl,
                                       .age_ns = now > packet->at_ns ? now - packet->at_ns : 0};

    /* Without memory the session is broken, with its reason. */
    FAL_IGNORE(tl_session_input_at(session, &in, now, NULL));
}

/* A step has chosen the values of this ACK, so no rule judges them as measured by the tester.
 */
static bool is_steered(const struct tl_session *session, const struct tl_packet *packet)
{
    return session->steered && packet->header_len > 0 &&
           fal_falcon_is_ack(packet->falcon.packet_type);
}

static void deliver(struct tl_session *session, const struct tl_passing *passing)
{
    struct tl_packet packet = passing->packet;

    if (session->config.bridge != NULL) {
        tl_bridge_carry(session->config.bridge, packet.dir, passing);
        return;
    }
    if (passing->corrupt) { /* its receiver drops it */
        session->gate.touched = true;
        return;
    }
    if (packet.dir == FAL_FROM_SUT) {
        hand_to_endpoint(session, passing);
        return;
    }
    if (passing->mark)
        tl_session_mark_frame(session, CE, 0);
    packet.origin = session->gate.touched || is_steered(session, &packet) ? FAL_ORIGIN_STEP
                                                                          : FAL_ORIGIN_ENDPOINT;
    (void)tl_session_send(session, &packet, &(struct tl_sealing){.seal = packet.seal});
}

static void hold(struct tl_session *session, const struct tl_held *like)
{
    const struct tl_packet *packet = &like->frame.packet;
    struct tl_gate *gate = &session->gate;
    struct tl_held *held;

    if (session->config.bridge != NULL && gate->count >= BRIDGED_MAX)
        return; /* lost, as in any full queue */
    if (gate->count == gate->cap) {
        size_t cap = gate->cap == 0 ? 16 : gate->cap * 2;
        struct tl_held *grown =
            cap <= HELD_MAX ? realloc(gate->held, cap * sizeof *grown) : NULL;

        if (grown == NULL) {
            tl_session_break(session, TL_REASON_MEMORY, "too many frames are held back");
            return;
        }
        gate->held = grown;
        gate->cap = cap;
    }
    assert(gate->count < gate->cap && gate->cap <= HELD_MAX);
    held = &gate->held[gate->count];
    *held = *like;
    held->order = gate->next_order++;
    held->bytes = malloc(packet->len + like->frame.whole_len + 1);
    if (held->bytes == NULL) {
        tl_session_break(session, TL_REASON_MEMORY, "out of memory");
        return;
    }
    memcpy(held->bytes, packet->bytes, packet->len);
    held->frame.packet.bytes = held->bytes;
    if (like->frame.whole_len > 0) {
        memcpy(held->bytes + packet->len, like->frame.whole, like->frame.whole_len);
        held->frame.whole = held->bytes + packet->len;
    }
    gate->count++;
}

/* One more has gone that way: those that wait to be overtaken have been. */
static void overtake(struct tl_session *session, enum fal_dir dir)
{
    struct tl_gate *gate = &session->gate;

    for (size_t i = 0; i < gate->count; i++)
        if (gate->held[i].frame.packet.dir == dir && gate->held[i].overtakers > 0 &&
            --gate->held[i].overtakers == 0)
            gate->held[i].due_ns = tl_session_now(session);
}

static bool happens(struct tl_session *session, uint32_t ppb)
{
    return ppb > 0 && fal_rng_below(&session->gate.rng, PPB_MILLION) < ppb;
}

/* The delay that chance adds to a frame; true: it is lost. */
static bool by_chance(struct tl_session *session, enum fal_dir dir, uint64_t *delay,
                      unsigned *copies)
{
    const struct tl_chances *c = &session->gate.chances[dir];

    if (happens(session, c->loss))
        return true;
    *copies += happens(session, c->duplicate);
    *delay += c->latency_ns;
    if (c->jitter_ns > 0)
        *delay += fal_rng_below(&session->gate.rng, c->jitter_ns + 1);
    if (happens(session, c->reorder))
        *delay += c->reorder_by_ns;
    return false;
}

/* The timeline would not show it otherwise. */
static void tell_drop(struct tl_session *session, const struct tl_packet *packet)
{
    char line[FAL_TEXT_MAX];

    line[0] = 0;
    if (packet->header_len > 0)
        tl_packet_line(&session->connection, packet->dir, &packet->falcon, line, sizeof line);
    tl_session_bench(session, &(struct fal_ev_bench){FAL_BENCH_GATE_DROP, packet->dir, line});
}

void tl_session_losses(struct tl_session *session)
{
    struct tl_link *link = session->bench->link;
    uint64_t lost[2];

    if (link->ops->lost == NULL)
        return;
    link->ops->lost(link, lost);
    for (int dir = FAL_TO_SUT; dir <= FAL_FROM_SUT; dir++) {
        for (; session->conn != 0 && session->lost[dir] < lost[dir]; session->lost[dir]++)
            tl_session_bench(session, &(struct fal_ev_bench){FAL_BENCH_NETWORK_LOSS,
                                                             (enum fal_dir)dir, NULL});
        session->lost[dir] = lost[dir];
    }
}

void tl_session_trials(const struct tl_session *session, struct fal_trials out[2])
{
    struct tl_link *link = session->bench->link;
    struct tl_pulse *pulse = session->bench->pulse;
    uint64_t trials[2] = {0, 0}, lost[2] = {0, 0};

    if (pulse != NULL) { /* a probe goes both ways: a lost one counts for each */
        tl_pulse_take(pulse, &trials[0], &lost[0]);
        trials[1] = trials[0];
        lost[1] = lost[0];
    } else if (link->ops->trials != NULL) {
        link->ops->trials(link, trials, lost);
    }
    for (int dir = 0; dir < 2; dir++)
        out[dir] = (struct fal_trials){trials[dir] - session->trials[dir].trials,
                                       lost[dir] - session->trials[dir].losses};
}

/* Whether the gate delays, changes or drops a packet. */
static bool touches(const struct tl_verdict_of_gate *verdict, uint64_t delay, unsigned copies)
{
    return verdict->withhold || verdict->overtakers > 0 || verdict->copies > 0 || copies > 1 ||
           verdict->delay_ns > 0 || delay > 0 || verdict->bytes != NULL || verdict->mark;
}

void tl_session_pass(struct tl_session *session, const struct tl_passing *passing)
{
    struct tl_held held = {.frame = *passing};
    struct tl_packet *packet = &held.frame.packet;
    struct tl_gate *gate = &session->gate;
    struct tl_verdict_of_gate verdict = {0};
    uint64_t now = tl_session_now(session);
    uint64_t delay = 0;
    unsigned copies = 1;

    if (gate->look != NULL)
        gate->look(gate->ctx, packet, &verdict);
    if (verdict.drop || by_chance(session, packet->dir, &delay, &copies)) {
        gate->touched = true;
        tell_drop(session, packet);
        return;
    }
    gate->touched |= touches(&verdict, delay, copies);
    if (verdict.bytes != NULL)
        tl_packet_set_bytes(packet, verdict.bytes, packet->len);
    held.frame.rewritten = verdict.bytes != NULL;
    held.frame.corrupt = verdict.corrupt;
    held.frame.mark = verdict.mark;
    if (verdict.withhold || verdict.overtakers > 0) {
        held.due_ns =
            verdict.withhold ? FAL_NEVER : now + session->connection.params.rto_ns / 2;
        held.overtakers = verdict.overtakers;
        held.owner = verdict.owner;
        hold(session, &held);
        return;
    }
    copies += verdict.copies;
    for (unsigned i = 0; i < copies; i++) {
        held.due_ns = now + delay + (i == 0 ? verdict.delay_ns : verdict.copy_delay_ns);
        /* A lone one that is due now goes its way here: that is every frame of most cases. */
        if (held.due_ns == now && copies == 1)
            deliver(session, &held.frame);
        else
            hold(session, &held);
    }
    overtake(session, packet->dir);
}

uint64_t tl_session_gate_deadline(const struct tl_session *session)
{
    uint64_t due = FAL_NEVER;

    for (size_t i = 0; i < session->gate.count; i++)
        if (session->gate.held[i].due_ns < due)
            due = session->gate.held[i].due_ns;
    return due;
}

bool tl_session_gate_tick(struct tl_session *session)
{
    struct tl_gate *gate = &session->gate;
    bool any = false;

    while (session->broken.reason == TL_REASON_NONE) {
        size_t next = gate->count;
        struct tl_held held;

        for (size_t i = 0; i < gate->count; i++)
            if (gate->held[i].due_ns <= tl_session_now(session) &&
                (next == gate->count || gate->held[i].due_ns < gate->held[next].due_ns ||
                 (gate->held[i].due_ns == gate->held[next].due_ns &&
                  gate->held[i].order < gate->held[next].order)))
                next = i;
        if (next == gate->count)
            return any;
        held = gate->held[next];
        assert(held.bytes != NULL && held.order < gate->next_order);
        gate->held[next] = gate->held[--gate->count];
        held.frame.packet.at_ns = tl_session_now(session);
        deliver(session, &held.frame);
        free(held.bytes);
        any = true;
    }
    return any;
}

void tl_session_release(struct tl_session *session, const void *owner)
{
    for (size_t i = 0; i < session->gate.count; i++)
        if (session->gate.held[i].owner == owner)
            session->gate.held[i].due_ns = tl_session_now(session);
    (void)tl_session_gate_tick(session);
}

void tl_session_gate_clear(struct tl_session *session)
{
    for (size_t i = 0; i < session->gate.count; i++)
        free(session->gate.held[i].bytes);
    free(session->gate.held);
    session->gate = (struct tl_gate){0};
}
