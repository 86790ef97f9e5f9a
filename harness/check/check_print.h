/* SPDX-License-Identifier: Apache-2.0
 * check_print.h - between the writers of `talon check`: text, JSON, results. */
#ifndef TL_HARNESS_CHECK_CHECK_PRINT_H
#define TL_HARNESS_CHECK_CHECK_PRINT_H

#include "harness/check/check.h"
#include "reports/results/results.h"

/* Whether the check reports on that rule's subject: on both in a timeline. */
bool tl_check_speaks_of(const struct tl_check *check, const struct fal_rule_result *result);
/* The result, or NULL where its side of the connection was not judged. */
bool tl_check_judged(const struct tl_check *check, int side, uint32_t conn);
/* Who is judged: "SUT", "tester", or in captures the host. */
void tl_check_party(const struct tl_check *check, int side, enum fal_subject subject,
                    uint32_t conn, char out[TL_CHECK_ADDRESS_MAX]);

/* Returns the verdict that a finding counts for: none if a step asked for the violation,
 * inconclusive if it is not certain. */
enum fal_verdict tl_check_finding_verdict(const struct tl_check *check,
                                          const struct tl_check_finding *found);

/* How a connection is known: "as given", ... */
const char *tl_check_how_known(const struct tl_check_conn *conn);

/* Why a capture that was declared to be complete is not, in one sentence. False: nothing shows
 * it. */
enum { TL_CHECK_MISSED_TEXT = 320 };
bool tl_check_missed_text(const struct tl_check *check, char *out, size_t cap);

json_t *tl_check_json(const struct tl_check *check); /* new reference; NULL: out of memory */

/* A case of results: what became of one file. False when out of memory. The strings of `out`
 * are the caller's, and are kept by reference: id, title, file. */
bool tl_check_case(const struct tl_check *check, enum fal_verdict verdict, const char *problem,
                   struct tl_case *out);

#endif
