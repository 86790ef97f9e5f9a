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

/* The console's parts: one case as it ends, and the last line. */
int tl_report_case(FILE *out, const struct tl_results *results, const struct tl_case *c);
int tl_report_summary(FILE *out, const struct tl_results *results);

typedef int tl_report_fn(FILE *out, const struct tl_results *results);

/* The writer of that format ("json", "junit"), or NULL. */
tl_report_fn *tl_report_find(const char *format);

#endif
