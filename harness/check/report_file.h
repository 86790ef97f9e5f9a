/* SPDX-License-Identifier: Apache-2.0
 * report_file.h - writes a report to a file: --report of all verbs that have results. */
#ifndef TL_HARNESS_CHECK_REPORT_FILE_H
#define TL_HARNESS_CHECK_REPORT_FILE_H

#include "codecs/base/error.h"
#include "reports/formats/report.h"

#include <stdio.h>

struct tl_report_spec {
    tl_report_fn *write;
    const char *file;               /* "-": standard output; borrowed */
    bool stories;                   /* it shows steps and flows */
    bool brief;                     /* of tl_report_options */
    const char *stamp;              /* of tl_report_options; borrowed; may be NULL */
    uint64_t wall_ns;               /* of tl_report_options */
    const size_t *changes;          /* of tl_report_options; borrowed; may be NULL */
    const struct tl_causes *causes; /* of tl_report_options; borrowed; may be NULL */
};

/* Reads "FORMAT:FILE". 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_report_spec_read(const char *text, struct tl_report_spec *out,
                                 struct fal_error *err);

/* Opens the file without changing its content. So a run of hours fails at once if the file
 * cannot be written; privileges may be gone by the end. NULL with `err`. */
FILE *tl_report_open(const struct tl_report_spec *spec, struct fal_error *err);

/* Writes the report. `evidence` is the directory of the cases' evidence, or NULL: links to it
 * are relative to the file. Returns 0, or FAL_ERR_IO, FAL_ERR_MEM with `err`. */
MUST_USE int tl_report_write(const struct tl_report_spec *spec, enum tl_junit_flavor junit,
                             const char *evidence, const struct tl_results *results,
                             struct fal_error *err);
/* The same to a stream of tl_report_open, which is closed. */
MUST_USE int tl_report_write_to(const struct tl_report_spec *spec, FILE *out,
                                enum tl_junit_flavor junit, const char *evidence,
                                const struct tl_results *results, struct fal_error *err);

#endif
