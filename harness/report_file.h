/* SPDX-License-Identifier: Apache-2.0
 * report_file.h - a report to a file: what --report of every verb that has results does. */
#ifndef TL_HARNESS_REPORT_FILE_H
#define TL_HARNESS_REPORT_FILE_H

#include "codecs/error.h"
#include "reports/report.h"

struct tl_report_spec {
    tl_report_fn *write;
    const char *file; /* "-": standard output; borrowed */
    bool stories;     /* it shows steps and flows */
};

/* Reads "FORMAT:FILE". 0, or FAL_ERR_FORM with `err`. */
int tl_report_spec_read(const char *text, struct tl_report_spec *out, struct fal_error *err);

/* Writes it. `evidence` is the directory that cases' evidence lies in, or NULL: links to it are
 * relative to the file. 0, FAL_ERR_IO, FAL_ERR_MEM with `err`. */
int tl_report_write(const struct tl_report_spec *spec, enum tl_junit_flavor junit,
                    const char *evidence, const struct tl_results *results,
                    struct fal_error *err);

#endif
