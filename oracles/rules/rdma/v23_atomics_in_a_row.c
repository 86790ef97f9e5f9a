/* SPDX-License-Identifier: Apache-2.0
 * v23_atomics_in_a_row.c - rule V23: atomic operations act one after the other, each once, and
 * each tells what it found; those of a strongly ordered queue pair in the order of RSNs. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"
#include "oracles/rules/verbs/atomics.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_v23 = {
    .id = "V23",
    .title = "atomic operations act one after the other, each once",
    .requirements = FAL_IDS("RDMA-8.3.6-06", "RDMA-8.3.6-07", "RDMA-8.3.7-01"),
    .role = "target",
    .needs = "posts",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by an answer to an atomic operation of the tester that is not the value which "
        "the operation before it on that word left, in the order of RSNs, or which mr_word told or "
        "set; and by a value of mr_word that is not so. Where operations on a word come on several "
        "connections, or to a queue pair that is not strongly ordered, it is violated if no order "
        "of them explains all answers and the value that mr_word then tells. Not judged: words of "
        "which no value is known yet or that something else may have written, operations that "
        "ended in error, and more than 12 operations between two values of mr_word.",
};

enum { OPERATION = 31, CMP_SWAP = 19, FETCH_ADD = 20, ATOMIC_RESPONSE = 18, BYTES = 8 };
enum { WORDS_MAX = 64, OPEN_MAX = 128 };

/* 8 bytes of the SUT's memory. */
struct word {
    const struct fal_image *image;
    uint64_t at, value;
    struct fal_at by; /* what left the value */
    const char *requirement;
    bool known;
    uint8_t zero[7]; /* as in struct fal_at */
};

/* An operation, in the order of RSNs. */
struct operation {
    struct fal_at at, answer;
    int64_t rsn;
    uint64_t swap, compare, original, word_at;
    const struct fal_image *image;
    bool cas, answered, failed;
    uint8_t zero[5]; /* as in struct fal_at */
};

struct state {
    struct fal_bag words, open; /* struct word, struct operation */
};

static struct word *word_of(struct state *state, const struct fal_image *image, uint64_t at)
{
    struct word *word;

    for (unsigned i = 0; i < state->words.num; i++) {
        word = FAL_BAG(&state->words, struct word, i);
        if (word->image == image && word->at == at)
            return word;
    }
    word = fal_bag_add(&state->words, sizeof *word, WORDS_MAX);
    if (word != NULL) {
        word->image = image;
        word->at = at;
        word->requirement = "RDMA-8.3.7-01";
    }
    return word;
}

/* Something may have written these bytes. */
static void forget(struct state *state, const struct fal_image *image, uint64_t at,
                   uint64_t length)
{
    for (unsigned i = 0; i < state->words.num; i++) {
        struct word *word = FAL_BAG(&state->words, struct word, i);

        if (word->image == image && word->at < at + length && at < word->at + BYTES)
            word->known = false;
    }
}

/* ---- packets to the SUT ---- */

static void add_operation(struct fal_ctx *c, const struct fal_seen *p, const struct fal_vmr *mr)
{
    const struct fal_rdma_fact *fact = &p->rdma;
    struct state *state = c->state;
    struct operation *op = fal_bag_add(&state->open, sizeof *op, OPEN_MAX);

    if (op == NULL) { /* too many to follow */
        for (unsigned i = 0; i < state->words.num; i++)
            FAL_BAG(&state->words, struct word, i)->known = false;
        fal_bag_free(&state->open);
        return;
    }
    /* by RSN, whatever the order of the packets */
    for (unsigned i = state->open.num - 1;
         i > 0 && FAL_BAG(&state->open, struct operation, i - 1)->rsn > fact->rsn; i--) {
        *op = *FAL_BAG(&state->open, struct operation, i - 1);
        op = FAL_BAG(&state->open, struct operation, i - 1);
    }
    *op = (struct operation){.at = p->at,
                             .rsn = fact->rsn,
                             .swap = fact->swap,
                             .compare = fact->compare,
                             .image = mr->image,
                             .word_at = mr->at + (fact->va - mr->va),
                             .cas = (fact->opcode & OPERATION) == CMP_SWAP};
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    const struct fal_rdma_fact *fact = &p->rdma;
    struct state *state = c->state;
    const struct fal_vmr *mr;
    const struct fal_vqp *qp;
    unsigned operation = fact->opcode & OPERATION;

    if (!c->track->verbs || c->bench->objects == NULL || !fal_rdma_has(p) || p->prior != NULL)
        return;
    mr = fal_objects_mr_by_rkey(c->bench->objects, fact->r_key);
    qp = fal_objects_qp_by_number(c->bench->objects, fact->dest_qp);
    if (mr == NULL || mr->image == NULL || fact->va - mr->va >= mr->length)
        return;
    if (fal_rdma_is_write(fact->opcode)) {
        forget(state, mr->image, mr->at + (fact->va - mr->va), fact->data_len);
        return;
    }
    if (operation != CMP_SWAP && operation != FETCH_ADD)
        return;
    if (qp == NULL || qp->conn != c->conn || qp->ordering != FAL_VERBS_STRONG ||
        (mr->access & FAL_VERBS_REMOTE_ATOMIC) == 0)
        forget(state, mr->image, mr->at + (fact->va - mr->va), BYTES);
    else
        add_operation(c, p, mr);
}

/* ---- answers ---- */

static void differs(struct fal_ctx *c, const struct word *word, const struct fal_at *effect,
                    uint64_t value)
{
    char seen[60];

    (void)snprintf(seen, sizeof seen, "the value 0x%" PRIx64, value);
    fal_broken(c,
               &(struct fal_blame){.requirement = word->requirement,
                                   .cause = {&word->by},
                                   .effect = effect,
                                   .seen = seen},
               "the value 0x%" PRIx64 ", which the operation before left", word->value);
}

static void perform(struct fal_ctx *c, struct word *word, const struct operation *op)
{
    if (word == NULL)
        return;
    if (fal_objects_atomics_mixed(c->bench->objects)) { /* mr_word, or the end, decides. */
        word->known = false;
        return;
    }
    if (op->failed || fal_objects_scattered(c->bench->objects, op->image, op->word_at, BYTES)) {
        word->known = false;
        fal_undecided(c, FAL_EXCUSE_CONFIG);
        return;
    }
    if (word->known && word->value != op->original)
        differs(c, word, &op->answer, op->original);
    else if (word->known)
        fal_holds(c);
    forget(c->state, op->image, op->word_at, BYTES); /* those that overlap it */
    word->value = !op->cas                      ? op->original + op->swap
                  : op->original == op->compare ? op->swap
                                                : op->original;
    word->known = true;
    word->by = op->at;
    word->requirement = op->cas ? "RDMA-8.3.6-06" : "RDMA-8.3.6-07";
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    if (!q->reliable || q->prior != NULL || q->falcon->packet_type != FAL_PULL_DATA)
        return;
    for (unsigned i = 0; i < state->open.num; i++) {
        struct operation *op = FAL_BAG(&state->open, struct operation, i);

        if (op->rsn != q->rsn || op->answered)
            continue;
        op->answered = true;
        op->answer = q->at;
        op->failed = !fal_rdma_has(q) || q->rdma.complete_in_error ||
                     (q->rdma.opcode & OPERATION) != ATOMIC_RESPONSE;
        op->original = op->failed ? 0 : c->ulp->rdma.atomicacketh.original_data;
    }
    while (state->open.num > 0 && FAL_BAG(&state->open, struct operation, 0)->answered) {
        const struct operation op = *FAL_BAG(&state->open, struct operation, 0);

        fal_bag_remove(&state->open, sizeof op, 0);
        perform(c, word_of(state, op.image, op.word_at), &op);
    }
}

/* ---- words that no RSNs order ---- */

/* Whether the connection reports about the word: that of the newest operation does. */
static bool is_mine(const struct fal_ctx *c, const struct fal_word *word)
{
    return word->num > 0 && word->ops[word->num - 1].conn == c->conn && c->track != NULL &&
           c->track->verbs && (word->mixed || fal_objects_atomics_mixed(c->bench->objects));
}

static void search(struct fal_ctx *c, const struct fal_word *word, const uint64_t *final,
                   const struct fal_at *effect)
{
    const struct fal_atomic *first = &word->ops[0], *last = &word->ops[word->num - 1];
    char seen[80];

    if (word->spoiled || fal_word_open(word) || fal_objects_doubt(c->bench->objects) ||
        fal_objects_scattered(c->bench->objects, word->image, word->at, BYTES)) {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
        return;
    }
    switch (fal_word_search(word, final)) {
    case FAL_WORD_FOUND: fal_holds(c); return;
    case FAL_WORD_MANY: fal_undecided(c, FAL_EXCUSE_CONFIG); return;
    case FAL_WORD_NONE: break;
    }
    if (final != NULL)
        (void)snprintf(seen, sizeof seen, "the value 0x%" PRIx64 " after them", *final);
    else
        (void)snprintf(seen, sizeof seen, "the answer 0x%" PRIx64 " to the last of them",
                       last->original);
    fal_broken(c,
               &(struct fal_blame){.requirement = "RDMA-8.3.7-01",
                                   .cause = {&first->sent, &last->sent},
                                   .effect = effect,
                                   .seen = seen},
               "answers and a value that %u atomic operations give in some order, each once",
               word->num);
}

static void finish(struct fal_ctx *c)
{
    const struct fal_word *word;

    if (c->bench->objects == NULL)
        return;
    for (size_t i = 0; (word = fal_objects_word(c->bench->objects, i)) != NULL; i++)
        if (is_mine(c, word) && !fal_word_open(word))
            search(c, word, NULL, &word->ops[word->num - 1].answer);
}

/* mr_word told the value of that word. */
static void told(struct fal_ctx *c, const struct fal_said *said, const struct word *of)
{
    struct fal_at at = fal_at_event(said->event);
    const struct fal_word *word;

    for (size_t i = 0; (word = fal_objects_word(c->bench->objects, i)) != NULL; i++)
        if (word->image == of->image && word->at == of->at && is_mine(c, word) &&
            !fal_word_open(word))
            search(c, word, &said->told->value, &at);
}

/* ---- mr_word ---- */

static void verbs(struct fal_ctx *c, const struct fal_said *said)
{
    struct state *state = c->state;
    struct fal_at at = fal_at_event(said->event);
    const struct fal_vmr *mr;
    struct word *word;

    if (said->asked == NULL ||
        (mr = fal_objects_mr(c->bench->objects, said->asked->mr)) == NULL || mr->image == NULL)
        return;
    if (said->asked->kind == FAL_VERBS_MR_FILL)
        forget(state, mr->image, mr->at + said->asked->offset, said->asked->length);
    if (said->asked->kind != FAL_VERBS_MR_WORD ||
        said->event->u.verbs.phase != FAL_VERBS_ANSWERED || !said->ok || !c->track->verbs)
        return;
    word = word_of(state, mr->image, mr->at + said->asked->offset);
    if (word == NULL)
        return;
    told(c, said, word);
    if (state->open.num > 0 || fal_objects_atomics_mixed(c->bench->objects) ||
        fal_objects_scattered(c->bench->objects, word->image, word->at, BYTES)) {
        word->known = false; /* one may act before it, or after it */
        return;
    }
    if (word->known && word->value != said->told->value)
        differs(c, word, &at, said->told->value);
    else if (word->known && word->by.index > 0)
        fal_holds(c);
    word->known = true;
    word->value = said->asked->has_set ? said->asked->set : said->told->value;
    word->by = at;
    word->requirement = "RDMA-8.3.7-01";
}

static void release(void *memory)
{
    struct state *state = memory;

    fal_bag_free(&state->words);
    fal_bag_free(&state->open);
}

const struct fal_rule_impl fal_rule_v23 = {
    .about = &fal_about_v23,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .bags = 2,
    .on_in = FAL_ON_RDMA,
    .on_out = FAL_ON_WAITING,
    .in = in,
    .out = out,
    .verbs = verbs,
    .finish = finish,
    .release = release,
};
