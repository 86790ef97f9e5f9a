/* SPDX-License-Identifier: Apache-2.0
 * history_page.h - between the files that write the page of the history. */
#ifndef TL_HARNESS_HISTORY_HISTORY_PAGE_H
#define TL_HARNESS_HISTORY_HISTORY_PAGE_H

#include "harness/history/history_out.h"

enum { TL_HISTORY_BARS = 60 }; /* runs of a series that bars and letters show, the newest */

/* Number and day of a run, linked to its line in the list. */
void tl_history_page_run(FILE *out, const struct tl_history_view *view,
                         const struct tl_history_run *run);
/* Bars of the cases that did not pass in each run of a series. */
void tl_history_page_bars(FILE *out, const struct tl_history_view *view, size_t series);
/* Whether the matrix has a line for that firmware: beside trends only the newest have one. */
bool tl_history_page_shows(const struct tl_history_view *view, size_t firmware);
/* A chip for each chapter of a run; of one that did not pass, how many cases did. */
void tl_history_page_chips(FILE *out, const struct tl_history_cell *cell);
/* A section for each run of the matrix: causes, and cases that did not pass. */
void tl_history_page_details(FILE *out, const struct tl_history_view *view);
/* The section of the matrix: device by firmware by profile, with the chapters of each cell. */
void tl_history_page_matrix(FILE *out, const struct tl_history_view *view);

#endif
