/* SPDX-License-Identifier: Apache-2.0
 * cmd_history.c - `talon history`: results of many runs in one file, and their trends. */
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"
#include "harness/history/history_out.h"
#include "reports/base/utf8.h"
#include "reports/results/diff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DATABASE "talon-history.db"

enum { WAIT_S = 30, ROWS = 20, PAGE_ROWS = 50, SERIES_MAX = 100000 };

enum format { TEXT, JSON, MARKDOWN };

struct command {
    struct tl_texts words; /* the action and its arguments */
    const char *db, *output, *match;
    struct tl_history_given given; /* of add; of the others patterns */
    struct tl_history_filter filter;
    int format; /* enum format */
    int of;     /* enum tl_history_of; TL_HISTORY_KINDS: all */
    uint64_t rows, wait_s;
    bool rows_given, format_given, all, strict, matrix;
};

#define TL_OPTIONS_OF struct command

static int read_since(void *into, const char *value, struct fal_error *err)
{
    return tl_history_time_read(value, &((struct command *)into)->filter.since, err);
}

static int check_time(void *into, const char *value, struct fal_error *err)
{
    int64_t unused;

    (void)into;
    return tl_history_time_read(value, &unused, err);
}

static const struct tl_option option_list[] = {
    {TL_TEXTS("ACTION", words, NULL)},
    {TL_TEXT("--db", db, "FILE"), .help = "the history (default " DATABASE ")"},
    {TL_TEXT("--device", given.device, "NAME"),
     .help = "add: the device (default: vendor and product of the results); else only runs of "
             "devices that match this pattern"},
    {TL_TEXT("--firmware", given.firmware, "VERSION"), .may_be_empty = true,
     .help = "add: its firmware (default: that of the results); else a pattern likewise"},
    {TL_TEXT("--profile", given.profile, "NAME"), .may_be_empty = true,
     .help = "add: the profile (default: that of the results); else a pattern likewise"},
    {TL_TEXT("--tool", given.tool, "VERSION"),
     .help = "add: the version of Talon (default: that of the results)"},
    {TL_TEXT("--time", given.time, "TIME"), .read = check_time,
     .help = "add: when the run was, as 2026-11-30, 2026-11-30T01:02:03Z or now (default: as "
             "run.json or the certificate states, or when the file was written)"},
    {TL_OWN("--since", read_since, "TIME"), .help = "only runs from this time on"},
    {TL_NUMBER("--last", filter.last, 1, SERIES_MAX),
     .help = "only the N newest runs of each device and profile"},
    {TL_CHOICE("--of", of, "KIND", "requirements causes cases all"),
     .help = "trend: requirements, causes, cases or all (default)"},
    {TL_TEXT("--match", match, "PATTERN"),
     .help = "trend, html: only requirements, causes and cases with such a name"},
    {TL_FLAG("--all", all), .help = "trend: also what passed in every run"},
    {TL_NUMBER("--rows", rows, 0, SERIES_MAX), .given_at = offsetof(struct command, rows_given),
     .help = "trend, html: at most N rows of each kind (default 20, html 50; 0: all)"},
    {TL_FLAG("--strict", strict), .help = "compare: as of talon diff --strict"},
    {TL_FLAG("--matrix", matrix), .help = "html: only the matrix"},
    {TL_CHOICE("--format", format, "FORMAT", "text json markdown"),
     .given_at = offsetof(struct command, format_given),
     .help = "text (default), json (talon/history/1, of compare talon/diff/1), or of compare "
             "markdown"},
    {TL_TEXT("--output", output, "FILE"), .alias = "-o", .help = "default: standard output"},
    {TL_NUMBER("--wait", wait_s, 0, 3600),
     .help = "seconds to wait for another program that has locked the history (default 30)"},
};
static const struct tl_options options = {"history", option_list,
                                          sizeof option_list / sizeof *option_list};

/* FAL_ERR_IO is an error of the history or of the output. */
static int failed(int rc, const struct fal_error *err)
{
    int status = tl_verb_failed(options.verb, rc, err);

    return rc == FAL_ERR_IO ? TL_STATUS_ERROR : status;
}

/* ---- output ---- */

static bool same_file(const char *path, const struct stat *out)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_dev == out->st_dev && st.st_ino == out->st_ino;
}

/* Opening a file to write to it empties it: it must not be one that is read. */
static int open_output(const struct command *c, FILE **out)
{
    struct fal_error err = {{0}};
    struct stat st;
    bool overwrites = false;

    *out = stdout;
    if (c->output == NULL || strcmp(c->output, "-") == 0)
        return TL_STATUS_PASS;
    if (stat(c->output, &st) == 0 && S_ISREG(st.st_mode)) {
        overwrites = same_file(c->db, &st);
        for (size_t i = 1; i < c->words.count; i++)
            overwrites = overwrites || same_file(c->words.list[i], &st);
    }
    if (overwrites)
        return tl_verb_wrong(options.verb, "the output would overwrite an input: %.200s",
                             c->output);
    *out = fopen(c->output, "we");
    if (*out != NULL)
        return TL_STATUS_PASS;
    return failed(fal_fail(&err, FAL_ERR_IO, "%.200s: %s", c->output,
                           strerror(errno)), /* NOLINT(concurrency-mt-unsafe) */
                  &err);
}

static int close_output(FILE *out, int status)
{
    bool bad = ferror(out) != 0;

    bad = (out == stdout ? fflush(out) : fclose(out)) != 0 || bad;
    if (!bad)
        return status;
    fprintf(stderr, "talon history: the output cannot be written\n");
    return TL_STATUS_ERROR;
}

/* ---- add ---- */

static int add_one(const struct command *c, struct tl_history *h, const char *path)
{
    struct tl_history_added added;
    struct fal_error err = {{0}};
    int rc = tl_history_add_file(h, path, &c->given, &added, &err);

    if (rc != 0)
        return failed(rc, &err);
    tl_put_plain_text(stdout, path);
    printf(added.again ? ": already there as run %" PRId64 ", nothing added\n"
                       : ": added as run %" PRId64 "\n",
           added.run);
    return fflush(stdout) == 0 ? TL_STATUS_PASS : TL_STATUS_ERROR;
}

/* Each file by itself: a wrong one does not keep the others out. */
static int add(const struct command *c)
{
    struct tl_history *h;
    struct fal_error err = {{0}};
    int status = TL_STATUS_PASS, rc;

    if (c->words.count < 2)
        return tl_verb_wrong(options.verb, "add: no RESULTS given");
    rc = tl_history_open(c->db, true, (unsigned)c->wait_s, &h, &err);
    if (rc != 0)
        return failed(rc, &err);
    for (size_t i = 1; i < c->words.count; i++) {
        int one = add_one(c, h, c->words.list[i]);

        status = one > status ? one : status;
    }
    tl_history_close(h);
    return status;
}

/* ---- remove ---- */

static int read_runs(const struct command *c, int64_t *runs)
{
    for (size_t i = 1; i < c->words.count; i++) {
        const char *word = c->words.list[i];
        char *end = NULL;

        errno = 0;
        runs[i - 1] = strtoll(word, &end, 10);
        if (word[0] < '0' || word[0] > '9' || *end != 0 || errno != 0)
            return tl_verb_wrong(options.verb,
                                 "remove: expected the number of a run (talon history list), "
                                 "found '%.60s'",
                                 word);
    }
    return TL_STATUS_PASS;
}

static int remove_runs(const struct command *c)
{
    int64_t *runs = calloc(c->words.count, sizeof *runs);
    struct tl_history *h = NULL;
    struct fal_error err = {{0}};
    int rc, status;

    if (runs == NULL)
        return failed(fal_fail(&err, FAL_ERR_MEM, "out of memory"), &err);
    status = c->words.count < 2 ? tl_verb_wrong(options.verb, "remove: no run given")
                                : read_runs(c, runs);
    if (status == TL_STATUS_PASS) {
        rc = tl_history_open(c->db, false, (unsigned)c->wait_s, &h, &err);
        if (rc == 0)
            rc = tl_history_remove(h, runs, c->words.count - 1, &err);
        if (rc != 0)
            status = failed(rc, &err);
        else
            printf("removed: %zu %s\n", c->words.count - 1,
                   c->words.count == 2 ? "run" : "runs");
        tl_history_close(h);
    }
    free(runs);
    return status;
}

/* ---- what is shown ---- */

/* The history, or the results and histories that the command line names, as a history in
 * memory. */
static int open_source(const struct command *c, struct tl_history **h, struct fal_error *err)
{
    const struct tl_history_given none = {.device = NULL};
    int rc =
        tl_history_open(c->words.count > 1 ? NULL : c->db, false, (unsigned)c->wait_s, h, err);

    for (size_t i = 1; i < c->words.count && rc == 0; i++) {
        struct tl_history_added added;

        rc = tl_history_is_database(c->words.list[i])
                 ? tl_history_add_history(*h, c->words.list[i], err)
                 : tl_history_add_file(*h, c->words.list[i], &none, &added, err);
    }
    return rc;
}

static struct tl_history_filter filter_of(const struct command *c)
{
    struct tl_history_filter filter = c->filter;

    filter.device = c->given.device;
    filter.firmware = c->given.firmware;
    filter.profile = c->given.profile;
    return filter;
}

struct shown {
    struct tl_history_runs runs;
    struct tl_history_trend trends[TL_HISTORY_KINDS];
    struct tl_history_matrix matrix;
    struct tl_history_view view;
};

static int read_trends(const struct command *c, struct tl_history *h, struct shown *s,
                       struct fal_error *err)
{
    int rc = 0;

    for (int of = 0; of < TL_HISTORY_KINDS && rc == 0; of++) {
        if (c->of != TL_HISTORY_KINDS && c->of != of)
            continue;
        s->view.trends[of] = &s->trends[of];
        rc = tl_history_trend(h,
                              &(struct tl_history_ask){.of = (enum tl_history_of)of,
                                                       .match = c->match,
                                                       .all = c->all},
                              &s->runs, &s->trends[of], err);
    }
    return rc;
}

enum part { LIST = 1, TREND = 2, MATRIX = 4, CHAPTERS = 8, PAGE = 16 };

static int read_parts(const struct command *c, unsigned parts, struct shown *s,
                      struct fal_error *err)
{
    struct tl_history_filter filter = filter_of(c);
    struct tl_history *h = NULL;
    int rc = open_source(c, &h, err);

    s->view.runs = &s->runs;
    s->view.lists = (parts & LIST) != 0;
    s->view.rows = c->rows_given ? c->rows : (parts & PAGE) != 0 ? PAGE_ROWS : ROWS;
    if (rc == 0)
        rc = tl_history_runs(h, &filter, &s->runs, err);
    if (rc == 0 && (parts & TREND) != 0)
        rc = read_trends(c, h, s, err);
    if (rc == 0 && (parts & MATRIX) != 0) {
        s->view.matrix = &s->matrix;
        rc = tl_history_matrix(h, &s->runs, (parts & CHAPTERS) != 0, &s->matrix, err);
    }
    if (rc == 0 && (parts & MATRIX) != 0 && (parts & PAGE) != 0)
        rc = tl_history_matrix_details(h, &s->matrix, s->view.rows, err);
    tl_history_close(h);
    return rc;
}

static int write_parts(const struct command *c, unsigned parts, const struct shown *s)
{
    struct fal_error err = {{0}};
    FILE *out;
    int status = open_output(c, &out), rc = 0;

    if (status != TL_STATUS_PASS)
        return status;
    if ((parts & PAGE) != 0)
        tl_history_page_write(out, &s->view);
    else if (c->format == JSON)
        rc = tl_history_json_write(out, &s->view, &err);
    else
        tl_history_text_write(out, &s->view);
    return close_output(out, rc == 0 ? TL_STATUS_PASS : failed(rc, &err));
}

static int show(const struct command *c, unsigned parts)
{
    struct shown *s;
    struct fal_error err = {{0}};
    int rc, status;

    if (c->format == MARKDOWN || (c->format_given && (parts & PAGE) != 0))
        return tl_verb_wrong(options.verb, "%s has no such --format", c->words.list[0]);
    s = calloc(1, sizeof *s);
    if (s == NULL)
        return failed(fal_fail(&err, FAL_ERR_MEM, "out of memory"), &err);
    rc = read_parts(c, parts, s, &err);
    status = rc == 0 ? write_parts(c, parts, s) : failed(rc, &err);
    for (int of = 0; of < TL_HISTORY_KINDS; of++)
        tl_history_trend_free(&s->trends[of]);
    tl_history_matrix_free(&s->matrix);
    tl_history_runs_free(&s->runs);
    free(s);
    return status;
}

/* ---- compare ---- */

/* The series of the newest run: "last" counts back in it. */
static const struct tl_history_series *newest_series(const struct tl_history_runs *runs)
{
    const struct tl_history_series *newest = NULL;
    const struct tl_history_run *best = NULL;

    for (size_t i = 0; i < runs->num_series; i++) {
        const struct tl_history_series *s = &runs->series[i];
        const struct tl_history_run *last = &runs->list[s->first + s->count - 1];

        if (best != NULL &&
            (last->time < best->time || (last->time == best->time && last->id < best->id)))
            continue;
        best = last;
        newest = s;
    }
    return newest;
}

/* "12", "last", "last-3" */
static int find_run(const struct tl_history_runs *runs, const char *name,
                    const struct tl_history_run **out, struct fal_error *err)
{
    const struct tl_history_series *s = newest_series(runs);
    bool last = strncmp(name, "last", 4) == 0 && (name[4] == 0 || name[4] == '-');
    const char *digits = last ? name + 4 + (name[4] == '-') : name;
    char *end = NULL;
    unsigned long long n = strtoull(digits, &end, 10);

    if ((last && name[4] == 0 ? *digits != 0 : digits[0] < '0' || digits[0] > '9') || *end != 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "compare: expected the number of a run (talon history list), last or "
                        "last-N, found '%.60s'; talon diff compares files",
                        name);
    if (last)
        *out = s != NULL && n < s->count ? &runs->list[s->first + s->count - 1 - n] : NULL;
    else
        *out = n <= INT64_MAX ? tl_history_find(runs, (int64_t)n) : NULL;
    return *out != NULL
               ? 0
               : fal_fail(err, FAL_ERR_FORM,
                          "compare: there is no run '%.60s'; talon history list shows the runs",
                          name);
}

static void put_side(FILE *out, const char *word, const struct tl_history_run *run)
{
    char date[TL_HISTORY_TIME];

    tl_history_time_text(run->time, true, date);
    fprintf(out, "%s run %" PRId64 ", %s: ", word, run->id, date);
    tl_put_plain_text(out, run->device);
    fputs(", firmware ", out);
    tl_put_plain_text(out, tl_history_firmware(run));
    fputs(", profile ", out);
    tl_put_plain_text(out, tl_history_profile(run));
    fputc('\n', out);
}

static int write_compared(const struct command *c, struct tl_history *h,
                          const struct tl_history_run *const sides[2])
{
    static const enum tl_diff_format formats[] = {TL_DIFF_TEXT, TL_DIFF_JSON, TL_DIFF_MARKDOWN};
    struct tl_history_results *old = NULL, *now = NULL;
    size_t count[TL_CHANGES];
    struct fal_error err = {{0}};
    FILE *out = NULL;
    int rc = tl_history_results(h, sides[0]->id, &old, &err), status = TL_STATUS_PASS;

    if (rc == 0)
        rc = tl_history_results(h, sides[1]->id, &now, &err);
    if (rc == 0)
        status = open_output(c, &out);
    if (rc == 0 && status == TL_STATUS_PASS) {
        if (c->format == TEXT) {
            put_side(out, "old:", sides[0]);
            put_side(out, "new:", sides[1]);
        }
        rc = tl_diff_write(out, formats[c->format], tl_history_results_of(old),
                           tl_history_results_of(now), count, &err);
        status = rc != 0                               ? failed(rc, &err)
                 : tl_diff_regressed(count, c->strict) ? TL_STATUS_FAIL
                                                       : TL_STATUS_PASS;
        status = close_output(out, status);
    } else if (rc != 0) {
        status = failed(rc, &err);
    }
    tl_history_results_free(old);
    tl_history_results_free(now);
    return status;
}

static int compare(const struct command *c)
{
    const struct tl_history_filter filter = filter_of(c);
    const struct tl_history_run *sides[2] = {NULL, NULL};
    const char *names[] = {"last-1", "last"};
    struct tl_history_runs runs = {.count = 0};
    struct tl_history *h = NULL;
    struct fal_error err = {{0}};
    int rc, status;

    if (c->words.count != 1 && c->words.count != 3)
        return tl_verb_wrong(options.verb,
                             "compare: expected two runs, A and B, or none for the last two");
    for (size_t i = 0; i < 2 && c->words.count == 3; i++)
        names[i] = c->words.list[i + 1];
    rc = tl_history_open(c->db, false, (unsigned)c->wait_s, &h, &err);
    if (rc == 0)
        rc = tl_history_runs(h, &filter, &runs, &err);
    for (size_t i = 0; i < 2 && rc == 0; i++)
        rc = find_run(&runs, names[i], &sides[i], &err);
    status = rc == 0 ? write_compared(c, h, sides) : failed(rc, &err);
    tl_history_runs_free(&runs);
    tl_history_close(h);
    return status;
}

/* ---- the verb ---- */

static int html(const struct command *c)
{
    return show(c, PAGE | MATRIX | CHAPTERS | (c->matrix ? 0U : LIST | TREND));
}

static int act(const struct command *c)
{
    const char *action = c->words.count > 0 ? c->words.list[0] : NULL;

    if (action == NULL)
        return tl_verb_wrong(options.verb,
                             "no action given: add, remove, list, trend, compare, "
                             "matrix or html");
    if (strcmp(action, "add") == 0)
        return add(c);
    if (strcmp(action, "remove") == 0)
        return remove_runs(c);
    if (strcmp(action, "list") == 0)
        return show(c, LIST);
    if (strcmp(action, "trend") == 0)
        return show(c, TREND);
    if (strcmp(action, "compare") == 0)
        return compare(c);
    if (strcmp(action, "matrix") == 0)
        return show(c, MATRIX);
    if (strcmp(action, "html") == 0)
        return html(c);
    return tl_verb_wrong(
        options.verb,
        "no action '%.40s'; expected add, remove, list, trend, compare, matrix or html",
        action);
}

int tl_cmd_history(int argc, char **argv)
{
    struct command c = {.db = DATABASE, .of = TL_HISTORY_KINDS, .wait_s = WAIT_S};
    int status = tl_verb_read(&options, tl_usage_history, argc, argv, &c);

    if (status == TL_VERB_GO)
        status = act(&c);
    tl_options_free(&options, &c);
    return status;
}
