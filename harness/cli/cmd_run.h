/* SPDX-License-Identifier: Apache-2.0
 * cmd_run.h - a run, for `talon run` and for verbs that need one. */
#ifndef TL_HARNESS_CLI_CMD_RUN_H
#define TL_HARNESS_CLI_CMD_RUN_H

#include "codecs/base/error.h"
#include "harness/run/request.h"

/* Does what the request asks for: prints, writes reports and evidence. `command` is recorded in
 * run.json as what was typed. Returns the exit status of `talon run`. */
MUST_USE int tl_run_request(const struct tl_request *request, const json_t *command);

#endif
