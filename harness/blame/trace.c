/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/blame/trace.h"

struct tl_trace tl_trace_of(const struct tl_session *session)
{
    struct fal_relative rel = tl_session_relative(session, FAL_FROM_SUT);

    return (struct tl_trace){
        .packets = session->packets.ring,
        .cap = session->packets.cap,
        .first = tl_session_first_packet(session),
        .next = session->packets.next,
        .events = session->events.ring,
        .event_cap = session->events.cap,
        .first_event = tl_session_first_event(session),
        .next_event = session->events.next,
        .params = &session->connection.params,
        .peer_initial =
            {[FAL_WINDOW_DATA] = rel.peer_data_psn, [FAL_WINDOW_REQ] = rel.peer_req_psn},
        .cid = session->connection.sut.cid,
        .initial = {[FAL_WINDOW_DATA] = rel.data_psn, [FAL_WINDOW_REQ] = rel.req_psn},
    };
}

const struct tl_seen_packet *tl_trace_packet(const struct tl_trace *trace, uint64_t number)
{
    const struct tl_seen_packet *packet;

    if (number < trace->first || number >= trace->next)
        return NULL;
    packet = &trace->packets[number % trace->cap];
    return packet->header_len > 0 && !packet->other && packet->bad == FAL_BAD_NOT ? packet
                                                                                  : NULL;
}

uint64_t tl_trace_find(const struct tl_trace *trace, uint64_t event)
{
    for (uint64_t n = trace->first; n < trace->next; n++)
        if (trace->packets[n % trace->cap].event == event)
            return n;
    return UINT64_MAX;
}

uint64_t tl_trace_before(const struct tl_trace *trace, uint64_t number, enum fal_dir dir)
{
    for (uint64_t n = number < trace->next ? number : trace->next; n-- > trace->first;) {
        const struct tl_seen_packet *packet = tl_trace_packet(trace, n);

        if (packet != NULL && packet->dir == dir)
            return n;
    }
    return UINT64_MAX;
}

static bool has_bit(fal_u128 bitmap, int32_t distance)
{
    return (fal_u128_lo(fal_u128_shr(bitmap, (unsigned)distance)) & 1) != 0;
}

bool tl_bit_acked(const struct fal_falcon *eack, enum fal_window w, int32_t distance)
{
    if (distance < 0 || distance >= (w == FAL_WINDOW_REQ ? 64 : 128))
        return false;
    return has_bit(w == FAL_WINDOW_REQ ? (fal_u128)eack->req_bitmap : eack->data_ack_bitmap,
                   distance);
}

bool tl_bit_received(const struct fal_falcon *eack, enum fal_window w, int32_t distance)
{
    if (distance < 0 || distance >= (w == FAL_WINDOW_REQ ? 64 : 128))
        return false;
    return has_bit(w == FAL_WINDOW_REQ ? (fal_u128)eack->req_bitmap : eack->data_rx_bitmap,
                   distance);
}
