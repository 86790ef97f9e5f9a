/* SPDX-License-Identifier: Apache-2.0
 * cmd_report.c - `talon report` and `talon diff`: saved results as documents. */
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"

#include "harness/check/report_file.h"
#include "harness/run/saved_results.h"
#include "reports/results/diff.h"
#include "reports/results/merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
    const char *verb;
    struct tl_texts paths;
    const char *format, *output, *stamp, *against;
    size_t changes[TL_CHANGES]; /* since the results of --against */
    enum tl_junit_flavor junit;
    enum tl_diff_format diff_format;
    bool partial, repeated, strict, brief;
};

static int failed(const struct options *o, int rc, const struct fal_error *err)
{
    return tl_verb_failed(o->verb, rc, err);
}

#define TL_OPTIONS_OF struct options
#define OUTPUT                                                                                 \
    {                                                                                          \
        TL_TEXT("--output", output, "FILE"), .alias = "-o", .help = "default: standard output" \
    }

static int check_format(void *into, const char *value, struct fal_error *err)
{
    (void)into;
    return tl_report_find(value) != NULL
               ? 0
               : fal_fail(err, FAL_ERR_FORM, "no format '%.60s'", value);
}

static const struct tl_option report_list[] = {
    {TL_TEXTS("RESULTS", paths, NULL)},
    {TL_TEXT("--format", format, "FORMAT"), .read = check_format,
     .help = "html, json, junit, markdown, sarif, tap or text (default text; of merge json)"},
    OUTPUT,
    {TL_CHOICE("--junit-flavor", junit, "NAME", TL_JUNIT_FLAVORS),
     .help = "the program that reads the JUnit file: jenkins (default), gitlab, rich"},
    {TL_TEXT("--stamp", stamp, "TEXT"),
     .help = "when the run was: HTML, Markdown and JUnit reports show it"},
    {TL_TEXT("--against", against, "RESULTS"),
     .help = "the HTML and Markdown reports say what changed since these results"},
    {TL_FLAG("--brief", brief),
     .help = "Markdown with only verdict and causes, as a comment of a pull request"},
    {TL_FLAG("--partial", partial), .help = "of merge: accept that shards are missing"},
    {TL_FLAG("--repeated", repeated),
     .help = "of merge: accept several results of one shard, which was run again"},
};
static const struct tl_options report_options = {"report", report_list,
                                                 sizeof report_list / sizeof *report_list};

static const struct tl_option diff_list[] = {
    {TL_TEXTS("RESULTS", paths, NULL)},
    {TL_CHOICE("--format", diff_format, "FORMAT", "text markdown json"),
     .help = "text (default), markdown or json (talon/diff/1)"},
    OUTPUT,
    {TL_FLAG("--strict", strict),
     .help = "a case that fails for another reason, no longer runs or is missing is a "
             "regression, too"},
};
static const struct tl_options diff_options = {"diff", diff_list,
                                               sizeof diff_list / sizeof *diff_list};

/* Opening a file to write to it empties it: it must not be one that is read. */
static bool would_overwrite(const struct options *o, const struct tl_saved *saved)
{
    struct stat in, out;

    return o->output != NULL && stat(o->output, &out) == 0 && S_ISREG(out.st_mode) &&
           fstat(fileno(saved->in), &in) == 0 && in.st_dev == out.st_dev &&
           in.st_ino == out.st_ino;
}

static int refuse_overwrite(const struct options *o)
{
    return tl_verb_wrong(o->verb, "the output would overwrite an input: %.200s", o->output);
}

static int write_results(const struct options *o, const struct tl_results *results,
                         const char *evidence)
{
    const struct tl_report_spec spec = {.write = tl_report_find(o->format),
                                        .file = o->output != NULL ? o->output : "-",
                                        .brief = o->brief,
                                        .stamp = o->stamp,
                                        .changes = o->against != NULL ? o->changes : NULL};
    struct fal_error err;

    if (tl_report_write(&spec, o->junit, evidence, results, &err) == 0)
        return TL_STATUS_PASS;
    fprintf(stderr, "talon %s: %s\n", o->verb, err.text);
    return TL_STATUS_ERROR;
}

/* Counts what changed since the results of --against. */
static int compare(struct options *o, const struct tl_saved *now, struct fal_error *err)
{
    struct tl_saved old;
    int rc = tl_saved_open(&old, o->against, err);

    if (rc == 0)
        rc = tl_diff_count(old.results, now->results, o->changes, err);
    tl_saved_close(&old);
    return rc;
}

static int report_one(struct options *o, const char *path)
{
    struct tl_saved saved;
    struct fal_error err;
    int rc = tl_saved_open(&saved, path, &err);
    int status;

    if (rc == 0 && o->against != NULL)
        rc = compare(o, &saved, &err);
    status = rc != 0                      ? failed(o, rc, &err)
             : would_overwrite(o, &saved) ? refuse_overwrite(o)
                                          : write_results(o, saved.results, saved.evidence);

    tl_saved_close(&saved);
    return status;
}

static int merge_saved(const struct options *o, struct tl_saved *saved, struct tl_results **all,
                       const char *const *paths, size_t n)
{
    struct tl_results merged;
    struct fal_error err;
    int rc = 0, status;

    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = tl_saved_open(&saved[i], paths[i], &err);
        if (rc == 0)
            rc = tl_results_load(saved[i].file, &err);
        all[i] = saved[i].results;
    }
    if (rc == 0)
        rc = tl_merge(all, paths, n,
                      (o->partial ? TL_MERGE_PARTIAL : 0u) |
                          (o->repeated ? TL_MERGE_REPEATED : 0u),
                      &merged, &err);
    if (rc != 0)
        return failed(o, rc, &err);
    for (size_t i = 0; i < n; i++) {
        if (would_overwrite(o, &saved[i])) {
            tl_merge_free(&merged);
            return refuse_overwrite(o);
        }
    }
    status = write_results(o, &merged, n == 1 ? saved[0].evidence : NULL);
    if (status == TL_STATUS_PASS)
        status = merged.status;
    tl_merge_free(&merged);
    return status;
}

static int merge(const struct options *o, const char *const *paths, size_t n)
{
    struct tl_saved *saved = calloc(n, sizeof *saved);
    struct tl_results **all = calloc(n, sizeof(struct tl_results *));
    int status = TL_STATUS_ERROR;

    if (saved != NULL && all != NULL)
        status = merge_saved(o, saved, all, paths, n);
    else
        fprintf(stderr, "talon report: out of memory\n");
    for (size_t i = 0; saved != NULL && i < n; i++)
        tl_saved_close(&saved[i]);
    free(saved);
    free(all);
    return status;
}

static int report(struct options *o)
{
    const char *const *paths = o->paths.list;
    size_t n = o->paths.count;
    bool merging = n > 0 && strcmp(paths[0], "merge") == 0;

    if (o->format == NULL)
        o->format = merging ? "json" : "text";
    if (merging && o->against != NULL)
        return tl_verb_wrong(o->verb, "merge: --against needs results that are merged already");
    if (o->brief && tl_report_find(o->format) != tl_report_markdown)
        return tl_verb_wrong(o->verb,
                             "--brief needs --format markdown; the format '%.60s' has no "
                             "brief form",
                             o->format);
    if (o->stamp != NULL && !tl_report_shows_stamp(tl_report_find(o->format)))
        return tl_verb_wrong(o->verb,
                             "--stamp needs --format html, markdown or junit; the format "
                             "'%.60s' does not show it",
                             o->format);
    if (o->against != NULL && !tl_report_shows_changes(tl_report_find(o->format)))
        return tl_verb_wrong(o->verb,
                             "--against needs --format html or markdown; the format '%.60s' "
                             "does not show it",
                             o->format);
    if (merging && n < 2)
        return tl_verb_wrong(o->verb, "merge: no RESULTS given");
    if (merging)
        return merge(o, paths + 1, n - 1);
    if (n == 0)
        return tl_verb_wrong(o->verb, "no RESULTS given");
    if (n > 1)
        return tl_verb_wrong(o->verb, "one RESULTS at a time (or merge); also '%.100s'",
                             paths[1]);
    return report_one(o, paths[0]);
}

int tl_cmd_report(int argc, char **argv)
{
    struct options o = {.verb = "report"};
    int status = tl_verb_read(&report_options, tl_usage_report, argc, argv, &o);

    if (status == TL_VERB_GO)
        status = report(&o);
    tl_options_free(&report_options, &o);
    return status;
}

static int diff(const struct options *o, enum tl_diff_format format, const char *const *paths)
{
    struct tl_saved old = {.file = NULL}, now = {.file = NULL};
    size_t count[TL_CHANGES];
    struct fal_error err;
    FILE *out = NULL;
    int rc = tl_saved_open(&old, paths[0], &err), status;

    if (rc == 0)
        rc = tl_saved_open(&now, paths[1], &err);
    if (rc == 0 && (would_overwrite(o, &old) || would_overwrite(o, &now))) {
        tl_saved_close(&old);
        tl_saved_close(&now);
        return refuse_overwrite(o);
    }
    if (rc == 0) {
        out =
            o->output == NULL || strcmp(o->output, "-") == 0 ? stdout : fopen(o->output, "we");
        if (out == NULL)
            rc = fal_fail(&err, FAL_ERR_IO, "%.200s: %s", o->output,
                          strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    }
    if (rc == 0)
        rc = tl_diff_write(out, format, old.results, now.results, count, &err);
    if (out != NULL && (out == stdout ? fflush(out) : fclose(out)) != 0 && rc == 0)
        rc = fal_fail(&err, FAL_ERR_IO, "it cannot be written");
    status = rc != 0                               ? failed(o, rc, &err)
             : tl_diff_regressed(count, o->strict) ? TL_STATUS_FAIL
                                                   : TL_STATUS_PASS;
    if (rc == FAL_ERR_IO && old.results != NULL && now.results != NULL)
        status = TL_STATUS_ERROR;
    tl_saved_close(&old);
    tl_saved_close(&now);
    return status;
}

int tl_cmd_diff(int argc, char **argv)
{
    struct options o = {.verb = "diff"};
    int status = tl_verb_read(&diff_options, tl_usage_diff, argc, argv, &o);

    if (status == TL_VERB_GO && o.paths.count != 2)
        status = tl_verb_wrong(o.verb, "expected two RESULTS: OLD and NEW");
    else if (status == TL_VERB_GO)
        status = diff(&o, o.diff_format, o.paths.list);
    tl_options_free(&diff_options, &o);
    return status;
}
