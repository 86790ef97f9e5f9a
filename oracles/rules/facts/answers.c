/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/answers.h"

void fal_answers_note(struct fal_answers *answers, const struct fal_answer_given *given)
{
    struct fal_answer_given *slot;

    if (fal_nack_of_answer((enum fal_answer)given->answer) == 0)
        return;
    if (answers->bag.num == FAL_ANSWERS_MAX) {
        fal_bag_remove(&answers->bag, sizeof *slot, 0);
        answers->lost = true;
    }
    slot = fal_bag_add(&answers->bag, sizeof *slot, FAL_ANSWERS_MAX);
    if (slot != NULL)
        *slot = *given;
    else
        answers->lost = true;
}

const struct fal_answer_given *fal_answers_of(const struct fal_answers *answers, int64_t rsn,
                                              enum fal_answer answer, unsigned i)
{
    for (unsigned k = 0; k < answers->bag.num; k++) {
        const struct fal_answer_given *g = FAL_BAG(&answers->bag, struct fal_answer_given, k);

        if (g->rsn == rsn && g->answer == answer && i-- == 0)
            return g;
    }
    return NULL;
}

void fal_answers_applied(struct fal_answers *answers, int64_t rsn, enum fal_answer answer)
{
    for (unsigned k = answers->bag.num; k-- > 0;) {
        struct fal_answer_given *g = FAL_BAG(&answers->bag, struct fal_answer_given, k);

        if (g->rsn == rsn && g->answer == answer && g->held) {
            g->applied = true;
            return;
        }
    }
}

const struct fal_answer_given *fal_answers_before(const struct fal_answers *answers,
                                                  int64_t rsn, enum fal_answer answer)
{
    for (unsigned k = answers->bag.num; k-- > 0;) {
        const struct fal_answer_given *g = FAL_BAG(&answers->bag, struct fal_answer_given, k);

        if (g->rsn < rsn && g->answer == answer)
            return g;
    }
    return NULL;
}

void fal_answers_free(struct fal_answers *answers)
{
    fal_bag_free(&answers->bag);
    *answers = (struct fal_answers){0};
}

bool fal_answers_copy(struct fal_answers *to, const struct fal_answers *from)
{
    to->lost = from->lost;
    return fal_bag_copy(&to->bag, &from->bag, sizeof(struct fal_answer_given));
}

enum fal_answer fal_answer_of_nack(unsigned code)
{
    switch (code) {
    case FAL_NACK_RNR: return FAL_ANSWER_RNR;
    case FAL_NACK_CIE: return FAL_ANSWER_CIE;
    case FAL_NACK_NRE: return FAL_ANSWER_NRE;
    case FAL_NACK_CID: return FAL_ANSWER_CID;
    default: return FAL_ANSWER_WITHHOLD;
    }
}

unsigned fal_nack_of_answer(enum fal_answer answer)
{
    switch (answer) {
    case FAL_ANSWER_RNR: return FAL_NACK_RNR;
    case FAL_ANSWER_CIE: return FAL_NACK_CIE;
    case FAL_ANSWER_NRE: return FAL_NACK_NRE;
    case FAL_ANSWER_CID: return FAL_NACK_CID;
    case FAL_ANSWER_ACK:
    case FAL_ANSWER_DATA:
    case FAL_ANSWER_WITHHOLD: break;
    }
    return 0;
}
