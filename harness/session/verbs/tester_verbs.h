/* SPDX-License-Identifier: Apache-2.0
 * tester_verbs.h - RDMA verbs at the tester's end of a case: an engine of oracles/ulp above the
 * tester's endpoint, of which steps ask what they ask of the SUT.
 *
 *     struct fal_verbs ask = {.kind = FAL_VERBS_POST_RECV, ...}, answer;
 *
 *     if (tl_session_tester_verbs(session, &ask, &answer, &err) != 0) ... err.text ...
 *
 * The engine begins with the first word. From then on it answers the requests of the SUT, and
 * numbers its own requests from SN 1 (RDMA 8.2). Its events are kept like those of the SUT
 * (session_verbs.h), with TL_SIDE_TESTER. Its words are notes on the timeline, not FAL_EV_VERBS
 * events: the judge reads these as words of the SUT. */
#ifndef TL_HARNESS_SESSION_VERBS_TESTER_VERBS_H
#define TL_HARNESS_SESSION_VERBS_TESTER_VERBS_H

#include "harness/session/session.h"

/* Carries out one word on the session's connection. *answer gets the members of the reply.
 * Returns 0; or FAL_ERR_FORM or FAL_ERR_RANGE (refused), FAL_ERR_MEM (the session is broken),
 * or another code (the queue is full), with a sentence in *err. */
MUST_USE int tl_session_tester_verbs(struct tl_session *session, const struct fal_verbs *ask,
                                     struct fal_verbs *answer, struct fal_error *err);

/* ---- for session.c and session_ulp.c ---- */

/* Gives the engine an output of the tester's endpoint. False: there is no engine, or the output
 * is not for it. */
bool tl_session_tester_verbs_take(struct tl_session *session,
                                  const struct fal_endpoint_out *out);
/* When the engine wants to be called; FAL_NEVER: never. */
uint64_t tl_session_tester_verbs_deadline(const struct tl_session *session);
/* Calls the engine if it is due. True when it was. */
bool tl_session_tester_verbs_tick(struct tl_session *session);
void tl_session_tester_verbs_free(struct tl_session *session);

#endif
