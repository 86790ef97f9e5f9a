/* SPDX-License-Identifier: Apache-2.0
 * words.h - the words of the upper layers that a connection may have besides the raw one: for
 * each layer its commands, replies and events, as tables. What works on any word takes one of
 * these tables, and the word as a pointer; the shapes say where its members are. */
#ifndef TL_HARNESS_WIRE_WORDS_H
#define TL_HARNESS_WIRE_WORDS_H

#include "harness/wire/protocol.h"

/* Memory for a word of any layer. The kind is the first member of each. */
union tl_word {
    struct fal_verbs verbs;
    struct fal_nvme_word nvme;
};

/* Words are numbered from 0: the commands, and behind them the events. */
struct tl_words {
    const char *name;  /* "verbs": in `upper` of an open, and the key of the step */
    const char *layer; /* "RDMA verbs" */
    char letter;       /* of its levels: "L2v" */
    enum tl_upper_layer upper;
    enum fal_event_kind event; /* on the timeline */
    enum tl_do first;          /* its first command; the others follow */
    const char *const *names;
    const struct fal_shape *shapes, *replies;
    unsigned commands, kinds;
};

/* The words of a layer; NULL for the raw one. */
const struct tl_words *tl_words_of(enum tl_upper_layer upper);
/* The words among which the command is; NULL: it is none of them. */
const struct tl_words *tl_words_with(enum tl_do verb);
/* The words that a kind of events on the timeline holds; NULL: it holds none. */
const struct tl_words *tl_words_told_as(enum fal_event_kind event);
/* The number of the word of that name; `kinds` for a name that is none of them. */
unsigned tl_words_find(const struct tl_words *words, const char *name);

/* Which word it is; and makes it that word. */
unsigned tl_word_kind(const union tl_word *word);
void tl_word_begin(unsigned kind, union tl_word *word);
/* Reads the members of a word, or of the reply to one. Returns 0, or FAL_ERR_FORM with a
 * sentence that names the member. */
MUST_USE int tl_word_read(const struct tl_words *words, unsigned kind, bool reply,
                          const json_t *object, union tl_word *out, struct fal_error *err);
/* Copies the word of an event of the timeline. */
void tl_word_of_event(const struct fal_event *event, union tl_word *out);
/* The inverse: makes it an event of that phase, which borrows the word. */
void tl_word_to_event(const struct tl_words *words, const union tl_word *word,
                      enum fal_verbs_phase phase, struct fal_event *event);
/* Writes them. A new reference, or NULL when out of memory. */
json_t *tl_word_write(const struct tl_words *words, const union tl_word *word, bool reply);

_Static_assert((int)FAL_VERBS_NAME_MAX == (int)FAL_NVME_NAME_MAX, "handles have one size");

/* The place of the member `conn`, a handle of FAL_VERBS_NAME_MAX bytes; NULL: such a word names
 * no connection. */
char *tl_word_conn(const struct tl_words *words, union tl_word *word);

#endif
