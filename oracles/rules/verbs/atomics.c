/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/verbs/atomics.h"

#include "oracles/rules/verbs/objects_impl.h"

enum { WORDS_MAX = 64, BYTES = 8, OPERATION = 31, CMP_SWAP = 19, FETCH_ADD = 20 };
enum { ATOMIC_RESPONSE = 18, NODES_MAX = 1 << 18 };

const struct fal_word *fal_objects_word(const struct fal_objects *o, size_t i)
{
    return i < o->words.num ? fal_list_at(&o->words, i) : NULL;
}

bool fal_word_open(const struct fal_word *word)
{
    for (unsigned i = 0; i < word->num; i++)
        if (!word->ops[i].answered)
            return true;
    return false;
}

void fal_words_spoil(struct fal_objects *o, const struct fal_image *image, uint64_t at,
                     uint64_t length)
{
    for (size_t i = 0; i < o->words.num; i++) {
        struct fal_word *word = fal_list_at(&o->words, i);

        if (word->image == image && word->at < at + length && at < word->at + BYTES)
            word->spoiled = true;
    }
}

/* The word at that place, new if it is not known; NULL: too many. */
static struct fal_word *word_at(struct fal_objects *o, const struct fal_image *image,
                                uint64_t at)
{
    struct fal_word *word;
    bool overlaps = false;

    o->any_word = true;
    for (size_t i = 0; i < o->words.num; i++) {
        word = fal_list_at(&o->words, i);
        if (word->image != image || word->at >= at + BYTES || at >= word->at + BYTES)
            continue;
        if (word->at == at)
            return word;
        word->spoiled = true; /* It shares bytes with the new one. */
        overlaps = true;
    }
    word = fal_list_add(o, &o->words, sizeof *word, WORDS_MAX);
    if (word != NULL) {
        word->image = image;
        word->at = at;
        word->spoiled = overlaps;
    }
    return word;
}

void fal_atomic_sent(struct fal_objects *o, uint32_t conn, const struct fal_rdma_fact *fact)
{
    const struct fal_vmr *mr = fal_objects_mr_by_rkey(o, fact->r_key);
    const struct fal_vqp *qp = fal_objects_qp_by_number(o, fact->dest_qp);
    struct fal_word *word;

    if (mr == NULL || mr->image == NULL || fact->va - mr->va >= mr->length)
        return;
    word = word_at(o, mr->image, mr->at + (fact->va - mr->va));
    if (word == NULL)
        return;
    if (word->num == FAL_ATOMICS_MAX || qp == NULL || (fact->flags & FAL_RDMA_PARTIAL) != 0) {
        word->spoiled = true;
        return;
    }
    word->mixed = word->mixed || qp->ordering != FAL_VERBS_STRONG ||
                  (word->num > 0 && word->ops[0].qp != qp);
    word->ops[word->num++] = (struct fal_atomic){.sent = fact->at,
                                                 .rsn = fact->rsn,
                                                 .swap = fact->swap,
                                                 .compare = fact->compare,
                                                 .qp = qp,
                                                 .conn = conn,
                                                 .cas = (fact->opcode & OPERATION) == CMP_SWAP};
}

void fal_objects_answered(struct fal_objects *o, uint32_t conn, const struct fal_seen *seen,
                          uint64_t original)
{
    bool good = fal_rdma_has(seen) && !seen->rdma.complete_in_error &&
                (seen->rdma.opcode & OPERATION) == ATOMIC_RESPONSE;

    for (size_t i = 0; i < o->words.num; i++) {
        struct fal_word *word = fal_list_at(&o->words, i);

        for (unsigned k = 0; k < word->num; k++) {
            struct fal_atomic *op = &word->ops[k];

            if (op->conn != conn || op->rsn != seen->rsn || op->answered)
                continue;
            op->answered = true;
            op->answer = seen->at;
            op->original = original;
            word->spoiled = word->spoiled || !good; /* It may have been done, or not. */
            return;
        }
    }
}

void fal_word_told(struct fal_objects *o, const struct fal_vmr *mr, const struct fal_said *said)
{
    struct fal_word *word;

    if (mr->image == NULL)
        return;
    word = word_at(o, mr->image, mr->at + said->asked->offset);
    if (word == NULL)
        return;
    if (fal_word_open(word)) { /* They act before it or after it. */
        word->spoiled = true;
        return;
    }
    word->num = 0;
    word->mixed = false;
    word->known = true;
    word->start = said->asked->has_set ? said->asked->set : said->told->value;
}

/* ---- the search ---- */

struct search {
    const struct fal_word *word;
    const uint64_t *final;
    unsigned before[FAL_ATOMICS_MAX]; /* for each, the bits of those that come before it */
    unsigned nodes;
};

static bool precedes(const struct fal_atomic *a, const struct fal_atomic *b)
{
    if (a->qp == b->qp && a->qp->ordering == FAL_VERBS_STRONG)
        return a->rsn < b->rsn;
    return a->answer.index < b->sent.index;
}

/* Whether the rest can follow those of `done`, which left that value, if it is known. */
static enum fal_word_found follow(struct search *s, unsigned done, bool known, uint64_t value)
{
    const struct fal_word *word = s->word;
    enum fal_word_found found = FAL_WORD_NONE;

    if (++s->nodes > NODES_MAX)
        return FAL_WORD_MANY;
    if (done == (1u << word->num) - 1)
        return s->final == NULL || !known || *s->final == value ? FAL_WORD_FOUND
                                                                : FAL_WORD_NONE;
    for (unsigned i = 0; i < word->num && found == FAL_WORD_NONE; i++) {
        const struct fal_atomic *op = &word->ops[i];
        uint64_t left = !op->cas                      ? op->original + op->swap
                        : op->original == op->compare ? op->swap
                                                      : op->original;

        if ((done >> i & 1) == 0 && (s->before[i] & ~done) == 0 &&
            (!known || value == op->original))
            found = follow(s, done | 1u << i, true, left);
    }
    return found;
}

enum fal_word_found fal_word_search(const struct fal_word *word, const uint64_t *final)
{
    struct search search = {.word = word, .final = final};

    for (unsigned i = 0; i < word->num; i++)
        for (unsigned k = 0; k < word->num; k++)
            if (i != k && precedes(&word->ops[k], &word->ops[i]))
                search.before[i] |= 1u << k;
    return follow(&search, 0, word->known, word->start);
}
