/* SPDX-License-Identifier: Apache-2.0
 * results_testing.h - results for the tests of reports, and documents as texts. */
#ifndef TL_REPORTS_RESULTS_RESULTS_TESTING_H
#define TL_REPORTS_RESULTS_RESULTS_TESTING_H

#include "reports/formats/report.h"
#include "reports/results/results_read.h"

#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

/* A document; the caller frees it. */
static inline char *document(tl_report_fn *write, const struct tl_results *results,
                             const struct tl_report_options *options)
{
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(write(out, results, options), 0);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_uint_eq(strlen(text), len); /* no NUL in it */
    return text;
}

static FILE *text_stream; /* that results are read from */

/* Results as they come back from a text, until close_text; NULL with `err`. */
static inline struct tl_results_file *read_text(const char *text, struct fal_error *err)
{
    struct tl_results_file *file;

    text_stream = fmemopen((void *)text, strlen(text), "r");
    ck_assert_ptr_nonnull(text_stream);
    if (tl_results_open(text_stream, "x.json", &file, err) == 0)
        return file;
    (void)fclose(text_stream);
    return NULL;
}

static inline void close_text(struct tl_results_file *file)
{
    tl_results_close(file);
    (void)fclose(text_stream);
}

/* A case with the verdict, and a problem for every verdict but pass. */
static inline struct tl_case a_case(const char *id, enum fal_verdict verdict)
{
    struct tl_case c = {
        .id = id,
        .title = "A title",
        .file = "scenarios/9.1.6-acks/a.json",
        .kind = "valid",
        .version = 1,
        .seed = 5,
        .verdict = verdict,
        .reason = tl_reason_from(verdict > FAL_VERDICT_PASS ? "unmet" : NULL),
        .duration_ns = 1000,
        .num_attempts = 1,
    };
    struct tl_problem *p;

    c.attempts[0] = (struct tl_attempt){verdict, c.reason};
    if (verdict <= FAL_VERDICT_PASS)
        return c;
    p = tl_case_problem(&c);
    p->kind = verdict == FAL_VERDICT_ERROR ? TL_PROBLEM_BENCH : TL_PROBLEM_STEP;
    p->verdict = verdict;
    p->reason = tl_reason_from("unmet");
    p->step = 1;
    p->line = 12;
    p->requirement = fal_requirement_find("FTP-9.1.6-03");
    p->expected = strdup("< back dbase=1r");
    p->seen = strdup("@8us < back dbase=0r");
    tl_case_fingerprint(&c, id);
    return c;
}

static inline struct tl_results some(struct tl_case *cases, size_t n)
{
    struct tl_results results = {
        .version = "1", .sut = "builtin", .seed = 7, .cases = cases, .num_cases = n};

    tl_results_gather(&results);
    results.status = tl_results_status(&results);
    return results;
}

#endif
