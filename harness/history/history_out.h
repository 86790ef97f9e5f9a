/* SPDX-License-Identifier: Apache-2.0
 * history_out.h - what the history shows, as text for a terminal, as JSON, and as a page. */
#ifndef TL_HARNESS_HISTORY_HISTORY_OUT_H
#define TL_HARNESS_HISTORY_HISTORY_OUT_H

#include "codecs/json/shape.h"
#include "harness/history/history.h"

#include <stdio.h>

#define TL_HISTORY_SCHEMA "talon/history/1"

/* What is shown; NULL: this part is not. */
struct tl_history_view {
    const struct tl_history_runs *runs;
    bool lists; /* the runs themselves */
    const struct tl_history_trend *trends[TL_HISTORY_KINDS];
    const struct tl_history_matrix *matrix;
    uint64_t rows; /* of each trend and series at most so many; 0: all */
};

/* Writes it for people. Errors of writing stay with the stream. */
void tl_history_text_write(FILE *out, const struct tl_history_view *view);
/* The page: it needs no network and no script. */
void tl_history_page_write(FILE *out, const struct tl_history_view *view);
/* talon/history/1. 0, or FAL_ERR_MEM with `err`. */
MUST_USE int tl_history_json_write(FILE *out, const struct tl_history_view *view,
                                   struct fal_error *err);

/* The members of what tl_history_json_write writes. */
extern const struct fal_shape tl_history_shape;

/* "requirements", "causes", "cases". */
extern const char *const tl_history_of_names[TL_HISTORY_KINDS];
/* "-.wWIFE": a letter for each mark. */
extern const char tl_history_letters[];
/* "1.4"; "(unknown)" for a firmware, "(none)" for a profile that is not stated. */
const char *tl_history_firmware(const struct tl_history_run *run);
const char *tl_history_profile(const struct tl_history_run *run);
/* The range of rows of a series in a trend that is sorted by series. */
void tl_history_rows_of(const struct tl_history_trend *trend, size_t series, size_t *first,
                        size_t *count);

#endif
