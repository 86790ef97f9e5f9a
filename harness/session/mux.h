/* SPDX-License-Identifier: Apache-2.0
 * mux.h - several connections at once: one bench, shared by copies of a case. Each copy
 * has a thread, a link and a bench of its own, and plays as if it were alone; here it is
 * decided whose turn it is. One thread runs at a time, and time moves when all of them wait: in
 * virtual time a run with copies is repeatable to the byte.
 *
 * A frame from the SUT goes to the copy at whose port it arrived, where each has one (udp);
 * else to the one that owns its CID, or under seal its SPI; what nobody owns goes to the first,
 * whose judge will say so. A frame to the SUT that names another copy's connection is told to
 * that one, for its own judge (TL_LINK_OTHER). Control lines are renumbered: each copy sees ids
 * and sequence numbers as if it were alone, a `reset` is done once for all, and the frame
 * counters of the SUT are split, so that they agree for each when they agree for all. */
#ifndef TL_HARNESS_SESSION_MUX_H
#define TL_HARNESS_SESSION_MUX_H

#include "harness/session/bench_sut.h"

enum { TL_COPIES_MAX = 64 };

struct tl_mux;

/* `bench`: reached and greeted, borrowed, and nobody else's as long as the mux lives. NULL when
 * out of memory. */
struct tl_mux *tl_mux_new(struct tl_bench *bench, unsigned copies, struct fal_error *err);
/* When all copies have ended: the bench is as one case leaves it. */
void tl_mux_free(struct tl_mux *mux);

/* The copy's own bench; its link is the mux's to free. */
struct tl_bench *tl_mux_bench(struct tl_mux *mux, unsigned copy);

/* First and last of what a copy's thread does: between them it runs only when it is its turn.
 */
void tl_mux_begin(struct tl_mux *mux, unsigned copy);
void tl_mux_end(struct tl_mux *mux, unsigned copy);

/* The copy has come so far (stages rise from 1). True when all that still play have. */
bool tl_mux_reached(struct tl_mux *mux, unsigned copy, unsigned stage);

/* What the SUT allocated for the connection of the next copy; 0: not known. */
uint32_t tl_mux_other_cid(const struct tl_mux *mux, unsigned copy);

#endif
