/* SPDX-License-Identifier: Apache-2.0
 * hold.h - stops the timers by which an endpoint acts without being asked: a person looks at
 * the tester's end of a live connection, and it must not give up meanwhile. Packets that arrive
 * are still processed and acknowledged. */
#ifndef FAL_ORACLES_ENDPOINT_HOLD_H
#define FAL_ORACLES_ENDPOINT_HOLD_H

#include "oracles/endpoint/endpoint.h"

/* While a timer is stopped, its time is this much later than when it began. */
#define FAL_HELD_NS (UINT64_C(1) << 61)

/* Stops the timers of the connection that run now: those of packets that wait for an ACK, of
 * open transactions, and of a probe of the tail. Timers that begin later run. A connection that
 * is not open has none. */
void fal_endpoint_hold(struct fal_endpoint *ep, uint32_t conn);
/* They run again, with what was left of them: they expire held_ns later than they would have.
 */
void fal_endpoint_release(struct fal_endpoint *ep, uint32_t conn, uint64_t held_ns);

#endif
