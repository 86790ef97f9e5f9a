/* SPDX-License-Identifier: Apache-2.0
 * acts.h - what the records of fuzz_endpoint's inputs say: shared with what writes the first
 * ones. */
#ifndef FAL_FUZZ_TARGETS_ACTS_H
#define FAL_FUZZ_TARGETS_ACTS_H

enum act {
    ACT_PUSH,    /* a length (2) */
    ACT_PULL,    /* likewise */
    ACT_HOSTILE, /* a packet, as it is */
    ACT_AIMED,   /* a packet whose numbers are relative to where the endpoints are */
    ACT_AGAIN,   /* which of the last ones (1), then places and what is flipped there */
    ACT_DROP,    /* how many of the next packets to that side are lost (1) */
    ACT_ANSWER,  /* of its upper layer (1), how often (1) */
    ACT_ORDER,   /* of the connection manager: which (1), SPI (1), IV (8) */
    ACT_RUE,     /* a result entry */
    ACT_WRONG,   /* an answer to what was never asked: connection, RSN, answer, code */
    ACT_WAIT,
};

enum {
    ACT_MASK = 15,
    ACT_SIDE = 16,
    ACT_FLAG_SEAL_SPI = 32, /* of a hostile packet on a sealed link */
    ACT_FLAG_SEAL_OLD = 64,
};

#endif
