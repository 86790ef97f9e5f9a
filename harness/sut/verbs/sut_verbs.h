/* SPDX-License-Identifier: Apache-2.0
 * sut_verbs.h - RDMA verbs of the built-in SUT: words of the control protocol go to a verbs
 * engine (oracles/ulp), which plays the upper layer of connections that were opened for verbs.
 * The engine is made with the first such connection or word; a SUT without them pays nothing.
 */
#ifndef TL_HARNESS_SUT_VERBS_SUT_VERBS_H
#define TL_HARNESS_SUT_VERBS_SUT_VERBS_H

#include "harness/sut/sut_state.h"

/* The level of verbs that its limits leave it: 0 (none), 2 or 3. */
unsigned tl_sut_verbs_level(const struct tl_sut *sut);

/* Carries out a word. */
tl_sut_command tl_sut_word;

/* A connection was opened for verbs: makes it one. 0, FAL_ERR_MEM or FAL_ERR_RANGE. */
MUST_USE int tl_sut_verbs_attach(struct tl_sut *sut, struct tl_sut_conn *conn);
/* A connection is about to end. */
void tl_sut_verbs_detach(struct tl_sut *sut, const struct tl_sut_conn *conn);
/* The device is reset: all handles die. */
void tl_sut_verbs_reset(struct tl_sut *sut);
void tl_sut_verbs_free(struct tl_sut *sut);

/* Gives an output of the endpoint, of a connection for verbs, to the engine. False: it is for
 * others. */
bool tl_sut_verbs_take(struct tl_sut *sut, const struct fal_endpoint_out *out, uint64_t now_ns);
/* Sends the events of the engine, which there must be. */
void tl_sut_verbs_tell(struct tl_sut *sut);

void tl_sut_verbs_tick(struct tl_sut *sut, uint64_t now_ns);
/* FAL_NEVER: no timer runs. */
uint64_t tl_sut_verbs_deadline(const struct tl_sut *sut);

#endif
