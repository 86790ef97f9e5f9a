/* SPDX-License-Identifier: Apache-2.0
 * lite_conn.h - one connection of the example: a transaction layer that knows pushes and pulls,
 * and a packet delivery layer that knows windows, acknowledgements and a retransmission timer.
 * What it does not know (RNR and errors of the upper layer, resync, early retransmission,
 * congestion control, encryption) its ICS and its profile say. */
#ifndef LITE_CONN_H
#define LITE_CONN_H

#include "lite_wire.h"

enum { LITE_REQ = 0, LITE_DATA = 1 }; /* the two windows */
enum {
    LITE_WINDOW = 128, /* PSNs of a window that are kept track of */
    LITE_HELD = 256,   /* transactions under way, either way */
    LITE_RULES = 64,
    LITE_NAME = 16
};
#define LITE_NEVER UINT64_MAX

enum lite_answer { LITE_ACK, LITE_GIVE_DATA, LITE_WITHHOLD };

struct lite_params {
    bool ordered;
    uint32_t protocol_type, fcwnd, ncwnd, tx_window[2], ar_threshold, ar_percent, max_attempts,
        initial_ttl;
    uint64_t rto_ns, coalescing_ns;
};

struct lite_end {
    uint32_t cid, function, psn[2], rsn;
};

struct lite_rule { /* of the policy */
    uint32_t request, every;
    int op; /* -1: either */
    enum lite_answer answer;
    uint64_t after_ns;
    bool has_length, has_tag;
    uint32_t length;
    uint64_t tag, seed;
};

struct lite_sent { /* a packet that waits for its turn, or for its acknowledgement */
    struct lite_packet packet;
    uint8_t *payload;
    bool used, acked;
    uint32_t attempts;
    uint64_t due_ns;
};

struct lite_own { /* a transaction of ours; by RSN */
    bool used, done;
    bool pull;
    uint64_t tag, hash;
    uint32_t length;
};

struct lite_theirs { /* one of the peer's; by RSN */
    bool used, delivered, answered;
    bool skipped; /* given up by its sender */
    bool pull, ar;
    uint32_t psn, length;
    uint64_t tag, hash;
    bool has_tag;
    uint64_t answer_at_ns; /* of a rule with after_ns */
    struct lite_rule answer;
};

struct lite_conn;

/* What the connection tells, for events of the control channel; and the frames that it sends.
 */
struct lite_calls {
    void (*send)(void *ctx, const uint8_t *bytes, size_t len);
    void (*request)(void *ctx, struct lite_conn *conn, uint32_t rsn,
                    const struct lite_theirs *t);
    void (*ulp_ack)(void *ctx, struct lite_conn *conn, uint32_t rsn, enum lite_answer answer);
    void (*completion)(void *ctx, struct lite_conn *conn, uint32_t rsn,
                       const struct lite_own *o);
    void (*dead)(void *ctx, struct lite_conn *conn);
};

struct lite_conn {
    struct lite_conn *next;
    char name[LITE_NAME];
    const struct lite_calls *calls;
    void *ctx;
    struct lite_params params;
    struct lite_end local, peer;
    bool is_dead;
    uint64_t now_ns;
    /* sending */
    struct lite_sent sent[2][LITE_WINDOW];  /* by PSN */
    uint32_t base[2], psn[2];               /* the oldest not acknowledged; the next */
    struct lite_sent waiting[2][LITE_HELD]; /* requests by RSN; pull data in order */
    uint32_t first_waiting[2], num_waiting[2];
    struct lite_own own[LITE_HELD];
    uint32_t rsn, complete; /* the next to be given; the next to complete */
    uint64_t packets;       /* sent, for the share of AR */
    /* receiving */
    uint32_t rx_base[2];
    uint8_t received[2][LITE_WINDOW], acked[2][LITE_WINDOW]; /* by PSN */
    uint8_t out_of_window;                                   /* bits 1: requests, 2: data */
    struct lite_theirs theirs[LITE_HELD];
    uint32_t deliver; /* the next RSN */
    uint32_t requests;
    struct lite_rule rules[LITE_RULES];
    size_t num_rules;
    /* acknowledging */
    uint64_t ack_due_ns;
    bool ack_now;
    uint32_t t2, ecn_count;
    uint8_t hops;
};

void lite_begin(struct lite_conn *conn);
void lite_free(struct lite_conn *conn);
/* A packet for this connection came. */
void lite_take(struct lite_conn *conn, const struct lite_packet *packet, uint8_t ecn,
               uint8_t ttl, uint64_t now_ns);
/* Orders of the upper layer. False: it cannot be. */
struct lite_order {
    bool pull;
    uint32_t length;
    uint64_t tag, seed;
};
bool lite_post(struct lite_conn *conn, const struct lite_order *order, uint32_t *rsn,
               uint64_t now_ns);
bool lite_respond(struct lite_conn *conn, uint32_t rsn, const struct lite_rule *answer,
                  uint64_t now_ns);
void lite_tick(struct lite_conn *conn, uint64_t now_ns);
uint64_t lite_deadline(const struct lite_conn *conn);

void lite_fill(uint64_t tag, uint64_t seed, uint8_t *out, size_t len);
uint64_t lite_hash(const uint8_t *bytes, size_t len);

#endif
