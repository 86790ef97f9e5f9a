/* SPDX-License-Identifier: Apache-2.0
 * check_progress.h - how far `talon check` is, on a terminal. */
#ifndef TL_HARNESS_CLI_CHECK_CHECK_PROGRESS_H
#define TL_HARNESS_CLI_CHECK_CHECK_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum { TL_CHECK_PROGRESS_LINE = 160 };

struct tl_check_progress {
    bool on;    /* standard error is a terminal */
    bool shown; /* a line stands there */
    uint64_t begun_ns, shown_ns;
};

/* A file begins. */
void tl_check_progress_begin(struct tl_check_progress *progress);
/* A talon_progress_fn: shows the share of the file, frames a second and the time left, if that
 * takes more than a second. */
void tl_check_progress_show(void *ctx, uint64_t frames, uint64_t done, uint64_t size);
/* Removes the line; `ctx` is the progress. */
void tl_check_progress_end(void *ctx);

/* The line for a file of which `done` bytes of `size` (0: unknown) and so many frames were read
 * in that time. */
void tl_check_progress_line(uint64_t frames, uint64_t done, uint64_t size, uint64_t spent_ns,
                            char out[TL_CHECK_PROGRESS_LINE]);

#endif
