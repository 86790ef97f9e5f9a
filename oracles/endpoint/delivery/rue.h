/* SPDX-License-Identifier: Apache-2.0
 * rue.h - the packet delivery sublayer's side of congestion control (10.6): events for the RUE,
 * and what its results change.
 *
 * The windows and the timeout in force are those of the connection's parameters, where the gate
 * and the timers find them; here is the rest of what a result says. */
#ifndef FAL_ORACLES_ENDPOINT_DELIVERY_RUE_H
#define FAL_ORACLES_ENDPOINT_DELIVERY_RUE_H

#include "oracles/endpoint/base/clock.h"
#include "oracles/endpoint/endpoint.h"

struct fal_tx_packet;

struct fal_ep_conn;

struct fal_cc {
    uint64_t event_ns;  /* of the last event */
    uint64_t depart_ns; /* pacing: nothing leaves before; FAL_NEVER: not paced */
    uint32_t metadata;  /* rue_info of ACKs and NACKs to come */
    uint32_t path;      /* entropy of flow label or source port */
    uint32_t gap;       /* ticks between packets while fcwnd is below one */
    uint32_t fabric_marker, nic_marker;
    uint32_t base_delay_target, delay_state, rtt_state;
    uint16_t fcwnd_fraction;
    uint16_t acked;       /* packets since the last event, */
    uint32_t acked_bytes; /* and their payload */
    uint8_t direction, opaque;
    bool asked;                /* its last event has no result yet */
    bool eack;                 /* one is being processed */
    uint8_t lost;              /* the largest count of a packet that it shows as lost */
    struct fal_cc_state state; /* of the algorithm */
};

/* The event queue of an endpoint. */
struct fal_rue {
    struct fal_rue_config config;
    uint32_t produced, waiting;
};

void fal_rue_init(struct fal_rue *rue, const struct fal_rue_config *config);
/* Another configuration from now on. */
void fal_rue_change(struct fal_rue *rue, const struct fal_rue_config *config);
/* The values that a connection begins with (oracles/cc/state.h). Of the parameters it takes the
 * fraction of fcwnd, and the gap between packets while fcwnd is below one. */
void fal_cc_init(struct fal_cc *cc, const struct fal_rue_config *config, uint32_t path,
                 const struct fal_params *params);

/* A packet of the connection with so much payload was acknowledged, in whatever way. */
void fal_rue_acked(struct fal_ep_conn *conn, uint32_t payload_len);

/* The members of an event that state the present values of the connection. */
struct fal_cc_event fal_rue_event_of(const struct fal_ep_conn *conn,
                                     enum fal_cc_event_type type);

/* The predicates of 10.6.1: whether enough time has passed since the last event of the
 * connection, and whether enough packets were acknowledged since then. */
bool fal_rue_p1(const struct fal_ep_conn *conn);
bool fal_rue_p2(const struct fal_ep_conn *conn);

/* An ACK or NACK has arrived: 10.6.2.1. It was accepted and its bases taken, or it was
 * discarded. */
void fal_rue_ack(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                 const struct fal_falcon *ack, bool accepted);

/* A packet is to be retransmitted. Its event counts how often this packet was (10.6.2.1: the
 * cumulative count; AMB-39). One EACK gives one event for all packets that it shows as lost
 * (AMB-79), after its own. */
void fal_rue_retransmit(struct fal_ep_conn *conn, struct fal_tx_packet *packet,
                        enum fal_cc_reason reason);
/* An EACK begins to be processed; fal_rue_ack ends it. */
void fal_rue_eack(struct fal_ep_conn *conn);

/* A result came in (FAL_IN_RUE). Returns its connection; NULL with *rc FAL_ERR_SHORT or
 * FAL_ERR_RANGE when the entry names no connection. */
struct fal_ep_conn *fal_rue_result(struct fal_endpoint *ep, const struct fal_endpoint_in *in,
                                   int *rc);

/* Applies a result that belongs to no event. */
void fal_rue_apply(struct fal_ep_conn *conn, const struct fal_cc_result *result);

/* Pacing (10.3.5, 10.6.2.1): whether a packet may leave now; one has left. */
bool fal_rue_may_depart(const struct fal_ep_conn *conn);
void fal_rue_departed(struct fal_ep_conn *conn);
/* The gap may be over. */
void fal_rue_expire(struct fal_ep_conn *conn);

/* rue_info of an outgoing ACK or NACK of that type (AMB-07). */
uint32_t fal_rue_info(const struct fal_ep_conn *conn, enum fal_packet_type type);

#endif
