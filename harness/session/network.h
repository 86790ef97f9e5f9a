/* SPDX-License-Identifier: Apache-2.0
 * network.h - the words of --network: the effects of the simulated network on frames to and
 * from the built-in SUT (docs/formats.md). */
#ifndef TL_HARNESS_SESSION_NETWORK_H
#define TL_HARNESS_SESSION_NETWORK_H

#include "codecs/base/error.h"
#include "harness/session/bench_sut.h"

/* Reads "latency=20us,in:loss=1%,drop:push_data:nth=3" and adds it to the target's impair and
 * rules. Returns 0, or FAL_ERR_FORM with `err`; the target is then partly changed. */
MUST_USE int tl_network_read(const char *text, struct tl_target *target, struct fal_error *err);

#endif
