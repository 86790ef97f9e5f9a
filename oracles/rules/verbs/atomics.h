/* SPDX-License-Identifier: Apache-2.0
 * atomics.h - the atomic operations on each word of the SUT's memory, from whichever connection
 * they came, and whether any order of them explains what was answered. A device that offers
 * atomic operations does them one at a time, whatever queue pair they came on (InfiniBand). */
#ifndef FAL_ORACLES_RULES_VERBS_ATOMICS_H
#define FAL_ORACLES_RULES_VERBS_ATOMICS_H

#include "oracles/rules/verbs/objects.h"

enum { FAL_ATOMICS_MAX = 12 }; /* operations of a word since its value was asked for */

struct fal_atomic {
    struct fal_at sent, answer;
    int64_t rsn;
    uint64_t swap, compare, original; /* swap: also what is added */
    const struct fal_vqp *qp;
    uint32_t conn;
    bool cas, answered;
};

/* 8 bytes of memory. */
struct fal_word {
    const struct fal_image *image;
    uint64_t at;
    uint64_t start; /* its value before the operations, if that is known */
    bool known;
    bool spoiled; /* Something else may have written it, or operations are missing. */
    bool mixed;   /* The RSNs of one strongly ordered queue pair do not order them all. */
    unsigned num;
    struct fal_atomic ops[FAL_ATOMICS_MAX];
};

/* The i-th word; NULL: there are no more. */
const struct fal_word *fal_objects_word(const struct fal_objects *objects, size_t i);
/* Whether an operation of the word has no answer yet. */
bool fal_word_open(const struct fal_word *word);

enum fal_word_found {
    FAL_WORD_NONE,  /* no order explains the answers */
    FAL_WORD_FOUND, /* one does */
    FAL_WORD_MANY,  /* the search is too long */
};

/* Whether the operations, all of which were answered, can have been done one after the other in
 * an order that keeps those of a strongly ordered queue pair in the order of their RSNs, and
 * each behind those whose answers had been seen when it was sent. `final`: the value that they
 * leave; NULL: not known. */
enum fal_word_found fal_word_search(const struct fal_word *word, const uint64_t *final);

/* An answer to a pull: what was in the word before, in `original`. */
void fal_objects_answered(struct fal_objects *objects, uint32_t conn,
                          const struct fal_seen *seen, uint64_t original);

#endif
