/* SPDX-License-Identifier: Apache-2.0
 * hunt_report.h - writes all findings in the folder of a corpus as documents: --report of
 * `talon fuzz`. */
#ifndef TL_FUZZ_HUNT_HUNT_REPORT_H
#define TL_FUZZ_HUNT_HUNT_REPORT_H

#include "harness/check/report_file.h"

enum { HUNT_REPORTS_MAX = 8 };

struct hunt_reports {
    struct tl_report_spec specs[HUNT_REPORTS_MAX];
    FILE *out[HUNT_REPORTS_MAX]; /* once opened */
    size_t count;
};

/* Reads one more "FORMAT:FILE". 0, or FAL_ERR_FORM with `err`. */
MUST_USE int hunt_reports_add(struct hunt_reports *reports, const char *text,
                              struct fal_error *err);

/* Opens the files: before the hunt, since it may last for hours. 0, or FAL_ERR_IO with `err`.
 */
MUST_USE int hunt_reports_open(struct hunt_reports *reports, struct fal_error *err);

/* Writes findings/NAME/results.json of `dir` as one run of `sut`, or one without a case when
 * nothing was found, and closes the files. 0, FAL_ERR_IO, FAL_ERR_FORM (a file there has
 * another format), FAL_ERR_MEM with `err`. */
MUST_USE int hunt_reports_write(struct hunt_reports *reports, const char *dir, const char *sut,
                                struct fal_error *err);

/* A verb that searches for findings. Report files and the process of the SUT must be there
 * before it plays; the reports are written after it. */
struct hunt_search {
    const char *verb, *dir, *sut; /* dir and sut: as of hunt_reports_write */
    struct tl_target *target;     /* its process is started */
    int (*play)(void *ctx);       /* returns an exit status */
    void *ctx;
};

/* Returns its exit status; TL_STATUS_ERROR after an error was printed. */
int hunt_reports_search(struct hunt_reports *reports, const struct hunt_search *search);

#endif
