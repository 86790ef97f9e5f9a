/* SPDX-License-Identifier: Apache-2.0
 * report.h - results in, documents out. Each writer is a pure function of the results: it
 * decides nothing and reads no clock, so a golden file tests it. To add a format, add a writer
 * here and a row in report.c. */
#ifndef TL_REPORTS_FORMATS_REPORT_H
#define TL_REPORTS_FORMATS_REPORT_H

#include "codecs/base/error.h"
#include "reports/results/results.h"

#include <stdio.h>

/* Whose reader a JUnit file is for: the strictest; one that shows files and attachments; those
 * that read properties of a case. */
enum tl_junit_flavor { TL_JUNIT_JENKINS, TL_JUNIT_GITLAB, TL_JUNIT_RICH };
/* Their names, in this order. */
#define TL_JUNIT_FLAVORS "jenkins gitlab rich"

struct tl_causes;

struct tl_report_options {
    enum tl_junit_flavor junit;
    /* Where the evidence of cases lies, as links in the report have it: "" or a path with a
     * slash at its end; NULL: there are no links. */
    const char *evidence;
    const char *stamp; /* when the run was, for people; NULL: the report does not say */
    uint64_t wall_ns;  /* how long the run took by the wall clock; 0: not known. JUnit shows it
                          beside a stamp */
    bool brief;        /* Markdown: for the comment of a pull request */
    /* Of the results, so that several reports need not find them again; NULL: the report does.
     */
    const struct tl_causes *causes;
    /* How many cases changed since another run, by enum tl_change; NULL: not compared. */
    const size_t *changes;
};

/* Each returns 0, FAL_ERR_MEM, FAL_ERR_IO when a write failed, or what reading the cases came
 * to. `options` may be NULL. */
typedef int tl_report_fn(FILE *out, const struct tl_results *results,
                         const struct tl_report_options *options);
tl_report_fn tl_report_json, tl_report_junit, tl_report_html, tl_report_sarif,
    tl_report_markdown, tl_report_tap, tl_report_text;

/* The console's parts: one case as it ends; and the summary, by chapter where there are
 * several, with what became of waivers and the ICS. */
MUST_USE int tl_report_case(FILE *out, const struct tl_results *results,
                            const struct tl_case *c);
MUST_USE int tl_report_summary(FILE *out, const struct tl_results *results);
/* The same, in colours where the terminal has them. */
MUST_USE int tl_report_case_in(FILE *out, const struct tl_results *results,
                               const struct tl_case *c, bool colour);
/* The same; `table`: with a table of all chapters, else with a line of those that failed. */
MUST_USE int tl_report_summary_of(FILE *out, const struct tl_results *results, bool colour,
                                  bool table);
/* The first line of a case alone. */
MUST_USE int tl_report_line_in(FILE *out, const struct tl_case *c, bool colour);
MUST_USE int tl_report_summary_in(FILE *out, const struct tl_results *results, bool colour);

/* Why cases did not pass: at most ten blocks in 84 lines of 100 columns; `all`: every one. */
MUST_USE int tl_report_causes(FILE *out, const struct tl_results *results,
                              const struct tl_causes *causes, bool all);

/* "\033[31m" for a failure, ...; "" where there is nothing to stress, and to end it. */
const char *tl_report_colour(enum fal_verdict verdict);
#define TL_COLOUR_END "\033[0m"

/* The writer of that format, or NULL. */
tl_report_fn *tl_report_find(const char *format);
/* Whether that format shows the stamp and the changes. */
bool tl_report_shows_changes(tl_report_fn *write);
/* Whether it says when the run was. */
bool tl_report_shows_stamp(tl_report_fn *write);
/* "html, json, ...": all of them, for messages. */
extern const char tl_report_formats[];

/* "jenkins", "gitlab", "rich"; -1 for any other name. */
int tl_junit_flavor_from(const char *name);

#endif
