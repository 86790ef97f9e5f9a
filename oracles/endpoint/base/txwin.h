/* SPDX-License-Identifier: Apache-2.0
 * txwin.h - a transmit window (9.1.1): the packets that were sent and are kept until they are
 * acknowledged, by PSN, with the counters that gate transmission (9.1.2).
 *
 * A PSN between base and next that has no packet was never sent from here: a script left it
 * out.
 *
 * Invariants: no packet is kept at or beyond `next`. `unacked` and `requests` are the numbers
 * of kept packets that are not acknowledged, and of the requests among them. */
#ifndef FAL_ORACLES_ENDPOINT_BASE_TXWIN_H
#define FAL_ORACLES_ENDPOINT_BASE_TXWIN_H

#include "codecs/base/error.h"
#include "codecs/header/falcon.h"
#include "oracles/endpoint/base/list.h"
#include "oracles/endpoint/base/seqring.h"
#include "oracles/endpoint/base/slab.h"

/* A packet of the transaction sublayer, from the scheduler's queue until it is acknowledged. */
struct fal_tx_packet {
    struct fal_link
        link; /* in the scheduler's queue, the connection's timers, or the window's due */
    uint64_t deadline_ns; /* of its retransmit timer, while in timers */
    uint64_t last_tx_ns;  /* when it was last transmitted */
    uint32_t psn, rsn;
    uint32_t attempts; /* Retransmit Counter: retransmissions by timeout */
    uint32_t payload_len;
    uint16_t request_length; /* of pull data: its own length */
    uint8_t type;            /* what it is on the wire: its original type, or resync */
    uint8_t original;        /* pull_request, pull_data, push_data */
    uint8_t resync_code;
    uint8_t retransmits; /* by timeout or early, at most 255 */
    bool sent;           /* has a PSN */
    bool acked;          /* kept until the base passes it */
    bool rnr;            /* its timer runs an RNR delay, not a timeout */
    bool charged;        /* holds transmit resources of its ULP */
    bool repeated;       /* counts in `repeated` of the window: its copy is outstanding */
    bool due;            /* waits to be retransmitted */
    bool pooled;         /* it is an item of the endpoint's slab, not a block of its own */
    uint8_t payload[];
};

struct fal_txwin {
    struct fal_seqring sent;  /* its base is RBPSN, DBPSN */
    uint32_t next;            /* RNPSN, DNPSN */
    uint32_t size;            /* transmit window */
    uint32_t unacked;         /* packets sent and not acknowledged */
    uint32_t requests;        /* RORC, DORC: of these, pull_request and push_data */
    uint32_t repeated;        /* RORRC, DORRC: requests whose retransmission is outstanding */
    uint64_t newest_acked_ns; /* when the newest of those acknowledged was last sent */
    struct fal_link due;      /* to be retransmitted when the gate opens, in PSN order */
    struct fal_slab *packets; /* where packets are given back to */
};

/* A window without packets. Those that it frees go back to `packets`; its ring is from `slots`.
 * Both outlive it. */
void fal_txwin_init(struct fal_txwin *win, struct fal_slab *packets,
                    struct fal_ring_slots *slots, uint32_t psn, uint32_t size);

/* Frees the packets that are kept. */
void fal_txwin_free(struct fal_txwin *win);

/* Keeps a packet as sent with its PSN, which may lie beyond `next`; `next` moves past it. 0,
 * FAL_ERR_RANGE (not in the transmit window, or already sent), FAL_ERR_MEM. */
MUST_USE int fal_txwin_sent(struct fal_txwin *win, struct fal_tx_packet *packet);

/* The packet sent with that PSN, or NULL: none, acknowledged and gone, or never sent. */
static inline struct fal_tx_packet *fal_txwin_get(const struct fal_txwin *win, uint32_t psn)
{
    return fal_seqring_get(&win->sent, psn);
}

/* Takes an acknowledged packet out of the lists and counters; it is freed when the base passes.
 */
void fal_txwin_acked(struct fal_txwin *win, struct fal_tx_packet *packet);

/* Moves the base past packets that are acknowledged, freeing them. */
void fal_txwin_slide(struct fal_txwin *win);

/* Moves the base up by one, freeing the packet there, which is acknowledged or was never sent.
 */
void fal_txwin_step(struct fal_txwin *win);

/* Queues a packet that is in no list for retransmission; `counts`: its copy counts on as
 * outstanding, which it must not (9.1.2). */
void fal_txwin_due(struct fal_txwin *win, struct fal_tx_packet *packet, bool counts);

/* Makes a packet a resync: it leaves the request counters and starts its attempts anew. */
void fal_txwin_resync(struct fal_txwin *win, struct fal_tx_packet *packet, uint8_t code);

/* A request: gated by ncwnd and counted, as long as it is not resynced (9.1.2, AMB-53). */
static inline bool fal_tx_request(const struct fal_tx_packet *packet)
{
    return packet->type == FAL_PULL_REQUEST || packet->type == FAL_PUSH_DATA;
}

/* Gives a packet the next PSN in place of its own: what a transmitter must never do (9.1.5).
 * Nothing changes when the window is full or memory short. */
void fal_txwin_renumber(struct fal_txwin *win, struct fal_tx_packet *packet);

/* The window that a packet belongs to. */
static inline enum fal_window fal_tx_window(const struct fal_tx_packet *packet)
{
    return packet->original == FAL_PULL_REQUEST ? FAL_WINDOW_REQ : FAL_WINDOW_DATA;
}

/* The payload up to which a packet or transaction has room inside, so that nothing is allocated
 * for it. */
enum { FAL_INSIDE = 256 };

/* The slab for packets with payloads up to FAL_INSIDE bytes. */
void fal_tx_packets_init(struct fal_slab *packets, bool separate);

/* A packet in no list with a copy of the payload, or NULL when out of memory. It is taken from
 * the slab, or from malloc() if the payload is longer; fal_tx_packet_free() gives it back. */
struct fal_tx_packet *fal_tx_packet_new(struct fal_slab *packets, enum fal_packet_type type,
                                        uint32_t rsn, const uint8_t *payload,
                                        uint32_t payload_len);
/* Frees a packet that is in no list; NULL is nothing. */
void fal_tx_packet_free(struct fal_slab *packets, struct fal_tx_packet *packet);

#endif
