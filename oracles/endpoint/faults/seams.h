/* SPDX-License-Identifier: Apache-2.0
 * seams.h - where faults and conforming variants (twins) act on the endpoint. The protocol code
 * states what the specification asks for; a seam may change it. There are three kinds:
 *
 *   fal_decide(conn, POINT, VALUE, ...)  a value: VALUE is the correct one, and so the result
 *                                        unless a fault or variant has another
 *   fal_proceed(conn, POINT, ...)        a step: whether the protocol code takes it. False: a
 *                                        fault or variant leaves it out, or has done it its way
 *   fal_filter(conn, POINT, ...)         a header that arrives or leaves, which may be changed
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

#include "oracles/endpoint/connection.h"

#define FAL_FIRST_OF(...)         FAL_FIRST_OF_(__VA_ARGS__, 0)
#define FAL_FIRST_OF_(first, ...) (first)

#define fal_decide(conn, point, ...) \
    ((conn)->odd == NULL ? FAL_FIRST_OF(__VA_ARGS__) : fal_at_##point((conn), __VA_ARGS__))
#define fal_proceed(conn, point, ...) \
    ((conn)->odd == NULL || fal_at_##point((conn), __VA_ARGS__))
#define fal_filter(conn, point, ...) \
    ((conn)->odd == NULL ? (void)0 : fal_at_##point((conn), __VA_ARGS__))

/* What faults and variants remember of a connection. */
struct fal_odd {
    /* So that a fault which acts now and then does so at the same places in each run. */
    uint32_t acks_sent, new_sent;
    /* What a faulty receiver repeats: the bases of its last ACK, the first times it measured.
     */
    uint32_t told_base[2], first_t1, first_t2;
    bool timed;             /* there are first times */
    bool resynced;          /* a resync was sent or received */
    bool psn_owed[2];       /* the packet before the newest of a window has yet to be sent */
    bool jammed;            /* the coalescing timer seems to run */
    bool alters;            /* the packet about to leave gets a wrong last byte of payload */
    bool by_distance;       /* the packet that seems lost was found by its distance (9.1.4) */
    bool one_found;         /* ... and no other is to be found in this EACK */
    bool starve_data;       /* pull data wait for all others */
    uint8_t news;           /* packets to be acknowledged since the last ACK */
    struct fal_falcon held; /* an ACK that counts as sent and is not yet on the wire */
    uint8_t
        *frame; /* a packet that arrived, as a faulty receiver reads it; NULL until needed */
};

/* Gives a new connection its `odd`, unless it has neither faults nor variants. FAL_ERR_MEM. */
int fal_odd_new(struct fal_ep_conn *conn);
void fal_odd_free(struct fal_ep_conn *conn);

/* ---- receive.c ---- */

struct fal_arrival; /* receive.h */

/* The connection that takes a packet which no connection should: its CID is unknown (`conn` is
 * NULL), or `conn` is dead. NULL: none, as it should be. */
struct fal_ep_conn *fal_odd_addressee(const struct fal_endpoint *ep, struct fal_ep_conn *conn,
                                      bool formed);

/* Whether a packet is well-formed; `arrival` is read again where a fault has it so. */
bool fal_at_formed(const struct fal_ep_conn *conn, bool formed,
                   const struct fal_endpoint_in *in, struct fal_arrival *arrival);
/* Where a packet stands in the receive window. */
enum fal_rx fal_at_place(const struct fal_ep_conn *conn, enum fal_rx place,
                         struct fal_rxwin *win, const struct fal_falcon *falcon);
/* A reliable packet is about to be accepted or discarded. */
bool fal_at_take(struct fal_ep_conn *conn, const struct fal_arrival *packet,
                 enum fal_rx *place);
/* Whether the ULP acknowledges a packet, not the endpoint. */
bool fal_at_ulp_acknowledges(const struct fal_ep_conn *conn, bool ulp,
                             const struct fal_falcon *falcon);
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
enum fal_ack_due fal_at_ack_due(const struct fal_ep_conn *conn, enum fal_ack_due due,
                                const struct fal_falcon *falcon, bool taken);
/* Whether the bases in a data packet that leaves stop the coalescing timer. */
bool fal_at_piggyback_ends_timer(struct fal_ep_conn *conn, bool ends);
/* BACK or EACK. */
enum fal_packet_type fal_at_ack_type(const struct fal_ep_conn *conn, enum fal_packet_type type);
/* The OWN bits as this end writes and reads them (AMB-06). */
unsigned fal_at_own_bits(const struct fal_ep_conn *conn, unsigned own);
/* An ACK has left with these OWN bits: those that are cleared now. */
unsigned fal_at_ack_told(const struct fal_ep_conn *conn, unsigned own);
/* An ACK or NACK is about to leave. */
bool fal_at_ack_leaves(struct fal_ep_conn *conn, struct fal_falcon *ack);
/* Sends the ACK that a variant has held back, when its time has come. */
void fal_odd_release(struct fal_ep_conn *conn);

/* ---- acks.c ---- */

/* Whether an ACK counts, whose bases are both in order or not; `ack` may lose its bits. */
bool fal_at_bases(struct fal_ep_conn *conn, bool in_order, struct fal_falcon *ack);
/* The bases of a packet of any type are about to acknowledge packets. */
bool fal_at_piggyback(const struct fal_ep_conn *conn, const struct fal_falcon *packet);
/* The rest of an ACK is about to be read. */
bool fal_at_ack(struct fal_ep_conn *conn, struct fal_falcon *ack);
/* Whether the bitmaps of an EACK acknowledge packets. */
bool fal_at_bitmaps_acknowledge(const struct fal_ep_conn *conn, bool acknowledge,
                                const struct fal_falcon *eack);
/* A NACK has ended the transaction of a packet: its resync follows. */
bool fal_at_refused(const struct fal_ep_conn *conn, struct fal_tx_packet *packet);

/* ---- measure.c ---- */

/* Whether times, hops and marks of a packet that arrived are those that an ACK carries. */
bool fal_at_stamped(const struct fal_ep_conn *conn, bool stamped,
                    const struct fal_falcon *falcon);
/* The hop count that is told, of a packet that made so many hops. */
uint32_t fal_at_hops(const struct fal_ep_conn *conn, uint32_t told, uint32_t hops, uint8_t ttl);
/* Whether a packet counts as marked. */
bool fal_at_mark(struct fal_ep_conn *conn, bool marked, unsigned ecn);
/* The times of a packet that arrived are about to be taken, and have been taken. */
bool fal_at_times(const struct fal_ep_conn *conn, const struct fal_falcon *falcon);
void fal_at_measured(const struct fal_ep_conn *conn, uint32_t t1, uint32_t t2);

/* Whether an occupancy on a threshold belongs to the level below it (AMB-44). */
bool fal_at_level_below(const struct fal_ep_conn *conn, bool below);
/* The level that is told, where the two pools have these. */
unsigned fal_at_level(const struct fal_ep_conn *conn, unsigned level, unsigned packets,
                      unsigned buffers);
/* The times in an ACK or NACK that leaves, and the seal of a packet. */
void fal_at_ack_times(const struct fal_ep_conn *conn, struct fal_falcon *ack);
void fal_at_seal(const struct fal_ep_conn *conn, uint64_t last_iv, struct fal_seal *seal);
/* A round trip in ticks, at `now`, and the weight of the average so far. */
uint32_t fal_at_rtt(const struct fal_ep_conn *conn, uint32_t ticks,
                    const struct fal_falcon *ack, uint32_t now);
uint32_t fal_at_rtt_alpha(const struct fal_ep_conn *conn, uint32_t alpha);

/* ---- accept.c ---- */

/* Whether the connection manager hears of a packet that is not intact (AMB-64). */
bool fal_at_integrity_told(const struct fal_ep_conn *conn, bool told);
/* What a plain packet is on a connection with a security association. */
enum fal_integrity fal_at_plaintext(const struct fal_ep_conn *conn,
                                    enum fal_integrity integrity);
/* A packet that is not intact is about to be dropped. */
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
/* An accepted packet is about to move Remote Time. */
bool fal_at_remote_time_of(const struct fal_ep_conn *conn, bool ack);
/* Whether an IV becomes Remote Time, which is newer than it or not. */
bool fal_at_remote_time_moves(const struct fal_ep_conn *conn, bool newer, uint64_t iv);
/* A new SPI is about to be taken, with the previous one and the generation; or sent. */
bool fal_at_take_spi(const struct fal_ep_conn *conn, const struct fal_seal *seal);
uint32_t fal_at_previous_spi(const struct fal_ep_conn *conn, uint32_t previous,
                             const struct fal_seal *seal);
uint32_t fal_at_generation(const struct fal_ep_conn *conn, uint32_t generation);
bool fal_at_new_spi_sent(const struct fal_ep_conn *conn, const struct fal_endpoint_in *in);
/* Whether a packet that has passed all checks is accepted. */
bool fal_at_accepted(const struct fal_ep_conn *conn, bool accepted,
                     const struct fal_falcon *falcon);

/* ---- retransmit.c ---- */

struct fal_early; /* retransmit.h */

/* The timeout of a packet that has left, `again`: not for the first time. FAL_NEVER: none. */
uint64_t fal_at_rto(const struct fal_ep_conn *conn, uint64_t rto_ns,
                    const struct fal_tx_packet *packet, bool again);
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
bool fal_at_resync_starts(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet,
                          uint8_t code, uint32_t *attempts);
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
bool fal_at_tx_window(const struct fal_ep_conn *conn, bool open);
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

#endif
