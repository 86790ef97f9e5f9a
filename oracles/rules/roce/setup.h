/* SPDX-License-Identifier: Apache-2.0
 * setup.h - what is declared of a RoCEv2 device and of the capture. Nothing is assumed: a rule
 * that needs a value which is not declared is excused, and says which. */
#ifndef FAL_ORACLES_RULES_ROCE_SETUP_H
#define FAL_ORACLES_RULES_ROCE_SETUP_H

#include "codecs/base/u128.h"
#include "oracles/beyond/dcqcn.h"

#include <stddef.h>

enum fal_roce_claim { FAL_ROCE_NOT_DECLARED, FAL_ROCE_CLAIMED, FAL_ROCE_NOT_CLAIMED };

/* What the interval N between CNPs is kept for. The one that is not declared allows the most.
 */
enum fal_roce_limiter {
    FAL_ROCE_LIMITER_UNKNOWN,
    FAL_ROCE_PER_QP,
    FAL_ROCE_PER_IP,
    FAL_ROCE_PER_PORT,
};

enum fal_roce_vantage {
    FAL_ROCE_AT_MIDDLE, /* anywhere in the network */
    FAL_ROCE_AT_SUT,    /* at the port of the SUT: packets as they leave and arrive */
    FAL_ROCE_AT_PEER,   /* at the port of the other end */
    FAL_ROCE_AT_SWITCH, /* at the switch that marks */
};

struct fal_rj_host {
    fal_u128 ip;
    bool v6;
};

/* Two queue pairs that are connected: host[0] with qp[0], host[1] with qp[1]. */
struct fal_rj_pair {
    struct fal_rj_host host[2];
    uint32_t qp[2];
};

enum { FAL_ROCE_SUTS = 8 };

struct fal_rj_setup {
    struct fal_dcqcn dcqcn; /* as declared; 0: not declared */
    bool have_dcqcn;
    enum fal_roce_claim congestion_management; /* RCM is optional */
    enum fal_roce_limiter limiter;
    enum fal_roce_vantage vantage;
    struct fal_rj_host suts[FAL_ROCE_SUTS]; /* the ends that are judged; none: all */
    size_t num_suts;
    const struct fal_rj_pair *pairs; /* borrowed */
    size_t num_pairs;

    /* Times. */
    uint64_t clock_error_ns;  /* of each time stamp of the capture */
    uint32_t clock_error_ppm; /* of the clock of the SUT */
    uint64_t delay_ns;    /* that a packet takes at most between vantage and SUT, one way, */
    bool have_delay;      /* if declared; none at vantage sut */
    uint64_t pipeline_ns; /* between the port and the place in the SUT where a packet counts */
    uint64_t turnaround_ns; /* the SUT answers at most that late */
    bool have_turnaround;
    uint64_t timeout_ns;  /* least time without an ACK before packets are sent again; 0: none */
    uint64_t burst_bytes; /* that a rate limiter lets pass at once */
    bool have_burst;

    /* The capture and the path. */
    bool complete;          /* it holds every packet that passed its place */
    bool from_start;        /* it holds its connections from their first packet on */
    bool no_duplicates;     /* the path duplicates nothing */
    bool lossless_out;      /* the path loses nothing between SUT and vantage, */
    bool lossless_in;       /* and between vantage and SUT */
    bool no_marking_behind; /* no switch between vantage and SUT marks packets */
    bool icrc_captured;     /* the ICRC of the packets of the SUT is in the capture */
    bool virtual_link;      /* lossless, without pauses, and nothing else on it */

    /* The SUT. */
    bool backlogged;         /* every queue pair always had data to send */
    bool separate_scheduler; /* queue pairs do not share a rate limiter */
    bool alpha_from_cnp;     /* alpha has its start value at the first CNP */
    uint32_t mtu;            /* of the path (bytes of data in a packet); 0: not declared */
    /* CNPs, where declared. */
    bool cnp_becn, have_cnp_ecn, have_cnp_dscp;
    uint8_t cnp_ecn, cnp_dscp;
};

#endif
