/* SPDX-License-Identifier: Apache-2.0
 * algorithm.h - a user's algorithm for the event pipeline: a library with the interface of
 * talon_event_algorithm.h, in a process of its own. */
#ifndef TL_HARNESS_EVENTPIPE_ALGORITHM_H
#define TL_HARNESS_EVENTPIPE_ALGORITHM_H

#include "oracles/eventpipe/pipe.h"

struct tl_ep_algorithm;

/* Reads "lib:FILE". Returns the file, or NULL with `err`. */
const char *tl_ep_algorithm_file(const char *text, struct fal_error *err);

/* Starts the process and loads the library. It must answer within `answer_s` seconds (0: 30).
 * Returns 0, FAL_ERR_IO or FAL_ERR_MEM with `err`. */
MUST_USE int tl_ep_algorithm_open(struct tl_ep_algorithm **out, const char *file,
                                  unsigned answer_s, struct fal_error *err);
/* NULL is allowed. */
void tl_ep_algorithm_close(struct tl_ep_algorithm *algorithm);
/* For the pipeline, which borrows it. */
struct fal_ep_algorithm tl_ep_algorithm_of(struct tl_ep_algorithm *algorithm);
/* Why a run returned an error: it ended, hangs, or gave an impossible answer. */
const struct fal_error *tl_ep_algorithm_error(const struct tl_ep_algorithm *algorithm);

#endif
