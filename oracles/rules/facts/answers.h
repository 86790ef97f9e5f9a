/* SPDX-License-Identifier: Apache-2.0
 * answers.h - the RNR and error answers of the SUT's upper layer, as the tester ordered them or
 * as the SUT reported them. Few requests are refused, so these answers have a list of their
 * own. */
#ifndef FAL_ORACLES_RULES_FACTS_ANSWERS_H
#define FAL_ORACLES_RULES_FACTS_ANSWERS_H

#include "oracles/rules/facts/at.h"
#include "oracles/rules/facts/bag.h"
#include "oracles/timeline.h"

/* When there are more, the oldest are forgotten. */
enum { FAL_ANSWERS_MAX = 256 };

struct fal_answer_given {
    int64_t rsn; /* extended */
    uint8_t answer;
    bool held; /* A `respond`: the answer to a request that had none. False: a ulp_ack event. */
    bool applied; /* The reply said that the command was applied. */
    bool timed;   /* The time of the event is known. */
    uint32_t code;
    uint64_t rnr_ns;  /* of an RNR; 0: unknown */
    struct fal_at at; /* When the command was written, or the event was read. */
};

struct fal_answers {
    struct fal_bag bag; /* struct fal_answer_given, in order */
    bool lost;          /* some were forgotten */
};

/* Answers that accept the request are not kept. */
void fal_answers_note(struct fal_answers *answers, const struct fal_answer_given *given);
/* The i-th answer of that kind for an RSN, or NULL. */
const struct fal_answer_given *fal_answers_of(const struct fal_answers *answers, int64_t rsn,
                                              enum fal_answer answer, unsigned i);
/* The newest answer of that kind for an RSN was applied. */
void fal_answers_applied(struct fal_answers *answers, int64_t rsn, enum fal_answer answer);
/* The newest answer of that kind for a lower RSN, or NULL. */
const struct fal_answer_given *fal_answers_before(const struct fal_answers *answers,
                                                  int64_t rsn, enum fal_answer answer);
void fal_answers_free(struct fal_answers *answers);
/* Makes `to` a copy. False: out of memory; what it holds is to be freed in any case. */
bool fal_answers_copy(struct fal_answers *to, const struct fal_answers *from);

/* The answer that a NACK code of the ULP stands for (2, 6, 7, 8). */
enum fal_answer fal_answer_of_nack(unsigned code);
/* The NACK code of an answer; 0: the answer causes no NACK. */
unsigned fal_nack_of_answer(enum fal_answer answer);

#endif
