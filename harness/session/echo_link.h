/* SPDX-License-Identifier: Apache-2.0
 * echo_link.h - links from the tester to the echo beside a SUT (echo.h). */
#ifndef TL_HARNESS_SESSION_ECHO_LINK_H
#define TL_HARNESS_SESSION_ECHO_LINK_H

#include "codecs/base/error.h"
#include "harness/link/pulse.h"
#include "harness/session/bench_sut.h"

enum { TL_ECHO_PULSE_PORT = 64 }; /* source ports of talon path-check are below */

/* The address of a live target with that port; 0: its own. Returns 0, FAL_ERR_FORM or
 * FAL_ERR_IO with `err`. */
MUST_USE int tl_echo_address(const struct tl_target *target, uint16_t port,
                             struct tl_address *out, struct fal_error *err);
/* Opens a link of the target's kind to the echo, from its n-th source port. The caller frees;
 * NULL with `err`. */
struct tl_link *tl_echo_link_open(const struct tl_target *target, const struct tl_address *echo,
                                  unsigned n, struct fal_error *err);
/* Probes beside a run to the echo at that port of a live target. The caller frees. NULL: there
 * is no echo, or it cannot be reached; the path is then not measured. */
struct tl_pulse *tl_echo_pulse(const struct tl_target *target, uint16_t port, uint64_t seed);

#endif
