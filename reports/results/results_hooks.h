/* SPDX-License-Identifier: Apache-2.0
 * results_hooks.h - values of a results file that are more than a number or a text: texts that
 * outlive the file, verdicts, reasons, requirements, rules. The context of a read (wrong->ctx)
 * is the arena that keeps what is borrowed. */
#ifndef TL_REPORTS_RESULTS_RESULTS_HOOKS_H
#define TL_REPORTS_RESULTS_RESULTS_HOOKS_H

#include "reports/results/results.h"

/* const char *: kept in the arena; char *: to be freed. Bytes that are not UTF-8 are written as
 * U+FFFD, and NUL is read as U+FFFD. */
extern const struct fal_shape tl_text_shape, tl_own_text_shape;
extern const struct fal_shape tl_verdict_shape, tl_reason_shape;
/* const struct fal_rule *; a rule that this version does not know is made. */
extern const struct fal_shape tl_rule_shape;
/* The seed of a case: "0x" and 16 digits. */
extern const struct fal_shape tl_case_seed_shape;

/* The hooks of tl_text_shape. */
int tl_text_read(const json_t *value, void *out, struct fal_misfit *wrong);
int tl_text_write_member(const void *in, json_t **out);
/* A text in the arena; NULL when out of memory. */
const char *tl_text_keep(const json_t *text, struct fal_misfit *wrong);
/* By its id, which is kept; one that the catalogue does not have is made. NULL when out of
 * memory. */
const struct fal_requirement *tl_requirement_keep(const char *id, const char *text,
                                                  struct fal_misfit *wrong);
/* "Out of memory". Returns FAL_ERR_MEM. */
int tl_no_memory(struct fal_misfit *wrong);
/* A text that the engine writes as a member. 0, or FAL_ERR_MEM. */
MUST_USE int tl_text_write(const char *text, json_t **out);

#endif
