/* SPDX-License-Identifier: Apache-2.0
 * receiver.h - the receiving end of a flow, the same for all logics: cumulative and selective
 * acknowledgements, NACKs, congestion notifications, pulls of tokens [S1 2.1]. A row of choices
 * makes it the receiver of one transport. */
#ifndef FAL_ORACLES_LOGIC_RECEIVER_H
#define FAL_ORACLES_LOGIC_RECEIVER_H

#include "oracles/logic/fault.h"
#include "oracles/logic/logic.h"
#include "oracles/logic/packet.h"

enum fal_logic_nacks {
    FAL_LOGIC_NO_NACKS,
    FAL_LOGIC_NACK_ONCE,  /* one for a gap, until the expected segment arrives [A17] */
    FAL_LOGIC_NACK_EACH,  /* one for each segment that arrives out of order */
    FAL_LOGIC_NACK_TRIMS, /* one for each trimmed segment */
};

struct fal_logic_receiver_config {
    bool buffers;    /* segments out of order are kept; else they are dropped */
    unsigned ranges; /* selective ranges in a reply, the newest first; <= 8 */
    enum fal_logic_nacks nacks;
    unsigned ack_every;       /* in order: one reply for that many segments */
    uint64_t ack_delay_ns;    /* ... or at the latest so long after the first of them */
    uint64_t cnp_interval_ns; /* N of the notification point; 0: marks are echoed instead */
    uint32_t window;          /* told in replies; 0: not told */
    bool pulls;               /* each arrival owes the sender a token */
    uint64_t repeat_ns;       /* the last token is told again when nothing arrives for so long,
                                 then for twice as long, 16 times; 0: never */
};

enum { FAL_LOGIC_REPLIES = 3 };

struct fal_logic_receiver {
    struct fal_logic_receiver_config config;
    struct fal_logic_seam seam;
    uint32_t first, cum;
    uint64_t got[FAL_LOGIC_WORDS];
    uint32_t newest;  /* a segment out of order that arrived last */
    uint32_t pending; /* segments in order without a reply */
    uint64_t ack_ns;  /* when the reply is due; 0: none */
    bool nacked;      /* NACK_ONCE: the gap was reported */
    bool marked;      /* ECN: to be echoed; CNP: a mark came in the interval */
    uint64_t cnp_ns;  /* no CNP before; 0: none was sent */
    uint64_t echo_ns;
    uint32_t pulls_owed;
    uint64_t grant;     /* in all */
    uint64_t repeat_ns; /* when it is told again; 0: never */
    unsigned repeats;
    struct fal_logic_reply out[FAL_LOGIC_REPLIES];
    unsigned num_out;       /* filled by each call below */
    uint32_t delivered_end; /* to the user: [the value before the call, this) */
};

void fal_logic_receiver_init(struct fal_logic_receiver *r,
                             const struct fal_logic_receiver_config *config, uint32_t first);
/* A segment arrives. Segments outside the window of 256 are ignored. */
void fal_logic_receiver_arrive(struct fal_logic_receiver *r,
                               const struct fal_logic_packet *packet, uint64_t now_ns);
/* Replies that are due by time. */
void fal_logic_receiver_timers(struct fal_logic_receiver *r, uint64_t now_ns);
uint64_t fal_logic_receiver_deadline(const struct fal_logic_receiver *r); /* UINT64_MAX: none */
/* Gives one of the owed tokens: a reply of its own. */
void fal_logic_receiver_pull(struct fal_logic_receiver *r, uint64_t now_ns);

#endif
