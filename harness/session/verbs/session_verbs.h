/* SPDX-License-Identifier: Apache-2.0
 * session_verbs.h - words of RDMA verbs in a case: a command for the SUT, its reply, and the
 * events that were read.
 *
 *     struct fal_verbs ask = {.kind = FAL_VERBS_POST_SEND, .wr_id = 1, ...}, answer;
 *
 *     if (tl_session_verbs(session, &ask, &answer)) ... answer.rsn_first ...
 *     else if (session->broken.reason == TL_REASON_NONE) ... answer_error, answer_why ...
 *
 * Command, reply and events are on the timeline as FAL_EV_VERBS, in order with all others. A
 * case asks tl_offer_lacks_verb(bench, TL_DO_POST_SEND) first whether the adapter has the
 * word, and sets tl_session_config.upper to open a connection for verbs. */
#ifndef TL_HARNESS_SESSION_VERBS_SESSION_VERBS_H
#define TL_HARNESS_SESSION_VERBS_SESSION_VERBS_H

#include "harness/session/session.h"

enum { TL_WORDS_KEPT = 4096 };

/* An event of the verbs (wc, cq_event, async), of either side. */
struct tl_seen_word {
    uint64_t t_ns;
    enum tl_side side;
    struct fal_verbs verbs;
};

/* The words of a case. Events are counted from 0 over the case; the newest TL_WORDS_KEPT of
 * them are kept. */
struct tl_session_words {
    struct fal_verbs answer; /* of the last command, if it was applied */
    struct tl_seen_word *ring;
    uint64_t next; /* number of the next event */
    size_t cap;
};

/* Writes a command for the SUT and pumps until it is answered. True: it was applied, and
 * *answer (may be NULL) has the members of its reply. False: session->broken says why, or the
 * SUT refused it: session->answer_error ("failed", "busy", "unsupported") and ->answer_why. */
bool tl_session_verbs(struct tl_session *session, const struct fal_verbs *ask,
                      struct fal_verbs *answer);
/* Writes the command alone. When session->answered is set, tl_session_verbs_answer has the
 * reply's members. */
void tl_session_verbs_ask(struct tl_session *session, const struct fal_verbs *ask);
/* The reply to the last word that was applied, or NULL: there was none. */
const struct fal_verbs *tl_session_verbs_answer(const struct tl_session *session);

/* Number of the next event, and the event of a number; NULL: no longer, or not yet, kept. */
uint64_t tl_session_words_next(const struct tl_session *session);
const struct tl_seen_word *tl_session_word(const struct tl_session *session, uint64_t number);
/* Keeps an event; tl_session_keep_word_event calls it. */
void tl_session_keep_word(struct tl_session *session, enum tl_side side,
                          const struct fal_verbs *verbs, uint64_t t_ns);

/* ---- for session_ulp.c and session.c ---- */

/* Keeps an event of either side, also among those for which steps wait (session.h). */
void tl_session_keep_word_event(struct tl_session *session, enum tl_side side,
                                const struct fal_verbs *verbs, uint64_t t_ns);
/* A reply was read. */
void tl_session_word_answered(struct tl_session *session, const struct fal_ev_verbs *event);
void tl_session_words_free(struct tl_session *session);

#endif
