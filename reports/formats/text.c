/* SPDX-License-Identifier: Apache-2.0
 * text.c - the console's report as a document. */
#include "reports/formats/report.h"

int tl_report_text(FILE *out, const struct tl_results *results,
                   const struct tl_report_options *options)
{
    struct tl_cases it;
    const struct tl_case *c;
    int rc = 0;

    (void)options;
    tl_cases_begin(&it, results);
    while (rc == 0 && (c = tl_cases_next(&it)) != NULL)
        rc = tl_report_case(out, results, c);
    tl_cases_end(&it);
    rc = rc != 0 ? rc : it.rc;
    return rc != 0 ? rc : tl_report_summary(out, results);
}
