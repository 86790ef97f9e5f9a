/* SPDX-License-Identifier: Apache-2.0
 * connection.h - the state of a connection and of the endpoint it belongs to, as the parts of
 * the endpoint see them. Nobody outside this folder includes it.
 *
 *   receive.c      what arrives: acceptance (9.2.2), duplicates (11), resync (9.2.5)
 *   acks.c         what an arriving ACK or NACK changes (9.2.3, 9.2.4)
 *   ackgen.c       what is acknowledged, when and how (9.1.6, 9.1.7)
 *   transmit.c     scheduler, gates, AR, the packet on the wire (8.3, 9.1.2, 9.1.3)
 *   retransmit.c   timers, early retransmission, resync (9.1.4, 9.1.5, 9.1.8)
 *   initiator.c    transactions that the local ULP starts (8.4)
 *   target.c       transactions that the peer starts (8.5)
 *   answer.c       what their ULP says to them
 *   script.c       what a scenario sends in the endpoint's name */
#ifndef FAL_ORACLES_ENDPOINT_CONNECTION_H
#define FAL_ORACLES_ENDPOINT_CONNECTION_H

#include "oracles/endpoint/cidmap.h"
#include "oracles/endpoint/outqueue.h"
#include "oracles/endpoint/rxwin.h"
#include "oracles/endpoint/timers.h"
#include "oracles/endpoint/txwin.h"
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
    uint8_t *data;                /* response of a pull that waits for its turn */
    uint32_t data_len;
    uint32_t rsn;
    uint32_t length; /* bytes pushed or asked for */
    enum fal_ulp_op op;
    enum fal_txn_state state;
    enum fal_completion
        code; /* once finished; before that, what the resync's ACK will make of it */
    uint8_t ulp_nack_code;
    bool finished;  /* its code is final */
    bool completed; /* its ULP knows */
};

struct fal_initiator {
    struct fal_seqring txns; /* struct fal_initiated; its base is BRSN */
    uint32_t nrsn;
    uint32_t turn;             /* ordered: the RSN whose completion is next */
    uint32_t open;             /* not completed */
    struct fal_link deadlines; /* unfinished ones, oldest first */
};

/* A transaction that the peer started. */
struct fal_received {
    struct fal_link link;    /* in the target's ready or rnr list */
    struct fal_link reclaim; /* in the target's reclaim list: a pull without response */
    uint64_t retry_ns;       /* in the rnr list: when the pull is redelivered */
    uint64_t reclaim_ns;
    uint32_t psn, rsn;
    uint32_t length; /* request_length */
    uint32_t payload_len;
    enum fal_ulp_op op;
    enum fal_txn_state state;
    bool ar;        /* its push asked for an ACK */
    bool delivered; /* to the ULP, at least once */
    bool rnr;       /* RNRed by its ULP and not taken since */
    bool due;       /* RNRed, and now to be delivered again */
    uint8_t rnr_code;
    uint8_t nack_code, ulp_nack_code; /* of a push that ended in error; 0: it did not */
    uint8_t *payload;
};

struct fal_target {
    struct fal_seqring txns; /* struct fal_received; its base is BRSN */
    uint32_t nrsn;           /* ordered: delivered next */
    uint32_t open;           /* not closed */
    uint32_t rnr_count;      /* with rnr */
    uint32_t rnr_rsn;        /* the lowest of them, while there is one */
    size_t bytes;            /* payload held */
    bool ordered;
    struct fal_link ready;   /* unordered: to be delivered, in order of arrival */
    struct fal_link rnr;     /* pulls that wait for their redelivery, soonest first */
    struct fal_link reclaim; /* pulls without response, oldest first */
};

struct fal_ep_conn {
    struct fal_endpoint *ep;
    struct fal_link link; /* in the endpoint's ready list */
    uint32_t number;
    struct fal_params params;
    struct fal_end local, peer;
    bool auto_ack, auto_retransmit;
    bool dead;

    /* transmitter */
    struct fal_txwin tx[2];   /* by enum fal_window */
    struct fal_link timers;   /* packets that wait for their retransmit timer, soonest first */
    struct fal_link queue[2]; /* of the scheduler: requests; pull data (8.3, AMB-46) */
    uint8_t queue_turn;
    uint32_t ar_credit; /* percent of an AR bit that is owed */
    uint64_t rtt_ns;    /* average */

    /* receiver */
    struct fal_rxwin rx[2];
    uint64_t coalesce_ns; /* when the coalescing timer fires, or FAL_NEVER */
    bool ack_now;         /* an ACK leaves before this input is done with */
    uint32_t t1, t2;      /* of the most recent packet (AMB-61) */
    uint8_t hops;
    uint16_t ecn;

    struct fal_initiator initiator;
    struct fal_target target;

    /* So that a fault which acts now and then does so at the same places in each run. */
    uint32_t acks_sent, new_sent;
};

struct fal_endpoint {
    uint64_t now_ns;
    struct fal_fault_set faults;
    struct fal_rng fault_rng;
    bool notes;
    bool out_of_memory;                       /* since the current call began */
    uint32_t max_conns, num_conns, conns_cap; /* num: the highest number in use so far */
    uint32_t free_hint;                       /* all numbers below are in use */
    struct fal_ep_conn **conns;               /* by number - 1; NULL: closed */
    struct fal_cidmap cids;
    struct fal_timers timers;
    struct fal_outqueue out;
    struct fal_link ready; /* connections whose target has a request to deliver */
};

/* The open connection of that number, or NULL. */
static inline struct fal_ep_conn *fal_ep_conn_find(const struct fal_endpoint *ep,
                                                   uint32_t number)
{
    return number > 0 && number <= ep->num_conns ? ep->conns[number - 1] : NULL;
}

/* Whether a fault acts this time. */
bool fal_fault(struct fal_endpoint *ep, enum fal_fault_id id);

/* A connection in its initial state, not yet known to the endpoint; NULL when out of memory. */
struct fal_ep_conn *fal_ep_conn_new(struct fal_endpoint *ep,
                                    const struct fal_endpoint_conn *config, uint32_t number);
void fal_ep_conn_free(struct fal_ep_conn *conn);

/* What is due at ep->now_ns. */
void fal_ep_conn_tick(struct fal_ep_conn *conn);

/* Ends every input: sends what may leave, and sets the next deadline. */
void fal_ep_conn_settle(struct fal_ep_conn *conn);

/* A fatal error (11): the CM is told, the open transactions complete, nothing more is sent or
 * taken. */
void fal_ep_conn_fatal(struct fal_ep_conn *conn);

/* Adds an output of the connection; on failure sets ep->out_of_memory and returns NULL, else
 * where its `len` bytes go. */
uint8_t *fal_ep_conn_out(struct fal_ep_conn *conn, struct fal_endpoint_out out, size_t len);

/* A note for people, printf-like, when notes are wanted. */
void fal_ep_conn_note(struct fal_ep_conn *conn, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "PushDataTx" */
const char *fal_txn_state_name(enum fal_txn_state state);

/* Nanoseconds in units of 131.072 ns, mod 2^32 (7.7.1). */
uint32_t fal_ep_conn_ticks(uint64_t ns);

#endif
