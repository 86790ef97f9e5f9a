/* SPDX-License-Identifier: Apache-2.0
 * cc_engine.h - a Rate Update Engine that gives results: the reference model, a library, or a
 * program. The latter two run in a process of their own. */
#ifndef TL_HARNESS_CC_CC_ENGINE_H
#define TL_HARNESS_CC_CC_ENGINE_H

#include "harness/cc/cc_line.h"

struct tl_cc_engine;

/* Opens "model", "model:fault=NAME", "model:reading=NAME[,NAME...]" (oracles/cc/reading.h),
 * "lib:FILE.so" (talon_rue.h) or "exec:COMMAND" (docs/congestion.md), and configures it. It
 * must answer within `answer_s` seconds (0: 30). Returns 0, FAL_ERR_FORM (no such engine),
 * FAL_ERR_IO (it cannot be started, or refuses the parameters) or FAL_ERR_MEM, with `err`. */
MUST_USE int tl_cc_engine_open(struct tl_cc_engine **out, const char *name,
                               enum fal_cc_format format, const struct fal_swift_params *params,
                               unsigned answer_s, struct fal_error *err);
void tl_cc_engine_close(struct tl_cc_engine *engine);

/* The result of line->event, in line->result. Returns 0, or FAL_ERR_IO with `err`: it ended, is
 * silent, or gave no result. */
MUST_USE int tl_cc_engine_ask(struct tl_cc_engine *engine, struct tl_cc_line *line,
                              struct fal_error *err);

#endif
