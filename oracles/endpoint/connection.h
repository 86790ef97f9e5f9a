/* SPDX-License-Identifier: Apache-2.0
 * connection.h - the state of a connection and of the endpoint it belongs to, as the parts of
 * the endpoint see them. No file outside this folder includes it.
 *
 *   ahead.c        fetches what coming packets need into the cache
 *   receive.c      what arrives: acceptance (9.2.2), duplicates (11), resync (9.2.5)
 *   accept.c       integrity, SPI, replay; key rotation (9.2.2.1 to 9.2.2.3)
 *   measure.c      t1 to t4, hops, ECN, buffer level, round trips (10.1, 10.2)
 *   rue.c          congestion control: events, results, pacing (10.6)
 *   acks.c         what an arriving ACK or NACK changes (9.2.3, 9.2.4)
 *   ackgen.c       what is acknowledged, when and how (9.1.6, 9.1.7)
 *   ackfaults.c    what a faulty receiver says instead
 *   schedule.c     which packet of which connection leaves next (8.3)
 *   transmit.c     gates, AR, the packet on the wire (9.1.2, 9.1.3)
 *   retransmit.c   timers, early retransmission, resync (9.1.4, 9.1.5, 9.1.8)
 *   credits.c      what a transaction costs (8.2.2 to 8.2.4)
 *   resources.c    accounts with limits and zones (8.2.3, 8.2.4)
 *   pools.c        the accounts of connection, function and host
 *   rack.c         losses told by time, for those who do (9.1.6)
 *   initiator.c    transactions that the local ULP starts (8.4)
 *   target.c       transactions that the peer starts (8.5)
 *   answer.c       what their ULP says to them
 *   script.c       what a scenario sends in the endpoint's name
 *   fault_act.c    whether a fault acts now */
#ifndef FAL_ORACLES_ENDPOINT_CONNECTION_H
#define FAL_ORACLES_ENDPOINT_CONNECTION_H

#include "oracles/endpoint/base/cidmap.h"
#include "oracles/endpoint/base/clock.h"
#include "oracles/endpoint/base/rxwin.h"
#include "oracles/endpoint/base/timers.h"
#include "oracles/endpoint/base/txwin.h"
#include "oracles/endpoint/delivery/accept.h"
#include "oracles/endpoint/delivery/ahead.h"
#include "oracles/endpoint/delivery/outqueue.h"
#include "oracles/endpoint/delivery/rue.h"
#include "oracles/endpoint/faults/fault_act.h"
#include "oracles/endpoint/transaction/resources.h"
#include "oracles/rng.h"
#include "oracles/seq.h"

enum {
    FAL_TX_WINDOW_MAX = 65536,
    FAL_TARGET_BYTES_MAX = 16 << 20, /* payload that one connection may hold for its ULP */
};

/* States of a transaction, with the specification's names (8.4.1, 8.5.1). Closed: nothing more
 * will come of it; it stays only until those before it are closed too. */
#define FAL_TXN_STATES(X)                  \
    X(PULL_REQ_ULP_RX, "PullReqUlpRx")     \
    X(PULL_REQ_TX, "PullReqTx")            \
    X(PULL_REQ_ACKD, "PullReqAckd")        \
    X(PULL_DATA_RX, "PullDataRx")          \
    X(PULL_DATA_ULP_TX, "PullDataUlpTx")   \
    X(PUSH_REQ_ULP_RX, "PushReqUlpRx")     \
    X(PUSH_DATA_TX, "PushDataTx")          \
    X(PUSH_DATA_ACKD, "PushDataAckd")      \
    X(PUSH_CPL_TX, "PushCplTx")            \
    X(PULL_REQ_RX, "PullReqRx")            \
    X(PULL_REQ_ULP_TX, "PullReqUlpTx")     \
    X(PULL_REQ_ULP_ACKD, "PullReqUlpAckd") \
    X(PULL_DATA_ULP_RX, "PullDataUlpRx")   \
    X(PULL_DATA_TX, "PullDataTx")          \
    X(PULL_DATA_ACKD, "PullDataAckd")      \
    X(PUSH_DATA_RX, "PushDataRx")          \
    X(PUSH_REQ_ULP_TX, "PushReqUlpTx")     \
    X(PUSH_REQ_ULP_ACKD, "PushReqUlpAckd") \
    X(CLOSED, "Closed")

#define FAL_TXN_ENUM(id, name) FAL_TXN_##id,
enum fal_txn_state { FAL_TXN_STATES(FAL_TXN_ENUM) };

/* A transaction that the local ULP, or a script, started. */
struct fal_initiated {
    struct fal_link link; /* in the initiator's deadlines, until it is finished */
    uint64_t deadline_ns;
    uint64_t tag;
    struct fal_tx_packet *packet; /* its request, until that is acknowledged */
    uint8_t *data; /* response of a pull that waits for its turn: in `inside`, or a block */
    uint32_t data_len;
    uint32_t rsn;
    uint32_t length; /* bytes pushed or asked for */
    enum fal_ulp_op op;
    enum fal_txn_state state;
    enum fal_completion
        code; /* once finished; before that, what the resync's ACK will make of it */
    uint8_t ulp_nack_code;
    bool finished;    /* its code is final */
    bool charged;     /* it holds receive resources */
    bool completed;   /* its ULP knows */
    uint8_t inside[]; /* FAL_INSIDE bytes */
};

struct fal_initiator {
    struct fal_slab *slab;   /* of the endpoint, for struct fal_initiated */
    struct fal_seqring txns; /* struct fal_initiated; its base is BRSN */
    uint32_t nrsn;
    uint32_t turn;             /* ordered: the RSN whose completion is next */
    uint32_t open;             /* not completed */
    struct fal_link deadlines; /* unfinished ones, oldest first */
};

/* A transaction that the peer started. */
struct fal_received {
    struct fal_link link;    /* in the target's ready or rnr list */
    struct fal_link reclaim; /* in the target's reclaim list, until a response is sent */
    uint64_t retry_ns;       /* in the rnr list: when the pull is redelivered */
    uint64_t reclaim_ns;
    uint32_t psn, rsn;
    uint32_t length; /* request_length */
    uint32_t payload_len;
    enum fal_ulp_op op;
    enum fal_txn_state state;
    bool ar;                      /* its push asked for an ACK */
    bool delivered;               /* to the ULP, at least once */
    bool rnr;                     /* RNRed by its ULP and not taken since */
    bool due;                     /* RNRed, and now to be delivered again */
    struct fal_tx_packet *packet; /* its response, until that is sent */
    bool charged;                 /* it holds resources of the network region */
    uint8_t rnr_code;
    uint8_t nack_code, ulp_nack_code; /* of a push that ended in error; 0: it did not */
    uint8_t *payload;                 /* in `inside`, or a block of its own */
    uint8_t inside[];                 /* FAL_INSIDE bytes */
};

struct fal_target {
    struct fal_slab *slab;   /* of the endpoint, for struct fal_received */
    struct fal_seqring txns; /* struct fal_received; its base is BRSN */
    uint32_t nrsn;           /* ordered: delivered next */
    uint32_t open;           /* not closed */
    uint32_t rnr_count;      /* with rnr */
    uint32_t rnr_rsn;        /* the lowest of them, while there is one */
    size_t bytes;            /* payload held */
    bool ordered;
    bool by_psn;             /* a fault: ordered, but by PSNs */
    struct fal_link ready;   /* unordered: to be delivered, in order of arrival */
    struct fal_link rnr;     /* pulls that wait for their redelivery, soonest first */
    struct fal_link reclaim; /* not closed and no response sent, oldest first */
};

/* The scheduler's queues of a connection (8.3). The third is for those who keep pushes apart
 * from pull requests (AMB-46). */
enum fal_queue { FAL_QUEUE_REQUESTS, FAL_QUEUE_DATA, FAL_QUEUE_PUSHES, FAL_QUEUE_COUNT };

/* When a packet that arrived is acknowledged. */
enum fal_ack_due { FAL_ACK_NONE, FAL_ACK_COALESCED, FAL_ACK_AT_ONCE };

/* What follows when the timer of a packet has fired. */
enum fal_expiry { FAL_EXPIRY_RNR_OVER, FAL_EXPIRY_REPEAT, FAL_EXPIRY_RESYNC, FAL_EXPIRY_FATAL };

/* What becomes of a pull when its response arrives. */
enum fal_pull_end { FAL_PULL_COMPLETES, FAL_PULL_FAILS, FAL_PULL_WAITS };

/* What each packet needs is at the front, in the order of its use: with 100,000 connections the
 * lines of the cache that a packet touches take longer than all else. */
struct fal_ep_conn {
    struct fal_endpoint *ep;
    struct fal_odd *odd; /* what faults and variants remember; NULL: it has none (seams.h) */
    uint32_t number;
    bool dead;
    bool auto_ack, auto_retransmit;
    bool ack_now;               /* an ACK leaves before this input is done with */
    bool limited, credits_back; /* resources: some level has limits, so accounts are kept */
    uint8_t queue_turn;
    uint8_t hops; /* of the most recent packet, as are the three below (AMB-61) */
    uint16_t ecn;
    uint32_t t1, t2;
    uint64_t coalesce_ns; /* when the coalescing timer fires, or FAL_NEVER */
    struct fal_link link; /* in the endpoint's ready list */

    /* what follows an input: is anything to be sent, and when is the next deadline */
    struct fal_link queue[FAL_QUEUE_COUNT]; /* of the scheduler, by enum fal_queue */
    struct fal_link timers; /* packets that wait for their retransmit timer, soonest first */
    struct fal_link stale;  /* in the endpoint's list of those whose deadline is to be set */
    uint64_t held_ns;       /* when the ACK that is held back leaves, or FAL_NEVER */
    uint64_t probe_ns;      /* when the tail is probed (rack.c), or FAL_NEVER */
    uint32_t probed;        /* how many packets were outstanding at the last probe, or 0 */

    struct fal_txwin tx[2]; /* transmit windows, by enum fal_window */
    struct fal_rxwin rx[2]; /* receive windows */
    struct fal_initiator initiator;
    struct fal_target target;
    struct fal_cc cc;
    struct fal_end peer;
    uint32_t ar_credit; /* percent of an AR bit that is owed */
    struct fal_params params;

    /* what few packets need */
    uint64_t rtt_ns;        /* average */
    struct fal_link active; /* in the scheduler's list of those that may send */
    struct fal_security security;
    struct fal_account account;
    struct fal_function *function; /* NULL: functions have no limits */
    struct fal_twin_set twins;
    struct fal_end local;
    struct fal_steering *steering; /* NULL: none (delivery/steer.h) */
};

/* The account of a function (its number), as long as it has connections. */
struct fal_function {
    uint32_t number, place, connections;
    struct fal_account account;
};

struct fal_pools {
    struct fal_account host;
    struct fal_limits function_limits;
    uint32_t cell;                   /* bytes of a buffer unit */
    struct fal_function **functions; /* in no order; `places` tells where, from 1 */
    struct fal_cidmap places;
    uint32_t num_functions, functions_cap;
};

/* The scheduler across connections. */
struct fal_schedule {
    uint64_t gap_ns;  /* from burst to burst; 0: connections do not compete */
    uint64_t next_ns; /* when the next burst may begin */
    uint32_t burst, sent;
    struct fal_link active; /* connections that may send, next one first */
};

struct fal_endpoint {
    uint64_t now_ns;
    struct fal_schedule schedule;
    struct fal_pools pools;
    struct fal_faulty faulty;
    struct fal_rng twin_rng; /* where a allowed variant is drawn */
    bool notes, wordless_notes;
    bool (*not_ready)(const void *ulp, uint32_t conn, uint32_t rsn, enum fal_ulp_op op);
    const void *ulp; /* as in the configuration */
    struct fal_clock clock;
    struct fal_security_global security;
    uint64_t integrity_told_ns; /* when the CM last heard of a bad packet; 0: never */
    struct fal_rue rue;
    struct fal_rng path_rng;
    struct fal_occupancy occupancy[FAL_RX_POOLS];
    uint32_t rx_used[FAL_RX_POOLS];           /* as the occupancy knows it */
    unsigned rx_level[FAL_RX_POOLS];          /* the quantized occupancy */
    bool levels_given[FAL_RX_POOLS];          /* Limits of connections do not change them. */
    bool out_of_memory;                       /* since the current call began */
    uint32_t max_conns, num_conns, conns_cap; /* num: the highest number in use so far */
    uint32_t free_hint;                       /* all numbers below are in use */
    struct fal_ep_conn **conns;               /* by number - 1; NULL: closed */
    struct fal_cidmap cids;
    struct fal_timers timers;
    struct fal_outqueue out;
    struct fal_link ready; /* connections whose target has a request to deliver */
    struct fal_link stale; /* connections whose deadline in `timers` may be an old one */
    struct fal_ahead ahead;
    struct fal_slab connections;                  /* struct fal_ep_conn */
    struct fal_slab packets, initiated, received; /* of all connections */
    struct fal_ring_slots slots;                  /* of all rings */
};

/* The open connection of that number, or NULL. */
static inline struct fal_ep_conn *fal_ep_conn_find(const struct fal_endpoint *ep,
                                                   uint32_t number)
{
    return number > 0 && number <= ep->num_conns ? ep->conns[number - 1] : NULL;
}

/* Whether a fault acts this time: a bit test where it is not switched on. To be asked last,
 * when all else says that it would make a difference: each yes is counted. */
bool fal_fault_acts(const struct fal_ep_conn *conn, enum fal_fault_id id);
static inline bool fal_fault(const struct fal_ep_conn *conn, enum fal_fault_id id)
{
    return fal_fault_in(&conn->ep->faulty.set, id) && fal_fault_acts(conn, id);
}

/* Whether any fault is switched on. */
static inline bool fal_faulty(const struct fal_ep_conn *conn)
{
    return fal_fault_any(&conn->ep->faulty.set);
}

/* Whether the connection takes that freedom. */
static inline bool fal_twin(const struct fal_ep_conn *conn, enum fal_twin_id id)
{
    return fal_twin_in(&conn->twins, id);
}

/* Its packets are neither sealed nor altered by a fault or variant. */
static inline bool fal_ep_conn_plain(const struct fal_ep_conn *conn)
{
    return conn->odd == NULL && !conn->security.on;
}

/* A connection in its initial state, not yet known to the endpoint; NULL when out of memory. */
struct fal_ep_conn *fal_ep_conn_new(struct fal_endpoint *ep,
                                    const struct fal_endpoint_conn *config, uint32_t number);
void fal_ep_conn_free(struct fal_ep_conn *conn);

/* What is due at ep->now_ns. */
void fal_ep_conn_tick(struct fal_ep_conn *conn);

/* Ends every input: sends what may leave, and sets the next deadline. */
void fal_ep_conn_settle(struct fal_ep_conn *conn);

/* The connection's next deadline may have changed: it is set before the endpoint's timers are
 * read, once for any number of inputs. */
static inline void fal_ep_conn_rearm(struct fal_ep_conn *conn)
{
    if (fal_link_alone(&conn->stale))
        fal_link_append(&conn->ep->stale, &conn->stale);
}

/* Sets the deadlines of connections that were rearmed since the last call. */
void fal_ep_conn_set_deadlines(struct fal_endpoint *ep);

/* A fatal error (11): the CM is told, the open transactions complete, nothing more is sent or
 * taken. */
void fal_ep_conn_fatal(struct fal_ep_conn *conn);

/* Adds a copy of *out as an output of the connection; on failure sets ep->out_of_memory and
 * returns NULL, else where its `len` bytes go. */
uint8_t *fal_ep_conn_out(struct fal_ep_conn *conn, const struct fal_endpoint_out *out,
                         size_t len);

/* The same for an empty output of that kind, without a copy: what else is told of it, the
 * caller fills in at *out. */
uint8_t *fal_ep_conn_put(struct fal_ep_conn *conn, enum fal_out_kind kind, size_t len,
                         struct fal_endpoint_out **out);

/* Tells the connection manager. */
void fal_ep_conn_tell(struct fal_ep_conn *conn, const char *what);

/* A note for people, printf-like, when notes are wanted. */
void fal_ep_conn_say(struct fal_ep_conn *conn, bool timer, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Most runs want none: then not even the arguments are looked at. */
#define fal_ep_conn_note(conn, ...) \
    ((conn)->ep->notes ? fal_ep_conn_say((conn), false, __VA_ARGS__) : (void)0)
/* The same about a timer that has expired. */
#define fal_ep_conn_note_timer(conn, ...) \
    ((conn)->ep->notes ? fal_ep_conn_say((conn), true, __VA_ARGS__) : (void)0)

/* "PushDataTx" */
const char *fal_txn_state_name(enum fal_txn_state state);

#include "oracles/endpoint/faults/seams.h" /* needs all of the above */

#endif
