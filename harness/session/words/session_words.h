/* SPDX-License-Identifier: Apache-2.0
 * session_words.h - words of upper layers in a case: a command for the SUT, its reply, and the
 * events that were read.
 *
 *     const struct tl_words *words = tl_words_of(TL_UPPER_VERBS);
 *     union tl_word ask = {.verbs = {.kind = FAL_VERBS_POST_SEND, .wr_id = 1, ...}}, answer;
 *
 *     if (tl_session_ask_word(session, words, &ask, &answer)) ... answer.verbs.rsn_first ...
 *     else if (session->broken.reason == TL_REASON_NONE) ... answer_error, answer_why ...
 *
 * Command, reply and events are on the timeline as FAL_EV_VERBS, in order with all others. A
 * case asks tl_offer_lacks_verb(bench, TL_DO_POST_SEND) first whether the adapter has the
 * word, and sets tl_session_config.upper to open a connection for that layer. */
#ifndef TL_HARNESS_SESSION_WORDS_SESSION_WORDS_H
#define TL_HARNESS_SESSION_WORDS_SESSION_WORDS_H

#include "harness/session/session.h"
#include "harness/wire/words.h"

enum { TL_WORDS_KEPT = 4096 };

/* An event of an upper layer (wc, cq_event, async), of either side. */
struct tl_seen_word {
    uint64_t t_ns;
    enum tl_side side;
    const struct tl_words *words;
    union tl_word word;
};

/* The words of a case. Events are counted from 0 over the case; the newest TL_WORDS_KEPT of
 * them are kept. */
struct tl_session_words {
    union tl_word answer; /* of the last command, if it was applied */
    struct tl_seen_word *ring;
    uint64_t next; /* number of the next event */
    size_t cap;
};

/* Writes a command for the SUT and pumps until it is answered. True: it was applied, and
 * *answer (may be NULL) has the members of its reply. False: session->broken says why, or the
 * SUT refused it: session->answer_error ("failed", "busy", "unsupported") and ->answer_why. */
bool tl_session_ask_word(struct tl_session *session, const struct tl_words *words,
                         union tl_word *ask, union tl_word *answer);

/* Number of the next event, and the event of a number; NULL: no longer, or not yet, kept. */
uint64_t tl_session_words_next(const struct tl_session *session);
const struct tl_seen_word *tl_session_word(const struct tl_session *session, uint64_t number);
/* Prints the members that tell a word from others: "wc qp=q1 wr_id=1 status=0 byte_len=8". */
void tl_session_print_word(const struct tl_words *words, const union tl_word *word, char *out,
                           size_t cap);

/* ---- for session_ulp.c and session.c ---- */

/* Keeps an event of either side, which came now, also among those for which steps wait
 * (session.h). */
void tl_session_keep_word_event(struct tl_session *session, enum tl_side side,
                                const struct tl_words *words, const union tl_word *word);
/* The same of an event that was read at that time. */
void tl_session_word_told(struct tl_session *session, const struct fal_event *event,
                          uint64_t t_ns);
/* A reply was read. */
void tl_session_word_answered(struct tl_session *session, const struct fal_event *event);
void tl_session_words_free(struct tl_session *session);

#endif
