/* SPDX-License-Identifier: Apache-2.0
 * bench_impl.h - the parts of bench.c: loop, network, events. */
#ifndef FAL_ORACLES_LOGIC_BENCH_IMPL_H
#define FAL_ORACLES_LOGIC_BENCH_IMPL_H

#include "oracles/logic/agenda.h"
#include "oracles/logic/bench.h"
#include "oracles/rng.h"

/* One flow: both ends. */
struct fal_logic_one {
    uint32_t number;
    struct fal_logic_sender sender;
    struct fal_logic_receiver receiver;
    struct fal_logic_source source;
    struct fal_logic_flow_count count;
    uint64_t unwritten;                 /* bytes that the user has not given yet */
    uint64_t send_ns, receive_ns;       /* wake-ups that are set; UINT64_MAX: none */
    uint32_t host, next;                /* its port, and who waits for it after this flow */
    bool waits;                         /* for the port */
    uint64_t digests[FAL_LOGIC_WINDOW]; /* of what arrived, by id % 256 */
    uint32_t sizes[FAL_LOGIC_WINDOW];
    struct fal_rng rng;
};

/* A port of a sending host: the flows that wait for it have it in turn. */
struct fal_logic_port {
    uint64_t busy_ns;    /* until then */
    uint32_t head, tail; /* who waits; head == number of flows: nobody */
    bool set;            /* FAL_LOGIC_PORT_FREE is on the agenda */
};

/* A packet on its way. */
struct fal_logic_item {
    bool is_reply;
    struct fal_logic_packet packet;
    struct fal_logic_reply reply;
    uint32_t next; /* in the list of free items */
};

enum fal_logic_happening {
    FAL_LOGIC_AT_START,
    FAL_LOGIC_AT_RECEIVER,
    FAL_LOGIC_AT_SENDER,
    FAL_LOGIC_WAKE_SENDER,
    FAL_LOGIC_WAKE_RECEIVER,
    FAL_LOGIC_PULL,
    FAL_LOGIC_PORT_FREE, /* `flow` is the port */
};

struct fal_logic_bench {
    struct fal_logic_bench_config config;
    struct fal_logic_one *flows;
    struct fal_logic_port *ports;
    uint32_t num_ports;
    struct fal_logic_one *turn; /* whose turn at its port it is; NULL: nobody's */
    struct fal_logic_agenda agenda;
    struct fal_logic_item *items;
    uint32_t num_items, free_item; /* free_item == num_items: none */
    uint64_t now_ns, number;       /* of events told */
    uint64_t steps;
    uint64_t paused_ns; /* the bottleneck pauses all ports until then */
    uint64_t link_ns;   /* the bottleneck is busy until then */
    uint64_t pull_ns;   /* the next token may leave the receivers' host */
    bool pull_set;
    uint32_t pull_turn; /* the flow whose turn it is */
    uint32_t num_done;
    int error;
};

void fal_logic_bench_add(struct fal_logic_bench *b, uint64_t at_ns,
                         enum fal_logic_happening kind, uint32_t flow, uint32_t item);
/* The network takes a segment or a reply. */
void fal_logic_net_segment(struct fal_logic_bench *b, struct fal_logic_one *one,
                           const struct fal_logic_packet *packet);
void fal_logic_net_reply(struct fal_logic_bench *b, struct fal_logic_one *one,
                         const struct fal_logic_reply *reply);
uint64_t fal_logic_wire_ns(uint32_t bytes, uint64_t bps);

/* Tells the sink. */
void fal_logic_tell(struct fal_logic_bench *b, const struct fal_logic_one *one,
                    enum fal_tp_kind kind, uint32_t id);
void fal_logic_tell_packet(struct fal_logic_bench *b, const struct fal_logic_one *one,
                           enum fal_tp_kind kind, const struct fal_logic_packet *packet);
void fal_logic_tell_reply(struct fal_logic_bench *b, const struct fal_logic_one *one,
                          enum fal_tp_kind kind, const struct fal_logic_reply *reply);

#endif
