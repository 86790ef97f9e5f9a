/* SPDX-License-Identifier: Apache-2.0
 * adapter_check_impl.h - shared by adapter_ask.c (one command, one answer), adapter_check.c,
 * adapter_events.c and adapter_levels.c (the checks). */
#ifndef TL_HARNESS_SITE_ADAPTER_CHECK_IMPL_H
#define TL_HARNESS_SITE_ADAPTER_CHECK_IMPL_H

#include "codecs/header/ccqueue.h"
#include "harness/site/adapter_check.h"
#include "harness/wire/words.h"

enum { TL_CHECK_CONN = 32, TL_CHECK_LINE = 600 };

struct tl_checker {
    struct tl_adapter *adapter;
    json_int_t id, epoch, seq;
    int level;
    char conn[TL_CHECK_CONN];        /* the handle of the open connection, or "" */
    bool has_cc;                     /* its hello has `cc` */
    unsigned word_levels[TL_UPPERS]; /* of upper layers: 0 (none), 2 or 3 */
    const char *upper; /* what an open adds, if the adapter has no raw connections */
    enum fal_cc_format cc_format;
    uint64_t flood, events;
    uint64_t completions, lost,
        dropped;            /* the highest sequence number of the events that were read */
    uint64_t shown;         /* `cc` events that were read */
    bool undecided;         /* the check cannot be decided; why */
    char why[TL_CHECK_WHY]; /* "" while nothing is wrong */
};

/* Records what is wrong. Returns false. */
bool tl_adapter_wrong(struct tl_checker *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool tl_adapter_send(struct tl_checker *c, const char *text);

/* Returns the next answer, skipping events: a new reference, or NULL. */
json_t *tl_adapter_answer(struct tl_checker *c);
/* Checks an answer: `outcome` is "ok", an error, or alternatives "ok|failed". */
bool tl_adapter_answered(struct tl_checker *c, const json_t *object, json_int_t id,
                         json_int_t epoch, const char *outcome);
/* Sends one command with the given members after "do". Returns the answer, a new reference, or
 * NULL. */
json_t *tl_adapter_ask(struct tl_checker *c, const char *outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same when only the outcome matters: releases the answer. */
bool tl_adapter_says(json_t *object);
#define SAYS(c, outcome, ...) tl_adapter_says(tl_adapter_ask(c, outcome, __VA_ARGS__))
bool tl_adapter_alive(struct tl_checker *c);

/* Checks events without a wire (adapter_events.c): each post to a peer that does not exist must
 * end. */
bool tl_check_events(struct tl_checker *c);

/* In adapter_levels.c. Each command of the level is supported; `local` and `params` of an open:
 * what the SUT cannot set is reported, and is no failure. */
bool tl_check_levels(struct tl_checker *c);
bool tl_check_local(struct tl_checker *c);
bool tl_check_params(struct tl_checker *c);

/* In adapter_cc.c: `cc` of the reply to hello, and the commands of level Lc. */
bool tl_check_cc_hello(struct tl_checker *c, const json_t *reply);
bool tl_check_cc(struct tl_checker *c);
bool tl_check_cc_queues(struct tl_checker *c);
/* Checks the members of a `cc` event. */
bool tl_check_cc_event(struct tl_checker *c, const json_t *event);

/* In adapter_words.c: `upper` of the reply to hello, and the members of an event, if it is one
 * of an upper layer. An adapter without the words of a layer must refuse each of them; then the
 * reason says so. */
bool tl_check_words_hello(struct tl_checker *c, const json_t *reply);
bool tl_check_word_event(struct tl_checker *c, const char *name, const json_t *event);
bool tl_check_no_words(struct tl_checker *c, enum tl_upper_layer upper);
/* Asks for a word and reads what its reply adds to *answer. */
bool tl_check_word(struct tl_checker *c, const struct tl_words *words, unsigned kind,
                   union tl_word *answer, const char *outcome, const char *members);
/* Opens a connection for an upper layer; `params` are JSON members. */
bool tl_check_upper_open(struct tl_checker *c, enum tl_upper_layer upper, const char *params,
                         char conn[TL_CHECK_CONN]);
bool tl_check_upper_close(struct tl_checker *c, const char *conn);

/* In adapter_verbs.c: the words of levels L2v and L3v. */
bool tl_check_verbs(struct tl_checker *c);
bool tl_check_verbs_memory(struct tl_checker *c);
bool tl_check_verbs_posts(struct tl_checker *c);
bool tl_check_verbs_wrong(struct tl_checker *c);

/* In adapter_nvme.c: the words of levels L2n and L3n. */
bool tl_check_nvme(struct tl_checker *c);
bool tl_check_nvme_posts(struct tl_checker *c);
bool tl_check_nvme_devices(struct tl_checker *c);
bool tl_check_nvme_wrong(struct tl_checker *c);

#endif
