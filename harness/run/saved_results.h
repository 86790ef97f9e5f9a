/* SPDX-License-Identifier: Apache-2.0
 * saved_results.h - opens saved results: a file, or a folder of evidence. */
#ifndef TL_HARNESS_RUN_SAVED_RESULTS_H
#define TL_HARNESS_RUN_SAVED_RESULTS_H

#include "codecs/base/error.h"
#include "reports/results/results_read.h"

struct tl_saved {
    struct tl_results_file *file;
    struct tl_results *results; /* of it */
    FILE *in;
    char *path;     /* of the file */
    char *evidence; /* the folder of its cases' evidence, or NULL */
};

/* Opens results.json of a folder, a file, or "-", standard input. Returns 0, or FAL_ERR_IO,
 * FAL_ERR_FORM, FAL_ERR_MEM with `err`; the caller closes it in any case. */
MUST_USE int tl_saved_open(struct tl_saved *saved, const char *path, struct fal_error *err);
void tl_saved_close(struct tl_saved *saved);

#endif
