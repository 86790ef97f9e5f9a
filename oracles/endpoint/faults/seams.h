/* SPDX-License-Identifier: Apache-2.0
 * seams.h - where faults and conforming variants (twins) act on the endpoint. The protocol code
 * states what the specification asks for; a seam may change it. There are four kinds:
 *
 *   fal_decide(conn, POINT, VALUE, ...)  a value: VALUE is the correct one, and so the result
 *                                        unless a fault or variant has another
 *   fal_proceed(conn, POINT, ...)        a step: whether the protocol code takes it. False: a
 *                                        fault or variant leaves it out, or has done it its way
 *   fal_filter(conn, POINT, ...)         a header that arrives or leaves, which may be changed
 *   fal_remind(conn, POINT)              a variant does what it has put off
 *
 * POINT names a function fal_at_POINT below. It lists every fault and variant that acts at that
 * point, in the order in which they are asked. A connection without faults and variants calls
 * none of these functions.
 *
 * To add a fault: a row in fault_list*.h, and a line in the function of the point where it
 * acts. A fault is asked last, when all else says that it would make a difference, because each
 * yes is counted (fault_act.h). */
#ifndef FAL_ORACLES_ENDPOINT_FAULTS_SEAMS_H
#define FAL_ORACLES_ENDPOINT_FAULTS_SEAMS_H

#include "codecs/base/error.h"
#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/transaction/credits.h"

#define FAL_FIRST_OF(...)         FAL_FIRST_OF_(__VA_ARGS__, 0)
#define FAL_FIRST_OF_(first, ...) (first)

#define fal_decide(conn, point, ...) \
    ((conn)->odd == NULL ? FAL_FIRST_OF(__VA_ARGS__) : fal_at_##point((conn), __VA_ARGS__))
#define fal_proceed(conn, point, ...) \
    ((conn)->odd == NULL || fal_at_##point((conn), __VA_ARGS__))
#define fal_remind(conn, point) ((conn)->odd == NULL ? (void)0 : fal_at_##point(conn))
#define fal_filter(conn, point, ...) \
    ((conn)->odd == NULL ? (void)0 : fal_at_##point((conn), __VA_ARGS__))

/* The endpoint keeps here which state of a window its last ACK reported, and which packets
 * arrived after that ACK (conveyed.h). */
struct fal_odd_told {
    uint32_t base;
    fal_u128 ack;
    bool any;      /* packets arrived */
    uint32_t past; /* the PSN behind the highest of them */
};

/* What faults and variants remember of a connection. */
struct fal_odd {
    /* So that a fault which acts now and then does so at the same places in each run. */
    uint32_t acks_sent, new_sent;
    /* What a faulty receiver repeats: the bases of its last ACK, the first times it measured.
     */
    uint32_t told_base[2], first_t1, first_t2;
    bool timed;          /* there are first times */
    unsigned level_most; /* of the receive pools, as ACKs reported it */
    uint32_t answer_psn; /* of the newest pull data that came */
    bool refused;        /* a request was refused that there was room for */
    uint32_t refused_rsn;
    bool resynced;       /* a resync was sent or received */
    bool psn_owed[2];    /* the packet before the newest of a window has yet to be sent */
    bool jammed;         /* the coalescing timer seems to run */
    bool alters;         /* the packet about to leave gets a wrong last byte of payload */
    bool by_distance;    /* the packet that seems lost was found by its distance (9.1.4) */
    bool one_found;      /* ... and no other is to be found in this EACK */
    bool starve_data;    /* pull data wait for all others */
    bool out_of_turn;    /* a fault acts at the next delivery */
    bool swaps[2];       /* answers of a pair of pulls are swapped: of the peer's, of its own */
    uint32_t swapped[2]; /* the odd RSN of the pair */
    bool misled;         /* the next answer belongs to another connection */
    uint8_t news;        /* packets to be acknowledged since the last ACK */
    struct fal_falcon held; /* an ACK that counts as sent and is not yet on the wire */
    uint8_t
        *frame; /* a packet that arrived, as a faulty receiver reads it; NULL until needed */
    struct fal_pipe *rx_pipe, *tx_pipe; /* packets that wait (lanes.h); NULL until needed */
    struct fal_odd_told told[2];        /* by window */
    bool again;                         /* the packet about to leave has left before */
    uint64_t rto_ends_ns; /* when the retransmit timer that was started last expires */
    uint64_t news_ns;     /* when the coalescing timer was started last */
    uint64_t arrived_ns;  /* when the packet arrived whose times ACKs tell */
    uint32_t packets;     /* so many have left */
};

/* Gives a new connection its `odd`, unless it has neither faults nor variants. FAL_ERR_MEM. */
MUST_USE int fal_odd_new(struct fal_ep_conn *conn);
void fal_odd_free(struct fal_ep_conn *conn);
/* The oldest pull of the peer that its ULP has yet to answer, or NULL. */
struct fal_received *fal_odd_waiting_pull(const struct fal_ep_conn *conn);

/* ---- receive.c ---- */

struct fal_arrival; /* receive.h */

/* The connection that takes a packet which no connection should: its CID is unknown (`conn` is
 * NULL), or `conn` is dead. NULL: none, as it should be. */
struct fal_ep_conn *fal_odd_addressee(const struct fal_endpoint *ep, struct fal_ep_conn *conn,
                                      bool formed);

/* A packet has arrived, well-formed or not, and is about to be checked; `arrival` is read again
 * where a fault has it so. */
void fal_at_arrives(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                    struct fal_arrival *arrival, bool *formed);
/* A packet was accepted by the checks and is about to be processed. */
bool fal_at_engine(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                   const struct fal_arrival *arrival);
/* Where a packet stands in the receive window. */
enum fal_rx fal_at_place(const struct fal_ep_conn *conn, enum fal_rx place,
                         struct fal_rxwin *win, const struct fal_falcon *falcon);
/* A reliable packet is about to be accepted or discarded. */
bool fal_at_take(struct fal_ep_conn *conn, const struct fal_arrival *packet,
                 enum fal_rx *place);
/* Whether the ULP acknowledges a packet, not the endpoint. */
bool fal_at_ulp_acknowledges(const struct fal_ep_conn *conn, bool ulp,
                             const struct fal_falcon *falcon);
/* The base of a receive window has moved by so many PSNs, or by none. */
void fal_at_base_moved(struct fal_ep_conn *conn, struct fal_rxwin *win, uint32_t moved);
/* A packet is refused for want of resources or by the filter: a NACK follows. */
bool fal_at_refuse(struct fal_ep_conn *conn, const struct fal_falcon *falcon);
/* A resync has been received: the transaction it names follows it. */
bool fal_at_resync(struct fal_ep_conn *conn, const struct fal_falcon *falcon);
/* A packet is discarded: the OWN bit follows where it lies beyond the window. */
bool fal_at_discard(struct fal_ep_conn *conn, const struct fal_arrival *packet,
                    enum fal_rx place);

/* ---- ackgen.c ---- */

/* When the coalescing timer fires, after a packet that is to be acknowledged. */
uint64_t fal_at_coalescing(const struct fal_ep_conn *conn, uint64_t deadline_ns);
/* Whether an ACK leaves now; `fired`: the coalescing timer asks for it, else a packet that is
 * to be acknowledged. */
bool fal_at_ack_now(const struct fal_ep_conn *conn, bool now, bool fired);
/* When a packet that arrived is acknowledged; `taken`: it was not discarded. */
enum fal_ack_due fal_at_ack_due(struct fal_ep_conn *conn, enum fal_ack_due due,
                                const struct fal_falcon *falcon, bool taken);
/* Whether the bases in a data packet that leaves stop the coalescing timer. */
bool fal_at_piggyback_ends_timer(struct fal_ep_conn *conn, bool ends);
/* BACK or EACK. */
enum fal_packet_type fal_at_ack_type(const struct fal_ep_conn *conn, enum fal_packet_type type);
/* The OWN bits as this end writes and reads them (AMB-06). */
unsigned fal_at_own_bits(const struct fal_ep_conn *conn, unsigned own);
/* An ACK has left with these OWN bits: those that are cleared now. */
unsigned fal_at_ack_told(struct fal_ep_conn *conn, unsigned own);
/* An ACK or NACK is about to leave. */
bool fal_at_ack_leaves(struct fal_ep_conn *conn, struct fal_falcon *ack);
/* Sends the ACK that a variant has held back, when its time has come. */
void fal_odd_release(struct fal_ep_conn *conn);

/* ---- acks.c ---- */

/* Whether an ACK counts, whose bases are both in order or not; `ack` may lose its bits. */
bool fal_at_bases(struct fal_ep_conn *conn, bool in_order, struct fal_falcon *ack);
/* A packet is about to be acknowledged, and to be counted no longer (9.1.2). */
void fal_at_acknowledged(const struct fal_ep_conn *conn, struct fal_txwin *win,
                         struct fal_tx_packet *packet);
/* The base up to which all packets of a window are acknowledged now; those that a variant has
 * acknowledged here are no longer in the window. */
uint32_t fal_at_acked_base(struct fal_ep_conn *conn, uint32_t base, struct fal_txwin *win);
/* The bases of a packet of any type are about to acknowledge packets. */
bool fal_at_piggyback(const struct fal_ep_conn *conn, const struct fal_falcon *packet);
/* The rest of an ACK is about to be read. */
bool fal_at_ack(struct fal_ep_conn *conn, struct fal_falcon *ack);
/* Whether the bitmaps of an EACK acknowledge packets. */
bool fal_at_bitmaps_acknowledge(struct fal_ep_conn *conn, bool acknowledge,
                                const struct fal_falcon *eack);
/* A NACK has ended the transaction of a packet: its resync follows. */
bool fal_at_refused(const struct fal_ep_conn *conn, struct fal_tx_packet *packet);

/* ---- measure.c ---- */

struct fal_measured; /* measure.h */

/* Whether times, hops and marks of a packet that arrived are those that an ACK carries. */
bool fal_at_stamped(const struct fal_ep_conn *conn, bool stamped,
                    const struct fal_falcon *falcon);
/* The hops, mark and times of a packet that arrived are about to be taken. */
void fal_at_measured(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                     struct fal_measured *m);
/* The buffer level that is told. */
unsigned fal_at_level(const struct fal_ep_conn *conn, unsigned level);
/* The times in an ACK or NACK that leaves, and the seal and path of a packet; `last_iv`: the IV
 * before that of the packet. */
void fal_at_departure(const struct fal_ep_conn *conn, struct fal_falcon *header,
                      uint64_t last_iv, struct fal_endpoint_out *out);
/* A round trip in ticks, at `now`, or FAL_RTT_UNKNOWN; and the weight of the average so far. */
uint32_t fal_at_rtt(const struct fal_ep_conn *conn, uint32_t ticks,
                    const struct fal_falcon *ack, uint32_t now);
uint32_t fal_at_rtt_alpha(const struct fal_ep_conn *conn, uint32_t alpha);

/* ---- accept.c ---- */

/* Whether the connection manager hears of a packet that is not intact (AMB-64). */
bool fal_at_integrity_told(const struct fal_ep_conn *conn, bool told);
/* A packet that is not intact, or not sealed where it must be, is about to be dropped. */
bool fal_at_not_intact(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                       const struct fal_falcon *falcon, bool formed);
/* Whether SPI and PCID of a packet fit. */
bool fal_at_spi_fits(const struct fal_ep_conn *conn, bool fits, const struct fal_seal *seal,
                     bool ack);
/* A packet is dropped for its SPI: the connection manager is about to be told. */
bool fal_at_spi_failure(struct fal_ep_conn *conn, const struct fal_seal *seal);
/* Whether a packet is no replay. */
bool fal_at_fresh(const struct fal_ep_conn *conn, bool fresh, uint64_t margin, uint64_t iv);
/* A packet has been dropped as a replay. */
void fal_at_replay(struct fal_ep_conn *conn, uint64_t iv);
/* Whether replay is checked before the SPI (AMB-33). */
bool fal_at_replay_first(const struct fal_ep_conn *conn, bool first);
/* Whether the IV of a packet, perhaps an ACK, becomes Remote Time; `newer`: it is newer. */
bool fal_at_remote_time_moves(const struct fal_ep_conn *conn, bool newer, uint64_t iv,
                              bool ack);
/* A new SPI is about to be taken, with the previous one and the generation. */
void fal_at_take_spi(const struct fal_ep_conn *conn, struct fal_security *taken);
/* A new SPI is about to be sent. */
bool fal_at_new_spi_sent(const struct fal_ep_conn *conn, const struct fal_endpoint_in *in);
/* Whether a packet that has passed all checks is accepted. */
bool fal_at_accepted(const struct fal_ep_conn *conn, bool accepted,
                     const struct fal_falcon *falcon);

/* ---- retransmit.c ---- */

struct fal_early; /* retransmit.h */

/* The timeout of a packet that has left, `again`: not for the first time. FAL_NEVER: none. */
uint64_t fal_at_rto(struct fal_ep_conn *conn, uint64_t rto_ns,
                    const struct fal_tx_packet *packet, bool again);
/* How long the timer of a packet goes on when a new RTO has come while it ran. */
uint64_t fal_at_rto_moved(struct fal_ep_conn *conn, uint64_t left_ns,
                          const struct fal_tx_packet *packet);
/* Whether a packet that is due again still counts as outstanding (9.1.2). */
bool fal_at_still_counts(const struct fal_ep_conn *conn, bool counts,
                         const struct fal_tx_packet *packet);
/* What follows when the timer of a packet has fired. */
enum fal_expiry fal_at_expiry(const struct fal_ep_conn *conn, enum fal_expiry expiry,
                              struct fal_tx_packet *packet);
/* How long a push waits after an RNR NACK. */
uint64_t fal_at_rnr_delay(const struct fal_ep_conn *conn, uint64_t delay_ns,
                          const struct fal_tx_packet *packet, unsigned rnr_code);
/* A resync takes the place of a packet, with so many attempts made. */
bool fal_at_resync_starts(struct fal_ep_conn *conn, struct fal_tx_packet *packet, uint8_t code,
                          uint32_t *attempts);
/* Whether a packet that seems lost is retransmitted early. */
bool fal_at_early_allowed(const struct fal_ep_conn *conn, bool allowed,
                          struct fal_tx_packet *packet);
/* The packets that lie far enough below the highest received are about to be looked for. */
bool fal_at_early(struct fal_ep_conn *conn, const struct fal_txwin *win,
                  struct fal_early *early);
/* Whether packet base + n of a window seems lost by its distance. */
bool fal_at_hole(const struct fal_ep_conn *conn, bool lost, const struct fal_early *early,
                 uint32_t n);
/* Whether a packet of a window whose OWN bit is set seems lost. */
bool fal_at_own_lost(const struct fal_ep_conn *conn, bool lost, struct fal_early *early,
                     uint32_t psn);

/* ---- transmit.c ---- */

/* A packet is about to be put on the wire. */
bool fal_at_leaves(struct fal_ep_conn *conn, struct fal_falcon *header, const uint8_t *payload,
                   size_t payload_len);
/* How many of a hundred packets ask for an ACK. */
uint32_t fal_at_ar_percent(const struct fal_ep_conn *conn, uint32_t percent);
/* The header of a reliable packet that is about to leave, `again`: not for the first time. */
void fal_at_header(struct fal_ep_conn *conn, const struct fal_tx_packet *packet, bool again,
                   struct fal_falcon *header);
/* Whether fcwnd, ncwnd and the transmit window let a packet leave. */
bool fal_at_fcwnd(const struct fal_ep_conn *conn, bool open, const struct fal_tx_packet *packet,
                  uint32_t ahead);
bool fal_at_ncwnd(const struct fal_ep_conn *conn, bool open,
                  const struct fal_tx_packet *packet);
bool fal_at_tx_window(const struct fal_ep_conn *conn, bool open, uint32_t ahead);
/* Which packet of a list of those due leaves first. */
struct fal_tx_packet *fal_at_due(const struct fal_ep_conn *conn, struct fal_tx_packet *packet,
                                 const struct fal_link *list);
/* Whether a push goes before a pull request with a lower RSN. */
bool fal_at_data_first(const struct fal_ep_conn *conn, bool first);
/* A packet is about to be repeated. */
void fal_at_repeat(const struct fal_ep_conn *conn, struct fal_txwin *win,
                   struct fal_tx_packet *packet);
/* The PSN of a new packet. */
uint32_t fal_at_new_psn(const struct fal_ep_conn *conn, uint32_t psn, struct fal_txwin *win);

/* ---- endpoint.c ---- */

/* The connection of a post or answer of the ULP. */
struct fal_ep_conn *fal_at_of_ulp(struct fal_ep_conn *conn, struct fal_ep_conn *own,
                                  const struct fal_endpoint_in *in);

/* ---- initiator.c ---- */

/* Whether a length is at most an MTU. */
bool fal_at_fits_mtu(const struct fal_ep_conn *conn, bool fits);
/* A transaction posted on a dead connection is about to be rejected. */
bool fal_at_reject_dead(const struct fal_ep_conn *conn, const struct fal_endpoint_in *in);
/* The RSN of a new transaction. */
uint32_t fal_at_new_rsn(const struct fal_ep_conn *conn, uint32_t rsn);
/* Whether a new transaction starts, for which there are resources or not. */
bool fal_at_granted(const struct fal_ep_conn *conn, bool granted);
/* The completion code of a transaction for which there are no resources. */
enum fal_completion fal_at_refusal(const struct fal_ep_conn *conn, enum fal_completion code);
/* When a new transaction times out. */
uint64_t fal_at_transaction_deadline(const struct fal_ep_conn *conn, uint64_t deadline_ns);
/* Whether a finished transaction completes before its turn. */
bool fal_at_completes_at_once(const struct fal_ep_conn *conn, bool at_once,
                              const struct fal_initiated *txn);
/* Whether a transaction completes as soon as its request has left, as soon as its pull request
 * is acknowledged, and as soon as a NACK has ended it with this code. */
bool fal_at_completes_unacknowledged(const struct fal_ep_conn *conn, bool completes,
                                     const struct fal_initiated *txn,
                                     const struct fal_tx_packet *packet);
bool fal_at_pull_completes_on_ack(const struct fal_ep_conn *conn, bool completes,
                                  const struct fal_initiated *txn);
bool fal_at_completes_at_nack(const struct fal_ep_conn *conn, bool completes,
                              enum fal_completion code);
/* A pull is about to complete because the peer has given up its response. */
bool fal_at_response_lost(const struct fal_ep_conn *conn, const struct fal_initiated *txn);
/* The completion code of a transaction whose resync is acknowledged; `of_resync`: the code that
 * belongs to the resync. */
enum fal_completion fal_at_resync_completion(struct fal_ep_conn *conn, enum fal_completion code,
                                             const struct fal_initiated *txn,
                                             enum fal_completion of_resync);
/* The pull that a response is for. */
uint32_t fal_at_response_rsn(const struct fal_ep_conn *conn, uint32_t rsn);
/* What becomes of a pull whose response has that length. */
enum fal_pull_end fal_at_pull_length(const struct fal_ep_conn *conn, enum fal_pull_end end,
                                     const struct fal_initiated *txn, uint32_t payload_len);
/* Called before the ULP gets a completion; when its values are set; and when its data are, too,
 * with room for them. */
bool fal_at_complete(const struct fal_ep_conn *conn, const struct fal_initiated *txn);
void fal_at_completion(const struct fal_ep_conn *conn, struct fal_endpoint_out *out);
void fal_at_completed(struct fal_ep_conn *conn, const struct fal_endpoint_out *out,
                      uint8_t *data, uint32_t data_len);
/* Pull data that no pull waits for are discarded. */
void fal_at_unmatched(struct fal_ep_conn *conn, uint32_t rsn, const uint8_t *payload,
                      uint32_t payload_len);

/* ---- answer.c ---- */

/* The request that an answer of the ULP is for. */
struct fal_received *fal_at_answered_request(const struct fal_ep_conn *conn,
                                             struct fal_received *txn,
                                             const struct fal_endpoint_in *in);
/* The length of a response. */
uint32_t fal_at_response_length(const struct fal_ep_conn *conn, uint32_t length,
                                const struct fal_received *txn);
/* A response is about to be sent, and is queued. */
bool fal_at_respond(const struct fal_ep_conn *conn, const struct fal_received *txn);
void fal_at_responded(struct fal_ep_conn *conn, const struct fal_tx_packet *packet);
/* How long a pull waits whose ULP is not ready. */
uint64_t fal_at_rnr_pull_delay(struct fal_ep_conn *conn, uint64_t delay_ns,
                               const struct fal_received *txn);
/* Whether a push whose ULP is not ready is delivered again by a timer of this end (AMB-16). */
bool fal_at_rnr_push_waits_here(const struct fal_ep_conn *conn, bool waits);
/* Whether a request that its ULP has acknowledged asked for an ACK. */
bool fal_at_ar_of_answered(const struct fal_ep_conn *conn, bool ar);
/* Called before the ULP's ACK is sent to the peer. */
bool fal_at_ulp_ack_told(const struct fal_ep_conn *conn, bool at_once);
/* The ULP ends a request in error. False: as if it had acknowledged the request. */
bool fal_at_ulp_error(struct fal_ep_conn *conn, const struct fal_received *txn,
                      enum fal_nack_code *code);

/* ---- target.c, pools.c ---- */

struct fal_refusal; /* ackgen.h */

/* Whether what all connections hold leaves room for a transaction; `head`: as below. */
bool fal_at_device_room(const struct fal_ep_conn *conn, const struct fal_units *units,
                        bool head);
/* Resources of a message are about to be given back. */
bool fal_at_give_back(const struct fal_ep_conn *conn, enum fal_spend spend);
/* These were given back, by the end of the connection or not: whether the level follows. */
bool fal_at_level_freed(const struct fal_ep_conn *conn, const struct fal_units *freed,
                        bool ended);
/* A request is about to take resources; `head`: it is the head of the line. */
bool fal_at_admit(struct fal_ep_conn *conn, bool *head, const struct fal_falcon *packet);
/* A connection has been opened: the order in which its requests are delivered. */
void fal_at_new_target(const struct fal_ep_conn *conn, struct fal_target *target);
/* A request is about to become the last of those that may be delivered. */
bool fal_at_make_ready(struct fal_ep_conn *conn, struct fal_received *txn);
/* The request to be delivered next, perhaps NULL. */
struct fal_received *fal_at_next_delivery(const struct fal_ep_conn *conn,
                                          struct fal_received *txn);
/* A request is about to be delivered; its ULP is about to be told, and has been told. */
bool fal_at_deliver(struct fal_ep_conn *conn, struct fal_received *txn);
bool fal_at_tell_request(const struct fal_ep_conn *conn, const struct fal_received *txn);
void fal_at_told_request(struct fal_ep_conn *conn, const struct fal_received *txn);
/* The payload that a ULP is told, at least one byte. */
void fal_at_told_payload(const struct fal_ep_conn *conn, uint8_t *payload,
                         uint32_t payload_len);
/* Delivers a request that the ULP has had before. */
void fal_odd_deliver_again(struct fal_ep_conn *conn, const struct fal_falcon *packet,
                           const uint8_t *payload, uint32_t payload_len);
/* A push whose ULP was not ready is about to be delivered again: it was retransmitted; or its
 * delay, or that of a pull, is over. */
bool fal_at_redeliver_push(struct fal_ep_conn *conn, const struct fal_received *txn);
bool fal_at_retry(const struct fal_ep_conn *conn, const struct fal_received *txn);
/* A NACK has been sent. */
void fal_at_nacked(struct fal_ep_conn *conn, const struct fal_refusal *refusal);
/* A push behind one whose ULP is not ready is about to be refused. */
bool fal_at_refuse_follower(const struct fal_ep_conn *conn, const struct fal_received *txn);
/* A push that ended in error is about to be refused again, as this copy of it says. */
bool fal_at_repeat_refusal(const struct fal_ep_conn *conn, struct fal_received *txn);

/* ---- rue.c ---- */

/* Whether an event goes to the RUE. */
bool fal_at_event_wanted(const struct fal_ep_conn *conn, bool wanted);
/* An event is about to be handed over. */
void fal_at_rue_event(const struct fal_ep_conn *conn, struct fal_cc_event *event);
/* The format of its entry. */
enum fal_cc_format fal_at_entry_format(const struct fal_ep_conn *conn,
                                       enum fal_cc_format format);
/* The connection that a result changes. */
struct fal_ep_conn *fal_at_addressee(const struct fal_ep_conn *conn,
                                     struct fal_ep_conn *addressee);
/* A result has changed the connection. */
void fal_at_rue_applied(struct fal_ep_conn *conn);
/* The gap between two packets, in ticks. */
uint32_t fal_at_gap(const struct fal_ep_conn *conn, uint32_t gap);
/* Whether an ACK or NACK gives an event; correctly, if it was accepted. */
bool fal_at_ack_event(const struct fal_ep_conn *conn, bool accepted,
                      const struct fal_falcon *ack);
/* Whether P2 of 10.6.1 holds: enough was acknowledged since the last event. */
bool fal_at_p2(const struct fal_ep_conn *conn, bool enough);
/* Its cc_metadata, and the reason in the event of a retransmission. */
uint32_t fal_at_metadata(const struct fal_ep_conn *conn, uint32_t metadata,
                         const struct fal_falcon *ack);
uint8_t fal_at_retransmit_reason(const struct fal_ep_conn *conn, uint8_t reason);
/* How many packets count as acknowledged after an event. */
uint16_t fal_at_acked_after_event(const struct fal_ep_conn *conn, uint16_t acked);
/* A result is about to be applied. */
void fal_at_rue_result(const struct fal_ep_conn *conn, struct fal_cc_result *result);
/* Whether a result changes the path. */
bool fal_at_path_changes(const struct fal_ep_conn *conn, bool changes);
/* Whether the gap to the packet before lets a packet leave. */
bool fal_at_may_depart(const struct fal_ep_conn *conn, bool may);
/* gap-above-one. Whether the gap applies. */
bool fal_at_paced(const struct fal_ep_conn *conn, bool paced);
/* rue_info of an ACK or NACK, so many bits wide. */
uint32_t fal_at_rue_info(const struct fal_ep_conn *conn, uint32_t info, unsigned bits);

/* ---- schedule.c, connection.c ---- */

/* When a variant has something to do that it has put off; it does so, if it is time. */
uint64_t fal_at_put_off(const struct fal_ep_conn *conn, uint64_t at_ns);
void fal_at_tick(struct fal_ep_conn *conn);
/* What a variant has put off is done now. */
void fal_at_catch_up(struct fal_ep_conn *conn);

/* The queue of a packet. */
enum fal_queue fal_at_queue(const struct fal_ep_conn *conn, enum fal_queue queue,
                            const struct fal_tx_packet *packet);
/* A packet is about to become the last of its queue. */
bool fal_at_queue_last(const struct fal_ep_conn *conn, struct fal_link *head,
                       struct fal_tx_packet *packet);
/* The queue that is asked for a packet as the i-th. */
unsigned fal_at_turn(const struct fal_ep_conn *conn, unsigned queue, unsigned i);
/* A packet has left its queue. */
void fal_at_dequeued(struct fal_ep_conn *conn, const struct fal_tx_packet *packet);
/* Whether a connection that has sent stays before the others. */
bool fal_at_stays_first(const struct fal_ep_conn *conn, bool stays);
/* How many packets a transmit window of the configured size holds (AMB-10). */
uint32_t fal_at_window_size(const struct fal_ep_conn *conn, uint32_t size);
/* Whether the connection manager is notified of a fatal error. */
bool fal_at_fatal_told(struct fal_ep_conn *conn, bool told);
/* ended-holds. The connection ends, by an error or because it is closed. */
void fal_at_ends(struct fal_ep_conn *conn);

#endif
