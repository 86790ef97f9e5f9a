/* SPDX-License-Identifier: Apache-2.0
 * lockstep_server.h - `talon sut --lockstep`: the built-in SUT as the process of `--sut exec:`
 * (docs/sut-protocol.md, "Lockstep"). */
#ifndef TL_HARNESS_SUT_LOCKSTEP_SERVER_H
#define TL_HARNESS_SUT_LOCKSTEP_SERVER_H

#include "codecs/base/error.h"
#include "harness/sut/slow.h"
#include "harness/sut/sut.h"

#include <stdio.h>

/* Serves until the end of `in`. The seed comes with `begin`, unless config has one. Returns 0,
 * or FAL_ERR_IO, FAL_ERR_MEM, FAL_ERR_FORM with `err`. `slow` says how late its packets leave.
 */
MUST_USE int tl_lockstep_serve(const struct tl_sut_config *config, const struct tl_slow *slow,
                               FILE *in, FILE *out, struct fal_error *err);

#endif
