/* SPDX-License-Identifier: Apache-2.0
 * objects.h - the facts about the verbs of the SUT: the memory regions and queue pairs that it
 * made for the tester, what was posted to them, and which packets a post explains. Objects
 * belong to the SUT, not to a connection; a `reset` ends them all.
 *
 * Posts of a queue pair and packets of its connection meet in the order of RSNs: a message is
 * posted before its packets are sent, and those of one queue pair take RSNs in the order of the
 * posts. Where packets were not seen, the queue pair becomes vague, and rules do not judge it.
 */
#ifndef FAL_ORACLES_RULES_VERBS_OBJECTS_H
#define FAL_ORACLES_RULES_VERBS_OBJECTS_H

#include "codecs/verbs/verbs.h"
#include "oracles/rules/facts/rdma.h"
#include "oracles/rules/verbs/memory.h"

/* A memory region. */
struct fal_vmr {
    char name[FAL_VERBS_NAME_MAX], pd[FAL_VERBS_NAME_MAX];
    uint64_t va, length;
    unsigned access; /* enum fal_verbs_access */
    uint32_t lkey, rkey;
    uint64_t known;          /* index of the reply that named it */
    uint64_t ended;          /* index of the command that ended it; 0: none */
    uint64_t invalidated;    /* index of the completion that says so; 0: none */
    struct fal_image *image; /* NULL: too long; that of the region which it shows, at `at` */
    uint64_t at;
    uint32_t place; /* in the order in which regions were made */
    bool own_image;
};

/* An entry of a scatter-gather list, as an address. */
struct fal_vsge {
    const struct fal_vmr *mr; /* NULL: unknown */
    uint64_t va;
    uint32_t length, lkey;
    struct fal_image *image; /* NULL: unknown */
    uint64_t at;             /* of its first byte in the image */
};

/* A work request of a send queue, or a receive request. */
struct fal_wqe {
    uint64_t wr_id, length; /* bytes of the list */
    enum fal_verbs_op op;
    unsigned flags; /* enum fal_verbs_flag */
    uint64_t remote_va, compare, swap, add;
    uint32_t rkey, imm, inv, dest_qpn, qkey;
    uint32_t conn; /* UD: of its address handle; 0: unknown */
    uint32_t srqn; /* XRC: of the peer's shared receive queue, with has_srqn */
    bool has_srqn;
    bool has_qkey, list_known; /* list_known: each region of it was known */
    uint64_t good; /* bytes of the list before the first that is not inside its region: what
                    * follows is never sent */
    unsigned num_sge;
    struct fal_vsge sgl[FAL_VERBS_SGE_MAX];
    struct fal_at asked, wc; /* the command; its completion, with `completed` */
    uint64_t answered;       /* index of the reply; 0: not yet */
    bool refused, completed;
    uint32_t status; /* of the completion */
    /* What packets showed. */
    uint64_t sent; /* bytes of its message so far */
    uint32_t rmsn; /* of the newest packet */
    unsigned packets;
    bool finished;       /* its last packet was seen */
    bool early_error;    /* CE in a first or middle packet */
    struct fal_at error; /* the first such packet */
    int64_t rsn_first, rsn_last;
};

/* Requests in the order of their posts. */
struct fal_wqes {
    struct fal_wqe *list;
    size_t num, cap;
    uint64_t forgotten; /* So many before them are not kept any more. */
};

/* A shared receive queue. */
struct fal_vsrq {
    char name[FAL_VERBS_NAME_MAX];
    uint32_t number; /* of XRC, else as the SUT says */
    struct fal_wqes recvs;
};

/* A datagram to a UD queue pair that no completion is known to be of. */
struct fal_datagram {
    struct fal_at at;
    uint32_t length, imm, source;
    bool has_imm;
    uint8_t zero[3]; /* as in struct fal_at */
};

/* What of a completion and a datagram must agree. */
enum fal_datagram_part {
    FAL_DATAGRAM_SOURCE = 1,
    FAL_DATAGRAM_LENGTH = 2, /* with 40 bytes more, or without (AMB-R25) */
    FAL_DATAGRAM_IMM = 4,
    FAL_DATAGRAM_ALL = 7,
};

enum { FAL_VQP_SOURCES = 16, FAL_VQP_DATAGRAMS = 256 };

struct fal_vqp {
    char name[FAL_VERBS_NAME_MAX], pd[FAL_VERBS_NAME_MAX];
    char send_cq[FAL_VERBS_NAME_MAX], recv_cq[FAL_VERBS_NAME_MAX], srq[FAL_VERBS_NAME_MAX];
    enum fal_verbs_type type;
    enum fal_verbs_ordering ordering;
    enum fal_verbs_errors errors;
    uint32_t path_mtu, qpn, dest_qpn, qkey;
    bool has_qkey;
    uint32_t conn;           /* number of its connection; 0: none, or of UD several */
    uint32_t place;          /* in the order in which queue pairs were made */
    struct fal_vqp *next_on; /* the next that was connected to the same connection, or NULL */
    struct fal_at made, connected;
    struct fal_wqes sends, recvs;
    struct fal_vsrq *shared; /* whose requests it takes in place of its own; NULL: none known */
    bool mixed; /* SENDs to it cannot be told from each other, so where they lie is not known */
    bool vague; /* packets of it were not seen whole, so posts and packets may not meet */
    bool trouble; /* a completion in error, or an asynchronous event: what it does then is free
                   */
    bool fatal;   /* one that is not an error of the target (status 9, 10, 11) alone */
    /* The first completion of the send queue in error, with has_failed: index of its post. */
    bool has_failed;
    struct fal_at failed;
    uint64_t failed_post;
    /* UD: datagrams sent to it with its Q_Key, and with another one; receive requests that
     * completed without error. */
    uint64_t good_datagrams, bad_datagrams, received;
    struct fal_at bad_datagram; /* the newest */
    /* UD: source_qp of the datagrams to it; num_sources above FAL_VQP_SOURCES: too many. */
    unsigned num_sources;
    uint32_t sources[FAL_VQP_SOURCES];
    /* UD: those that have not completed, with room for FAL_VQP_DATAGRAMS; lost: there were
     * more, or which of them a completion was of is not known. */
    struct fal_datagram *datagrams;
    unsigned num_datagrams;
    bool datagrams_lost;
    uint32_t datagram_conn; /* the connection of the newest; 0: none came */
};

enum fal_written_kind {
    FAL_WRITTEN_WRITE,  /* of a WRITE: in memory when it was acknowledged */
    FAL_WRITTEN_ANSWER, /* of the answer to a READ: when that completed */
    FAL_WRITTEN_SEND,   /* of a SEND: not known where yet; `at` counts in the message */
    FAL_WRITTEN_PLACED, /* of a SEND, in a completed receive request */
};

/* Data that a packet to the SUT writes into its memory. */
struct fal_written {
    enum fal_written_kind kind;
    uint32_t length, conn, rmsn;
    /* SEND and PLACED, of an unordered queue pair: which completion it has is known by its
     * length and immediate data alone; unclear: it may have completed already. */
    bool alone, unclear, has_imm;
    /* It may be in memory or not: it ended in error, or was under way when a command filled the
     * range. done: the SUT had done it before such a command. */
    bool maybe, done;
    uint32_t imm;
    struct fal_image *image;
    uint64_t at;
    uint8_t *bytes;
    struct fal_vqp *qp;
    int64_t rsn;
    struct fal_at sent;
    uint64_t post;    /* ANSWER: index of the post of the READ */
    uint64_t settled; /* index of the completion that proves that it is in memory; 0: none */
};

/* A packet that a post explains, in the order of RSNs. */
struct fal_explained {
    const struct fal_rdma_fact *fact;
    struct fal_vqp *qp;
    struct fal_wqe *wqe; /* NULL: no post explains it */
    uint64_t before;     /* bytes of the message before this packet */
};

/* A word of the verbs, as rules hear it before it becomes a fact. */
struct fal_said {
    const struct fal_event *event;
    const struct fal_verbs *asked; /* of a command or reply: the command */
    const struct fal_verbs *told;  /* of a reply: its members; of an event: the event */
    bool ok;                       /* of a reply */
    struct fal_at asked_at;
    struct fal_vqp *qp;   /* that it names; NULL: none, or unknown */
    struct fal_vsrq *srq; /* of post_recv: the shared receive queue that it names; or NULL */
    struct fal_wqe *wqe;  /* of a reply to a post, or of a completion: the request; or NULL */
};

struct fal_objects;

/* NULL when out of memory. The caller frees. */
struct fal_objects *fal_objects_new(void);
void fal_objects_free(struct fal_objects *objects);
/* Whether memory ran out, so that facts are missing. */
bool fal_objects_oom(const struct fal_objects *objects);

/* What an event of the verbs is about. False: a reply to a command that is not known. */
bool fal_objects_read(struct fal_objects *objects, const struct fal_event *event,
                      struct fal_said *said);
/* Makes it a fact. `conn`: the number of the connection that the word names, or 0. */
void fal_objects_note(struct fal_objects *objects, const struct fal_said *said, uint32_t conn);
/* A `reset`: nothing is left. */
void fal_objects_reset(struct fal_objects *objects);

struct fal_vqp *fal_objects_qp(struct fal_objects *objects, const char *name);
/* The receive requests that its messages take: its own, or those of its shared receive queue.
 */
const struct fal_wqes *fal_vqp_recvs(const struct fal_vqp *qp);
/* The i-th of them all; NULL: there are no more. */
struct fal_vqp *fal_objects_qp_at(struct fal_objects *objects, size_t i);
struct fal_vqp *fal_objects_qp_by_number(struct fal_objects *objects, uint32_t qpn);
/* The first that was connected to a connection; the others follow by next_on, in the order in
 * which they were made. The first of them of RC. NULL: none. */
struct fal_vqp *fal_objects_qp_on(const struct fal_objects *objects, uint32_t conn);
const struct fal_vqp *fal_objects_rc_on(const struct fal_objects *objects, uint32_t conn);
/* Whether one sends datagrams. */
bool fal_objects_datagrams(const struct fal_objects *objects);
/* A connection that a queue pair was connected to; 0: none. */
uint32_t fal_objects_some_conn(const struct fal_objects *objects);
/* The queue pair that sends on a connection; of UD the one with that number. NULL: none. */
struct fal_vqp *fal_objects_qp_of(struct fal_objects *objects, uint32_t conn,
                                  const struct fal_rdma_fact *fact);
/* Another queue pair of the same service that was connected to the same connection and lives;
 * NULL: none. */
const struct fal_vqp *fal_objects_rival(const struct fal_objects *objects,
                                        const struct fal_vqp *qp);
const struct fal_vmr *fal_objects_mr(const struct fal_objects *objects, const char *name);
/* Whether atomic operations came to the SUT on several connections. */
bool fal_objects_atomics_mixed(const struct fal_objects *objects);
/* Whether the list of a post that the SUT writes to (a receive request, a READ, an atomic
 * operation) names bytes of that range. */
bool fal_objects_scattered(const struct fal_objects *objects, const struct fal_image *image,
                           uint64_t at, uint64_t length);
/* Whether a receive request that has not completed names bytes of that range. */
bool fal_objects_awaited(const struct fal_objects *objects, const struct fal_image *image,
                         uint64_t at, uint64_t length);
/* Whether a region is being made or ended, so that it is not known which keys are alive. */
bool fal_objects_changing(const struct fal_objects *objects);
/* The region of a key for the peer, the newest one; NULL: none. */
const struct fal_vmr *fal_objects_mr_by_rkey(const struct fal_objects *objects, uint32_t rkey);

/* The post that explains a request packet of the SUT, which follows all that were taken by
 * RSN. */
void fal_objects_explain(struct fal_objects *objects, uint32_t conn,
                         const struct fal_rdma_fact *fact, struct fal_explained *out);
/* Of a packet that no post explains: a post that would, were its address handle of this
 * connection. NULL: none. */
const struct fal_wqe *fal_objects_elsewhere(const struct fal_explained *explained);
/* The packet becomes a part of the message. */
void fal_objects_take(const struct fal_explained *explained);
/* Packets of the connection were not seen whole. */
void fal_objects_vague(struct fal_objects *objects, uint32_t conn);

/* A packet with RDMA headers was sent to the SUT for the first time: what it may change in
 * memory is not known any more. */
void fal_objects_sent(struct fal_objects *objects, uint32_t conn, const struct fal_seen *seen);
/* A datagram that has not completed, and agrees with a completion in these parts (enum
 * fal_datagram_part); NULL: none. */
const struct fal_datagram *fal_datagram_of(const struct fal_objects *objects,
                                           const struct fal_vqp *qp, const struct fal_verbs *wc,
                                           unsigned parts);
/* Packets to the SUT may have gone unseen: what is missing of them proves nothing. */
void fal_objects_unseen(struct fal_objects *objects);
bool fal_objects_doubt(const struct fal_objects *objects);
/* The i-th write that is kept, in the order of their packets; NULL: there are no more. */
const struct fal_written *fal_objects_written(const struct fal_objects *objects, size_t i);
/* The newest write to the range; NULL: none. *conn: its connection, else
 * fal_objects_some_conn().
 */
const struct fal_written *fal_objects_newest(const struct fal_objects *objects,
                                             const struct fal_image *image, uint64_t at,
                                             uint64_t length, uint32_t *conn);
/* That write was done before the command at hand. */
void fal_objects_done(struct fal_objects *objects, size_t i);

/* Whether the completion queue that the receives of a connection's first RC queue pair use is
 * armed. */
bool fal_objects_armed(const struct fal_objects *objects, uint32_t conn);
/* The connections to which messages with SE were sent since their completion queue, which is
 * this one, was armed: the i-th; 0: there are no more. */
uint32_t fal_objects_waiting(const struct fal_objects *objects, const char *cq, size_t i);
/* Whether an atomic operation was sent to the SUT, or the value of a word asked for. */
bool fal_objects_any_word(const struct fal_objects *objects);

/* The bytes of a request's list from `from` on, added to the hash. False: not all are known, or
 * they may have changed since the post. */
bool fal_wqe_hash(const struct fal_wqe *wqe, uint64_t from, uint64_t length, uint64_t *hash);

#endif
