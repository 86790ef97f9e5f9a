/* SPDX-License-Identifier: Apache-2.0
 * run_roce.h - `talon run` for scenarios of RoCEv2 (docs/roce.md). */
#ifndef TL_HARNESS_CLI_RUN_ROCE_H
#define TL_HARNESS_CLI_RUN_ROCE_H

#include "harness/run/request.h"

/* Whether the request is about them: by its profile, or by its first path. */
bool tl_run_is_roce(const struct tl_request *request);
/* Plays them. Returns the exit status. */
int tl_run_roce(const struct tl_request *request, const json_t *command);

#endif
