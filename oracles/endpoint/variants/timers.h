/* SPDX-License-Identifier: Apache-2.0
 * timers.h - timers and clocks that are not exact. The specification names timeouts and units
 * and gives no accuracy: a timer may be late (timers-late), expire at ticks of the device
 * (timers-grid, timers-wheel; IXIT `tick`), the RTO may be set by the device (rto-varies; IXIT
 * `rto_lo`, `rto_hi`), and time stamps and timers may come from a clock that
 * advances in steps (clock-coarse). For connections with one of these variants; for others
 * nothing here has an effect. */
#ifndef FAL_ORACLES_ENDPOINT_VARIANTS_TIMERS_H
#define FAL_ORACLES_ENDPOINT_VARIANTS_TIMERS_H

#include "oracles/endpoint/connection.h"

/* After how long a timer that is started now expires, in ns, where `delay_ns` is nominal.
 * FAL_NEVER stays as it is. */
uint64_t fal_timers_delay(const struct fal_ep_conn *conn, uint64_t delay_ns);

/* The same for the retransmit timer of a packet that is sent now. Where timers are late by
 * different times, or the RTO varies, those of packets that were sent one after another expire
 * in this order (9.1.5). */
uint64_t fal_timers_retransmit(struct fal_ep_conn *conn, uint64_t rto_ns);

/* The time that a running retransmit timer has left, in ns, when a new RTO has come: `left_ns`
 * is nominal. A device that sets its RTO itself leaves the timer as it is, until `ends_ns`. */
uint64_t fal_timers_moved(struct fal_ep_conn *conn, uint64_t left_ns, uint64_t ends_ns);

/* The RTO of a packet that is sent now, in ns. */
uint64_t fal_timers_rto(const struct fal_ep_conn *conn, uint64_t rto_ns);

/* A time in ticks of 131.072 ns as the connection's clock shows it. */
uint32_t fal_timers_stamp(const struct fal_ep_conn *conn, uint32_t ticks);

/* The IV of a packet, larger than `last_iv`, which is that of the packet before. */
uint64_t fal_timers_iv(const struct fal_ep_conn *conn, uint64_t iv, uint64_t last_iv);

#endif
