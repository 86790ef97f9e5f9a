/* SPDX-License-Identifier: Apache-2.0
 * objects_impl.h - the inside of struct fal_objects, for the files of this folder. */
#ifndef FAL_ORACLES_RULES_VERBS_OBJECTS_IMPL_H
#define FAL_ORACLES_RULES_VERBS_OBJECTS_IMPL_H

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

enum { FAL_HINTS = 1 << 14 };

/* Where in a list something was found last, by a hash of what was looked for: where it is not
 * found there, the list is searched. With 16,384 queue pairs a search would be most of what a
 * message costs. */
struct fal_hints {
    uint32_t at[FAL_HINTS];
};

struct fal_objects {
    struct fal_hints qp_names, qp_numbers, qp_conns;
    struct fal_list mrs, qps, ahs, pending; /* struct fal_vmr, fal_vqp, fal_ah, ... */
    struct fal_list srqs;                   /* struct fal_vsrq */
    struct fal_list written;                /* struct fal_written */
    struct fal_list words;                  /* struct fal_word */
    uint64_t image_bytes;
    uint32_t atomics_conn; /* the first connection on which an atomic operation came; 0: none */
    bool atomics_mixed;    /* one came on another */
    bool doubt;            /* packets to the SUT may have gone unseen */
    bool room_known; /* How many bytes a receive of UD has in front of its data, was seen. */
    unsigned room;
    bool oom;
};

/* The connection of an address handle, or 0. */
uint32_t fal_objects_ah(const struct fal_objects *o, const char *name);

/* The request of a reply to a post, or of a completion: the oldest with that wr_id that has not
 * completed. NULL: none. */
struct fal_wqe *fal_wqe_of(const struct fal_said *said);
/* A post was written. */
void fal_objects_post(struct fal_objects *o, const struct fal_said *said);
/* The memory in the lists of posts that the SUT may still write to is not known. */
void fal_objects_forget_open(struct fal_objects *o);
/* An event was read. */
void fal_objects_told(struct fal_objects *o, const struct fal_said *said);

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
/* A range was filled: writes before it do not count any more. */
void fal_written_filled(struct fal_objects *o, const struct fal_image *image, uint64_t at,
                        uint64_t length);
void fal_written_remove(struct fal_objects *o, size_t i);
void fal_written_free(struct fal_objects *o);

#endif
