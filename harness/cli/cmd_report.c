/* SPDX-License-Identifier: Apache-2.0
 * cmd_report.c - `talon report` and `talon diff`: saved results as documents. */
#include "harness/cli/cmd.h"

#include "harness/check/report_file.h"
#include "harness/run/saved_results.h"
#include "reports/results/diff.h"
#include "reports/results/merge.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* clang-format off */
static const char report_usage[] =
    "usage: talon report RESULTS [--format FORMAT] [-o FILE]\n"
    "       talon report merge RESULTS... [--format FORMAT] [-o FILE] [--partial]\n"
    "\n"
    "Writes saved results as a document. RESULTS is a file of talon/results/1 (talon run --report\n"
    "json:FILE), or the folder of evidence that talon run --out left. merge takes the shards of a run\n"
    "(together they are the run that nobody split) and runs of the same cases: what the SUT did wrong in\n"
    "any of them stays, what was inconclusive or in error gives way to what was decided later.\n"
    "\n"
    "  --format FORMAT      html, json, junit, markdown, sarif, tap or text (default text; of merge json)\n"
    "  -o, --output FILE    default: standard output\n"
    "  --junit-flavor NAME  whose reader it is for: jenkins (default), gitlab, rich\n"
    "  --partial            of merge: shards may be missing\n"
    "\n"
    "Exit status: 0 written, 2 the command or RESULTS are wrong (also where counts, verdict or status are\n"
    "not what the cases come to), 4 it cannot be written. Of merge, where it is written: that of the\n"
    "merged run.\n";

static const char diff_usage[] =
    "usage: talon diff OLD NEW [--format text|markdown|json] [-o FILE] [--strict]\n"
    "\n"
    "Compares saved results, case by case: new failures, what is newly undecided, what fails in another\n"
    "way, what runs no more or is gone, new warnings, what is fixed, new cases. OLD and NEW are as RESULTS\n"
    "of talon report. What is waived, expected to fail or flaky counts for nothing.\n"
    "\n"
    "  --format FORMAT      text (default), markdown, json (talon/diff/1)\n"
    "  -o, --output FILE    default: standard output\n"
    "  --strict             what fails in another way, runs no more or is gone is a regression, too\n"
    "\n"
    "Exit status: 0 no regression, 1 something fails or is undecided that was not, 2 the command or the\n"
    "results are wrong, 4 it cannot be written.\n";
/* clang-format on */

struct options {
    const char *verb;
    const char *format, *output;
    enum tl_junit_flavor junit;
    bool partial, strict, help;
};

static int wrong(const struct options *o, const char *what, const char *text)
{
    fprintf(stderr, "talon %s: %s%s; see talon %s --help\n", o->verb, what, text, o->verb);
    return TL_STATUS_USAGE;
}

static int failed(const struct options *o, int rc, const struct fal_error *err)
{
    fprintf(stderr, "talon %s: %s\n", o->verb, err->text);
    return rc == FAL_ERR_MEM ? TL_STATUS_ERROR : TL_STATUS_USAGE;
}

static int read_options(int argc, char **argv, struct options *o)
{
    enum { FORMAT = 256, FLAVOR, PARTIAL, STRICT, HELP };
    static const struct option report_options[] = {
        {"format", required_argument, NULL, FORMAT},
        {"output", required_argument, NULL, 'o'},
        {"junit-flavor", required_argument, NULL, FLAVOR},
        {"partial", no_argument, NULL, PARTIAL},
        {"help", no_argument, NULL, HELP},
        {NULL, 0, NULL, 0}};
    static const struct option diff_options[] = {{"format", required_argument, NULL, FORMAT},
                                                 {"output", required_argument, NULL, 'o'},
                                                 {"strict", no_argument, NULL, STRICT},
                                                 {"help", no_argument, NULL, HELP},
                                                 {NULL, 0, NULL, 0}};
    const struct option *list = strcmp(o->verb, "diff") == 0 ? diff_options : report_options;
    int c;

    opterr = 0;
    optind = 1;
    while ((c = getopt_long(argc, argv, "o:h", list, NULL)) != -1) { /* NOLINT */
        switch (c) {
        case FORMAT: o->format = optarg; break;
        case 'o': o->output = optarg; break;
        case FLAVOR:
            if (tl_junit_flavor_from(optarg) < 0)
                return wrong(o, "--junit-flavor takes jenkins, gitlab or rich, not ", optarg);
            o->junit = (enum tl_junit_flavor)tl_junit_flavor_from(optarg);
            break;
        case PARTIAL: o->partial = true; break;
        case STRICT: o->strict = true; break;
        case 'h':
        case HELP: o->help = true; break;
        default:
            return wrong(o, "unknown option, or one without its value: ",
                         optind > 0 && optind <= argc ? argv[optind - 1] : "");
        }
    }
    return 0;
}

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
    return wrong(o, "what is read is not written to: ", o->output);
}

static int write_results(const struct options *o, const struct tl_results *results,
                         const char *evidence)
{
    const struct tl_report_spec spec = {.write = tl_report_find(o->format),
                                        .file = o->output != NULL ? o->output : "-"};
    struct fal_error err;

    if (tl_report_write(&spec, o->junit, evidence, results, &err) == 0)
        return TL_STATUS_PASS;
    fprintf(stderr, "talon %s: %s\n", o->verb, err.text);
    return TL_STATUS_ERROR;
}

static int report_one(const struct options *o, const char *path)
{
    struct tl_saved saved;
    struct fal_error err;
    int rc = tl_saved_open(&saved, path, &err);
    int status = rc != 0                      ? failed(o, rc, &err)
                 : would_overwrite(o, &saved) ? refuse_overwrite(o)
                                              : write_results(o, saved.results, saved.evidence);

    tl_saved_close(&saved);
    return status;
}

static int merge_saved(const struct options *o, struct tl_saved *saved, struct tl_results **all,
                       char *const *paths, size_t n)
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
        rc = tl_merge(all, (const char *const *)paths, n, o->partial, &merged, &err);
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

static int merge(const struct options *o, char *const *paths, size_t n)
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

int tl_cmd_report(int argc, char **argv)
{
    struct options o = {.verb = "report"};
    int status = read_options(argc, argv, &o), left = argc - optind;
    bool merging = left > 0 && strcmp(argv[optind], "merge") == 0;

    if (status != 0)
        return status;
    if (o.help) {
        fputs(report_usage, stdout);
        return TL_STATUS_PASS;
    }
    if (o.format == NULL)
        o.format = merging ? "json" : "text";
    if (tl_report_find(o.format) == NULL)
        return wrong(&o, "no format ", o.format);
    if (merging && left < 2)
        return wrong(&o, "merge what?", "");
    if (merging)
        return merge(&o, argv + optind + 1, (size_t)left - 1);
    if (left != 1)
        return wrong(&o, left == 0 ? "results of what?" : "one RESULTS, not several: ",
                     left == 0 ? "" : argv[optind + 1]);
    return report_one(&o, argv[optind]);
}

static int diff(const struct options *o, enum tl_diff_format format, char *const *paths)
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
    static const char *const formats[] = {"text", "markdown", "json"};
    struct options o = {.verb = "diff"};
    int status = read_options(argc, argv, &o), format = 0;

    if (status != 0)
        return status;
    if (o.help) {
        fputs(diff_usage, stdout);
        return TL_STATUS_PASS;
    }
    while (o.format != NULL && format < 3 && strcmp(o.format, formats[format]) != 0)
        format++;
    if (format == 3)
        return wrong(&o, "--format takes text, markdown or json, not ", o.format);
    if (argc - optind != 2)
        return wrong(&o, "two results are compared", "");
    return diff(&o, (enum tl_diff_format)format, argv + optind);
}
