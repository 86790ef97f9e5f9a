/* SPDX-License-Identifier: Apache-2.0
 * answers.h - what the SUT's upper layer answered other than taking a request: RNR and errors,
 * as the tester wrote them or as the SUT told of them. Few requests are ever refused, so they
 * lie in a list of their own. */
#ifndef FAL_ORACLES_RULES_FACTS_ANSWERS_H
#define FAL_ORACLES_RULES_FACTS_ANSWERS_H

#include "oracles/rules/facts/at.h"
#include "oracles/rules/facts/bag.h"
#include "oracles/timeline.h"

/* Beyond so many the oldest are forgotten. */
enum { FAL_ANSWERS_MAX = 256 };

struct fal_answer_given {
    int64_t rsn; /* extended */
    uint8_t answer;
    bool held; /* a `respond`: the answer to a request that had none. False: a ulp_ack event */
    bool applied; /* and the reply says that it was taken */
    uint32_t code;
    uint64_t rnr_ns;  /* when held */
    struct fal_at at; /* written, or read */
};

struct fal_answers {
    struct fal_bag bag; /* struct fal_answer_given, in order */
    bool lost;          /* some were forgotten */
};

/* Answers that take the request are not kept. */
void fal_answers_note(struct fal_answers *answers, const struct fal_answer_given *given);
/* The i-th of that kind for an RSN, or NULL. */
const struct fal_answer_given *fal_answers_of(const struct fal_answers *answers, int64_t rsn,
                                              enum fal_answer answer, unsigned i);
/* The newest of that kind for an RSN was taken. */
void fal_answers_applied(struct fal_answers *answers, int64_t rsn, enum fal_answer answer);
/* One of that kind for a lower RSN, the newest; or NULL. */
const struct fal_answer_given *fal_answers_before(const struct fal_answers *answers,
                                                  int64_t rsn, enum fal_answer answer);
void fal_answers_free(struct fal_answers *answers);

/* The answer that a NACK code of the ULP stands for (2, 6, 7, 8). */
enum fal_answer fal_answer_of_nack(unsigned code);
/* And the code of an answer; 0: it is no NACK. */
unsigned fal_nack_of_answer(enum fal_answer answer);

#endif
