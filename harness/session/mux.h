/* SPDX-License-Identifier: Apache-2.0
 * mux.h - several connections at once: one bench, shared by copies of a case. Each copy has a
 * stack (fibers.h), a link and a bench of its own, and runs as if it were the only one; here it
 * is decided whose turn it is. All copies run in one thread, and time moves when all of them
 * wait: in virtual time a run with copies is repeatable to the byte. A frame from the SUT goes
 * to the copy at whose port it arrived, where each has one (udp); else to the one that owns its
 * CID, or under seal its SPI; what nobody owns goes to the first, whose judge will say so. A
 * frame to the SUT that names another copy's connection is told to that one, for its own judge
 * (TL_LINK_OTHER). Control lines are renumbered: each copy sees ids and sequence numbers as if
 * it were alone, a `reset` is done once for all, and the frame counters of the SUT are split,
 * so that they agree for each when they agree for all.
 *
 * The copies may also be lanes: each plays different cases, one after another, on connections
 * of its own. A `reset` of a lane then only closes the lane's connection, because the other
 * lanes still play; the lane gets the reply of a device that was reset. `counters` compares the
 * frames of all lanes: when they agree, no frame of any lane was lost since the lanes began. */
#ifndef TL_HARNESS_SESSION_MUX_H
#define TL_HARNESS_SESSION_MUX_H

#include "harness/link/fibers.h"
#include "harness/session/bench_sut.h"

enum { TL_COPIES_MAX = 64 };

struct tl_mux;

/* Makes a mux. `bench` is connected and borrowed, and no other code may use it while the mux
 * exists. `stacks` is borrowed, too; it may be NULL. NULL when out of memory. */
struct tl_mux *tl_mux_new(struct tl_bench *bench, unsigned copies, struct tl_stacks *stacks,
                          struct fal_error *err);
/* Makes a mux of lanes. It resets the device first, so that the frames of both ends are counted
 * from the same moment. NULL with `err`: out of memory, or the SUT did not answer; then
 * bench->dead is set. */
struct tl_mux *tl_mux_new_lanes(struct tl_bench *bench, unsigned lanes,
                                struct tl_stacks *stacks, struct fal_error *err);
/* Whether lanes should take no further case, and begin again: frames were lost, so that the
 * counters would prove nothing for later cases; or the link or the SUT broke down. */
bool tl_mux_unsettled(const struct tl_mux *mux);
/* Whether the SUT sent a frame that belongs to no lane, or events were lost. Either may concern
 * any of the cases that were playing, so these must be played again, one at a time. */
bool tl_mux_strayed(const struct tl_mux *mux);

/* Call it when all copies have ended: it leaves the bench as one case leaves it. */
void tl_mux_free(struct tl_mux *mux);

/* The bench of a copy; the mux frees its link. */
struct tl_bench *tl_mux_bench(struct tl_mux *mux, unsigned copy);

/* Calls `play` once for each copy, and returns when all have ended. While a copy waits on its
 * link, the others go on. */
void tl_mux_play(struct tl_mux *mux, void (*play)(void *ctx, unsigned copy), void *ctx);

/* The copy has reached this stage (stages rise from 1). True when all copies that still play
 * have reached it. */
bool tl_mux_reached(struct tl_mux *mux, unsigned copy, unsigned stage);

/* Lets a copy that waits go on, as if its time had come. */
void tl_mux_wake(struct tl_mux *mux, unsigned copy);

/* The CID that the SUT allocated for the connection of the next copy; 0: not known. */
uint32_t tl_mux_other_cid(const struct tl_mux *mux, unsigned copy);

#endif
