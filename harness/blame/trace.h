/* SPDX-License-Identifier: Apache-2.0
 * trace.h - the packets and upper-layer events of a case, for those who look for the symptom of
 * a violation. It borrows what the session has kept. */
#ifndef TL_HARNESS_BLAME_TRACE_H
#define TL_HARNESS_BLAME_TRACE_H

#include "harness/session/session.h"

struct tl_trace {
    /* Rings: the packet of number n is at n % cap. */
    const struct tl_seen_packet *packets;
    size_t cap;
    uint64_t first, next;
    const struct tl_seen_event *events;
    size_t event_cap;
    uint64_t first_event, next_event;
    const struct fal_params *params; /* of the SUT */
    uint32_t initial[2];             /* PSN of the SUT, by enum fal_window */
    uint32_t peer_initial[2];        /* and of the tester */
    uint32_t cid;                    /* that the SUT allocated */
};

struct tl_trace tl_trace_of(const struct tl_session *session);

/* The packet of that number if it belongs to the connection and its header could be read; else
 * NULL. */
const struct tl_seen_packet *tl_trace_packet(const struct tl_trace *trace, uint64_t number);
/* The number of the packet whose event has that index on the timeline; UINT64_MAX: none. */
uint64_t tl_trace_find(const struct tl_trace *trace, uint64_t event);
/* The newest packet of that direction before `number`; UINT64_MAX: none. */
uint64_t tl_trace_before(const struct tl_trace *trace, uint64_t number, enum fal_dir dir);

/* The base of the window of `w` that the packet carries. */
static inline uint32_t tl_base_of(const struct fal_falcon *f, enum fal_window w)
{
    return w == FAL_WINDOW_REQ ? f->recv_req_base_psn : f->recv_data_base_psn;
}

/* Whether an EACK shows the number at `distance` from its base as acknowledged, as received. */
bool tl_bit_acked(const struct fal_falcon *eack, enum fal_window w, int32_t distance);
bool tl_bit_received(const struct fal_falcon *eack, enum fal_window w, int32_t distance);

#endif
