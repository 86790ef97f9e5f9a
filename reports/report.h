/* SPDX-License-Identifier: Apache-2.0
 * report.h - results in, documents out. Each writer is a pure function of the results: it
 * decides nothing and reads no clock, so a golden file tests it. To add a format, add a writer
 * here and a row in report.c. */
#ifndef TL_REPORTS_REPORT_H
#define TL_REPORTS_REPORT_H

#include "reports/results.h"

#include <stdio.h>

/* Each returns 0, FAL_ERR_MEM, or FAL_ERR_IO when a write failed. */
int tl_report_json(FILE *out, const struct tl_results *results);
int tl_report_junit(FILE *out, const struct tl_results *results);

/* The console's parts: one case as it ends; and the summary, by chapter where there are
 * several, with what became of waivers and the ICS. */
int tl_report_case(FILE *out, const struct tl_results *results, const struct tl_case *c);
int tl_report_summary(FILE *out, const struct tl_results *results);
/* The same, in colours where the terminal has them. */
int tl_report_case_in(FILE *out, const struct tl_results *results, const struct tl_case *c,
                      bool colour);
int tl_report_summary_in(FILE *out, const struct tl_results *results, bool colour);

/* Of the console: what comes from a SUT may hold anything; a terminal gets printable characters
 * only. */
void tl_report_put(FILE *out, const char *text, size_t len);
/* "\033[31m" for a failure, ...; "" where there is nothing to stress, and to end it. */
const char *tl_report_colour(enum fal_verdict verdict);
#define TL_COLOUR_END "\033[0m"

/* The chapter that a scenario's file lies in: the last directory of its path, without a slash;
 * *len is its length, 0 where there is none. */
const char *tl_report_chapter(const char *file, size_t *len);

typedef int tl_report_fn(FILE *out, const struct tl_results *results);

/* The writer of that format ("json", "junit"), or NULL. */
tl_report_fn *tl_report_find(const char *format);

#endif
