/* SPDX-License-Identifier: Apache-2.0
 * check_judge.h - what `talon check` judges, and how it tells. It uses libtalon alone
 * (harness/lib/talon.h), as any program can that has the header. */
#ifndef TL_HARNESS_CLI_CHECK_CHECK_JUDGE_H
#define TL_HARNESS_CLI_CHECK_CHECK_JUDGE_H

#include <stdbool.h>

#include "harness/lib/talon.h"

/* How the reports of files are printed. */
struct tl_check_telling {
    const struct talon_setup *setup;
    struct talon_results *results; /* each file becomes a case of it */
    bool json;
    bool heading;                /* each file's report is headed by its name */
    bool quiet;                  /* standard output has another report */
    talon_progress_fn *progress; /* NULL: nobody */
    void (*progress_end)(void *ctx);
    void *progress_ctx;
};

/* Judges files that are parts of one capture, or a single one, and prints the report; an error
 * goes to standard error. Returns the exit status. */
int tl_check_judge_files(const struct tl_check_telling *telling, char *const *files,
                         size_t num);

/* Prints the report of a judge that has ended, likewise; `path` is its first file, `problem`
 * what was wrong with its files, or NULL. */
int tl_check_tell(const struct tl_check_telling *telling, struct talon_judge *judge,
                  const char *path, const char *problem);

/* Judges the trace of an event pipeline, likewise. `setup` is its file, or NULL. */
int tl_check_judge_trace(const char *trace, const char *setup, bool json);

/* Writes reports "FORMAT:FILE" of all cases. Returns the exit status. */
int tl_check_judge_reports(const struct tl_check_telling *telling, const char *const *reports,
                           size_t num, const char *flavor);

/* Prints "talon check: TEXT" on standard error. Returns `status`. */
int tl_check_complain(int status, const char *text);
/* The same of an error, with the status that it has. */
int tl_check_failed(const struct talon_error *err);
/* Where several apply, 4 goes before 2, before 1, before 3. */
int tl_check_worse_status(int a, int b);

#endif
