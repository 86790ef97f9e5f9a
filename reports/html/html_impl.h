/* SPDX-License-Identifier: Apache-2.0
 * html_impl.h - between the files that write the HTML report. */
#ifndef TL_REPORTS_HTML_HTML_IMPL_H
#define TL_REPORTS_HTML_HTML_IMPL_H

#include "codecs/base/error.h"
#include "reports/causes/causes.h"
#include "reports/formats/report.h"
#include "reports/results/diff.h"
#include "reports/results/overview.h"

/* The text of html/style.css and html/script.js; the build makes them. */
extern const char tl_html_style[];
extern const char tl_html_script[];

struct tl_html {
    FILE *out;
    const struct tl_results *results;
    const struct tl_report_options *options;
    struct tl_overview overview;
    const struct tl_causes *causes;
    size_t number;  /* of the case that is written, from 1, in the order of the results */
    size_t written; /* cases so far */
    size_t bytes;   /* of the cases so far, */
    size_t ladders; /* and of them their diagrams */
    size_t without; /* cases whose ladder was left out */
};

/* A text, escaped. */
void tl_html_put(const struct tl_html *h, const char *text);
/* "fail": a word, in the colours of a verdict. */
void tl_html_badge(const struct tl_html *h, const char *verdict, const char *word);
/* The id of a requirement, as a link to its row in the matrix. */
void tl_html_requirement(const struct tl_html *h, const struct fal_requirement *r);
/* The anchor of the case of that id, "c0123...". */
void tl_html_anchor(const struct tl_html *h, const char *id);
/* A time as people write it: "8us". */
void tl_html_time(uint64_t ns, char *out, size_t cap);

/* The verdict of the run in one sentence. */
void tl_html_sentence(const struct tl_html *h);
/* Writes how many requirements are decided, which cases were not tested and why, what changed
 * since another run, when the run was and how long it took. Returns 0, or the error that
 * reading the cases gave. */
MUST_USE int tl_html_first(const struct tl_html *h);
/* Why cases did not pass: the first part of the summary. */
void tl_html_causes(const struct tl_html *h);
MUST_USE int tl_html_case(struct tl_html *h, const struct tl_case *c);
/* Whether a diagram of so many bytes leaves room for all cases that are still to come: the page
 * stays of a size that opens at once. */
bool tl_html_has_room(const struct tl_html *h, size_t bytes);
/* Both ends' time axes and what went between them; 0, or FAL_ERR_MEM. */
MUST_USE int tl_html_ladder(struct tl_html *h, const struct tl_case *c);
void tl_html_matrix(const struct tl_html *h);
/* Tables of header fields, for the script. */
void tl_html_layouts(const struct tl_html *h);

#endif
