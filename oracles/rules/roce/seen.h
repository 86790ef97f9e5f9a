/* SPDX-License-Identifier: Apache-2.0
 * seen.h - one RoCEv2 packet as the rules see it. */
#ifndef FAL_ORACLES_RULES_ROCE_SEEN_H
#define FAL_ORACLES_RULES_ROCE_SEEN_H

#include "codecs/frame/frame.h"

enum fal_roce_icrc {
    FAL_ROCE_ICRC_NOT_CHECKED, /* the capture cut the packet, or nobody calculated it */
    FAL_ROCE_ICRC_RIGHT,
    FAL_ROCE_ICRC_WRONG,
    FAL_ROCE_ICRC_ABSENT, /* zeros, or no room for it: a NIC that has yet to write it */
};

/* Opcodes by their service, the three high bits. */
enum {
    FAL_ROCE_OPCODE_CNP = 0x81,
    FAL_ROCE_SERVICE = 0xe0, /* mask of an opcode */
};

/* Which side of a switch a packet was captured on. */
enum fal_roce_point { FAL_ROCE_ANYWHERE, FAL_ROCE_BEFORE, FAL_ROCE_AFTER };

struct fal_roce_seen {
    uint64_t at_ns, number; /* of the frame, from 1 */
    fal_u128 src, dst;      /* an IPv4 address in the low 32 bits */
    bool v6;
    uint8_t ecn, dscp;
    enum fal_roce_point point;
    uint8_t opcode, tver, pad;
    bool reserved; /* a reserved bit of the BTH is 1 */
    bool fecn, becn, ack_req;
    uint32_t dest_qp, psn; /* 24 bits each */
    bool has_aeth;
    uint8_t syndrome;
    uint32_t msn;
    bool has_reth;
    uint32_t dma_length; /* of the RETH */
    uint32_t payload;    /* bytes of data, without headers, pad and ICRC */
    uint32_t wire;       /* bytes of the frame */
    enum fal_roce_icrc icrc;
    bool cut;       /* the capture cut the frame: what follows its end is not known */
    bool damaged;   /* a length or a checksum of IP or UDP is wrong */
    bool cnp_zeros; /* of a CNP: 16 bytes follow the BTH, all zero */
};

/* What the low five bits of an opcode are (InfiniBand, volume 1, 9.2.1; from memory). */
enum fal_rj_role {
    FAL_ROLE_REQUEST,  /* send, write: data */
    FAL_ROLE_ASKING,   /* READ request, atomic */
    FAL_ROLE_RESPONSE, /* of READ or atomic: its PSN is one of the request */
    FAL_ROLE_ACK,      /* or NAK */
    FAL_ROLE_OTHER,    /* a CNP, or an opcode of another service or without a meaning */
};
enum fal_rj_role fal_rj_role(unsigned opcode);
/* Whether the opcode has a meaning: 1 yes, 0 no, -1 a manufacturer's. */
int fal_rj_opcode_known(unsigned opcode);
/* Whether the packet is the first or a middle one of a message: its data fill the path MTU. */
bool fal_rj_opcode_goes_on(unsigned opcode);

/* Fills in what a decoded frame says; false if it is not a RoCEv2 packet over IP. */
bool fal_roce_seen_of(const struct fal_frame *frame, struct fal_roce_seen *seen);

#endif
