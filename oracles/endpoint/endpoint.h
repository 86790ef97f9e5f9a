/* SPDX-License-Identifier: Apache-2.0
 * endpoint.h - a Falcon endpoint: the transaction sublayer over the packet delivery sublayer,
 * many connections, as a pure state machine. It is the tester's own side of a conversation and
 * the built-in SUT; with a fault switched on it is a broken SUT.
 *
 * Inputs carry the time; outputs wait in a queue. No clock, socket, thread or global.
 *
 * Caller's loop: fal_endpoint_input(ep, &in, now);
 *                while (fal_endpoint_next(ep, &out))
 *                    act(&out); (may be an input, such as the answer to a request)
 *                when now >= fal_endpoint_deadline(ep): input TICK.
 *
 * Requests come one at a time, after all other outputs: what the ULP answers at once decides
 * whether the next may follow (8.5.3.4). One connection holds at most FAL_ENDPOINT_OPEN_MAX
 * transactions of each side; further posts complete with LOCAL_RSRC, further requests are
 * refused with NACK code 1. */
#ifndef FAL_ORACLES_ENDPOINT_ENDPOINT_H
#define FAL_ORACLES_ENDPOINT_ENDPOINT_H

#include "codecs/base/error.h"
#include "codecs/header/falcon.h"
#include "oracles/endpoint/delivery/rue_policy.h"
#include "oracles/endpoint/faults/faults.h"
#include "oracles/endpoint/faults/twins.h"
#include "oracles/endpoint/transaction/occupancy.h"
#include "oracles/endpoint/transaction/resources.h"
#include "oracles/timeline.h"

/* Completion codes (chapter 11). */
enum fal_completion {
    FAL_CMPL_ACK = 0x0,
    FAL_CMPL_TARGET_CIE = 0x1,
    FAL_CMPL_TARGET_NRE = 0x3,
    FAL_CMPL_TARGET_CID = 0x4,
    FAL_CMPL_LOCAL_TO = 0x8,
    FAL_CMPL_OP_ERR = 0x9,
    FAL_CMPL_DEAD_CONN = 0xa,
    FAL_CMPL_LOCAL_RSRC = 0xb,
    FAL_CMPL_CDT_ERR = 0xc,
    FAL_CMPL_REMOTE_ERR = 0xd,
    FAL_CMPL_LOCAL_XLR = 0xf,
};

enum { FAL_ENDPOINT_OPEN_MAX = 4096 };

/* How a faulty endpoint has its packets carried. */
enum fal_seal_flaw {
    FAL_SEAL_FLAWLESS,
    FAL_SEAL_NONE,         /* in the clear */
    FAL_SEAL_NEXT_HEADER,  /* another one is announced */
    FAL_SEAL_CRYPT_OFFSET, /* one unit further */
    FAL_SEAL_OTHER_MODE,   /* tunnel mode in place of transport mode, and the reverse */
};

/* What the encapsulation of a packet says, PSP or ESP (6.5, 7.1): of one that came, opened; of
 * one that is to be sealed. */
struct fal_seal {
    bool present; /* false: a plain link, without the members below */
    bool has_vc;
    uint32_t spi;
    uint64_t iv; /* when it left, by its sender's clock (AMB-32) */
    uint64_t vc; /* PCID of its tunnel */
    enum fal_seal_flaw flaw;
};

/* What the link found when it checked and opened a packet (9.2.2.1). */
enum fal_integrity {
    FAL_INTACT,
    FAL_DAMAGED,    /* a header, length, checksum or CRC is wrong */
    FAL_NOT_OPENED, /* it is not what its sender sealed; `bytes` are what is in the clear */
};

/* Orders of the connection manager. The first four regard the endpoint, the others `conn`. A
 * key rotation is NEW_GENERATION, then NEW_SPI for each connection, then PEER_SPI at their
 * peers, DROP_PREVIOUS when a few round trips have passed, END_GENERATION before the next one
 * (9.2.2.3, steps 1 to 5). */
enum fal_cm_order {
    FAL_CM_MATCH_PCID, /* PCID Match Enable */
    FAL_CM_IGNORE_PCID,
    FAL_CM_NEW_GENERATION,
    FAL_CM_END_GENERATION,
    FAL_CM_NEW_SPI,  /* seal: spi of packets to this end, iv the new Remote Time */
    FAL_CM_PEER_SPI, /* seal: spi of packets from this end */
    FAL_CM_DROP_PREVIOUS,
};

/* The two pools of receive resources whose occupancy ACKs tell (10.2). */
enum fal_rx_pool { FAL_RX_PACKETS, FAL_RX_BUFFERS, FAL_RX_POOLS };

struct fal_endpoint;

struct fal_endpoint_config {
    uint64_t seed;
    uint32_t max_connections; /* 0: 1024 */
    struct fal_fault_set faults;
    bool internal_notes; /* emit OUT_NOTE for state changes and timers */
    bool wordless_notes; /* those for state changes have an empty text, which nobody reads */
    /* How narrow the way out is: tx_burst (0: 1) packets of the transaction sublayer, then none
     * for tx_gap_ns; connections take turns (8.3). 0: all may leave at once. */
    uint64_t tx_gap_ns;
    uint32_t tx_burst;
    /* Resources of all connections together, and of those of each function, in units of 8.2.3;
     * a connection's own limits are parameters. Buffers go by cells of `cell` bytes (0: 256).
     */
    struct fal_limits host_limits, function_limits;
    uint32_t cell;

    uint64_t clock_ps; /* what this end's clock shows at time 0: its IVs, t2 and t4 */
    unsigned iv_shift; /* lowest bit of t1 in an IV, 1..32 (AMB-32); 0: 17 */
    struct fal_rue_config rue;
    /* Levels of the receive pools' network region, in units of host_limits. All zero:
     * thresholds at every 32nd part of those limits, or of the limits of the connection that
     * was opened last, and the momentary occupancy. */
    struct fal_occupancy rx_levels[FAL_RX_POOLS];
    /* For the variant rnr-followers-delivered: whether the ULP of a connection would answer a
     * request with RNR if it were delivered now. NULL: nobody knows. */
    bool (*not_ready)(const void *ulp, uint32_t conn, uint32_t rsn, enum fal_ulp_op op);
    const void *ulp;
    /* For tests: each packet and transaction is a block from malloc() (base/slab.h). */
    bool separate_blocks;
};

/* The security association of a connection (6.5); all zero: a plain link. */
struct fal_endpoint_security {
    bool on;
    uint32_t spi;         /* of packets to this end (Current SPI); 0: not configured yet */
    uint32_t peer_spi;    /* of packets from this end */
    bool has_vc;          /* packets from this end carry a virtualization cookie */
    uint64_t pcid;        /* that of packets to this end, where PCIDs are matched */
    uint64_t peer_pcid;   /* that of packets from this end */
    uint64_t remote_time; /* surely older than the peer's clock, in units of its IVs (9.2.1) */
};

struct fal_endpoint_conn {
    struct fal_params params;
    struct fal_end local, peer;
    struct fal_twin_set twins; /* the freedoms that it takes; zero: the default readings */
    /* What the endpoint does by itself (scenario `auto`). All true for a complete endpoint. */
    bool auto_ack;        /* BACK, EACK, NACK */
    bool auto_retransmit; /* by timeout, early, after RNR; resync */
    struct fal_endpoint_security security;
};

/* What a tester's end tells its peer in ACKs and NACKs, in place of what it measures, so that
 * the congestion control of the peer sees what a test needs (10.1). Each packet that arrives
 * then has an ACK of its own. */
struct fal_steer {
    bool on;
    uint64_t hold_ns; /* so long after its cause an ACK leaves */
    uint64_t path_ns; /* the round trip of the path, as far as it is known */
    bool has_delay, has_hops, has_level;
    uint64_t delay_ns; /* of the fabric; at most hold_ns + path_ns */
    uint8_t hops, level;
    uint16_t marks; /* CE, counted for each packet */
    /* ACKs are held until the next call, and then leave together, apart_ns from one to the
     * next, whatever hold_ns says. The delay of each then allows for the way that its packet
     * has had, as far as that is longer than that of the fastest packet. */
    bool together;
    uint64_t apart_ns;
};

enum fal_in_kind {
    FAL_IN_PACKET,  /* bytes arrived */
    FAL_IN_POST,    /* local ULP starts a transaction */
    FAL_IN_RESPOND, /* local ULP answers a delivered request */
    FAL_IN_TICK,    /* time has passed */
    FAL_IN_CM,      /* the connection manager orders something */
    FAL_IN_RUE,     /* a result of the RUE (10.6.2.2) */
    FAL_IN_BARRIER, /* what has arrived is processed now, where a variant has put it off */
};

struct fal_endpoint_in {
    enum fal_in_kind kind;
    /* not for PACKET (looked up by dest_cid), TICK and RUE; BARRIER: 0 is each */
    uint32_t conn;
    /* PACKET; RUE: the entry's 64 bytes */
    const uint8_t *bytes;
    size_t len;
    /* PACKET: its header as fal_falcon_decode has read it from `bytes`, with what that
     * returned; borrowed. NULL: the endpoint decodes it. */
    const struct fal_falcon *falcon;
    int header_len;
    enum fal_integrity integrity;
    struct fal_seal seal; /* PACKET, CM */
    uint32_t t1;          /* without a seal: ticks that the link knows of, or 0 */
    uint64_t age_ns;      /* PACKET: how long before now it arrived, by the link's stamp */
    uint8_t ecn, ttl;
    /* CM */
    enum fal_cm_order order;
    /* POST */
    enum fal_ulp_op op;
    uint64_t tag;
    uint32_t length;        /* push: payload bytes; pull: bytes asked for */
    const uint8_t *payload; /* push: `length` bytes, copied; pull: ULP header bytes or NULL */
    uint32_t payload_len;   /* pull: its header bytes */
    /* RESPOND */
    uint32_t rsn;
    enum fal_answer answer;
    uint64_t rnr_ns; /* RNR: rounded up to a code of 7.8 on the wire */
    uint32_t code;   /* CIE, NRE, CID: ULP NACK code */
    /* DATA: payload and length as above */
};

enum fal_out_kind {
    FAL_OUT_PACKET,   /* transmit */
    FAL_OUT_REQUEST,  /* deliver to the local ULP as target */
    FAL_OUT_COMPLETE, /* complete to the local ULP as initiator */
    FAL_OUT_CM,       /* signal to the connection manager */
    FAL_OUT_RUE,      /* an event for the RUE (10.6.2.1) */
    FAL_OUT_CREDITS,  /* the local ULP has credits again: fal_endpoint_credits() */
    FAL_OUT_NOTE,     /* internal */
};

struct fal_endpoint_out {
    enum fal_out_kind kind;
    uint32_t conn;
    /* PACKET: header and payload, encoded; RUE: an entry's 64 bytes; valid until the next call
     */
    const uint8_t *bytes;
    size_t len;
    struct fal_seal seal; /* PACKET: how to seal it */
    uint32_t path;        /* PACKET: entropy for flow label or source port (10.4) */
    /* REQUEST, COMPLETE */
    enum fal_ulp_op op;
    uint32_t rsn;
    uint64_t tag; /* COMPLETE: that of the post */
    const uint8_t *payload;
    uint32_t payload_len;
    uint32_t length; /* REQUEST: request_length */
    bool redelivery;
    enum fal_completion code;
    uint32_t ulp_nack_code;
    /* CM, NOTE */
    /* CM: "fatal", "spi", "integrity", "replay"; NOTE: a sentence; valid until the next call */
    const char *what;
    bool timer; /* NOTE: a timer of the connection has expired */
};

/* NULL when out of memory. The caller frees. */
struct fal_endpoint *fal_endpoint_new(const struct fal_endpoint_config *config);
void fal_endpoint_free(struct fal_endpoint *ep);

/* Opens a connection; its number (from 1) in *conn. Returns 0, FAL_ERR_RANGE (a CID already in
 * use, a parameter out of range), FAL_ERR_MEM. */
MUST_USE int fal_endpoint_open(struct fal_endpoint *ep, const struct fal_endpoint_conn *config,
                               uint64_t now_ns, uint32_t *conn);
/* Chooses what ACKs and NACKs tell the peer from now on. ACKs that are held leave when they
 * were to leave. Returns 0; FAL_ERR_RANGE for a connection that is not open; FAL_ERR_MEM. */
MUST_USE int fal_endpoint_steer_acks(struct fal_endpoint *ep, uint32_t conn,
                                     const struct fal_steer *steer);
/* Drops all state of a connection; nothing is sent. */
void fal_endpoint_close(struct fal_endpoint *ep, uint32_t conn);

/* Takes one input at time now_ns, which never goes back. Returns 0; FAL_ERR_RANGE for a
 * connection, RSN or length that cannot be; FAL_ERR_MEM. POST: the RSN assigned in *rsn (may be
 * NULL). A bad packet is no error. */
MUST_USE int fal_endpoint_input(struct fal_endpoint *ep, const struct fal_endpoint_in *in,
                                uint64_t now_ns, uint32_t *rsn);

/* These bytes are likely to be the packet that comes FAL_ENDPOINT_AHEAD inputs later. This
 * fetches what their connection needs into the cache and changes nothing else. For callers that
 * have several packets at hand, and many connections. */
enum { FAL_ENDPOINT_AHEAD = 6 };
void fal_endpoint_expect(struct fal_endpoint *ep, const uint8_t *bytes, size_t len);

/* The next output, oldest first, or NULL when there is none. It is the endpoint's, and valid
 * until the next call. */
const struct fal_endpoint_out *fal_endpoint_take(struct fal_endpoint *ep);
/* The same as a copy in *out; false when there is none. */
bool fal_endpoint_next(struct fal_endpoint *ep, struct fal_endpoint_out *out);

/* When the next timer is due; FAL_NEVER when none runs. */
uint64_t fal_endpoint_deadline(struct fal_endpoint *ep);

/* For scripts. Fills `packet` with what the endpoint would put into a packet of that type now:
 * CIDs, function, protocol, current bases, the next PSN and RSN of its kind (pull_data: the RSN
 * of the oldest unanswered pull), bitmaps and OWN of an EACK, t1 and t2. Changes no state. */
MUST_USE int fal_endpoint_draft(struct fal_endpoint *ep, uint32_t conn,
                                enum fal_packet_type type, uint64_t now_ns,
                                struct fal_falcon *packet);

/* A script sent this packet in the endpoint's name. A reliable one with a PSN of its window is
 * tracked as if it had been sent here (acknowledged, retransmitted where auto_retransmit; next
 * PSN and RSN move past it); an ACK's bases and bits are what the endpoint has now claimed.
 * Others are ignored. */
MUST_USE int fal_endpoint_adopt(struct fal_endpoint *ep, uint32_t conn,
                                const struct fal_falcon *packet, const uint8_t *payload,
                                size_t payload_len, uint64_t now_ns);

/* For a fault of the upper layer: the newest Pull Data of the connection is refused by a NACK
 * of code 8, although it was taken. Nothing happens where the endpoint has no fault or variant.
 */
void fal_endpoint_refuse_answer(struct fal_endpoint *ep, uint32_t conn);

/* How a packet of the connection that leaves now is to be sealed. The IV counts as used. 0, or
 * FAL_ERR_RANGE for a connection that is not open. */
MUST_USE int fal_endpoint_seal(struct fal_endpoint *ep, uint32_t conn, uint64_t now_ns,
                               struct fal_seal *seal);

/* Nothing outstanding: no unacknowledged packet, open transaction, or running coalescing timer.
 */
bool fal_endpoint_quiet(const struct fal_endpoint *ep, uint32_t conn);

/* What the ULP may still ask for, by enum fal_resource, at each level; UINT32_MAX: as much as
 * it likes (8.2.3). Returns 0, or FAL_ERR_RANGE for a connection that is not open. */
struct fal_endpoint_credits {
    uint32_t connection[FAL_RES_COUNT], function[FAL_RES_COUNT], host[FAL_RES_COUNT];
};
MUST_USE int fal_endpoint_credits(const struct fal_endpoint *ep, uint32_t conn,
                                  struct fal_endpoint_credits *left);

/* Sequence state under the specification's names, for `state` of the control protocol and for
 * tests. */
struct fal_endpoint_state {
    uint32_t tx_rbpsn, tx_rnpsn, tx_dbpsn, tx_dnpsn; /* 9.1.1 */
    uint32_t rx_rbpsn, rx_dbpsn;                     /* 9.2.1 */
    uint64_t req_bitmap;
    fal_u128 data_ack_bitmap, data_rx_bitmap;
    uint8_t own;
    uint32_t brsn, nrsn;                    /* 8.4.1 */
    uint32_t target_brsn, target_nrsn;      /* 8.5.1 */
    uint32_t open_initiated, open_received; /* transactions */
};
MUST_USE int fal_endpoint_state(const struct fal_endpoint *ep, uint32_t conn,
                                struct fal_endpoint_state *state);

/* ---- congestion control from outside (engine.c) ---- */

/* Another RUE from now on. Connections that are open keep their state. */
void fal_endpoint_rue(struct fal_endpoint *ep, const struct fal_rue_config *config);
/* The values that an ACK event of the connection would state now. Returns 0, or FAL_ERR_RANGE
 * for a connection that is not open. */
MUST_USE int fal_endpoint_cc(const struct fal_endpoint *ep, uint32_t conn,
                             struct fal_cc_event *now);
/* Applies a result that no event asked for; fal_cc_unchanged makes one of the event above.
 * Returns 0, FAL_ERR_RANGE, or FAL_ERR_MEM. */
MUST_USE int fal_endpoint_apply(struct fal_endpoint *ep, uint32_t conn,
                                const struct fal_cc_result *result, uint64_t now_ns);
/* Thresholds and the weight of the moving average of a pool (10.2) from now on; the average
 * goes on. NULL: as in an endpoint that was given neither levels nor limits of the host. */
void fal_endpoint_rx_levels(struct fal_endpoint *ep, enum fal_rx_pool pool,
                            const struct fal_occupancy *levels);
/* The format of entries about a connection that are shown to somebody outside. */
enum fal_cc_format fal_endpoint_entry_format(const struct fal_endpoint *ep, uint32_t conn);
/* The endpoint's clock at its last input, in ticks mod 2^24. */
uint32_t fal_endpoint_ticks(const struct fal_endpoint *ep);

/* How often a fault has acted so far. */
uint64_t fal_endpoint_fault_acts(const struct fal_endpoint *ep, enum fal_fault_id id);
/* How often it could have acted: opportunities at which its condition (`when`) held. */
uint64_t fal_endpoint_fault_chances(const struct fal_endpoint *ep, enum fal_fault_id id);
/* The sums of both over all faults. */
void fal_endpoint_faults(const struct fal_endpoint *ep, uint64_t *chances, uint64_t *acts);

#endif
