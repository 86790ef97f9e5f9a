/* SPDX-License-Identifier: Apache-2.0
 * tester_words.h - upper layers at the tester's end of a case: engines above the tester's
 * endpoint, of which steps ask what they ask of the SUT.
 *
 *     union tl_word ask = {.verbs = {.kind = FAL_VERBS_POST_RECV, ...}}, answer;
 *
 *     if (tl_session_tester_word(session, words, &ask, &answer, &err) != 0) ... err.text ...
 *
 * An engine begins with the first word of its layer. From then on it answers the requests of
 * the SUT, and numbers its own requests (RDMA 8.2: from SN 1). Its events are kept like those
 * of the SUT (session_words.h), with TL_SIDE_TESTER. Its words are notes on the timeline, not
 * events of words: the judge reads these as words of the SUT. */
#ifndef TL_HARNESS_SESSION_WORDS_TESTER_WORDS_H
#define TL_HARNESS_SESSION_WORDS_TESTER_WORDS_H

#include "harness/session/session.h"
#include "harness/wire/words.h"

/* Carries out one word on the session's connection. *answer gets the members of the reply.
 * Returns 0; or FAL_ERR_FORM or FAL_ERR_RANGE (refused), FAL_ERR_MEM (the session is broken),
 * or another code (the queue is full), with a sentence in *err. */
MUST_USE int tl_session_tester_word(struct tl_session *session, const struct tl_words *words,
                                    union tl_word *ask, union tl_word *answer,
                                    struct fal_error *err);

/* ---- for session.c and session_ulp.c ---- */

/* Gives the engines an output of the tester's endpoint. False: there is none, or the output is
 * not for them. */
bool tl_session_tester_words_take(struct tl_session *session,
                                  const struct fal_endpoint_out *out);
/* When an engine wants to be called; FAL_NEVER: never. */
uint64_t tl_session_tester_words_deadline(const struct tl_session *session);
/* Calls the engines that are due. True when one was. */
bool tl_session_tester_words_tick(struct tl_session *session);
void tl_session_tester_words_free(struct tl_session *session);

#endif
