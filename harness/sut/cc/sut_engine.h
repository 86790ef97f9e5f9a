/* SPDX-License-Identifier: Apache-2.0
 * sut_engine.h - the Rate Update Engine of the built-in SUT: Swift with PLB, perhaps with a
 * mistake or with other readings, or an algorithm that is not Swift; and the events that wait
 * for it where it needs time. */
#ifndef TL_HARNESS_SUT_CC_SUT_ENGINE_H
#define TL_HARNESS_SUT_CC_SUT_ENGINE_H

#include "harness/sut/sut_state.h"

/* Prepares a Swift with these parameters, with the fault and readings of the options. Returns
 * 0, or FAL_ERR_RANGE with `err`. */
MUST_USE int tl_sut_engine_swift(const struct tl_engine *engine,
                                 const struct fal_swift_params *params, struct fal_swift *out,
                                 struct fal_error *err);

/* Makes the result of an event. */
void tl_sut_engine_process(const struct tl_engine *engine, struct fal_swift *swift,
                           struct fal_cc_state *state, uint32_t now_ticks,
                           const struct fal_cc_event *event, struct fal_cc_result *result);

/* Changes an event of the device as engine->event_wrong says; `format` is that of its bytes. */
void tl_sut_engine_spoil(const struct tl_engine *engine, enum fal_cc_format format,
                         uint8_t entry[FAL_CC_ENTRY_LEN]);
/* Gives the ignored field of a result the value that it has in `now`, the event of the present
 * state. */
void tl_sut_engine_ignore(const struct tl_engine *engine, const struct fal_cc_event *now,
                          struct fal_cc_result *result);

/* The unit of the gap between packets in picoseconds, and a gap in that unit, rounded up. */
uint32_t tl_sut_engine_gap_tick_ps(const struct tl_engine *engine);
uint32_t tl_sut_engine_gap(const struct tl_engine *engine, uint64_t gap_ns);
uint64_t tl_sut_engine_gap_ns(const struct tl_engine *engine, uint32_t gap);

/* How the endpoint reaches such an engine; `outside`: events leave the endpoint. */
struct fal_rue_config tl_sut_engine_config(const struct tl_engine *engine, bool outside);

/* ---- events that wait ---- */

/* An event waits from now on. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_sut_waiting_add(struct tl_sut_waiting *waiting, const struct tl_engine *engine,
                                const uint8_t entry[FAL_CC_ENTRY_LEN], uint64_t now_ns);
/* When the engine handles the oldest, or FAL_NEVER. */
uint64_t tl_sut_waiting_due(const struct tl_sut_waiting *waiting);
/* Takes the oldest, which there is. */
void tl_sut_waiting_take(struct tl_sut_waiting *waiting, uint8_t entry[FAL_CC_ENTRY_LEN]);
void tl_sut_waiting_free(struct tl_sut_waiting *waiting);

#endif
