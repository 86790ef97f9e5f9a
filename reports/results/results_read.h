/* SPDX-License-Identifier: Apache-2.0
 * results_read.h - talon/results/1 back from a file, case by case: memory does not grow with
 * it. A file is as hostile as any input: each error says where it is. What this version of
 * Talon does not know (a rule, a requirement) is kept by its id. */
#ifndef TL_REPORTS_RESULTS_RESULTS_READ_H
#define TL_REPORTS_RESULTS_RESULTS_READ_H

#include "codecs/base/error.h"
#include "reports/results/results.h"

#include <stdio.h>

struct tl_results_file;

/* Reads all of a stream that can be rewound and was opened by the caller, who closes it after
 * tl_results_close; `name` is for messages and borrowed. 0, FAL_ERR_FORM (it is no
 * talon/results/1, or says other counts, verdict or status than its cases come to), FAL_ERR_IO,
 * FAL_ERR_MEM with `err`. */
MUST_USE int tl_results_open(FILE *in, const char *name, struct tl_results_file **out,
                             struct fal_error *err);
/* The results that were read; the cases are read from the file on demand. */
struct tl_results *tl_results_of(struct tl_results_file *file);
/* All cases into memory, at tl_results_of(file)->cases. 0, or an error as above. */
MUST_USE int tl_results_load(struct tl_results_file *file, struct fal_error *err);
void tl_results_close(struct tl_results_file *file); /* NULL is nothing */

#endif
