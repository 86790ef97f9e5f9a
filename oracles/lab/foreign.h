/* SPDX-License-Identifier: Apache-2.0
 * foreign.h - a sender that is not the built-in endpoint, behind functions: the caller supplies
 * them, the lab does no I/O. A foreign sender has a connection to a receiver of the lab, always
 * something to send, and a NIC of the same rate as other senders. Its congestion control is its
 * own. */
#ifndef FAL_ORACLES_LAB_FOREIGN_H
#define FAL_ORACLES_LAB_FOREIGN_H

#include "oracles/endpoint/endpoint.h"

/* An order to open a connection. */
struct fal_lab_foreign_order {
    struct fal_end local, peer; /* local: a wish; peer: the receiver's */
    struct fal_params params;
    uint64_t remote_time; /* of the receiver (struct fal_endpoint_security) */
    uint64_t seed;
    const struct fal_swift *swift; /* the parameters of Swift and PLB of the experiment */
};

/* A connection that was opened. */
struct fal_lab_foreign_opened {
    struct fal_end local;
    struct fal_params params; /* those that the sender uses */
    bool sealed;
    uint32_t spi, sender_spi; /* of packets to the receiver, and to the sender */
};

/* An output of a sender. */
struct fal_lab_foreign_out {
    bool is_packet;       /* else a push is complete */
    const uint8_t *bytes; /* a Falcon packet in the clear, valid until the next call */
    size_t len;           /* at most FAL_LAB_FOREIGN_MAX */
    struct fal_seal seal; /* that it had */
    bool failed;          /* the push did not succeed */
};

enum { FAL_LAB_FOREIGN_MAX = 4200, FAL_LAB_FOREIGN_TTL = 64 };

/* Functions that return an int: 0 or as said, or a negative error, after which the run ends.
 * The caller keeps the words of the error. */
struct fal_lab_foreign {
    void *ctx;
    bool (*serves)(void *ctx, uint32_t flow);
    /* An end of a flow; NULL: an error. */
    void *(*open)(void *ctx, uint32_t flow, const struct fal_lab_foreign_order *order,
                  struct fal_lab_foreign_opened *opened);
    void (*close)(void *end);
    /* A packet of the receiver in the clear, with the seal that it is to have. */
    int (*packet)(void *end, const uint8_t *bytes, size_t len, const struct fal_seal *seal,
                  uint64_t now_ns);
    /* A push of `length` bytes. 1: no more before a push is complete. */
    int (*post)(void *end, uint32_t length, uint64_t now_ns);
    int (*tick)(void *end, uint64_t now_ns);
    uint64_t (*deadline)(void *end);                         /* FAL_NEVER: no timer is set */
    int (*next)(void *end, struct fal_lab_foreign_out *out); /* 1; 0: there is none */
};

#endif
