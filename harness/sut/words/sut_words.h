/* SPDX-License-Identifier: Apache-2.0
 * sut_words.h - upper layers of the built-in SUT: words of the control protocol go to an engine
 * (harness/engine), which plays the upper layer of connections that were opened for it. An
 * engine is made with the first such connection or word; a SUT without them pays nothing. */
#ifndef TL_HARNESS_SUT_WORDS_SUT_WORDS_H
#define TL_HARNESS_SUT_WORDS_SUT_WORDS_H

#include "harness/sut/sut_state.h"

/* The level of an upper layer that its limits leave it: 0 (none), 2 or 3. */
unsigned tl_sut_words_level(const struct tl_sut *sut, enum tl_upper_layer upper);
/* Adds what its hello says of the upper layers that it has: to the list of levels, and to the
 * identity. */
void tl_sut_words_levels(const struct tl_sut *sut, json_t *levels);
void tl_sut_words_hello(const struct tl_sut *sut, json_t *identity);

/* Carries out a word. */
tl_sut_command tl_sut_word;

/* A connection was opened for an upper layer: makes it one. 0, FAL_ERR_MEM or FAL_ERR_RANGE. */
MUST_USE int tl_sut_words_attach(struct tl_sut *sut, struct tl_sut_conn *conn,
                                 enum tl_upper_layer upper);
/* A connection is about to end. */
void tl_sut_words_detach(struct tl_sut *sut, const struct tl_sut_conn *conn);
/* The device is reset: all handles die. */
void tl_sut_words_reset(struct tl_sut *sut);
void tl_sut_words_free(struct tl_sut *sut);
/* Adds how often faults of the upper layers could have acted, and how often they have. */
void tl_sut_words_faults(const struct tl_sut *sut, uint64_t *chances, uint64_t *acts);

/* Gives an output of the endpoint, of a connection that is not raw, to its engine. False: it is
 * for others. */
bool tl_sut_words_take(struct tl_sut *sut, const struct tl_sut_conn *conn,
                       const struct fal_endpoint_out *out, uint64_t now_ns);
/* Sends the events of the engines. */
void tl_sut_words_tell(struct tl_sut *sut);

void tl_sut_words_tick(struct tl_sut *sut, uint64_t now_ns);
/* FAL_NEVER: no timer runs. */
uint64_t tl_sut_words_deadline(const struct tl_sut *sut);

#endif
