/* SPDX-License-Identifier: Apache-2.0
 * packet.h - what sender and receiver of the kit give to each other. Segment ids are serial
 * numbers of 32 bits. */
#ifndef FAL_ORACLES_LOGIC_PACKET_H
#define FAL_ORACLES_LOGIC_PACKET_H

#include "oracles/beyond/transport.h"

struct fal_logic_packet {
    uint32_t id;
    uint32_t bytes;
    uint32_t copy;    /* 0: sent for the first time */
    uint64_t digest;  /* of the payload: the same for all copies */
    uint64_t sent_ns; /* the time stamp that is echoed */
    bool ce, trimmed;
};

struct fal_logic_range {
    uint32_t first, end;
};

/* Feedback. Without has_cum only cnp or grant count. */
struct fal_logic_reply {
    uint32_t cum;
    bool has_cum, nack, ecn, cnp;
    uint32_t nack_id;
    struct fal_logic_range got[FAL_TP_RANGES];
    unsigned num_got;
    uint32_t window; /* segments above cum; 0: not said */
    uint64_t grant;  /* tokens in all; 0: not said */
    uint64_t echo_ns;
};

#endif
