/* SPDX-License-Identifier: Apache-2.0
 * word_step.h - the steps `verbs` and `expect_verbs` as they were read: a word of the verbs
 * (codecs/verbs/verbs.h), with the values that are computed when it is played, and what its
 * reply, or an event, must show. A scenario gives the objects of the SUT (domains, regions,
 * queue pairs) names of its own. */
#ifndef TL_HARNESS_SCENARIO_WORD_STEP_H
#define TL_HARNESS_SCENARIO_WORD_STEP_H

#include "harness/doc/value.h"
#include "harness/wire/words.h"

/* A number of a word: where the word keeps it, and what it is or must be. */
struct tl_word_slot {
    const char *key; /* "remote.va" */
    size_t at, size; /* 1, 2, 4 or 8 bytes */
    struct tl_value value;
};

struct tl_word_slots {
    struct tl_word_slot *list;
    size_t n;
    bool patterns; /* they must match; else each is one value */
};

/* A variable that the reply binds. */
struct tl_word_bind {
    char name[FAL_VAR_MAX]; /* "m_rkey" */
    size_t at, size;
};

/* The payload pattern that bytes behind a hash must be. */
struct tl_word_data {
    bool given;
    struct tl_value tag, from, length; /* `length` absent: that of the command */
};

struct tl_word_step {
    const struct tl_words *words;
    unsigned kind;
    union tl_word ask; /* without what `slots` sets; handles are names of the scenario */
    struct tl_word_slots slots, reply;
    const char *as; /* the name of the object that it makes; or NULL */
    struct tl_word_bind *binds;
    size_t num_binds;
    bool tester;              /* it is for the tester's upper layer, not for the SUT's */
    bool refused, may_refuse; /* the SUT must, or may, refuse it */
    struct tl_word_data data; /* of a reply with a hash */
};

/* What an event must show. */
struct tl_word_pattern {
    const struct tl_words *words;
    unsigned kind;
    union tl_word due; /* the names of its objects, "" where any will do */
    struct tl_word_slots slots;
    struct tl_word_data data;
};

/* The number of that many bytes there. */
uint64_t tl_word_number(const void *word, size_t at, size_t size);
/* Sets it. Returns 0, or FAL_ERR_RANGE for a number that does not fit. */
MUST_USE int tl_word_set(void *word, size_t at, size_t size, uint64_t number);

#endif
