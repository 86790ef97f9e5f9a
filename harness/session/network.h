/* SPDX-License-Identifier: Apache-2.0
 * network.h - the words of --network: what the simulated network does to frames on their way to
 * and from the built-in SUT (docs/formats.md). */
#ifndef TL_HARNESS_SESSION_NETWORK_H
#define TL_HARNESS_SESSION_NETWORK_H

#include "codecs/base/error.h"
#include "harness/session/bench_sut.h"

/* Reads "latency=20us,in:loss=1%,drop:push_data:nth=3" into the target's impair and rules, on
 * top of what is there. 0, or FAL_ERR_FORM with `err`; the target is then half read. */
MUST_USE int tl_network_read(const char *text, struct tl_target *target, struct fal_error *err);

#endif
