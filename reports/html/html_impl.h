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
    size_t number;   /* of the case that is written, from 1, in the order of the results */
    size_t written;  /* cases so far */
    size_t bytes;    /* of the cases so far, */
    size_t ladders;  /* and of them their diagrams */
    size_t examples; /* diagrams of the simplest cases of causes */
    size_t without;  /* cases whose ladder was left out */
};

/* A text, escaped. */
void tl_html_put(const struct tl_html *h, const char *text);
/* "fail": a word, in the colours of a verdict. */
void tl_html_badge(const struct tl_html *h, const char *verdict, const char *word);
/* The id of a requirement, as a link to its row in the matrix. */
void tl_html_requirement(const struct tl_html *h, const struct fal_requirement *r);
/* The anchor of the case of that id, "c0123...". */
void tl_html_anchor(const struct tl_html *h, const char *id);
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
/* Whether the cases that are still to come must be brief: each with its first problem alone. */
bool tl_html_full(const struct tl_html *h);
/* ---- diagrams ---- */

enum { TL_HTML_LINE = 13, TL_HTML_LINES_MAX = 24, TL_HTML_STRESSED = 12 };

struct tl_html_line {
    const char *text;
    size_t len;
};

/* Breaks a text at spaces into lines of at most `width` characters. A word that is longer than
 * a line is broken, too. Returns the number of lines, at least 1; what does not fit into
 * TL_HTML_LINES_MAX is left out. */
size_t tl_html_break(const char *text, size_t width,
                     struct tl_html_line lines[TL_HTML_LINES_MAX]);

/* Words of a text that are stressed. */
struct tl_html_stress {
    struct {
        size_t at; /* offset of the word */
    } words[TL_HTML_STRESSED];
    size_t count;
};

/* Stresses the words of the packet that are about what the problem says: of a step the field
 * that differs, of a rule each field that its texts name. */
void tl_html_differs(const struct tl_problem *p, const struct tl_flow_item *packet,
                     struct tl_html_stress *stress);
/* Whether the problem is a packet that did not come, or came otherwise. */
bool tl_html_packet_due(const struct tl_problem *p);

/* Writes the text in such lines into an open <text> at x and y. `stress` may be NULL. */
void tl_html_lines(const struct tl_html *h, const char *text, size_t width, int x, int y,
                   const struct tl_html_stress *stress);

/* How many entries from number `from` on only repeat those before them, with other numbers at
 * most: a pattern of up to 6 entries that comes at least 4 times. `keep`: a number of an entry
 * that is no part of a repetition, as marked ones. Returns 0 if nothing repeats; else *again
 * gets how often the `*period` entries before `from` come again. */
size_t tl_html_repeats(const struct tl_case *c, size_t from, size_t keep, size_t *period,
                       size_t *again);

/* html_posts.c: the table of work requests, if the flow has any. */
void tl_html_posts(const struct tl_html *h, const struct tl_case *c);
/* The time and direction of an item of the flow, as a link to its row below the diagram. */
void tl_html_link(const struct tl_html *h, const struct tl_case *c, size_t i);
/* The words of an item before the numbers that follow " # ". NULL is fine. */
void tl_html_words(const struct tl_html *h, const char *text);
/* html_commands.c: the table of the commands of NVMe, if the flow has any. */
void tl_html_commands(const struct tl_html *h, const struct tl_case *c);
/* Both ends' time axes and what went between them; 0, or FAL_ERR_MEM. */
MUST_USE int tl_html_ladder(struct tl_html *h, const struct tl_case *c);
void tl_html_matrix(const struct tl_html *h);
/* Tables of header fields, for the script. */
void tl_html_layouts(const struct tl_html *h);

#endif
