/* SPDX-License-Identifier: Apache-2.0
 * run_watch.h - `talon run --watch`: runs again whenever a file that the run reads changes. */
#ifndef TL_HARNESS_CLI_AUTHOR_RUN_WATCH_H
#define TL_HARNESS_CLI_AUTHOR_RUN_WATCH_H

#include "harness/run/request.h"

/* One run. Returns its exit status. */
typedef int tl_watch_run(const struct tl_request *request, const json_t *command);

/* Runs the request in a process of its own, and again after each change of its scenarios,
 * profile, ICS, IXIT or waivers, until SIGINT or SIGTERM. Files that editors replace by
 * renaming are followed. Returns the exit status of the last run; TL_STATUS_USAGE after a
 * message for a request that cannot be watched; TL_STATUS_ERROR where the system refuses. */
MUST_USE int tl_run_watch(const struct tl_request *request, const json_t *command,
                          tl_watch_run *run);

#endif
