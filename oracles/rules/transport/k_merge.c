/* SPDX-License-Identifier: Apache-2.0
 * k_merge.c - K12: the result of several writes in one cycle is that of some serial order. Sums
 * and bits are the same in each order. Where a variable takes the value of one writer, that
 * writer comes after the others, and no order may need a writer both before and after another:
 * only variables for which the program names the winner are exempt. */
#include "oracles/rules/transport/k_engine.h"

#include <inttypes.h>
#include <string.h>

/* later[a] has bit b if writer a must come after writer b. */
struct order {
    uint8_t later[FAL_EN_WRITERS];
};

static bool wrote(const struct fal_en_var *v, unsigned writer)
{
    return (v->wrote >> writer & 1) != 0;
}

static uint64_t summed(const struct fal_en_var *v)
{
    uint64_t sum = v->before;

    for (unsigned w = 0; w < FAL_EN_WRITERS; w++)
        if (wrote(v, w))
            sum += v->value[w] - v->before;
    return sum;
}

static uint64_t joined(const struct fal_en_var *v)
{
    uint64_t changed = 0;

    for (unsigned w = 0; w < FAL_EN_WRITERS; w++)
        if (wrote(v, w))
            changed |= v->value[w] ^ v->before;
    return v->before ^ changed;
}

/* Whether `after` is the value of a writer. Adds what that says of the order. */
static bool chosen(const struct fal_en_var *v, bool named, struct order *order)
{
    uint8_t winners = 0;

    for (unsigned w = 0; w < FAL_EN_WRITERS; w++)
        if (wrote(v, w) && v->value[w] == v->after)
            winners |= (uint8_t)(1U << w);
    if (winners == 0)
        return v->wrote == 0 && v->after == v->before;
    for (unsigned w = 0; w < FAL_EN_WRITERS && !named; w++)
        if (winners == 1U << w)
            order->later[w] |= (uint8_t)(v->wrote & ~winners);
    return true;
}

/* Whether some order fulfils all of it: take away writers that need to come after none. */
static bool possible(struct order order)
{
    uint8_t left = (1U << FAL_EN_WRITERS) - 1;

    for (unsigned round = 0; round < FAL_EN_WRITERS; round++)
        for (unsigned w = 0; w < FAL_EN_WRITERS; w++)
            if ((order.later[w] & left) == 0)
                left &= (uint8_t) ~(1U << w);
    return left == 0;
}

static bool one(struct fal_en_judge *k, const struct fal_en_var *v, struct order *order)
{
    const bool named =
        k->setup.user_priority && v->name != NULL && strncmp(v->name, "user", 4) == 0;
    uint64_t expected = v->before;

    switch (v->join) {
    case FAL_EN_VALUE:
        if (chosen(v, named, order))
            return true;
        fal_en_broken(k, FAL_K12, "%s became %" PRIu64 ", which no writer wrote",
                      v->name != NULL ? v->name : "a variable", v->after);
        return false;
    case FAL_EN_SUM: expected = summed(v); break;
    case FAL_EN_BITS: expected = joined(v); break;
    }
    if (v->after == expected)
        return true;
    fal_en_broken(k, FAL_K12,
                  "%s became %" PRIu64 ", expected %" PRIu64 " from %" PRIu64
                  " and what was written to it",
                  v->name != NULL ? v->name : "a variable", v->after, expected, v->before);
    return false;
}

void fal_en_merge(struct fal_en_judge *k, const struct fal_en_merge *merge)
{
    struct order order = {{0}};

    for (unsigned i = 0; i < merge->num_vars && i < FAL_EN_VARS; i++) {
        const struct fal_en_var *v = &merge->vars[i];

        if (merge->timeout_dropped && wrote(v, FAL_EN_BY_PERIODIC)) {
            fal_en_broken(k, FAL_K12,
                          "%s was written by a timeout that was dropped, as feedback came in "
                          "the same cycle",
                          v->name != NULL ? v->name : "a variable");
            return;
        }
        if (!one(k, v, &order))
            return;
    }
    if (possible(order))
        fal_tally_held(k->tally, FAL_K12);
    else
        fal_en_broken(k, FAL_K12,
                      "no order of the writers explains which of them each variable took its "
                      "value from");
}
