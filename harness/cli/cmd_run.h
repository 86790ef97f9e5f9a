/* SPDX-License-Identifier: Apache-2.0
 * cmd_run.h - a run, for `talon run` and for verbs that need one. */
#ifndef TL_HARNESS_CLI_CMD_RUN_H
#define TL_HARNESS_CLI_CMD_RUN_H

#include "codecs/base/error.h"
#include "harness/run/request.h"

/* Carries out the request: runs, prints, writes reports and evidence. `command` is recorded in
 * run.json as the typed command. Returns the exit status of `talon run`. */
MUST_USE int tl_run_request(const struct tl_request *request, const json_t *command);

/* Whether the SUT of the request answers its hello; nothing is played. Returns 0, or an error
 * whose sentence says what to do. */
MUST_USE int tl_run_reach(const struct tl_request *request, struct fal_error *err);

#endif
