/* SPDX-License-Identifier: Apache-2.0
 * look.h - what a person who debugs wants to see of a connection of the endpoint: its windows,
 * its timers and the packets that are not acknowledged. Looking changes nothing, so that a run
 * with and without it is the same. The sequence state is in fal_endpoint_state. */
#ifndef FAL_ORACLES_ENDPOINT_LOOK_H
#define FAL_ORACLES_ENDPOINT_LOOK_H

#include "codecs/base/error.h"
#include "oracles/endpoint/endpoint.h"

/* A packet of a transmit window that is not acknowledged. */
struct fal_look_packet {
    enum fal_window window;
    enum fal_packet_type type; /* as it was sent last: its own type, or resync */
    uint32_t psn, rsn;
    uint32_t attempts;    /* retransmissions by timeout so far */
    uint64_t last_tx_ns;  /* when it was last sent */
    uint64_t deadline_ns; /* when its timer expires; FAL_NEVER: no timer runs */
    bool held;            /* its timer is stopped (hold.h); deadline_ns is as it was then */
    bool rnr;             /* the timer is an RNR delay, not the RTO */
    bool due;             /* it waits to be retransmitted */
};

/* Arrays of two: by enum fal_window. */
struct fal_look {
    bool dead; /* a fatal error has ended the connection (chapter 11) */
    bool auto_ack, auto_retransmit;
    uint32_t tx_size[2], rx_size[2]; /* packets */
    uint32_t unacked[2];             /* packets sent and not acknowledged */
    uint32_t queued;                 /* packets that have no PSN yet */
    uint64_t coalesce_ns; /* when the coalescing timer expires; FAL_NEVER: it does not run */
    uint64_t held_ns;     /* when an ACK that is held back leaves; FAL_NEVER: there is none */
    uint64_t rto_ns;      /* the present timeout of the connection's parameters */
    uint64_t rtt_ns;      /* the average round trip; 0: none was measured */
};

/* Returns 0, or FAL_ERR_RANGE for a connection that is not open. */
MUST_USE int fal_endpoint_look(const struct fal_endpoint *ep, uint32_t conn,
                               struct fal_look *out);

/* Writes the packets that are not acknowledged, requests before data and each window in the
 * order of PSNs, at most `cap` of them. Returns how many there are; 0 for a connection that is
 * not open. */
size_t fal_endpoint_look_packets(const struct fal_endpoint *ep, uint32_t conn,
                                 struct fal_look_packet *out, size_t cap);

#endif
