/* SPDX-License-Identifier: Apache-2.0
 * run_sut.h - reads the description of a SUT ("builtin:fault=NAME", "udp:HOST:PORT") and the
 * address of its control channel. Errors do not name the option. */
#ifndef TL_HARNESS_RUN_RUN_SUT_H
#define TL_HARNESS_RUN_RUN_SUT_H

#include "codecs/base/error.h"
#include "harness/session/bench_sut.h"

/* Splits "pcap:FILE[@SUT]". Returns NULL when the text is no such description; else the SUT
 * ("builtin" when none is named), with FILE at *file (not terminated) and its length in *len.
 */
const char *tl_run_capture_of(const char *text, const char **file, size_t *len);

/* Reads any other description into the target's kind, address, faults and twins. Texts are
 * borrowed. The address of raw: is not checked yet: it may be one that --allow names. Returns
 * 0, or FAL_ERR_FORM with `err`. */
MUST_USE MUST_USE int tl_run_sut_read(const char *text, struct tl_target *target,
                                      struct fal_error *err);

/* Checks "tcp:HOST:PORT" or "unix:PATH". Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE MUST_USE int tl_run_control_check(const char *text, struct fal_error *err);

#endif
