/* SPDX-License-Identifier: Apache-2.0
 * journal.h - DIR/journal.jsonl, which a run with --out writes while it lasts: the request, and
 * the result of each case when it has ended. `talon run --resume DIR` reads it and goes on
 * where the run stopped. A run that ends by itself removes it. */
#ifndef TL_HARNESS_SUITE_JOURNAL_H
#define TL_HARNESS_SUITE_JOURNAL_H

#include "codecs/base/error.h"
#include "harness/suite/plan.h"
#include "reports/results/results.h"

#include <jansson.h>

#define TL_JOURNAL_SCHEMA "talon/journal/1"

struct tl_journal;

/* Begins a journal in `dir`, or goes on with the one there (`again`). `request` and `command`
 * are borrowed. Returns 0, or FAL_ERR_IO, FAL_ERR_MEM with `err`. */
MUST_USE int tl_journal_open(const char *dir, bool again, const json_t *request,
                             const json_t *command, struct tl_journal **out,
                             struct fal_error *err);
/* Writes which cases the run has, the product that the SUT reports and what was learned of it,
 * unless the journal has them already; then cases and product must be the same, and *learned
 * becomes what it was. Returns 0, FAL_ERR_FORM (another SUT, other cases) or FAL_ERR_IO with
 * `err`. */
MUST_USE int tl_journal_run(struct tl_journal *journal, const struct tl_planned *cases,
                            size_t num_cases, const char *product, struct tl_learned *learned,
                            struct fal_error *err);
/* The line of a case that has ended, with its newline. The caller frees it; NULL when out of
 * memory. */
char *tl_journal_line(size_t index, const struct tl_case *c);
/* Writes such a line; the kernel has it within 100 ms. */
MUST_USE int tl_journal_write(struct tl_journal *journal, const char *line,
                              struct fal_error *err);
/* `ended`: the run ended by itself; the journal is removed. NULL is nothing. */
void tl_journal_close(struct tl_journal *journal, bool ended);

/* What a journal holds. */
struct tl_journal_content {
    json_t *request, *command;
};

/* Reads the head of the journal in `dir`. Returns 0, FAL_ERR_IO (there is none), FAL_ERR_FORM
 * or FAL_ERR_MEM with `err`. The caller drops both references. */
MUST_USE int tl_journal_head(const char *dir, struct tl_journal_content *out,
                             struct fal_error *err);
/* Fills in the cases that had ended: calls `take` with the number of a case and its result,
 * which `take` owns. Only after tl_journal_run has succeeded. Returns 0, FAL_ERR_FORM or
 * FAL_ERR_MEM with `err`. A last line that was cut is ignored: its case did not end. */
typedef void tl_journal_take(void *ctx, size_t index, struct tl_case *c);
MUST_USE int tl_journal_cases(struct tl_journal *journal, size_t num_cases,
                              tl_journal_take *take, void *ctx, struct fal_error *err);

#endif
