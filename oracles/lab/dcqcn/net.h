/* SPDX-License-Identifier: Apache-2.0
 * net.h - a lossless network for the lab: links with a queue for each priority, pause
 * thresholds (PFC) for each link and priority, and flows that send at the rate of DCQCN, or as
 * fast as their port. Independent of fabric.h, whose queues drop and never pause. */
#ifndef FAL_ORACLES_LAB_DCQCN_NET_H
#define FAL_ORACLES_LAB_DCQCN_NET_H

#include "oracles/cc/dcqcn.h"
#include "oracles/cc/dcqcn_net.h"
#include "oracles/lab/heap.h"
#include "oracles/lab/histogram.h"
#include "oracles/rng.h"

enum { FAL_PFC_PRIORITIES = 2, FAL_PFC_PATH_MAX = 4 };
#define FAL_PFC_NONE UINT32_MAX /* no link, no flow */

struct fal_pfc_flow {
    /* Set by the caller. */
    uint32_t path[FAL_PFC_PATH_MAX]; /* links in order; the first is the sender's own port */
    uint32_t hops;                   /* of them */
    uint32_t priority;
    uint64_t cap_bps; /* it has no more to send; 0: always something */
    uint64_t start_ps;
    /* The state. */
    struct fal_dcqcn_rp rp;
    struct fal_dcqcn_np np;
    uint64_t next_ps, timer_ps;
    uint64_t measured_bytes, cnps;
};

struct fal_pfc_link {
    uint64_t rate_bps, delay_ps; /* set by the caller */
    /* The state: packets by number, FAL_PFC_NONE: none. */
    struct fal_pfc_queue {
        uint32_t first, last;
        uint64_t bytes;
        bool paused;       /* by the node behind the link */
        uint64_t behind;   /* bytes in that node that came over the link */
        bool asked;        /* that node has paused the link */
        uint64_t since_ps; /* of `paused` */
    } queues[FAL_PFC_PRIORITIES];
    uint32_t sending, turn;
    uint64_t pauses, paused_ps, most_bytes; /* measured */
};

struct fal_pfc_packet {
    uint32_t flow, hop, next, bytes;
    bool ce;
    uint64_t since_ps; /* in the present queue */
};

struct fal_pfc_net {
    /* Set by the caller; the arrays are borrowed. */
    struct fal_pfc_link *links;
    struct fal_pfc_flow *flows;
    uint32_t num_links, num_flows;
    struct fal_dcqcn params; /* of every flow and switch */
    bool dcqcn;              /* flows obey it; else they never slow */
    uint64_t pause_bytes;    /* a link is paused when so much behind it waits, and goes on at
                                half of it; 0: never */
    uint32_t packet_bytes;
    uint64_t from_ps, until_ps; /* measured */
    uint32_t watched;           /* the link whose queueing delay is measured */
    uint64_t seed;
    /* The state. */
    struct fal_lab_heap events;
    struct fal_pfc_packet *packets;
    uint32_t num_packets, cap_packets, free_packet;
    uint64_t now_ps, played, trace;
    struct fal_lab_histogram waited;
    struct fal_rng rng;
    bool no_memory;
};

/* Plays until until_ps. Returns 0 or FAL_ERR_MEM; fal_pfc_end in any case. */
MUST_USE int fal_pfc_run(struct fal_pfc_net *net);
void fal_pfc_end(struct fal_pfc_net *net);

/* The part of `rate_bps` that a flow had while measured, in thousandths. */
int64_t fal_pfc_share_milli(const struct fal_pfc_net *net, uint32_t flow, uint64_t rate_bps);

#endif
