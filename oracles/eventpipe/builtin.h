/* SPDX-License-Identifier: Apache-2.0
 * builtin.h - a small algorithm for the event pipeline: CNP and NACK lower the rate of the
 * flow, ACK and a short round trip raise it. It serves to move rates; it claims no quality. */
#ifndef FAL_ORACLES_EVENTPIPE_BUILTIN_H
#define FAL_ORACLES_EVENTPIPE_BUILTIN_H

#include "oracles/eventpipe/pipe.h"

struct fal_ep_builtin {
    uint64_t start_bps, least_bps, most_bps;
    uint64_t target_ns; /* of the round trip */
};

/* The algorithm on these parameters, which it borrows. */
struct fal_ep_algorithm fal_ep_builtin(struct fal_ep_builtin *parameters);

/* The round trip of an RTT event without the time in the responder: (T4 - T1) - (T3 - T2)
 * [0096-0103]. With T2 = 0, T3 is the difference that the responder has written. */
uint64_t fal_ep_round_trip(const struct fal_ep_event *event);

#endif
