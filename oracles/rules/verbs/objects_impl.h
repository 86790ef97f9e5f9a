/* SPDX-License-Identifier: Apache-2.0
 * objects_impl.h - the inside of struct fal_objects, for the files of this folder. */
#ifndef FAL_ORACLES_RULES_VERBS_OBJECTS_IMPL_H
#define FAL_ORACLES_RULES_VERBS_OBJECTS_IMPL_H

#include "oracles/rules/verbs/index.h"
#include "oracles/rules/verbs/objects.h"

/* Pointers to items of one kind, which stay where they are. */
struct fal_list {
    void **items;
    size_t num, cap;
};

void *fal_list_at(const struct fal_list *list, size_t i);
/* A zeroed item of `size` bytes; NULL when there are `max` already, or memory ran out. */
void *fal_list_add(struct fal_objects *o, struct fal_list *list, size_t size, size_t max);
void fal_list_remove(struct fal_list *list, size_t i);
void fal_list_free(struct fal_list *list);

/* A command that waits for its reply. */
struct fal_asked_verbs {
    int64_t id;
    struct fal_at at;
    struct fal_verbs verbs;
};

/* An address handle of UD. */
struct fal_ah {
    char name[FAL_VERBS_NAME_MAX];
    uint32_t conn;
};

/* The queue pairs that were connected to a connection. */
struct fal_vconn {
    uint32_t conn;
    struct fal_vqp *first; /* in the order in which they were made (fal_vqp.next_on) */
    uint64_t waits;        /* fal_vcq.armed for which it is in fal_vcq.waiting */
};

/* A completion queue that was armed. */
struct fal_vcq {
    char name[FAL_VERBS_NAME_MAX];
    uint64_t armed;    /* index of the reply to cq_arm; 0: not, or the event came */
    uint32_t *waiting; /* connections: fal_objects_waiting() */
    size_t num, cap;
};

enum fal_mr_key { FAL_MR_RKEY, FAL_MR_LKEY };

struct fal_objects {
    struct fal_list mrs, qps, ahs, pending; /* struct fal_vmr, fal_vqp, fal_ah, ... */
    struct fal_list srqs;                   /* struct fal_vsrq */
    struct fal_list written;                /* struct fal_written */
    struct fal_list words;                  /* struct fal_word */
    struct fal_list conns, cqs;             /* struct fal_vconn, struct fal_vcq */
    struct fal_index qp_names, qp_numbers, conn_numbers, ah_names, srq_names, mr_names,
        cq_names;
    struct fal_index mr_keys[2]; /* by enum fal_mr_key */
    size_t vague_datagrams;      /* So many queue pairs are vague if they are of UD. */
    uint64_t image_bytes;
    uint32_t atomics_conn; /* the first connection on which an atomic operation came; 0: none */
    bool atomics_mixed;    /* one came on another */
    bool doubt;            /* packets to the SUT may have gone unseen */
    bool any_word;         /* fal_objects_any_word() */
    bool datagrams;        /* There is a queue pair of UD. */
    bool room_known; /* How many bytes a receive of UD has in front of its data, was seen. */
    unsigned room;
    bool oom;
};

/* The connection of an address handle, or 0. */
uint32_t fal_objects_ah(const struct fal_objects *o, const char *name);
struct fal_vsrq *fal_objects_srq(const struct fal_objects *o, const char *name);
/* The newest region with that key, then older ones: `before` is the last that was found, NULL
 * at first. NULL: there are no more. */
struct fal_vmr *fal_objects_mr_next(const struct fal_objects *o, enum fal_mr_key kind,
                                    uint32_t key, const struct fal_vmr *before);
/* The queue pair belongs to that connection from now on; 0: to none. */
void fal_objects_connect(struct fal_objects *o, struct fal_vqp *qp, uint32_t conn);

/* The request of a reply to a post, or of a completion: the oldest with that wr_id that has not
 * completed. NULL: none. */
struct fal_wqe *fal_wqe_of(const struct fal_said *said);
/* A post was written. */
void fal_objects_post(struct fal_objects *o, const struct fal_said *said);
/* The memory in the lists of posts that the SUT may still write to is not known. */
void fal_objects_forget_open(struct fal_objects *o);
/* An event was read. */
void fal_objects_told(struct fal_objects *o, const struct fal_said *said);

/* The newest object of that name in a list whose items begin with their names, or NULL. */
void *fal_objects_named(const struct fal_index *names, const struct fal_list *list,
                        const char *name);
/* The queue pairs of a connection, or NULL if none was connected to it. */
struct fal_vconn *fal_objects_conn(const struct fal_objects *o, uint32_t conn);

/* ---- completions.c ---- */

/* A completion queue was armed, or told of a completion. */
void fal_cq_armed(struct fal_objects *o, const struct fal_said *said);
void fal_cq_event(struct fal_objects *o, const char *name);
/* A message that takes a receive request was sent to the SUT with SE. */
void fal_cq_solicited(struct fal_objects *o, uint32_t conn);
void fal_cqs_free(struct fal_objects *o);

/* ---- atomics.c ---- */

/* Something else may write these bytes. */
void fal_words_spoil(struct fal_objects *o, const struct fal_image *image, uint64_t at,
                     uint64_t length);
/* An atomic operation was sent to the SUT for the first time. */
void fal_atomic_sent(struct fal_objects *o, uint32_t conn, const struct fal_rdma_fact *fact);
/* mr_word told, or set, the value of a word of that region. */
void fal_word_told(struct fal_objects *o, const struct fal_vmr *mr,
                   const struct fal_said *said);

/* ---- datagrams.c ---- */

void fal_datagram_sent(struct fal_objects *o, uint32_t conn, const struct fal_rdma_fact *fact);
/* A receive request of a UD queue pair completed without error. */
void fal_datagram_completed(struct fal_objects *o, struct fal_vqp *qp,
                            const struct fal_verbs *wc);

/* ---- written.c ---- */

void fal_written_sent(struct fal_objects *o, uint32_t conn, const struct fal_seen *seen);
/* A work request completed without error; before it counts as received. Returns how many bytes
 * of messages this placed. */
uint64_t fal_written_completed(struct fal_objects *o, const struct fal_said *said);
/* A command fills a range, or has filled it: writes that were done before the command do not
 * count any more. Of others it is not known whether they lie below or above what it filled. */
void fal_written_filled(struct fal_objects *o, const struct fal_image *image, uint64_t at,
                        uint64_t length);
/* Forgets the bytes of the range that one of the writes of which that is not known may have
 * written. */
void fal_written_forget(struct fal_objects *o, struct fal_image *image, uint64_t at,
                        uint64_t length);
void fal_written_remove(struct fal_objects *o, size_t i);
void fal_written_free(struct fal_objects *o);

#endif
