/* SPDX-License-Identifier: Apache-2.0
 * sut_cc.h - congestion control of the built-in SUT: its Rate Update Engine, and the commands
 * about it (docs/sut-protocol.md, Congestion control). */
#ifndef TL_HARNESS_SUT_CC_SUT_CC_H
#define TL_HARNESS_SUT_CC_SUT_CC_H

#include "harness/sut/sut_state.h"

/* Frees what it has allocated. */
void tl_sut_cc_free(struct tl_sut_cc *cc);
/* As it was when the SUT began: after a reset of the device. */
void tl_sut_cc_begin(struct tl_sut *sut);
/* A connection was opened, or opened again. */
void tl_sut_cc_opened(struct tl_sut *sut, const struct tl_sut_conn *conn, uint64_t now_ns);

/* Whether some of the commands are offered (level Lc), and `cc` of the reply to hello. */
bool tl_sut_cc_offered(const struct tl_sut *sut);
json_t *tl_sut_cc_hello(const struct tl_sut *sut);

/* The endpoint has an event for the RUE: the tester, or an engine of the SUT that needs time.
 */
void tl_sut_cc_event(struct tl_sut *sut, const struct tl_sut_conn *conn,
                     const uint8_t entry[FAL_CC_ENTRY_LEN], uint64_t now_ns);
/* When that engine gives its next result, or FAL_NEVER; it gives those that are due. */
uint64_t tl_sut_cc_deadline(const struct tl_sut *sut);
void tl_sut_cc_tick(struct tl_sut *sut, uint64_t now_ns);

tl_sut_command tl_sut_cc_config, tl_sut_cc_feed, tl_sut_cc_trace, tl_sut_cc_engine,
    tl_sut_cc_result, tl_sut_rx_levels;

#endif
