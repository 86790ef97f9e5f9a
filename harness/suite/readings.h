/* SPDX-License-Identifier: Apache-2.0
 * readings.h - reads scenario files in parallel. Each file is read by itself, and the results
 * are put together in order, so the number of threads does not change the result. */
#ifndef TL_HARNESS_SUITE_READINGS_H
#define TL_HARNESS_SUITE_READINGS_H

#include "harness/scenario/scenario.h"

/* A file that was read. */
struct tl_reading {
    const char *path;             /* borrowed */
    struct tl_scenario *scenario; /* its cases, or NULL with `said` */
    size_t cases;                 /* as many as were read */
    size_t passed_over;           /* as many as were not wanted */
    struct tl_position id;        /* line of its id in the file */
    char *said; /* the errors, one a line; NULL without a scenario: out of memory */
};

/* How files are read. */
struct tl_reading_how {
    unsigned jobs;                  /* threads, at most */
    bool only_check;                /* of each file, all cases are read and the first is kept */
    const struct tl_wanted *wanted; /* NULL: all cases */
};

/* Reads the file at each `path`. */
void tl_readings_make(struct tl_reading *readings, size_t n, const struct tl_reading_how *how);

#endif
