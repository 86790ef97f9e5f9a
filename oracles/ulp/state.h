/* SPDX-License-Identifier: Apache-2.0
 * state.h - what the files of this folder share: the objects of a verbs engine. */
#ifndef FAL_ORACLES_ULP_STATE_H
#define FAL_ORACLES_ULP_STATE_H

#include "codecs/header/ulp.h"
#include "oracles/ulp/engine.h"
#include "oracles/ulp/ring.h"

#include <string.h>

/* FAL_VB_OP_send_first, ...: the opcodes of RC, which are opcode[4:0]. */
#define FAL_VB_OPCODE(number, name, ...) FAL_VB_OP_##name = number,
enum fal_vb_opcode { FAL_RDMA_REQUESTS(FAL_VB_OPCODE) FAL_RDMA_RESPONSES(FAL_VB_OPCODE) };

enum {
    FAL_VB_HEADERS_MAX = 64,
    FAL_VB_MTU_MAX = 4096,
    FAL_VB_PACKET_MAX = FAL_VB_HEADERS_MAX + FAL_VB_MTU_MAX + 72, /* some faults need more */
    FAL_VB_OVERHEAD = 40,         /* most header bytes of a packet with data (RDMA 8.1.3) */
    FAL_VB_PULL_OVERHEAD = 24,    /* of a read response: RBTH and STETH */
    FAL_VB_ATOMIC_RESPONSE = 32,  /* RBTH, AtomicAckETH and STETH */
    FAL_VB_OPEN_MAX = 2048,       /* transactions of a connection */
    FAL_VB_WEAK_MAX = 128,        /* messages of a weak queue pair: RMSN counts modulo 256 */
    FAL_VB_NUMBER_MAX = 0xffffff, /* of a queue pair */
    FAL_VB_OPERATION = 31,        /* opcode[4:0] */
    FAL_VB_PARTS = 1024, /* packets of a Write whose length is known for its completion */
};

/* ---- memory ---- */

/* Bytes that one or more regions show. */
struct fal_vb_memory {
    uint8_t *bytes;
    uint64_t length;
    uint32_t users;
};

struct fal_vb_mr {
    struct fal_vb_memory *memory; /* NULL: ended */
    uint64_t offset, length, va;
    uint32_t lkey, rkey, pd;
    uint32_t qp; /* whose peer may invalidate it; 0: that of any */
    unsigned access;
    bool invalid; /* a peer has invalidated its rkey */
};

struct fal_vb_sge {
    uint64_t offset;
    uint32_t mr, length;
};

/* ---- work requests ---- */

/* A receive request, and the message that has it. */
struct fal_vb_recv {
    struct fal_vb_recv *next; /* in an SRQ */
    uint64_t wr_id, capacity; /* bytes of its list */
    uint64_t expires_ns;      /* when the message is given up; FAL_NEVER: it has not begun */
    uint32_t got, total;      /* bytes placed; of the message, with has_total */
    uint32_t imm, inv, src_qp;
    uint64_t write_va; /* of the packet with immediate data */
    uint32_t wait_rsn; /* with `waits`: complete when all requests before this one are here */
    uint16_t status;
    bool has_total, has_imm, has_inv, has_src, solicited, waits, write;
    bool done; /* it completes when its turn comes */
    uint16_t num_sge;
    struct fal_vb_sge sgl[];
};

/* A send request. */
struct fal_vb_send {
    uint64_t number; /* in its queue */
    uint64_t wr_id, va, compare, swap_or_add;
    uint32_t rkey, imm, inv, qkey, dest_qpn;
    uint32_t srqn;                /* XRC: that of the peer */
    uint32_t ah_conn;             /* UD: the connection */
    uint32_t length, sent;        /* bytes */
    uint32_t segments, completed; /* transactions posted, and completed */
    uint32_t rsn_first, rmsn;
    uint32_t arrived; /* bytes of answers (a fault) */
    uint16_t status;
    uint8_t op, flags; /* enum fal_verbs_op, fal_verbs_flag */
    bool all_sent, done;
    uint16_t num_sge;
    struct fal_vb_sge sgl[];
};

/* ---- objects ---- */

struct fal_vb_pd {
    bool used;
};

enum fal_vb_armed { FAL_VB_DISARMED, FAL_VB_ARMED, FAL_VB_ARMED_SOLICITED };

struct fal_vb_cq {
    uint32_t depth;
    enum fal_vb_armed armed;
};

struct fal_vb_srq {
    uint32_t pd, depth, count;
    bool xrc; /* requests name it, whatever their queue pair */
    struct fal_vb_recv *first, *last;
};

struct fal_vb_ah {
    uint32_t pd, conn;
};

/* Rows of the engine's tables are numbered from 1; 0 is none. */
struct fal_vb_qp {
    uint32_t self, pd, send_cq, recv_cq, srq, conn, dest_qpn, qkey;
    uint8_t type, ordering, errors, state; /* enums of verbs.h */
    uint16_t path_mtu, sge, rd_atomic;
    uint32_t sq_max, rq_max;
    uint64_t rnr_ns;
    /* As initiator. `sq` by number of request; next: the first with something to send. */
    struct fal_vb_ring sq;
    uint64_t next, halted;     /* requests from number `halted` on send nothing more */
    uint32_t pulls, responses; /* open; waiting for credits */
    uint32_t rmsn_message, rmsn_pull;
    uint32_t own_sn, first_conn; /* UD: of a variant, of a fault */
    bool blocked;                /* in the engine's list of those that wait for credits */
    /* As target. `rq` by number of receive request; taken: the first that no message has. */
    struct fal_vb_ring rq;
    uint64_t taken;
    struct fal_vb_recv *current; /* strong: the message under way */
    uint32_t write_got;          /* strong: bytes of the Write under way */
    uint32_t waiting;            /* messages that wait for requests before them */
};

/* One transaction under way, by its tag. */
struct fal_vb_open {
    uint64_t wqe, sink_va;
    uint64_t sink_offset;
    uint32_t qp, sn, length, sink_mr, lkey;
    uint8_t op;
    bool used, pull;
};

/* An answer that waits for credits, or a request that waits for a receive request (a variant).
 */
struct fal_vb_waiting {
    struct fal_vb_waiting *next;
    uint32_t rsn, qp, len;
    uint32_t conn, asked; /* of a request */
    enum fal_ulp_op op;
    uint64_t expires_ns;
    uint8_t bytes[];
};

/* A packet of a Write that has more packets behind it. */
struct fal_vb_part {
    uint64_t va;
    uint32_t rsn, length;
    bool used, first;
};

/* Which sequence numbers the peer's requests have: that of one of them, and the step from one
 * RSN to the next, which the text does not give (AMB-R06). */
struct fal_vb_heard {
    uint32_t rsn, sn, step; /* step: 0: not known yet */
    bool some, mixed;       /* mixed: datagrams have numbers here, too, or of their own */
};

/* A connection. */
struct fal_vb_link {
    uint32_t conn;   /* 0: not attached */
    uint32_t rc_qp;  /* the queue pair of RC or XRC initiator that has it; 0: none */
    uint32_t tgt_qp; /* the XRC target queue pair that has it, too; 0: none */
    bool ordered, flow_control, dead;
    uint32_t mtu;
    uint64_t give_up_ns; /* after which a transaction is surely over */
    uint32_t sn;         /* of the next request */
    struct fal_vb_heard heard;
    /* Transactions under way: a ring by tag. */
    struct fal_vb_open *open;
    uint32_t open_cap;
    uint64_t first_tag, next_tag;
    /* Requests of the peer: all before rx_base are here, and those whose bit is set. */
    uint32_t rx_base;
    uint64_t *rx_bits;
    /* Of Writes on weakly ordered and unordered queue pairs: by RSN, modulo FAL_VB_PARTS. */
    struct fal_vb_part *parts;
    struct fal_vb_waiting *waiting, **waiting_end;
};

struct fal_vb_event {
    enum fal_verbs_kind kind;
    uint32_t cq, qp;
    uint64_t wr_id;
    uint32_t status, byte_len, imm, inv, src_qp;
    enum fal_verbs_done opcode;
    bool has_imm, has_inv, has_src_qp;
    const char *what;
};

/* A growing table whose rows keep their numbers. */
struct fal_vb_table {
    void **rows;
    uint32_t num, cap;
};

struct fal_vb_odd;

struct fal_verbs_engine {
    struct fal_verbs_config config;
    uint64_t now_ns;
    uint32_t key_mask, qpn_first;
    uint64_t next_va, memory; /* bytes registered */
    struct fal_vb_table pds, cqs, srqs, mrs, qps, ahs;
    struct fal_vb_table links; /* by the endpoint's number */
    struct fal_vb_ring events;
    uint32_t *blocked; /* queue pairs that wait for credits */
    uint32_t num_blocked, cap_blocked;
    uint64_t expires_ns; /* when the first message is given up */
    bool out_of_memory;
    struct fal_vb_odd *odd; /* faults and variants (odd.h); NULL: none */
    /* Requests that wait for a receive request (a variant), oldest first. */
    struct fal_vb_waiting *held, **held_end;
};

#endif
