/* SPDX-License-Identifier: Apache-2.0
 * moved.c - whether a Rate Update Engine (chapter 10) may have changed the limits with which
 * the SUT was opened. It hears of ACKs, NACKs and retransmissions alone (10.6.1). */
#include "harness/verdict/verdict_impl.h"

const char tl_verdict_moved_text[] =
    "the SUT's congestion control changes fcwnd, ncwnd and RTO; this case needs those of open";

static bool is_reliable(const struct tl_seen_packet *packet)
{
    return packet->dir == FAL_FROM_SUT && packet->header_len > 0 &&
           fal_falcon_reliable(packet->falcon.packet_type);
}

static bool is_repeat(const struct tl_session *session, uint64_t number)
{
    const struct tl_seen_packet *packet = tl_session_packet(session, number);

    for (uint64_t i = tl_session_first_packet(session); is_reliable(packet) && i < number;
         i++) {
        const struct tl_seen_packet *before = tl_session_packet(session, i);

        if (is_reliable(before) && before->falcon.psn == packet->falcon.psn &&
            fal_falcon_window(&before->falcon) == fal_falcon_window(&packet->falcon))
            return true;
    }
    return false;
}

bool tl_verdict_moved(const struct tl_session *session, uint64_t t_ns)
{
    uint64_t first = tl_session_first_packet(session);

    if (!session->connection.rue.known || !session->connection.rue.moves_limits)
        return false;
    if (session->steered && session->connection.rue.swift)
        return false; /* Its ACKs tell Swift what to do with the limits. */
    if (first > 0 || session->gate.touched)
        return true; /* Some packets are not listed. */
    for (uint64_t i = first; i < session->packets.next; i++) {
        const struct tl_seen_packet *packet = tl_session_packet(session, i);

        if (packet->t_ns > t_ns)
            continue;
        if (packet->dir == FAL_TO_SUT && packet->header_len > 0 &&
            fal_falcon_is_ack(packet->falcon.packet_type))
            return true;
        if (is_repeat(session, i))
            return true;
    }
    return false;
}
