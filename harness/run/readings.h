/* SPDX-License-Identifier: Apache-2.0
 * readings.h - scenario files are read side by side: each by itself, and put together in
 * order afterwards, so that the number of threads cannot be seen. */
#ifndef TL_HARNESS_RUN_READINGS_H
#define TL_HARNESS_RUN_READINGS_H

#include "harness/scenario/scenario.h"

/* A file that was read. */
struct tl_reading {
    const char *path;             /* borrowed */
    struct tl_scenario *scenario; /* its cases, or NULL with `said` */
    size_t cases;                 /* as many as there were */
    struct tl_position id;        /* where its id stands */
    char *said; /* what is wrong, with newlines; NULL with no scenario: memory */
};

/* Reads the file at each one's `path`, with so many threads at most. Of a file that is only
 * checked, no case but the first is kept. */
void tl_readings_make(struct tl_reading *readings, size_t n, unsigned jobs, bool only_check);

#endif
