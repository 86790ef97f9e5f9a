/* SPDX-License-Identifier: Apache-2.0
 * history.h - results of many runs in one SQLite file: which requirement, cause or case failed
 * when, on which device, with which firmware. Each run is added in one transaction: after a
 * crash or a kill it is there whole or not at all. The file may be as hostile as any input. */
#ifndef TL_HARNESS_HISTORY_HISTORY_H
#define TL_HARNESS_HISTORY_HISTORY_H

#include "codecs/base/arena.h"
#include "codecs/base/error.h"
#include "reports/results/results.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TL_HISTORY_VERSION = 2,   /* of the tables, that this Talon writes */
    TL_HISTORY_HASH = 64 + 1, /* bytes of a hash as hex digits, with its NUL */
    TL_HISTORY_TIME = 24,     /* bytes of a time as text, with its NUL */
};

struct tl_history;

/* Opens the history at `path`, or an empty one in memory (NULL). `writes`: makes the file where
 * there is none. A history of an older version is upgraded. `wait_s` is how long each access
 * waits for another program that has locked the file. Returns 0; FAL_ERR_FORM (the file is no
 * history, or of a newer version), FAL_ERR_IO (it is missing, locked, read-only or damaged) or
 * FAL_ERR_MEM with `err`. The caller closes it. */
MUST_USE int tl_history_open(const char *path, bool writes, unsigned wait_s,
                             struct tl_history **out, struct fal_error *err);
void tl_history_close(struct tl_history *history); /* NULL is nothing */

/* ---- adding ---- */

/* What is stored beside the results of a run. Texts are borrowed; "" stands for unknown. */
struct tl_history_labels {
    const char *device, *firmware, *profile, *tool;
    const char *certificate; /* who signed it; NULL: it is no certificate */
    int64_t time;            /* when the run was: seconds since 1970, UTC */
    const char *hash;        /* identifies the results and their labels: hex digits */
};

struct tl_history_added {
    int64_t run; /* its number in the history */
    bool again;  /* a run with this hash was there already, and nothing was added */
};

/* Adds the results of a run, whole or not at all. Returns 0, FAL_ERR_FORM (they are one shard
 * of several), FAL_ERR_IO (the history cannot be written), an error of reading the cases, or
 * FAL_ERR_MEM with `err`. */
MUST_USE int tl_history_add(struct tl_history *history, const struct tl_results *results,
                            const struct tl_history_labels *labels,
                            struct tl_history_added *added, struct fal_error *err);

/* Labels that the command line gives in place of those of the results; NULL: it does not. */
struct tl_history_given {
    const char *device, *firmware, *profile, *tool, *time;
};

/* Adds a file of results, a directory of evidence, or the directory of a certificate. Returns
 * as tl_history_add; FAL_ERR_FORM where the results cannot be read. */
MUST_USE int tl_history_add_file(struct tl_history *history, const char *path,
                                 const struct tl_history_given *given,
                                 struct tl_history_added *added, struct fal_error *err);

/* Adds the runs of the history at `path`, all of them or none; runs that are there already
 * stay. An older history is upgraded first. Returns as tl_history_open and tl_history_add. */
MUST_USE int tl_history_add_history(struct tl_history *history, const char *path,
                                    struct fal_error *err);
/* Whether the file begins as a SQLite database does. */
bool tl_history_is_database(const char *path);

/* Removes the runs of these numbers, and the names of cases, requirements and causes that no
 * other run has: all of them or none. Numbers are not given again. Returns 0; FAL_ERR_FORM
 * (there is no such run), FAL_ERR_IO or FAL_ERR_MEM with `err`. */
MUST_USE int tl_history_remove(struct tl_history *history, const int64_t *runs, size_t n,
                               struct fal_error *err);

/* Reads "2026-11-30", "2026-11-30T01:02:03Z" or "now" into seconds since 1970. Returns 0, or
 * FAL_ERR_FORM with a clause in `err`. */
MUST_USE int tl_history_time_read(const char *text, int64_t *out, struct fal_error *err);
/* "2026-11-30T01:02:03Z", or with `day` only "2026-11-30". */
void tl_history_time_text(int64_t time, bool day, char out[TL_HISTORY_TIME]);

/* ---- runs ---- */

struct tl_history_run {
    int64_t id, time;
    const char *device, *firmware, *profile, *tool, *sut, *certificate, *hash;
    enum fal_verdict verdict;
    uint64_t cases, counted[TL_VERDICTS]; /* as of struct tl_tally */
    bool live, partial;                   /* partial: the run was interrupted */
};

/* Runs of the same device and profile, in the order of their times. */
struct tl_history_series {
    size_t first, count; /* in the list of runs */
};

struct tl_history_runs {
    struct tl_history_run *list; /* by device, profile, time and number */
    size_t count;
    struct tl_history_series *series;
    size_t num_series;
    struct fal_arena arena;
};

/* Which runs: patterns as of the shell, NULL for all. */
struct tl_history_filter {
    const char *device, *firmware, *profile;
    int64_t since; /* seconds since 1970 */
    uint64_t last; /* of each series only so many of the newest runs; 0: all */
};

/* 0, FAL_ERR_IO, FAL_ERR_FORM or FAL_ERR_MEM with `err`; free it all the same. */
MUST_USE int tl_history_runs(struct tl_history *history, const struct tl_history_filter *filter,
                             struct tl_history_runs *out, struct fal_error *err);
void tl_history_runs_free(struct tl_history_runs *runs);
/* The run of that number; NULL: it is not among them. */
const struct tl_history_run *tl_history_find(const struct tl_history_runs *runs, int64_t id);

/* ---- trends ---- */

enum tl_history_of {
    TL_HISTORY_REQUIREMENTS,
    TL_HISTORY_CAUSES,
    TL_HISTORY_CASES,
    TL_HISTORY_KINDS
};

/* The state of a row in one run. */
enum tl_history_mark {
    TL_MARK_ABSENT,  /* not run, not exercised */
    TL_MARK_PASS,    /* of a cause: the run does not show it */
    TL_MARK_EXCUSED, /* waived, expected, flaky; of a requirement or a cause: it follows from
                        another one */
    TL_MARK_WARN,
    TL_MARK_INCONC,
    TL_MARK_FAIL,
    TL_MARK_ERROR,
    TL_MARKS,
};

struct tl_history_row {
    const char *name, *text;
    size_t series;
    const uint8_t *marks;   /* enum tl_history_mark of each run of the series */
    const uint32_t *counts; /* of a cause: its cases in each run; else NULL */
    size_t bad;             /* runs with a mark from WARN on */
    size_t last_bad;        /* index of the newest of them */
    /* Of a case: runs in which it could have changed for no reason, and in which it did. */
    size_t observed, flaky;
};

struct tl_history_trend {
    struct tl_history_row *rows; /* by series; those that are bad in the newest run first */
    size_t count, cap;
    struct fal_arena arena;
};

/* Which rows: those that were bad or flaky in one of the runs, or (`all`) every one. */
struct tl_history_ask {
    enum tl_history_of of;
    const char *match; /* a pattern of names; NULL: all */
    bool all;
};

/* The trends of all series of `runs`. Errors as of tl_history_runs; free it all the same. */
MUST_USE int tl_history_trend(struct tl_history *history, const struct tl_history_ask *ask,
                              const struct tl_history_runs *runs, struct tl_history_trend *out,
                              struct fal_error *err);
void tl_history_trend_free(struct tl_history_trend *trend);

/* ---- comparing ---- */

/* The results of a run as far as the history keeps them: ids, titles, verdicts, dispositions,
 * reasons and fingerprints of cases. They borrow from the history. 0 or FAL_ERR_MEM; the caller
 * frees it. */
struct tl_history_results;
MUST_USE int tl_history_results(struct tl_history *history, int64_t run,
                                struct tl_history_results **out, struct fal_error *err);
const struct tl_results *tl_history_results_of(const struct tl_history_results *results);
void tl_history_results_free(struct tl_history_results *results); /* NULL is nothing */

/* ---- the matrix ---- */

/* The cases of a chapter in a run. */
struct tl_history_chapter {
    const char *name;
    uint64_t cases, counted[TL_VERDICTS];
};

/* A cause of failures in a run, or a case that did not pass. */
struct tl_history_detail {
    const char *name, *text;  /* of a cause its sentence, of a case its title */
    const char *reason;       /* of a case; "" where there is none */
    enum fal_verdict verdict; /* from WARN on */
    uint64_t cases;           /* of a cause */
};

struct tl_history_details {
    struct tl_history_detail *list; /* the worst first */
    size_t count;
};

/* The newest run of a device with a profile and a firmware. */
struct tl_history_cell {
    const struct tl_history_run *run;
    size_t device, firmware, profile; /* indices of the lists below */
    struct tl_history_chapter *chapters;
    size_t num_chapters;
    struct tl_history_details causes, bad; /* bad: cases that did not pass */
};

struct tl_history_matrix {
    const char **devices, **profiles;
    struct {
        size_t device;
        const char *name;
    } * firmwares; /* of each device the newest first */
    size_t num_devices, num_profiles, num_firmwares;
    struct tl_history_cell *cells; /* by firmware (which is one of a device), then profile */
    size_t num_cells;
    struct fal_arena arena;
};

/* Borrows from `runs`. `chapters`: the cells list them. Errors as of tl_history_runs; free it
 * all the same. */
MUST_USE int tl_history_matrix(struct tl_history *history, const struct tl_history_runs *runs,
                               bool chapters, struct tl_history_matrix *out,
                               struct fal_error *err);
/* Reads the causes of each cell and its cases that did not pass, of both at most `rows` (0:
 * all). Errors as of tl_history_runs. */
MUST_USE int tl_history_matrix_details(struct tl_history *history,
                                       struct tl_history_matrix *matrix, uint64_t rows,
                                       struct fal_error *err);
/* The cell; NULL: there was no such run. */
const struct tl_history_cell *tl_history_cell(const struct tl_history_matrix *matrix,
                                              size_t firmware, size_t profile);
void tl_history_matrix_free(struct tl_history_matrix *matrix);

#endif
