/* SPDX-License-Identifier: Apache-2.0
 * rdma_fact.h - what the headers of an RDMA packet say, as rules compare it. */
#ifndef FAL_ORACLES_RULES_FACTS_RDMA_FACT_H
#define FAL_ORACLES_RULES_FACTS_RDMA_FACT_H

#include "oracles/rules/facts/at.h"

#include <stdbool.h>
#include <stdint.h>

enum fal_rdma_fact_flag {
    FAL_RDMA_SEEN = 1,
    FAL_RDMA_PARTIAL = 2, /* the payload was not captured whole, or does not hold its padding */
    FAL_RDMA_OTHER = 4,   /* a request without RDMA headers that could be read */
};

/* A request packet: SEND, WRITE, READ or an atomic operation; or the response to one. */
struct fal_rdma_fact {
    struct fal_at at;
    int64_t rsn;                /* extended */
    uint64_t va, sink_va;       /* of RETH or AtomicETH, of STETH */
    uint64_t swap, compare;     /* of AtomicETH; swap: also what is added */
    uint64_t hash;              /* FNV-1a of the data, where posts are known; else 0 */
    uint32_t sn, rmsn, dest_qp; /* rmsn: of the SETH, 0 without one */
    uint32_t offset;            /* of the OETH */
    uint32_t length, r_key;     /* of the RETH; r_key: also of the AtomicETH */
    uint32_t l_key, source_qp;  /* of STETH, of DETH */
    uint32_t data_len;          /* after the headers, without padding */
    uint32_t imm, xrc_srq;      /* imm: of ImmDt; or of IETH, the key to invalidate */
    uint32_t q_key;             /* of DETH */
    uint8_t opcode, flags;      /* fal_rdma_fact_flag */
    bool complete_in_error, solicited;
    uint8_t pad;
    uint8_t zero[3]; /* as in struct fal_at */
};

#endif
