/* SPDX-License-Identifier: Apache-2.0
 * verbs.h - the words of the control protocol for RDMA: what a tester asks of the upper layer
 * of a SUT, what that answers, and the events that it reports. docs/sut-protocol.md explains
 * them. One struct holds a command, a reply or an event; verbs_table.c says which members each
 * has. */
#ifndef FAL_CODECS_VERBS_VERBS_H
#define FAL_CODECS_VERBS_VERBS_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"

enum {
    FAL_VERBS_NAME_MAX = 32, /* of a handle, with its NUL */
    FAL_VERBS_SGE_MAX = 16,  /* entries of one scatter-gather list */
};

/* The commands, and behind them the events. */
enum fal_verbs_kind {
    FAL_VERBS_PD_CREATE,
    FAL_VERBS_CQ_CREATE,
    FAL_VERBS_SRQ_CREATE,
    FAL_VERBS_MR_REG,
    FAL_VERBS_MR_DEREG,
    FAL_VERBS_MR_FILL,
    FAL_VERBS_MR_HASH,
    FAL_VERBS_MR_WORD,
    FAL_VERBS_QP_CREATE,
    FAL_VERBS_QP_CONNECT,
    FAL_VERBS_AH_CREATE,
    FAL_VERBS_QP_QUERY,
    FAL_VERBS_POST_SEND,
    FAL_VERBS_POST_RECV,
    FAL_VERBS_CQ_ARM,
    FAL_VERBS_COMMANDS, /* so many commands there are */
    FAL_VERBS_WC = FAL_VERBS_COMMANDS,
    FAL_VERBS_CQ_EVENT,
    FAL_VERBS_ASYNC,
    FAL_VERBS_KINDS,
};

enum fal_verbs_op {
    FAL_VERBS_SEND,
    FAL_VERBS_SEND_IMM,
    FAL_VERBS_SEND_INV,
    FAL_VERBS_WRITE,
    FAL_VERBS_WRITE_IMM,
    FAL_VERBS_READ,
    FAL_VERBS_CAS,
    FAL_VERBS_FAA,
    FAL_VERBS_OPS,
};

enum fal_verbs_type {
    FAL_VERBS_RC,
    FAL_VERBS_UD,
    FAL_VERBS_XRC_INI,
    FAL_VERBS_XRC_TGT,
    FAL_VERBS_TYPES,
};

/* How a queue pair orders its messages (RDMA 6.4). */
enum fal_verbs_ordering {
    FAL_VERBS_STRONG,
    FAL_VERBS_WEAK,
    FAL_VERBS_UNORDERED,
    FAL_VERBS_ORDERINGS,
};

/* Which queue pairs an error at the target stops (RDMA 6.3). */
enum fal_verbs_errors {
    FAL_VERBS_ERRORS_VERBS, /* both ends go to the error state */
    FAL_VERBS_ERRORS_CIE,   /* the message alone fails */
    FAL_VERBS_ERROR_MODES,
};

/* Access rights of a memory region, as bits. */
enum fal_verbs_access {
    FAL_VERBS_LOCAL_WRITE = 1,
    FAL_VERBS_REMOTE_WRITE = 2,
    FAL_VERBS_REMOTE_READ = 4,
    FAL_VERBS_REMOTE_ATOMIC = 8,
    FAL_VERBS_INVALIDATE = 16, /* a Send with Invalidate may invalidate its key */
};

/* Flags of post_send, as bits. */
enum fal_verbs_flag {
    FAL_VERBS_SIGNALED = 1,
    FAL_VERBS_SOLICITED = 2,
    FAL_VERBS_FENCE = 4,
};

enum fal_verbs_state {
    FAL_VERBS_RTS,
    FAL_VERBS_SQE, /* the send queue alone is in error */
    FAL_VERBS_ERR,
    FAL_VERBS_OTHER,
    FAL_VERBS_STATES,
};

/* `status` of a work completion, with the numbers of InfiniBand's verbs. */
enum fal_verbs_status {
    FAL_VERBS_OK = 0,
    FAL_VERBS_LOC_LEN = 1,
    FAL_VERBS_LOC_QP_OP = 2,
    FAL_VERBS_LOC_PROT = 4,
    FAL_VERBS_FLUSH = 5,
    FAL_VERBS_REM_INV_REQ = 9,
    FAL_VERBS_REM_ACCESS = 10,
    FAL_VERBS_REM_OP = 11,
    FAL_VERBS_RETRY_EXC = 12,
    FAL_VERBS_RNR_RETRY_EXC = 13,
};

/* `opcode` of a work completion. */
enum fal_verbs_done {
    FAL_VERBS_DONE_SEND,
    FAL_VERBS_DONE_WRITE,
    FAL_VERBS_DONE_READ,
    FAL_VERBS_DONE_CAS,
    FAL_VERBS_DONE_FAA,
    FAL_VERBS_DONE_RECV,
    FAL_VERBS_DONE_RECV_IMM, /* a Write with immediate data took the receive request */
    FAL_VERBS_DONES,
};

struct fal_verbs_sge {
    char mr[FAL_VERBS_NAME_MAX];
    uint64_t offset;
    uint32_t length;
};

/* Memory of the target. */
struct fal_verbs_remote {
    uint64_t va;
    uint32_t rkey;
};

/* Members that a word does not have are 0 or "". A has_ member tells 0 from absent. */
struct fal_verbs {
    enum fal_verbs_kind kind;

    /* Handles: the SUT's own strings. */
    char pd[FAL_VERBS_NAME_MAX], cq[FAL_VERBS_NAME_MAX], srq[FAL_VERBS_NAME_MAX];
    char mr[FAL_VERBS_NAME_MAX], within[FAL_VERBS_NAME_MAX], qp[FAL_VERBS_NAME_MAX];
    char send_cq[FAL_VERBS_NAME_MAX], recv_cq[FAL_VERBS_NAME_MAX], ah[FAL_VERBS_NAME_MAX];
    char conn[FAL_VERBS_NAME_MAX]; /* a connection: the SUT's handle */

    uint32_t depth; /* of a CQ or SRQ, in entries */
    bool xrc;

    /* Memory. */
    uint64_t offset, length; /* bytes; of mr_reg, offset is that within `within` */
    unsigned access;         /* enum fal_verbs_access */
    uint64_t va;
    bool has_va;
    uint32_t lkey, rkey;
    uint64_t tag, seed; /* of the payload pattern */
    uint64_t hash;      /* FNV-1a, 64 bits */
    uint64_t set;       /* mr_word: the new value of 8 bytes */
    bool has_set;
    uint64_t value;

    /* Queue pairs. */
    enum fal_verbs_type type;
    enum fal_verbs_ordering ordering;
    enum fal_verbs_errors errors;
    uint32_t path_mtu; /* bytes; 0 in a command: the SUT chooses */
    uint32_t qkey;
    bool has_qkey;
    uint32_t sq, rq, sge, rd_atomic; /* 0 in a command: the SUT chooses */
    uint64_t rnr_ns;
    uint32_t qpn, srqn,
        dest_qpn; /* srqn: of srq_create; of post_send, that of the peer (XRC) */
    bool has_srqn;
    enum fal_verbs_state state;

    /* Work requests. */
    uint64_t wr_id;
    enum fal_verbs_op op;
    struct fal_verbs_sge sgl[FAL_VERBS_SGE_MAX];
    size_t num_sge;
    struct fal_verbs_remote remote;
    bool has_remote;
    uint32_t imm;
    bool has_imm;
    uint32_t inv; /* the key to invalidate, or that was invalidated */
    bool has_inv;
    uint64_t compare, swap, add;
    unsigned flags; /* enum fal_verbs_flag */
    uint32_t rsn_first, rsn_count;
    bool has_rsn; /* the reply to post_send names the RSNs of its transactions */
    bool solicited_only;

    /* Events. */
    uint32_t status; /* enum fal_verbs_status, or another number of verbs */
    enum fal_verbs_done opcode;
    uint32_t byte_len;
    uint32_t src_qp;
    bool has_src_qp;
    char what[FAL_VERBS_NAME_MAX]; /* async: "qp_fatal", "sq_drained", ... */
};

/* "pd_create", ..., "wc", "cq_event", "async". */
extern const char *const fal_verbs_names[FAL_VERBS_KINDS];
extern const char *const fal_verbs_op_names[FAL_VERBS_OPS];
/* FAL_VERBS_KINDS for a name that is none of them. */
enum fal_verbs_kind fal_verbs_kind_of(const char *name);

/* The members of a command or an event, and those of the reply to a command. */
extern const struct fal_shape fal_verbs_shapes[FAL_VERBS_KINDS];
extern const struct fal_shape fal_verbs_replies[FAL_VERBS_COMMANDS];

/* Reads the members of a command or an event, or of the reply to a command. Members that the
 * table does not list are ignored: they are the protocol's own (id, epoch, do, event). Returns
 * 0, or FAL_ERR_FORM with a sentence that names the member. */
MUST_USE int fal_verbs_read(enum fal_verbs_kind kind, bool reply, const json_t *object,
                            struct fal_verbs *out, struct fal_error *err);
/* Writes them. A new reference, or NULL when out of memory. */
json_t *fal_verbs_write(const struct fal_verbs *verbs, bool reply);

/* Bytes of a scatter-gather list. */
uint64_t fal_verbs_length(const struct fal_verbs *post);

#endif
