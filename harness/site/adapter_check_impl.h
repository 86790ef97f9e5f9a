/* SPDX-License-Identifier: Apache-2.0
 * adapter_check_impl.h - between adapter_ask.c (one command, one answer) and adapter_check.c
 * (the checks). */
#ifndef TL_HARNESS_ADAPTER_CHECK_IMPL_H
#define TL_HARNESS_ADAPTER_CHECK_IMPL_H

#include "harness/site/adapter_check.h"

enum { TL_CHECK_CONN = 32, TL_CHECK_LINE = 600 };

struct tl_checker {
    struct tl_adapter *adapter;
    json_int_t id, epoch, seq;
    int level;
    char conn[TL_CHECK_CONN]; /* open, or "" */
    uint64_t flood, events;
    uint64_t completions, lost, dropped; /* of the events that were read */
    bool undecided;                      /* it cannot be told; why */
    char why[TL_CHECK_WHY];              /* "" while nothing is wrong */
};

/* Says what is wrong; false. */
bool tl_adapter_wrong(struct tl_checker *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool tl_adapter_send(struct tl_checker *c, const char *text);

/* The next answer, events let pass; new reference, or NULL. */
json_t *tl_adapter_answer(struct tl_checker *c);
/* Holds an answer against what is due: `outcome` is "ok", an error, or alternatives
 * "ok|failed". */
bool tl_adapter_answered(struct tl_checker *c, const json_t *object, json_int_t id,
                         json_int_t epoch, const char *outcome);
/* Asks one command, whose members behind "do" are given. The answer, a new reference, or NULL.
 */
json_t *tl_adapter_ask(struct tl_checker *c, const char *outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, where the answer says enough: takes it. */
bool tl_adapter_says(json_t *object);
#define SAYS(c, outcome, ...) tl_adapter_says(tl_adapter_ask(c, outcome, __VA_ARGS__))
bool tl_adapter_alive(struct tl_checker *c);

/* Events without a wire (adapter_events.c): posts to a peer that is not there, each of which
 * ends. */
bool tl_check_events(struct tl_checker *c);

#endif
