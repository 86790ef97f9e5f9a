/* SPDX-License-Identifier: Apache-2.0
 * check_progress.h - how far `talon check` is, on a terminal. */
#ifndef TL_HARNESS_CLI_CHECK_PROGRESS_H
#define TL_HARNESS_CLI_CHECK_PROGRESS_H

#include "harness/capture/capture.h"

enum { TL_CHECK_PROGRESS_LINE = 160 };

struct tl_check_progress {
    bool on;    /* standard error is a terminal */
    bool shown; /* a line stands there */
    uint64_t begun_ns, shown_ns;
};

/* A file begins. */
void tl_check_progress_begin(struct tl_check_progress *progress);
/* tl_check_options.progress: shows the share of the file, frames a second and the time left, if
 * that takes more than a second. */
void tl_check_progress_show(void *ctx, const struct tl_capture *capture, uint64_t frames);
/* Removes the line. */
void tl_check_progress_end(struct tl_check_progress *progress);

/* The line for a file of which `done` bytes of `size` (0: unknown) and so many frames were read
 * in that time. */
void tl_check_progress_line(uint64_t frames, uint64_t done, uint64_t size, uint64_t spent_ns,
                            char out[TL_CHECK_PROGRESS_LINE]);

#endif
